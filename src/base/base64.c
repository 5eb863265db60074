/* Base64 decoding, four digits at a time. Line breaks may stand anywhere, even inside a group. */
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
