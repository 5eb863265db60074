/* Answers that are wrong in every way that bytes can be, for a read and for a write. */
#include "base/draft.h"
#include "tests/kube/client/client_world.h"
#include "tests/test.h"

enum { BODY_MAX = 1 << 20 };

/* 1,024 spaces. */
#define BLANKS_64  "                                                                "
#define BLANKS_256 BLANKS_64 BLANKS_64 BLANKS_64 BLANKS_64
#define BLANKS     BLANKS_256 BLANKS_256 BLANKS_256 BLANKS_256

#define HEAD   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define CHUNKS HEAD "Transfer-Encoding: chunked\r\n\r\n"

/* What the server does once it has read the request. */
static const struct {
    const char *name;
    Step steps[3];
    Want want;
    int64_t deadline_ms;
    bool too_large; /* a smaller answer might fit */
} faults[] = {
    /* No answer. */
    {"silence", {{STEP_STALL}}, RETRY("did not answer within 300 ms"), 300},
    {"half a head, then silence",
        {{STEP_SEND, "HTTP/1.1 200 OK\r\nContent-"}, {STEP_STALL}},
        RETRY("did not answer within 300 ms"),
        300},
    {"half a head, then the end",
        {{STEP_SEND, "HTTP/1.1 200 OK\r\nContent-"}, {STEP_CLOSE}},
        RETRY("127.0.0.1:")},
    {"only an interim answer",
        {{STEP_SEND, "HTTP/1.1 100 Continue\r\n\r\n"}, {STEP_CLOSE}},
        RETRY("closed the connection without an answer")},

    /* No HTTP. */
    {"garbage",
        {{STEP_SEND, "\x16\x03\x01\x02garbage\r\n\r\n"}, {STEP_CLOSE}},
        RETRY("does not speak HTTP")},
    {"JSON alone",
        {{STEP_SEND, "{\"kind\": \"Pod\"}"}, {STEP_CLOSE}},
        RETRY("does not speak HTTP")},
    {"another protocol",
        {{STEP_SEND, "SSH-2.0-OpenSSH_9.2\r\n"}, {STEP_CLOSE}},
        RETRY("does not speak HTTP")},
    {"HTTP of the future",
        {{STEP_SEND, "HTTP/9.9 200 OK\r\n\r\n"}, {STEP_CLOSE}},
        RETRY("127.0.0.1:")},
    {"a status that is none",
        {{STEP_SEND, "HTTP/1.1 banana\r\n\r\n"}, {STEP_CLOSE}},
        RETRY("127.0.0.1:")},

    /* Lengths that lie. */
    {"less than was promised",
        {{STEP_SEND, HEAD "Content-Length: 100\r\n\r\n{\"a\":1}"}, {STEP_CLOSE}},
        RETRY("broke off")},
    {"less than was promised, then a reset",
        {{STEP_SEND, HEAD "Content-Length: 100\r\n\r\n{\"a\":1}"}, {STEP_TAKEN}, {STEP_RESET}},
        RETRY("broke off")},
    {"less than was promised, then silence",
        {{STEP_SEND, HEAD "Content-Length: 100\r\n\r\n{\"a\":1}"}, {STEP_STALL}},
        RETRY("did not end its answer within 300 ms"),
        300},
    {"more than was promised",
        {{STEP_SEND, HEAD "Content-Length: 3\r\n\r\n{\"a\":1}"}, {STEP_STALL}},
        RETRY("cannot be used")},
    {"a length that is no number",
        {{STEP_SEND, HEAD "Content-Length: many\r\n\r\n{}"}, {STEP_CLOSE}},
        RETRY("127.0.0.1:")},
    {"a negative length",
        {{STEP_SEND, HEAD "Content-Length: -1\r\n\r\n{}"}, {STEP_CLOSE}},
        RETRY("127.0.0.1:")},

    /* Chunks that lie. */
    {"a chunk size that is no number",
        {{STEP_SEND, CHUNKS "zz\r\n{}\r\n0\r\n\r\n"}, {STEP_CLOSE}},
        RETRY("broke off")},
    {"a chunk of nearly everything",
        {{STEP_SEND, CHUNKS "ffffffffffffffff\r\n{}"}, {STEP_CLOSE}},
        RETRY("broke off")},
    {"a chunk that is longer than its size",
        {{STEP_SEND, CHUNKS "1\r\n{}\r\n0\r\n\r\n"}, {STEP_CLOSE}},
        RETRY("broke off")},
    {"no last chunk", {{STEP_SEND, CHUNKS "2\r\n{}\r\n"}, {STEP_CLOSE}}, RETRY("broke off")},
    {"a chunk cut short", {{STEP_SEND, CHUNKS "8\r\n{\"a\""}, {STEP_CLOSE}}, RETRY("broke off")},

    /* Too much. */
    {"a body beyond the limit, announced",
        {{STEP_SEND, HEAD "Content-Length: 2048000\r\n\r\n"}, {STEP_FLOOD, BLANKS, .count = 2000}},
        TERMINAL("its body is larger than 1048576 bytes"),
        .too_large = true},
    {"a body beyond the limit, in chunks",
        {{STEP_SEND, CHUNKS}, {STEP_FLOOD, "400\r\n" BLANKS "\r\n", .count = 2000}},
        TERMINAL("its body is larger than 1048576 bytes"),
        .too_large = true},
    {"a head without end",
        {{STEP_SEND, "HTTP/1.1 200 OK\r\n"}, {STEP_FLOOD, "X: " BLANKS "x\r\n", .count = 2000}},
        TERMINAL("its head is larger than 65536 bytes")},
    {"a header line without end",
        {{STEP_SEND, "HTTP/1.1 200 OK\r\nX: "}, {STEP_FLOOD, BLANKS, .count = 2000}},
        RETRY("more than libcurl takes in")},

    /* No JSON. */
    {"a page",
        {{STEP_SEND,
             "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
             "Content-Length: 6\r\n\r\n<html>"},
            {STEP_STALL}},
        RETRY("is not JSON: is it an API server?")},
    {"JSON by another name",
        {{STEP_SEND,
             "HTTP/1.1 200 OK\r\nContent-Type: application/jsonp\r\n"
             "Content-Length: 2\r\n\r\n{}"},
            {STEP_STALL}},
        RETRY("is not JSON")},
    {"no type at all",
        {{STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"}, {STEP_STALL}},
        RETRY("is not JSON")},
    {"broken JSON",
        {{STEP_SEND, HEAD "Content-Length: 8\r\n\r\n{\"a\": 1,"}, {STEP_STALL}},
        RETRY("cannot be used: ")},
    {"two values",
        {{STEP_SEND, HEAD "Content-Length: 4\r\n\r\n{}{}"}, {STEP_STALL}},
        RETRY("cannot be used: ")},
    {"compressed although not requested",
        {{STEP_SEND, HEAD "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x01"},
            {STEP_STALL}},
        RETRY("cannot be used: ")},
    {"JSON that is 10,000 deep",
        {{STEP_SEND, CHUNKS}, {STEP_FLOOD, "1\r\n[\r\n", .count = 10000}, {STEP_SEND, "0\r\n\r\n"}},
        RETRY("cannot be used: ")},
};

static void check_fault(size_t i, bool write)
{
    SCOPED_ARENA a = arena_open(32 << 20);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        faults[i].steps[0],
        faults[i].steps[1],
        faults[i].steps[2],
        {0}};
    Step stalling[array_count(script) + 1];
    size_t count = 0;
    for (; script[count].type != STEP_END; count++)
        stalling[count] = script[count];
    stalling[count++] = (Step){STEP_STALL};
    stalling[count] = (Step){0};
    World w = world_open(a,
        &(Given){
            .script = stalling,
            .options = {.request_timeout_ms = faults[i].deadline_ms, .body_max = BODY_MAX},
        });
    Request create = create_configmap(a);
    const Json *got = (const Json *)&w;

    Err *err = api_call(w.api, a, write ? &create : &get_configmap, &got);
    then_err(err, faults[i].want);
    then_int(err->status, 0);
    then_int(err->outcome_unknown, write);
    then_int(err->too_large, faults[i].too_large);
    then_true(got == (const Json *)&w);
    hostile_next(a, w.server);
    hostile_stop(w.server);
    then_str(hostile_next(a, w.server), NULL);
}

TEST(a_read_with_a_malformed_answer_is_an_error)
{
    each_case(i, faults)
        check_fault(i, false);
}

TEST(a_write_with_a_malformed_answer_has_an_unknown_outcome_and_is_not_sent_again)
{
    each_case(i, faults)
        check_fault(i, true);
}

/* --- strange, and all right --- */

static const struct {
    const char *name, *text;
} strange[] = {
    {"an interim answer first",
        "HTTP/1.1 100 Continue\r\n\r\n" HEAD "Content-Length: 7\r\n\r\n{\"a\":1}"},
    {"early hints first",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" HEAD "Content-Length: 7\r\n\r\n{\"a\":1}"},
    {"chunks of every size", CHUNKS "1\r\n{\r\n005;x=y\r\n\"a\": \r\n2\r\n1}\r\n0\r\n\r\n"},
    {"a trailer", CHUNKS "7\r\n{\"a\":1}\r\n0\r\nX-Check: 1\r\n\r\n"},
    {"no length, ended by the connection", HEAD "Connection: close\r\n\r\n{\"a\":1}"},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1}"},
    {"a type with a parameter",
        "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\nContent-Length: "
        "7\r\n\r\n"
        "{\"a\":1}"},
    {"a folded header", HEAD "X-A: b\r\n c\r\nContent-Length: 7\r\n\r\n{\"a\":1}"},
    {"spaces around JSON", HEAD "Content-Length: 11\r\n\r\n\r\n {\"a\":1}\n"},
};

static void then_answer_is_read(Arena *a, const Step *step)
{
    const Step script[] = {{STEP_ACCEPT}, {STEP_REQUEST}, *step, {STEP_CLOSE}, {0}};
    World w = world_open(a, &(Given){.script = script});
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &get_configmap, &got));
    then_json(got, "{a: 1}");
}

