/* Shape: an answer about a kind in the form that its client negotiated: as it is, as a table, or
 * cut down to its metadata. */
#ifndef SANDBOX_SHAPE_H
#define SANDBOX_SHAPE_H

#include "base/json.h"
#include "sandbox/negotiation.h"
#include "world/server.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Shape {
    Negotiated negotiated;
    const char *include; /* includeObject of the query, or NULL */
    Kind kind;           /* by which it is found again: a definition may change meanwhile */
    bool no_headers;
} Shape;

/* The body, or a Status, in its form; `now_ns` is when. An error has the status of the refusal. */
Err *shape_body(
    Arena *a, const Shape *shape, const Server *s, int64_t now_ns, const Json **body) MUST_CHECK;

/* The shape that a client wants of a kind: the texts of which live as long as the arena. */
Shape shape_of(Arena *a, const char *accept, const char *include, const Kind *kind);

#endif
