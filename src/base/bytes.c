/* Bytes and Buf. A Buf doubles, so appending is linear in all; one byte beyond the contents is
 * always kept for the NUL. */
#include "base/bytes.h"

#include "base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 256 };

Bytes bytes_of(const char *text)
{
    return (Bytes){.data = text, .len = text ? strlen(text) : 0};
}

bool bytes_equal(Bytes left, Bytes right)
{
    return left.len == right.len && (left.len == 0 || memcmp(left.data, right.data, left.len) == 0);
}

static bool reserve(Buf *b, size_t more)
{
    assert(b->len <= b->ceiling);
    if (more > b->ceiling - b->len)
        return false;
    size_t needed = b->len + more + 1;
    if (needed <= b->capacity)
        return true;
    size_t capacity = b->capacity ? b->capacity * 2 : CAPACITY_MIN;
    if (capacity > b->ceiling + 1)
        capacity = b->ceiling + 1;
    if (capacity < needed)
        capacity = needed;
    b->data = memory_resize(b->data, capacity);
    b->capacity = capacity;
    return true;
}

bool buf_append(Buf *b, const void *data, size_t len)
{
    if (!reserve(b, len))
        return false;
    if (len > 0)
        memcpy(b->data + b->len, data, len);
    b->len += len;
    b->data[b->len] = '\0';
    return true;
}

bool buf_format(Buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);

    assert(len >= 0);
    bool fits = reserve(b, (size_t)len);
    if (fits) {
        vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
        b->len += (size_t)len;
    }
    va_end(again);
    return fits;
}

void buf_consume(Buf *b, size_t len)
{
    assert(len <= b->len);
    if (len == 0)
        return;
    b->len -= len;
    memmove(b->data, b->data + len, b->len + 1);
}

void buf_clear(Buf *b, size_t keep)
{
    if (keep == 0) {
        buf_close(b);
        return;
    }
    if (b->capacity > keep) {
        b->data = memory_resize(b->data, keep);
        b->capacity = keep;
    }
    b->len = 0;
    if (b->data)
        b->data[0] = '\0';
}

void buf_wipe(Buf *b)
{
    if (b->data)
        explicit_bzero(b->data, b->len);
    b->len = 0;
}

void buf_close(Buf *b)
{
    free(b->data);
    b->data = NULL;
    b->len = 0;
    b->capacity = 0;
}

Bytes buf_bytes(const Buf *b)
{
    return (Bytes){.data = b->data ? b->data : "", .len = b->len};
}
