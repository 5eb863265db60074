/* Str: NULL counts as "no text" everywhere, which is less than any text. */
#include "base/str.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool str_empty(const char *text)
{
    return !text || !*text;
}

int str_compare(const char *left, const char *right)
{
    if (!left || !right)
        return (left != NULL) - (right != NULL);
    return strcmp(left, right);
}

bool str_has_prefix(const char *text, const char *prefix)
{
    if (!text)
        return false;
    return str_empty(prefix) || strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_has_suffix(const char *text, const char *suffix)
{
    if (!text)
        return false;
    size_t len = strlen(text), suffix_len = suffix ? strlen(suffix) : 0;
    return suffix_len <= len
        && (suffix_len == 0 || memcmp(text + len - suffix_len, suffix, suffix_len) == 0);
}

const char *str_copy(Arena *a, const char *text)
{
    return text ? str_slice(a, text, strlen(text)) : NULL;
}

const char *str_slice(Arena *a, const char *text, size_t len)
{
    char *copy = arena_alloc(a, len + 1);
    if (text)
        memcpy(copy, text, len);
    return copy;
}

const char *str_lower(Arena *a, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    char *copy = arena_alloc(a, len + 1);

    for (size_t i = 0; i < len; i++)
        copy[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    return text ? copy : NULL;
}

const char *str_vformat(Arena *a, const char *format, va_list args)
{
    char shortish[256];
    va_list again;
    va_copy(again, args);

    int len = vsnprintf(shortish, sizeof shortish, format, args);
    assert(len >= 0);
    size_t size = (size_t)len + 1;
    char *text = arena_alloc(a, size);
    if (size <= sizeof shortish)
        memcpy(text, shortish, size);
    else
        vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

const char *str_format(Arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = str_vformat(a, format, args);
    va_end(args);
    return text;
}

bool str_to_int(const char *text, int64_t *ret)
{
    if (str_empty(text))
        return false;
    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (!*text)
        return false;

    /* Counting downwards, because the least integer has no positive twin. */
    int64_t value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        if (__builtin_mul_overflow(value, 10, &value)
            || __builtin_sub_overflow(value, *text - '0', &value))
            return false;
    }
    if (!negative && value == INT64_MIN)
        return false;
    *ret = negative ? value : -value;
    return true;
}

const char *str_cut(Arena *a, const char *text, size_t max)
{
    static const char ellipsis[] = "…";
    size_t ellipsis_len = sizeof ellipsis - 1;

    if (!text)
        return NULL;
    size_t len = strnlen(text, max + 1);
    if (len <= max)
        return text;
    bool marked = max >= ellipsis_len;
    size_t kept = marked ? max - ellipsis_len : max;
    while (kept > 0 && ((unsigned char)text[kept] & 0xC0) == 0x80)
        kept--;
    return str_format(a, "%.*s%s", (int)kept, text, marked ? ellipsis : "");
}
