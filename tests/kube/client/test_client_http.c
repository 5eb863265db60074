/* The Http port over libcurl, against a server that misbehaves by script. */
#include "kube/client_http.h"

#include "tests/kube/client/hostile.h"
#include "tests/test.h"

#include <dirent.h>

#define HEAD      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define LENGTH(n) HEAD "Content-Length: " #n "\r\n\r\n"

/* A sink that remembers. */
typedef struct Recorder {
    HttpSink port; /* first, so that the sink is this */
    Arena *arena;
    HttpId id;
    int ends, status;
    const char *type, *body;
    Err *why;
} Recorder;

typedef struct Rig {
    Arena *arena;
    Hostile *server;
    Http *http;
} Rig;

static void on_end(HttpSink *self, const HttpAnswer *answer, const Err *why)
{
    Recorder *r = (Recorder *)self;

    then_true(!answer != !why);
    r->ends++;
    r->why = err_copy(r->arena, why);
    if (!answer)
        return;
    r->status = answer->status;
    r->type = str_copy(r->arena, answer->content_type);
    r->body = str_slice(r->arena, answer->body.data, answer->body.len);
}

static void rig_open(Rig *r, const Step *script)
{
    r->arena = arena_open(16 << 20);
    r->server = hostile_start(r->arena, script, &(HostileOptions){0});
    r->http = client_http_open(&(ClientHttpOptions){.user_agent = "test/1"});
}

static void rig_close(Rig *r)
{
    http_close(r->http);
    hostile_stop(r->server);
    arena_close(r->arena);
}

static const char *url(Rig *r, const char *path)
{
    return str_format(r->arena, "http://%s%s", hostile_address(r->server), path);
}

static HttpCall get(Rig *r)
{
    return (HttpCall){
        .method = "GET", .url = url(r, "/v0/healthz"), .deadline_ms = 60000, .answer_max = 1024};
}

static HttpCall post(Rig *r)
{
    return (HttpCall){.method = "POST",
        .url = url(r, "/v0/tasks"),
        .body = bytes_of("{\"id\":\"1\"}"),
        .deadline_ms = 60000,
        .answer_max = 1024};
}

static Recorder *started(Rig *r, HttpCall call)
{
    Recorder *recorder = arena_new(r->arena, Recorder);

    recorder->port.on_end = on_end;
    recorder->arena = r->arena;
    then_ok(http_start(r->http, r->arena, &call, &recorder->port, &recorder->id));
    then_true(recorder->id != 0);
    return recorder;
}

static void until_end(Rig *r, const Recorder *recorder)
{
    while (!recorder->ends)
        then_ok(http_poll(r->http, r->arena, 60000));
}

static Recorder *exchanged(Rig *r, HttpCall call)
{
    Recorder *recorder = started(r, call);

    until_end(r, recorder);
    return recorder;
}

/* --- what goes out and what comes back ---------------------------------------------------------
 */

TEST(a_get_request_carries_host_and_token_and_returns_the_answer)
{
    static const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, LENGTH(2) "{}"}, {STEP_STALL}, {0}};
    Rig r;
    rig_open(&r, script);
    HttpCall call = get(&r);
    call.host = "node-0.node.sei.svc.cluster.local:8443";
    call.bearer = "s3cret";
    Recorder *e = exchanged(&r, call);

    then_int(e->ends, 1);
    then_int(e->status, 200);
    then_str(e->type, "application/json");
    then_str(e->body, "{}");
    const char *request = hostile_next(r.arena, r.server);
    then_true(str_has_prefix(request, "GET /v0/healthz HTTP/1.1\r\n"));
    then_true(strstr(request, "\r\nHost: node-0.node.sei.svc.cluster.local:8443\r\n"));
    then_true(strstr(request, "\r\nAuthorization: Bearer s3cret\r\n"));
    then_true(!strstr(request, "X-Remote-User"));
    rig_close(&r);
}

