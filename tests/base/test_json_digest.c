/* Digest: whatever differs gives another number, but for what is left out. */
#include "base/json.h"

#include "tests/test.h"

static const uint64_t secret[2] = {7, 11};

static uint64_t digest(const char *text, const char *const *left_out)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *v = NULL;

    then_ok(json_parse(a, bytes_of(text), &v));
    return json_digest(v, json_paths(a, left_out), secret);
}

/* Each differs from every other one. */
static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1.5",
    "\"\"",
    "\"1\"",
    "\"\\u0000\"",
    "\"abcdefgh\"",
    "\"abcdefgh\\u0000\"",
    "[]",
    "{}",
    "[[]]",
    "[[],[]]",
    "[[[]]]",
    "[{}]",
    "[1,2]",
    "[2,1]",
    "[\"ab\",\"c\"]",
    "[\"a\",\"bc\"]",
    "{\"a\":1}",
    "{\"a\":2}",
    "{\"b\":1}",
    "{\"a\":{\"b\":1}}",
    "{\"a\":{},\"b\":1}",
    "{\"a\":{\"b\":1},\"c\":2}",
    "{\"a\":{\"b\":1,\"c\":2}}",
    "{\"c\":2,\"a\":{\"b\":1}}",
};

/* Those that are walked into are told apart as those that are read in one stretch. */
TEST(different_json_values_have_different_digests)
{
    static const char *const everywhere[] = {".a.nothing", ".b.nothing", "[][].nothing", NULL};
    static const char *const *const left_out[] = {NULL, everywhere};

    for (size_t way = 0; way < array_count(left_out); way++)
        for (size_t i = 0; i < array_count(values); i++)
            for (size_t j = 0; j < array_count(values); j++)
                then_int(
                    digest(values[i], left_out[way]) == digest(values[j], left_out[way]), i == j);
}

TEST(excluded_paths_do_not_change_a_json_digest)
{
    static const char *const paths[] = {".status", ".meta.version", ".meta.fields[].time", NULL};
    static const char before[] =
        "{\"meta\":{\"version\":\"1\",\"name\":\"n\",\"fields\":[{\"by\":\"x\",\"time\":\"t1\"}]},"
        "\"spec\":{\"status\":1},\"status\":{\"a\":1}}";
    static const struct {
        const char *name, *now;
        bool is_same;
    } cases[] = {
        {"all of it is new, and one is gone",
            "{\"meta\":{\"version\":\"2\",\"name\":\"n\",\"fields\":[{\"by\":\"x\"}]},"
            "\"spec\":{\"status\":1},\"status\":{\"b\":[2]}}",
            true},
        {"a name beside it",
            "{\"meta\":{\"version\":\"1\",\"name\":\"o\",\"fields\":[{\"by\":\"x\",\"time\":"
            "\"t1\"}]},\"spec\":{\"status\":1},\"status\":{\"a\":1}}",
            false},
        {"the same key elsewhere",
            "{\"meta\":{\"version\":\"1\",\"name\":\"n\",\"fields\":[{\"by\":\"x\",\"time\":"
            "\"t1\"}]},\"spec\":{\"status\":2},\"status\":{\"a\":1}}",
            false},
        {"one more element",
            "{\"meta\":{\"version\":\"1\",\"name\":\"n\",\"fields\":[{\"by\":\"x\",\"time\":"
            "\"t1\"},{\"time\":\"t2\"}]},\"spec\":{\"status\":1},\"status\":{\"a\":1}}",
            false},
        {"a member that moves out of its object",
            "{\"meta\":{\"version\":\"1\",\"name\":\"n\"},\"fields\":[{\"by\":\"x\",\"time\":"
            "\"t1\"}],\"spec\":{\"status\":1},\"status\":{\"a\":1}}",
            false},
    };

    each_case(i, cases)
        then_int(digest(before, paths) == digest(cases[i].now, paths), cases[i].is_same);
}

TEST(a_json_digest_depends_on_its_secret)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *v = json_fixture(a, "{a: 1}");

    then_true(json_digest(v, NULL, secret) != json_digest(v, NULL, (uint64_t[2]){7, 12}));
    then_true(json_digest(NULL, NULL, secret) != json_digest(v, NULL, secret));
}
