/* Query: one pass over the text, everything copied. */
#include "sandbox/query.h"

#include "base/str.h"

#include <string.h>
#include <strings.h>

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

const char *query_decode(Arena *a, const char *text, size_t len, bool plus)
{
    char *plain = arena_array(a, char, len + 1);
    size_t count = 0;

    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '+' && plus)
            c = ' ';
        else if (c == '%') {
            int high = len - i > 2 ? digit_of(text[i + 1]) : -1;
            int low = high >= 0 ? digit_of(text[i + 2]) : -1;
            if (low < 0 || (high == 0 && low == 0))
                return NULL;
            c = (char)(high << 4 | low);
            i += 2;
        }
        plain[count++] = c;
    }
    return plain;
}

static void read_pair(Arena *a, const char *text, size_t len, Query *ret)
{
    const char *equals = memchr(text, '=', len);
    size_t name_len = equals ? (size_t)(equals - text) : len;
    const char *name = query_decode(a, text, name_len, true);
    const char *value = equals ? query_decode(a, equals + 1, len - name_len - 1, true) : "";

    if (len > 0 && name && value)
        ret->pairs[ret->count++] = (QueryPair){name, value};
}

void query_read(Arena *a, const char *text, Query *ret)
{
    ret->count = 0;
    while (*text && ret->count < QUERY_PAIRS_MAX) {
        size_t len = strcspn(text, "&");
        read_pair(a, text, len, ret);
        text += len + (text[len] == '&');
    }
}

const char *query_find(const Query *q, const char *name)
{
    for (size_t i = 0; i < q->count; i++)
        if (str_eq(q->pairs[i].name, name))
            return q->pairs[i].value;
    return NULL;
}

bool query_flag(const Query *q, const char *name)
{
    const char *value = query_find(q, name);

    return value && !str_eq(value, "0") && strcasecmp(value, "false") != 0;
}
