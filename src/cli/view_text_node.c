/* ViewTextNode: a node on one screen. What is short comes first; plan and drift share what is
 * left. */
#include "base/str.h"
#include "cli/view_text_parts.h"

enum {
    WHY_ROWS = 8,
    FIELD_ROWS = 2, /* of one field of drift */
    DRIFT_ROWS_MIN = 3,
};

/* The status keeps the last image until a container of the new pod has started. */
static bool is_running(const Json *view)
{
    const Json *pod = json_find(view, ".pod");

    return pod && !str_eq(json_str(pod, ".phase"), "Pending");
}

static void text_image(Writing *w)
{
    Page *p = w->page;
    const char *wanted = json_str(w->view, ".image.wanted");
    const char *running = json_str(w->view, ".image.running");
    bool runs = is_running(w->view);

    page_label(p, "Image");
    page_put_tail(p, wanted ? wanted : "none", page_room(p) / 2);
    if (!running)
        page_put(p, COLOR_PLAIN, "   none has run yet");
    else if (str_eq(wanted, running))
        page_put(p, COLOR_DIM, runs ? "   runs" : "   ran last");
    else {
        page_put(p, COLOR_BUSY, runs ? "   running " : "   ran last ");
        page_put_tail(p, running, page_room(p));
    }
    page_end(p);
}

static void put_word(Page *p, const char *word)
{
    if (word)
        page_putf(p, COLOR_PLAIN, "  %s", word);
}

static void text_volume(Writing *w)
{
    Page *p = w->page;
    const Json *volume = json_find(w->view, ".volume");
    const char *claim = json_str(volume, ".claim"), *policy = json_str(volume, ".reclaimPolicy");

    page_label(p, "Volume");
    page_put(p, COLOR_PLAIN, claim ? claim : "none yet");
    if (claim && !json_bool(volume, ".found", false))
        page_put(p, COLOR_BAD, "  not found");
    put_word(p, json_str(volume, ".capacity"));
    put_word(p, json_str(volume, ".storageClass"));
    put_word(p, json_str(volume, ".phase"));
    if (policy)
        page_putf(p, COLOR_PLAIN, "  reclaim %s", policy);
    if (json_bool(volume, ".imported", false))
        put_word(p, "imported");
    if (json_bool(volume, ".replaced", false))
        page_put(p, COLOR_BAD, "  not the recorded one");
    if (json_bool(volume, ".terminating", false))
        page_put(p, COLOR_BAD, "  being deleted");
    page_end(p);
}

static void text_pod(Writing *w)
{
    Page *p = w->page;
    const Json *pod = json_find(w->view, ".pod");
    const char *phase = json_str(pod, ".phase"), *node = json_str(pod, ".node");
    const char *age = text_since(w, json_str(pod, ".startedAt"), NULL);
    long long restarts = (long long)json_int(pod, ".restarts", 0);

    page_label(p, "Pod");
    if (!pod) {
        page_put(p, COLOR_PLAIN, "none");
        page_end(p);
        return;
    }
    page_put(p, COLOR_PLAIN, json_str(pod, ".name"));
    put_word(p, json_bool(pod, ".terminating", false) ? "Terminating" : phase);
    page_putf(p,
        COLOR_PLAIN,
        "  %lld of %lld containers ready",
        (long long)json_int(pod, ".containersReady", 0),
        (long long)json_int(pod, ".containers", 0));
    if (restarts)
        page_putf(p, COLOR_BUSY, "  %lld restart%s", restarts, restarts == 1 ? "" : "s");
    put_word(p, age);
    if (node)
        page_putf(p, COLOR_PLAIN, "  on %s", node);
    page_end(p);
}

/* What is the node's own is not to be taken for the fleet's. */
static void text_overrides(Writing *w)
{
    Page *p = w->page;
    const char *fleet = json_str(w->view, ".fleet"), *before = "";
    const Json *override, *overrides = json_find(w->view, ".overrides");

    if (!fleet && !json_count(overrides))
        return;
    page_label(p, fleet ? "Fleet" : "By hand");
    page_put(p, COLOR_PLAIN, fleet);
    if (fleet && json_count(overrides))
        page_put(p, COLOR_PLAIN, "   the node: ");
    json_each(override, overrides) {
        page_putf(p, COLOR_BUSY, "%s%s", before, json_text(override));
        before = ", ";
    }
    page_end(p);
}

/* --- drift */

static bool has_drift(const Json *view)
{
    return str_eq(json_str(view, ".drift.upToDate"), "False")
        || json_count(json_find(view, ".drift.fields")) > 0;
}

static size_t drift_rows(const Json *view)
{
    size_t fields = json_count(json_find(view, ".drift.fields"));

    return has_drift(view) ? 1 + (fields ? FIELD_ROWS * fields : 2) : 0;
}

static void drift_head(Writing *w, size_t fields)
{
    Page *p = w->page;
    const char *cause = json_str(w->view, ".drift.cause");
    const char *reason = json_str(w->view, ".drift.reason");
    const char *since = text_since(w, json_str(w->view, ".drift.since"), NULL);

    page_label(p, "Drift");
    page_put(p, COLOR_BOLD, reason ? reason : "?");
    if (since && str_eq(json_str(w->view, ".drift.upToDate"), "False"))
        page_putf(p, COLOR_PLAIN, ", out of date for %s", since);
    if (fields)
        page_putf(p, COLOR_PLAIN, "  %zu field%s", fields, fields == 1 ? "" : "s");
    if (cause)
        page_putf(p, COLOR_PLAIN, "  because of: %s", cause);
    page_end(p);
}

static void text_drift_part(Writing *w, size_t rows_max)
{
    Page *p = w->page;
    const Json *fields = json_find(w->view, ".drift.fields"), *field;
    size_t count = json_count(fields), rows = rows_max > 0 ? rows_max - 1 : 0;
    const char *ref = json_str(w->view, ".object.ref");

    if (!has_drift(w->view) || rows_max == 0)
        return;
    drift_head(w, count);
    if (!count)
        page_wrap(p, "", COLOR_PLAIN, json_str(w->view, ".drift.message"), rows < 2 ? rows : 2);
    size_t fit = FIELD_ROWS * count <= rows ? count : (rows > 0 ? rows - 1 : 0) / FIELD_ROWS;
    size_t shown = 0;
    json_each(field, fields)
        if (shown < fit) {
            text_field(w, field);
            shown++;
        }
    if (shown < count && rows > 0) {
        page_gap(p, 2);
        page_putf(p,
            COLOR_DIM,
            "%s %zu more: kubectl sei drift %s",
            glyph_mark(MARK_CUT, p->style.is_utf8),
            count - shown,
            ref ? ref : "");
        page_end(p);
    }
}

void text_node(Writing *w)
{
    text_head(w);
    text_why(w, WHY_ROWS);
    text_chain_of_node(w);
    text_image(w);
    text_volume(w);
    text_pod(w);
    text_overrides(w);

    const Page *tail = text_tail(w);
    size_t wanted = drift_rows(w->view), room = text_rows_left(w, tail);
    size_t for_drift = wanted < DRIFT_ROWS_MIN ? wanted : DRIFT_ROWS_MIN;
    text_plan(w, room > for_drift ? room - for_drift : 0);
    text_drift_part(w, text_rows_left(w, tail));
    page_append(w->page, tail);
}