TEST(a_post_request_carries_json)
{
    static const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"},
        {STEP_STALL},
        {0}};
    Rig r;
    rig_open(&r, script);
    Recorder *e = exchanged(&r, post(&r));

    then_int(e->status, 201);
    then_str(e->type, NULL);
    then_str(e->body, "");
    const char *request = hostile_next(r.arena, r.server);
    then_true(str_has_prefix(request, "POST /v0/tasks HTTP/1.1\r\n"));
    then_true(strstr(request, "\r\nContent-Type: application/json\r\n"));
    then_true(str_has_suffix(request, "{\"id\":\"1\"}"));
    then_true(!strstr(request, "Authorization"));
    rig_close(&r);
}

TEST(a_redirect_is_returned_and_not_followed)
{
    static const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND,
            "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"},
        {STEP_STALL},
        {0}};
    Rig r;
    rig_open(&r, script);

    then_int(exchanged(&r, get(&r))->status, 302);
    rig_close(&r);
}

TEST(a_proxy_of_the_environment_is_not_used_for_http_calls)
{
    static const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, LENGTH(0)}, {STEP_STALL}, {0}};
    Rig r;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    rig_open(&r, script);
    Recorder *e = exchanged(&r, get(&r));

    unsetenv("http_proxy");
    then_ok(e->why);
    rig_close(&r);
}

/* --- connections -------------------------------------------------------------------------------
 */

TEST(an_http_connection_is_used_again)
{
    static const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "1"},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "2"},
        {STEP_STALL},
        {0}};
    Rig r;
    rig_open(&r, script);

    then_str(exchanged(&r, get(&r))->body, "1");
    then_str(exchanged(&r, get(&r))->body, "2");
    rig_close(&r);
}

TEST(a_request_that_breaks_on_a_reused_connection_is_repeated_only_if_it_is_a_get)
{
    static const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "1"},
        {STEP_REQUEST}, /* on the kept connection; then it dies */
        {STEP_CLOSE},
        {STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "2"},
        {STEP_CLOSE},
        {STEP_ACCEPT}, /* a POST has a connection of its own */
        {STEP_REQUEST},
        {STEP_CLOSE},
        {0}};
    Rig r;
    rig_open(&r, script);

    then_str(exchanged(&r, get(&r))->body, "1");
    then_str(exchanged(&r, get(&r))->body, "2");
    Recorder *e = exchanged(&r, post(&r));
    then_err(e->why, RETRY("closed the connection without an answer"));
    then_true(e->why->outcome_unknown);
    int requests = 0;
    while (hostile_next(r.arena, r.server))
        requests++;
    then_int(requests, 4);
    rig_close(&r);
}

/* --- servers that misbehave --------------------------------------------------------------------
 */

#define ANSWERS(...) {{STEP_ACCEPT}, {STEP_REQUEST}, __VA_ARGS__, {0}}

static const struct {
    const char *name;
    Step script[8];
    int64_t deadline_ms; /* 0: a minute */
    Want want;
} faults[] = {
    {"hangs up at once", {{STEP_ACCEPT}, {STEP_CLOSE}}, .want = RETRY("without an answer")},
    {"resets", ANSWERS({STEP_RESET}), .want = RETRY("without an answer")},
    {"hangs up within the head",
        ANSWERS({STEP_SEND, "HTTP/1.1 200 OK\r\nContent-"}, {STEP_CLOSE}),
        .want = RETRY("")},
    {"hangs up within the body",
        ANSWERS({STEP_SEND, LENGTH(9) "{"}, {STEP_CLOSE}),
        .want = RETRY("broke off")},
    {"speaks something else",
        ANSWERS({STEP_SEND, "SSH-2.0-OpenSSH_9.2\r\n"}, {STEP_CLOSE}),
        .want = RETRY("does not speak HTTP")},
    {"never answers",
        ANSWERS({STEP_STALL}),
        .deadline_ms = 100,
        .want = RETRY("did not answer within 100 ms")},
    {"never ends its answer",
        ANSWERS({STEP_SEND, LENGTH(9) "{"}, {STEP_STALL}),
        .deadline_ms = 100,
        .want = RETRY("did not end its answer within 100 ms")},
    {"answers with too much",
        ANSWERS({STEP_SEND, LENGTH(999999)}, {STEP_FLOOD, "0123456789", .count = 1000}),
        .want = RETRY("more than 1024 bytes")},
    {"answers without an end",
        ANSWERS({STEP_SEND, HEAD "\r\n"}, {STEP_FLOOD, "0123456789", .count = 1000}),
        .want = RETRY("more than 1024 bytes")},
    {"has a head without an end",
        ANSWERS({STEP_SEND, HEAD}, {STEP_FLOOD, "X-Header: 0123456789\r\n", .count = 10000}),
        .want = RETRY("head of more than")},
};

