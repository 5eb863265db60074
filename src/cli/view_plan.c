/* ViewPlan: plans, the one in hand and those that are remembered. Of a plan that has ended and was
 * replaced, the status keeps no steps: its view says how it ended. */
#include "base/str.h"
#include "cli/view.h"
#include "cli/view_parts.h"

#include <string.h>

static Draft *of_history(Arena *a, const Json *entry)
{
    return draft(a,
        str("id", json_str(entry, ".id")),
        str("kind", json_str(entry, ".kind")),
        str("cause", json_str(entry, ".cause")),
        str("phase", json_str(entry, ".result")),
        str("startedAt", json_str(entry, ".startedAt")),
        str("finishedAt", json_str(entry, ".finishedAt")),
        str("message", json_str(entry, ".message")));
}

static Err *no_such_plan(const Seen *seen, const char *id)
{
    Err *err = err_terminal(seen->arena,
        "%s has no plan whose id begins with %s: kubectl sei plan history %s lists them",
        seen->name,
        id,
        seen->ref);

    err->status = 404;
    return err;
}

/* The plans of an id that begins so: the one in hand, or one of the history. */
static Err *find(const Seen *seen, const char *id, const Json **ret_plan, const Json **ret_ended)
{
    const Json *entry;
    int found = 0;

    *ret_plan = *ret_ended = NULL;
    if (str_has_prefix(json_str(seen->plan, ".id"), id)) {
        *ret_plan = seen->plan;
        found++;
    }
    json_each(entry, json_find(seen->object, ".status.history")) {
        const char *other = json_str(entry, ".id");
        if (!str_has_prefix(other, id) || str_eq(other, json_str(seen->plan, ".id")))
            continue;
        *ret_ended = entry;
        found++;
    }
    if (found > 1)
        return err_terminal(seen->arena,
            "more than one plan of %s has an id that begins with %s: give more of it",
            seen->name,
            id);
    return found ? OK : no_such_plan(seen, id);
}

Err *view_plan(Arena *a, const Json *sight, const char *id, const Json **ret)
{
    Seen seen;
    seen_read(a, sight, &seen);
    const Json *plan = seen.plan, *ended = plan ? NULL : view_last_plan(&seen);

    if (!str_empty(id))
        TRY(find(&seen, id, &plan, &ended));
    Draft *view = view_begin(&seen, VIEW_PLAN);
    draft_set(view, sub("state", view_state(&seen)));
    if (plan)
        draft_set(view, sub("plan", view_plan_of(&seen, plan, true)));
    else if (ended)
        draft_set(view, sub("plan", of_history(a, ended)));
    *ret = json_seal(a, view);
    return OK;
}

const Json *view_plan_history(Arena *a, const Json *sight)
{
    Seen seen;
    seen_read(a, sight, &seen);
    const Json *history = json_find(seen.object, ".status.history");
    const Json *entry, *entries[64];
    size_t count = 0;
    Draft *plans = draft_array(a), *view = view_begin(&seen, VIEW_PLAN_HISTORY);

    if (seen.plan && !view_ended_plan(&seen, json_str(seen.plan, ".id")))
        draft_push(plans, view_plan_of(&seen, seen.plan, false));
    json_each(entry, history)
        if (count < sizeof entries / sizeof entries[0])
            entries[count++] = entry;
    while (count > 0)
        draft_push(plans, of_history(a, entries[--count]));
    draft_set(view, sub("plans", plans));
    return json_seal(a, view);
}
