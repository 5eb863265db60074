/* Redact, by looks. A hash is told from a key by what stands before it, a path from base64 by how
 * mixed its letters are, prose from a mnemonic by its short words. */
#include "base/str.h"
#include "cli/report/redact.h"
#include "cli/report/redact_find.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum {
    KEY_MAX = 16 << 10, /* of a private key in PEM, with a time before each line */
    BASE64_MIN = 80,    /* a private key of ed25519 has 88 */
    MIXED_MIN = 60,     /* of small and capital letters and digits: a line of PEM has 64 */
    HEX_MIN = 64,
    TOKEN_MIN = 8,
    JWT_MIN = 24,
    MARKED_MIN = 16,
    HEAD_MAX = 100, /* of the line that begins or ends one */
    USER_MAX = 64,
    PASSWORD_MAX = 256,
    WORD_MIN = 3,
    WORD_MAX = 8,
    BETWEEN_WORDS_MAX = 64,
    NAME_MAX = 256,
};

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALLS   "abcdefghijklmnopqrstuvwxyz"
#define LETTERS  CAPITALS SMALLS
#define DIGITS   "0123456789"

static const char base64_letters[] = LETTERS DIGITS "+/";
static const char base64url_letters[] = LETTERS DIGITS "-_";
static const char token_letters[] = LETTERS DIGITS "-._~+/=";

static size_t run_len(const Scan *s, const char *letters)
{
    return s->at == s->begin || !strchr(letters, s->at[-1]) ? strspn(s->at, letters) : 0;
}

/* --- keys */

static const char pem_head[] = "-----BEGIN ", pem_tail[] = "-----END ";

static bool is_of_key(const char *line)
{
    size_t len = strnlen(line, HEAD_MAX);
    const char *key = memmem(line, len, "PRIVATE KEY", strlen("PRIVATE KEY"));

    return key && !memchr(line, '\n', (size_t)(key - line))
        && !memchr(line, '\\', (size_t)(key - line));
}

/* The last lines of a log may begin within a key. */
static bool begins_in_key(const char *text)
{
    size_t len = strnlen(text, KEY_MAX);
    const char *end = memmem(text, len, pem_tail, strlen(pem_tail));

    return end && is_of_key(end) && !memmem(text, (size_t)(end - text), pem_head, strlen(pem_head));
}

/* Over the line that ends a key; one without is a key to its end. */
static size_t key_len(const char *text)
{
    const char *end = strstr(text, pem_tail);

    if (!end)
        return strlen(text);
    end += strlen(pem_tail);
    size_t line = strcspn(end, "\n\\");
    const char *dashes = memmem(end, line, "-----", 5);
    return (size_t)((dashes ? dashes + 5 : end + line) - text);
}

static Found find_pem(const Scan *s)
{
    bool is_key = str_has_prefix(s->at, pem_head) && is_of_key(s->at);

    if (!is_key && (s->at != s->begin || !begins_in_key(s->begin)))
        return (Found){0};
    return (Found){.len = key_len(s->at)};
}

/* --- addresses with a user */

static bool has_at(const char *from)
{
    return memchr(from, '@', strnlen(from, PASSWORD_MAX)) != NULL;
}

/* An address that follows in the same word is another's. */
static size_t address_len(const char *from, Quote inside)
{
    size_t len = scan_word(from, inside, "", PASSWORD_MAX);
    const char *next = memmem(from, len, "://", 3);

    while (next && next > from && !strchr(",;|", *next))
        next--;
    return next ? (size_t)(next - from) : len;
}

/* What stands between a host and its path is a port; what does not look like one is a password
 * with a slash in it. */
static bool is_host(const char *from, size_t len)
{
    const char *end = *from == '[' ? memchr(from, ']', len) : NULL;
    const char *colon = memchr(end ? end : from, ':', len - (size_t)((end ? end : from) - from));

    return !colon || colon + 1 + strspn(colon + 1, DIGITS) == from + len;
}

static Found find_url_user(const Scan *s)
{
    const char *from = s->at + 3;

    if (!str_has_prefix(s->at, "://") || scan_begins_word(s) || !has_at(from))
        return (Found){0};
    size_t len = address_len(from, s->inside), host = strcspn(from, "/?#");
    const char *first = memchr(from, '@', len), *last = memrchr(from, '@', len);
    host = host < len ? host : len;
    if (!first || first == from || (first > from + host && is_host(from, host)))
        return (Found){0};
    /* A name alone has no slash in it, a password may. */
    if (!memchr(from, ':', (size_t)(first - from)) && first < from + host)
        last = memrchr(from, '@', host);
    return (Found){.len = (size_t)(last - s->at), .kept = 3};
}

