/* Streams over HTTP: bytes as they come, ends in every way, and sinks that start and cancel streams
 * while they are being called. */
#include "tests/kube/client/client_world.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#define HEAD   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define CHUNKS HEAD "Transfer-Encoding: chunked\r\n\r\n"
#define LAST   "0\r\n\r\n"

static const Request list_configmaps = {.verb = VERB_LIST, .kind = kind_configmap};

/* A sink that remembers, and does something when it is told to. */
typedef struct Recorder {
    StreamSink port;
    Arena *arena;
    Buf bytes;
    int heads, status;
    int64_t retry_after_ms;
    bool ended;
    Err *why;
    StreamId id;
    void (*then)(struct Recorder *self); /* called at each event after it was noted; may be NULL */
    struct Recorder *other;              /* for `then` */
    World *world;
} Recorder;

static void on_head(StreamSink *self, int status, int64_t retry_after_ms)
{
    Recorder *r = (Recorder *)self;

    then_true(!r->ended && r->bytes.len == 0);
    r->heads++;
    r->status = status;
    r->retry_after_ms = retry_after_ms;
    if (r->then)
        r->then(r);
}

static void on_bytes(StreamSink *self, const char *bytes, size_t len)
{
    Recorder *r = (Recorder *)self;

    then_true(!r->ended && r->heads == 1 && len > 0);
    then_true(buf_append(&r->bytes, bytes, len));
    if (r->then)
        r->then(r);
}

static void on_end(StreamSink *self, const Err *why)
{
    Recorder *r = (Recorder *)self;

    then_true(!r->ended);
    r->ended = true;
    r->why = err_copy(r->arena, why);
    if (r->then)
        r->then(r);
}

static void release(void *recorder)
{
    buf_close(&((Recorder *)recorder)->bytes);
}

static Recorder *recorder(Arena *a, World *w)
{
    Recorder *r = arena_new(a, Recorder);
    r->world = w;
    r->port = (StreamSink){.on_head = on_head, .on_bytes = on_bytes, .on_end = on_end};
    r->arena = a;
    r->bytes.ceiling = 16 << 20;
    arena_pin(a, release, r);
    return r;
}

static Recorder *started(Arena *a, World *w, const Request *request)
{
    Recorder *r = recorder(a, w);
    then_ok(stream_start(w->streams, a, request, &r->port, &r->id));
    then_true(r->id != 0);
    return r;
}

static void poll_once(Arena *a, World *w)
{
    then_ok(stream_poll(w->streams, a, 60000));
}

static void until_end(Arena *a, World *w, const Recorder *r)
{
    while (!r->ended)
        poll_once(a, w);
}

static void until_bytes(Arena *a, World *w, const Recorder *r, size_t len)
{
    while (r->bytes.len < len && !r->ended)
        poll_once(a, w);
    then_true(!r->ended);
}

/* --- bytes --- */

TEST(a_watch_delivers_its_header_and_its_bytes_and_its_end)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, CHUNKS "4\r\none\n\r\n5\r\n\ntwo\n\r\n" LAST},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script, .config.token = "abc"});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_end(a, &w, r);
    then_ok(r->why);
    then_int(r->heads, 1);
    then_int(r->status, 200);
    then_str(r->bytes.data, "one\n\ntwo\n");
    const char *request = hostile_next(a, w.server);
    then_true(str_has_prefix(request, "GET /api/v1/configmaps?watch=true HTTP/1.1\r\n"));
    then_true(strstr(request, "\r\nAuthorization: Bearer abc\r\n"));
}

TEST(the_header_of_a_stream_is_delivered_before_the_first_byte)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, CHUNKS}, {STEP_STALL}, {0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *r = started(a, &w, &watch_configmaps);

    while (r->heads == 0)
        poll_once(a, &w);
    then_int(r->status, 200);
    then_int(r->bytes.len, 0);
    then_true(!r->ended);
}

TEST(a_stream_may_be_split_at_any_byte)
{
    static const char text[] = CHUNKS "6\r\n{\"a\":1\r\n3\r\n}\n{\r\n2\r\n}\n\r\n" LAST;

    for (size_t at = 1; at < strlen(text); at++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {
            {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SPLIT, text, .at = at}, {STEP_STALL}, {0}};
        World w = world_open(a, &(Given){.script = script});
        Recorder *r = started(a, &w, &watch_configmaps);

        until_end(a, &w, r);
        then_ok(r->why);
        then_str(r->bytes.data, "{\"a\":1}\n{}\n");
    }
}

