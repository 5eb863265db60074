/* Branch: a fork. There are no threads in a simulation, so the copy is whole. */
#include "tests/sim/branch.h"

#include "base/str.h"
#include "tests/test.h"

enum { COMPLAINT_MAX = 8192 };

__attribute__((noreturn)) static void go_on(Play *p, Ending *ending, void *self, int out)
{
    const char *wrong = ending(p, self);
    size_t left = wrong ? strlen(wrong) : 0;

    while (left > 0) {
        ssize_t wrote = write(out, wrong, left);
        if (wrote <= 0)
            _exit(2);
        wrong += wrote;
        left -= (size_t)wrote;
    }
    _exit(0);
}

static const char *read_all(Play *p, int in)
{
    char *text = arena_alloc(play_arena(p), COMPLAINT_MAX);
    size_t length = 0;
    ssize_t got;

    while (length < COMPLAINT_MAX - 1
        && (got = read(in, text + length, COMPLAINT_MAX - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
    return length ? text : NULL;
}

const char *branch(Play *p, Ending *ending, void *self)
{
    int ends[2], status = 0;

    if (pipe(ends))
        fail_msg("no pipe");
    pid_t child = fork();
    if (child < 0)
        fail_msg("no child");
    if (child == 0)
        go_on(p, ending, self, ends[1]);
    close(ends[1]);
    const char *wrong = read_all(p, ends[0]);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (!wrong && status)
        return str_format(play_arena(p), "the branch died with status %d", status);
    return wrong;
}
