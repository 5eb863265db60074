/* Caller: who a request is from, as the API server authenticates: the administrator by the token of
 * the kubeconfig, a ServiceAccount by a token that this server gave it, everybody else is
 * anonymous. */
#ifndef SANDBOX_CALLER_H
#define SANDBOX_CALLER_H

#include "kube/serve/hall.h"
#include "world/world.h"

#include <stdbool.h>

/* `bearer` is the token that came along, or NULL. False when it is nobody's: 401. */
bool caller_read(
    Arena *a, World *w, const char *admin_token, const char *bearer, Caller *ret) MUST_CHECK;

/* Makes the caller whom the request says it is for (Impersonate-User, -Group), if anybody. False
 * with a 403 when the caller may not be them. */
bool caller_become(
    Arena *a, World *w, const HallRequest *in, Caller *caller, const Json **ret_refusal) MUST_CHECK;

#endif
