/* Storage: where a call's decision becomes a version: the shelf, the history and whoever listens
 * change together, or not at all. */
#ifndef WORLD_STORAGE_H
#define WORLD_STORAGE_H

#include "world/call.h"
#include "world/object.h"

/* Stores an object under a stamp, whose version it decides; `before` is what it replaces or NULL.
 * Gives the object as it is stored now. A refusal when there is no room. */
Err *storage_write(
    Call *c, const Json *before, const Json *after, Stamp stamp, const Json **ret) MUST_CHECK;

/* Takes the object of the call away. Gives its last state under the version of the deletion. */
const Json *storage_delete(Call *c, const Json *before);

/* What packs the objects of a kind; NULL when the server packs nothing. */
Packer *storage_packer(Server *s, Resource *r);

#endif