TEST(unusual_but_valid_answers_are_read)
{
    each_case(i, strange) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_answer_is_read(a, &(Step){STEP_SEND, strange[i].text});
    }
}

TEST(an_answer_that_arrives_byte_by_byte_is_read)
{
    each_case(i, strange) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_answer_is_read(a, &(Step){STEP_DRIP, strange[i].text});
    }
}

/* Many answers over one connection, each split one byte later than the one before. */
TEST(an_answer_that_is_split_at_any_byte_is_read)
{
    const char *const texts[] = {strange[0].text, strange[3].text};

    for (size_t t = 0; t < array_count(texts); t++) {
        SCOPED_ARENA a = arena_open(8 << 20);
        size_t len = strlen(texts[t]), count = 0;
        Step *script = arena_array(a, Step, 2 * len + 4);

        script[count++] = (Step){STEP_ACCEPT};
        for (size_t at = 1; at < len; at++) {
            script[count++] = (Step){STEP_REQUEST};
            script[count++] = (Step){STEP_SPLIT, texts[t], .at = at};
        }
        script[count++] = (Step){STEP_STALL};
        World w = world_open(a, &(Given){.script = script});
        for (size_t at = 1; at < len; at++) {
            const Json *got = NULL;
            then_ok(api_call(w.api, a, &get_configmap, &got));
            then_json(got, "{a: 1}");
        }
    }
}

