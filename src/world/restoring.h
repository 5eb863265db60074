/* Restoring: a server's objects as they were when another process stored them: with their versions
 * and UIDs, unchecked, before anybody looks. Nothing of it is told to watches: whoever goes on from
 * an older version has to list anew. */
#ifndef WORLD_RESTORING_H
#define WORLD_RESTORING_H

#include "kube/kind.h"
#include "world/server.h"

#include <stdbool.h>
#include <stdint.h>

/* Puts an object on its shelf in the place of one of the same name. Definitions come before the
 * objects of their kinds. False when it is of no kind that is served, or says no name or version.
 * Of a kind's row group, version and plural count. */
bool server_restore(Server *s, Arena *a, const Kind *kind, const Json *object) MUST_CHECK;

/* After the last one: the version of the last write, which may have been a deletion. */
void server_restored(Server *s, uint64_t version);

#endif
