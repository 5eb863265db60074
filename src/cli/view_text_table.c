/* ViewTextTable: nodes or fleets, a line each. Of too many those are shown that a person should
 * look at; they stay in their order, so that nothing jumps while they change. */
#include "base/str.h"
#include "cli/view_text_parts.h"

#include <string.h>

enum { NAME_MAX = 24, STATE_MAX = 18, TAG_MAX = 12, AGE_MAX = 6 };

/* The lower, the more a person should see it. */
static int rank_of(const Json *node)
{
    const char *mark = json_str(node, ".mark");

    if (str_eq(mark, "bad"))
        return 0;
    if (str_eq(mark, "busy"))
        return 1;
    return str_eq(mark, "idle") ? 2 : 3;
}

/* The worst rank of which not all are shown, and how many of it are. */
typedef struct Cut {
    int rank;
    size_t shown_of_it;
} Cut;

static Cut find_cut(const Json *rows, size_t room)
{
    size_t counts[4] = {0};
    const Json *node;
    Cut cut = {.rank = 4};

    json_each(node, rows)
        counts[rank_of(node)]++;
    for (int rank = 0; rank < 4; rank++) {
        if (counts[rank] > room)
            return (Cut){rank, room};
        room -= counts[rank];
    }
    return cut;
}

typedef struct Columns {
    size_t state, age, image, why; /* where each begins */
} Columns;

static size_t widest(Arena *a, const Json *rows, const char *path, size_t max)
{
    size_t width = strlen("FLEET");
    const Json *node;

    json_each(node, rows) {
        const char *text = json_str(node, path);
        size_t len = glyph_width(glyph_clean(a, true, text));
        width = len > width ? len : width;
    }
    return width < max ? width : max;
}

static size_t widest_tag(Arena *a, const Json *rows)
{
    size_t width = strlen("RUNS");
    const Json *node;

    json_each(node, rows) {
        const char *tag = text_tag(a, json_str(node, ".image"));
        size_t len = tag ? strlen(tag) : 0;
        width = len > width ? len : width;
    }
    return width < TAG_MAX ? width : TAG_MAX;
}

static Columns columns_of(Arena *a, const Json *rows)
{
    Columns c = {.state = 4 + widest(a, rows, ".name", NAME_MAX) + 2};

    c.age = c.state + widest(a, rows, ".state", STATE_MAX) + 2;
    c.image = c.age + AGE_MAX + 1;
    c.why = c.image + widest_tag(a, rows) + 2;
    return c;
}

static void text_row(Writing *w, const Json *row, const Columns *c)
{
    Page *p = w->page;
    Mark mark = text_mark(json_str(row, ".mark"));
    const char *tag = text_tag(p->arena, json_str(row, ".image"));

    page_gap(p, 2);
    page_put_mark(p, mark);
    page_gap(p, 1);
    page_put_cut(p, COLOR_PLAIN, json_str(row, ".name"), c->state - 6);
    page_tab(p, c->state);
    page_put_cut(p, page_mark_color(mark), json_str(row, ".state"), c->age - c->state - 2);
    page_tab(p, c->age);
    page_put_cut(p, COLOR_PLAIN, text_since(w, json_str(row, ".since"), NULL), AGE_MAX);
    page_tab(p, c->image);
    page_put_cut(p, COLOR_PLAIN, tag ? tag : "-", c->why - c->image - 2);
    page_tab(p, c->why);
    page_put(p, COLOR_PLAIN, json_str(row, ".waiting"));
    page_end(p);
}

static void text_table_head(Writing *w, const char *heading, const Columns *c)
{
    Page *p = w->page;

    page_gap(p, 4);
    page_put(p, COLOR_DIM, heading);
    page_tab(p, c->state);
    page_put(p, COLOR_DIM, "STATE");
    page_tab(p, c->age);
    page_put(p, COLOR_DIM, "FOR");
    page_tab(p, c->image);
    page_put(p, COLOR_DIM, "RUNS");
    page_tab(p, c->why);
    page_put(p, COLOR_DIM, "WHY");
    page_end(p);
}

void text_table(Writing *w, const Json *rows, const TextTable *how)
{
    Page *p = w->page;
    const Json *row;
    size_t count = json_count(rows), shown = 0;

    if (count == 0 || how->rows_max < 3)
        return;
    size_t room = count <= how->rows_max - 1 ? count : how->rows_max - 2;
    Cut cut = find_cut(rows, room);
    Columns columns = columns_of(p->arena, rows);
    text_table_head(w, how->heading, &columns);
    json_each(row, rows) {
        int rank = rank_of(row);
        if (rank > cut.rank || (rank == cut.rank && cut.shown_of_it == 0))
            continue;
        cut.shown_of_it -= rank == cut.rank;
        text_row(w, row, &columns);
        shown++;
    }
    if (shown == count)
        return;
    page_gap(p, 2);
    page_putf(p,
        COLOR_DIM,
        "%s %zu more: %s",
        glyph_mark(MARK_CUT, p->style.is_utf8),
        count - shown,
        how->more);
    page_end(p);
}
