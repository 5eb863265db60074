/* Route: what an HTTP request asks of an API server: first what it is about, which is all that
 * rights are decided by, then the Request of it, or the refusal in the words of the real one.
 * Pure. */
#ifndef SANDBOX_ROUTE_H
#define SANDBOX_ROUTE_H

#include "kube/request.h"
#include "kube/serve/hall.h"
#include "kube/status.h"
#include "sandbox/query.h"
#include "world/server.h"

#include <stdbool.h>

/* What it is about. Texts are in the arena, "" where there is nothing. */
typedef struct Route {
    const char *path; /* decoded */
    Query query;
    bool is_resource; /* else only the path counts */
    const char *verb; /* "get", "list", "deletecollection", ...; of a path the method, lower case */
    const char *group, *version, *resource, *subresource;
    const char *namespace, *name;
    const char *rest; /* "/status": what is asked for behind a proxy; "/" where it says nothing */
} Route;

/* False when the target is no URL. */
bool route_read(Arena *a, const HallRequest *in, Route *ret) MUST_CHECK;

/* What is to be carried out, or why not. */
typedef struct Routed {
    Request request;
    bool is_sweep;  /* deletecollection: the request, a delete, is about all that it selects */
    bool is_page;   /* refused as a plain text "404 page not found" */
    Answer refusal; /* status 0: it is not refused */
} Routed;

/* The request behind a route of a resource. */
void route_request(
    Arena *a, const Server *s, const HallRequest *in, const Route *route, Routed *ret);

#endif
