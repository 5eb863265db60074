/* Api: a port. The live API server: every call goes there and comes back, or fails. Implemented by
 * the client (curl), and by the simulated world. One Api is used by one caller at a time. */
#ifndef KUBE_API_H
#define KUBE_API_H

#include "base/err.h"
#include "base/json.h"
#include "kube/request.h"

typedef struct Api Api;

struct Api {
    /* Carries out one request and gives the answer's object in the arena: NULL for an empty answer,
     * and a JSON string for the plain text of a raw path ("ok"). Errors are those of status_err;
     * ERR_RETRY with status 0 when no answer came or none that can be used; ERR_TERMINAL when it
     * was larger than allowed. outcome_unknown is set when a write may have reached the server.
     * Never called with VERB_WATCH. */
    Err *(*call)(Api *self, Arena *a, const Request *request, const Json **ret);
};

/* Calls the port. `ret` may be NULL when the answer does not matter. */
Err *api_call(Api *api, Arena *a, const Request *request, const Json **ret) MUST_CHECK;

#endif
