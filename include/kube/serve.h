/* Serve: the door for HTTP and HTTPS from outside: metrics, health. On libmicrohttpd, in a thread
 * of its own.
 *
 * Requests are bounded: GET and HEAD alone, no body, headers of at most 8 KiB, a time-out for who
 * says nothing; and when the house is full, a newcomer takes the place of the connection whose last
 * request is the longest ago. So a misbehaving client hurts only itself. */
#ifndef KUBE_SERVE_H
#define KUBE_SERVE_H

#include "base/bytes.h"
#include "base/err.h"
#include "kube/reply.h"

#include <stdbool.h>

typedef struct Serve Serve;

/* HTTPS. A certificate and its key, in PEM; read again when the files change, and shown to who
 * connects from then on. Both NULL: one is made at the start, signed by itself. */
typedef struct ServeTls {
    const char *certificate_file, *key_file;
} ServeTls;

typedef struct ServeOptions {
    const char *
        address; /* "127.0.0.1:8080", "[::1]:0", ":8080" (all addresses); port 0 picks a free one */
    /* Answers GET of a path, which is decoded and without query. Called from the server's thread,
     * which takes no signals; fills the reply. */
    void (*handle)(void *self, const char *path, Reply *reply);
    void *self;
    /* Asked first when not NULL: false when the request is not to be handled, with the reply
     * filled. `bearer` is the token that came with it, a secret, or NULL. */
    bool (*admit)(void *self, const char *path, const char *bearer, Reply *reply);
    void *admit_self;
    const ServeTls *tls;      /* NULL: plain HTTP; borrowed, with its strings */
    unsigned connections_max; /* 0: 64 */
    unsigned timeout_s;       /* of a connection without a byte; 0: 10 */
} ServeOptions;

/* Listens. What the options name must live until serve_close. ERR_TERMINAL names the address, or
 * the file, and what is wrong with it. */
Err *serve_open(Arena *a, const ServeOptions *options, Serve **ret) MUST_CHECK;

/* Stops listening; replies under way are finished, but not waited for longer than a second. Accepts
 * NULL. */
void serve_close(Serve *s);

/* The port in use. */
int serve_port(const Serve *s);

#endif
