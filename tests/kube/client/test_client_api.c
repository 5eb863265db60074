/* The Api over HTTP: what arrives at the server, what comes back, and when a request is sent again
 * (the table at the top of client.c). Faults of the answer are in test_client_faults.c, those of
 * TLS in test_client_tls.c. */
#include "kube/status.h"
#include "tests/kube/client/client_world.h"
#include "tests/kube/client/scratch.h"
#include "tests/test.h"

#include <sys/socket.h>
#include <unistd.h>

static bool mentions(const char *text, const char *phrase)
{
    return text && strstr(text, phrase);
}

/* --- requests and answers --- */

TEST(a_request_carries_the_token_and_the_user_agent)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, ok_answer(a, "{\"a\": 1}")}, {STEP_STALL}, {0}};
    World w = world_open(a,
        &(Given){
            .script = script, .config.token = "abc", .options.user_agent = "sei-operator/1.0"});
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, &got));
    then_json(got, "{a: 1}");
    const char *request = hostile_next(a, w.server);
    then_true(str_has_prefix(
        request, "GET /api/v1/namespaces/team/configmaps/one HTTP/1.1\r\nHost: 127"));
    then_true(mentions(request, "\r\nAccept: application/json\r\n"));
    then_true(mentions(request, "\r\nAuthorization: Bearer abc\r\n"));
    then_true(mentions(request, "\r\nUser-Agent: sei-operator/1.0\r\n"));
    then_true(!mentions(request, "Content-"));
    then_true(!mentions(request, "Accept-Encoding"));
}

static const struct {
    const char *name;
    Verb verb;
    const char *line, *type;
} verbs[] = {
    {"create",
        VERB_CREATE,
        "POST /api/v1/namespaces/team/configmaps ",
        "\r\nContent-Type: application/json\r\n"},
    {"update",
        VERB_UPDATE,
        "PUT /api/v1/namespaces/team/configmaps/one ",
        "\r\nContent-Type: application/json\r\n"},
    {"apply",
        VERB_APPLY,
        "PATCH /api/v1/namespaces/team/configmaps/one?fieldManager=me&force=true ",
        "\r\nContent-Type: application/apply-patch+yaml\r\n"},
    {"merge patch",
        VERB_MERGE_PATCH,
        "PATCH /api/v1/namespaces/team/configmaps/one?",
        "\r\nContent-Type: application/merge-patch+json\r\n"},
    {"JSON patch",
        VERB_JSON_PATCH,
        "PATCH /api/v1/namespaces/team/configmaps/one?",
        "\r\nContent-Type: application/json-patch+json\r\n"},
    {"delete",
        VERB_DELETE,
        "DELETE /api/v1/namespaces/team/configmaps/one ",
        "\r\nContent-Type: application/json\r\n"},
};

TEST(every_verb_is_sent_with_its_method_and_content_type_and_body)
{
    each_case(i, verbs) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {
            {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, ok_answer(a, "{}")}, {STEP_STALL}, {0}};
        World w = world_open(a, &(Given){.script = script});
        Request request = create_configmap(a);
        request.verb = verbs[i].verb;
        request.manager =
            verbs[i].verb == VERB_CREATE || verbs[i].verb == VERB_UPDATE ? NULL : "me";
        request.force = true;

        then_ok(api_call(w.api, a, &request, NULL));
        const char *seen = hostile_next(a, w.server);
        then_true(str_has_prefix(seen, verbs[i].line));
        then_true(mentions(seen, verbs[i].type));
        then_true(!mentions(seen, "Expect"));
        then_true(str_has_suffix(seen, (char *)request_body(a, &request).data));
    }
}

