/* Pages: what is served at paths that are no resource: probes, the version, discovery, OpenAPI. */
#ifndef SANDBOX_PAGES_H
#define SANDBOX_PAGES_H

#include "kube/serve/hall.h"
#include "world/server.h"

typedef struct PageAsk {
    const char *path, *accept;
    const char *address; /* where clients reach this server */
} PageAsk;

/* Answers; a path that is none is "404 page not found". */
void pages_answer(Arena *a, Server *s, const PageAsk *ask, HallAnswer *ret);

#endif
