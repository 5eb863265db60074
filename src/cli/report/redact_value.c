/* RedactValue: what stands behind the name decides. In quotes a value goes on to those that close
 * them, in braces to the one that closes the first; a member of YAML that has its line for itself
 * goes on over all lines that are indented more; everything else ends with the word. */
#include "cli/report/redact_value.h"

#include "base/str.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MIN = 12, WORD_MIN = 3, WORD_MAX = 8, QUOTES_OF_BLOCK = 3 };

/* Where a value stands: the name before it, and where the whole text begins. */
typedef struct Place {
    const char *begin, *at;
} Place;

/* --- lines */

const char *redact_behind_time(const char *line)
{
    size_t len = strspn(line, "0123456789-:.TZ+");

    return len >= strlen("2026-01-01T00:00:00Z") && line[len] == ' ' ? line + len + 1 : line;
}

/* The line of a name, behind its time. */
static const char *line_of(Place place)
{
    const char *line = place.at;

    while (line > place.begin && line[-1] != '\n')
        line--;
    line = redact_behind_time(line);
    return line < place.at ? line : place.at;
}

/* Only blanks, dashes of a list and these stand before the name. */
static bool begins_line(Place place, const char *also)
{
    const char *line = line_of(place), *at = place.at;

    while (at > line && (strchr(" -", at[-1]) || strchr(also, at[-1])))
        at--;
    return at == line;
}

/* A colon is the last before the value. */
static bool is_behind_colon(Place place, const char *value)
{
    while (value > place.at && strchr(" \t", value[-1]))
        value--;
    return value > place.at && value[-1] == ':';
}

/* An item of a list may stand as far left as the name whose value the list is. */
static bool is_below(const char *text, size_t column, bool takes_items)
{
    size_t blanks = strspn(text, " ");

    return blanks > column || (takes_items && blanks == column && text[blanks] == '-');
}

/* How far its line is indented where the name, or the quote before it, begins. */
static size_t column_of(Place place)
{
    const char *line = line_of(place), *at = place.at;

    while (at > line && strchr("\"'", at[-1]))
        at--;
    return (size_t)(at - line);
}

/* The rest of the line, and the lines below that are indented more than the name is. */
static size_t block_len(Place place, const char *value, bool takes_items)
{
    size_t column = column_of(place);
    size_t end = strcspn(value, "\r\n"), len = strcspn(value, "\n");

    while (value[len]) {
        const char *line = value + len + 1, *text = redact_behind_time(line);
        size_t rest = strcspn(line, "\n");
        bool is_empty = strchr("\r\n", text[strspn(text, " ")]) != NULL; /* or the end */
        if (!is_empty && !is_below(text, column, takes_items))
            break;
        len = (size_t)(line - value) + rest;
        end = is_empty ? end : len;
    }
    return end;
}

/* --- quotes */

/* What opens a text: how many backslashes stand before its quote tells how deep texts are in
 * texts. */
typedef struct Opening {
    size_t escapes;
    char quote; /* '\0': none */
} Opening;

static Opening opening_of(const char *value)
{
    size_t escapes = strspn(value, "\\");
    char quote = value[escapes];

    return quote == '"' || quote == '\'' ? (Opening){escapes, quote} : (Opening){0};
}

/* More of the text, though a single quote is in it: of YAML '' and of a shell '\''. */
static size_t pair_len(const char *text, char quote)
{
    if (quote != '\'')
        return 0;
    return str_has_prefix(text, "'\\''") ? 4 : str_has_prefix(text, "''") ? 2 : 0;
}

/* Up to the quote that closes it. One that is part of the text has other backslashes before it. */
static size_t quoted_len(const char *text, Opening opening)
{
    size_t len = 0, before = 0; /* backslashes */

    for (; text[len] && text[len] != '\n'; len++) {
        bool is_quote = text[len] == opening.quote;
        size_t pair = is_quote && before == 0 ? pair_len(text + len, opening.quote) : 0;
        if (pair) {
            len += pair - 1;
            continue;
        }
        if (is_quote && before % (2 * (opening.escapes + 1)) == opening.escapes)
            return len - opening.escapes;
        before = text[len] == '\\' ? before + 1 : 0;
    }
    return len;
}

static bool is_block_of_quotes(const char *value, char quote)
{
    return value[1] == quote && value[2] == quote;
}

/* Of several lines, as TOML and Python have them: up to the next three quotes. */
static Value block_of_quotes(const char *value)
{
    const char marks[] = {value[0], value[0], value[0], '\0'};
    const char *text = value + QUOTES_OF_BLOCK, *end = strstr(text, marks);

    return (Value){text, end ? (size_t)(end - text) : strlen(text)};
}

