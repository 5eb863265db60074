/* Ctx: the world as one piece of work sees it. A function that takes a Ctx may touch the world; one
 * that takes an Arena and no Ctx is pure. */
#ifndef KUBE_CTX_H
#define KUBE_CTX_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"

typedef struct Kube Kube;

typedef struct Ctx { /* one reconcile, one command, one simulated step */
    Arena *arena;    /* everything it allocates; closed when it ends */
    Kube *kube;      /* the cluster: cached reads, live calls */
    Clock *clock;
    Rng *rng;
    const Log *log; /* already carries controller, namespace, name */
    void *app;      /* what the program gave to its manager: settings and further ports */
} Ctx;

#endif
