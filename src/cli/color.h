/* Color: what a colour of ours says, and the one place where it becomes an escape sequence. None
 * says anything alone: a word or a mark beside it says the same. */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include "base/arena.h"

#include <stdbool.h>

typedef enum Color {
    COLOR_PLAIN,
    COLOR_GOOD,
    COLOR_BUSY,
    COLOR_BAD,
    COLOR_DIM,
    COLOR_BOLD,
    COLOR_COUNT,
} Color;

/* The text in a colour, or as it is where colours are not welcome. */
const char *color_paint(Arena *a, bool is_welcome, Color color, const char *text);

#endif