TEST(every_server_fault_is_an_error_of_only_that_exchange)
{
    each_case(i, faults) {
        Rig r;
        rig_open(&r, faults[i].script);
        HttpCall call = post(&r);
        call.bearer = "s3cret";
        if (faults[i].deadline_ms)
            call.deadline_ms = faults[i].deadline_ms;
        Recorder *e = exchanged(&r, call);

        then_err(e->why, faults[i].want);
        then_true(strstr(err_text(r.arena, e->why), hostile_address(r.server)));
        then_true(!strstr(err_text(r.arena, e->why), "s3cret"));
        then_int(e->ends, 1);
        rig_close(&r);
    }
}

TEST(a_refused_http_connection_has_a_known_outcome)
{
    static const Step script[] = {{STEP_REFUSE}, {STEP_NOTE, "shut"}, {STEP_HOLD}, {0}};
    Rig r;
    rig_open(&r, script);
    then_str(hostile_next(r.arena, r.server), "shut");
    Recorder *e = exchanged(&r, post(&r));

    then_err(e->why, RETRY("refused"));
    then_true(!e->why->outcome_unknown);
    rig_close(&r);
}

TEST(an_unanswered_post_has_an_unknown_outcome)
{
    static const Step script[] = ANSWERS({STEP_CLOSE});
    Rig r;
    rig_open(&r, script);

    then_true(exchanged(&r, post(&r))->why->outcome_unknown);
    rig_close(&r);
}

TEST(an_exchange_that_hangs_delays_no_other_exchange)
{
    static const Step hangs[] = {{STEP_ACCEPT}, {STEP_HOLD}, {0}};
    static const Step answers[] = ANSWERS({STEP_SEND, LENGTH(0)}, {STEP_STALL});
    Rig r, other;
    rig_open(&r, hangs);
    rig_open(&other, answers);
    HttpCall call = get(&r);
    Recorder *hung = started(&r, call);
    call.url = url(&other, "/");

    then_int(exchanged(&r, call)->status, 200);
    then_int(hung->ends, 0);
    rig_close(&other);
    rig_close(&r);
}

/* --- calls that are not made -------------------------------------------------------------------
 */

static const struct {
    const char *name, *url, *host, *bearer;
    int64_t deadline_ms;
    Want want;
} refused[] = {
    {"TLS", "https://127.0.0.1/", .deadline_ms = 1, .want = TERMINAL("not an http:// URL")},
    {"a file", "file:///etc/passwd", .deadline_ms = 1, .want = TERMINAL("not an http:// URL")},
    {"a URL with a line end",
        "http://127.0.0.1/\r\nX: y",
        .deadline_ms = 1,
        .want = TERMINAL("not an http:// URL")},
    {"credentials in the URL",
        "http://me:s3cret@127.0.0.1/",
        .deadline_ms = 1,
        .want = TERMINAL("credentials in it")},
    {"a host with a line end",
        "http://127.0.0.1/",
        "a\r\nX-Remote-User: root",
        .deadline_ms = 1,
        .want = TERMINAL("cannot be a Host header")},
    {"a token with a line end",
        "http://127.0.0.1/",
        .bearer = "s3cret\r\nX-Remote-User: root",
        .deadline_ms = 1,
        .want = TERMINAL("the token has characters")},
    {"no deadline", "http://127.0.0.1/", .want = TERMINAL("needs a deadline")},
};

