/* Base64, four digits at a time. Line breaks may stand anywhere, even inside a group. */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* One group of four digits, as it fills. */
typedef struct Group {
    uint32_t bits;
    int digits;
    int padding;
} Group;

/* False when the character cannot stand here. */
static bool group_add(Group *g, char c)
{
    if (c == '=') {
        g->bits <<= 6;
        g->padding++;
        return g->digits >= 2 && g->digits + g->padding <= 4;
    }
    int value = digit_value(c);
    if (value < 0 || g->padding > 0)
        return false;
    g->bits = g->bits << 6 | (uint32_t)value;
    g->digits++;
    return true;
}

static size_t group_write(const Group *g, char *ret)
{
    const char bytes[3] = {(char)(g->bits >> 16), (char)(g->bits >> 8), (char)g->bits};
    size_t len = (size_t)(3 - g->padding);
    memcpy(ret, bytes, len);
    return len;
}

Err *base64_decode(Arena *a, const char *text, Bytes *ret)
{
    void *room = NULL;
    TRY(arena_try(a, strlen(text) / 4 * 3 + 4, &room));
    char *data = room;
    size_t len = 0;
    Group group = {0};
    bool ended = false;

    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '\n' || text[i] == '\r')
            continue;
        if (ended || !group_add(&group, text[i]))
            return err_terminal(a, "not base64 at byte %zu", i);
        if (group.digits + group.padding < 4)
            continue;
        len += group_write(&group, data + len);
        ended = group.padding > 0;
        group = (Group){0};
    }
    if (group.digits > 0)
        return err_terminal(a, "base64 that ends within a group of four: something was cut off");
    data[len] = '\0';
    *ret = (Bytes){.data = data, .len = len};
    return OK;
}

/* The digits without padding; `ret` has room for them. */
static char *write_digits(Bytes data, const char *digits, char *ret)
{
    for (size_t i = 0; i < data.len; i += 3) {
        size_t count = data.len - i < 3 ? data.len - i : 3;
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < count ? (unsigned char)data.data[i + k] : 0);
        for (size_t k = 0; k <= count; k++)
            *ret++ = digits[bits >> (18 - 6 * k) & 63];
    }
    return ret;
}

static char *room_for(Arena *a, Bytes data)
{
    return arena_array(a, char, data.len / 3 * 4 + 5);
}

const char *base64_encode(Arena *a, Bytes data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = room_for(a, data), *end = write_digits(data, digits, text);

    while ((end - text) % 4 != 0)
        *end++ = '=';
    return text;
}

/* --- the alphabet of URLs --- */

const char *base64url_encode(Arena *a, Bytes data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    char *text = room_for(a, data);

    write_digits(data, digits, text);
    return text;
}

Err *base64url_decode(Arena *a, const char *text, Bytes *ret)
{
    size_t len = strlen(text);
    void *room = NULL;

    TRY(arena_try(a, len + 4, &room));
    char *plain = room;
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '-' && text[i] != '_'
            && (digit_value(text[i]) < 0 || text[i] == '+' || text[i] == '/'))
            return err_terminal(a, "base64url: byte %zu is no digit", i);
        plain[i] = text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i];
    }
    memset(plain + len, 0, 4);
    memset(plain + len, '=', (4 - len % 4) % 4);
    return base64_decode(a, plain, ret);
}
