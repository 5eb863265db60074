/* Token: what a TokenRequest of the world's server gives out: a JWT, signed with the server's own
 * key, so that reviewing one needs no memory and nobody else can make one. It is good for as long
 * as it says, and its account, and what it is bound to, are there. */
#ifndef WORLD_TOKEN_H
#define WORLD_TOKEN_H

#include "base/arena.h"
#include "base/json.h"
#include "world/server.h"
#include "world/sidecar_door.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

#define TOKEN_OWN_AUDIENCE                                                                         \
    "https://kubernetes.default.svc" /* of those for the API server itself                         \
                                      */

typedef struct TokenGrant {
    const Json *account;   /* the ServiceAccount */
    const Json *audiences; /* an array, or NULL: the API server's own */
    int64_t issued_s, expires_s;
    const char *id;
    const Json *bound; /* the Pod or Secret without which it is worth nothing; or NULL */
} TokenGrant;

/* These audiences, or, without any, the API server's own. */
const Json *token_audiences(Arena *a, const Json *audiences);

/* The text of a token. */
const char *token_make(Arena *a, const Server *s, const TokenGrant *grant);

/* Whose a token is. */
typedef struct TokenHolder {
    Caller caller;
    const Json *audiences; /* of those that were asked for, the token's */
    const char *id;
} TokenHolder;

/* Finds out, for one of these audiences (an array of texts; NULL: the API server's own). NULL when
 * it is somebody's; else what is wrong with it, as the real server says it to those who may ask: it
 * never repeats the token. */
const char *token_find(
    Server *s, Arena *a, const char *token, const Json *audiences, TokenHolder *ret);

/* SidecarReviewers; self is the World. The first lets whoever has a token do everything; the second
 * asks rights.h as well, as a proxy in a cluster does. */
SidecarVerdict token_review(void *world, SidecarReview *review);
SidecarVerdict token_review_rights(void *world, SidecarReview *review);

#endif