static Value in_quotes(Place place, const char *value, Opening opening)
{
    const char *text = value + opening.escapes + 1;
    size_t len = quoted_len(text, opening);

    if (opening.escapes == 0 && is_block_of_quotes(value, opening.quote))
        return block_of_quotes(value);
    bool is_open = text[len] == '\n' || text[len] == '\0';
    if (is_open && begins_line(place, "\"'") && is_behind_colon(place, value))
        len = block_len(place, text, false);
    return (Value){text, len};
}

/* --- no quotes */

/* An apostrophe opens nothing where it is within a word. */
static bool opens_text(const char *value, size_t at)
{
    return value[at] == '"' || (value[at] == '\'' && at > 0 && strchr(" :,[{", value[at - 1]));
}

/* Up to the brace that closes the first one; those in texts do not count. */
static size_t nested_len(const char *value)
{
    size_t depth = 0, len = 0, escapes = 0;

    for (; value[len]; len++) {
        if (opens_text(value, len)) {
            Opening opening = {escapes, value[len]};
            len += 1 + quoted_len(value + len + 1, opening) + escapes;
            escapes = 0;
            if (!value[len])
                break;
            continue;
        }
        escapes = value[len] == '\\' ? escapes + 1 : 0;
        depth += value[len] == '{' || value[len] == '[';
        depth -= depth > 0 && (value[len] == '}' || value[len] == ']');
        if (depth == 0)
            break;
    }
    return len;
}

size_t redact_words_len(const char *text)
{
    size_t words = 0, len = 0;

    for (;;) {
        size_t word = strspn(text + len, "abcdefghijklmnopqrstuvwxyz");
        if (word < WORD_MIN || word > WORD_MAX || isalnum((unsigned char)text[len + word]))
            break;
        words++;
        len += word;
        if (text[len] != ' ' || !islower((unsigned char)text[len + 1]))
            break;
        len++;
    }
    return words >= WORDS_MIN ? len : 0;
}

/* Up to the end of the word. One that only names a scheme goes on with what follows. */
static size_t word_len(const char *value)
{
    static const char ends[] = " \t\n\r,;&)}\"'";
    size_t len = strcspn(value, ends);
    bool is_scheme = (len == 6 && strncasecmp(value, "bearer", len) == 0)
        || (len == 5 && strncasecmp(value, "basic", len) == 0);

    if (is_scheme && value[len] == ' ')
        len += 1 + strcspn(value + len + 1, ends);
    return len;
}

/* The value of a header of HTTP, which goes on to the end of its line, or of the quotes around. */
static bool is_of_header(const char *at)
{
    static const char *const headers[] = {"authorization:", "cookie:", "set-cookie:"};

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (strncasecmp(at, headers[i], strlen(headers[i])) == 0)
            return true;
    return false;
}

/* Nothing of the value is on the line of its name. */
static bool is_empty_line(const char *value)
{
    return *value == '#' || *value == '\r' || *value == '\n';
}

static size_t bare_len(Place place, const char *value)
{
    size_t words = redact_words_len(value);

    if (*value == '{' || *value == '[')
        return nested_len(value);
    if (words)
        return words;
    if (is_empty_line(value))
        return begins_line(place, "\"'") && is_behind_colon(place, value)
            ? block_len(place, value, true)
            : 0;
    if (begins_line(place, "") && is_behind_colon(place, value))
        return block_len(place, value, false);
    return is_of_header(place.at) ? strcspn(value, "\r\n\"'") : word_len(value);
}

/* --- all of it */

/* What stands between a name and its value: = or :, of a flag also blanks or, in JSON, a comma.
 * NULL: none follows. */
static const char *behind_name(const char *at, size_t name_len)
{
    size_t quotes = strspn(at + name_len, "\\\"'");
    const char *c = at + name_len + quotes;
    size_t blanks = strspn(c, " \t");

    c += blanks;
    if (*c == ':' || *c == '=' || (*c == ',' && at[0] == '-' && quotes))
        c++;
    else if (at[0] != '-' || blanks == 0)
        return NULL;
    return c + strspn(c, " \t");
}

Value redact_value_of(const char *begin, const char *at, size_t name_len)
{
    Place place = {begin, at};
    const char *value = behind_name(at, name_len);

    if (!value)
        return (Value){0};
    Opening opening = opening_of(value);
    return opening.quote ? in_quotes(place, value, opening)
                         : (Value){value, bare_len(place, value)};
}
