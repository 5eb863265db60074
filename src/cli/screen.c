/* Screen: termios, and the escape sequences that every terminal of today knows. A page is written
 * over the last one line by line, and never after an erased screen, so that nothing flickers.
 *
 * Whatever ends the program in order, or by a signal that can be caught, gives the terminal back:
 * signals only set a flag, which is read as a key. */
#include "cli/screen.h"

#include "base/str.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

const char screen_begin[] = "\033[?1049h\033[?25l\033[H\033[2J";
const char screen_end[] = "\033[?25h\033[?1049l";

const char *screen_frame(Arena *a, const char *page)
{
    const char *frame = "\033[H";

    while (*page) {
        size_t len = strcspn(page, "\n");
        bool is_last = !page[len] || !page[len + 1];
        frame =
            str_format(a, "%s%s\033[K%s", frame, str_slice(a, page, len), is_last ? "" : "\r\n");
        page += len + (page[len] == '\n');
    }
    return str_format(a, "%s\033[J", frame);
}

/* --- the machine's */

static volatile sig_atomic_t was_interrupted;

static void note_signal(int number)
{
    (void)number;
    was_interrupted = 1;
}

typedef struct SystemScreen {
    Screen port;
    struct termios before;
    bool is_raw, is_entered;
} SystemScreen;

static void catch_signals(void (*handler)(int))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action = {.sa_handler = handler};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

static void enter(Screen *self)
{
    SystemScreen *s = (SystemScreen *)self;

    catch_signals(note_signal);
    s->is_entered = true;
    if (tcgetattr(STDIN_FILENO, &s->before) != 0)
        return;
    struct termios raw = s->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* there would be no way back to the screen */
    s->is_raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

static void leave(Screen *self)
{
    SystemScreen *s = (SystemScreen *)self;

    if (s->is_raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &s->before);
    if (s->is_entered)
        catch_signals(SIG_DFL);
    s->is_raw = s->is_entered = false;
}

static int key(Screen *self)
{
    const SystemScreen *s = (const SystemScreen *)self;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char byte;

    if (was_interrupted)
        return KEY_INTERRUPT;
    if (!s->is_raw || poll(&input, 1, 0) <= 0 || read(STDIN_FILENO, &byte, 1) != 1)
        return 0;
    return byte;
}

static void measure(Screen *self, int *columns, int *lines)
{
    struct winsize size = {0};

    (void)self;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return;
    if (size.ws_col > 0)
        *columns = size.ws_col;
    if (size.ws_row > 0)
        *lines = size.ws_row;
}

Screen *screen_system(void)
{
    static SystemScreen screen = {.port = {enter, leave, key, measure}};

    return &screen.port;
}
