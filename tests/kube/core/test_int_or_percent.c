/* Int or percent: what is read, and what it means of a total. */
#include "kube/int_or_percent.h"
#include "tests/test.h"

static const struct {
    const char *name, *json;
    int64_t value;
    bool percent;
    Want want;
} texts[] = {
    {"a number", "3", 3},
    {"zero", "0", 0},
    {"a percentage", "'25%'", 25, .percent = true},
    {"more than all", "'150%'", 150, .percent = true},
    {"a number in quotes", "'3'", 3},
    {"the largest that Kubernetes has", "2147483647", 2147483647},
    {"one more", "2147483648", .want = TERMINAL("2147483648 is neither")},
    {"a negative number", "-1", .want = TERMINAL("-1 is neither a whole number")},
    {"a negative percentage", "'-5%'", .want = TERMINAL("such as \"25%\"")},
    {"a fraction", "1.5", .want = TERMINAL("neither")},
    {"a word", "'all'", .want = TERMINAL("\"all\" is neither")},
    {"a percent sign alone", "'%'", .want = TERMINAL("neither")},
    {"nothing in quotes", "''", .want = TERMINAL("neither")},
    {"something behind", "'5%%'", .want = TERMINAL("neither")},
    {"a space", "' 5'", .want = TERMINAL("neither")},
    {"too many digits", "'99999999999999999999'", .want = TERMINAL("neither")},
    {"a list", "[1]", .want = TERMINAL("neither")},
    {"null", "null", .want = TERMINAL("null is neither")},
};

TEST(a_number_or_a_percentage_is_decoded)
{
    each_case(i, texts) {
        SCOPED_ARENA a = arena_open(1 << 16);
        IntOrPercent v = {.value = 77};

        then_err(int_or_percent_decode(a, json_fixture(a, texts[i].json), &v), texts[i].want);
        then_int(v.value, texts[i].want ? 77 : texts[i].value);
        then_true(v.percent == texts[i].percent);
    }
    SCOPED_ARENA a = arena_open(1 << 16);
    IntOrPercent v;
    then_err(int_or_percent_decode(a, NULL, &v), TERMINAL("neither"));
}

static const struct {
    const char *name;
    IntOrPercent v;
    int64_t total, down, up;
} amounts[] = {
    {"a number is itself", {3}, 10, 3, 3},
    {"even when it is more than all", {30}, 10, 30, 30},
    {"half of an even total", {50, .percent = true}, 10, 5, 5},
    {"half of an odd total", {50, .percent = true}, 5, 2, 3},
    {"a quarter of three", {25, .percent = true}, 3, 0, 1},
    {"nothing of it", {0, .percent = true}, 10, 0, 0},
    {"a part of nothing", {25, .percent = true}, 0, 0, 0},
    {"all of it", {100, .percent = true}, 7, 7, 7},
    {"more than all of it", {150, .percent = true}, 3, 4, 5},
    {"a percent of what is hardly countable",
        {1, .percent = true},
        INT64_MAX,
        INT64_MAX / 100,
        INT64_MAX / 100 + 1},
    {"more than can be counted", {INT32_MAX, .percent = true}, INT64_MAX, INT64_MAX, INT64_MAX},
};

TEST(a_percentage_is_converted_to_a_number_of_the_total)
{
    each_case(i, amounts) {
        then_int(int_or_percent_of(amounts[i].v, amounts[i].total, ROUND_DOWN), amounts[i].down);
        then_int(int_or_percent_of(amounts[i].v, amounts[i].total, ROUND_UP), amounts[i].up);
    }
}
