/* ViewTextFleet: a fleet on one screen. Of many nodes those are shown that a person should look at;
 * they stay in the order of their ordinals, so that nothing jumps while they change. */
#include "base/str.h"
#include "cli/view_text_parts.h"
#include "sei/api/fleet.h"

#include <string.h>

enum {
    WHY_ROWS = 7,
    PLAN_ROWS = 3, /* its head and its two steps */
    NAME_MAX = 24,
    STATE_MAX = 16,
    TAG_MAX = 12,
    AGE_MAX = 6,
};

static void text_images(Writing *w)
{
    Page *p = w->page;
    const char *wanted = json_str(w->view, ".image.wanted");
    const Json *running = json_find(w->view, ".image.running"), *image;
    const char *first = json_str(running, "[0]");

    page_label(p, "Image");
    page_put_tail(p, wanted ? wanted : "none", page_room(p) / 2);
    if (json_count(running) == 1 && str_eq(first, wanted))
        page_put(p,
            COLOR_DIM,
            json_bool(w->view, ".paused", false) ? "   ran last" : "   runs everywhere");
    else if (first) {
        page_put(p, COLOR_BUSY, "   running ");
        json_each(image, running)
            page_putf(p,
                COLOR_PLAIN,
                "%s%s",
                image == json_first(running) ? "" : ", ",
                text_tag(p->arena, json_text(image)));
    }
    page_end(p);
}

static void text_counts(Writing *w)
{
    Page *p = w->page;
    const Json *counts = json_find(w->view, ".counts");
    long long wanted = (long long)json_int(counts, ".wanted", 0);
    long long exist = (long long)json_int(counts, ".exist", 0);

    page_label(p, "Nodes");
    page_putf(p, COLOR_PLAIN, "%lld wanted", wanted);
    if (exist != wanted)
        page_putf(p, COLOR_BUSY, ", %lld exist", exist);
    page_putf(p,
        COLOR_PLAIN,
        ", %lld available, %lld unavailable, %lld on the template",
        (long long)json_int(counts, ".available", 0),
        (long long)json_int(counts, ".unavailable", 0),
        (long long)json_int(counts, ".updated", 0));
    page_end(p);
}

static void text_budget(Writing *w)
{
    Page *p = w->page;
    const Json *s = json_find(w->view, ".strategy");
    long long partition = (long long)json_int(s, ".partition", 0);
    long long settling = (long long)json_int(s, ".minReadySeconds", 0);

    if (!s)
        return;
    page_label(p, "Budget");
    page_putf(p,
        COLOR_PLAIN,
        "at most %lld down at once, %lld down now",
        (long long)json_int(s, ".budget", 0),
        (long long)json_int(s, ".down", 0));
    if (json_bool(s, ".hold", false))
        page_put(p, COLOR_BUSY, "   on hold");
    if (partition)
        page_putf(p, COLOR_BUSY, "   partition %lld: lower ordinals stay", partition);
    if (settling)
        page_putf(p, COLOR_PLAIN, "   counted after %llds", settling);
    if (json_bool(w->view, ".paused", false))
        page_put(p, COLOR_BUSY, "   paused");
    page_end(p);
}

static void text_rollout(Writing *w)
{
    Page *p = w->page;
    const Json *rollout = json_find(w->view, ".rollout"), *s = json_find(w->view, ".strategy");
    const char *target = json_str(rollout, ".targetHash"),
               *failed = json_str(rollout, ".failedHash");
    const char *since = text_since(w, json_str(rollout, ".startedAt"), NULL);

    if (!rollout)
        return;
    page_label(p, "Rollout");
    if (target)
        page_putf(p, COLOR_PLAIN, "to %s", target);
    if (since)
        page_putf(p, COLOR_PLAIN, "  for %s", since);
    if (failed)
        page_putf(p, COLOR_BAD, "  failed: %s", failed);
    if (s && !failed)
        page_putf(p,
            COLOR_PLAIN,
            "  no progress for %llds: %s",
            (long long)json_int(s, ".progressDeadlineSeconds", 0),
            json_str(s, ".onFailure"));
    page_end(p);
}

/* --- the nodes */

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

