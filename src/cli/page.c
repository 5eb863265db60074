/* Page: pieces are cleaned and measured before they are coloured, so that nobody ever measures an
 * escape sequence. */
#include "cli/page.h"

#include "base/str.h"

#include <stdarg.h>
#include <string.h>

Page *page_new(Arena *a, const PageStyle *style)
{
    Page *p = arena_new(a, Page);

    *p = (Page){.arena = a, .style = *style, .line = ""};
    return p;
}

size_t page_room(const Page *p)
{
    size_t used = p->column + p->blanks;

    return used < p->style.columns ? p->style.columns - used : 0;
}

/* A piece that is clean and fits. */
static void append(Page *p, Color color, const char *text)
{
    if (!*text)
        return;
    p->line = str_format(p->arena,
        "%s%*s%s",
        p->line,
        (int)p->blanks,
        "",
        color_paint(p->arena, p->style.color, color, text));
    p->column += p->blanks + glyph_width(text);
    p->blanks = 0;
}

void page_put_cut(Page *p, Color color, const char *text, size_t columns)
{
    size_t room = page_room(p);
    const char *clean = glyph_clean(p->arena, p->style.is_utf8, text);

    append(p, color, glyph_cut(p->arena, p->style.is_utf8, clean, columns < room ? columns : room));
}

void page_put_tail(Page *p, const char *text, size_t columns)
{
    size_t room = page_room(p);
    const char *clean = glyph_clean(p->arena, p->style.is_utf8, text);

    append(p,
        COLOR_PLAIN,
        glyph_cut_head(p->arena, p->style.is_utf8, clean, columns < room ? columns : room));
}

void page_put(Page *p, Color color, const char *text)
{
    page_put_cut(p, color, text, p->style.columns);
}

void page_putf(Page *p, Color color, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    page_put(p, color, str_vformat(p->arena, format, args));
    va_end(args);
}

Color page_mark_color(Mark mark)
{
    static const Color colors[MARK_COUNT] = {
        [MARK_GOOD] = COLOR_GOOD,
        [MARK_BUSY] = COLOR_BUSY,
        [MARK_BAD] = COLOR_BAD,
        [MARK_WARN] = COLOR_BUSY,
    };

    return colors[mark];
}

void page_put_mark(Page *p, Mark mark)
{
    page_put(p, page_mark_color(mark), glyph_mark(mark, p->style.is_utf8));
}

void page_tab(Page *p, size_t column)
{
    p->blanks = p->column < column ? column - p->column : p->column > 0;
}

void page_gap(Page *p, size_t blanks)
{
    p->blanks = blanks;
}

void page_append(Page *p, const Page *other)
{
    for (size_t i = 0; i < other->count && p->count < PAGE_LINES_MAX; i++)
        p->lines[p->count++] = other->lines[i];
}

void page_end(Page *p)
{
    if (p->count < PAGE_LINES_MAX)
        p->lines[p->count++] = p->line;
    p->line = "";
    p->column = p->blanks = 0;
}

void page_label(Page *p, const char *label)
{
    page_put(p, COLOR_BOLD, label);
    page_tab(p, PAGE_LABEL);
}

/* How many bytes of a clean text stand on the next line: whole words, or what fits of a long one.
 */
static size_t line_len(const char *text, size_t columns)
{
    size_t fits = glyph_fit(text, columns);

    if (!text[fits] || text[fits] == ' ')
        return fits;
    for (size_t len = fits; len > 0; len--)
        if (text[len - 1] == ' ')
            return len - 1;
    return fits > 0 ? fits : strlen(text);
}

static const char *after_blanks(const char *text)
{
    return text + strspn(text, " ");
}

void page_wrap(Page *p, const char *label, Color color, const char *text, size_t rows_max)
{
    const char *rest = after_blanks(glyph_clean(p->arena, p->style.is_utf8, text));
    size_t columns = p->style.columns - PAGE_LABEL;

    for (size_t row = 0; row < rows_max && *rest; row++) {
        size_t len = line_len(rest, columns);
        page_label(p, row ? "" : label);
        page_gap(p, PAGE_LABEL - p->column);
        if (row + 1 == rows_max)
            page_put(p, color, rest);
        else
            page_put(p, color, str_slice(p->arena, rest, len));
        page_end(p);
        rest = after_blanks(rest + len);
    }
}

size_t page_wrapped_rows(const Page *p, const char *text)
{
    const char *rest = after_blanks(glyph_clean(p->arena, p->style.is_utf8, text));
    size_t rows = 0;

    for (; *rest; rows++)
        rest = after_blanks(rest + line_len(rest, p->style.columns - PAGE_LABEL));
    return rows;
}

const char *page_text(const Page *p, size_t rows_max)
{
    size_t shown = rows_max && p->count > rows_max ? rows_max - 1 : p->count;
    const char *text = "";

    for (size_t i = 0; i < shown; i++)
        text = str_format(p->arena, "%s%s\n", text, p->lines[i]);
    if (shown < p->count)
        text = str_format(p->arena,
            "%s%s %zu more lines\n",
            text,
            glyph_mark(MARK_CUT, p->style.is_utf8),
            p->count - shown);
    return text;
}
