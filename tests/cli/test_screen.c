/* The terminal of this process, on a pseudo-terminal of a child's: it is given back as it was,
 * whatever ends the screen. */
#include "cli/screen.h"
#include "tests/test.h"

#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>

enum { HELD = 0, NOT_RAW, NO_KEY, NOT_INTERRUPTED, NOT_GIVEN_BACK, NOT_MEASURED };

static bool is_same(const struct termios *left, const struct termios *right)
{
    return left->c_lflag == right->c_lflag
        && memcmp(left->c_cc, right->c_cc, sizeof left->c_cc) == 0;
}

static int wait_for_key(Screen *screen)
{
    int key;

    while (!(key = screen->key(screen)))
        ;
    return key;
}

/* What a child does at the terminal; gives what did not hold. */
static int sit_at(int master)
{
    Screen *screen = screen_system();
    struct termios before, during, after;
    int columns = 1, lines = 1;

    tcgetattr(STDIN_FILENO, &before);
    screen->enter(screen);
    tcgetattr(STDIN_FILENO, &during);
    if (during.c_lflag & (ICANON | ECHO))
        return NOT_RAW;
    screen->measure(screen, &columns, &lines);
    if (columns != 100 || lines != 30)
        return NOT_MEASURED;
    if (write(master, "x", 1) != 1 || wait_for_key(screen) != 'x')
        return NO_KEY;
    raise(SIGTERM);
    if (wait_for_key(screen) != KEY_INTERRUPT)
        return NOT_INTERRUPTED;
    screen->leave(screen);
    screen->leave(screen);
    tcgetattr(STDIN_FILENO, &after);
    return is_same(&before, &after) ? HELD : NOT_GIVEN_BACK;
}

TEST(a_terminal_is_opened_and_read_and_measured_and_restored)
{
    struct winsize size = {.ws_row = 30, .ws_col = 100};
    int master, slave, status = 0;

    then_int(openpty(&master, &slave, NULL, NULL, &size), 0);
    pid_t child = fork();
    then_true(child >= 0);
    if (child == 0) {
        setsid();
        dup2(slave, STDIN_FILENO);
        dup2(slave, STDOUT_FILENO);
        _exit(sit_at(master));
    }
    then_int(waitpid(child, &status, 0), child);
    close(master);
    close(slave);
    then_true(WIFEXITED(status));
    then_int(WEXITSTATUS(status), HELD);
}

TEST(without_a_terminal_the_screen_has_no_keys_and_keeps_its_size)
{
    int ends[2], status = 0;

    then_int(pipe(ends), 0);
    pid_t child = fork();
    then_true(child >= 0);
    if (child == 0) {
        Screen *screen = screen_system();
        int columns = 7, lines = 9;
        dup2(ends[0], STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        screen->enter(screen);
        screen->measure(screen, &columns, &lines);
        bool is_fine = !screen->key(screen) && columns == 7 && lines == 9;
        screen->leave(screen);
        _exit(is_fine ? HELD : NOT_MEASURED);
    }
    then_int(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
    then_true(WIFEXITED(status));
    then_int(WEXITSTATUS(status), HELD);
}

TEST(a_frame_erases_the_remains_of_a_longer_frame)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_str(screen_frame(a, "a\nb\n"), "\033[Ha\033[K\r\nb\033[K\033[J");
    then_str(screen_frame(a, ""), "\033[H\033[J");
}
