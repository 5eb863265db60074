/* Text as a terminal shows it. */
#include "cli/color.h"
#include "cli/glyph.h"
#include "tests/test.h"

static const struct {
    const char *name, *text, *clean, *ascii;
    size_t width;
} cases[] = {
    {"letters", "seid", "seid", "seid", 4},
    {"nothing", "", "", "", 0},
    {"no text at all", NULL, "", "", 0},
    {"marks", "✔ ok", "✔ ok", "? ok", 4},
    {"letters of two columns", "节点", "节点", "??", 4},
    {"what combines has no width", "e\xcc\x81", "e\xcc\x81", "e?", 1},
    {"line ends and tabs are blanks", "a\nb\tc", "a b c", "a b c", 5},
    {"an escape sequence loses its teeth", "\033[2J!", "[2J!", "[2J!", 4},
    {"so does one of the second set",
        "\xc2\x9b"
        "2J",
        "2J",
        "2J",
        2},
    {"what turns the direction goes",
        "a\xe2\x80\xae"
        "b",
        "ab",
        "ab",
        2},
    {"a byte that is no UTF-8",
        "a\xff"
        "b",
        "a?b",
        "a?b",
        3},
    {"half a letter", "a\xe2\x9c", "a??", "a??", 3},
    {"a letter written too long", "\xc0\xaf", "??", "??", 2},
    {"half of a pair", "\xed\xa0\x80", "???", "???", 3},
};

TEST(text_is_cleaned_of_control_characters_and_measured)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *clean = glyph_clean(a, true, cases[i].text);

        then_str(clean, cases[i].clean);
        then_str(glyph_clean(a, false, cases[i].text), cases[i].ascii);
        then_int(glyph_width(clean), cases[i].width);
    }
}

static const struct {
    const char *name, *text;
    size_t columns;
    bool is_ascii;
    const char *head, *tail;
} cuts[] = {
    {"what fits stays", "seid:v2", 7, false, "seid:v2", "seid:v2"},
    {"what does not is marked", "seid:v2", 6, false, "seid:…", "…id:v2"},
    {"in ASCII too", "seid:v2", 6, true, "seid..", "..d:v2"},
    {"no room for a mark", "seid:v2", 1, false, "s", "s"},
    {"no room at all", "seid:v2", 0, false, "", ""},
    {"a letter of two columns is not halved", "节点节点", 4, false, "节…", "…点"},
};

TEST(a_text_that_is_too_wide_is_cut_with_an_ellipsis)
{
    each_case(i, cuts) {
        SCOPED_ARENA a = arena_open(1 << 20);

        then_str(glyph_cut(a, !cuts[i].is_ascii, cuts[i].text, cuts[i].columns), cuts[i].head);
        then_str(glyph_cut_head(a, !cuts[i].is_ascii, cuts[i].text, cuts[i].columns), cuts[i].tail);
    }
}

TEST(every_status_mark_has_its_own_ascii_form)
{
    for (Mark mark = MARK_NONE; mark < MARK_COUNT; mark++)
        for (Mark other = MARK_NONE; other < mark; other++)
            then_true(!str_eq(glyph_mark(mark, false), glyph_mark(other, false)));
}

TEST(colours_are_used_only_if_enabled)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_str(color_paint(a, false, COLOR_BAD, "x"), "x");
    then_str(color_paint(a, true, COLOR_PLAIN, "x"), "x");
    then_str(color_paint(a, true, COLOR_BAD, "x"), "\033[31mx\033[0m");
}
