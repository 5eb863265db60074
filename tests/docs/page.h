/* Page: a page of docs/ that is made from the source, as it is being said. */
#ifndef TESTS_DOCS_PAGE_H
#define TESTS_DOCS_PAGE_H

#include "base/bytes.h"
#include "tests/sei/golden.h"

typedef struct Page {
    Arena *arena;
    Buf text;
} Page;

/* Begins with the name of the test that makes it, a title and an introduction. */
Page page_open(Arena *a, const char *test, const char *title, const char *intro);

__attribute__((format(printf, 2, 3))) void say(Page *p, const char *format, ...);

/* The page is what docs/ has under this name; SEI_GOLDEN=write rewrites it. */
void then_page(Page *p, const char *name);

#endif
