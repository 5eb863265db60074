/* StatusPart: a status between JSON and C, member by member. One that cannot be read is kept as it
 * is: it hides no other, and is not lost when the rest is written. */
#ifndef SEI_API_STATUS_PART_H
#define SEI_API_STATUS_PART_H

#include "base/draft.h"
#include "base/json.h"

typedef struct StatusPart {
    const char *member; /* NULL ends a table */
    /* Reads it to `offset` of the status; NULL: it is of a plain type. */
    Err *(*decode)(Arena *a, const Json *value, void *ret);
    JsonFieldType type; /* of those without a function */
    size_t offset;
} StatusPart;

/* Reads .status of an object. What is not in the table, or cannot be read, is in `ret_kept` (NULL
 * for nothing); ERR_TERMINAL is about the first of those, with its path. */
Err *status_parts_decode(Arena *a, const Json *object, const StatusPart *parts, void *ret,
    const Json **ret_kept) MUST_CHECK;

/* The finished status, with what was kept. A member that was kept stands for one that is known only
 * as long as nobody gave that a value. */
const Json *status_parts_seal(Arena *a, Draft *status, const Json *kept);

/* Parts that are the same in each status: of a PlanHistory, and of Conds. */
Err *status_part_history(Arena *a, const Json *value, void *ret) MUST_CHECK;
Err *status_part_conditions(Arena *a, const Json *value, void *ret) MUST_CHECK;

#endif
