/* Changing objects by their shape: laying what is applied over what is there, and taking fields
 * out. */
#ifndef SRC_WORLD_FIELDS_MERGE_H
#define SRC_WORLD_FIELDS_MERGE_H

#include "world/fields_set.h"

/* `live` with everything that `applied` says; elements of merged lists come in the order of
 * `applied` with those of `live` in between, as the server orders them. */
const Json *fields_merge(Arena *a, const Shape *shape, const Json *live, const Json *applied);

/* The object without the members of the set. A container that loses all it has becomes null. */
const Json *fields_remove(Arena *a, const Shape *shape, const Json *object, const FieldSet *set);

#endif