TEST(a_stream_may_arrive_byte_by_byte_or_in_a_flood)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_DRIP, CHUNKS "5\r\nfirst\r\n"},
        {STEP_FLOOD, "10\r\n0123456789abcde\n\r\n", .count = 100000},
        {STEP_SEND, LAST},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script, .options.body_max = 1 << 20});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_end(a, &w, r);
    then_ok(r->why);
    then_int(r->bytes.len, 5 + 1600000); /* a watch has no limit: its reader has */
}

TEST(two_streams_do_not_wait_for_each_other)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, CHUNKS "3\r\none\r\n"},
        {STEP_ACCEPT, .wire = 1},
        {STEP_REQUEST, .wire = 1},
        {STEP_SEND, CHUNKS "3\r\ntwo\r\n", .wire = 1},
        {STEP_SEND, "3\r\nONE\r\n"},
        {STEP_CLOSE},
        {STEP_STALL, .wire = 1},
        {0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *one = started(a, &w, &watch_configmaps);
    until_bytes(a, &w, one, 3);
    Recorder *two = started(a, &w, &watch_configmaps);

    until_bytes(a, &w, two, 3);
    until_end(a, &w, one);
    then_str(one->bytes.data, "oneONE");
    then_err(one->why, RETRY("broke off"));
    then_str(two->bytes.data, "two");
    then_true(!two->ended);
    then_true(one->id != two->id);
}

/* --- ends --- */

static const struct {
    const char *name;
    Step steps[2];
    bool is_list;
    int64_t deadline_ms;
    int status;
    const char *bytes;
    Want want;
    const char *reason; /* of the end */
} ends[] = {
    {"cut within a chunk",
        {{STEP_SEND, CHUNKS "9\r\nhalf"}, {STEP_CLOSE}},
        .status = 200,
        .bytes = "half",
        .want = RETRY("watch configmaps: the answer of 127.0.0.1:")},
    {"cut between chunks",
        {{STEP_SEND, CHUNKS "4\r\none\n\r\n"}, {STEP_CLOSE}},
        .status = 200,
        .bytes = "one\n",
        .want = RETRY("broke off")},
    {"reset", {{STEP_RESET}}, .want = RETRY("without an answer")},
    {"no answer", {{STEP_CLOSE}}, .want = RETRY("without an answer")},
    {"half a head",
        {{STEP_SEND, "HTTP/1.1 200 OK\r\n"}, {STEP_CLOSE}},
        .want = RETRY("without an answer")},
    {"chunks that lie",
        {{STEP_SEND, CHUNKS "zz\r\n"}, {STEP_STALL}},
        .status = 200,
        .want = RETRY("broke off")},
    {"an old version",
        {{STEP_SEND,
            "HTTP/1.1 410 Gone\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "\r\n{}"}},
        .status = 410,
        .bytes = "{}"},
    {"a redirect, which is not followed",
        {{STEP_SEND,
            "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n"
            "\r\n"}},
        .status = 302},
    {"a page instead of JSON",
        {{STEP_SEND,
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"}},
        .want = RETRY("is not JSON: is it an API server?")},
    {"a page about an error",
        {{STEP_SEND,
            "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 6\r\n"
            "\r\n<html>"}},
        .status = 502,
        .bytes = "<html>"},
    {"a list that stalls",
        {{STEP_SEND, HEAD "Content-Length: 9\r\n\r\n{"}, {STEP_STALL}},
        .is_list = true,
        .deadline_ms = 200,
        .status = 200,
        .bytes = "{",
        .want = RETRY("did not end its answer within 200 ms")},
    {"a list beyond the limit",
        {{STEP_SEND, HEAD "Content-Length: 2000000\r\n\r\n"},
            {STEP_FLOOD, "0123456789", .count = 200000}},
        .is_list = true,
        .status = 200,
        .want = TERMINAL("body is larger than 1048576 bytes"),
        .reason = STREAM_TOO_LARGE},
};

TEST(the_end_of_a_stream_is_reported_once)
{
    each_case(i, ends) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {{STEP_ACCEPT},
            {STEP_REQUEST},
            ends[i].steps[0],
            ends[i].steps[1].type ? ends[i].steps[1] : (Step){STEP_STALL},
            {0}};
        World w = world_open(a,
            &(Given){
                .script = script,
                .options = {.request_timeout_ms = ends[i].deadline_ms, .body_max = 1 << 20},
            });
        Recorder *r = started(a, &w, ends[i].is_list ? &list_configmaps : &watch_configmaps);

        until_end(a, &w, r);
        then_err(r->why, ends[i].want);
        then_str(r->why ? r->why->reason : NULL, ends[i].reason);
        then_int(r->status, ends[i].status);
        then_int(r->heads, ends[i].status ? 1 : 0);
        if (ends[i].bytes)
            then_str(r->bytes.data, ends[i].bytes);
    }
}

TEST(a_refused_connection_ends_the_stream)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{0}};
    World w = world_open(a, &(Given){.script = script});

    then_str(hostile_next(a, w.server), NULL);
    hostile_stop(w.server);
    Recorder *r = started(a, &w, &watch_configmaps);
    until_end(a, &w, r);
    then_err(r->why, RETRY("refused: is the API server running?"));
    then_int(r->heads, 0);
}

TEST(a_busy_server_ends_the_stream_with_its_retry_after_time)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *busy = answer(a, "429 Too Many Requests", "Retry-After: 3\r\n", "{}");
    const Step script[] = {{STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, busy}, {STEP_STALL}, {0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_end(a, &w, r);
    then_ok(r->why);
    then_int(r->status, 429);
    then_int(r->retry_after_ms, 3000);
}

TEST(a_watch_has_no_deadline_and_a_list_has_one)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_ACCEPT, .wire = 1}, {STEP_STALL}, {STEP_STALL, .wire = 1}, {0}};
    World w = world_open(a, &(Given){.script = script, .options.request_timeout_ms = 200});
    Recorder *watch = started(a, &w, &watch_configmaps);
    Recorder *listing = started(a, &w, &list_configmaps);

    until_end(a, &w, listing);
    then_err(listing->why, RETRY("list configmaps: 127.0.0.1:"));
    then_err(listing->why, RETRY("did not answer within 200 ms"));
    then_true(!watch->ended);
}

