/* ViewTextSteps: a plan and how far it has come. What is done shrinks to one line where there is
 * not room for all. */
#include "base/str.h"
#include "cli/view_text_parts.h"

enum { INDENT = 2, STEP_COLUMN = 34 /* where what is said of a step begins */ };

void text_step(Writing *w, const Json *step)
{
    Page *p = w->page;
    const char *state = json_str(step, ".state"), *error = json_str(step, ".error");
    bool is_current = str_eq(state, "current");
    const char *since = is_current ? text_since(w, json_str(step, ".submittedAt"), NULL) : NULL;
    long long retries = (long long)json_int(step, ".retryCount", 0);

    page_gap(p, INDENT);
    page_put_mark(p, text_mark(state));
    page_putf(p,
        COLOR_PLAIN,
        "%3lld %s",
        (long long)json_int(step, ".number", 0),
        json_str(step, ".type") ? json_str(step, ".type") : "?");
    page_tab(p, STEP_COLUMN);
    if (since)
        page_putf(p, COLOR_PLAIN, "handed over %s ago", since);
    page_gap(p, since ? INDENT : p->blanks);
    if (retries)
        page_putf(p,
            COLOR_PLAIN,
            "retry %lld of %lld",
            retries,
            (long long)json_int(step, ".maxRetries", 0));
    page_gap(p, retries ? INDENT : p->blanks);
    page_put(p, COLOR_BAD, error);
    page_end(p);
}

/* "✔  1-4 ensure-data-pvc … apply-service": what is done and would take too many lines. */
static void steps_done(Writing *w, const Json *steps, int64_t last)
{
    Page *p = w->page;
    const char *first = json_str(steps, "[0].type"), *end = NULL;
    const Json *step;

    json_each(step, steps)
        if (json_int(step, ".number", 0) == last)
            end = json_str(step, ".type");
    page_gap(p, INDENT);
    page_put_mark(p, MARK_GOOD);
    page_putf(p,
        COLOR_DIM,
        " 1-%lld %s %s %s",
        (long long)last,
        first ? first : "?",
        glyph_mark(MARK_CUT, p->style.is_utf8),
        end ? end : "?");
    page_end(p);
}

static void steps_more(Writing *w, size_t count)
{
    Page *p = w->page;
    const char *ref = json_str(w->view, ".object.ref");

    page_gap(p, INDENT);
    page_putf(p,
        COLOR_DIM,
        "%s %zu more: kubectl sei plan show %s",
        glyph_mark(MARK_CUT, p->style.is_utf8),
        count,
        ref ? ref : "");
    page_end(p);
}

/* All of them where there is room; else those that are done in one line, and as many as fit of the
 * others. */
static void text_steps(Writing *w, const Json *steps, int64_t at, size_t rows_max)
{
    size_t count = json_count(steps), shown = 0;
    bool is_short = count <= rows_max;
    int64_t done = is_short ? 0 : at > 2 ? at - 1 : 0;
    const Json *step;

    if (rows_max < 3 && !is_short)
        return;
    if (done)
        steps_done(w, steps, done);
    size_t room = rows_max - (done > 0), left = count - (size_t)done;
    if (left > room)
        room--;
    json_each(step, steps) {
        if (json_int(step, ".number", 0) <= done || shown == room)
            continue;
        text_step(w, step);
        shown++;
    }
    if (shown < left)
        steps_more(w, left - shown);
}

static void plan_head(Writing *w, const Json *plan)
{
    Page *p = w->page;
    const char *phase = json_str(plan, ".phase"), *cause = json_str(plan, ".cause");
    const char *ago = text_since(w, json_str(plan, ".startedAt"), NULL);
    const char *ended = text_since(w, json_str(plan, ".finishedAt"), NULL);
    bool is_active = str_eq(phase, "Active");

    page_label(p, "Plan");
    page_putf(p,
        COLOR_BOLD,
        "%s %s",
        json_str(plan, ".kind") ? json_str(plan, ".kind") : "?",
        text_short_id(p->arena, json_str(plan, ".id")));
    if (!is_active)
        page_putf(p, str_eq(phase, "Failed") ? COLOR_BAD : COLOR_GOOD, "  %s", phase ? phase : "?");
    if (is_active && ago)
        page_putf(p, COLOR_PLAIN, "  started %s ago", ago);
    if (!is_active && ended)
        page_putf(p, COLOR_PLAIN, " %s ago", ended);
    if (json_int(plan, ".step", 0))
        page_putf(p,
            COLOR_PLAIN,
            "  step %lld of %lld",
            (long long)json_int(plan, ".step", 0),
            (long long)json_int(plan, ".stepCount", 0));
    if (cause)
        page_putf(p, COLOR_PLAIN, "  because of: %s", cause);
    page_end(p);
}

void text_plan(Writing *w, size_t rows_max)
{
    const Json *plan = json_find(w->view, ".plan");

    if (!plan || rows_max == 0)
        return;
    plan_head(w, plan);
    if (!str_eq(json_str(plan, ".phase"), "Complete"))
        text_steps(w, json_find(plan, ".steps"), json_int(plan, ".step", 0), rows_max - 1);
}
