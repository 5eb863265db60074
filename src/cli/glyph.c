/* Glyph: code points, one after the other. The widths are those that matter: what combines has
 * none, what East Asia writes has two, everything else has one. */
#include "cli/glyph.h"

#include "base/str.h"

#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = '?', POINT_MAX = 0x10FFFF };

static const char *const marks[MARK_COUNT][2] = {
    [MARK_NONE] = {" ", " "},
    [MARK_GOOD] = {"+", "✔"},
    [MARK_BUSY] = {"o", "◌"},
    [MARK_BAD] = {"x", "✖"},
    [MARK_IDLE] = {"-", "•"},
    [MARK_ARROW] = {"->", "→"},
    [MARK_CUT] = {"..", "…"},
    [MARK_WARN] = {"!", "⚠"},
};

const char *glyph_mark(Mark mark, bool is_utf8)
{
    return marks[mark][is_utf8];
}

/* --- code points */

typedef struct Range {
    uint32_t first, last;
} Range;

static const Range unseen[] = {
    {0x0, 0x1F},
    {0x7F, 0x9F},
    {0xAD, 0xAD},
    {0x200B, 0x200F},
    {0x2028, 0x202E},
    {0x2060, 0x206F},
    {0xFEFF, 0xFEFF},
    {0xFFF9, 0xFFFB},
    {0xE0000, 0xE0FFF},
    {0, 0},
};

static const Range combining[] = {
    {0x300, 0x36F},
    {0x483, 0x489},
    {0x591, 0x5BD},
    {0x610, 0x61A},
    {0x64B, 0x65F},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
    {0, 0},
};

static const Range wide[] = {
    {0x1100, 0x115F},
    {0x2E80, 0x303E},
    {0x3041, 0xA4CF},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F},
    {0x1F680, 0x1FAFF},
    {0x20000, 0x3FFFD},
    {0, 0},
};

/* The ranges end with one that ends nowhere. */
static bool is_among(const Range *ranges, uint32_t point)
{
    for (; ranges->last; ranges++)
        if (point >= ranges->first && point <= ranges->last)
            return true;
    return false;
}

static size_t point_width(uint32_t point)
{
    if (is_among(combining, point))
        return 0;
    return is_among(wide, point) ? 2 : 1;
}

/* How many bytes a sequence has by its first; 0 for a byte that begins none. */
static size_t sequence_len(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/* The bytes of the code point that a text begins with; 0 when it is none. */
static size_t next_point(const char *text, uint32_t *ret)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t len = sequence_len(bytes[0]);
    static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (!len)
        return 0;
    uint32_t point = bytes[0] & lead_mask[len];
    for (size_t i = 1; i < len; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (bytes[i] & 0x3F);
    }
    *ret = point;
    return point < least[len] || point > POINT_MAX || (point >= 0xD800 && point < 0xE000) ? 0 : len;
}

/* --- texts */

/* Writes what stands for one code point; gives how many bytes. */
static size_t put_clean(char *to, const char *from, size_t len, bool is_utf8)
{
    uint32_t point = REPLACEMENT;

    if (len)
        next_point(from, &point);
    if (point == '\n' || point == '\t' || point == '\r')
        point = ' ';
    else if (len && is_among(unseen, point))
        return 0;
    if (len > 1 && is_utf8) {
        memcpy(to, from, len);
        return len;
    }
    *to = point < 0x80 ? (char)point : REPLACEMENT;
    return 1;
}

const char *glyph_clean(Arena *a, bool is_utf8, const char *text)
{
    if (!text)
        return "";
    char *clean = arena_alloc(a, strlen(text) + 1);
    size_t len = 0;

    while (*text) {
        uint32_t point;
        size_t taken = next_point(text, &point);
        len += put_clean(clean + len, text, taken, is_utf8);
        text += taken ? taken : 1;
    }
    clean[len] = '\0';
    return clean;
}

size_t glyph_width(const char *text)
{
    size_t width = 0;

    for (uint32_t point = 0; *text;) {
        size_t taken = next_point(text, &point);
        width += taken ? point_width(point) : 1;
        text += taken ? taken : 1;
    }
    return width;
}

size_t glyph_fit(const char *text, size_t columns)
{
    size_t len = 0, width = 0;

    for (uint32_t point = 0; text[len];) {
        size_t taken = next_point(text + len, &point);
        width += taken ? point_width(point) : 1;
        if (width > columns)
            break;
        len += taken ? taken : 1;
    }
    return len;
}

const char *glyph_cut(Arena *a, bool is_utf8, const char *text, size_t columns)
{
    const char *mark = glyph_mark(MARK_CUT, is_utf8);
    size_t needed = glyph_width(mark);

    if (glyph_width(text) <= columns)
        return text;
    if (columns <= needed)
        return str_slice(a, text, glyph_fit(text, columns));
    return str_format(a, "%s%s", str_slice(a, text, glyph_fit(text, columns - needed)), mark);
}

const char *glyph_cut_head(Arena *a, bool is_utf8, const char *text, size_t columns)
{
    const char *mark = glyph_mark(MARK_CUT, is_utf8);
    size_t needed = glyph_width(mark), all = glyph_width(text);

    if (all <= columns)
        return text;
    if (columns <= needed)
        return str_slice(a, text, glyph_fit(text, columns));
    /* A letter of two columns may stand across the place of the cut. */
    const char *tail = text + glyph_fit(text, all - (columns - needed));
    while (glyph_width(tail) > columns - needed)
        tail += glyph_fit(tail, 2);
    return str_format(a, "%s%s", mark, tail);
}
