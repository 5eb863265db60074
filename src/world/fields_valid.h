/* Whether something can be applied at all: it must fit the shape of its kind. */
#ifndef SRC_WORLD_FIELDS_VALID_H
#define SRC_WORLD_FIELDS_VALID_H

#include "base/err.h"
#include "world/schema_shape.h"

/* OK, or the error with which the server answers: 400 when it says who owns what, 500 when it does
 * not fit. Scalars of built-in kinds are not looked at. */
Err *fields_check_applied(Arena *a, const Schema *schema, const Json *applied) MUST_CHECK;

/* 422 when an apply has made a custom object invalid. Unlike in any other write, null is not taken
 * for absent: so is an object of which the apply took all that was in it. `status` says which half
 * of the object was written. */
typedef struct FieldsResult {
    const Json *object, *live;
    bool status;
} FieldsResult;
Err *fields_check_result(Arena *a, const Schema *schema, const FieldsResult *result) MUST_CHECK;

#endif
