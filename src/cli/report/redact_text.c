/* Redact, of texts: one pass. At each place the finders are asked in turn whether a secret begins
 * there; the first that says so decides how much of it is kept (the name, the scheme) and how much
 * goes. None looks far for nothing: a text of any kind costs time by its length alone. */
#include "base/str.h"
#include "cli/report/redact.h"
#include "cli/report/redact_value.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum {
    TEXT_MAX = 64 << 20,
    NAME_MAX = 512,
    URL_MAX = 4 << 10,  /* of its user, password and host */
    NEAR_MAX = 1 << 10, /* how far is looked to see whether something follows at all */
    KEY_MAX = 16 << 10, /* of a private key in PEM, with a time before each line */
    BASE64_MIN = 80,    /* a private key of ed25519 has 88 */
    MIXED_MIN = 60,     /* of small and capital letters and digits: a line of PEM has 64 */
    HEX_LEN = 64,
    TOKEN_MIN = 8,
    JWT_MIN = 24,
};

static const char base64_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64url_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
static const char token_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";
static const char name_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

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

/* Where the user of a URL ends: at the last @ before the path. A password may have @ and / in it as
 * they are: behind a colon that begins no port the last @ of all counts. */
static size_t user_len(const char *url, size_t len)
{
    size_t host = strcspn(url, "/?#"), colon = strcspn(url, ":");
    const char *of_all = memrchr(url, '@', len);
    const char *of_host = memrchr(url, '@', host < len ? host : len);
    size_t user = of_host ? (size_t)(of_host - url) : 0;
    size_t port = colon < host ? strspn(url + colon + 1, "0123456789") : 0;

    if (!of_all || *url == '[')
        return 0;
    if (of_host ? colon < user : colon < host && colon + 1 + port < host)
        return (size_t)(of_all - url);
    return user;
}

static Found find_url_user(const char *begin, const char *at)
{
    const char *url = at + strlen("://");
    size_t len = 0;

    if (at == begin || !isalnum((unsigned char)at[-1]) || !str_has_prefix(at, "://")
        || str_has_prefix(url, REDACTED) || !memchr(url, '@', strnlen(url, URL_MAX)))
        return (Found){0};
    while (len < URL_MAX && url[len] && !strchr(" \t\r\n\"'<>", url[len]))
        len++;
    size_t user = user_len(url, len);
    return user ? (Found){.len = strlen("://") + user, .kept = strlen("://")} : (Found){0};
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
    return (Found){.len = begins_word(begin, at) ? redact_words_len(at) : 0};
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

static bool begins_name(const char *begin, const char *at)
{
    return at == begin || !strchr(name_letters, at[-1]);
}

/* A value goes, and what announces it stays. */
static Found found_value(const char *at, Value value)
{
    if (value.len == 0 || is_plain_word(value.text, value.len)
        || str_has_prefix(value.text, REDACTED))
        return (Found){0};
    size_t kept = (size_t)(value.text - at);
    return (Found){.len = kept + value.len, .kept = kept};
}

/* name=value, name: value, "name": "value", --name value */
static Found find_named(const char *begin, const char *at)
{
    size_t len = begins_name(begin, at) ? secret_name_len(at) : 0;

    return len ? found_value(at, redact_value_of(begin, at, len)) : (Found){0};
}

/* --- pairs */

/* The length of a word, where it is a name of its own. */
static size_t word_at(const char *at, const char *word)
{
    size_t len = strlen(word);

    return strncmp(at, word, len) == 0 && (!at[len] || !strchr(name_letters, at[len])) ? len : 0;
}

/* Behind the colon of a member and the quotes that open its value; NULL: it is none. */
static const char *behind_colon(const char *c)
{
    c += strspn(c, "\\\"' \t");
    return *c == ':' ? c + 1 + strspn(c + 1, "\\\"' \t") : NULL;
}

/* The next member of the same object, in JSON or on the next line of YAML. */
static const char *next_member(const char *c)
{
    for (;;) {
        c += strspn(c, " \t\r,\\\"'");
        if (*c != '\n')
            return c;
        c = redact_behind_time(c + 1);
    }
}

/* Behind {"name": "DB_PASSWORD", NULL: it is something else. */
static const char *behind_secret_name(const char *at)
{
    size_t key = word_at(at, "name") ? strlen("name") : word_at(at, "key");
    const char *name = key ? behind_colon(at + key) : NULL;
    size_t len = name ? secret_name_len(name) : 0;

    return len ? name + len : NULL;
}

/* "name": "DB_PASSWORD", "value": "..." */
static Found find_pair(const char *begin, const char *at)
{
    const char *behind = begins_name(begin, at) ? behind_secret_name(at) : NULL;
    const char *next = behind ? next_member(behind) : NULL;
    size_t len = next ? word_at(next, "value") : 0;

    return len ? found_value(at, redact_value_of(begin, next, len)) : (Found){0};
}

/* What is near, as a text of its own. */
static void look_near(const char *at, char ret[NEAR_MAX])
{
    size_t len = strnlen(at, NEAR_MAX - 1);

    memcpy(ret, at, len);
    ret[len] = '\0';
}

/* "value": "...", "name": "DB_PASSWORD" */
static Found find_pair_reversed(const char *begin, const char *at)
{
    size_t len = begins_name(begin, at) ? word_at(at, "value") : 0;
    const char *text = len ? behind_colon(at + len) : NULL;
    char near[NEAR_MAX];

    if (!text || (text[-1] != '"' && text[-1] != '\''))
        return (Found){0};
    look_near(at, near);
    Value value = redact_value_of(near, near, len);
    return value.len && behind_secret_name(next_member(value.text + value.len))
        ? found_value(near, value)
        : (Found){0};
}

/* -u me:password, as curl has it */
static Found find_user(const char *begin, const char *at)
{
    size_t len = !begins_name(begin, at) ? 0
        : word_at(at, "-u")              ? strlen("-u")
                                         : word_at(at, "--user");
    char near[NEAR_MAX];

    if (!len)
        return (Found){0};
    look_near(at, near);
    Value value = redact_value_of(near, near, len);
    return value.len && memchr(value.text, ':', value.len)
        ? found_value(at, redact_value_of(begin, at, len))
        : (Found){0};
}

/* --- by what it looks like */

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
        find_pair,
        find_pair_reversed,
        find_user,
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
