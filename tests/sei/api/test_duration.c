/* Lengths of time, as Go reads them. */
#include "sei/api/duration.h"

#include "tests/test.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

TEST(every_duration_that_go_accepts_is_parsed)
{
    static const struct {
        const char *name;
        int64_t ms;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"15m", 15 * MINUTE},
        {"15m0s", 15 * MINUTE},
        {"1h30m", 90 * MINUTE},
        {"1.5h", 90 * MINUTE},
        {"+5s", 5 * SECOND},
        {"-5s", -5 * SECOND},
        {".5s", 500},
        {"5.s", 5 * SECOND},
        {"5.6s", 5600},
        {"300ms", 300},
        {"999us", 0},
        {"2000\xc2\xb5s", 2},
        {"2000\xce\xbcs", 2},
        {"3000000ns", 3},
        {"1h2m3s4ms", HOUR + 2 * MINUTE + 3 * SECOND + 4},
        {"52763797000ns", 52763},
        {"0.3333333333333333333h", 20 * MINUTE - 1},
        {"9223372036854775807ns", INT64_C(9223372036854)},
    };

    each_case(i, rows) {
        int64_t ms = -1;
        then_true(duration_parse(rows[i].name, &ms));
        then_int(ms, rows[i].ms);
    }
}

TEST(a_duration_that_go_refuses_is_refused)
{
    static const struct {
        const char *name;
    } rows[] = {{""},
        {"3"},
        {"-"},
        {"+"},
        {"s"},
        {"."},
        {"-."},
        {".s"},
        {"+.s"},
        {"1d"},
        {"15 m"},
        {"1m30"},
        {"m15"},
        {"--1s"},
        {"1e3s"},
        {"15M"},
        {"9223372036854775808ns"},
        {"9223372036854775807h"},
        {"2562048h"}};
    int64_t ms;

    then_true(!duration_parse(NULL, &ms));
    each_case(i, rows)
        then_true(!duration_parse(rows[i].name, &ms));
}
