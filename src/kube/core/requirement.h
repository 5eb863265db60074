/* Requirements: what a selector is made of. */
#ifndef SRC_KUBE_CORE_REQUIREMENT_H
#define SRC_KUBE_CORE_REQUIREMENT_H

#include "base/err.h"
#include "kube/selector.h"

#include <stdbool.h>
#include <stddef.h>

enum { REQUIREMENTS_MAX = 256, REQUIREMENT_VALUES_MAX = 1024 };

typedef enum Operator { IN, NOT_IN, EXISTS, NOT_EXISTS } Operator;

typedef struct Requirement {
    const char *key; /* of a field: its path for json_find */
    Operator operator;
    const char **values; /* sorted once added; none for EXISTS and NOT_EXISTS */
    size_t count;
} Requirement;

struct Selector {
    bool of_fields;
    Requirement *items; /* in the order of their keys, those of one key as they came */
    size_t count;
};

/* A selector of nothing yet, with room for `max` requirements, or REQUIREMENTS_MAX if that is less.
 */
Selector *requirements_new(Arena *a, size_t max);

/* Adds a requirement. ERR_TERMINAL past REQUIREMENTS_MAX. */
Err *requirement_add(Arena *a, Selector *selector, Requirement requirement) MUST_CHECK;

/* Whether a value, or its absence (NULL), is as required. */
bool requirement_meets(const Requirement *requirement, const char *value);

#endif
