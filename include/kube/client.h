/* Client: the API server over HTTP/1.1 and TLS. The real implementation of the ports Api and
 * Streams, on libcurl.
 *
 * A Client holds what all connections share: configuration, certificates, the token that is re-read
 * when its file changes. Each worker has an Api of its own (one keep-alive connection); one thread
 * has the Streams. */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "base/clock.h"
#include "kube/api.h"
#include "kube/config.h"
#include "kube/guard.h"
#include "kube/stream.h"

typedef struct Client Client;

typedef struct ClientOptions {
    const char *user_agent;     /* "name/version" */
    int64_t connect_timeout_ms; /* 0: 5,000 */
    int64_t request_timeout_ms; /* for whole requests without one of their own; 0: 15,000 */
    size_t body_max;            /* answers larger than this are refused; 0: 16 MiB */
    Guard *guard;               /* around the shared token; NULL: one caller */
    /* Told about every finished request, for metrics: method, host, HTTP status (0: none), seconds.
     * May be NULL. */
    void (*observe)(void *self, const Request *request, int status, double seconds);
    void *observe_self;
} ClientOptions;

/* Opens a client; reads certificates and token once. The config is copied. ERR_TERMINAL names what
 * is wrong with them. */
Err *client_open(
    Arena *a, const Config *config, const ClientOptions *options, Client **ret) MUST_CHECK;

/* After every Api and Streams of it was closed. Accepts NULL. */
void client_close(Client *client);

/* An Api with a connection of its own, for one caller at a time. */
Api *client_open_api(Client *client);
void client_close_api(Api *api);

/* Streams for one thread; every stream has its own connection. */
Streams *client_open_streams(Client *client);
void client_close_streams(Streams *streams);

#endif
