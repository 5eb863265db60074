/* Redact, of texts: one pass. At each place the finders are asked whether a secret begins there;
 * the first that says so decides how much of it is kept (the name, the scheme) and how much goes.
 *
 * What surprises: the colours of a terminal are taken out first, as they stand between a name and
 * its value. */
#include "base/str.h"
#include "cli/report/redact.h"
#include "cli/report/redact_find.h"

#include <ctype.h>
#include <string.h>

enum { TEXT_MAX = 64 << 20 };

/* Nothing begins within a word. */
static bool is_within_word(const Scan *s)
{
    return isalnum((unsigned char)*s->at) && !scan_begins_word(s);
}

static Found find_any(Scan *s)
{
    if (is_within_word(s))
        return (Found){0};
    Found named = redact_find_named(s), shape = redact_find_shape(s);

    /* A name that stands before a key in PEM knows less of how long that is. */
    return named.len >= shape.len ? named : shape;
}

/* The length of what holds no secret, and what it ends at. */
static size_t clean_len(Scan *s, Found *ret)
{
    const char *from = s->at;

    *ret = (Found){0};
    while (*s->at) {
        *ret = find_any(s);
        if (ret->len)
            break;
        scan_step(s, 1);
    }
    return (size_t)(s->at - from);
}

static const char *redact(Redactor *r, const char *text)
{
    Buf out = {.ceiling = TEXT_MAX};
    Scan s = scan_of(text);
    bool fits = true;

    while (*s.at && fits) {
        Found found;
        const char *from = s.at;
        size_t len = clean_len(&s, &found);
        fits = buf_append(&out, from, len + found.kept)
            && (!found.len || buf_append(&out, REDACTED, strlen(REDACTED)));
        r->count += found.len > 0;
        redact_pass_over(&s, found.len);
    }
    /* What cannot be held cannot be shown. */
    const char *clean = fits ? str_slice(r->arena, out.len ? out.data : "", out.len) : REDACTED;
    buf_close(&out);
    return clean;
}

/* An escape sequence of a terminal: ESC [ 3 6 m. */
static size_t colour_len(const char *text)
{
    size_t len = 2;

    if (text[0] != '\x1b' || text[1] != '[')
        return 0;
    while (text[len] >= ' ' && text[len] < '@')
        len++;
    return text[len] >= '@' && text[len] <= '~' ? len + 1 : len;
}

static const char *without_colours(Arena *a, const char *text)
{
    size_t len = 0;

    if (!strchr(text, '\x1b'))
        return text;
    char *plain = arena_array(a, char, strlen(text) + 1);
    while (*text) {
        size_t colour = colour_len(text);
        if (!colour)
            plain[len++] = *text++;
        text += colour;
    }
    plain[len] = '\0';
    return plain;
}

const char *redact_text(Redactor *r, const char *text)
{
    return redact(r, without_colours(r->arena, text));
}
