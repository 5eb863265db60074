/* Client: the API server over HTTP/1.1 and TLS. The real implementation of the ports Api and
 * Streams, on libcurl.
 *
 * A Client holds the configuration, which never changes. Whatever changes (connections, the token
 * that is re-read when its file changes) belongs to one Api or Streams, so threads share nothing
 * and need no lock: each worker has an Api, one thread has the Streams. */
#ifndef KUBE_CLIENT_H
#define KUBE_CLIENT_H

#include "base/clock.h"
#include "kube/api.h"
#include "kube/config.h"
#include "kube/stream.h"
#include "kube/transport.h"

typedef struct Client Client;

/* Who is told, once, that a credential plugin takes its time. */
typedef struct PluginWait {
    void (*tell)(void *self, const char *plugin);
    void *self;
} PluginWait;

typedef struct ClientOptions {
    const char *user_agent;     /* "name/version" */
    int64_t connect_timeout_ms; /* 0: 5,000 */
    int64_t request_timeout_ms; /* for whole requests without one of their own; 0: 15,000 */
    int64_t dead_peer_ms;       /* a peer whose kernel is silent so long is gone; 0: 25,000 */
    size_t body_max;            /* answers larger than this are refused; 0: 16 MiB */
    int64_t plugin_timeout_ms;  /* of a credential plugin while it opens, unless a person may be
                                   asked; 0: only its own limit */
    bool hurries_people;        /* that limit also holds where one may be asked */
    PluginWait plugin_wait;     /* while it opens; tell NULL: nobody */
    bool asks_nobody;           /* credential plugins may not ask a person, even at a terminal */
    Clock *clock;               /* NULL: the system's */
} ClientOptions;

/* Opens a client; reads certificates and token once. The config is copied. ERR_TERMINAL names what
 * is wrong with them. */
Err *client_open(
    Arena *a, const Config *config, const ClientOptions *options, Client **ret) MUST_CHECK;

/* The usual beginning of a program: the configuration that the environment leads to (config_load),
 * and a client with default options. */
Err *client_open_default(Arena *a, const char *user_agent, Client **ret) MUST_CHECK;

/* After every Api and Streams of it was closed. Accepts NULL. */
void client_close(Client *client);

/* A credential plugin may have asked a person while it was opened: that time was theirs. */
bool client_may_have_asked(const Client *client);

/* The client as the port that opens an Api (a keep-alive connection of its own, for one caller at a
 * time) and Streams (for one thread; every stream has its own connection). Lives as long as the
 * client. */
Transport *client_transport(Client *client);

#endif
