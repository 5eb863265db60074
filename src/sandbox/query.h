/* Query: what stands behind the question mark of a URL, decoded; and the decoding of paths. */
#ifndef SANDBOX_QUERY_H
#define SANDBOX_QUERY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { QUERY_PAIRS_MAX = 64 }; /* those behind are not looked at */

typedef struct QueryPair {
    const char *name, *value;
} QueryPair;

typedef struct Query {
    QueryPair pairs[QUERY_PAIRS_MAX];
    size_t count;
} Query;

/* Undoes percent escapes of the first `len` bytes, and with `plus` what forms do with spaces. NULL
 * when an escape is none, or is that of a NUL. */
const char *query_decode(Arena *a, const char *text, size_t len, bool plus);

/* Reads "a=b&c"; a pair whose escapes are wrong is left out, as Go does. */
void query_read(Arena *a, const char *text, Query *ret);

/* The first value of a name, or NULL. */
const char *query_find(const Query *q, const char *name);

/* As Kubernetes reads it: absent, "0" and "false" are false, everything else is true. */
bool query_flag(const Query *q, const char *name);

#endif