static Cut find_cut(const Json *nodes, size_t room)
{
    size_t counts[4] = {0};
    const Json *node;
    Cut cut = {.rank = 4};

    json_each(node, nodes)
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

static size_t widest(Arena *a, const Json *nodes, const char *path, size_t max)
{
    size_t width = 4;
    const Json *node;

    json_each(node, nodes) {
        const char *text = json_str(node, path);
        size_t len = glyph_width(glyph_clean(a, true, text));
        width = len > width ? len : width;
    }
    return width < max ? width : max;
}

static size_t widest_tag(Arena *a, const Json *nodes)
{
    size_t width = strlen("RUNS");
    const Json *node;

    json_each(node, nodes) {
        const char *tag = text_tag(a, json_str(node, ".image"));
        size_t len = tag ? strlen(tag) : 0;
        width = len > width ? len : width;
    }
    return width < TAG_MAX ? width : TAG_MAX;
}

static Columns columns_of(Arena *a, const Json *nodes)
{
    Columns c = {.state = 4 + widest(a, nodes, ".name", NAME_MAX) + 2};

    c.age = c.state + widest(a, nodes, ".state", STATE_MAX) + 2;
    c.image = c.age + AGE_MAX + 1;
    c.why = c.image + widest_tag(a, nodes) + 2;
    return c;
}

static void text_member(Writing *w, const Json *node, const Columns *c)
{
    Page *p = w->page;
    Mark mark = text_mark(json_str(node, ".mark"));
    const char *tag = text_tag(p->arena, json_str(node, ".image"));

    page_gap(p, 2);
    page_put_mark(p, mark);
    page_gap(p, 1);
    page_put_cut(p, COLOR_PLAIN, json_str(node, ".name"), c->state - 6);
    page_tab(p, c->state);
    page_put_cut(p, page_mark_color(mark), json_str(node, ".state"), c->age - c->state - 2);
    page_tab(p, c->age);
    page_put_cut(p, COLOR_PLAIN, text_since(w, json_str(node, ".since"), NULL), AGE_MAX);
    page_tab(p, c->image);
    page_put_cut(p, COLOR_PLAIN, tag ? tag : "-", c->why - c->image - 2);
    page_tab(p, c->why);
    page_put(p, COLOR_PLAIN, json_str(node, ".waiting"));
    page_end(p);
}

static void text_members_head(Writing *w, const Columns *c)
{
    Page *p = w->page;

    page_gap(p, 4);
    page_put(p, COLOR_DIM, "NODE");
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

static void text_members(Writing *w, size_t rows_max)
{
    Page *p = w->page;
    const Json *nodes = json_find(w->view, ".nodes"), *node;
    size_t count = json_count(nodes), shown = 0;

    if (count == 0 || rows_max < 3)
        return;
    size_t room = count <= rows_max - 1 ? count : rows_max - 2;
    Cut cut = find_cut(nodes, room);
    Columns columns = columns_of(p->arena, nodes);
    text_members_head(w, &columns);
    json_each(node, nodes) {
        int rank = rank_of(node);
        if (rank > cut.rank || (rank == cut.rank && cut.shown_of_it == 0))
            continue;
        cut.shown_of_it -= rank == cut.rank;
        text_member(w, node, &columns);
        shown++;
    }
    if (shown == count)
        return;
    page_gap(p, 2);
    page_putf(p,
        COLOR_DIM,
        "%s %zu more: kubectl sei get nodes -l sei.io/nodedeployment=%s",
        glyph_mark(MARK_CUT, p->style.is_utf8),
        count - shown,
        json_str(w->view, ".object.name"));
    page_end(p);
}

static size_t plan_rows(const Json *view)
{
    if (!json_find(view, ".plan"))
        return 0;
    size_t steps = json_count(json_find(view, ".plan.steps"));

    return 1 + (steps < PLAN_ROWS ? steps : PLAN_ROWS);
}

void text_fleet(Writing *w)
{
    Arena *a = w->page->arena;
    const char *namespace = json_str(w->view, ".object.namespace");
    const char *chain = json_str(w->view, ".chainId");

    text_head(w,
        str_format(a,
            "%s/%s  %lld %s  %s",
            namespace ? namespace : "?",
            json_str(w->view, ".object.name"),
            (long long)json_int(w->view, ".counts.wanted", 0),
            json_str(w->view, ".mode"),
            chain ? chain : "?"));
    text_why(w, WHY_ROWS);
    text_images(w);
    text_counts(w);
    text_budget(w);
    text_rollout(w);

    const Page *tail = text_tail(w);
    size_t plan = plan_rows(w->view), room = text_rows_left(w, tail);
    text_members(w, room > plan ? room - plan : 0);
    text_plan(w, text_rows_left(w, tail));
    page_append(w->page, tail);
}
