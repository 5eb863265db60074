/* Quantities, exactly as the API server reads and writes them.
 *
 * The surprising part is what the server leaves as it was written. It puts a quantity into its
 * canonical form only when a quick look cannot rule out that this would change something; and the
 * quick look passes "1.500" or "007". Whoever compares a rendered object with a stored one has to
 * know, so it is repeated here (stays_as_written). */
#include "kube/quantity.h"

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 UInt128;

enum {
    NANO_EXPONENT = -9,
    EXPONENT_MAX = 100000, /* beyond any amount; larger ones in a text are read as this */
    FAST_DIGITS_MAX = 18,  /* what the server's quick look takes */
};

static const UInt128 NANOS = 1000000000;
/* 10^28 units in nanos. */
static const UInt128 DECIMAL_MAX = (UInt128)10000000000000000000ULL * 1000000000000000000ULL;
static const UInt128 BINARY_MAX = (UInt128)INT64_MAX * 1000000000;

typedef struct Suffix {
    const char *text;
    int base, exponent;
} Suffix;

static const Suffix suffixes[] = {
    {.text = "n", .base = 10, .exponent = -9},
    {.text = "u", .base = 10, .exponent = -6},
    {.text = "m", .base = 10, .exponent = -3},
    {.text = "", .base = 10, .exponent = 0},
    {.text = "k", .base = 10, .exponent = 3},
    {.text = "M", .base = 10, .exponent = 6},
    {.text = "G", .base = 10, .exponent = 9},
    {.text = "T", .base = 10, .exponent = 12},
    {.text = "P", .base = 10, .exponent = 15},
    {.text = "E", .base = 10, .exponent = 18},
    {.text = "Ki", .base = 2, .exponent = 10},
    {.text = "Mi", .base = 2, .exponent = 20},
    {.text = "Gi", .base = 2, .exponent = 30},
    {.text = "Ti", .base = 2, .exponent = 40},
    {.text = "Pi", .base = 2, .exponent = 50},
    {.text = "Ei", .base = 2, .exponent = 60},
};

enum { SUFFIX_COUNT = sizeof suffixes / sizeof *suffixes, EXA_EXPONENT = 18, EXBI_EXPONENT = 60 };

/* A text in its parts, all borrowed from it. */
typedef struct Parts {
    bool negative;
    const char *whole; /* without leading zeros; whole_len may be 0 */
    size_t whole_len;
    const char *fraction;
    size_t fraction_len;
    QuantityFormat format;
    int exponent; /* of 10; for QUANTITY_BINARY_SI of 2 */
} Parts;

/* --- taking a text apart --- */

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

static bool read_exponent(const char *text, int *ret)
{
    bool negative = *text == '-';
    int exponent = 0;

    text += negative || *text == '+';
    if (!*text || count_digits(text) != strlen(text))
        return false;
    for (; *text; text++)
        if (exponent < EXPONENT_MAX)
            exponent = exponent * 10 + (*text - '0');
    *ret = negative ? -exponent : exponent;
    return true;
}

static bool read_suffix(const char *text, Parts *parts)
{
    for (size_t i = 0; i < SUFFIX_COUNT; i++) {
        if (!str_eq(suffixes[i].text, text))
            continue;
        parts->format = suffixes[i].base == 2 ? QUANTITY_BINARY_SI : QUANTITY_DECIMAL_SI;
        parts->exponent = suffixes[i].exponent;
        return true;
    }
    if (*text != 'e' && *text != 'E')
        return false;
    parts->format = QUANTITY_DECIMAL_EXPONENT;
    return read_exponent(text + 1, &parts->exponent);
}

static bool take_apart(const char *text, Parts *parts)
{
    size_t zeros, whole_len;

    parts->negative = *text == '-';
    text += *text == '-' || *text == '+';
    whole_len = count_digits(text);
    zeros = strspn(text, "0");
    parts->whole = text + zeros;
    parts->whole_len = whole_len - zeros;
    text += whole_len;
    if (*text == '.') {
        parts->fraction = ++text;
        parts->fraction_len = count_digits(text);
        text += parts->fraction_len;
    }
    if (whole_len + parts->fraction_len == 0)
        return false;
    return read_suffix(text, parts);
}

/* --- the amount --- */

/* value = value * factor + more, or false when that passes `max`. */
static bool grow(UInt128 *value, UInt128 factor, UInt128 more, UInt128 max)
{
    if (factor && *value > (max - more) / factor)
        return false;
    *value = *value * factor + more;
    return true;
}

static int digit_at(const Parts *parts, size_t i)
{
    return (i < parts->whole_len ? parts->whole[i] : parts->fraction[i - parts->whole_len]) - '0';
}

/* Digits behind the last nano round it up; digits that are not there are zeros. */
static bool decimal_nanos(const Parts *parts, UInt128 *ret)
{
    int64_t count = (int64_t)(parts->whole_len + parts->fraction_len);
    int64_t wanted = (int64_t)parts->whole_len + parts->exponent - NANO_EXPONENT;
    bool rest = false;
    UInt128 nanos = 0;

    for (int64_t i = 0; i < count; i++) {
        int digit = digit_at(parts, (size_t)i);
        if (i >= wanted)
            rest = rest || digit;
        else if (!grow(&nanos, 10, (UInt128)digit, DECIMAL_MAX))
            return false;
    }
    for (int64_t i = count; i < wanted && nanos; i++)
        if (!grow(&nanos, 10, 0, DECIMAL_MAX))
            return false;
    *ret = nanos + rest;
    return *ret <= DECIMAL_MAX;
}

