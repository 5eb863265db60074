/* What a Client is made of: all that its connections share. */
#ifndef KUBE_CLIENT_SHARED_H
#define KUBE_CLIENT_SHARED_H

#include "kube/client.h"
#include "kube/client/credentials.h"
#include "kube/client/server_url.h"

enum { CLIENT_IMPERSONATION_MAX = 17 }; /* a user and 16 groups */

/* Never changes once it is open, so every thread may read it. */
struct Client {
    Arena *arena;
    Config config;
    ClientOptions options; /* with every default filled in */
    ServerUrl url;
    const char *address;    /* "host:port", for messages */
    const char *dialled;    /* what URLs begin with: url.base, or with the tls-server-name in it */
    const char *connect_to; /* the real address where those differ, else NULL */
    const char *host_line;  /* and the Host header that belongs to it */
    const char *impersonation[CLIENT_IMPERSONATION_MAX]; /* header lines; NULL: no more */
    Credentials credentials; /* as they were at the start; each connection's owner has a copy */
    Transport transport;
};

/* The two halves of the Transport port. Closing accepts NULL. */
Api *client_open_api(Transport *self);
void client_close_api(Transport *self, Api *api);
Streams *client_open_streams(Transport *self);
void client_close_streams(Transport *self, Streams *streams);

#endif
