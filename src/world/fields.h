/* Fields: who owns which field: server-side apply and metadata.managedFields. Pure. */
#ifndef WORLD_FIELDS_H
#define WORLD_FIELDS_H

#include "base/err.h"
#include "base/json.h"
#include "world/schema.h"

#include <stdbool.h>

typedef struct FieldWriter {
    const char *manager;
    const char *subresource; /* "status", "scale", or NULL */
    const char *api_version; /* of the request */
    const char *now;         /* RFC 3339, for the entry's time */
} FieldWriter;

/* `after` as a create, update or patch wrote it, with managedFields that say so: what changed
 * against `before` (NULL: created) belongs to the writer's Update entry, what vanished belongs to
 * nobody. */
const Json *fields_updated(Arena *a, const Schema *schema, const Json *before, const Json *after,
    const FieldWriter *writer);

/* Server-side apply of `applied` onto `live` (NULL: it is created). What the manager applied before
 * and does not apply now is removed unless somebody else owns it. A field of another value that
 * another manager owns is a conflict: an error of status 409 with the server's message, unless
 * `force`. What does not fit the schema is refused: 500, and 400 when it says who owns what, as the
 * server does. */
typedef struct FieldApply {
    const Json *live;
    const Json *applied;
    bool force;
} FieldApply;
Err *fields_apply(Arena *a, const Schema *schema, const FieldApply *apply,
    const FieldWriter *writer, const Json **ret) MUST_CHECK;

#endif
