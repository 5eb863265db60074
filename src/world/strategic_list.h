/* The lists of a strategic merge patch: what of two lists stays, and in which order. */
#ifndef SRC_WORLD_STRATEGIC_LIST_H
#define SRC_WORLD_STRATEGIC_LIST_H

#include "base/draft.h"
#include "base/err.h"
#include "base/json.h"
#include "world/schema_shape.h"

#include <stdbool.h>

/* Two objects that are to become one; without an original, a value of the patch that is taken. */
typedef struct StrategicPair {
    Draft *out;
    const Json *original, *patch;
    const Shape *shape;
} StrategicPair;

typedef struct Strategic {
    Arena *arena;
    StrategicPair *waiting;
    size_t count, capacity;
} Strategic;

typedef struct StrategicList {
    const char *key; /* the field */
    const Shape *shape;
    const Json *original;
    const Json *patch; /* or NULL */
    const Json *order; /* $setElementOrder, or NULL */
    const Json *gone;  /* $deleteFromPrimitiveList, or NULL */
} StrategicList;

/* Fills an array. */
Err *strategic_list(Strategic *s, const StrategicList *l, Draft *out) MUST_CHECK;

/* --- what lists need of objects --- */

void strategic_pair(Strategic *s, StrategicPair pair);

/* A value of the patch, to be filled later. */
Draft *strategic_taken(Strategic *s, const Json *patch);

/* Whether an element is a directive itself. */
bool strategic_is_special(const Json *element);

Err *strategic_refusal(Strategic *s, int status, const char *message) MUST_CHECK;

#endif
