/* UTF-8: the edges of each form, and everything that is none. */
#include "base/utf8.h"

#include "tests/test.h"

TEST(utf8_characters_are_decoded_and_malformed_ones_refused)
{
    static const struct {
        const char *name, *text;
        size_t len;
        uint32_t code;
    } cases[] = {
        {"the last of one byte", "\x7F", 1, 0x7F},
        {"the first of two", "\xC2\x80", 2, 0x80},
        {"the last of two", "\xDF\xBF", 2, 0x7FF},
        {"the first of three", "\xE0\xA0\x80", 3, 0x800},
        {"the last before surrogates", "\xED\x9F\xBF", 3, 0xD7FF},
        {"the first behind surrogates", "\xEE\x80\x80", 3, 0xE000},
        {"the last of three", "\xEF\xBF\xBF", 3, 0xFFFF},
        {"the first of four", "\xF0\x90\x80\x80", 4, 0x10000},
        {"the last of all", "\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
        {"more behind it", "\xC3\xA9tude", 2, 0xE9},
        {"nothing", ""},
        {"a byte that only continues", "\x80"},
        {"two bytes for one", "\xC1\xBF"},
        {"three for two", "\xE0\x9F\xBF"},
        {"four for three", "\xF0\x8F\xBF\xBF"},
        {"the first surrogate", "\xED\xA0\x80"},
        {"the last surrogate", "\xED\xBF\xBF"},
        {"beyond the last", "\xF4\x90\x80\x80"},
        {"five bytes", "\xF8\x88\x80\x80\x80"},
        {"never a byte", "\xFF"},
        {"cut short", "\xE2\x82"},
        {"broken in the middle", "\xE2x\xAC"},
    };

    each_case(i, cases) {
        uint32_t code = 0;
        then_int(utf8_character(cases[i].text, strlen(cases[i].text), &code), cases[i].len);
        then_int(code, cases[i].code);
    }
}

TEST(a_zero_byte_is_a_utf8_character)
{
    uint32_t code = 1;
    then_int(utf8_character("", 1, &code), 1);
    then_int(code, 0);
}
