/* Screen: a port. A terminal as a live screen: the alternate one, so that what stood there before
 * comes back; keys as they are typed; its size as it is now. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include "cli/output.h"

typedef struct Screen Screen;

struct Screen {
    void (*enter)(Screen *self);
    void (*leave)(Screen *self); /* also after a signal; twice does no harm */
    /* The next key that was typed; 0: none. Never waits. */
    int (*key)(Screen *self);
    void (*measure)(Screen *self, int *columns, int *lines);
};

enum { KEY_INTERRUPT = 3 }; /* Ctrl-C, or a signal that asks to end */

/* The terminal of this process. */
Screen *screen_system(void);

/* What a terminal must be sent to begin, to show a page in the place of the last, and to end. */
extern const char screen_begin[], screen_end[];
const char *screen_frame(Arena *a, const char *page);

#endif
