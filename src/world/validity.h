/* Validity: what the API server checks of every object's metadata, and of the few fields of
 * built-in kinds that may not change. */
#ifndef WORLD_VALIDITY_H
#define WORLD_VALIDITY_H

#include "world/call.h"
#include "world/refusal.h"

/* Adds what cannot be in the metadata of an object; `before` is what it replaces, or NULL. */
void validity_check_metadata(const Resource *r, const Json *object, const Json *before, Faults *f);

/* Adds the fields that differ from `before` and may not. */
void validity_check_immutable(const Resource *r, const Json *object, const Json *before, Faults *f);

#endif
