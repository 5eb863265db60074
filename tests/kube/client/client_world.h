/* A client and the scripted server that it talks to. Both go when the arena closes. */
#ifndef TESTS_KUBE_CLIENT_CLIENT_WORLD_H
#define TESTS_KUBE_CLIENT_CLIENT_WORLD_H

#include "kube/client.h"
#include "tests/kube/client/hostile.h"

/* What a test says about its world; the zero value of each part is fine. */
typedef struct Given {
    const Step *script;
    HostileOptions server; /* with a certificate, the client speaks TLS to it */
    bool https;            /* the client does so even without one */
    Config config;         /* the server is filled in where it is NULL */
    ClientOptions options;
} Given;

typedef struct World {
    Hostile *server;
    Client *client;
    Transport *transport;
    Api *api;
    Streams *streams;
} World;

/* Starts the server and opens client, Api and Streams. */
World world_open(Arena *a, const Given *given);

/* A whole answer with a JSON body; `lines` are further header lines, each ended by CRLF. */
const char *answer(Arena *a, const char *status, const char *lines, const char *body);

/* "HTTP/1.1 200 OK" with a JSON body. */
const char *ok_answer(Arena *a, const char *body);

/* Reads one ConfigMap, creates one, and watches all of them. */
extern const Request get_configmap, watch_configmaps;
Request create_configmap(Arena *a);

#endif
