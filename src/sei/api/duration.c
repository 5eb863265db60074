/* Duration: numbers with units, added up. Counted in nanoseconds, so that as much fits as in Go. */
#include "sei/api/duration.h"

#include "base/str.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    int64_t ns;
} units[] = {
    /* "ms" before "m": the longest name counts */
    {"ns", 1},
    {"us", 1000},
    {"\xc2\xb5s", 1000}, /* both signs for micro */
    {"\xce\xbcs", 1000},
    {"ms", 1000000},
    {"s", INT64_C(1000000000)},
    {"m", INT64_C(60000000000)},
    {"h", INT64_C(3600000000000)},
};

static int64_t take_unit(const char **text)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (str_has_prefix(*text, units[i].name)) {
            *text += strlen(units[i].name);
            return units[i].ns;
        }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What stands before the point. */
static bool take_whole(const char **text, int64_t *ret)
{
    for (*ret = 0; is_digit(**text); (*text)++)
        if (__builtin_mul_overflow(*ret, 10, ret)
            || __builtin_add_overflow(*ret, **text - '0', ret))
            return false;
    return true;
}

/* What stands behind it: so many of so many parts. Digits that are too fine to count are read over.
 */
static void take_fraction(const char **text, int64_t *ret_parts, int64_t *ret_of)
{
    const int64_t fine = INT64_C(1000000000000000);

    *ret_parts = 0;
    for (*ret_of = 1; is_digit(**text); (*text)++) {
        if (*ret_of >= fine)
            continue;
        *ret_parts = *ret_parts * 10 + (**text - '0');
        *ret_of *= 10;
    }
}

/* "1.5h" */
static bool take_part(const char **text, int64_t *ret_ns)
{
    int64_t whole, parts = 0, of = 1, ns;
    const char *begin = *text;

    if (!take_whole(text, &whole))
        return false;
    bool has_digits = *text != begin;
    if (**text == '.') {
        begin = ++*text;
        take_fraction(text, &parts, &of);
        has_digits = has_digits || *text != begin;
    }
    int64_t unit = take_unit(text);
    if (!has_digits || !unit || __builtin_mul_overflow(whole, unit, &ns))
        return false;
    int64_t fraction = (int64_t)((double)parts / (double)of * (double)unit);
    return !__builtin_add_overflow(ns, fraction, ret_ns);
}

bool duration_parse(const char *text, int64_t *ret_ms)
{
    int64_t sum = 0, part;
    bool is_negative = text && *text == '-';

    if (!text || !*text)
        return false;
    text += *text == '-' || *text == '+';
    if (str_eq(text, "0")) {
        *ret_ms = 0;
        return true;
    }
    if (!*text)
        return false;
    while (*text)
        if (!take_part(&text, &part) || __builtin_add_overflow(sum, part, &sum))
            return false;
    *ret_ms = (is_negative ? -sum : sum) / 1000000;
    return true;
}