TEST(an_ambiguous_or_invalid_url_is_refused)
{
    each_case(i, refused) {
        static const Step script[] = {{STEP_HOLD}, {0}};
        Rig r;
        rig_open(&r, script);
        Recorder e = {.port = {on_end}};
        HttpCall call = {.method = "GET",
            .url = refused[i].url,
            .host = refused[i].host,
            .bearer = refused[i].bearer,
            .deadline_ms = refused[i].deadline_ms};
        Err *err = http_start(r.http, r.arena, &call, &e.port, &e.id);

        then_err(err, refused[i].want);
        then_true(!strstr(err_text(r.arena, err), "s3cret"));
        rig_close(&r);
    }
}

/* --- cancelling and waking ---------------------------------------------------------------------
 */

TEST(a_cancelled_exchange_calls_its_sink_no_more)
{
    static const Step script[] = {{STEP_ACCEPT}, {STEP_HOLD}, {0}};
    Rig r;
    rig_open(&r, script);
    Recorder *e = started(&r, get(&r));

    http_cancel(r.http, 0);
    http_cancel(r.http, e->id + 1);
    http_cancel(r.http, e->id);
    http_cancel(r.http, e->id);
    then_ok(http_poll(r.http, r.arena, 0));
    then_int(e->ends, 0);
    rig_close(&r);
}

TEST(notifying_the_http_port_ends_the_next_poll)
{
    static const Step script[] = {{STEP_HOLD}, {0}};
    Rig r;
    rig_open(&r, script);

    http_wake(r.http);
    then_ok(http_poll(r.http, r.arena, 3600000));
    rig_close(&r);
}

/* Begins the next exchange from within the end of the one before. */
typedef struct Chain {
    HttpSink port; /* first, so that the sink is this */
    Rig *rig;
    int ends;
} Chain;

static void begin_next(HttpSink *self, const HttpAnswer *answer, const Err *why)
{
    Chain *c = (Chain *)self;
    HttpCall call = get(c->rig);
    HttpId id;

    then_true(answer && !why);
    if (++c->ends < 3)
        then_ok(http_start(c->rig->http, c->rig->arena, &call, self, &id));
}

TEST(a_sink_may_start_the_next_exchange)
{
    static const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "1"},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "2"},
        {STEP_REQUEST},
        {STEP_SEND, LENGTH(1) "3"},
        {STEP_STALL},
        {0}};
    Rig r;
    rig_open(&r, script);
    Chain c = {.port = {begin_next}, .rig = &r};
    HttpCall call = get(&r);
    HttpId id;

    then_ok(http_start(r.http, r.arena, &call, &c.port, &id));
    while (c.ends < 3)
        then_ok(http_poll(r.http, r.arena, 60000));
    rig_close(&r);
}

static int open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    then_true(dir != NULL);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* Silent servers take no more file descriptors than that. The server is another process. */
TEST(at_most_the_allowed_number_of_connections_is_open)
{
    static const Step script[] = {{STEP_HOLD}, {0}};
    Rig r;
    rig_open(&r, script);
    http_close(r.http);
    r.http = client_http_open(&(ClientHttpOptions){.user_agent = "test/1", .connections_max = 2});
    int before = open_files(), most = 0;

    for (int i = 0; i < 8; i++)
        (void)started(&r, get(&r));
    for (int i = 0; i < 20; i++) {
        then_ok(http_poll(r.http, r.arena, 10));
        int now = open_files() - before;
        most = now > most ? now : most;
    }
    then_int(most, 2);
    rig_close(&r);
}

TEST(exchanges_beyond_the_maximum_are_refused)
{
    static const Step script[] = {{STEP_HOLD}, {0}};
    Rig r;
    rig_open(&r, script);
    HttpCall call = get(&r);
    Recorder e = {.port = {on_end}};

    for (int i = 0; i < CLIENT_HTTP_EXCHANGES_MAX; i++)
        then_ok(http_start(r.http, r.arena, &call, &e.port, &e.id));
    then_err(http_start(r.http, r.arena, &call, &e.port, &e.id), TERMINAL("at once"));
    rig_close(&r);
}