TEST(a_dead_peer_of_a_stream_is_detected)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, CHUNKS "4\r\none\n\r\n"},
        {STEP_TAKEN},
        {STEP_DEAF},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script, .options.dead_peer_ms = 2000});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_end(a, &w, r);
    then_err(r->why, RETRY("Connection timed out"));
    then_str(r->bytes.data, "one\n");
}

/* --- 401 --- */

static const char unauthorized[] = "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n"
                                   "Content-Length: 2\r\n\r\n{}";

TEST(after_a_401_a_stream_is_repeated_with_a_rotated_token_before_its_sink_is_called)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, unauthorized},
        {STEP_ACCEPT, .wire = 1},
        {STEP_REQUEST, .wire = 1},
        {STEP_SEND, CHUNKS "3\r\nyes\r\n" LAST, .wire = 1},
        {STEP_STALL, .wire = 1},
        {0}};
    ManualClock still;
    clock_manual_init(&still, 0, 0);
    World w = world_open(a,
        &(Given){
            .script = script,
            .config.token_file = scratch_write(a, folder, "token", "old"),
            .options.clock = &still.port,
        });

    scratch_write(a, folder, "token", "new");
    Recorder *r = started(a, &w, &watch_configmaps);
    until_end(a, &w, r);
    then_ok(r->why);
    then_int(r->heads, 1);
    then_int(r->status, 200);
    then_str(r->bytes.data, "yes");
    then_true(strstr(hostile_next(a, w.server), "Bearer old\r\n"));
    then_true(strstr(hostile_next(a, w.server), "Bearer new\r\n"));
}

TEST(a_401_without_another_token_ends_the_stream)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, unauthorized}, {STEP_STALL}, {0}};
    World w = world_open(a, &(Given){.script = script, .config.token = "abc"});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_end(a, &w, r);
    then_ok(r->why);
    then_int(r->heads, 1);
    then_int(r->status, 401);
}

TEST(a_second_401_ends_the_stream_with_its_body)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, unauthorized},
        {STEP_ACCEPT, .wire = 1},
        {STEP_REQUEST, .wire = 1},
        {STEP_SEND, unauthorized, .wire = 1},
        {STEP_STALL, .wire = 1},
        {0}};
    ManualClock still;
    clock_manual_init(&still, 0, 0);
    World w = world_open(a,
        &(Given){
            .script = script,
            .config.token_file = scratch_write(a, folder, "token", "old"),
            .options.clock = &still.port,
        });

    scratch_write(a, folder, "token", "new");
    Recorder *r = started(a, &w, &watch_configmaps);
    until_end(a, &w, r);
    then_int(r->status, 401);
    then_str(r->bytes.data, "{}");
}

