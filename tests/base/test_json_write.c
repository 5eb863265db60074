/* Writing: minified, for people, and in the one form that equal values share. */
#include "base/json.h"

#include "base/draft.h"
#include "tests/test.h"

enum { CEILING = 64 << 20 };

TEST(json_is_written_as_it_was_read)
{
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"every kind of value", "{\"a\":[1,-2,0.5,true,false,null,\"x\"],\"b\":{},\"c\":[]}"},
        {"the order of members", "{\"b\":1,\"a\":2}"},
        {"the greatest integers",
            "[9223372036854775807,-9223372036854775808,18446744073709551615]"},
        {"escapes", "\"\\\"\\\\\\n\\u0000\\u001F\""},
        {"characters of each length", "\"aé€\U0001F600\""},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *v;
        then_ok(json_parse(a, bytes_of(cases[i].text), &v));
        Bytes text = json_write(a, v);
        then_str(text.data, cases[i].text);
        then_int(text.len, strlen(cases[i].text));
    }
}

TEST(pretty_json_is_indented)
{
    SCOPED_ARENA a = arena_open(CEILING);
    then_str(json_pretty(a, json_fixture(a, "{a: [1, {}], b: 'x'}")).data,
        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\"\n}");
    then_str(json_pretty(a, NULL).data, "null");
}

TEST(canonical_json_is_sorted_and_minimal)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"keys are sorted", "{b: 1, a: 2, c: 3}", "{\"a\":2,\"b\":1,\"c\":3}"},
        {"at every depth", "[{b: {d: 1, c: 2}, a: []}]", "[{\"a\":[],\"b\":{\"c\":2,\"d\":1}}]"},
        {"by bytes, shorter first",
            "{'é': 1, 'b': 2, 'B': 3, 'ab': 4, 'a': 5, '': 6}",
            "{\"\":6,\"B\":3,\"a\":5,\"ab\":4,\"b\":2,\"é\":1}"},
        {"arrays keep their order", "[3, 1, 2]", "[3,1,2]"},
        {"whole numbers have one form", "[1, 1.0, 1e0, 10e-1, 100E-2]", "[1,1,1,1,1]"},
        {"zero has no sign", "[0, -0, 0.0, -0.0]", "[0,0,0,0]"},
        {"negative ones too", "[-5, -5.0, -50e-1]", "[-5,-5,-5]"},
        {"fractions have one form", "[0.5, 5e-1, 0.50]", "[0.5,0.5,0.5]"},
        {"large integers stay exact",
            "[9007199254740993, -9223372036854775808, 18446744073709551615]",
            "[9007199254740993,-9223372036854775808,18446744073709551615]"},
        {"whole numbers that fit no integer", "[1e300, -1e300]", "[1e300,-1e300]"},
        {"the edge of integers",
            "[1e19, -9223372036854775808.0]",
            "[10000000000000000000,-9223372036854775808]"},
        {"escapes have one form", "'\\u0041\\u00e9'", "\"Aé\""},
        {"equal keys stay as they stand",
            "{b: 1, a: 2, b: 3, a: 4}",
            "{\"a\":2,\"a\":4,\"b\":1,\"b\":3}"},
        {"a scalar", "null", "null"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *v = json_fixture(a, cases[i].text), *again;
        Bytes text = json_canonical(a, v);
        then_str(text.data, cases[i].want);
        then_ok(json_parse(a, text, &again));
        then_str(json_canonical(a, again).data, cases[i].want);
        then_true(json_equal(v, again));
    }
    SCOPED_ARENA a = arena_open(CEILING);
    then_str(json_canonical(a, NULL).data, "null");
    then_str(json_write(a, NULL).data, "null");
}

TEST(thousands_of_json_keys_are_sorted)
{
    SCOPED_ARENA a = arena_open(CEILING);
    enum { COUNT = 5003 };
    Draft *shuffled = draft_object(a), *sorted = draft_object(a);
    for (int i = 0; i < COUNT; i++) {
        int j = (int)(i * 2503LL % COUNT);
        draft_set(shuffled, num(str_format(a, "key-%05d", j), j));
        draft_set(sorted, num(str_format(a, "key-%05d", i), i));
    }
    Bytes got = json_canonical(a, json_seal(a, shuffled)),
          want = json_write(a, json_seal(a, sorted));
    then_true(bytes_equal(got, want));
}

TEST(text_that_is_not_utf8_is_repaired_when_json_is_written)
{
    static const struct {
        const char *name, *text, *want;
    } cases[] = {
        {"a stray byte", "a\xFFz", "\"a\uFFFDz\""},
        {"half a character", "a\xE2\x82", "\"a\uFFFD\uFFFD\""},
        {"an over-long slash", "\xC0\xAF", "\"\uFFFD\uFFFD\""},
        {"a surrogate", "\xED\xA0\x80", "\"\uFFFD\uFFFD\uFFFD\""},
        {"beyond the last character", "\xF4\x90\x80\x80", "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},
        {"good text beside it", "é\x80€", "\"é\uFFFD€\""},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *v = json_seal(a, draft(a, str("k", cases[i].text))), *again;
        then_str(json_write(a, v).data, str_format(a, "{\"k\":%s}", cases[i].want));
        then_ok(json_parse(a, json_canonical(a, v), &again));
    }
}
