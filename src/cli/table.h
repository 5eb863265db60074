/* Table: rows for people, with columns as wide as they need to be. Rows that come later keep the
 * columns of those before as far as they can. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_COLUMNS_MAX = 24 };

typedef struct TableColumn {
    const char *header; /* NULL ends the list */
    int sacrifice;      /* left out when the table is too wide: the highest first; 0: never */
} TableColumn;

typedef struct Table {
    Arena *arena;
    const TableColumn *columns;
    size_t column_count;
    size_t widths[TABLE_COLUMNS_MAX];
    bool hidden[TABLE_COLUMNS_MAX];
    const char *const **rows;
    size_t row_count, row_max;
} Table;

/* An empty table of at most `row_max` rows. */
Table *table_new(Arena *a, const TableColumn *columns, size_t row_max);

/* Adds a row of as many cells as there are columns; NULL is shown as "-". Texts are borrowed. Past
 * its most rows a BUG. */
void table_add(Table *t, const char *const *cells);

/* The rows that were added since the last time, with the line of headers or without it, and without
 * spaces at the ends of lines. `columns` is how many a screen has; 0: any number. */
const char *table_text(Table *t, bool has_headers, size_t columns);

#endif
