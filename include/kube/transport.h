/* Transport: a port. Opens the ways to one API server: an Api for each worker, Streams for the
 * thread of the watches. Implemented by the client, and by the simulated world. */
#ifndef KUBE_TRANSPORT_H
#define KUBE_TRANSPORT_H

#include "kube/api.h"
#include "kube/stream.h"

typedef struct Transport Transport;

struct Transport {
    const char *host; /* "127.0.0.1:6443": for people and metrics */
    Api *(*open_api)(Transport *self);
    void (*close_api)(Transport *self, Api *api); /* accepts NULL */
    Streams *(*open_streams)(Transport *self);
    void (*close_streams)(Transport *self, Streams *streams); /* accepts NULL */
    const char *warning; /* what a person should know before trusting it, or NULL */
};

#endif
