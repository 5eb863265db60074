/* What an answer to GET /status means. Whatever a pod sends, the result is a chain id or words. */
#include "sei/sidecar/seid_status.h"

#include "base/rng.h"
#include "tests/test.h"

#define FLAT                                                                                       \
    "{\"node_info\":{\"id\":\"00897504\",\"network\":\"pacific-1\",\"version\":\"0.35.0\"},"       \
    "\"sync_info\":{\"latest_block_height\":\"230999999\",\"catching_up\":false}}"
#define NO_OBJECT "its answer to /status is no JSON object"
#define NO_CHAIN  "its answer to /status names no chain"
#define LONG_ID   "0123456789012345678901234567890123456789012345678901234567890123"

static const struct {
    const char *name;
    int status; /* 0: 200 */
    const char *body, *chain_id, *trouble;
} cases[] = {
    {"the bare result", .body = FLAT, .chain_id = "pacific-1"},
    {"in an envelope",
        .body = "{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":" FLAT "}",
        .chain_id = "pacific-1"},
    {"an error inside a 200",
        .body = "{\"code\":-32603,\"message\":\"Internal error\",\"data\":\"not ready\"}",
        .trouble = "it answers with error -32603: Internal error"},
    {"an error in an envelope",
        .body = "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no method\"}}",
        .trouble = "it answers with error -32601: no method"},
    {"an error beside a chain",
        .body = "{\"code\":1,\"message\":\"x\",\"node_info\":{\"network\":\"pacific-1\"}}",
        .trouble = "it answers with error 1: x"},
    {"an error with control characters",
        .body = "{\"code\":1,\"message\":\"a\\nb\"}",
        .trouble = "it answers with error 1: a b"},
    {"an error of wrong types", .body = "{\"error\":{\"code\":[]}}", .trouble = "with error 0"},
    {"a chain that is a number", .body = "{\"node_info\":{\"network\":1}}", .trouble = NO_CHAIN},
    {"a chain that is empty", .body = "{\"node_info\":{\"network\":\"\"}}", .trouble = NO_CHAIN},
    {"a chain with a space",
        .body = "{\"node_info\":{\"network\":\"pacific 1\"}}",
        .trouble = NO_CHAIN},
    {"a chain in other letters",
        .body = "{\"node_info\":{\"network\":\"p\xc3\xa4\"}}",
        .trouble = NO_CHAIN},
    {"a chain that is too long",
        .body = "{\"node_info\":{\"network\":\"" LONG_ID LONG_ID "x\"}}",
        .trouble = NO_CHAIN},
    {"node_info that is a list", .body = "{\"node_info\":[\"pacific-1\"]}", .trouble = NO_CHAIN},
    {"a result that is null", .body = "{\"result\":null}", .trouble = NO_CHAIN},
    {"an object with nothing in it", .body = "{}", .trouble = NO_CHAIN},
    {"a list", .body = "[]", .trouble = NO_OBJECT},
    {"half an object", .body = "{\"node_info\":{\"network\":\"pacific-1\"", .trouble = NO_OBJECT},
    {"an HTML page", .body = "<html>busy</html>", .trouble = NO_OBJECT},
    {"nothing", .body = "", .trouble = NO_OBJECT},
    {"a redirect", 302, FLAT, .trouble = "it answers 302 to /status"},
    {"too busy", 503, "{}", .trouble = "it answers 503 to /status"},
    {"a handler that panicked", 500, "boom", .trouble = "it answers 500 to /status"},
    {"no content", 204, "", .trouble = "it answers 204 to /status"},
};

TEST(a_seid_status_answer_gives_a_chain_id_or_a_cause)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        HttpAnswer answer = {
            cases[i].status ? cases[i].status : 200, "application/json", bytes_of(cases[i].body)};
        SeidStatus status = seid_status_read(a, &answer);

        then_str(status.chain_id, cases[i].chain_id);
        then_true(!status.trouble == !cases[i].trouble);
        if (cases[i].trouble && !strstr(status.trouble, cases[i].trouble))
            then_str(status.trouble, cases[i].trouble);
    }
}

TEST(a_long_error_message_of_seid_is_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char message[2000] = {0};

    memset(message, 'e', sizeof message - 1);
    const char *body = str_format(a, "{\"code\":1,\"message\":\"%s\"}", message);
    SeidStatus status = seid_status_read(a, &(HttpAnswer){200, "application/json", bytes_of(body)});
    then_true(strlen(status.trouble) <= SEID_TROUBLE_MAX);
}

TEST(a_seid_that_does_not_answer_reports_the_connection_error)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    SeidStatus status = seid_status_of_silence(a, err_retry(a, "connection refused"));

    then_str(status.chain_id, NULL);
    then_str(status.trouble, "connection refused");
}

/* Changes some bytes of a good answer. */
TEST(a_corrupted_seid_answer_gives_a_chain_id_or_a_cause)
{
    SeededRng rng;

    rng_seed(&rng, 26657);
    for (int round = 0; round < 20000; round++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        char body[] = FLAT;
        for (int i = 0; i < 4; i++)
            body[rng_below(&rng.port, sizeof body - 1)] = (char)rng_below(&rng.port, 256);
        HttpAnswer answer = {200, NULL, {body, 1 + (size_t)rng_below(&rng.port, sizeof body - 1)}};
        SeidStatus status = seid_status_read(a, &answer);
        then_true(!status.chain_id != !status.trouble);
        then_true(!status.chain_id || strlen(status.chain_id) <= SEID_CHAIN_ID_MAX);
        then_true(!status.trouble || strlen(status.trouble) <= SEID_TROUBLE_MAX);
    }
}
