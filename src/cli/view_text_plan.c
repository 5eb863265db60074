/* ViewTextPlan: one plan in full, and the list of all that are remembered. */
#include "base/str.h"
#include "cli/view_text_parts.h"

#include <string.h>

/* Where the columns of the history begin. */
enum { AT_STARTED = 10, AT_TOOK = 26, AT_RESULT = 34, AT_KIND = 46, AT_CAUSE = 66 };

static void put_field(Page *p, const char *label, const char *text)
{
    if (!str_empty(text))
        page_wrap(p, label, COLOR_PLAIN, text, 4);
}

static const char *with_age(Writing *w, const char *moment)
{
    const char *ago = text_since(w, moment, NULL);

    return ago ? str_format(w->page->arena, "%s (%s ago)", moment, ago) : moment;
}

void text_plan_view(Writing *w)
{
    Page *p = w->page;
    const Json *plan = json_find(w->view, ".plan"), *step;
    const char *name = json_str(w->view, ".object.name");

    if (!plan) {
        page_putf(p, COLOR_PLAIN, "%s has had no plan yet", name);
        page_end(p);
        return;
    }
    page_label(p, "Plan");
    page_putf(p, COLOR_BOLD, "%s of %s", json_str(plan, ".kind"), name);
    page_end(p);
    put_field(p, "Id", json_str(plan, ".id"));
    put_field(p, "Phase", json_str(plan, ".phase"));
    put_field(p, "Cause", json_str(plan, ".cause"));
    put_field(p, "Started", with_age(w, json_str(plan, ".startedAt")));
    put_field(p, "Ended", with_age(w, json_str(plan, ".finishedAt")));
    put_field(p, "Waits", json_str(plan, ".waiting"));
    put_field(p, "Message", json_str(plan, ".message"));
    if (!json_find(plan, ".steps"))
        return;
    page_end(p);
    json_each(step, json_find(plan, ".steps")) {
        text_step(w, step);
        const char *state = json_str(step, ".state");
        if (str_eq(state, "current") || str_eq(state, "failed"))
            page_wrap(p, "", COLOR_DIM, json_str(step, ".does"), 4);
    }
}

/* "11-15 06:40:12": the year goes without saying. */
static const char *short_time(Arena *a, const char *moment)
{
    if (!moment || strlen(moment) < strlen("2026-11-15T06:40:12"))
        return "-";
    return str_format(a, "%.5s %.8s", moment + 5, moment + 11);
}

static Color result_color(const char *result)
{
    if (str_eq(result, "Failed"))
        return COLOR_BAD;
    return str_eq(result, "Complete") ? COLOR_GOOD : COLOR_BUSY;
}

static void text_entry(Writing *w, const Json *plan)
{
    Page *p = w->page;
    const char *result = json_str(plan, ".phase"), *message = json_str(plan, ".message");
    const char *took = text_since(w, json_str(plan, ".startedAt"), json_str(plan, ".finishedAt"));
    const char *cause = json_str(plan, ".cause"), *waiting = json_str(plan, ".waiting");

    page_put_cut(p, COLOR_BOLD, text_short_id(p->arena, json_str(plan, ".id")), AT_STARTED - 1);
    page_tab(p, AT_STARTED);
    page_put(p, COLOR_PLAIN, short_time(p->arena, json_str(plan, ".startedAt")));
    page_tab(p, AT_TOOK);
    page_put(p, COLOR_PLAIN, took ? took : "-");
    page_tab(p, AT_RESULT);
    page_put_cut(p,
        result_color(result),
        str_eq(result, "Active") ? "running" : result,
        AT_KIND - AT_RESULT - 1);
    page_tab(p, AT_KIND);
    page_put_cut(p, COLOR_PLAIN, json_str(plan, ".kind"), AT_CAUSE - AT_KIND - 1);
    page_tab(p, AT_CAUSE);
    page_put(p, COLOR_PLAIN, cause ? cause : "-");
    page_end(p);
    if (str_empty(message) && str_empty(waiting))
        return;
    page_gap(p, AT_STARTED);
    page_put(p, COLOR_DIM, str_empty(message) ? waiting : message);
    page_end(p);
}

void text_history(Writing *w)
{
    Page *p = w->page;
    const Json *plans = json_find(w->view, ".plans"), *plan;

    if (!json_count(plans)) {
        page_putf(p, COLOR_PLAIN, "%s has had no plan yet", json_str(w->view, ".object.name"));
        page_end(p);
        return;
    }
    page_put(p, COLOR_DIM, "ID");
    page_tab(p, AT_STARTED);
    page_put(p, COLOR_DIM, "STARTED");
    page_tab(p, AT_TOOK);
    page_put(p, COLOR_DIM, "TOOK");
    page_tab(p, AT_RESULT);
    page_put(p, COLOR_DIM, "RESULT");
    page_tab(p, AT_KIND);
    page_put(p, COLOR_DIM, "KIND");
    page_tab(p, AT_CAUSE);
    page_put(p, COLOR_DIM, "CAUSE");
    page_end(p);
    json_each(plan, plans)
        text_entry(w, plan);
}
