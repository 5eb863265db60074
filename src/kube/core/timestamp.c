/* RFC 3339 without the C library's calendar, which knows time zones, locales and global state.
 *
 * Days are counted in years that begin on 1 March, so that the day which some years have and others
 * do not is the last of its year (after Howard Hinnant's civil calendar). */
#include "kube/timestamp.h"

#include <stdio.h>

#define NS_PER_SECOND 1000000000LL

enum {
    SECONDS_PER_DAY = 86400,
    DAYS_PER_ERA = 146097,      /* 400 years */
    DAYS_BEFORE_EPOCH = 719468, /* from 0000-03-01 to 1970-01-01 */
};

typedef struct Civil {
    int64_t year;
    int64_t month; /* 1 to 12 */
    int64_t day;   /* 1 to 31 */
    int64_t hour, minute, second;
    int64_t nanos;
    int64_t offset_seconds; /* east of UTC */
} Civil;

static int64_t floor_div(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

/* --- writing --- */

static Civil civil_of(int64_t wall_ns)
{
    int64_t seconds = floor_div(wall_ns, NS_PER_SECOND);
    int64_t days = floor_div(seconds, SECONDS_PER_DAY) + DAYS_BEFORE_EPOCH;
    int64_t era = floor_div(days, DAYS_PER_ERA);
    int64_t day_of_era = days - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t months_since_march = (5 * day_of_year + 2) / 153;
    int64_t month = months_since_march < 10 ? months_since_march + 3 : months_since_march - 9;
    int64_t second_of_day = seconds - floor_div(seconds, SECONDS_PER_DAY) * SECONDS_PER_DAY;

    return (Civil){
        .year = year_of_era + era * 400 + (month <= 2),
        .month = month,
        .day = day_of_year - (153 * months_since_march + 2) / 5 + 1,
        .hour = second_of_day / 3600,
        .minute = second_of_day / 60 % 60,
        .second = second_of_day % 60,
        .nanos = wall_ns - seconds * NS_PER_SECOND,
    };
}

const char *timestamp_format(int64_t wall_ns, char ret[TIMESTAMP_SIZE])
{
    Civil t = civil_of(wall_ns);

    snprintf(ret,
        TIMESTAMP_SIZE,
        "%04d-%02d-%02dT%02d:%02d:%02dZ",
        (int)t.year,
        (int)t.month,
        (int)t.day,
        (int)t.hour,
        (int)t.minute,
        (int)t.second);
    return ret;
}

const char *timestamp_format_micro(int64_t wall_ns, char ret[TIMESTAMP_SIZE])
{
    enum { WHOLE_SECONDS_LEN = 19 };
    Civil t = civil_of(wall_ns);

    timestamp_format(wall_ns, ret);
    snprintf(ret + WHOLE_SECONDS_LEN,
        TIMESTAMP_SIZE - WHOLE_SECONDS_LEN,
        ".%06dZ",
        (int)(t.nanos / 1000));
    return ret;
}

/* --- reading --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads exactly `count` digits. */
static bool take_digits(const char **text, int count, int64_t *ret)
{
    *ret = 0;
    for (int i = 0; i < count; i++, (*text)++) {
        if (!is_digit(**text))
            return false;
        *ret = *ret * 10 + (**text - '0');
    }
    return true;
}

static bool take(const char **text, char one, char other)
{
    if (**text != one && **text != other)
        return false;
    (*text)++;
    return true;
}

static bool take_date(const char **text, Civil *t)
{
    return take_digits(text, 4, &t->year) && take(text, '-', '-') && take_digits(text, 2, &t->month)
        && take(text, '-', '-') && take_digits(text, 2, &t->day);
}

static bool take_time(const char **text, Civil *t)
{
    return take_digits(text, 2, &t->hour) && take(text, ':', ':')
        && take_digits(text, 2, &t->minute) && take(text, ':', ':')
        && take_digits(text, 2, &t->second);
}

/* An absent fraction is fine; one without digits is not. */
static bool take_fraction(const char **text, Civil *t)
{
    int64_t weight = NS_PER_SECOND / 10;

    if (!take(text, '.', '.'))
        return true;
    if (!is_digit(**text))
        return false;
    for (; is_digit(**text); (*text)++, weight /= 10)
        t->nanos += (**text - '0') * weight;
    return true;
}

static bool take_offset(const char **text, Civil *t)
{
    int64_t hours, minutes;
    bool west = **text == '-';

    if (take(text, 'Z', 'z'))
        return true;
    if (!take(text, '+', '-') || !take_digits(text, 2, &hours) || !take(text, ':', ':')
        || !take_digits(text, 2, &minutes) || hours > 23 || minutes > 59)
        return false;
    t->offset_seconds = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return true;
}

static int64_t days_of_month(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return month == 2 && leap ? 29 : days[month - 1];
}

static bool exists(const Civil *t)
{
    return t->month >= 1 && t->month <= 12 && t->day >= 1
        && t->day <= days_of_month(t->year, t->month) && t->hour <= 23 && t->minute <= 59
        && t->second <= 60;
}

static int64_t seconds_of(const Civil *t)
{
    int64_t year = t->year - (t->month <= 2);
    int64_t era = floor_div(year, 400);
    int64_t year_of_era = year - era * 400;
    int64_t months_since_march = t->month > 2 ? t->month - 3 : t->month + 9;
    int64_t day_of_year = (153 * months_since_march + 2) / 5 + t->day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    int64_t days = era * DAYS_PER_ERA + day_of_era - DAYS_BEFORE_EPOCH;
    int64_t second = t->second == 60 ? 59 : t->second;

    return days * SECONDS_PER_DAY + t->hour * 3600 + t->minute * 60 + second - t->offset_seconds;
}

bool timestamp_parse(const char *text, int64_t *ret_wall_ns)
{
    Civil t = {0};
    int64_t ns;

    if (!text || !take_date(&text, &t) || !take(&text, 'T', 't') || !take_time(&text, &t)
        || !take_fraction(&text, &t) || !take_offset(&text, &t) || *text || !exists(&t))
        return false;

    int64_t seconds = seconds_of(&t);
    if (__builtin_mul_overflow(seconds, NS_PER_SECOND, &ns)
        || __builtin_add_overflow(ns, t.nanos, &ns))
        ns = seconds < 0 ? INT64_MIN : INT64_MAX;
    *ret_wall_ns = ns;
    return true;
}

/* --- how long --- */

/* "5m3s"; "5m" when nothing is left over. */
static const char *two_figures(
    int64_t whole, char unit, int64_t rest, char rest_unit, char ret[TIMESTAMP_SIZE])
{
    if (rest == 0)
        snprintf(ret, TIMESTAMP_SIZE, "%lld%c", (long long)whole, unit);
    else
        snprintf(ret,
            TIMESTAMP_SIZE,
            "%lld%c%lld%c",
            (long long)whole,
            unit,
            (long long)rest,
            rest_unit);
    return ret;
}

const char *timestamp_elapsed(int64_t elapsed_ns, char ret[TIMESTAMP_SIZE])
{
    int64_t seconds = elapsed_ns / NS_PER_SECOND, minutes = seconds / 60, hours = minutes / 60;
    int64_t days = hours / 24, years = days / 365;

    if (seconds < -1) {
        snprintf(ret, TIMESTAMP_SIZE, "<invalid>");
        return ret;
    }
    if (seconds < 120)
        return two_figures(seconds < 0 ? 0 : seconds, 's', 0, 's', ret);
    if (minutes < 10)
        return two_figures(minutes, 'm', seconds % 60, 's', ret);
    if (hours < 3)
        return two_figures(minutes, 'm', 0, 's', ret);
    if (hours < 8)
        return two_figures(hours, 'h', minutes % 60, 'm', ret);
    if (hours < 48)
        return two_figures(hours, 'h', 0, 'm', ret);
    if (days < 8)
        return two_figures(days, 'd', hours % 24, 'h', ret);
    if (years < 2)
        return two_figures(days, 'd', 0, 'h', ret);
    return two_figures(years, 'y', years < 8 ? days % 365 : 0, 'd', ret);
}
