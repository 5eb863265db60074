/* UTF-8 after RFC 3629: no surrogates, no over-long forms, nothing beyond U+10FFFF. */
#include "base/utf8.h"

#include <stdbool.h>

/* A first byte of this form, (byte & mask) == lead, begins a character no less than `least`. */
static const struct {
    uint8_t mask, lead;
    uint32_t least;
} forms[] = {
    {0x80, 0x00, 0},
    {0xE0, 0xC0, 0x80},
    {0xF0, 0xE0, 0x800},
    {0xF8, 0xF0, 0x10000},
};

enum { FORMS = sizeof forms / sizeof forms[0] };

size_t utf8_character(const char *text, size_t len, uint32_t *ret_code)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t form = 0;

    if (len == 0)
        return 0;
    while (form < FORMS && (bytes[0] & forms[form].mask) != forms[form].lead)
        form++;
    if (form == FORMS || form >= len)
        return 0;
    uint32_t code = bytes[0] & (uint8_t)~forms[form].mask;
    for (size_t i = 1; i <= form; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3F);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < forms[form].least || code > 0x10FFFF || surrogate)
        return 0;
    *ret_code = code;
    return form + 1;
}
