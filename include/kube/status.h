/* Status: what an answer of the API server means. The one table from HTTP status and metav1.Status
 * reason to error class. */
#ifndef KUBE_STATUS_H
#define KUBE_STATUS_H

#include "base/err.h"
#include "base/json.h"
#include "kube/request.h"

typedef struct Answer {
    int status;                  /* HTTP status */
    int64_t retry_after_ms;      /* from Retry-After, or 0 */
    const Json *body;            /* NULL when it was empty or no JSON */
    const char *const *warnings; /* of a server that gives them, ended by NULL; or NULL */
} Answer;

/* OK for 2xx. Otherwise an Err with the class, status, reason and the server's own message (cut at
 * 1 KiB), framed with what was asked. Whatever can work later as it was asked is ERR_RETRY: lost
 * races (404, 409, 410; as 422 a JSON patch whose test fails, an apply to another UID), missing
 * rights (401, 403), denials by webhooks and policies, 429 and 5xx; the rest is ERR_TERMINAL:
 * redirects, 400, 405, 413, 415, 422. A 5xx answer to a write sets outcome_unknown where the server
 * may have carried it out (also 408; not 503 with a Status that says it was refused).
 * retry_after_ms is at most 10 minutes. */
Err *status_err(Arena *a, const Request *request, const Answer *answer) MUST_CHECK;

/* The same for a Status object inside a stream (a watch ERROR event). Never OK. */
Err *status_object_err(Arena *a, const Json *status) MUST_CHECK;

/* Questions about an error; false for OK. */
bool status_is_not_found(const Err *err);      /* 404 that names the object; never the path */
bool status_is_already_exists(const Err *err); /* 409 AlreadyExists */
bool status_is_conflict(
    const Err *err); /* 409 Conflict: version or uid was not the one seen, or fields are others' */
bool status_is_gone(const Err *err);         /* 410: Gone or Expired */
bool status_is_invalid(const Err *err);      /* 422 */
bool status_is_forbidden(const Err *err);    /* 403 */
bool status_is_unauthorized(const Err *err); /* 401 */

#endif
