/* SpecCheck: what a spec may not say, whichever kind it is of. The server's schema refuses the
 * same; a definition may be older than the operator. */
#ifndef SEI_API_SPEC_CHECK_H
#define SEI_API_SPEC_CHECK_H

#include "base/json.h"

/* The number at a path is in its range. ERR_TERMINAL names the path. */
Err *spec_check_range(
    Arena *a, const char *path, int64_t value, int64_t min, int64_t max) MUST_CHECK;

/* Every member of the object at a path is a text. ERR_TERMINAL names the path and the member. */
Err *spec_check_texts(Arena *a, const char *path, const Json *map) MUST_CHECK;

#endif