/* --- connections --- */

TEST(a_stream_reuses_the_connection_of_a_stream_that_ended)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *page = ok_answer(a, "{}");
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, page},
        {STEP_REQUEST},
        {STEP_SEND, CHUNKS LAST},
        {STEP_REQUEST},
        {STEP_CLOSE},
        {STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, page},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script});

    Recorder *listing = started(a, &w, &list_configmaps);
    until_end(a, &w, listing);
    Recorder *watch = started(a, &w, &watch_configmaps);
    until_end(a, &w, watch);
    then_ok(watch->why);
    Recorder *again = started(a, &w, &list_configmaps); /* its connection dies, and it goes on */
    until_end(a, &w, again);
    then_ok(again->why);
    then_str(again->bytes.data, "{}");
}

TEST(streams_use_tls)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    PkiCert ca, cert;
    const char *const address[] = {"127.0.0.1", NULL};
    then_ok(pki_new_ca(a, "ca", &ca));
    then_ok(pki_new_cert(a, &ca, &(PkiOptions){.ip_addresses = address}, &cert));
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_DRIP, CHUNKS "3\r\none\r\n" LAST}, {STEP_STALL}, {0}};
    World w = world_open(
        a, &(Given){.script = script, .server.cert = &cert, .config.ca_pem = ca.cert_pem});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_end(a, &w, r);
    then_ok(r->why);
    then_str(r->bytes.data, "one");
}

/* --- start, cancel, wake --- */

TEST(a_cancelled_stream_calls_its_sink_no_more)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, CHUNKS "3\r\none\r\n"},
        {STEP_STALL},
        {STEP_NOTE, "hung up"},
        {0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *r = started(a, &w, &watch_configmaps);

    until_bytes(a, &w, r, 3);
    stream_cancel(w.streams, r->id);
    stream_cancel(w.streams, r->id); /* unknown by now */
    stream_cancel(w.streams, 0);
    then_ok(stream_poll(w.streams, a, 0));
    then_true(!r->ended);
    hostile_next(a, w.server);
    then_str(hostile_next(a, w.server), "hung up");
}

/* Cancels itself, or another one, at its first event. */
static void cancel_other(Recorder *self)
{
    self->then = NULL;
    stream_cancel(self->world->streams, self->other->id);
}

TEST(a_sink_may_cancel_its_own_stream_at_every_event)
{
    static const struct {
        const char *name;
        Step step;
        size_t bytes;
    } moments[] = {
        {"at its head", {STEP_SEND, CHUNKS}},
        {"at its bytes", {STEP_SPLIT, CHUNKS "3\r\none\r\n" LAST, .at = sizeof CHUNKS - 1}},
    };
    each_case(i, moments) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {{STEP_ACCEPT},
            {STEP_REQUEST},
            moments[i].step,
            {STEP_STALL},
            {STEP_NOTE, "hung up"},
            {0}};
        World w = world_open(a, &(Given){.script = script});
        Recorder *r = started(a, &w, &watch_configmaps);
        r->then = cancel_other;
        r->other = r;

        while (r->heads == 0)
            poll_once(a, &w);
        then_ok(stream_poll(w.streams, a, 0));
        then_true(!r->ended);
        then_int(r->bytes.len, 0);
        hostile_next(a, w.server);
        then_str(hostile_next(a, w.server), "hung up");
    }
}

TEST(a_sink_may_cancel_another_stream)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_ACCEPT, .wire = 1},
        {STEP_REQUEST, .wire = 1},
        {STEP_SEND, CHUNKS "3\r\none\r\n" LAST},
        {STEP_STALL, .wire = 1},
        {STEP_NOTE, "hung up"},
        {0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *one = started(a, &w, &watch_configmaps), *two = started(a, &w, &watch_configmaps);
    one->then = two->then = cancel_other; /* whichever comes first */
    one->other = two;
    two->other = one;

    while (!one->ended && !two->ended)
        poll_once(a, &w);
    then_ok(stream_poll(w.streams, a, 0));
    then_true(one->ended != two->ended);
    then_int(one->heads + two->heads, 1);
    hostile_next(a, w.server);
    hostile_next(a, w.server);
    then_str(hostile_next(a, w.server), "hung up");
}

