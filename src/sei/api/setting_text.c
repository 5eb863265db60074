/* The shapes of names, labels and image references, as the API server and registries have them. The
 * first part of an image reference is a registry only when it looks like a host: otherwise it is
 * already part of the path. */
#include "sei/api/setting_text.h"

#include "base/str.h"
#include "kube/core/label.h"

#include <arpa/inet.h>
#include <string.h>

enum {
    NAME_MAX_LEN = 253,
    PART_MAX_LEN = 63,
    IMAGE_MAX_LEN = 255,
    TAG_MAX_LEN = 128,
    PORT_MAX = 65535
};

#define DIGITS "0123456789"
#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

typedef struct Span {
    const char *at;
    size_t len;
} Span;

static bool has_only(Span s, const char *allowed)
{
    for (size_t i = 0; i < s.len; i++)
        if (!strchr(allowed, s.at[i]))
            return false;
    return s.len > 0;
}

/* Only those characters, and a letter or digit at both ends. */
static bool is_word(Span s, const char *ends, const char *allowed)
{
    return has_only(s, allowed) && strchr(ends, s.at[0]) && strchr(ends, s.at[s.len - 1]);
}

/* The piece before the next separator; *rest is what follows it, with at NULL at the end. */
static Span cut(Span *rest, char separator)
{
    const char *end = memchr(rest->at, separator, rest->len);
    Span piece = {rest->at, end ? (size_t)(end - rest->at) : rest->len};

    *rest = end ? (Span){end + 1, rest->len - piece.len - 1} : (Span){0};
    return piece;
}

static bool is_name_part(Span s)
{
    return s.len <= PART_MAX_LEN && is_word(s, LOWER DIGITS, LOWER DIGITS "-");
}

/* Parts between dots. */
static bool is_name(Span s)
{
    bool is_right = s.len <= NAME_MAX_LEN;

    for (Span rest = s; is_right && rest.at;)
        is_right = is_name_part(cut(&rest, '.'));
    return is_right;
}

/* --- images --- */

static bool is_port(Span s)
{
    int64_t port = 0;

    if (!has_only(s, DIGITS) || s.len > 5)
        return false;
    for (size_t i = 0; i < s.len; i++)
        port = port * 10 + (s.at[i] - '0');
    return port >= 1 && port <= PORT_MAX;
}

static bool reads(Span s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

static bool looks_like_host(Span s)
{
    return memchr(s.at, '.', s.len) || memchr(s.at, ':', s.len) || reads(s, "localhost");
}

/* "[::1]" or "[::1]:5000", as references have it: without a zone, and without an address of four
 * numbers in it. */
static bool is_bracketed_host(Span s)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr parsed;
    Span rest = {s.at + 1, s.len - 1}, address = cut(&rest, ']');

    if (!rest.at || address.len >= sizeof text || !has_only(address, DIGITS "abcdefABCDEF:"))
        return false;
    memcpy(text, address.at, address.len);
    text[address.len] = '\0';
    return inet_pton(AF_INET6, text, &parsed) == 1
        && (rest.len == 0 || (rest.at[0] == ':' && is_port((Span){rest.at + 1, rest.len - 1})));
}

static bool is_host(Span s)
{
    Span port = s, host = cut(&port, ':');

    if (s.at[0] == '[')
        return is_bracketed_host(s);
    return is_word(host, LOWER UPPER DIGITS, LOWER UPPER DIGITS ".-")
        && (!port.at || is_port(port));
}

static bool is_repository(Span s)
{
    Span rest = s, first = cut(&rest, '/');
    bool is_right = s.len <= IMAGE_MAX_LEN;

    if (rest.at && looks_like_host(first))
        is_right = is_right && is_host(first);
    else
        rest = s;
    while (is_right && rest.at)
        is_right = is_word(cut(&rest, '/'), LOWER DIGITS, LOWER DIGITS "._-");
    return is_right;
}

static bool is_tag(Span s)
{
    return s.len <= TAG_MAX_LEN && has_only(s, LOWER UPPER DIGITS "_.-")
        && strchr(LOWER UPPER DIGITS "_", s.at[0]);
}

static bool is_digest(Span s)
{
    static const struct {
        const char *algorithm;
        size_t digits;
    } known[] = {{"sha256", 64}, {"sha384", 96}, {"sha512", 128}};
    Span hex = s, algorithm = cut(&hex, ':');

    if (!hex.at || !has_only(hex, DIGITS "abcdef"))
        return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (reads(algorithm, known[i].algorithm))
            return hex.len == known[i].digits;
    return hex.len >= 32 && is_word(algorithm, LOWER DIGITS, LOWER DIGITS "+._-");
}

/* The tag begins behind the last colon that no slash follows. */
static Span cut_tag(Span *name)
{
    for (size_t i = name->len; i > 0 && name->at[i - 1] != '/'; i--)
        if (name->at[i - 1] == ':') {
            Span tag = {name->at + i, name->len - i};
            name->len = i - 1;
            return tag;
        }
    return (Span){0};
}

static bool is_image(Span s)
{
    Span digest = s, name = cut(&digest, '@');
    Span tag = cut_tag(&name);

    return is_repository(name) && (!tag.at || is_tag(tag)) && (!digest.at || is_digest(digest));
}

/* --- all of them --- */

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return false;
    return true;
}

const char *setting_text_fault(SettingType type, const char *text)
{
    Span s = {text, strlen(text)};

    switch (type) {
    case SETTING_TEXT:
        return is_printable(text) ? NULL : "has a space or control character in it";
    case SETTING_NAME:
        return is_name(s) ? NULL
                          : "cannot be a name: lower-case letters, digits, \"-\" and \".\", with a "
                            "letter or digit at both ends of every part";
    case SETTING_NAMESPACE:
        return is_name_part(s)
            ? NULL
            : "cannot be a namespace: at most 63 lower-case letters, digits and \"-\", with a "
              "letter or digit at both ends";
    case SETTING_LABEL_KEY:
        return label_is_key(text) ? NULL : "cannot be the key of a label or taint";
    case SETTING_LABEL_VALUE:
        return *text && label_is_value(text)
            ? NULL
            : "cannot be the value of a label: at most 63 letters, digits, \"-\", \"_\" and \".\", "
              "with a letter or digit at both ends";
    case SETTING_IMAGE:
        return is_image(s) ? NULL : "is no image reference: [registry/]name[:tag][@digest]";
    default:
        return NULL;
    }
}