TEST(calls_of_every_kind_share_one_connection)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *fine = ok_answer(a, "{}"), *missing = answer(a, "404 Not Found", "", "{}");
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, fine},
        {STEP_REQUEST},
        {STEP_SEND, fine},
        {STEP_REQUEST},
        {STEP_SEND, missing},
        {STEP_REQUEST},
        {STEP_SEND, fine},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script});
    Request create = create_configmap(a);

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    then_ok(api_call(w.api, a, &create, NULL));
    then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("no such path"));
    then_ok(api_call(w.api, a, &get_configmap, NULL));
    then_true(str_has_prefix(hostile_next(a, w.server), "GET "));
    then_true(str_has_prefix(hostile_next(a, w.server), "POST "));
    const char *third = hostile_next(a, w.server);
    then_true(str_has_prefix(third, "GET "));
    then_true(!mentions(third, "Content-"));
    then_true(str_has_prefix(hostile_next(a, w.server), "GET "));
}

TEST(an_empty_answer_is_no_object_and_a_raw_text_is_a_string)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
        {STEP_REQUEST},
        {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{\"major\": \"1\"}")},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script});
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, &got));
    then_true(!got);
    Request ready = {.verb = VERB_RAW_GET, .raw_path = "/readyz"};
    then_ok(api_call(w.api, a, &ready, &got));
    then_str(json_text(got), "ok");
    Request version = {.verb = VERB_RAW_GET, .raw_path = "/version"};
    then_ok(api_call(w.api, a, &version, &got));
    then_json(got, "{major: '1'}");
}

#define WORD "rosebud"

static const struct {
    const char *name, *answer;
} broken_secrets[] = {
    {"cut off within the value",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
        "{\"data\":{\"k\":\"" WORD},
    {"no JSON",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 21\r\n\r\n"
        "{\"data\":{\"k\":" WORD "}"},
    {"no JSON, and it says so",
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\n" WORD},
    {"refused, with the Secret behind it",
        "HTTP/1.1 500 Oops\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n"
        "{\"data\":{\"k\":\"" WORD "\"}}"},
    {"refused, in plain text",
        "HTTP/1.1 403 No\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\n" WORD},
};

TEST(an_unusable_answer_about_a_secret_is_not_repeated_in_the_error)
{
    static const Request get = {.verb = VERB_GET, .kind = kind_secret, .key = {"sei", "signing"}};

    each_case(i, broken_secrets) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {{STEP_ACCEPT},
            {STEP_REQUEST},
            {STEP_SEND, broken_secrets[i].answer},
            {STEP_CLOSE},
            {0}};
        World w = world_open(a, &(Given){.script = script});

        Err *err = api_call(w.api, a, &get, NULL);

        then_true(err_is(err, ERR_RETRY));
        then_true(strstr(err_text(a, err), "get secrets sei/signing") != NULL);
        then_true(!strstr(err_text(a, err), WORD));
    }
}

TEST(a_request_that_cannot_be_sent_is_refused_before_a_connection_is_used)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    const Step script[] = {{STEP_ACCEPT}, {0}};
    World w = world_open(a, &(Given){.script = script});
    Request nameless = {.verb = VERB_GET, .kind = kind_configmap, .key.namespace = "team"};
    char *labels = arena_alloc(a, (64 << 10) + 1);
    memset(labels, 'x', 64 << 10);
    Request endless = {.verb = VERB_LIST, .kind = kind_configmap, .labels = labels};

    then_err(api_call(w.api, a, &nameless, NULL), TERMINAL("name is empty"));
    then_err(api_call(w.api, a, &endless, NULL), TERMINAL("URL is longer than 65536 bytes"));
}

/* --- what the server refuses --- */

#define STATUS(reason)                                                                             \
    "{\"kind\": \"Status\", \"reason\": \"" reason "\", \"message\": \"m\","                       \
    " \"details\": {\"name\": \"one\"}}"

