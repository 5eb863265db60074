/* ViewText: one kind of view, one function. */
#include "cli/view_text.h"

#include "base/str.h"
#include "cli/view.h"
#include "cli/view_text_parts.h"

static const struct {
    const char *kind;
    void (*write)(Writing *w);
} writers[] = {
    {VIEW_NODE_STATUS, text_node},
    {VIEW_FLEET_STATUS, text_fleet},
    {VIEW_DRIFT, text_drift},
    {VIEW_PLAN, text_plan_view},
    {VIEW_PLAN_HISTORY, text_history},
    {VIEW_OVERVIEW, text_overview},
};

const char *view_text(Arena *a, const Json *view, const PageStyle *style)
{
    Writing w = {
        .page = page_new(a, style),
        .view = view,
        .now = json_str(view, ".asOf"),
    };
    const char *kind = json_str(view, ".kind");

    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++)
        if (str_eq(writers[i].kind, kind))
            writers[i].write(&w);
    bool is_status = str_eq(kind, VIEW_NODE_STATUS) || str_eq(kind, VIEW_FLEET_STATUS);
    return page_text(w.page, is_status ? style->rows - 1 : 0);
}
