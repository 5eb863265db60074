/* Live: the verbs of kube.h against a real server and nothing between: no cache, no fence. */
#ifndef TESTS_E2E_LIVE_H
#define TESTS_E2E_LIVE_H

#include "kube/client.h"
#include "kube/kube.h"
#include "tests/e2e/controlplane.h"

typedef struct Live {
    Kube port;
    Client *client;
    Api *api;
    Ctx ctx; /* give &live->ctx to kube_get and its kin */
} Live;

/* As the user of a kubeconfig; in the arena, which is also the one of its Ctx. The test fails when
 * the client cannot be opened. */
Live *live_open(Arena *a, const char *kubeconfig);

/* Accepts NULL. */
void live_close(Live *live);

#endif
