/* Patterns: the part of RE2 that schemas use, brought into the form of POSIX, whose matcher the C
 * library has. The forms differ in a few letters: \d, \w, \s, (?:...), and backslashes in
 * brackets, which POSIX takes literally. The C library writes every repetition out before it
 * matches, so that a few letters could ask for gigabytes: what that adds is counted first. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/schema_rules.h"

#include <regex.h>
#include <stdint.h>
#include <string.h>

struct Pattern {
    regex_t compiled;
};

enum {
    PATTERN_MAX = 4096,
    NESTED_MAX = 100,
    REPEATED_MAX = 1000, /* as RE2 has it for counts, and for those inside of each other */
};

/* What stands inside of brackets for a letter behind a backslash; NULL when it is no class. */
static const char *class_of(char letter)
{
    switch (letter) {
    case 'd':
        return "0-9";
    case 'w':
        return "0-9A-Za-z_";
    case 's':
        return " \t\n\f\r";
    default:
        return NULL;
    }
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Brings one set of brackets over; gives where it ends, or NULL. */
static const char *translate_brackets(Text *t, const char *at)
{
    bool has_dash = false;

    text_add_byte(t, *at++);
    if (*at == '^')
        text_add_byte(t, *at++);
    if (*at == ']')
        text_add_byte(t, *at++);
    for (; *at && *at != ']'; at++) {
        const char *class = *at == '\\' ? class_of(at[1]) : NULL;
        if (*at == '[')
            return NULL;
        if (class) {
            text_add(t, class);
            at++;
        } else if (*at == '\\' && at[1] == '-') {
            has_dash = true;
            at++;
        } else if (*at == '\\') {
            at++;
            if (is_letter_or_digit(*at) || *at == ']' || *at == '^' || *at == '\0')
                return NULL;
            text_add_byte(t, *at);
        } else {
            text_add_byte(t, *at);
        }
    }
    if (has_dash)
        text_add_byte(t, '-');
    text_add_byte(t, ']');
    return *at ? at + 1 : NULL;
}

/* Brings one backslash over; gives where it ends, or NULL. */
static const char *translate_escape(Text *t, const char *at)
{
    const char *class = class_of(at[1]);

    if (!class && (at[1] == '\0' || is_letter_or_digit(at[1])))
        return NULL;
    if (class) {
        text_add_byte(t, '[');
        text_add(t, class);
        text_add_byte(t, ']');
    } else {
        text_add_bytes(t, at, 2);
    }
    return at + 2;
}

/* Brings the next piece over; gives where it ends, or NULL. */
static const char *translate_piece(Text *t, const char *at)
{
    bool repeats = strchr("*+?}", *at) != NULL;

    if (*at == '[')
        return translate_brackets(t, at);
    if (*at == '\\')
        return translate_escape(t, at);
    if (str_has_prefix(at, "(?:")) {
        text_add_byte(t, '(');
        return at + strlen("(?:");
    }
    if (str_has_prefix(at, "(?") || (repeats && (at[1] == '?' || at[1] == '+')))
        return NULL;
    text_add_byte(t, *at);
    return at + 1;
}

/* --- what repetition adds --- */

/* How many pieces a pattern has once it is written out. */
typedef struct Extent {
    size_t groups[NESTED_MAX]; /* those of the groups around, so far; the last is the innermost */
    size_t depth;
    size_t last;  /* those of what a repetition would repeat */
    size_t added; /* by repetitions */
} Extent;

static const char *skip_brackets(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    return strchr(at + 1, ']');
}

/* How often a repetition is written out, SIZE_MAX for too often; gives its last byte. What is no
 * count repeats nothing. */
static const char *read_times(const char *at, size_t *ret)
{
    const char *end = at + strcspn(at, "}");
    size_t least = 0, most = 0;
    bool has_comma = false;

    *ret = *at == '+' ? 2 : 1;
    if (*at != '{' || !*end || strspn(at + 1, "0123456789,") != (size_t)(end - at - 1))
        return at;
    for (const char *each = at + 1; each < end; each++) {
        size_t *number = has_comma ? &most : &least;
        if (*each == ',')
            has_comma = true;
        else if (*number <= REPEATED_MAX)
            *number = *number * 10 + (size_t)(*each - '0');
    }
    *ret = most > least ? most : least;
    if (*ret > REPEATED_MAX)
        *ret = SIZE_MAX;
    else if (end[-1] == ',')
        *ret += 1;
    return end;
}

static bool repeat(Extent *e, size_t times)
{
    if (times == SIZE_MAX)
        return false;
    if (times == 0)
        return true;
    e->added += e->last * (times - 1);
    e->groups[e->depth] += e->last * (times - 1);
    e->last *= times;
    return e->added <= REPEATED_MAX;
}

static bool open_group(Extent *e)
{
    if (e->depth + 1 == NESTED_MAX)
        return false;
    e->groups[++e->depth] = 0;
    return true;
}

static bool close_group(Extent *e)
{
    if (e->depth == 0)
        return false;
    e->last = e->groups[e->depth--];
    if (e->last == 0)
        e->last = 1;
    e->groups[e->depth] += e->last;
    return true;
}

/* Whether a pattern that is in the form of POSIX stays small when it is written out. */
static bool is_bounded(const char *at)
{
    Extent e = {0};
    bool fits = true;

    for (; fits && *at; at++) {
        size_t times;
        if (strchr("*+?{", *at)) {
            at = read_times(at, &times);
            fits = repeat(&e, times);
        } else if (*at == '(') {
            fits = open_group(&e);
        } else if (*at == ')') {
            fits = close_group(&e);
        } else {
            if (*at == '[')
                at = skip_brackets(at);
            else if (*at == '\\')
                at++;
            e.last = 1;
            e.groups[e.depth]++;
        }
    }
    return fits;
}

/* --- all of it --- */

static void release(void *thing)
{
    Pattern *pattern = thing;

    regfree(&pattern->compiled);
}

const Pattern *pattern_new(Arena *a, const char *text)
{
    Text t = {.arena = a};
    Pattern *pattern = arena_new(a, Pattern);
    const char *at = text;

    if (strlen(text) > PATTERN_MAX)
        return NULL;
    while (at && *at)
        at = translate_piece(&t, at);
    if (!at || !is_bounded(text_seen(&t))
        || regcomp(&pattern->compiled, text_seen(&t), REG_EXTENDED | REG_NOSUB) != 0)
        return NULL;
    arena_pin(a, release, pattern);
    return pattern;
}

bool pattern_matches(const Pattern *pattern, const char *text)
{
    return regexec(&pattern->compiled, text, 0, NULL, 0) == 0;
}