static const struct {
    const char *name, *status, *lines, *body;
    int code;
    int64_t retry_after_ms;
    bool outcome_unknown;
    Want want;
} refusals[] = {
    {"an object that is not there",
        "404 Not Found",
        "",
        STATUS("NotFound"),
        404,
        .want = RETRY("create configmaps team/one: m (404 NotFound)")},
    {"a conflict", "409 Conflict", "", STATUS("Conflict"), 409, .want = RETRY("409 Conflict")},
    {"an old version", "410 Gone", "", STATUS("Expired"), 410, .want = RETRY("410 Expired")},
    {"an invalid object",
        "422 Unprocessable Entity",
        "",
        STATUS("Invalid"),
        422,
        .want = TERMINAL("422 Invalid")},
    {"a missing permission",
        "403 Forbidden",
        "",
        STATUS("Forbidden"),
        403,
        .want = RETRY("Forbidden")},
    {"too many requests, with seconds",
        "429 Too Many Requests",
        "Retry-After: 7\r\n",
        STATUS("TooManyRequests"),
        429,
        .retry_after_ms = 7000,
        .want = RETRY("429")},
    {"unavailable, with a date",
        "503 Service Unavailable",
        "Retry-After: Thu, 01 Jan 1970 00:01:30 GMT\r\n",
        STATUS("ServiceUnavailable"),
        503,
        .retry_after_ms = 30000,
        .want = RETRY("503")},
    {"trouble",
        "500 Internal Server Error",
        "",
        STATUS("InternalError"),
        500,
        .outcome_unknown = true,
        .want = RETRY("500")},
    {"a proxy in trouble, in HTML",
        "502 Bad Gateway",
        "",
        "<html>",
        502,
        .outcome_unknown = true,
        .want = RETRY("in trouble (502)")},
    {"a redirect",
        "301 Moved Permanently",
        "Location: http://127.0.0.1:1/evil\r\n",
        "{}",
        301,
        .want = TERMINAL("redirects are not followed")},
    {"a redirect that would keep the body",
        "307 Temporary Redirect",
        "Location: http://127.0.0.1:1/evil\r\n",
        "{}",
        307,
        .want = TERMINAL("redirects are not followed")},
    {"a login page",
        "401 Unauthorized",
        "WWW-Authenticate: Basic realm=\"x\"\r\n",
        "",
        401,
        .want = RETRY("does not accept our credentials (401)")},
};

TEST(refusals_of_the_server_are_mapped_to_their_error_classes)
{
    each_case(i, refusals) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *text = answer(a, refusals[i].status, refusals[i].lines, refusals[i].body);
        const Step script[] = {{STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, text}, {STEP_STALL}, {0}};
        ManualClock clock;
        clock_manual_init(&clock, 5000000000, 60 * 1000000000LL);
        World w = world_open(
            a, &(Given){.script = script, .config.token = "abc", .options.clock = &clock.port});
        Request create = create_configmap(a);

        Err *err = api_call(w.api, a, &create, NULL);
        then_err(err, refusals[i].want);
        then_int(err->status, refusals[i].code);
        then_int(err->retry_after_ms, refusals[i].retry_after_ms);
        then_int(err->outcome_unknown, refusals[i].outcome_unknown);
        then_true(str_has_prefix(hostile_next(a, w.server), "POST "));
        hostile_stop(w.server);
        then_str(hostile_next(a, w.server), NULL);
    }
}

/* --- 401 and other credentials --- */

static const char *unauthorized(Arena *a)
{
    return answer(a, "401 Unauthorized", "", "{\"kind\": \"Status\", \"message\": \"who?\"}");
}

TEST(after_a_401_a_rotated_token_is_read_and_the_request_is_sent_once_more)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{}")},
        {STEP_REQUEST},
        {STEP_SEND, unauthorized(a)},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{\"b\": 2}")},
        {STEP_STALL},
        {0}};
    ManualClock clock; /* stands still, so that only the 401 makes it look */
    clock_manual_init(&clock, 5000000000, 0);
    World w = world_open(a,
        &(Given){
            .script = script,
            .config.token_file = scratch_write(a, folder, "token", "old"),
            .options.clock = &clock.port,
        });
    Request create = create_configmap(a);
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    scratch_write(a, folder, "token", "new");
    then_ok(api_call(w.api, a, &create, &got));
    then_json(got, "{b: 2}");
    then_true(mentions(hostile_next(a, w.server), "Bearer old\r\n"));
    then_true(mentions(hostile_next(a, w.server), "Bearer old\r\n"));
    const char *third = hostile_next(a, w.server);
    then_true(mentions(third, "POST ") && mentions(third, "Bearer new\r\n"));
    then_true(str_has_suffix(third, (char *)request_body(a, &create).data));
}

