/* Credentials: tokens for sidecars. The operator's own token never leaves for a pod: a
 * ServiceAccount that may only create and get seinodetasks is asked for a token of the pod's
 * audience. Tokens are kept in memory only, renewed at 80 % of their life, and dropped when a
 * sidecar refuses one. */
#ifndef SEI_SIDECAR_CREDENTIALS_H
#define SEI_SIDECAR_CREDENTIALS_H

#include "base/err.h"
#include "kube/ctx.h"
#include "kube/guard.h"
#include "kube/key.h"

typedef struct Credentials Credentials;

enum {
    CREDENTIALS_MAX = 1024,       /* audiences */
    CREDENTIALS_YOUNG_MS = 30000, /* at least between two tokens of one audience */
};

/* An empty store. Touched under the guard. */
Credentials *credentials_open(Guard *guard, Key service_account);
void credentials_close(Credentials *k);

/* A token for an audience (NULL: the API server's own), asked for when none is left that is good
 * for a while. Copied into the arena. */
Err *credentials_get(
    Ctx *c, Credentials *k, const char *audience, const char **ret_bearer) MUST_CHECK;

/* A sidecar refused this token: the next one is asked for anew. A token younger than
 * CREDENTIALS_YOUNG_MS stays: who refuses that one refuses the next, too. */
void credentials_drop(
    Credentials *k, const char *audience, const char *bearer, int64_t now_mono_ms);

#endif
