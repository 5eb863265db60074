/* Http: a port. Plain HTTP exchanges with servers other than the API's, many at once, none of which
 * keeps anybody waiting. Implemented by the client (curl multi), and by the simulated world.
 *
 * One thread starts, cancels and polls; sinks are called from within poll only, once for each
 * exchange, and never after a cancel. */
#ifndef KUBE_HTTP_H
#define KUBE_HTTP_H

#include "base/bytes.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* Everything is copied. */
typedef struct HttpCall {
    const char *method;  /* "GET", "POST" */
    const char *url;     /* "http://10.0.0.7:8443/v0/tasks": no credentials in it */
    const char *host;    /* the Host header, or NULL for that of the url */
    const char *bearer;  /* a secret, or NULL */
    Bytes body;          /* JSON; empty for none */
    int64_t deadline_ms; /* for all of it; at least 1 */
    size_t answer_max;   /* a longer body is an error */
} HttpCall;

typedef struct HttpAnswer {
    int status;
    const char *content_type; /* or NULL */
    Bytes body;
} HttpAnswer;

typedef struct HttpSink HttpSink;

struct HttpSink {
    /* Either an answer, or why there is none (ERR_RETRY; outcome_unknown when the call may have
     * arrived). Both are borrowed for the call. */
    void (*on_end)(HttpSink *self, const HttpAnswer *answer, const Err *why);
};

typedef uint64_t HttpId; /* never 0 for an exchange that exists */

typedef struct Http Http;

struct Http {
    Err *(*start)(Http *self, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret);
    void (*cancel)(Http *self, HttpId id); /* unknown and 0 are allowed */
    Err *(*poll)(Http *self, Arena *a, int64_t timeout_ms);
    void (*wake)(Http *self); /* from any thread */
    void (*close)(Http *self);
};

/* Begins an exchange. Errors are about the call itself; those of the network come to the sink. */
Err *http_start(Http *h, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret) MUST_CHECK;

/* Ends an exchange without calling its sink. */
void http_cancel(Http *h, HttpId id);

/* Moves bytes for at most `timeout_ms`, calling sinks; returns early when something happened or
 * wake was called. */
Err *http_poll(Http *h, Arena *a, int64_t timeout_ms) MUST_CHECK;

/* Makes a running or the next poll return. Safe from any thread. */
void http_wake(Http *h);

/* Ends every exchange. Accepts NULL. */
void http_close(Http *h);

#endif
