/* Validity: what the API server checks of objects before it stores them, in its words: metadata,
 * what built-in kinds must be like, and the fields that may not change. */
#ifndef WORLD_VALIDITY_H
#define WORLD_VALIDITY_H

#include "world/call.h"
#include "world/refusal.h"

/* Adds what cannot be in the metadata of an object; `before` is what it replaces, or NULL. */
void validity_check_metadata(const Resource *r, const Json *object, const Json *before, Faults *f);

/* Adds what cannot be in labels and annotations that stand at a field. */
void validity_check_labels(const char *field, const Json *labels, Faults *f);
void validity_check_annotations(const char *field, const Json *annotations, Faults *f);

/* Adds what a completed object of a built-in kind cannot be; others pass. */
void validity_check_object(const Resource *r, const Json *object, Faults *f);

/* Adds the fields that differ from `before` and may not. */
void validity_check_immutable(const Resource *r, const Json *object, const Json *before, Faults *f);

#endif
