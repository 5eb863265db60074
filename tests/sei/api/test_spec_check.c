/* Checks that the kinds share. */
#include "sei/api/spec_check.h"
#include "tests/test.h"

static const struct {
    const char *name;
    int64_t value;
    Want want;
} ranges[] = {
    {"the least", 1, NULL},
    {"the most", 9, NULL},
    {"too little", 0, TERMINAL(".spec.x: expected a number from 1 to 9, found 0")},
    {"too much", 10, TERMINAL(".spec.x: expected a number from 1 to 9, found 10")},
};

TEST(a_number_outside_of_its_range_is_refused_with_its_path)
{
    each_case(i, ranges) {
        SCOPED_ARENA a = arena_open(1 << 16);
        then_err(spec_check_range(a, ".spec.x", ranges[i].value, 1, 9), ranges[i].want);
    }
}

TEST(a_map_value_that_is_not_a_string_is_refused_with_its_path)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_ok(spec_check_texts(a, ".spec.x", NULL));
    then_ok(spec_check_texts(a, ".spec.x", json_fixture(a, "{a: 'b', c: ''}")));
    then_err(spec_check_texts(a, ".spec.x", json_fixture(a, "{a: 'b', c: 1}")),
        TERMINAL(".spec.x['c']: expected a string"));
}
