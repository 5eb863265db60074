/* The Streams port: every call reaches the implementation with what it was given. */
#include "kube/stream.h"
#include "tests/test.h"

typedef struct FakeStreams {
    Streams port;
    const Request *started;
    StreamSink *sink;
    StreamId cancelled;
    int64_t polled_ms;
    int woken;
    bool refuses;
} FakeStreams;

static Err *fake_start(
    Streams *self, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    FakeStreams *fake = (FakeStreams *)self;

    if (fake->refuses)
        return err_terminal(a, "the name is empty");
    fake->started = request;
    fake->sink = sink;
    *ret = 7;
    return OK;
}

static void fake_cancel(Streams *self, StreamId id)
{
    ((FakeStreams *)self)->cancelled = id;
}

static Err *fake_poll(Streams *self, Arena *a, int64_t timeout_ms)
{
    ((FakeStreams *)self)->polled_ms = timeout_ms;
    return err_retry(a, "too many open files");
}

static void fake_wake(Streams *self)
{
    ((FakeStreams *)self)->woken++;
}

static const Streams fake_port = {
    .start = fake_start, .cancel = fake_cancel, .poll = fake_poll, .wake = fake_wake};

TEST(each_call_of_the_streams_port_reaches_its_implementation)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeStreams fake = {.port = fake_port};
    Request request = {.verb = VERB_WATCH};
    StreamSink sink = {0};
    StreamId id = 0;

    then_ok(stream_start(&fake.port, a, &request, &sink, &id));
    then_int(id, 7);
    then_true(fake.started == &request && fake.sink == &sink);

    then_err(stream_poll(&fake.port, a, 250), RETRY("too many open files"));
    then_int(fake.polled_ms, 250);

    stream_wake(&fake.port);
    then_int(fake.woken, 1);

    stream_cancel(&fake.port, id);
    then_int(fake.cancelled, 7);
}

TEST(a_refused_stream_request_returns_no_id)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeStreams fake = {.port = fake_port, .refuses = true};
    Request request = {.verb = VERB_WATCH};
    StreamSink sink = {0};
    StreamId id = 99;

    then_err(stream_start(&fake.port, a, &request, &sink, &id), TERMINAL("name is empty"));
    then_int(id, 99);
}
