/* Pages: what the program says about itself: its help, and what it would run with. */
#ifndef OPERATOR_PAGES_H
#define OPERATOR_PAGES_H

#include "base/bytes.h"
#include "operator/launch.h"

enum { PAGE_MAX = 1 << 16 };

/* All flags and all environment variables, out of their tables. */
void page_help(Buf *ret);

/* The effective values, one per line; no secrets are among them. */
void page_config(Arena *a, const Launch *launch, Buf *ret);

#endif
