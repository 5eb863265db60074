/* ViewTextDrift: every field that differs, of a node or of each node of a fleet. */
#include "base/str.h"
#include "cli/view_text_parts.h"

static void text_one(Writing *w, const char *name, const Json *drift)
{
    Page *p = w->page;
    const char *status = json_str(drift, ".upToDate"), *cause = json_str(drift, ".cause");
    bool is_fine = str_eq(status, "True");
    const Json *fields = json_find(drift, ".fields"), *field;

    page_put_mark(p, is_fine ? MARK_GOOD : str_eq(status, "False") ? MARK_BUSY : MARK_IDLE);
    page_putf(p, COLOR_BOLD, " %s", name ? name : "?");
    page_putf(p,
        COLOR_PLAIN,
        "  %s",
        json_str(drift, ".reason") ? json_str(drift, ".reason") : "not looked at yet");
    if (cause)
        page_putf(p, COLOR_PLAIN, "  because of: %s", cause);
    page_end(p);
    if (!json_count(fields) && !is_fine)
        page_wrap(p, "", COLOR_PLAIN, json_str(drift, ".message"), 6);
    json_each(field, fields)
        text_field(w, field);
}

void text_drift(Writing *w)
{
    const Json *drift = json_find(w->view, ".drift"), *node;
    const char *advice = json_str(drift, ".advice");

    text_one(w, json_str(w->view, ".object.name"), drift);
    json_each(node, json_find(w->view, ".nodes"))
        text_one(w, json_str(node, ".name"), node);
    if (json_bool(w->view, ".drifted", false))
        page_wrap(w->page, "Do", COLOR_PLAIN, advice, 4);
    text_missing(w);
}
