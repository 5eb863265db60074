/* ViewTextTable: nodes or fleets, a line each. Of too many those are shown that a person should
 * look at; they stay in their order, so that nothing jumps while they change. */
#include "base/str.h"
#include "cli/view_text_parts.h"

#include <string.h>

enum {
    WIDTH_MIN = 5,
    NAME_MAX = 24,
    FULL_NAME_MAX = 36,
    STATE_MAX = 22, /* Held,NodesNotAvailable */
    TAG_MAX = 12,
    READY_WIDTH = 9, /* of "yes 7m31s": nothing moves while time goes by */
    LAG_MAX = 11,
};

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

/* --- columns */

typedef enum ColumnName {
    COLUMN_NAME,
    COLUMN_STATE,
    COLUMN_READY,
    COLUMN_IMAGE,
    COLUMN_LAG,
    COLUMN_WHY,
    COLUMN_COUNT,
} ColumnName;

/* What of a row stands in a column; NULL for nothing. */
typedef const char *CellText(const Writing *w, const Json *row);

typedef struct Column {
    const char *heading;
    CellText *text; /* NULL: the column is left out */
    size_t width_min, width_max;
    size_t at, width; /* where it begins */
} Column;

static const char *name_text(const Writing *w, const Json *row)
{
    (void)w;
    return json_str(row, ".name");
}

static const char *full_name_text(const Writing *w, const Json *row)
{
    const char *namespace = json_str(row, ".namespace");

    return str_format(w->page->arena, "%s/%s", namespace ? namespace : "?", json_str(row, ".name"));
}

static const char *state_text(const Writing *w, const Json *row)
{
    (void)w;
    return json_str(row, ".state");
}

/* With the time of that: its place in a rollout, and why it is not Ready, may be younger. */
static const char *ready_text(const Writing *w, const Json *row)
{
    const char *ready = json_str(row, ".ready"), *since = json_str(row, ".since");
    const char *age = text_since(w, since, NULL);

    if (!str_eq(ready, "True") && !str_eq(ready, "False"))
        return "-";
    return str_format(w->page->arena,
        "%s%s%s",
        str_eq(ready, "True") ? "yes" : "no",
        age ? " " : "",
        age ? age : "");
}

static const char *image_text(const Writing *w, const Json *row)
{
    const char *tag = text_tag(w->page->arena, json_str(row, ".image"));

    return tag ? tag : "-";
}

static const char *lag_text(const Writing *w, const Json *row)
{
    int64_t lag = json_int(row, ".lag", -1);

    return lag < 0 ? "?" : text_count(w->page->arena, lag);
}

static const char *why_text(const Writing *w, const Json *row)
{
    (void)w;
    return json_str(row, ".waiting");
}

static bool knows_lag(const Json *rows)
{
    const Json *row;

    json_each(row, rows)
        if (json_find(row, ".lag"))
            return true;
    return false;
}

static size_t widest(const Writing *w, const Json *rows, const Column *c)
{
    size_t width = c->width_min;
    const Json *row;

    json_each(row, rows) {
        size_t len = glyph_width(glyph_clean(w->page->arena, true, c->text(w, row)));
        width = len > width ? len : width;
    }
    bool is_endless = w->page->style.columns >= PAGE_ENDLESS;
    return is_endless || width < c->width_max ? width : c->width_max;
}

/* Each as wide as it must be; the last has what is left. */
static void place_columns(const Writing *w, const Json *rows, Column *columns)
{
    size_t at = 4;

    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!columns[i].text)
            continue;
        columns[i].at = at;
        columns[i].width = i == COLUMN_WHY ? SIZE_MAX : widest(w, rows, &columns[i]);
        at += columns[i].width + 2;
    }
}

static void text_row(Writing *w, const Json *row, const Column *columns)
{
    Page *p = w->page;
    Mark mark = text_mark(json_str(row, ".mark"));

    page_gap(p, 2);
    page_put_mark(p, mark);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!columns[i].text)
            continue;
        page_tab(p, columns[i].at);
        page_put_cut(p,
            i == COLUMN_STATE ? page_mark_color(mark) : COLOR_PLAIN,
            columns[i].text(w, row),
            columns[i].width);
    }
    page_end(p);
}

static void text_table_head(Writing *w, const Column *columns)
{
    Page *p = w->page;

    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!columns[i].text)
            continue;
        page_tab(p, columns[i].at);
        page_put(p, COLOR_DIM, columns[i].heading);
    }
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
    Column columns[COLUMN_COUNT] = {
        [COLUMN_NAME] = {how->heading,
            how->has_namespaces ? full_name_text : name_text,
            WIDTH_MIN,
            .width_max = how->has_namespaces ? FULL_NAME_MAX : NAME_MAX},
        [COLUMN_STATE] = {"STATE", state_text, WIDTH_MIN, .width_max = STATE_MAX},
        [COLUMN_READY] = {"READY", ready_text, READY_WIDTH, .width_max = READY_WIDTH},
        [COLUMN_IMAGE] = {"RUNS", image_text, strlen("RUNS"), .width_max = TAG_MAX},
        [COLUMN_LAG] = {"LAG",
            knows_lag(rows) ? lag_text : NULL,
            strlen("LAG"),
            .width_max = LAG_MAX},
        [COLUMN_WHY] = {"WHY", .text = why_text},
    };
    place_columns(w, rows, columns);
    text_table_head(w, columns);
    json_each(row, rows) {
        int rank = rank_of(row);
        if (rank > cut.rank || (rank == cut.rank && cut.shown_of_it == 0))
            continue;
        cut.shown_of_it -= rank == cut.rank;
        text_row(w, row, columns);
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
