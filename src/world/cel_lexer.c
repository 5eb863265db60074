/* The words of CEL. Texts may stand in either quotes, also raw; byte strings, unsigned numbers and
 * texts of three quotes are not known here. */
#include "base/str.h"
#include "kube/core/text.h"
#include "world/cel_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static CelToken bad(size_t at, const char *what)
{
    return (CelToken){.kind = CEL_TOKEN_BAD, .at = at, .text = what};
}

/* --- numbers --- */

static CelToken number_token(const char *text, size_t *at)
{
    CelToken token = {.kind = CEL_TOKEN_LITERAL, .at = *at};
    const char *begin = text + *at;
    bool is_hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    char *end, *real_end;

    errno = 0;
    token.value = cel_number(strtoll(begin, &end, is_hex ? 16 : 10));
    if (errno)
        return bad(*at, "Syntax error: a number that is too large");
    if (!is_hex && (*end == '.' ? is_digit(end[1]) : *end == 'e' || *end == 'E')) {
        token.value = (CelValue){.kind = CEL_DOUBLE, .real = strtod(begin, &real_end)};
        end = real_end;
    }
    if (begins_name(*end))
        return bad((size_t)(end - text), "Syntax error: a number with letters behind it");
    *at = (size_t)(end - text);
    return token;
}

/* --- texts --- */

static void add_character(Text *t, unsigned long code)
{
    if (code < 0x80) {
        text_add_byte(t, (char)code);
    } else if (code < 0x800) {
        text_add_byte(t, (char)(0xc0 | (code >> 6)));
        text_add_byte(t, (char)(0x80 | (code & 0x3f)));
    } else if (code < 0x10000) {
        text_add_byte(t, (char)(0xe0 | (code >> 12)));
        text_add_byte(t, (char)(0x80 | ((code >> 6) & 0x3f)));
        text_add_byte(t, (char)(0x80 | (code & 0x3f)));
    } else {
        text_add_byte(t, (char)(0xf0 | (code >> 18)));
        text_add_byte(t, (char)(0x80 | ((code >> 12) & 0x3f)));
        text_add_byte(t, (char)(0x80 | ((code >> 6) & 0x3f)));
        text_add_byte(t, (char)(0x80 | (code & 0x3f)));
    }
}

static bool is_character(unsigned long code)
{
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/* A character by its number, of that many digits; gives where it ends, or NULL. */
static const char *add_by_number(Text *t, const char *digits, size_t count, int base)
{
    char number[9] = "";
    char *end;

    if (strlen(digits) < count)
        return NULL;
    memcpy(number, digits, count);
    unsigned long code = strtoul(number, &end, base);
    if (*end || number[0] == '-' || number[0] == '+' || !is_character(code))
        return NULL;
    add_character(t, code);
    return digits + count;
}

/* What stands behind a backslash; gives where it ends, or NULL. */
static const char *add_escape(Text *t, const char *at)
{
    static const char letters[] = "abfnrtv\\?\"'`", meant[] = "\a\b\f\n\r\t\v\\?\"'`";
    const char *letter = *at ? strchr(letters, *at) : NULL;

    if (letter) {
        text_add_byte(t, meant[letter - letters]);
        return at + 1;
    }
    switch (*at) {
    case 'x':
    case 'X':
        return add_by_number(t, at + 1, 2, 16);
    case 'u':
        return add_by_number(t, at + 1, 4, 16);
    case 'U':
        return add_by_number(t, at + 1, 8, 16);
    case '0':
    case '1':
    case '2':
    case '3':
        return add_by_number(t, at, 3, 8);
    default:
        return NULL;
    }
}

static CelToken text_token(Arena *a, const char *text, size_t *at)
{
    size_t begin = *at;
    bool is_raw = text[begin] == 'r' || text[begin] == 'R';
    const char *next = text + begin + is_raw;
    char quote = *next++;
    Text t = {.arena = a};

    while (next && *next && *next != quote && *next != '\n') {
        if (*next == '\\' && !is_raw)
            next = add_escape(&t, next + 1);
        else
            text_add_byte(&t, *next++);
    }
    if (!next || *next != quote)
        return bad(begin, "Syntax error: a text that does not end, or an escape that is none");
    if (next == text + begin + is_raw + 1 && next[1] == quote)
        return bad(begin, "Syntax error: texts of three quotes are not known here");
    *at = (size_t)(next + 1 - text);
    return (CelToken){
        .kind = CEL_TOKEN_LITERAL, .at = begin, .value = cel_text(str_copy(a, text_seen(&t)))};
}

/* --- names and signs --- */

static CelToken name_token(Arena *a, const char *text, size_t *at)
{
    size_t begin = *at, end = begin;
    CelToken token = {.kind = CEL_TOKEN_NAME, .at = begin};

    while (begins_name(text[end]) || is_digit(text[end]))
        end++;
    *at = end;
    token.text = str_slice(a, text + begin, end - begin);
    if (str_eq(token.text, "true") || str_eq(token.text, "false")) {
        token.kind = CEL_TOKEN_LITERAL;
        token.value = cel_flag(*token.text == 't');
    } else if (str_eq(token.text, "null")) {
        token.kind = CEL_TOKEN_LITERAL;
        token.value = (CelValue){.kind = CEL_NULL};
    } else if (str_eq(token.text, "in")) {
        token.kind = CEL_TOKEN_SIGN;
    }
    return token;
}

static CelToken sign_token(const char *text, size_t *at)
{
    static const char *const signs[] = {"||",
        "&&",
        "==",
        "!=",
        "<=",
        ">=",
        "<",
        ">",
        "+",
        "-",
        "*",
        "/",
        "%",
        "!",
        "?",
        ":",
        ".",
        ",",
        "(",
        ")",
        "[",
        "]"};

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!str_has_prefix(text + *at, signs[i]))
            continue;
        *at += strlen(signs[i]);
        return (CelToken){.kind = CEL_TOKEN_SIGN, .at = *at - strlen(signs[i]), .text = signs[i]};
    }
    return bad(*at, "Syntax error: a character that means nothing here");
}

CelToken cel_token(Arena *a, const char *text, size_t *at)
{
    for (;;) {
        *at += strspn(text + *at, " \t\r\n\f");
        if (!str_has_prefix(text + *at, "//"))
            break;
        *at += strcspn(text + *at, "\n");
    }
    const char *next = text + *at;
    bool is_raw = (*next == 'r' || *next == 'R') && (next[1] == '\'' || next[1] == '"');
    if (*next == '\0')
        return (CelToken){.kind = CEL_TOKEN_END, .at = *at, .text = "<EOF>"};
    if (is_digit(*next) || (*next == '.' && is_digit(next[1])))
        return number_token(text, at);
    if (*next == '\'' || *next == '"' || is_raw)
        return text_token(a, text, at);
    if (begins_name(*next))
        return name_token(a, text, at);
    return sign_token(text, at);
}
