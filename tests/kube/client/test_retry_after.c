/* Retry-After in both its forms. */
#include "kube/client/retry_after.h"
#include "tests/test.h"

/* Sun, 06 Nov 1994 08:49:37 GMT, the date of the HTTP specification. */
static const int64_t then_ms = 784111777000;

static const struct {
    const char *name, *text;
    int64_t wall_ms, want_ms;
} cases[] = {
    {"absent", NULL},
    {"empty", ""},
    {"seconds", "7", .want_ms = 7000},
    {"zero", "0"},
    {"negative", "-5"},
    {"a lifetime is cut to a day", "4000000000", .want_ms = 86400000},
    {"a number that fits nowhere", "99999999999999999999"},
    {"a date to come", "Sun, 06 Nov 1994 08:49:37 GMT", .wall_ms = 784111747000, .want_ms = 30000},
    {"the same in the form of RFC 850",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        .wall_ms = 784111747000,
        .want_ms = 30000},
    {"the same in the form of asctime",
        "Sun Nov  6 08:49:37 1994",
        .wall_ms = 784111747000,
        .want_ms = 30000},
    {"a date that has passed", "Sun, 06 Nov 1994 08:49:37 GMT", .wall_ms = 784111778000},
    {"a far date is cut to a day", "Sun, 06 Nov 2094 08:49:37 GMT", .want_ms = 86400000},
    {"neither", "soon"},
};

TEST(both_forms_of_retry_after_give_milliseconds)
{
    each_case(i, cases)
        then_int(retry_after_ms(cases[i].text, cases[i].wall_ms ? cases[i].wall_ms : then_ms),
            cases[i].want_ms);
}
