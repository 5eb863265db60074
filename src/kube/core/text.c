/* Text that grows in an arena. */
#include "kube/core/text.h"

#include <string.h>

enum { FIRST_CAPACITY = 256 };

void text_add_bytes(Text *t, const char *bytes, size_t len)
{
    if (t->len + len >= t->capacity) {
        size_t capacity = t->capacity ? t->capacity : FIRST_CAPACITY;
        while (t->len + len >= capacity)
            capacity *= 2;
        char *data = arena_array(t->arena, char, capacity);
        if (t->len)
            memcpy(data, t->data, t->len);
        t->data = data;
        t->capacity = capacity;
    }
    if (len)
        memcpy(t->data + t->len, bytes, len);
    t->len += len;
}

void text_add(Text *t, const char *piece)
{
    text_add_bytes(t, piece, strlen(piece));
}

void text_add_byte(Text *t, char byte)
{
    text_add_bytes(t, &byte, 1);
}

const char *text_seen(Text *t)
{
    text_add_byte(t, '\0');
    t->len--;
    return t->data;
}
