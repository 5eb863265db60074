/* SpecSize: how large the spec of a SeiNode may be. What its node refuses its fleet refuses first.
 */
#ifndef SEI_PLAN_SPEC_SIZE_H
#define SEI_PLAN_SPEC_SIZE_H

#include "sei/api/node.h"

enum { SPEC_BYTES_MAX = 240 << 10, SPEC_BYTES_MAX_WITH_JOB = 176 << 10 };

/* The bytes of an object's spec as JSON. */
size_t spec_bytes(Arena *a, const Json *object);

/* ERR_TERMINAL when the spec of a SeiNode, which `decoded` was read from, is too large. The message
 * begins with `what`, and names the size and the limit. */
Err *spec_size_check(
    Arena *a, const Json *node, const NodeSpec *decoded, const char *what) MUST_CHECK;

#endif
