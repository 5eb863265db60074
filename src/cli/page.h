/* Page: text for a terminal, line by line, never wider than it. A line is put together from pieces;
 * what does not fit is cut with a mark, never wrapped by the terminal.
 *
 *     page_put(p, COLOR_BOLD, "Volume");
 *     page_tab(p, PAGE_LABEL);
 *     page_put(p, COLOR_PLAIN, name);
 *     page_end(p); */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/color.h"
#include "cli/glyph.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    PAGE_COLUMNS = 80,
    PAGE_ROWS = 24,  /* what `status` must fit into, with one line left for the prompt */
    PAGE_LABEL = 10, /* the column at which what a label is of begins */
    PAGE_LINES_MAX = 512,
    PAGE_ENDLESS = 1 << 16, /* columns of what is no terminal: nothing is cut there, or broken */
};

/* How the reader's terminal is. */
typedef struct PageStyle {
    bool is_utf8;
    bool color;
    size_t columns, rows;
} PageStyle;

typedef struct Page {
    Arena *arena;
    PageStyle style;
    const char *lines[PAGE_LINES_MAX];
    size_t count;
    const char *line; /* the one in hand */
    size_t column;    /* where it ends */
    size_t blanks;    /* to be put before the next piece */
} Page;

/* An empty page. */
Page *page_new(Arena *a, const PageStyle *style);

/* Adds a piece to the line in hand; NULL adds nothing. */
void page_put(Page *p, Color color, const char *text);
void page_putf(Page *p, Color color, const char *format, ...) __attribute__((format(printf, 3, 4)));
void page_put_mark(Page *p, Mark mark);

/* The same with at most so many columns; of the second the end is kept. */
void page_put_cut(Page *p, Color color, const char *text, size_t columns);
void page_put_tail(Page *p, const char *text, size_t columns);

/* The next piece stands at this column, or one blank behind the last. */
void page_tab(Page *p, size_t column);

/* The next piece stands so many blanks behind the last; where there is none, there are no blanks at
 * the end of a line. */
void page_gap(Page *p, size_t blanks);

/* The lines of another page, at the end of this. */
void page_append(Page *p, const Page *other);

/* Columns that are left of the line. */
size_t page_room(const Page *p);

/* Ends the line; those past PAGE_LINES_MAX are lost. */
void page_end(Page *p);

/* Begins a line with a label. */
void page_label(Page *p, const char *label);

/* The text behind a label (""; none), broken at words into at most so many lines, the last of
 * which is cut. */
void page_wrap(Page *p, const char *label, Color color, const char *text, size_t rows_max);

/* How many lines that would take, without a limit. */
size_t page_wrapped_rows(const Page *p, const char *text);

/* All lines, each with its end; cut at so many (0: all) with a word on how many are missing. */
const char *page_text(const Page *p, size_t rows_max);

/* The colour that goes with a mark. */
Color page_mark_color(Mark mark);

#endif
