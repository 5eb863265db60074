/* Schema: what an API server knows about the shape of a kind: defaults, unknown fields, checks, and
 * how lists and maps are merged.
 *
 * Built-in kinds have tables here, as far as this house uses them; custom ones bring their
 * openAPIV3Schema. Where the tables differ from the real server, docs/FIDELITY.md says so. */
#ifndef WORLD_SCHEMA_H
#define WORLD_SCHEMA_H

#include "base/err.h"
#include "base/json.h"
#include "kube/kind.h"

#include <stdbool.h>

typedef struct Schema Schema;

/* The schema of a built-in kind; never NULL: a kind without a table merges by structure and has no
 * defaults. */
const Schema *schema_of_kind(const Kind *kind);

/* The schema of the served version of a CustomResourceDefinition, in the arena. ERR_TERMINAL names
 * the path of what it does not understand; of rules in CEL it has the status 422 and causes, as
 * that of schema_check has. */
Err *schema_of_crd(Arena *a, const Json *crd, const Schema **ret) MUST_CHECK;

/* Whether the server can read an object at all: of built-in kinds the types of values, times,
 * quantities and base64; of all kinds the size. null fits everywhere. OK, or an error whose message
 * is what Go's decoder says; its status is 413 when the body is too large, else 0. */
Err *schema_decode(Arena *a, const Schema *schema, const Json *object) MUST_CHECK;

/* What of an object the server does not know, or sees twice: texts such as `unknown field
 * "spec.x"`, ended by NULL; or NULL when there is nothing. They come as they stand, or else what
 * stands twice first, and then the rest by name. */
const char *const *schema_strays(Arena *a, const Schema *schema, const Json *object, bool by_name);

/* What the server makes of an object when it reads it: unknown fields and zeros that say nothing
 * dropped, defaults filled in, quantities spelled one way. `before` is the object that is replaced,
 * or NULL; it must be complete. Does not check. What the server decides later (addresses of
 * Services, selectors of Jobs, the status of new objects) is not here, so that nobody owns it:
 * complete, then fields_updated, then that. An apply is completed after fields_apply. */
const Json *schema_complete(Arena *a, const Schema *schema, const Json *object, const Json *before);

/* Checks a completed object of a custom kind; built-in ones pass. What stood in `before` in just
 * the same way passes, too. OK, or an error of status 422 whose message is the server's; each of
 * its causes is one fault, with the reason of a cause in a Status and "<field>: <message>". Rules
 * in CEL are asked when nothing is missing, of a wrong type or too much. */
Err *schema_check(
    Arena *a, const Schema *schema, const Json *object, const Json *before) MUST_CHECK;

#endif
