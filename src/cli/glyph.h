/* Glyph: text as a terminal shows it: how many columns it needs, and what must not get there. Text
 * from a cluster is anybody's: it may hold escape sequences, line ends and letters that turn the
 * direction of writing, and none of them reaches a screen. */
#ifndef CLI_GLYPH_H
#define CLI_GLYPH_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* What stands for something else than a letter. */
typedef enum Mark {
    MARK_NONE, /* a blank */
    MARK_GOOD,
    MARK_BUSY,
    MARK_BAD,
    MARK_IDLE,
    MARK_ARROW,
    MARK_CUT,
    MARK_WARN,
    MARK_COUNT,
} Mark;

/* "✔", or "+" where a terminal has only ASCII. */
const char *glyph_mark(Mark mark, bool is_utf8);

/* One line that is harmless: line ends and tabs become blanks, all else that does not show goes,
 * what is not UTF-8 becomes "?", and so does all but ASCII where that is all there is. Never NULL.
 */
const char *glyph_clean(Arena *a, bool is_utf8, const char *text);

/* Columns of a clean text. */
size_t glyph_width(const char *text);

/* As many bytes of a clean text as fit into so many columns. */
size_t glyph_fit(const char *text, size_t columns);

/* A clean text that fits, with a mark where something was cut: at its end, or at its beginning (of
 * an image the tag says most). */
const char *glyph_cut(Arena *a, bool is_utf8, const char *text, size_t columns);
const char *glyph_cut_head(Arena *a, bool is_utf8, const char *text, size_t columns);

#endif
