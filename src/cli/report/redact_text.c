/* Redact, of texts: one pass. At each place the finders are asked in turn whether a secret begins
 * there; the first that says so decides how much of it is kept (the name, the scheme) and how much
 * goes. */
#include "base/str.h"
#include "cli/report/redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
    TEXT_MAX = 64 << 20,
    NAME_MAX = 512,
    KEY_MAX = 16 << 10, /* of a private key in PEM, with a time before each line */
    BASE64_MIN = 80,    /* a private key of ed25519 has 88 */
    MIXED_MIN = 60,     /* of small and capital letters and digits: a line of PEM has 64 */
    HEX_LEN = 64,
    TOKEN_MIN = 8,
    JWT_MIN = 24,
    WORDS_MIN = 12,
    WORD_MIN = 3,
    WORD_MAX = 8,
};

static const char base64_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64url_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char token_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
static const char name_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

/* --- names */

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* In small letters, without what separates words. */
static void squeeze(const char *name, char ret[NAME_MAX])
{
    size_t len = 0;

    for (; *name && len + 1 < NAME_MAX; name++)
        if (!strchr("-_. ", *name))
            ret[len++] = small_letter(*name);
    ret[len] = '\0';
}

/* They are secret as a whole, or as the last word: PWD is where one is. */
static bool ends_in_secret(const char *text)
{
    return str_eq(text, "sig") || str_has_suffix(text, "pass") || str_has_suffix(text, "auth")
        || (str_has_suffix(text, "pwd") && !str_eq(text, "pwd") && !str_eq(text, "oldpwd"));
}

bool redact_is_secret_name(const char *name)
{
    static const char *const secret[] = {"password",
        "passwd",
        "passphrase",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "privkey",
        "privatekey",
        "signingkey",
        "privvalidatorkey",
        "nodekey",
        "mnemonic",
        "credential",
        "authorization",
        "seedphrase",
        "signature",
        "cookie",
        "dockerconfigjson",
        "keyring"};
    /* They say where a secret is, or how it is handled, and not what it is. */
    static const char *const about[] = {
        "name", "ref", "path", "file", "dir", "seconds", "audience", "account", "image"};
    char text[NAME_MAX];

    squeeze(name ? name : "", text);
    for (size_t i = 0; i < sizeof about / sizeof about[0]; i++)
        if (str_has_suffix(text, about[i]))
            return false;
    for (size_t i = 0; i < sizeof secret / sizeof secret[0]; i++)
        if (strstr(text, secret[i]))
            return true;
    return ends_in_secret(text);
}

/* --- finders: how many bytes from `at` on are a secret with what announces it, and how many of
 * them stay; 0: none begins here */

typedef struct Found {
    size_t len, kept;
} Found;

static const char pem_head[] = "-----BEGIN ", pem_tail[] = "-----END ";

static bool is_of_key(const char *line)
{
    return memmem(line, strcspn(line, "\n\\"), "PRIVATE KEY", strlen("PRIVATE KEY")) != NULL;
}

/* The last lines of a log may begin within a key. */
static bool begins_in_key(const char *text)
{
    size_t len = strnlen(text, KEY_MAX);
    const char *end = memmem(text, len, pem_tail, strlen(pem_tail));

    return end && is_of_key(end) && !memmem(text, (size_t)(end - text), pem_head, strlen(pem_head));
}

static Found find_pem(const char *begin, const char *at)
{
    bool is_key = str_has_prefix(at, pem_head) && is_of_key(at);

    if (!is_key && (at != begin || !begins_in_key(begin)))
        return (Found){0};
    const char *end = strstr(at, pem_tail);
    if (!end)
        return (Found){.len = strlen(at)};
    const char *dashes = strstr(end + strlen(pem_tail), "-----");
    return (Found){.len = dashes ? (size_t)(dashes - at) + 5 : strlen(at)};
}

static Found find_url_user(const char *begin, const char *at)
{
    size_t len;

    if (at == begin || !isalnum((unsigned char)at[-1]) || !str_has_prefix(at, "://")
        || str_has_prefix(at + 3, REDACTED))
        return (Found){0};
    len = 3 + strcspn(at + 3, "@/ \t\n\"'<>");
    return at[len] == '@' && len > 3 ? (Found){.len = len, .kept = 3} : (Found){0};
}

static bool begins_word(const char *begin, const char *at)
{
    return at == begin || !isalnum((unsigned char)at[-1]);
}

