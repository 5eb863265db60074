/* What an answer means, and that no answer means anything else: random bytes, cut and changed
 * answers, all types of content. */
#include "sei/sidecar/reading.h"

#include "base/rng.h"
#include "tests/test.h"

#define ID "aaaaaaaa-0000-4000-8000-000000000001"

static HttpAnswer json(int status, const char *body)
{
    return (HttpAnswer){status, "application/json", bytes_of(body)};
}

TEST(a_long_error_message_of_a_sidecar_is_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char error[2000] = {0};

    memset(error, 'e', sizeof error - 1);
    HttpAnswer answer = json(200,
        str_format(
            a, "{\"id\":\"" ID "\",\"status\":\"failed\",\"error\":\"%s\",\"run\":3}", error));
    Reading reading = reading_of_task(a, ID, &answer);

    then_int(reading.kind, READING_FAILED);
    then_int(reading.run, 3);
    then_true(strlen(reading.message) <= READING_MESSAGE_MAX);
}

TEST(a_sidecar_answer_must_have_a_json_content_type_with_optional_parameters)
{
    static const struct {
        const char *name, *type;
        ReadingKind kind;
    } cases[] = {
        {"plain", "application/json", READING_COMPLETED},
        {"with a charset", "Application/JSON; charset=utf-8", READING_COMPLETED},
        {"another", "application/jsonp", READING_UNUSABLE},
        {"text", "text/plain", READING_UNUSABLE},
        {"none", NULL, READING_UNUSABLE},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        HttpAnswer answer = json(200, "{\"id\":\"" ID "\",\"status\":\"completed\"}");
        answer.content_type = cases[i].type;
        then_int(reading_of_task(a, ID, &answer).kind, cases[i].kind);
    }
}

TEST(a_task_result_is_returned_only_if_it_is_an_object_of_a_completed_task)
{
    static const struct {
        const char *name, *status, *result, *want;
    } cases[] = {
        {"an object", "completed", "{\"genesisHash\":\"ab\"}", "{\"genesisHash\":\"ab\"}"},
        {"of one that runs", "running", "{\"genesisHash\":\"ab\"}", NULL},
        {"of one that failed", "failed", "{\"genesisHash\":\"ab\"}", NULL},
        {"nothing", "completed", "null", NULL},
        {"a word", "completed", "\"ab\"", NULL},
    };
    SCOPED_ARENA a = arena_open(1 << 20);
    char large[2 * READING_RESULT_MAX] = {0};

    each_case(i, cases) {
        HttpAnswer answer = json(200,
            str_format(a,
                "{\"id\":\"" ID "\",\"status\":\"%s\",\"result\":%s}",
                cases[i].status,
                cases[i].result));
        then_str(reading_of_task(a, ID, &answer).result, cases[i].want);
    }
    memset(large, 'x', sizeof large - 1);
    HttpAnswer answer = json(200,
        str_format(
            a, "{\"id\":\"" ID "\",\"status\":\"completed\",\"result\":{\"a\":\"%s\"}}", large));
    then_str(reading_of_task(a, ID, &answer).result, NULL);
    then_int(reading_of_task(a, ID, &answer).kind, READING_COMPLETED);
}

#define NODE_ID "0123456789abcdef0123456789abcdef01234567"

TEST(a_node_id_is_exactly_forty_lower_case_hexadecimal_digits)
{
    static const struct {
        const char *name;
        int status;
        const char *body;
        ReadingKind kind;
    } cases[] = {
        {"one", 200, "{\"nodeId\":\"" NODE_ID "\"}", READING_NAMED},
        {"none", 200, "{}", READING_UNUSABLE},
        {"an empty one", 200, "{\"nodeId\":\"\"}", READING_UNUSABLE},
        {"a short one", 200, "{\"nodeId\":\"0123\"}", READING_UNUSABLE},
        {"a long one", 200, "{\"nodeId\":\"" NODE_ID "0\"}", READING_UNUSABLE},
        {"one that would be two peers",
            200,
            "{\"nodeId\":\"a@b:1,23456789abcdef0123456789abcdef01234\"}",
            READING_UNUSABLE},
        {"no string", 200, "{\"nodeId\":7}", READING_UNUSABLE},
        {"no object", 200, "[]", READING_UNUSABLE},
        {"no key yet", 500, "{\"error\":\"node_key.json not found\"}", READING_UNUSABLE},
        {"another audience", 401, "Unauthorized", READING_UNAUTHORIZED},
        {"no permission", 403, "Forbidden", READING_UNAUTHORIZED},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        HttpAnswer answer = json(cases[i].status, cases[i].body);
        Reading reading = reading_of_name(a, &answer);

        then_int(reading.kind, cases[i].kind);
        then_str(reading.node_id, cases[i].kind == READING_NAMED ? NODE_ID : NULL);
    }
}

TEST(a_failed_request_reports_whether_the_sidecar_may_have_received_it)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Err refused = {.class = ERR_RETRY, .message = "connection refused"};
    Err lost = {.class = ERR_RETRY, .message = "no answer", .outcome_unknown = true};

    then_true(reading_of_silence(a, &refused).is_undone);
    then_true(!reading_of_silence(a, &lost).is_undone);
    then_str(reading_of_silence(a, &lost).message, "no answer");
}

/* A whole answer is believed; the same one cut off, or with a byte changed in its id, never is. */
TEST(a_truncated_answer_or_one_about_another_task_is_not_used)
{
    static const char whole[] =
        "{\"id\":\"" ID "\",\"type\":\"mark-ready\",\"status\":\"completed\",\"run\":1}";
    SCOPED_ARENA a = arena_open(16 << 20);
    char text[sizeof whole];

    for (size_t len = 0; len < sizeof whole - 1; len++) {
        HttpAnswer cut = {200, "application/json", {whole, len}};
        then_int(reading_of_task(a, ID, &cut).kind, READING_UNUSABLE);
        then_int(reading_of_submission(a, ID, &cut).kind, READING_UNUSABLE);
    }
    for (size_t at = 7; at < 7 + strlen(ID); at++) {
        memcpy(text, whole, sizeof whole);
        text[at] = text[at] == '1' ? '2' : '1';
        HttpAnswer other = json(200, text);
        then_int(reading_of_task(a, ID, &other).kind, READING_UNUSABLE);
    }
}

TEST(random_answers_never_end_a_task)
{
    static const int statuses[] = {100, 200, 201, 204, 301, 400, 401, 403, 404, 409, 500, 502, 503};
    SeededRng rng;

    rng_seed(&rng, 3);
    for (int i = 0; i < 20000; i++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        char bytes[64];
        size_t len = rng_below(&rng.port, sizeof bytes);
        for (size_t at = 0; at < len; at++)
            bytes[at] = "{}[]\",:\\ aid\0\xff\x80"[rng_below(&rng.port, 15)];
        HttpAnswer answer = {
            statuses[rng_below(&rng.port, array_count(statuses))],
            rng_below(&rng.port, 2) ? "application/json" : NULL,
            {bytes, len},
        };
        ReadingKind task = reading_of_task(a, ID, &answer).kind;
        ReadingKind submission = reading_of_submission(a, ID, &answer).kind;
        then_true(task == READING_UNUSABLE || task == READING_UNAUTHORIZED);
        then_true(submission == READING_UNUSABLE || submission == READING_UNAUTHORIZED);
    }
}
