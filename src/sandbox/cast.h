/* Cast: the world of a sandbox: a server and everybody who lives around it: the controllers of a
 * control plane, and the kubelet with its pods and sidecars. */
#ifndef SANDBOX_CAST_H
#define SANDBOX_CAST_H

#include "world/kubelet.h"
#include "world/world.h"

typedef struct Cast {
    World *world;
    Kubelet *kubelet;
} Cast;

typedef struct CastOptions {
    uint64_t seed;
    int64_t wall_ms;
    int64_t nodes;         /* machines */
    int64_t network;       /* pods get addresses in 127.<network>.0.0/16 */
    const char *token_key; /* a secret: by which tokens of accounts are known; NULL: none */
    /* Called once the server is there, and nobody else; or NULL. */
    void (*fill)(void *self, World *w);
    void *self;
} CastOptions;

/* Opens the world with all of them; closed with world_close. */
void cast_open(const CastOptions *options, Cast *ret);

#endif
