/* Patterns: the part of RE2 that schemas use, brought into the form of POSIX, whose matcher the C
 * library has. The forms differ in a few letters: \d, \w, \s, (?:...), and backslashes in
 * brackets, which POSIX takes literally. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/schema_rules.h"

#include <regex.h>
#include <string.h>

struct Pattern {
    regex_t compiled;
};

enum { PATTERN_MAX = 4096 };

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
    if (!at || regcomp(&pattern->compiled, text_seen(&t), REG_EXTENDED | REG_NOSUB) != 0)
        return NULL;
    arena_pin(a, release, pattern);
    return pattern;
}

bool pattern_matches(const Pattern *pattern, const char *text)
{
    return regexec(&pattern->compiled, text, 0, NULL, 0) == 0;
}
