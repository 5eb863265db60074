/* FakeStreams: the Streams port with a test as the server. It remembers what was asked, and the
 * test says what comes back, byte by byte if it likes. One stream at a time. */
#ifndef TESTS_KUBE_RUNTIME_FAKE_STREAMS_H
#define TESTS_KUBE_RUNTIME_FAKE_STREAMS_H

#include "base/rng.h"
#include "kube/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct FakeStreams {
    Streams port; /* first */
    Arena *arena; /* holds what was asked */
    StreamSink *sink;
    StreamId running; /* 0: none */
    Request request;  /* the last one, copied */
    const char *url;  /* and as a URL */
    int started, cancelled;
    const char *refuse; /* start fails with this message; NULL: it works */
} FakeStreams;

void fake_streams_init(FakeStreams *f, Arena *a);

/* The server's side of the running stream. */
void fake_head(FakeStreams *f, int status, int64_t retry_after_ms);
void fake_bytes(FakeStreams *f, const char *bytes, size_t len);
void fake_end(FakeStreams *f, const Err *why);

#endif