/* Of host:port, and not of user:password. */
static bool is_port(const char *text)
{
    size_t digits = strspn(text, DIGITS);

    return digits && strchr(",/", text[digits]);
}

/* user:password@host without a scheme; image:tag@sha256:... is none. */
static Found find_user_at(const Scan *s)
{
    size_t user = run_len(s, LETTERS DIGITS "._-");
    const char *from = s->at + user + 1;

    if (user == 0 || user > USER_MAX || s->at[user] != ':' || *from == '/' || !has_at(from))
        return (Found){0};
    if (is_port(from) || (s->at > s->begin && strchr("/@", s->at[-1])))
        return (Found){0};
    const char *at = memrchr(from, '@', scan_word(from, s->inside, "", PASSWORD_MAX));
    if (!at || at == from || str_has_prefix(at, "@sha256:") || str_has_prefix(at, "@sha512:")
        || !(isalnum((unsigned char)at[1]) || at[1] == '['))
        return (Found){0};
    return (Found){.len = (size_t)(at - s->at), .kept = user + 1};
}

/* --- tokens */

static Found find_scheme(const Scan *s)
{
    static const char *const schemes[] = {"bearer ", "basic "};

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t kept = strlen(schemes[i]);
        if (!scan_begins_word(s) || strncasecmp(s->at, schemes[i], kept) != 0)
            continue;
        if (strspn(s->at + kept, token_letters) >= TOKEN_MIN)
            return (Found){
                .len = kept + scan_word(s->at + kept, s->inside, "", SIZE_MAX), .kept = kept};
    }
    return (Found){0};
}

/* Those that say themselves what they are. */
static Found find_marked(const Scan *s)
{
    static const char *const marks[] = {"AKIA",
        "ASIA",
        "AIza",
        "ghp_",
        "gho_",
        "ghs_",
        "ghu_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "xoxp-",
        "xoxa-",
        "sk_live_",
        "rk_live_",
        "hvs.",
        "npm_",
        "dckr_pat_",
        "xprv"};

    if (!scan_begins_word(s))
        return (Found){0};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t len = str_has_prefix(s->at, marks[i]) ? strspn(s->at, token_letters) : 0;
        if (len >= MARKED_MIN)
            return (Found){.len = len};
    }
    size_t len = str_has_prefix(s->at, "eyJ") ? strspn(s->at, token_letters) : 0;
    return len >= JWT_MIN ? (Found){.len = len} : (Found){0};
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

/* Names and paths are long, too, but seldom of all kinds of letters. */
static Found find_base64(const Scan *s)
{
    size_t len = run_len(s, base64_letters);
    size_t url_len = run_len(s, base64url_letters);

    if (len < BASE64_MIN && (len < MIXED_MIN || !is_mixed(s->at, len)))
        len = url_len >= MIXED_MIN && is_mixed(s->at, url_len) ? url_len : 0;
    return len ? (Found){.len = len + strspn(s->at + len, "=")} : (Found){0};
}

/* What stands before says that it is a hash, and whose. */
static bool is_said_to_be_hash(const Scan *s)
{
    enum { BEFORE = 24 };
    size_t len = s->at - s->begin < BEFORE ? (size_t)(s->at - s->begin) : BEFORE;
    const char *before = s->at - len;

    for (size_t i = 0; i + 4 <= len; i++)
        if (strncasecmp(before + i, "hash", 4) == 0)
            return true;
    return memmem(before, len, "sha256:", 7) != NULL;
}

static Found find_hex(const Scan *s)
{
    size_t head = str_has_prefix(s->at, "0x") || str_has_prefix(s->at, "0X") ? 2 : 0;
    size_t len = scan_begins_word(s) ? strspn(s->at + head, DIGITS "abcdefABCDEF") : 0;

    if (len < HEX_MIN || isalnum((unsigned char)s->at[head + len]))
        return (Found){0};
    return is_said_to_be_hash(s) ? (Found){0} : (Found){.len = head + len};
}

/* --- mnemonics */

/* Whatever separates its words, it does so between all of them. */
typedef enum Between { NOTHING, BLANKS, COMMAS, QUOTES, NUMBERS } Between;