TEST(an_answer_that_is_cut_at_any_byte_is_an_error)
{
    const char *text = strange[3].text;
    size_t enough = (size_t)(strstr(text, "\r\n0\r\n") - text) + strlen("\r\n0\r\n");

    for (size_t len = 1; len < enough; len++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Step script[] = {
            {STEP_ACCEPT}, {STEP_REQUEST}, {STEP_SEND, text, .len = len}, {STEP_CLOSE}, {0}};
        World w = world_open(a, &(Given){.script = script});
        then_err(api_call(w.api, a, &get_configmap, NULL), RETRY("get configmaps team/one: "));
    }
}

TEST(objects_of_three_mebibytes_are_sent_and_received)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    enum { SIZE = 3 << 20 };
    char *text = arena_alloc(a, SIZE + 1);
    memset(text, 'x', SIZE);
    const Step script[] = {{STEP_ACCEPT},
        {STEP_REQUEST},
        {STEP_SEND, str_format(a, HEAD "Content-Length: %d\r\n\r\n{\"data\":\"", SIZE + 11)},
        {STEP_SEND, text},
        {STEP_SEND, "\"}"},
        {STEP_STALL},
        {0}};
    World w = world_open(a, &(Given){.script = script});
    Request create = create_configmap(a);
    Draft *large = draft(a, str("data", text));
    create.body = json_seal(a, large);
    const Json *got = NULL;

    then_ok(api_call(w.api, a, &create, &got));
    then_int(strlen(json_str(got, ".data")), SIZE);
    then_true(!strstr(hostile_next(a, w.server), "Expect:"));
}