static Found find_scheme(const char *begin, const char *at)
{
    static const char *const schemes[] = {"bearer ", "basic "};

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t kept = strlen(schemes[i]);
        if (!begins_word(begin, at) || strncasecmp(at, schemes[i], kept) != 0)
            continue;
        size_t len = strspn(at + kept, token_letters);
        if (len >= TOKEN_MIN)
            return (Found){.len = kept + len, .kept = kept};
    }
    return (Found){0};
}

static Found find_jwt(const char *begin, const char *at)
{
    size_t len = str_has_prefix(at, "eyJ") ? strspn(at, token_letters) : 0;

    return begins_word(begin, at) && len >= JWT_MIN ? (Found){.len = len} : (Found){0};
}

static Found find_mnemonic(const char *begin, const char *at)
{
    size_t words = 0, len = 0;

    if (!begins_word(begin, at))
        return (Found){0};
    for (;;) {
        size_t word = strspn(at + len, "abcdefghijklmnopqrstuvwxyz");
        if (word < WORD_MIN || word > WORD_MAX || isalnum((unsigned char)at[len + word]))
            break;
        words++;
        len += word;
        if (at[len] != ' ' || !islower((unsigned char)at[len + 1]))
            break;
        len++;
    }
    return words >= WORDS_MIN ? (Found){.len = len} : (Found){0};
}

/* Up to the quote that closes it: one behind a backslash does so only where the first was behind
 * one, too (JSON within a text). */
static size_t quoted_len(const char *value, char quote, bool is_escaped)
{
    size_t len = 0;

    while (value[len] && value[len] != quote && value[len] != '\n') {
        bool is_pair = value[len] == '\\' && value[len + 1];
        if (is_pair && is_escaped && value[len + 1] == quote)
            break;
        len += is_pair ? 2 : 1;
    }
    return len;
}

/* Up to the brace that closes the first one. */
static size_t nested_len(const char *value)
{
    size_t depth = 0, len = 0;

    for (; value[len]; len++) {
        depth += value[len] == '{' || value[len] == '[';
        depth -= depth > 0 && (value[len] == '}' || value[len] == ']');
        if (depth == 0)
            break;
    }
    return len;
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

static bool is_block(const char *value)
{
    size_t head = 1 + strspn(value + (*value != '\0'), "+-0123456789");

    return (*value == '|' || *value == '>') && strchr("\r\n", value[head]) && value[head];
}

/* A log has the time before each line. */
static const char *behind_time(const char *line)
{
    size_t len = strspn(line, "0123456789-:.TZ+");

    return len >= strlen("2026-01-01T00:00:00Z") && line[len] == ' ' ? line + len + 1 : line;
}

/* The lines that are indented more than the name is. */
static size_t block_len(const char *value, size_t column)
{
    size_t len = strcspn(value, "\n");

    while (value[len]) {
        const char *line = value + len + 1, *text = behind_time(line);
        size_t blanks = strspn(text, " ");
        if (text[blanks] && !strchr("\r\n", text[blanks]) && blanks <= column)
            break;
        len = (size_t)(line - value) + strcspn(line, "\n");
    }
    return len;
}

static size_t column_of(const char *begin, const char *at)
{
    const char *line = at;

    while (line > begin && line[-1] != '\n')
        line--;
    line = behind_time(line);
    return line < at ? (size_t)(at - line) : 0;
}

/* The value of a member of YAML, which has its line for itself. */
static bool has_line(const char *begin, const char *at, const char *value)
{
    while (value > at && strchr(" \t", value[-1]))
        value--;
    if (value == at || value[-1] != ':')
        return false;
    while (at > begin && strchr(" -", at[-1]))
        at--;
    return at == begin || at[-1] == '\n';
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

static size_t bare_len(const char *begin, const char *at, const char *value)
{
    size_t words = find_mnemonic(value, value).len;

    if (*value == '{' || *value == '[')
        return nested_len(value);
    if (is_block(value))
        return block_len(value, column_of(begin, at));
    if (words)
        return words;
    if (has_line(begin, at, value))
        return strcspn(value, "\r\n");
    return is_of_header(at) ? strcspn(value, "\r\n\"'") : word_len(value);
}

static bool is_plain_word(const char *value, size_t len)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == len && strncmp(value, words[i], len) == 0)
            return true;
    return false;
}

/* The secret name that a text begins with, or 0. */
static size_t secret_name_len(const char *at)
{
    char name[NAME_MAX];
    size_t len = strspn(at, name_letters);

    if (len == 0 || len >= NAME_MAX)
        return 0;
    memcpy(name, at, len);
    name[len] = '\0';
    return redact_is_secret_name(name) ? len : 0;
}

