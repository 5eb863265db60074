/* Str: what plain C strings need and the standard library lacks. NULL is allowed everywhere. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Both NULL, or the same text. It stands here because most texts that are compared differ in their
 * first character: that much is found out without a call. */
static inline bool str_eq(const char *left, const char *right)
{
    if (!left || !right)
        return left == right;
    return *left == *right && strcmp(left, right) == 0;
}

/* NULL or "". */
bool str_empty(const char *text);

/* Order for sorting; NULL first. */
int str_compare(const char *left, const char *right);

/* False when `text` is NULL. */
bool str_has_prefix(const char *text, const char *prefix);
bool str_has_suffix(const char *text, const char *suffix);

/* A copy in the arena; NULL stays NULL. */
const char *str_copy(Arena *a, const char *text);

/* A copy of the first `len` bytes, NUL-terminated. */
const char *str_slice(Arena *a, const char *text, size_t len);

/* A copy with A to Z made small; NULL stays NULL. */
const char *str_lower(Arena *a, const char *text);

/* Formatted text in the arena. Never NULL. */
const char *str_format(Arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3))) NEVER_NULL;
const char *str_vformat(Arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0))) NEVER_NULL;

/* A whole decimal number (optional sign, no spaces); false when it is anything else or overflows.
 */
bool str_to_int(const char *text, int64_t *ret);

/* The text itself when it has at most `max` bytes; else as much as fits into `max` together with
 * the "…" that ends it, cut at a UTF-8 boundary. NULL stays NULL. */
const char *str_cut(Arena *a, const char *text, size_t max);

#endif
