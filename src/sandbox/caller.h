/* Caller: who a request is from, as the API server authenticates: a client by its certificate, the
 * administrator by the token of the kubeconfig, a ServiceAccount by a token that this server gave
 * it; everybody else is anonymous. */
#ifndef SANDBOX_CALLER_H
#define SANDBOX_CALLER_H

#include "kube/serve/hall.h"
#include "world/world.h"

#include <stdbool.h>

/* By the certificate that came with the request, or the token. False when what came is nobody's:
 * 401. */
bool caller_read(
    Arena *a, World *w, const char *admin_token, const HallRequest *in, Caller *ret) MUST_CHECK;

/* Makes the caller whom the request says it is for (Impersonate-User, -Group), if anybody. False
 * with a 403 when the caller may not be them. */
bool caller_become(
    Arena *a, World *w, const HallRequest *in, Caller *caller, const Json **ret_refusal) MUST_CHECK;

#endif
