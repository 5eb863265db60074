/* SidecarDoor: the sidecar's HTTP, and the kube-rbac-proxy in front of it, without a socket: a
 * request comes in as a value, an answer goes out. */
#ifndef WORLD_SIDECAR_DOOR_H
#define WORLD_SIDECAR_DOOR_H

#include "base/bytes.h"
#include "world/sidecar.h"

#include <stdint.h>

enum {
    DOOR_BODY_MAX = 1 << 20, /* of a request: more is no task */
    DOOR_LIST_MAX = 100,     /* rows in a list */
    DOOR_USER_SIZE = 384,    /* an account's name has up to 339 bytes, its namespace among them */
};

typedef enum SidecarVerdict {
    VERDICT_ALLOWED,
    VERDICT_UNAUTHENTICATED,
    VERDICT_DENIED,
    VERDICT_ERROR, /* the API server could not be asked */
} SidecarVerdict;

/* What the proxy asks the API server. */
typedef struct SidecarReview {
    const char *token;
    const char *audiences; /* as the proxy was told, comma separated; NULL: the API server's own */
    const char *verb;      /* "get", "create", "delete", on seinodetasks of sei.io */
    const char *namespace, *name;
    char user[DOOR_USER_SIZE]; /* filled in when the token is somebody's */
} SidecarReview;

typedef SidecarVerdict SidecarReviewer(void *self, SidecarReview *review);

/* The proxy in front. */
typedef struct SidecarProxy {
    const char *audiences;    /* --auth-token-audiences, or NULL */
    const char *ignore_paths; /* --ignore-paths, comma separated, or NULL */
    const char *namespace, *name;
    SidecarReviewer *reviewer; /* NULL: any token is fine */
    void *reviewer_self;
} SidecarProxy;

typedef struct SidecarRequest {
    const char *method; /* "GET" */
    const char *target; /* "/v0/livez?verbose=1" */
    const char *token;  /* of "Authorization: Bearer", or NULL */
    Bytes body;
    int64_t now_ms;
} SidecarRequest;

typedef enum SidecarFate {
    FATE_ANSWERED,
    FATE_REFUSED, /* nobody listens there */
    FATE_HANGS,   /* no answer ever comes */
} SidecarFate;

typedef struct SidecarAnswer {
    SidecarFate fate;
    int status;
    const char *content_type; /* NULL with an empty body */
    const char *allow;        /* of 405, or NULL */
    int retry_after_s;        /* 0: none */
    int64_t delay_ms;         /* it comes so much later */
    Bytes body;               /* in the arena */
} SidecarAnswer;

/* What the proxy and the sidecar behind it answer. A sidecar that is down is the proxy's 502. */
void sidecar_answer(Sidecar *s, const SidecarProxy *proxy, Arena *a, const SidecarRequest *request,
    SidecarAnswer *ret);

#endif
