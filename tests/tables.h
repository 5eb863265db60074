/* Tables: cases in files of JSON5 below tests/, so that more than one judge can be asked about
 * them. `<<x*300>>` in a table is 300 times the text before the star. */
#ifndef TESTS_TABLES_H
#define TESTS_TABLES_H

#include "base/json.h"

/* The text of a file of the sources, by its path from their root. */
const char *table_source(Arena *a, const char *path);

/* A table, read. */
const Json *table_load(Arena *a, const char *path);

#endif
