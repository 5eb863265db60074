/* Call: one request on its way through the server, and the server that it goes through. The parts
 * of the server (writing, patching, deletion, listing, subresources) are functions of a call; each
 * gives OK with the answer in the call, or the error behind a refusal. */
#ifndef WORLD_CALL_H
#define WORLD_CALL_H

#include "base/clock.h"
#include "base/draft.h"
#include "base/json.h"
#include "base/link.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "base/slab.h"
#include "kube/request.h"
#include "kube/status.h"
#include "kube/timestamp.h"
#include "world/history.h"
#include "world/resource.h"
#include "world/server.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SERVER_RESOURCES_MAX = 64,
    SERVER_WATCHES_MAX = 10000,
    SERVER_OBJECTS_MAX = 200000,
    SERVER_HISTORY_MAX = 10000,
    SERVER_EVENTS_MAX = 4000,             /* Events, where they are kept for people */
    SERVER_EVENT_MINUTES = 60,            /* how long an Event is kept, where they are */
    SERVER_OBJECT_BYTES_MAX = 1536 << 10, /* what etcd stores of one request */
};

struct Server {
    Clock *clock;
    Rng *rng;
    Slab *slab;
    Arena *scratch; /* emptied whenever it is used */
    Arena *packing; /* the same, by packers; NULL: objects are kept as they are */
    Resource *resources[SERVER_RESOURCES_MAX];
    size_t resource_count;
    History *history;
    Link watches; /* all open ones */
    size_t watch_count;
    size_t object_count, objects_max;
    uint64_t version;
    uint64_t addresses; /* given to Services */
    char token_key[SHA256_HEX_SIZE];
    bool keeps_events;                          /* see event_keeping.h */
    uint64_t event_marks[SERVER_EVENT_MINUTES]; /* the versions of the last minutes, in a ring */
    size_t event_mark;
    int64_t events_marked_ns;
    struct Rights *rights; /* made by the first question about them */
    ServerMutate *mutate;
    void *mutate_self;
    ServerWrote *wrote;
    void *wrote_self;
};

typedef struct Call {
    Server *server;
    Arena *arena;
    const char *user;
    const Caller *caller;
    const Request *request;
    Resource *resource;
    const char *key; /* "namespace/name"; NULL when the request names no object */
    int64_t now_ns;
    char now[TIMESTAMP_SIZE];

    int status; /* of the answer */
    const Json *body;
    const char *const *warnings;
} Call;

/* The text under which an object stands on its shelf. */
const char *call_key(Arena *a, const char *namespace, const char *name);

/* The object that the call names, parsed; NULL when there is none. */
const Json *call_find(Call *c);

/* The resource that serves a kind, or NULL. */
Resource *server_resource(const Server *s, const Kind *kind);

/* The next object of a list itself, for whoever is within the server; the caller gets the list's
 * hold on it. NULL behind the last. */
Record *server_take_listed(ServerList *l);

/* The verbs. */
Err *call_get(Call *c) MUST_CHECK;
Err *call_list(Call *c) MUST_CHECK;
Err *call_create(Call *c) MUST_CHECK;
Err *call_update(Call *c) MUST_CHECK;
Err *call_patch(Call *c) MUST_CHECK;
Err *call_delete(Call *c) MUST_CHECK;
Err *call_scale(Call *c) MUST_CHECK;
Err *call_token(Call *c) MUST_CHECK;
Err *call_binding(Call *c) MUST_CHECK;
Err *call_eviction(Call *c) MUST_CHECK;
Err *call_finalize(Call *c) MUST_CHECK;

/* 201, and nothing but that it is done. */
Err *call_answer_done(Call *c) MUST_CHECK;

#endif
