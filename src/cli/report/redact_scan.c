/* Scan: every reach is bounded, and where nothing closes a value, it goes as far as it can. */
#include "cli/report/redact_scan.h"

#include "base/str.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum {
    QUOTED_MAX = 16 << 10, /* of a text in quotes that goes over lines */
    NESTED_MAX = 64 << 10,
    PART_MAX = 4 << 10, /* of a word */
};

static bool is_alnum(char c)
{
    return isalnum((unsigned char)c) != 0;
}

static bool is_mark(char c)
{
    return c == '"' || c == '\'' || c == '`';
}

const char *scan_behind_time(const char *line)
{
    size_t len = strspn(line, "0123456789-:.TZ+");

    return len >= strlen("2026-01-01T00:00:00Z") && line[len] == ' ' ? line + len + 1 : line;
}

static size_t escapes_before(const char *begin, const char *at)
{
    size_t count = 0;

    while (at > begin && at[-1] == '\\') {
        at--;
        count++;
    }
    return count;
}

/* A quote that is escaped once more than the string is belongs to what is in it; one that is
 * escaped less ends what is around it, too. */
static bool closes(Quote quote, char mark, size_t escapes)
{
    return quote.mark == mark
        && (escapes < quote.escapes || escapes % (2 * (quote.escapes + 1)) == quote.escapes);
}

/* The quote that stands here opens a string, and is no apostrophe. */
static bool opens(const char *begin, const char *at, size_t escapes)
{
    return at - escapes == begin || !is_alnum(at[-1 - (ptrdiff_t)escapes]);
}

Quote scan_quote(const char *text)
{
    size_t escapes = strspn(text, "\\");

    return is_mark(text[escapes]) ? (Quote){text[escapes], escapes} : (Quote){0};
}

/* --- the pass */

Scan scan_of(const char *text)
{
    return (Scan){.begin = text, .at = text, .line = scan_behind_time(text)};
}

static void step(Scan *s)
{
    char c = *s->at;

    if (c == '\n') {
        s->line = scan_behind_time(s->at + 1);
        s->inside = (Quote){0};
    } else if (c == '"' || c == '\'') {
        size_t escapes = escapes_before(s->begin, s->at);
        if (!s->inside.mark && opens(s->begin, s->at, escapes))
            s->inside = (Quote){c, escapes};
        else if (closes(s->inside, c, escapes))
            s->inside = (Quote){0};
    }
    s->at++;
}

void scan_step(Scan *s, size_t len)
{
    while (len-- > 0)
        step(s);
}

bool scan_is_behind_break(const Scan *s)
{
    return s->at - s->begin > 1 && s->at[-2] == '\\' && strchr("nrt", s->at[-1]);
}

bool scan_begins_word(const Scan *s)
{
    return s->at == s->begin || !is_alnum(s->at[-1]) || scan_is_behind_break(s);
}

static bool ends_in(const char *begin, const char *end, const char *word)
{
    size_t len = strlen(word);

    return (size_t)(end - begin) >= len && memcmp(end - len, word, len) == 0;
}

bool scan_begins_line(const Scan *s)
{
    const char *c = s->at;

    if (s->line > s->at) /* within the time */
        return false;
    while (c > s->line && strchr(" \t-", c[-1]))
        c--;
    if (s->inside.mark && c > s->line)
        return is_mark(c[-1]) || c[-1] == '\\' || ends_in(s->line, c, "\\n");
    if (ends_in(s->line, c, "export"))
        c -= strlen("export");
    while (c > s->line && strchr(" \t-\"'#/+$>|", c[-1]))
        c--;
    return c == s->line;
}

/* --- how far values reach */

/* The text at `len` is the quote that ends the string around it. */
static bool leaves(const char *text, size_t len, Quote inside)
{
    return inside.mark && text[len] == inside.mark
        && closes(inside, text[len], escapes_before(text, text + len));
}

/* Without the backslashes of the quote that it ends at. */
static size_t before_quote(const char *text, size_t len)
{
    return len - escapes_before(text, text + len);
}

size_t scan_until(const char *text, Quote inside, const char *ends)
{
    size_t len = 0;

    for (; text[len] && !strchr(ends, text[len]); len++)
        if (leaves(text, len, inside))
            return before_quote(text, len);
    return len;
}

size_t scan_line_rest(const char *text, Quote inside)
{
    return scan_until(text, inside, "\r\n");
}

