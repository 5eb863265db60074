/* Writing: how a wanted object becomes a stored one: creates, updates, and what patches end in. */
#ifndef WORLD_WRITING_H
#define WORLD_WRITING_H

#include "world/call.h"
#include "world/fields.h"
#include "world/refusal.h"

/* Who the managedFields of this call name. */
FieldWriter writing_writer(Call *c);

/* 400 for a body that is no object of the call's kind, or names another namespace. */
Err *writing_check_body(Call *c, const Json *object) MUST_CHECK;

/* A body that names another object than the path, or none: 400. */
Err *writing_check_name(Call *c, const Json *object) MUST_CHECK;

/* Adds what cannot be in the metadata of what is written; `before` is what it replaces, or NULL. */
void writing_check_metadata(Call *c, const Json *object, const Json *before, Faults *f);

/* The object that a write is about to put in the place of another. */
typedef struct Wanted {
    const Json *before; /* NULL: it is created */
    const Json *object;
    bool owned; /* managedFields are right already: it comes from an apply */
} Wanted;

/* Creates it: 201, or a refusal. */
Err *writing_create(Call *c, const Wanted *wanted) MUST_CHECK;

/* Replaces: 200, or a refusal. What changes nothing is not written; what takes the last finalizer
 * off an object on its way out deletes it. */
Err *writing_replace(Call *c, const Wanted *wanted) MUST_CHECK;

#endif
