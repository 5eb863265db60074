/* ViewOverview: all fleets and nodes of a namespace, or of all, a row each: what `watch` shows
 * without a name, and what it says of an object in one line. */
#include "cli/view.h"
#include "base/str.h"
#include "cli/view_parts.h"
#include "kube/meta.h"

/* "2 of 3 on the template, 3 available" */
static const char *counts_text(Arena *a, const Json *fleet)
{
    const Json *status = json_find(fleet, ".status");

    return str_format(a,
        "%lld of %lld on the template, %lld available",
        (long long)json_int(status, ".updatedReplicas", 0),
        (long long)json_int(fleet, ".spec.replicas", 1),
        (long long)json_int(status, ".availableReplicas", 0));
}

/* "init 5/9: configure-genesis: ...": a row has little room. */
static const char *plan_text(Arena *a, const Json *plan)
{
    const char *kind = json_str(plan, ".kind"), *waiting = json_str(plan, ".waiting");
    const char *type = NULL;
    const Json *step;

    json_each(step, json_find(plan, ".steps"))
        if (str_eq(json_str(step, ".state"), "current"))
            type = json_str(step, ".type");
    return str_format(a,
        "%s %lld/%lld: %s",
        kind ? kind : "?",
        (long long)json_int(plan, ".step", 0),
        (long long)json_int(plan, ".stepCount", 0),
        waiting    ? waiting
            : type ? type
                   : "?");
}

/* The first cause; but that an edit is not seen yet is over before it is read. */
static const char *why_text(Arena *a, const Json *view)
{
    bool is_known = json_int(view, ".state.observedGeneration", -1) >= 0;
    const Json *cause;

    json_each(cause, json_find(view, ".why")) {
        const char *about = json_str(cause, ".about");
        if (str_eq(about, "plan"))
            return plan_text(a, json_find(view, ".plan"));
        if (!str_eq(about, "operator") || !is_known)
            return json_str(cause, ".text");
    }
    return NULL;
}

static const char *waiting_text(Arena *a, const Seen *seen, const char *why)
{
    if (!seen->is_fleet)
        return why;
    const char *counts = counts_text(a, seen->object);
    return why ? str_format(a, "%s; %s", counts, why) : counts;
}

const Json *view_row(Arena *a, const Json *sight)
{
    const Json *view = view_status(a, sight);
    Seen seen;
    seen_read(a, sight, &seen);
    const char *running = json_str(view, ".image.running");

    return json_seal(a,
        draft(a,
            str("kind", seen.is_fleet ? "fleet" : "node"),
            str("namespace", meta_namespace(seen.object)),
            str("name", seen.name),
            str("state", json_str(view, ".state.word")),
            str("mark", json_str(view, ".state.mark")),
            str("ready", json_str(view, ".state.ready")),
            str("since", json_str(view, ".state.since")),
            str("image", running ? running : json_str(view, ".image.wanted")),
            str("waiting", waiting_text(a, &seen, why_text(a, view)))));
}

static Draft *rows_of(Arena *a, const Json *sight, const Json *objects)
{
    const char *now = json_str(sight, ".now");
    Draft *rows = draft_array(a);
    const Json *object;

    json_each(object, objects)
        draft_push_json(rows,
            view_row(a, json_seal(a, draft(a, str("now", now), draft_json("object", object)))));
    return rows;
}

const Json *view_overview(Arena *a, const Json *sight)
{
    return json_seal(a,
        draft(a,
            str("apiVersion", VIEW_API_VERSION),
            str("kind", VIEW_OVERVIEW),
            str("asOf", json_str(sight, ".now")),
            str("namespace", json_str(sight, ".namespace")),
            str("selector", json_str(sight, ".selector")),
            sub("fleets", rows_of(a, sight, json_find(sight, ".fleets"))),
            sub("nodes", rows_of(a, sight, json_find(sight, ".nodes")))));
}
