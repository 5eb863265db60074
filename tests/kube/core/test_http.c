/* The Http port: every call reaches the implementation with what it was given. */
#include "kube/http.h"

#include "tests/test.h"

typedef struct FakeHttp {
    Http port; /* first, so that the port is this */
    const HttpCall *started;
    HttpSink *sink;
    HttpId cancelled;
    int64_t polled_ms;
    int woken, closed;
    bool refuses;
} FakeHttp;

static Err *fake_start(Http *self, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret)
{
    FakeHttp *fake = (FakeHttp *)self;

    if (fake->refuses)
        return err_terminal(a, "the url is empty");
    fake->started = call;
    fake->sink = sink;
    *ret = 7;
    return OK;
}

static void fake_cancel(Http *self, HttpId id)
{
    ((FakeHttp *)self)->cancelled = id;
}

static Err *fake_poll(Http *self, Arena *a, int64_t timeout_ms)
{
    ((FakeHttp *)self)->polled_ms = timeout_ms;
    return err_retry(a, "too many open files");
}

static void fake_wake(Http *self)
{
    ((FakeHttp *)self)->woken++;
}

static void fake_close(Http *self)
{
    ((FakeHttp *)self)->closed++;
}

static const Http fake_port = {
    .start = fake_start,
    .cancel = fake_cancel,
    .poll = fake_poll,
    .wake = fake_wake,
    .close = fake_close,
};

TEST(each_call_of_the_http_port_reaches_its_implementation)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeHttp fake = {.port = fake_port};
    HttpCall call = {.method = "GET"};
    HttpSink sink = {0};
    HttpId id = 0;

    then_ok(http_start(&fake.port, a, &call, &sink, &id));
    then_int(id, 7);
    then_true(fake.started == &call && fake.sink == &sink);

    then_err(http_poll(&fake.port, a, 250), RETRY("too many open files"));
    then_int(fake.polled_ms, 250);

    http_wake(&fake.port);
    then_int(fake.woken, 1);

    http_cancel(&fake.port, id);
    then_int(fake.cancelled, 7);
}

TEST(a_refused_http_call_returns_no_id)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    FakeHttp fake = {.port = fake_port, .refuses = true};
    HttpCall call = {.method = "GET"};
    HttpSink sink = {0};
    HttpId id = 99;

    then_err(http_start(&fake.port, a, &call, &sink, &id), TERMINAL("url is empty"));
    then_int(id, 99);
}

TEST(closing_the_http_port_reaches_its_implementation_and_accepts_null)
{
    FakeHttp fake = {.port = fake_port};

    http_close(&fake.port);
    then_int(fake.closed, 1);
    http_close(NULL);
}