TEST(a_second_401_is_returned_to_the_caller)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, unauthorized(a)},
        {STEP_REQUEST},
        {STEP_SEND, unauthorized(a)},
        {STEP_REQUEST},
        {0}};
    World w = world_open(a,
        &(Given){.script = script, .config.token_file = scratch_write(a, folder, "token", "old")});

    scratch_write(a, folder, "token", "new");
    Err *err = api_call(w.api, a, &get_configmap, NULL);
    then_err(err, RETRY("who? (401)"));
    then_true(status_is_unauthorized(err));
}

/* At the clock, before libcurl is given a request; it looks once more before it sends. */
enum { LOOKS_TO_PREPARE = 5 };

/* A clock that stands still while a request is prepared and then jumps. */
typedef struct JumpingClock {
    Clock port;
    int looks, still; /* so many looks see it stand still */
    int64_t jump_ns;
} JumpingClock;

static int64_t jumping_ns(Clock *self)
{
    JumpingClock *c = (JumpingClock *)self;
    return c->looks++ < c->still ? 0 : c->jump_ns;
}

static const struct {
    const char *name;
    int64_t jump_ms;
    Want want;
} jumps[] = {
    {"no time is left to ask again", 600000, RETRY("who? (401)")},
    {"a little time is left", 599900, RETRY("did not answer within 600000 ms")},
};

TEST(both_attempts_of_a_request_share_one_deadline)
{
    each_case(i, jumps) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *folder = scratch_folder(a);
        const Step script[] = {
            {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, unauthorized(a)}, {STEP_STALL}, {0}};
        JumpingClock clock = {
            .port = {.mono_ns = jumping_ns, .wall_ns = jumping_ns},
            .still = LOOKS_TO_PREPARE + 1,
            .jump_ns = jumps[i].jump_ms * 1000000,
        };
        World w = world_open(a,
            &(Given){
                .script = script,
                .config.token_file = scratch_write(a, folder, "token", "old"),
                .options = {.clock = &clock.port, .request_timeout_ms = 600000},
            });

        scratch_write(a, folder, "token", "new");
        then_err(api_call(w.api, a, &get_configmap, NULL), jumps[i].want);
    }
}

TEST(a_request_whose_deadline_passed_before_it_is_sent_is_not_sent)
{
    static const Step script[] = {{STEP_ACCEPT}, {STEP_STALL}, {0}};
    SCOPED_ARENA a = arena_open(1 << 20);
    JumpingClock clock = {
        .port = {.mono_ns = jumping_ns, .wall_ns = jumping_ns},
        .still = LOOKS_TO_PREPARE,
        .jump_ns = 600000 * 1000000LL,
    };
    World w = world_open(a,
        &(Given){
            .script = script,
            .options = {.clock = &clock.port, .request_timeout_ms = 600000},
        });

    Err *err = api_call(w.api, a, &get_configmap, NULL);
    then_err(err, RETRY("not sent: its 600000 ms were over before"));
    then_true(!err->outcome_unknown);
}

TEST(a_rotated_token_is_used_without_a_401)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *folder = scratch_folder(a);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{}")},
        {STEP_REQUEST},
        {STEP_SEND, ok_answer(a, "{}")},
        {STEP_STALL},
        {0}};
    ManualClock clock;
    clock_manual_init(&clock, 5000000000, 0);
    World w = world_open(a,
        &(Given){
            .script = script,
            .config.token_file = scratch_write(a, folder, "token", "old"),
            .options.clock = &clock.port,
        });

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    scratch_write(a, folder, "token", "new");
    clock_manual_advance_ms(&clock, 1000);
    then_ok(api_call(w.api, a, &get_configmap, NULL));
    then_true(mentions(hostile_next(a, w.server), "Bearer old\r\n"));
    then_true(mentions(hostile_next(a, w.server), "Bearer new\r\n"));
}

/* --- connections that die between requests --- */