/* The next line, also as a text within a string has it; 0: it is not that. */
static size_t break_len(const char *text)
{
    size_t escapes = strspn(text, "\\");

    if (*text == '\n')
        return (size_t)(scan_behind_time(text + 1) - text);
    return escapes && text[escapes] && strchr("nrt", text[escapes]) ? escapes + 1 : escapes;
}

/* Blanks, lines, the dashes of a list; commas, quotes, numbers. */
static Between between_words(const char *text, size_t *ret)
{
    static const char marks[] = " \t\r,\"'";
    size_t len = strspn(text, marks), digits = 0, more;

    do {
        more = break_len(text + len);
        more += more ? strspn(text + len + more, "- \t") : 0;
        more += strspn(text + len + more, marks);
        len += more;
    } while (more);
    bool has_quotes = memchr(text, '"', len) || memchr(text, '\'', len);
    bool has_commas = memchr(text, ',', len) != NULL;
    digits = len ? strspn(text + len, DIGITS) : 0;
    len += digits + (digits ? strspn(text + len + digits, ".): \t\"'") : 0);
    *ret = len;
    if (len == 0 || len > BETWEEN_WORDS_MAX)
        return NOTHING;
    if (digits)
        return NUMBERS;
    return has_quotes ? QUOTES : has_commas ? COMMAS : BLANKS;
}

/* Of prose: none of these is a word of a mnemonic. */
static bool is_of_prose(const char *word, size_t len)
{
    static const char *const words[] = {"the",
        "and",
        "for",
        "not",
        "was",
        "are",
        "with",
        "from",
        "has",
        "its",
        "but",
        "which",
        "been",
        "were",
        "does",
        "kubectl",
        "sei",
        "seid"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == len && strncasecmp(word, words[i], len) == 0)
            return true;
    return false;
}

/* The word is a name, or the beginning of one, and something is given to it. */
static bool is_name(const char *word)
{
    static const char letters[] = LETTERS DIGITS "_-.";
    const char *behind = word;

    /* Each word of a long name is asked: none may look at the whole of it. */
    while (*behind && strchr(letters, *behind) && behind - word < NAME_MAX)
        behind++;
    behind += strspn(behind, "\\\"' \t");
    return *behind == ':' || *behind == '=';
}

/* The length of a word all of whose letters are of one case, but for the first; 0: it is none. */
static size_t word_len(const char *text)
{
    size_t capitals = strspn(text, CAPITALS), smalls = strspn(text + capitals, SMALLS);
    size_t len = capitals + smalls;

    if ((capitals > 1 && smalls) || len < WORD_MIN || len > WORD_MAX)
        return 0;
    return isalnum((unsigned char)text[len]) || is_name(text) || is_of_prose(text, len) ? 0 : len;
}

bool redact_is_word(const char *text)
{
    size_t len = word_len(text);

    return len > 0 && !text[len];
}

/* As many words as a mnemonic has, however they are separated: how long they are. */
static size_t words_len(const char *text)
{
    size_t words = 0, end = 0, gap = 0, word;
    Between between = NOTHING;

    while ((word = word_len(text + end + gap)) > 0) {
        bool is_capital = isupper((unsigned char)text[end + gap]) != 0;
        if (words > 0 && is_capital != (isupper((unsigned char)text[0]) != 0))
            break;
        words++;
        end += gap + word;
        Between next = between_words(text + end, &gap);
        if (next == NOTHING || (words > 1 && next != between))
            break;
        between = next;
    }
    return words >= REDACT_WORDS_MIN ? end : 0;
}

static Found find_mnemonic(const Scan *s)
{
    return (Found){.len = scan_begins_word(s) ? words_len(s->at) : 0};
}

size_t redact_shape_reach(const char *value, size_t len)
{
    const char *key = memmem(value, len, pem_head, strlen(pem_head));
    size_t key_end = key && is_of_key(key) ? (size_t)(key - value) + key_len(key) : 0;
    size_t words = words_len(value);

    len = key_end > len ? key_end : len;
    return words > len ? words : len;
}

Found redact_find_shape(const Scan *s)
{
    static Found (*const finders[])(const Scan *) = {find_pem,
        find_url_user,
        find_user_at,
        find_scheme,
        find_marked,
        find_base64,
        find_hex,
        find_mnemonic};

    if (s->at != s->begin && !isalnum((unsigned char)*s->at) && !strchr("-:+/_", *s->at))
        return (Found){0};
    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
        Found found = finders[i](s);
        if (found.len)
            return found;
    }
    return (Found){0};
}
