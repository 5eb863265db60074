/* ViewText: a view as text for people: a function of the view and of the terminal, and of nothing
 * else. No line is wider than the terminal. */
#ifndef CLI_VIEW_TEXT_H
#define CLI_VIEW_TEXT_H

#include "base/json.h"
#include "cli/page.h"

/* Any view of view.h. A status has at most style->rows - 1 lines, so that the prompt finds a place;
 * the others are as long as they are. */
const char *view_text(Arena *a, const Json *view, const PageStyle *style);

/* A row of an overview as a line without its end: what a person would notice, and no times. */
const char *view_line(Arena *a, const Json *row);

#endif
