/* Programs and folders of tests end when they should, also when their test does not end well. */
#include "tests/e2e/folder.h"
#include "tests/e2e/process.h"
#include "tests/test.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

static const struct {
    const char *name, *script, *input, *output;
    Want want;
} runs[] = {
    {"output is given", "echo hello", NULL, "hello\n"},
    {"input is read", "cat", "text", "text"},
    {"no input is an end at once", "cat", NULL, ""},
    {"a failure says why", "echo 'no way' >&2; exit 3", .want = FAILED("exit 3: no way")},
    {"a crash is told apart", "kill -SEGV $$", .want = FAILED("signal 11")},
    {"one that hangs is ended", "sleep 60", .want = TERMINAL("did not end within 300 ms")},
};

TEST(a_program_runs_to_its_end)
{
    each_case(i, runs) {
        SCOPED_ARENA a = arena_open(1 << 20);
        ProcessOptions options = {
            .program = "/bin/sh",
            .args = PROCESS_ARGS("-c", runs[i].script),
            .input = runs[i].input,
            .timeout_ms = runs[i].want && strstr(runs[i].want, "end within") ? 300 : 0,
        };
        const char *output = NULL;

        then_err(process_run(a, &options, &output), runs[i].want);
        then_str(output, runs[i].output);
    }
}

TEST(a_program_that_does_not_exist_is_named)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *output;

    then_err(process_run(a, &(ProcessOptions){.program = "/nonexistent"}, &output),
        FAILED("cannot execute /nonexistent"));
}

TEST(a_started_program_inherits_no_file_descriptors)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    int fd = dup(STDOUT_FILENO);
    ProcessOptions options = {
        .program = "/bin/sh",
        .args = PROCESS_ARGS("-c", str_format(a, "test ! -e /proc/self/fd/%d", fd)),
    };
    const char *output;

    then_ok(process_run(a, &options, &output));
    close(fd);
}

TEST(a_started_program_runs_until_it_is_ended)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    ProcessOptions options = {.program = "/bin/sleep", .args = PROCESS_ARGS("60")};
    int status;
    pid_t pid;

    then_ok(process_start(a, &options, &pid));
    then_true(!process_has_ended(pid, &status));
    then_err(process_wait(a, pid, 10, &status), WAIT("did not end"));
    then_int(getpgid(pid), pid);
    process_kill(pid);
    then_int(kill(pid, 0), -1);
    then_int(errno, ESRCH);
}

/* What a test leaves behind that is killed: tells `out` its program and folder, then waits. */
static _Noreturn void be_killed(int out, const char *parent)
{
    Arena *a = arena_open(1 << 20);
    ProcessOptions options = {.program = "/bin/sleep", .args = PROCESS_ARGS("60")};
    Folder *folder;
    pid_t pid;

    if (!folder_open(a, parent, &folder) && !process_start(a, &options, &pid))
        dprintf(out, "%d %s\n", (int)pid, folder_path(folder));
    pause();
    _exit(1);
}

TEST(a_killed_test_leaves_no_program_and_no_folder_behind)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char said[256] = "";
    char path[200];
    Folder *parent, *next;
    int ends[2], orphan, status;
    pid_t owner;

    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans become ours, to see their end */
    then_ok(folder_open(a, "/tmp", &parent));
    then_int(pipe(ends), 0);
    owner = fork();
    if (owner == 0)
        be_killed(ends[1], folder_path(parent));
    then_true(read(ends[0], said, sizeof(said) - 1) > 0);
    then_int(sscanf(said, "%d %199s", &orphan, path), 2);
    then_true(exists(path));
    then_int(kill(orphan, 0), 0);

    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);

    then_ok(process_wait(a, orphan, 5000, &status));
    /* Killed, or gone by itself if its parent died before it could ask for that. */
    then_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) != 0);
    then_ok(folder_open(a, folder_path(parent), &next));
    then_true(!exists(path));
    then_true(exists(folder_path(next)));
    folder_close(next, false);
    then_true(!exists(folder_path(next)));
    folder_close(parent, false);
    close(ends[0]);
    close(ends[1]);
}

TEST(a_folder_that_is_to_be_kept_is_not_deleted)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Folder *parent, *kept, *next;

    then_ok(folder_open(a, "/tmp", &parent));
    then_ok(folder_open(a, folder_path(parent), &kept));
    folder_close(kept, true);
    then_ok(folder_open(a, folder_path(parent), &next));
    then_true(exists(folder_path(kept)));
    folder_close(next, false);
    folder_close(parent, false);
}
