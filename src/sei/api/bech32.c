/* Bech32: the checksum of BIP-173. */
#include "sei/api/bech32.h"

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { CHECKSUM_LETTERS = 6, LETTER_BITS = 5, STATE_BITS = 30 };

static const char alphabet[] = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* One more symbol of five bits goes into the state. */
static uint32_t stir(uint32_t state, uint32_t symbol)
{
    static const uint32_t generator[] = {
        0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
    uint32_t top = state >> (STATE_BITS - LETTER_BITS);

    state = (state & 0x1ffffff) << LETTER_BITS ^ symbol;
    for (unsigned i = 0; i < LETTER_BITS; i++)
        if (top >> i & 1)
            state ^= generator[i];
    return state;
}

static uint32_t stir_prefix(const char *text, size_t len)
{
    uint32_t state = 1;

    for (size_t i = 0; i < len; i++)
        state = stir(state, (uint32_t)lower(text[i]) >> LETTER_BITS);
    state = stir(state, 0);
    for (size_t i = 0; i < len; i++)
        state = stir(state, (uint32_t)lower(text[i]) & 31);
    return state;
}

static Err *check_letters(Arena *a, const char *text)
{
    bool has_small = false, has_capital = false;

    for (const char *c = text; *c; c++) {
        if (*c < '!' || *c > '~')
            return err_terminal(a, "it has a character that is no letter or digit");
        has_small = has_small || (*c >= 'a' && *c <= 'z');
        has_capital = has_capital || (*c >= 'A' && *c <= 'Z');
    }
    if (has_small && has_capital)
        return err_terminal(a, "it mixes small letters and capitals");
    return OK;
}

static Err *check_sum(Arena *a, const char *text, size_t prefix_len)
{
    uint32_t state = stir_prefix(text, prefix_len);

    for (const char *c = text + prefix_len + 1; *c; c++) {
        const char *letter = strchr(alphabet, lower(*c));
        if (!letter)
            return err_terminal(a, "the character '%c' never stands behind its prefix", *c);
        state = stir(state, (uint32_t)(letter - alphabet));
    }
    return state == 1 ? OK : err_terminal(a, "its checksum is wrong: a character is mistyped");
}

Err *bech32_check(Arena *a, const char *text, const char *prefix)
{
    const char *one = strrchr(text, '1');
    size_t len = strlen(text), prefix_len = one ? (size_t)(one - text) : 0;

    if (len > BECH32_TEXT_MAX)
        return err_terminal(a, "it is longer than %d characters", (int)BECH32_TEXT_MAX);
    TRY(check_letters(a, text));
    if (prefix_len == 0)
        return err_terminal(a, "it has no prefix that ends with 1");
    if (len - prefix_len - 1 < CHECKSUM_LETTERS)
        return err_terminal(a, "it is too short");
    if (prefix_len != strlen(prefix) || strncasecmp(text, prefix, prefix_len) != 0)
        return err_terminal(a, "it does not begin with %s1", prefix);
    return check_sum(a, text, prefix_len);
}