/* The fraction is worked off from its last digit: rounding down at each step and remembering that
 * something was left gives the same as rounding once, without long numbers. */
static UInt128 binary_nanos(const Parts *parts)
{
    UInt128 unit = NANOS << parts->exponent;
    UInt128 fraction = 0, nanos = 0;
    bool rest = false;

    for (size_t i = parts->fraction_len; i-- > 0;) {
        UInt128 sum = (UInt128)(parts->fraction[i] - '0') * unit + fraction;
        rest = rest || sum % 10;
        fraction = sum / 10;
    }
    for (size_t i = 0; i < parts->whole_len; i++)
        if (!grow(&nanos, 10, (UInt128)(parts->whole[i] - '0'), BINARY_MAX))
            return BINARY_MAX;
    if (!grow(&nanos, unit, fraction + rest, BINARY_MAX))
        return BINARY_MAX;
    return nanos;
}

/* The server's quick look, which spares it the canonical form. */
static bool stays_as_written(const Parts *parts)
{
    size_t count = (parts->whole_len ? parts->whole_len : 1) + parts->fraction_len;
    int64_t scale = parts->exponent - (int64_t)parts->fraction_len;
    int last = 0;

    if (parts->format == QUANTITY_BINARY_SI) {
        for (size_t i = 0; i < parts->whole_len; i++)
            last = (last * 10 + parts->whole[i] - '0') % 8;
        return !parts->fraction_len && (int)count + parts->exponent * 3 / 10 <= 14 && last != 0;
    }
    if (count > FAST_DIGITS_MAX || scale < NANO_EXPONENT || scale % 3 != 0 || !parts->whole_len)
        return false;
    for (size_t i = count > 3 ? count - 3 : 0; i < count; i++)
        if (digit_at(parts, i))
            return true;
    return false;
}

Err *quantity_parse(Arena *a, const char *text, Quantity *ret)
{
    Parts parts = {0};
    UInt128 nanos;

    if (!text || !take_apart(text, &parts))
        return err_terminal(a, "\"%s\" is not a quantity", str_cut(a, text ? text : "", 64));
    if (parts.format == QUANTITY_BINARY_SI)
        nanos = binary_nanos(&parts);
    else if (!decimal_nanos(&parts, &nanos))
        return err_terminal(a, "the quantity %s is too large", str_cut(a, text, 64));

    /* As the server has it: less than one byte is told in thousandths. */
    if (parts.format == QUANTITY_BINARY_SI && nanos > 0 && nanos < NANOS)
        parts.format = QUANTITY_DECIMAL_SI;
    *ret = (Quantity){
        .nanos = parts.negative ? -(Nanos)nanos : (Nanos)nanos,
        .format = parts.format,
        .text = stays_as_written(&parts) ? str_copy(a, text) : NULL,
    };
    return OK;
}

int quantity_compare(Quantity left, Quantity right)
{
    return (left.nanos > right.nanos) - (left.nanos < right.nanos);
}

/* --- the canonical form --- */

static const char *number_text(Arena *a, bool negative, UInt128 value)
{
    char digits[48];
    char *start = digits + sizeof digits;

    *--start = '\0';
    do
        *--start = (char)('0' + (int)(value % 10));
    while ((value /= 10) != 0);
    return str_format(a, "%s%s", negative ? "-" : "", start);
}

static const char *suffix_text(int base, int exponent)
{
    for (size_t i = 0; i < SUFFIX_COUNT; i++)
        if (suffixes[i].base == base && suffixes[i].exponent == exponent)
            return suffixes[i].text;
    BUG("a canonical quantity has an exponent without a suffix");
}

/* The shortest number with an exponent that is a multiple of three. */
static const char *decimal_text(Arena *a, bool negative, UInt128 nanos, QuantityFormat format)
{
    bool si = format != QUANTITY_DECIMAL_EXPONENT;
    int exponent = NANO_EXPONENT;

    while (nanos % 1000 == 0 && !(si && exponent == EXA_EXPONENT)) {
        nanos /= 1000;
        exponent += 3;
    }
    const char *number = number_text(a, negative, nanos);
    if (si)
        return str_format(a, "%s%s", number, suffix_text(10, exponent));
    return exponent ? str_format(a, "%se%d", number, exponent) : number;
}

static const char *binary_text(Arena *a, bool negative, UInt128 value)
{
    int exponent = 0;

    while (value % 1024 == 0 && exponent < EXBI_EXPONENT) {
        value /= 1024;
        exponent += 10;
    }
    return str_format(
        a, "%s%s", number_text(a, negative, value), exponent ? suffix_text(2, exponent) : "");
}

const char *quantity_text(Arena *a, Quantity q)
{
    bool negative = q.nanos < 0;
    UInt128 nanos = negative ? -(UInt128)q.nanos : (UInt128)q.nanos;

    if (q.text)
        return q.text;
    if (nanos == 0)
        return "0";
    /* What is small, or has a fraction, would lose something in units of 1024. */
    if (q.format == QUANTITY_BINARY_SI && nanos >= 1024 * NANOS && nanos % NANOS == 0)
        return binary_text(a, negative, nanos / NANOS);
    return decimal_text(a, negative, nanos, q.format);
}

const char *quantity_resource_text(Arena *a, Quantity q)
{
    static const Nanos thousandth = 1000000;
    Nanos rest = q.nanos % thousandth;

    if (rest != 0) {
        q.nanos += rest > 0 ? thousandth - rest : -thousandth - rest;
        q.text = NULL;
    }
    return quantity_text(a, q);
}
