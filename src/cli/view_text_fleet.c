/* ViewTextFleet: a fleet on one screen: how many are how far, and a line for each node. */
#include "base/str.h"
#include "cli/view_text_parts.h"
#include "sei/api/names.h"

enum {
    WHY_ROWS = 7,
    PLAN_ROWS = 3, /* its head and its two steps */
};

static void text_images(Writing *w)
{
    Page *p = w->page;
    const char *wanted = json_str(w->view, ".image.wanted");
    const Json *running = json_find(w->view, ".image.running"), *image;
    const char *first = json_str(running, "[0]");
    bool is_paused = json_bool(w->view, ".paused", false);

    page_label(p, "Image");
    page_put_tail(p, wanted ? wanted : "none", page_room(p) / 2);
    if (json_count(running) == 1 && str_eq(first, wanted))
        page_put(p, COLOR_DIM, is_paused ? "   ran last" : "   runs everywhere");
    else if (first) {
        page_put(p, COLOR_BUSY, is_paused ? "   ran last " : "   running ");
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

static size_t plan_rows(const Json *view)
{
    if (!json_find(view, ".plan"))
        return 0;
    size_t steps = json_count(json_find(view, ".plan.steps"));

    return 1 + (steps < PLAN_ROWS ? steps : PLAN_ROWS);
}

void text_fleet(Writing *w)
{
    text_head(w);
    text_why(w, WHY_ROWS);
    text_chain_of_fleet(w);
    text_images(w);
    text_counts(w);
    text_budget(w);
    text_rollout(w);

    const Page *tail = text_tail(w);
    size_t plan = plan_rows(w->view), room = text_rows_left(w, tail);
    text_table(w,
        json_find(w->view, ".nodes"),
        &(TextTable){
            .heading = "NODE",
            .rows_max = room > plan ? room - plan : 0,
            .more = str_format(w->page->arena,
                "kubectl sei get nodes -l " LABEL_FLEET "=%s",
                json_str(w->view, ".object.name")),
        });
    text_plan(w, text_rows_left(w, tail));
    page_append(w->page, tail);
}
