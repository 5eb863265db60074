/* UTF-8, one character at a time. */
#ifndef SRC_BASE_UTF8_H
#define SRC_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed character that `text` begins with (1 to 4), or 0 when it begins with
 * none. Writes its code point. */
size_t utf8_character(const char *text, size_t len, uint32_t *ret_code);

#endif
