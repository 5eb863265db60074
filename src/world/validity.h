/* Validity: what the API server checks of every object's metadata, and of the few fields of
 * built-in kinds that may not change. */
#ifndef WORLD_VALIDITY_H
#define WORLD_VALIDITY_H

#include "world/call.h"

/* 422 when the metadata of an object cannot be; `before` is what it replaces, or NULL. */
Err *validity_check_metadata(Call *c, const Json *object, const Json *before) MUST_CHECK;

/* 422 when a field differs from `before` that may not. */
Err *validity_check_immutable(Call *c, const Json *object, const Json *before) MUST_CHECK;

#endif