/* One good exchange, then the steps, then another connection that works. */
static Step *dying(Arena *a, const Step *steps)
{
    Step *script = arena_array(a, Step, 16);
    size_t count = 0;
    const char *fine = ok_answer(a, "{}");

    script[count++] = (Step){STEP_ACCEPT};
    script[count++] = (Step){STEP_REQUEST};
    script[count++] = (Step){STEP_SEND, fine};
    for (; steps->type != STEP_END; steps++)
        script[count++] = *steps;
    script[count++] = (Step){STEP_ACCEPT, .wire = 1};
    script[count++] = (Step){STEP_REQUEST, .wire = 1};
    script[count++] = (Step){STEP_SEND, fine, .wire = 1};
    script[count++] = (Step){STEP_STALL, .wire = 1};
    return script;
}

static const struct {
    const char *name;
    Step steps[4];
    bool server_read_it;
} deaths[] = {
    {"closed after the request was read", {{STEP_REQUEST}, {STEP_CLOSE}}, true},
    {"reset after the request was read", {{STEP_REQUEST}, {STEP_RESET}}, true},
    {"closed before it was read", {{STEP_BYTES}, {STEP_CLOSE}}, false},
    {"reset before it was read", {{STEP_BYTES}, {STEP_RESET}}, false},
};

TEST(a_read_on_a_connection_that_breaks_is_sent_once_more)
{
    each_case(i, deaths) {
        SCOPED_ARENA a = arena_open(1 << 20);
        World w = world_open(a, &(Given){.script = dying(a, deaths[i].steps)});

        then_ok(api_call(w.api, a, &get_configmap, NULL));
        then_ok(api_call(w.api, a, &get_configmap, NULL));
    }
}

TEST(an_apply_on_a_connection_that_breaks_is_sent_once_more)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w = world_open(a, &(Given){.script = dying(a, deaths[0].steps)});
    Request apply = create_configmap(a);
    apply.verb = VERB_APPLY;
    apply.manager = "me";

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    then_ok(api_call(w.api, a, &apply, NULL));
    hostile_next(a, w.server);
    then_true(str_has_prefix(hostile_next(a, w.server), "PATCH "));
    const char *again = hostile_next(a, w.server);
    then_true(str_has_suffix(again, (char *)request_body(a, &apply).data));
}

TEST(a_write_on_a_connection_that_breaks_is_never_sent_again)
{
    each_case(i, deaths) {
        SCOPED_ARENA a = arena_open(1 << 20);
        /* libcurl opens a connection for the repeat and, when that is refused, drops it. */
        const Step steps[] = {
            deaths[i].steps[0], deaths[i].steps[1], {STEP_ACCEPT}, {STEP_STALL}, {0}};
        World w = world_open(a, &(Given){.script = dying(a, steps)});
        Request create = create_configmap(a);

        then_ok(api_call(w.api, a, &get_configmap, NULL));
        Err *err = api_call(w.api, a, &create, NULL);
        then_err(err, RETRY("create configmaps team/one: 127.0.0.1:"));
        then_err(err, RETRY("closed the connection without an answer"));
        then_true(err->outcome_unknown);
        then_int(err->status, 0);
        then_true(str_has_prefix(hostile_next(a, w.server), "GET "));
        if (deaths[i].server_read_it)
            then_true(str_has_prefix(hostile_next(a, w.server), "POST "));

        then_ok(api_call(w.api, a, &get_configmap, NULL));
        then_true(str_has_prefix(hostile_next(a, w.server), "GET "));
    }
}

TEST(a_delete_on_a_connection_that_breaks_is_never_sent_again)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    World w = world_open(a, &(Given){.script = dying(a, deaths[0].steps)});
    Request delete = get_configmap;
    delete.verb = VERB_DELETE;

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    Err *err = api_call(w.api, a, &delete, NULL);
    then_err(err, RETRY("closed the connection"));
    then_true(err->outcome_unknown);
}

