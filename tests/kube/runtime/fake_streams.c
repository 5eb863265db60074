/* FakeStreams: strict about the contract, so that a reflector that breaks it fails its test. */
#include "tests/kube/runtime/fake_streams.h"

#include "tests/test.h"

static FakeStreams *fake_of(Streams *streams)
{
    return (FakeStreams *)(void *)streams;
}

static Err *start(Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    FakeStreams *f = fake_of(self);
    if (f->refuse)
        return err_terminal(a, "%s", f->refuse);
    then_int(f->running, 0);
    f->request = *request;
    f->request.resource_version = str_copy(f->arena, request->resource_version);
    f->request.continue_key = str_copy(f->arena, request->continue_key);
    then_ok(request_url(f->arena, &f->request, &f->url));
    f->sink = sink;
    f->running = (StreamId)++f->started;
    *ret = f->running;
    return OK;
}

static void cancel(Streams *self, StreamId id)
{
    FakeStreams *f = fake_of(self);
    if (id == 0 || id != f->running)
        return;
    f->running = 0;
    f->cancelled++;
}

static Err *poll(Streams *self, Arena *a, int64_t timeout_ms)
{
    (void)self;
    (void)a;
    (void)timeout_ms;
    return OK;
}

static void wake(Streams *self)
{
    (void)self;
}

void fake_streams_init(FakeStreams *f, Arena *a)
{
    *f = (FakeStreams){
        .port = {.start = start, .cancel = cancel, .poll = poll, .wake = wake},
        .arena = a,
    };
}

void fake_head(FakeStreams *f, int status, int64_t retry_after_ms)
{
    then_true(f->running != 0);
    f->sink->on_head(f->sink, status, retry_after_ms);
}

void fake_bytes(FakeStreams *f, const char *bytes, size_t len)
{
    then_true(f->running != 0);
    f->sink->on_bytes(f->sink, bytes, len);
}

void fake_end(FakeStreams *f, const Err *why)
{
    then_true(f->running != 0);
    f->running = 0;
    f->sink->on_end(f->sink, why);
}