/* What stands between a name and its value: = or :, of a flag also blanks or, in JSON, a comma.
 * NULL: none follows. */
static const char *value_after(const char *at, size_t name_len)
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

/* name=value, name: value, "name": "value", --name value */
static Found find_named(const char *begin, const char *at)
{
    size_t len = at == begin || !strchr(name_letters, at[-1]) ? secret_name_len(at) : 0;
    const char *c = len ? value_after(at, len) : NULL;

    if (!c)
        return (Found){0};
    bool is_escaped = c[0] == '\\' && (c[1] == '"' || c[1] == '\'');
    c += is_escaped;
    char quote = *c == '"' || *c == '\'' ? *c++ : '\0';
    size_t value = quote ? quoted_len(c, quote, is_escaped) : bare_len(begin, at, c);
    if (value == 0 || is_plain_word(c, value) || str_has_prefix(c, REDACTED))
        return (Found){0};
    return (Found){.len = (size_t)(c - at) + value, .kept = (size_t)(c - at)};
}

static bool is_mixed(const char *text, size_t len)
{
    bool has_capital = false, has_small = false, has_digit = false;

    for (size_t i = 0; i < len; i++) {
        has_capital |= isupper((unsigned char)text[i]) != 0;
        has_small |= islower((unsigned char)text[i]) != 0;
        has_digit |= isdigit((unsigned char)text[i]) != 0;
    }
    return has_capital && has_small && has_digit;
}

static size_t run_len(const char *begin, const char *at, const char *letters)
{
    return at == begin || !strchr(letters, at[-1]) ? strspn(at, letters) : 0;
}

/* Names and paths are long, too, but seldom of all kinds of letters. */
static Found find_base64(const char *begin, const char *at)
{
    size_t len = run_len(begin, at, base64_letters);
    size_t url_len = run_len(begin, at, base64url_letters);

    if (len < BASE64_MIN && (len < MIXED_MIN || !is_mixed(at, len)))
        len = url_len >= MIXED_MIN && is_mixed(at, url_len) ? url_len : 0;
    return len ? (Found){.len = len + strspn(at + len, "=")} : (Found){0};
}

/* What stands before says that it is a hash, and whose. */
static bool is_said_to_be_hash(const char *begin, const char *at)
{
    enum { BEFORE = 24 };
    size_t len = at - begin < BEFORE ? (size_t)(at - begin) : BEFORE;
    const char *before = at - len;

    for (size_t i = 0; i + 4 <= len; i++)
        if (strncasecmp(before + i, "hash", 4) == 0)
            return true;
    return memmem(before, len, "sha256:", 7) != NULL;
}

static Found find_hex(const char *begin, const char *at)
{
    size_t head = str_has_prefix(at, "0x") || str_has_prefix(at, "0X") ? 2 : 0;
    size_t len = begins_word(begin, at) ? strspn(at + head, "0123456789abcdefABCDEF") : 0;

    if (len != HEX_LEN || isalnum((unsigned char)at[head + len]))
        return (Found){0};
    return is_said_to_be_hash(begin, at) ? (Found){0} : (Found){.len = head + len};
}

static Found find_any(const char *begin, const char *at)
{
    static Found (*const finders[])(const char *, const char *) = {find_pem,
        find_url_user,
        find_scheme,
        find_jwt,
        find_named,
        find_base64,
        find_hex,
        find_mnemonic};

    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
        Found found = finders[i](begin, at);
        if (found.len)
            return found;
    }
    return (Found){0};
}

/* The length of what holds no secret, and what it ends at. */
static size_t clean_len(const char *begin, const char *at, Found *ret)
{
    size_t len = 0;

    *ret = (Found){0};
    while (at[len]) {
        *ret = find_any(begin, at + len);
        if (ret->len)
            break;
        len++;
    }
    return len;
}

const char *redact_text(Redactor *r, const char *text)
{
    Buf out = {.ceiling = TEXT_MAX};
    bool fits = true;

    for (const char *at = text; *at && fits;) {
        Found found;
        size_t len = clean_len(text, at, &found);
        fits = buf_append(&out, at, len + found.kept)
            && (!found.len || buf_append(&out, REDACTED, strlen(REDACTED)));
        r->count += found.len > 0;
        at += len + found.len;
    }
    /* What cannot be held cannot be shown. */
    const char *clean = fits ? str_slice(r->arena, out.len ? out.data : "", out.len) : REDACTED;
    buf_close(&out);
    return clean;
}