/* Starts another stream at its first event. */
static void start_other(Recorder *self)
{
    Recorder *other = self->other;
    Streams *streams = self->world->streams;

    if (other->id == 0)
        then_ok(stream_start(streams, self->arena, &list_configmaps, &other->port, &other->id));
}

TEST(a_sink_may_start_a_stream_at_any_event)
{
    static const struct {
        const char *name, *text;
    } moments[] = {
        {"at its head", CHUNKS LAST},
        {"at its end", ""},
    };
    each_case(i, moments) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {{STEP_ACCEPT},
            {STEP_REQUEST},
            {STEP_SEND, moments[i].text, .len = strlen(moments[i].text)},
            {STEP_CLOSE},
            {STEP_ACCEPT, .wire = 1},
            {STEP_REQUEST, .wire = 1},
            {STEP_SEND, ok_answer(a, "{}"), .wire = 1},
            {STEP_STALL, .wire = 1},
            {0}};
        World w = world_open(a, &(Given){.script = script});
        Recorder *one = recorder(a, &w), *two = recorder(a, &w);
        one->then = start_other;
        one->other = two;
        then_ok(stream_start(w.streams, a, &watch_configmaps, &one->port, &one->id));

        until_end(a, &w, one);
        until_end(a, &w, two);
        then_ok(two->why);
        then_str(two->bytes.data, "{}");
    }
}

/* Starts another stream and cancels it at once, before libcurl has heard of it. */
static void start_and_cancel(Recorder *self)
{
    start_other(self);
    cancel_other(self);
}

TEST(a_stream_that_has_not_started_yet_can_be_cancelled)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, CHUNKS "3\r\none\r\n" LAST}, {STEP_STALL}, {0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *one = recorder(a, &w), *two = recorder(a, &w);
    one->then = start_and_cancel;
    one->other = two;
    then_ok(stream_start(w.streams, a, &watch_configmaps, &one->port, &one->id));

    until_end(a, &w, one);
    then_ok(one->why);
    then_ok(stream_poll(w.streams, a, 0));
    then_true(two->id != 0 && !two->ended && two->heads == 0);
}

TEST(notifying_the_streams_port_ends_a_poll)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT}, {STEP_STALL}, {0}};
    World w = world_open(a, &(Given){.script = script});

    stream_wake(w.streams);
    then_ok(stream_poll(w.streams, a, 3600 * 1000)); /* without streams */
    Recorder *r = started(a, &w, &watch_configmaps);
    stream_wake(w.streams);
    poll_once(a, &w); /* with one that says nothing */
    then_true(!r->ended);
}

TEST(a_stream_request_that_cannot_be_sent_starts_nothing)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *r = recorder(a, &w);
    Request wrong = {.verb = VERB_WATCH, .kind = kind_configmap, .key.name = "one"};

    then_err(stream_start(w.streams, a, &wrong, &r->port, &r->id), TERMINAL("takes no name"));
    then_int(r->id, 0);
    then_ok(stream_poll(w.streams, a, 0));
    then_true(!r->ended);
}

TEST(a_stream_request_is_copied)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT}, {STEP_REQUEST}, {STEP_CLOSE}, {0}};
    World w = world_open(a, &(Given){.script = script});
    Arena *brief = arena_open(1 << 20);
    Request create = create_configmap(brief);
    create.key.name = str_copy(brief, "one");
    create.key.namespace = str_copy(brief, "team");
    const char *body = str_copy(a, request_body(brief, &create).data);
    Recorder *r = recorder(a, &w);

    then_ok(stream_start(w.streams, brief, &create, &r->port, &r->id));
    arena_close(brief);
    until_end(a, &w, r);
    then_err(r->why, RETRY("create configmaps team/one: "));
    then_true(r->why->outcome_unknown);
    then_true(str_has_suffix(hostile_next(a, w.server), body));
}

TEST(streams_beyond_the_maximum_are_refused)
{
    SCOPED_ARENA a = arena_open(32 << 20);
    const Step script[] = {{0}};
    World w = world_open(a, &(Given){.script = script});
    Recorder *r = recorder(a, &w);
    StreamId id = 0;

    for (int i = 0; i < 1024; i++)
        then_ok(stream_start(w.streams, a, &watch_configmaps, &r->port, &id));
    then_err(stream_start(w.streams, a, &watch_configmaps, &r->port, &id),
        TERMINAL("more than 1024 streams at once"));
    stream_cancel(w.streams, id);
    then_ok(stream_start(w.streams, a, &watch_configmaps, &r->port, &id));
}