TEST(a_connection_that_was_closed_while_idle_is_replaced_before_a_request_is_sent)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step steps[] = {{STEP_CLOSE}, {STEP_NOTE, "closed"}, {0}};
    World w = world_open(a, &(Given){.script = dying(a, steps)});
    Request create = create_configmap(a);

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    hostile_next(a, w.server);
    then_str(hostile_next(a, w.server), "closed");
    then_ok(api_call(w.api, a, &create, NULL));
}

/* The client's end of its only connection. */
static int client_socket(const char *address)
{
    for (int fd = 3; fd < 256; fd++) {
        struct sockaddr_storage peer = {0};
        socklen_t len = sizeof peer;
        int type = 0;
        socklen_t type_len = sizeof type;
        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &type_len) == 0 && type == SOCK_STREAM
            && getpeername(fd, (struct sockaddr *)&peer, &len) == 0 && peer.ss_family == AF_INET)
            return fd;
    }
    test_fail(__FILE__, __LINE__, "no connection to %s", address);
}

TEST(a_write_of_which_no_byte_could_be_sent_is_sent_on_another_connection)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step steps[] = {
        {STEP_STALL}, {0}}; /* stays open, so that the client finds nothing wrong */
    World w = world_open(a, &(Given){.script = dying(a, steps)});
    Request create = create_configmap(a);

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    shutdown(client_socket(hostile_address(w.server)), SHUT_WR);
    then_ok(api_call(w.api, a, &create, NULL));
    hostile_next(a, w.server);
    then_true(str_has_prefix(hostile_next(a, w.server), "POST "));
}

TEST(a_write_of_which_no_byte_was_sent_has_a_known_outcome)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step steps[] = {{STEP_REFUSE}, {STEP_NOTE, "refusing"}, {STEP_HOLD}, {0}};
    World w = world_open(a, &(Given){.script = dying(a, steps)});
    Request create = create_configmap(a);

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    hostile_next(a, w.server);
    then_str(hostile_next(a, w.server), "refusing");
    shutdown(client_socket(hostile_address(w.server)), SHUT_WR);
    Err *err = api_call(w.api, a, &create, NULL);
    then_err(err, RETRY("refused: is the API server running?"));
    then_true(!err->outcome_unknown);
}

TEST(a_new_connection_that_breaks_is_reported_to_the_caller_and_not_retried)
{
    each_case(i, deaths) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {{STEP_ACCEPT},
            deaths[i].steps[0],
            deaths[i].steps[1],
            {STEP_ACCEPT},
            {STEP_STALL},
            {0}};
        World w = world_open(a, &(Given){.script = script});
        Request create = create_configmap(a);

        Err *err = api_call(w.api, a, &create, NULL);
        then_err(err, RETRY("closed the connection without an answer"));
        then_true(err->outcome_unknown);
    }
}

/* --- no connection at all --- */

TEST(a_refused_connection_is_reported_with_its_address_and_what_to_check)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{0}};
    World w = world_open(a, &(Given){.script = script});
    Request create = create_configmap(a);

    then_str(hostile_next(a, w.server), NULL); /* the script has ended, and with it the server */
    hostile_stop(w.server);
    Err *err = api_call(w.api, a, &create, NULL);
    then_err(err, RETRY("create configmaps team/one: connection to 127.0.0.1:"));
    then_err(err, RETRY("refused: is the API server running?"));
    then_true(!err->outcome_unknown);
    then_int(err->status, 0);
}

TEST(a_host_name_that_does_not_resolve_is_reported)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {{0}};
    World w = world_open(a, &(Given){.script = script, .config.server = "http://nowhere.invalid"});

    then_err(api_call(w.api, a, &get_configmap, NULL),
        RETRY("cannot resolve the host of nowhere.invalid:80"));
}

TEST(proxies_of_the_environment_are_not_used_for_the_api_server)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Step script[] = {
        {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, ok_answer(a, "{}")}, {STEP_STALL}, {0}};
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
    World w = world_open(a, &(Given){.script = script});

    then_ok(api_call(w.api, a, &get_configmap, NULL));
    unsetenv("http_proxy");
    unsetenv("ALL_PROXY");
}
