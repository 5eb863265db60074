/* Token: what a TokenRequest of the world's server gives out. It says in clear whose it is, for
 * whom, and until when, so that reviewing one needs no memory; the secret behind it makes two of
 * one account differ. Nobody signs it: a test may forge one. */
#ifndef WORLD_TOKEN_H
#define WORLD_TOKEN_H

#include "base/arena.h"
#include "base/json.h"
#include "world/sidecar_door.h"
#include "world/world.h"

#include <stdint.h>

typedef struct TokenGrant {
    const Json *account;   /* the ServiceAccount */
    const Json *audiences; /* an array, or NULL: the API server's own */
    int64_t expires_ns;    /* wall clock */
    const char *secret;
} TokenGrant;

/* The text of a token. */
const char *token_make(Arena *a, const TokenGrant *grant);

/* A SidecarReviewer; self is the World. A token that is valid now, of an account that still exists,
 * and for one of the audiences that are asked for, is allowed everything; any other is nobody's. */
SidecarVerdict token_review(void *world, SidecarReview *review);

#endif
