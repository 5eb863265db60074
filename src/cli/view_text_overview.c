/* ViewTextOverview: fleets, then nodes; and one row alone as a line of a log. */
#include "base/str.h"
#include "cli/view_text.h"
#include "cli/view_text_parts.h"

static void text_nothing(Writing *w)
{
    page_put(w->page, COLOR_PLAIN, "There are no nodes and no fleets here.");
    page_end(w->page);
    if (!json_str(w->view, ".namespace"))
        return;
    page_label(w->page, "Next");
    page_put(w->page, COLOR_BOLD, "kubectl sei get -A");
    page_end(w->page);
}

void text_overview(Writing *w)
{
    Page *p = w->page;
    const Json *fleets = json_find(w->view, ".fleets"), *nodes = json_find(w->view, ".nodes");
    const char *namespace = json_str(w->view, ".namespace");
    const char *selector = json_str(w->view, ".selector");
    const char *also = str_format(p->arena,
        "%s%s%s",
        namespace ? "" : " -A",
        selector ? " -l " : "",
        selector ? selector : "");
    size_t fleet_count = json_count(fleets), node_count = json_count(nodes);

    page_label(p, "Namespace");
    page_putf(p,
        COLOR_BOLD,
        "%s%s%s  %zu fleet%s, %zu node%s",
        namespace ? namespace : "all",
        selector ? "  -l " : "",
        selector ? selector : "",
        fleet_count,
        fleet_count == 1 ? "" : "s",
        node_count,
        node_count == 1 ? "" : "s");
    page_end(p);
    if (!fleet_count && !node_count) {
        text_nothing(w);
        return;
    }
    size_t room = p->style.rows - 2, half = room / 2;
    text_table(w,
        fleets,
        &(TextTable){
            .heading = "FLEET",
            .rows_max = node_count + 2 < half ? room - node_count - 2 : half,
            .more = str_format(p->arena, "kubectl sei get fleets%s", also),
            .has_namespaces = !namespace,
        });
    text_table(w,
        nodes,
        &(TextTable){
            .heading = "NODE",
            .rows_max = p->style.rows - 1 - p->count,
            .more = str_format(p->arena, "kubectl sei get nodes%s", also),
            .has_namespaces = !namespace,
        });
}

const char *view_line(Arena *a, const Json *row)
{
    const char *waiting = json_str(row, ".waiting"), *image = json_str(row, ".image");

    return glyph_clean(a,
        true,
        str_format(a,
            "%s/%s %s%s%s%s%s",
            json_str(row, ".kind"),
            json_str(row, ".name"),
            json_str(row, ".state"),
            image ? " " : "",
            image ? text_tag(a, image) : "",
            waiting ? ": " : "",
            waiting ? waiting : ""));
}
