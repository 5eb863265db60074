/* Streams: a port. Answers that arrive bit by bit: watches and lists, and whatever must not keep a
 * worker waiting. Implemented by the client (curl multi), and by the simulated world.
 *
 * One thread starts, cancels and polls; sinks are called from within poll only. After on_end, or
 * after a cancel, a sink is never called again. */
#ifndef KUBE_STREAM_H
#define KUBE_STREAM_H

#include "base/err.h"
#include "kube/request.h"

#include <stddef.h>
#include <stdint.h>

typedef struct StreamSink StreamSink;

/* Who receives one stream. */
struct StreamSink {
    /* Once, before any byte: the HTTP status; Retry-After in ms or 0. */
    void (*on_head)(StreamSink *self, int status, int64_t retry_after_ms);
    /* Any number of times. The bytes are borrowed for the call. */
    void (*on_bytes)(StreamSink *self, const char *bytes, size_t len);
    /* Once, unless cancelled. OK: the peer ended the answer in order. `why` is borrowed for the
     * call. */
    void (*on_end)(StreamSink *self, const Err *why);
};

/* The reason of an end because the answer was larger than the client takes in: a list with smaller
 * pages may succeed. */
#define STREAM_TOO_LARGE "AnswerTooLarge"

typedef uint64_t StreamId; /* never 0 for a stream that exists */

typedef struct Streams Streams;

struct Streams {
    Err *(*start)(Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret);
    void (*cancel)(Streams *self, StreamId id); /* unknown and 0 are allowed */
    Err *(*poll)(Streams *self, Arena *a, int64_t timeout_ms);
    void (*wake)(Streams *self); /* from any thread: makes a poll return soon */
};

/* Begins a request; the sink is called back by later polls. The request is copied. Errors are about
 * the request itself; failures of the network come through on_end. */
Err *stream_start(
    Streams *s, Arena *a, const Request *request, StreamSink *sink, StreamId *ret) MUST_CHECK;

/* Ends a stream without calling its sink. */
void stream_cancel(Streams *s, StreamId id);

/* Moves bytes for at most `timeout_ms`, calling sinks; returns early when something happened or
 * wake was called. */
Err *stream_poll(Streams *s, Arena *a, int64_t timeout_ms) MUST_CHECK;

/* Makes a running or the next poll return. Safe from any thread. */
void stream_wake(Streams *s);

#endif
