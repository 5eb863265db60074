/* Fuzzes what is made of a sidecar's answers: the first byte picks the status, the second the type
 * of content, the rest is the body. Whatever comes, there is one reading, its words are short, and
 * a task counts as ended only when the answer is JSON about that task. */
#include "base/json.h"
#include "base/str.h"
#include "sei/sidecar/reading.h"

#include <stdlib.h>
#include <string.h>

#define ID "aaaaaaaa-0000-4000-8000-000000000001"

enum { WORDS_MAX = READING_MESSAGE_MAX + 128 }; /* with our own around them */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool law)
{
    if (!law)
        abort();
}

static void check(Arena *a, const Reading *reading, const HttpAnswer *answer)
{
    const Json *object = NULL;
    bool is_claim = reading->kind == READING_ACCEPTED || reading->kind == READING_RUNNING
        || reading->kind == READING_COMPLETED || reading->kind == READING_FAILED;

    must(!reading->message || strlen(reading->message) <= WORDS_MAX);
    if (!is_claim)
        return;
    must(json_parse(a, answer->body, &object) == OK && str_eq(json_str(object, ".id"), ID));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int statuses[] = {200, 201, 202, 400, 401, 403, 404, 405, 429, 500, 502, 503};
    static const char *const types[] = {
        "application/json", "application/json; a=b", "text/plain", NULL};
    SCOPED_ARENA a = arena_open(256 << 20);

    if (size < 2)
        return 0;
    HttpAnswer answer = {
        .status = statuses[data[0] % (sizeof statuses / sizeof statuses[0])],
        .content_type = types[data[1] % (sizeof types / sizeof types[0])],
        .body = {(const char *)data + 2, size - 2},
    };
    Reading task = reading_of_task(a, ID, &answer);
    Reading submission = reading_of_submission(a, ID, &answer);
    Reading health = reading_of_health(a, &answer);
    check(a, &task, &answer);
    check(a, &submission, &answer);
    must(health.kind == READING_READY || health.kind == READING_NOT_READY
        || health.kind == READING_UNUSABLE);
    return 0;
}
