/* Status: what an answer of the API server means. The one table from HTTP status and metav1.Status
 * reason to error class. */
#ifndef KUBE_STATUS_H
#define KUBE_STATUS_H

#include "base/err.h"
#include "base/json.h"
#include "kube/request.h"

typedef struct Answer {
    int status;             /* HTTP status */
    int64_t retry_after_ms; /* from Retry-After, or 0 */
    const Json *body;       /* NULL when it was empty or no JSON */
} Answer;

/* OK for 2xx. Otherwise an Err with the class, status, reason and the server's own message, framed
 * with what was asked. A 5xx, or 429, answer to a write sets outcome_unknown where the server may
 * have carried it out (500, 502, 504; not 429, 503 with a Status that says it was refused). */
Err *status_err(Arena *a, const Request *request, const Answer *answer) MUST_CHECK;

/* The same for a Status object inside a stream (a watch ERROR event). Never OK. */
Err *status_object_err(Arena *a, const Json *status) MUST_CHECK;

/* Questions about an error; false for OK. */
bool status_is_not_found(const Err *err);      /* 404: the object, not the path */
bool status_is_already_exists(const Err *err); /* 409 AlreadyExists */
bool status_is_conflict(
    const Err *err); /* 409 Conflict: version or uid was not the one seen, or fields are others' */
bool status_is_gone(const Err *err);         /* 410: Gone or Expired */
bool status_is_invalid(const Err *err);      /* 422 */
bool status_is_forbidden(const Err *err);    /* 403 */
bool status_is_unauthorized(const Err *err); /* 401 */

#endif
