/* The caller's side of the Streams port. */
#include "kube/stream.h"

#include <assert.h>

Err *stream_start(Streams *s, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    StreamId id = 0;

    TRY(s->start(s, a, request, sink, &id));
    assert(id != 0);
    *ret = id;
    return OK;
}

void stream_cancel(Streams *s, StreamId id)
{
    s->cancel(s, id);
}

Err *stream_poll(Streams *s, Arena *a, int64_t timeout_ms)
{
    return s->poll(s, a, timeout_ms);
}

void stream_wake(Streams *s)
{
    s->wake(s);
}