/* From a quote to behind the one that closes it in the same line; 0: none does. */
static size_t part_len(const char *text, size_t at, Quote inside)
{
    Quote quote = {text[at], escapes_before(text, text + at)};

    for (size_t len = at + 1; text[len] && text[len] != '\n' && len - at < PART_MAX; len++) {
        if (leaves(text, len, inside))
            return 0;
        if (text[len] == quote.mark && closes(quote, quote.mark, escapes_before(text, text + len)))
            return len + 1 - at;
    }
    return 0;
}

size_t scan_word(const char *text, Quote inside, const char *ends, size_t max)
{
    size_t len = 0;

    while (len < max && text[len] && !strchr(" \t\r\n", text[len])) {
        if (leaves(text, len, inside))
            return before_quote(text, len);
        if (strchr(ends, text[len]))
            break;
        size_t part = is_mark(text[len]) ? part_len(text, len, inside) : 0;
        len += part ? part : 1;
    }
    return len;
}

static bool is_three(const char *text, Quote quote)
{
    for (int i = 0; i < 3; i++) {
        if (strspn(text, "\\") != quote.escapes || text[quote.escapes] != quote.mark)
            return false;
        text += quote.escapes + 1;
    }
    return true;
}

/* From behind three quotes to the next three; else over all there is. */
static size_t three_len(const char *text, Quote quote)
{
    size_t len = 2 * (quote.escapes + 1);

    while (text[len] && !is_three(text + len, quote))
        len++;
    return len;
}

/* To the closing quote, where it is near enough; else to the end of the line. */
static size_t closed_len(const char *text, Quote quote)
{
    for (size_t len = 0; text[len] && len < QUOTED_MAX; len++) {
        size_t escapes = text[len] == quote.mark ? escapes_before(text, text + len) : 0;
        if (text[len] == quote.mark && closes(quote, text[len], escapes))
            return len - (escapes < quote.escapes ? escapes : quote.escapes);
        if (text[len] == '\n' && quote.escapes)
            return len;
    }
    return strcspn(text, "\n");
}

/* A word goes on behind its quote: 'it'\''s', 'it''s', "a"b. */
static bool is_glued(const char *text, Quote inside)
{
    size_t escapes = strspn(text, "\\");

    if (is_mark(text[escapes]))
        return !closes(inside, text[escapes], escapes);
    return is_alnum(*text);
}

size_t scan_quoted(const char *text, Quote quote, Quote inside)
{
    size_t len = closed_len(text, quote);

    if (len == 0 && is_three(text - 1 - quote.escapes, quote))
        return three_len(text, quote);
    if (memchr(text, '\n', len)) /* who knows what that quote was for */
        return len + strcspn(text + len, "\r\n");
    if (text[len] == quote.mark && quote.escapes == 0 && is_glued(text + len + 1, inside))
        len += 1 + scan_word(text + len + 1, inside, "", SIZE_MAX);
    return len > 0 && text[len - 1] == quote.mark ? before_quote(text, len - 1) : len;
}

/* The string that the text is in behind a letter of it. */
static Quote string_behind(Quote string, const char *text, size_t len)
{
    char c = text[len];
    size_t escapes = is_mark(c) ? escapes_before(text, text + len) : 0;

    if (c == '\n' || (string.mark && closes(string, c, escapes)))
        return (Quote){0};
    if (!string.mark && is_mark(c) && opens(text, text + len, escapes))
        return (Quote){c, escapes};
    return string;
}

size_t scan_nested(const char *text, Quote inside)
{
    size_t depth = 0, len = 0;
    Quote string = {0};

    for (; text[len] && len < NESTED_MAX; len++) {
        if (leaves(text, len, inside))
            return before_quote(text, len);
        string = string_behind(string, text, len);
        if (string.mark)
            continue;
        depth += text[len] == '{' || text[len] == '[';
        depth -= depth > 0 && (text[len] == '}' || text[len] == ']');
        if (depth == 0)
            break;
    }
    if (len == NESTED_MAX)
        return len + strcspn(text + len, "\r\n");
    bool is_glued_on = text[len] && is_alnum(text[len + 1]);
    return is_glued_on ? len + scan_word(text + len, inside, "", SIZE_MAX) : len;
}

size_t scan_block(const char *text, size_t column, bool items)
{
    size_t len = strcspn(text, "\n"), end = len;

    while (text[len]) {
        const char *line = text + len + 1, *words = scan_behind_time(line);
        size_t blanks = strspn(words, " \t");
        bool is_empty = !words[blanks] || strchr("\r\n", words[blanks]);
        bool is_item = items && blanks == column && words[blanks] == '-';
        if (!is_empty && blanks <= column && !is_item)
            break;
        len = (size_t)(line - text) + strcspn(line, "\n");
        end = is_empty ? end : len;
    }
    return end;
}
