/* Request: one call of the Kubernetes API as a value. It says what is meant (verb, kind, key,
 * options); the client turns it into HTTP, the simulated world carries it out directly. */
#ifndef KUBE_REQUEST_H
#define KUBE_REQUEST_H

#include "base/bytes.h"
#include "base/json.h"
#include "kube/key.h"
#include "kube/kind.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum Verb {
    VERB_GET,
    VERB_LIST,
    VERB_WATCH,
    VERB_CREATE,
    VERB_UPDATE,
    VERB_APPLY,           /* server-side apply */
    VERB_MERGE_PATCH,     /* RFC 7386 */
    VERB_JSON_PATCH,      /* RFC 6902 */
    VERB_STRATEGIC_PATCH, /* Kubernetes' own; of built-in kinds alone */
    VERB_DELETE,
    VERB_RAW_GET, /* a path outside of the resources: /version, /readyz */
} Verb;

typedef enum Propagation {
    PROPAGATION_DEFAULT, /* what the server holds right for the kind */
    PROPAGATION_BACKGROUND,
    PROPAGATION_FOREGROUND,
    PROPAGATION_ORPHAN,
} Propagation;

/* What becomes of fields that the server does not know, or that stand twice. */
typedef enum FieldValidation {
    FIELD_VALIDATION_UNSAID, /* they are dropped; a real server warns, if anybody listens */
    FIELD_VALIDATION_IGNORE,
    FIELD_VALIDATION_WARN,
    FIELD_VALIDATION_STRICT, /* the write is refused */
} FieldValidation;

typedef struct Request {
    Verb verb;
    const Kind *kind;        /* NULL only for VERB_RAW_GET */
    Key key;                 /* name NULL: the collection; namespace NULL: all namespaces */
    const char *subresource; /* "status", "scale", "token"; or NULL */
    const char *raw_path;    /* of VERB_RAW_GET */
    const Json *body;        /* object or patch, or NULL */

    /* of writes */
    const char *manager; /* fieldManager; required for VERB_APPLY */
    bool force;          /* of VERB_APPLY: take fields over from other managers */
    bool dry_run;
    FieldValidation field_validation;

    /* of VERB_DELETE: what was seen. NULL leaves a precondition out. */
    const char *uid;
    const char *resource_version; /* also the place from which VERB_WATCH goes on */
    Propagation propagation;
    bool has_grace;
    int64_t grace_seconds;

    /* of VERB_LIST and VERB_WATCH */
    const char *labels; /* selector texts; NULL for none */
    const char *fields;
    int64_t limit;            /* page size; 0 for no pages */
    const char *continue_key; /* of the page before, or NULL */
    int64_t timeout_seconds;  /* how long the server may keep a watch open; 0 for its default */
    bool bookmarks;

    int64_t deadline_ms; /* for the whole request; 0 for the client's default */
} Request;

/* True when the request may change something; a dry run does not. */
bool request_is_write(const Request *request);

/* True when carrying it out twice has the effect of once: everything that is no write, and apply.
 */
bool request_is_safe_to_repeat(const Request *request);

/* "GET", "PATCH", ... */
const char *request_method(const Request *request);

/* The word that audit logs and metrics use: "get", "list", "watch", "create", "update", "patch",
 * "delete". */
const char *request_verb_text(const Request *request);

/* Path and query with everything escaped that must be. ERR_TERMINAL when a needed part is absent (a
 * name where one object is meant: there is no delete of a collection; a namespace, a body, the
 * manager of an apply), when a part is given that cannot be meant (a name to list, a namespace of a
 * kind that has none, a resourceVersion to list at), or when a name, namespace or subresource could
 * not be a path segment ("", ".", "..", a slash or NUL, over 253 bytes). VERB_CREATE goes to the
 * collection, whatever the name, unless it has a subresource. */
Err *request_url(Arena *a, const Request *request, const char **ret) MUST_CHECK;

/* The Content-Type of the body, or NULL without one. */
const char *request_content_type(const Request *request);

/* The bytes to send: the body, or the DeleteOptions of VERB_DELETE. Empty for none. */
Bytes request_body(Arena *a, const Request *request);

/* Escapes every byte of a query value or path segment that is not unreserved (RFC 3986). */
const char *request_escape(Arena *a, const char *text);

/* "patch statefulsets apps default/node-0 (status)": what errors and logs call it. */
const char *request_text(Arena *a, const Request *request);

#endif
