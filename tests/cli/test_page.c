/* Pages: lines that fit. */
#include "cli/page.h"
#include "tests/test.h"

static Page *page_of(Arena *a, size_t columns)
{
    return page_new(a, &(PageStyle){.is_utf8 = true, .columns = columns, .rows = 24});
}

TEST(pieces_of_an_output_line_are_placed_in_order)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Page *p = page_of(a, 20);

    page_label(p, "Pod");
    page_put(p, COLOR_PLAIN, "a");
    page_gap(p, 2);
    page_put(p, COLOR_PLAIN, NULL); /* nothing, and no blanks */
    page_putf(p, COLOR_PLAIN, "%d", 7);
    page_tab(p, 5); /* which is passed already */
    page_put(p, COLOR_PLAIN, "b");
    page_end(p);
    then_str(page_text(p, 0), "Pod       a  7 b\n");
}

TEST(an_output_line_has_no_trailing_blanks)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Page *p = page_of(a, 20);

    page_label(p, "Pod");
    page_end(p);
    then_str(page_text(p, 0), "Pod\n");
}

TEST(a_piece_that_does_not_fit_the_line_is_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Page *p = page_of(a, 8);

    page_put(p, COLOR_PLAIN, "1234");
    page_put_cut(p, COLOR_PLAIN, "56789", 3);
    page_put(p, COLOR_PLAIN, "xyz");
    page_put(p, COLOR_PLAIN, "not seen");
    page_end(p);
    page_put_tail(p, "ghcr.io/x/seid:v2", 80);
    page_end(p);
    then_str(page_text(p, 0), "123456…x\n…seid:v2\n");
}

static const struct {
    const char *name, *text;
    size_t rows_max;
    const char *want;
} wraps[] = {
    {"short", "one", 3, "Why       one\n"},
    {"at words", "one two three", 3, "Why       one two\n          three\n"},
    {"cut at the last line", "one two three four", 2, "Why       one two\n          three fo…\n"},
    {"a word that is too long", "12345678901", 3, "Why       123456789\n          01\n"},
    {"nothing", "", 3, ""},
    {"no room", "one", 0, ""},
};

TEST(long_text_is_wrapped_at_words)
{
    each_case(i, wraps) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Page *p = page_of(a, 19);

        page_wrap(p, "Why", COLOR_PLAIN, wraps[i].text, wraps[i].rows_max);
        then_str(page_text(p, 0), wraps[i].want);
    }
}

TEST(wrapped_lines_are_counted)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_int(page_wrapped_rows(page_of(a, 19), "one two three"), 2);
    then_int(page_wrapped_rows(page_of(a, 19), ""), 0);
}

TEST(a_page_that_is_too_long_reports_that_it_was_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    Page *p = page_of(a, 20), *other = page_of(a, 20);

    for (int i = 0; i < 2; i++) {
        page_putf(p, COLOR_PLAIN, "%d", i);
        page_end(p);
        page_putf(other, COLOR_PLAIN, "other %d", i);
        page_end(other);
    }
    page_append(p, other);
    then_str(page_text(p, 3), "0\n1\n… 2 more lines\n");
    then_str(page_text(p, 4), "0\n1\nother 0\nother 1\n");
}

TEST(lines_beyond_the_maximum_of_a_page_are_dropped)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Page *p = page_of(a, 20);

    for (int i = 0; i < PAGE_LINES_MAX + 3; i++)
        page_end(p);
    then_int(p->count, PAGE_LINES_MAX);
}

TEST(a_status_mark_has_the_colour_of_its_meaning)
{
    then_int(page_mark_color(MARK_GOOD), COLOR_GOOD);
    then_int(page_mark_color(MARK_BUSY), COLOR_BUSY);
    then_int(page_mark_color(MARK_BAD), COLOR_BAD);
    then_int(page_mark_color(MARK_IDLE), COLOR_PLAIN);
}
