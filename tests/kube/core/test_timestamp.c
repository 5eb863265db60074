/* Timestamps: RFC 3339 there and back, and everything that only looks like it. */
#include "kube/timestamp.h"
#include "tests/test.h"

#define SECOND 1000000000LL

static const struct {
    const char *name;
    int64_t ns;
    const char *text, *micro;
} moments[] = {
    {"the beginning", 0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
    {"a moment before it", -1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999999Z"},
    {"a day of a leap year",
        1709210096 * SECOND + 123456789,
        "2024-02-29T12:34:56Z",
        "2024-02-29T12:34:56.123456Z"},
    {"the day after it",
        1709251200 * SECOND,
        "2024-03-01T00:00:00Z",
        "2024-03-01T00:00:00.000000Z"},
    {"the end of a year that is divisible by 400",
        978307199 * SECOND,
        "2000-12-31T23:59:59Z",
        "2000-12-31T23:59:59.000000Z"},
    {"a century that is no leap year",
        4107542400 * SECOND,
        "2100-03-01T00:00:00Z",
        "2100-03-01T00:00:00.000000Z"},
    {"the end of what 32 bits count",
        2147483647 * SECOND,
        "2038-01-19T03:14:07Z",
        "2038-01-19T03:14:07.000000Z"},
    {"the last moment", INT64_MAX, "2262-04-11T23:47:16Z", "2262-04-11T23:47:16.854775Z"},
    {"the first moment", INT64_MIN, "1677-09-21T00:12:43Z", "1677-09-21T00:12:43.145224Z"},
};

TEST(a_time_is_formatted_in_seconds_and_in_microseconds)
{
    each_case(i, moments) {
        char text[TIMESTAMP_SIZE];

        then_str(timestamp_format(moments[i].ns, text), moments[i].text);
        then_str(timestamp_format_micro(moments[i].ns, text), moments[i].micro);
    }
}

TEST(every_day_of_six_centuries_is_parsed_as_it_was_formatted)
{
    enum { DAY_SECONDS = 86400 };
    int64_t days = INT64_MAX / SECOND / DAY_SECONDS;

    for (int64_t day = -days; day <= days; day++) {
        char text[TIMESTAMP_SIZE];
        int64_t ns = day * DAY_SECONDS * SECOND, back = 0;
        then_true(timestamp_parse(timestamp_format(ns, text), &back));
        then_int(back, ns);
    }
}

static const struct {
    const char *name, *text;
    int64_t ns;
} readings[] = {
    {"the form of the API", "2024-02-29T12:34:56Z", 1709210096 * SECOND},
    {"the form of Leases", "2024-02-29T12:34:56.123456Z", 1709210096 * SECOND + 123456000},
    {"a short fraction", "1970-01-01T00:00:00.5Z", SECOND / 2},
    {"a fraction finer than a nanosecond", "1970-01-01T00:00:00.0000000019Z", 1},
    {"an offset to the east", "1970-01-01T02:00:00+02:00", 0},
    {"an offset to the west", "1969-12-31T18:30:00-05:30", 0},
    {"the largest offset", "1970-01-02T23:59:00+23:59", 24 * 3600 * SECOND},
    {"no offset, written the odd way", "1970-01-01T00:00:00-00:00", 0},
    {"small letters", "1970-01-01t00:00:00z", 0},
    {"a leap second counts as the one before", "2016-12-31T23:59:60Z", 1483228799 * SECOND},
    {"a moment too late to count", "9999-12-31T23:59:59Z", INT64_MAX},
    {"a moment too early to count", "0000-01-01T00:00:00Z", INT64_MIN},
    {"the first that cannot be counted", "2262-04-11T23:47:16.854775808Z", INT64_MAX},
};

TEST(an_rfc_3339_text_is_parsed)
{
    each_case(i, readings) {
        int64_t ns = -1;

        then_true(timestamp_parse(readings[i].text, &ns));
        then_int(ns, readings[i].ns);
    }
}

static const struct {
    const char *name, *text;
} faults[] = {
    {"nothing", ""},
    {"a date", "2024-02-29"},
    {"no offset", "2024-02-29T12:34:56"},
    {"no colons", "2024-02-29T123456Z"},
    {"no dashes", "20240229T12:34:56Z"},
    {"a space", "2024-02-29 12:34:56Z"},
    {"something behind", "2024-02-29T12:34:56Z "},
    {"something in front", " 2024-02-29T12:34:56Z"},
    {"a day that this February does not have", "2023-02-29T00:00:00Z"},
    {"a day that no February has", "2024-02-30T00:00:00Z"},
    {"the 29th of a century that is no leap year", "2100-02-29T00:00:00Z"},
    {"the 31st of April", "2024-04-31T00:00:00Z"},
    {"the 0th", "2024-04-00T00:00:00Z"},
    {"month 0", "2024-00-01T00:00:00Z"},
    {"month 13", "2024-13-01T00:00:00Z"},
    {"hour 24", "2024-01-01T24:00:00Z"},
    {"minute 60", "2024-01-01T00:60:00Z"},
    {"second 61", "2024-01-01T00:00:61Z"},
    {"a fraction without digits", "2024-01-01T00:00:00.Z"},
    {"a comma", "2024-01-01T00:00:00,5Z"},
    {"an offset of a day", "2024-01-01T00:00:00+24:00"},
    {"an offset of 60 minutes", "2024-01-01T00:00:00+00:60"},
    {"an offset without a colon", "2024-01-01T00:00:00+0200"},
    {"a year of five digits", "12024-01-01T00:00:00Z"},
    {"a year before Christ", "-024-01-01T00:00:00Z"},
    {"a sign inside", "2024-01-01T00:+1:00Z"},
};

TEST(a_malformed_time_is_refused)
{
    each_case(i, faults) {
        int64_t ns = 42;

        then_true(!timestamp_parse(faults[i].text, &ns));
        then_int(ns, 42);
    }
    int64_t ns = 42;
    then_true(!timestamp_parse(NULL, &ns));
}

static const struct {
    const char *name;
    int64_t seconds;
    const char *text;
} spans[] = {
    {"longer ahead than clocks may differ", -2, "<invalid>"},
    {"as far ahead as clocks may differ", -1, "0s"},
    {"no time", 0, "0s"},
    {"just below two minutes", 119, "119s"},
    {"two minutes", 120, "2m"},
    {"minutes and seconds", 303, "5m3s"},
    {"ten minutes", 600 + 59, "10m"},
    {"just below three hours", 3 * 3600 - 1, "179m"},
    {"three hours", 3 * 3600, "3h"},
    {"hours and minutes", 7 * 3600 + 61, "7h1m"},
    {"eight hours", 8 * 3600 + 3599, "8h"},
    {"just below two days", 48 * 3600 - 1, "47h"},
    {"two days", 48 * 3600, "2d"},
    {"days and hours", 7 * 86400 + 23 * 3600, "7d23h"},
    {"eight days", 8 * 86400 + 86399, "8d"},
    {"just below two years", 730 * 86400 - 1, "729d"},
    {"years and days", 760 * 86400, "2y30d"},
    {"eight years", 8 * 365 * 86400 + 86400, "8y"},
};

TEST(an_elapsed_time_is_formatted_as_kubectl_formats_ages)
{
    each_case(i, spans) {
        char text[TIMESTAMP_SIZE];

        then_str(timestamp_elapsed(spans[i].seconds * 1000000000, text), spans[i].text);
    }
}
