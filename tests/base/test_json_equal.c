/* Equality of values, whatever their order and spelling. */
#include "base/json.h"

#include "tests/test.h"

enum { CEILING = 64 << 20 };

TEST(json_values_are_equal_regardless_of_member_order_and_number_spelling)
{
    static const struct {
        const char *name, *left, *right;
        bool equal;
    } cases[] = {
        {"the same", "{a: [1, 'x', null, true]}", "{a: [1, 'x', null, true]}", true},
        {"members in another order", "{a: 1, b: {c: 2, d: 3}}", "{b: {d: 3, c: 2}, a: 1}", true},
        {"elements in another order", "[1, 2]", "[2, 1]"},
        {"another value", "{a: 1, b: 2}", "{a: 1, b: 3}"},
        {"another value behind another order", "{a: 1, b: 2}", "{b: 3, a: 1}"},
        {"another key", "{a: 1}", "{b: 1}"},
        {"a key that is longer", "{a: 1}", "{aa: 1}"},
        {"a member more", "{a: 1}", "{a: 1, b: 2}"},
        {"an element more", "[1]", "[1, 1]"},
        {"null is not absent", "{a: null}", "{}"},
        {"true is not false", "true", "false"},
        {"false is not null", "false", "null"},
        {"an array is not an object", "[]", "{}"},
        {"a number is not its text", "1", "'1'"},
        {"whole numbers by value", "[1, 0, -2]", "[1.0, -0.0, -20e-1]", true},
        {"large integers exactly", "9007199254740993", "9007199254740992"},
        {"a large real is its integer", "9007199254740992", "9007199254740992.0", true},
        {"fractions", "0.1", "0.10", true},
        {"other fractions", "0.1", "0.2"},
        {"one key twice on one side", "{a: 1, a: 1}", "{a: 1, b: 1}"},
        {"one key twice on the other", "{a: 1, b: 1}", "{b: 1, b: 1}"},
        {"escapes by what they mean", "'\\u0041'", "'A'", true},
        {"text by length", "'a'", "'ab'"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(CEILING);
        const Json *left = json_fixture(a, cases[i].left), *right = json_fixture(a, cases[i].right);
        then_int(json_equal(left, right), cases[i].equal);
        then_int(json_equal(right, left), cases[i].equal);
        then_true(json_equal(left, json_copy(a, left)));
        then_int(bytes_equal(json_canonical(a, left), json_canonical(a, right)), cases[i].equal);
    }
}

TEST(null_is_equal_only_to_null_as_a_json_value)
{
    SCOPED_ARENA a = arena_open(CEILING);
    then_true(json_equal(NULL, NULL));
    then_true(!json_equal(NULL, json_fixture(a, "null")));
    then_true(!json_equal(json_fixture(a, "{}"), NULL));
}

/* An object of many members, from the first to the last or the other way round. */
static const Json *many_members(Arena *a, int count, bool reversed)
{
    Buf b = {.ceiling = 64 << 20};
    for (int i = 0; i < count; i++)
        then_true(buf_format(&b, "%s\"k%d\":{}", i ? "," : "{", reversed ? count - 1 - i : i));
    then_true(buf_append(&b, "}", 1));
    const Json *v = NULL;
    then_ok(json_parse(a, buf_bytes(&b), &v));
    buf_close(&b);
    return v;
}

TEST(a_hundred_thousand_members_in_another_order_are_compared)
{
    SCOPED_ARENA a = arena_open(CEILING);
    const Json *forward = many_members(a, 100000, false), *backward = many_members(a, 100000, true);
    then_true(json_equal(forward, backward));
    then_true(!json_equal(forward, many_members(a, 99999, true)));
}
