/* ViewFleet: the status of a fleet: how many nodes are how far, what each waits for, and how much
 * of the budget is spent. */
#include "base/str.h"
#include "cli/view.h"
#include "cli/view_parts.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/api/names.h"
#include "sei/plan/batch.h"

#include <string.h>

static const Json *named(const Json *list, const char *name)
{
    const Json *entry;

    json_each(entry, list)
        if (str_eq(json_str(entry, ".name"), name))
            return entry;
    return NULL;
}

static const Json *child_named(const Json *children, const char *name)
{
    const Json *child;

    json_each(child, children)
        if (str_eq(meta_name(child), name))
            return child;
    return NULL;
}

/* --- one node */

typedef struct Member {
    const Json *child, *entry, *rollout; /* each may be NULL */
    Conds conds;                         /* of the child */
    const char *now;
    int64_t settles_s; /* until it counts as available, of one that is Ready */
} Member;

static const char *member_mark(const Member *m)
{
    const Cond *ready = conds_find(&m->conds, COND_READY);
    const char *state = json_str(m->rollout, ".state");

    if (conds_is_true(&m->conds, COND_STALLED)
        || str_eq(json_str(m->child, ".status.phase"), "Failed"))
        return "bad";
    if (str_eq(state, "Updating"))
        return "busy";
    if (ready && !str_eq(ready->status, "True"))
        return view_unready_mark(m->now, &m->conds);
    if (str_eq(state, "Pending") || str_eq(state, "Skipped"))
        return "idle";
    return ready && !m->settles_s ? "good" : "busy";
}

/* Its place in the rollout; at rest, what it is by itself. */
static const char *member_state(const Member *m)
{
    const char *state = json_str(m->rollout, ".state"), *phase = json_str(m->entry, ".phase");
    const Cond *ready = conds_find(&m->conds, COND_READY);

    if (conds_is_true(&m->conds, COND_STALLED))
        return "Stalled";
    if (state)
        return state;
    if (ready)
        return str_eq(ready->status, "True") ? "Ready" : ready->reason;
    return str_empty(phase) ? "New" : phase;
}

static const char *settling_text(const Seen *seen, const Member *m)
{
    const char *state = json_str(m->rollout, ".state");

    if (!m->settles_s || str_eq(state, "Pending") || str_eq(state, "Skipped"))
        return NULL;
    return str_format(seen->arena,
        "counts as available in %s, after minReadySeconds (%s)",
        view_duration(seen->arena, m->settles_s),
        view_duration(seen->arena, view_min_ready_s(seen)));
}

/* What it says itself says more than what the fleet says of it. */
static const char *member_waiting(const Seen *seen, const Member *m)
{
    const char *settling = settling_text(seen, m);
    const char *told = json_str(m->rollout, ".message");
    const char *waiting = json_str(m->child, ".status.plan.waiting");
    const Cond *ready = conds_find(&m->conds, COND_READY);
    const Cond *stalled = conds_find(&m->conds, COND_STALLED);
    const Cond *up_to_date = conds_find(&m->conds, COND_UP_TO_DATE);

    if (stalled && str_eq(stalled->status, "True"))
        return stalled->message;
    if (view_plan_is(json_find(m->child, ".status.plan"), "Active") && waiting)
        return waiting;
    if (ready && str_eq(ready->status, "False"))
        return ready->message;
    if (settling)
        return settling;
    if (told)
        return told;
    return up_to_date && str_eq(up_to_date->status, "False") ? up_to_date->message : NULL;
}

static Draft *member_view(const Seen *seen, const char *name, const Member *m)
{
    Arena *a = seen->arena;
    const Cond *ready = conds_find(&m->conds, COND_READY);
    const char *to;
    int64_t lag = view_lag(seen, name, &to);
    Draft *d = draft(a,
        str("name", name),
        num("ordinal", fleet_name_ordinal(a, seen->name, name)),
        str("state", member_state(m)),
        str("mark", member_mark(m)),
        str("ready", ready ? ready->status : "Unknown"),
        str("since", ready ? ready->last_transition_time : NULL),
        str("updatedAt", json_str(m->rollout, ".updatedAt")),
        str("phase", json_str(m->entry, ".phase")),
        str("wantedImage", json_str(m->child, ".spec.image")),
        str("image", json_str(m->child, ".status.currentImage")),
        str("revision", json_str(m->entry, ".revision")),
        draft_flag_if("paused", json_bool(m->child, ".spec.paused", false)),
        draft_json("height", json_find(view_pulse(seen, name), ".height")),
        str("waiting", member_waiting(seen, m)));

    if (lag >= 0)
        draft_set(d, num("lag", lag));
    return d;
}

/* The highest ordinal first, as they are updated. The status names them; what it does not name yet
 * is found among the children. */
static Draft *members_view(const Seen *seen)
{
    Arena *a = seen->arena;
    const Json *children = json_find(seen->sight, ".children"), *entry, *child;
    const Json *entries = json_find(seen->object, ".status.nodes");
    const Json *rollout = json_find(seen->object, ".status.rollout.nodes");
    const char *names[2 * FLEET_REPLICAS_MAX];
    size_t count = 0;
    Draft *list = draft_array(a);

    json_each(entry, entries)
        if (count < FLEET_REPLICAS_MAX && json_str(entry, ".name"))
            names[count++] = json_str(entry, ".name");
    json_each(child, children)
        if (count < 2 * FLEET_REPLICAS_MAX && meta_name(child) && !named(entries, meta_name(child)))
            names[count++] = meta_name(child);

    for (size_t i = count; i > 0; i--) {
        Member m = {
            .child = child_named(children, names[i - 1]),
            .entry = named(entries, names[i - 1]),
            .rollout = named(rollout, names[i - 1]),
            .now = json_str(seen->sight, ".now"),
        };
        conds_decode(json_find(m.child, ".status.conditions"), &m.conds);
        m.settles_s = view_settles_s(seen, &m.conds);
        draft_push(list, member_view(seen, names[i - 1], &m));
    }
    return list;
}

/* --- the whole */

static Draft *strategy_view(const Seen *seen)
{
    Arena *a = seen->arena;
    const Json *status = json_find(seen->object, ".status");
    Fleet *fleet = arena_new(a, Fleet);
    /* Of a spec that cannot be read there is no budget to tell. */
    if (fleet_decode(a, seen->object, fleet))
        return NULL;
    const FleetStrategy *s = &fleet->spec.strategy;
    bool validators = fleet->spec.node.mode == MODE_VALIDATOR;

    return draft(a,
        num("budget", batch_budget(s, fleet->spec.replicas, validators)),
        num("down", json_int(status, ".unavailableReplicas", 0)),
        draft_json(
            "maxUnavailable", json_find(seen->object, ".spec.updateStrategy.maxUnavailable")),
        num("partition", s->partition),
        flag("hold", s->hold),
        num("minReadySeconds", s->min_ready_seconds),
        num("progressDeadlineSeconds", s->progress_deadline_seconds),
        str("onFailure", s->rolls_back ? "Rollback" : "Hold"));
}

static Draft *counts_view(const Seen *seen)
{
    const Json *status = json_find(seen->object, ".status");

    return draft(seen->arena,
        num("wanted", json_int(seen->object, ".spec.replicas", 1)),
        num("exist", json_int(status, ".replicas", 0)),
        num("running", json_int(status, ".readyReplicas", 0)),
        num("available", json_int(status, ".availableReplicas", 0)),
        num("unavailable", json_int(status, ".unavailableReplicas", 0)),
        num("updated", json_int(status, ".updatedReplicas", 0)));
}

static Draft *rollout_view(const Seen *seen)
{
    const Json *rollout = json_find(seen->object, ".status.rollout");

    if (!rollout)
        return NULL;
    return draft(seen->arena,
        str("targetHash", json_str(rollout, ".targetHash")),
        str("startedAt", json_str(rollout, ".startedAt")),
        str("failedHash", json_str(rollout, ".failedHash")));
}

/* What the children run now, each image once. */
static Draft *images_view(const Seen *seen)
{
    Draft *images = draft_array(seen->arena);
    const char *known[FLEET_REPLICAS_MAX];
    size_t count = 0;
    const Json *child;

    json_each(child, json_find(seen->sight, ".children")) {
        const char *image = json_str(child, ".status.currentImage");
        bool is_new = image && count < FLEET_REPLICAS_MAX;
        for (size_t i = 0; i < count && is_new; i++)
            is_new = !str_eq(known[i], image);
        if (is_new)
            draft_push_str(images, known[count++] = image);
    }
    return images;
}

const Json *view_fleet(Arena *a, const Json *sight)
{
    Seen seen;
    seen_read(a, sight, &seen);
    const Json *node = json_find(seen.object, ".spec.template.spec");
    Draft *view = view_begin(&seen, VIEW_FLEET_STATUS);

    draft_set(view, str("mode", view_mode(node)));
    draft_set(view, str("chainId", json_str(node, ".chainId")));
    draft_set(view, sub("state", view_state(&seen)));
    draft_set(view, sub("why", view_why_fleet(&seen)));
    draft_set(view,
        obj("image", str("wanted", json_str(node, ".image")), sub("running", images_view(&seen))));
    draft_set(view, sub("chain", view_chain_of_fleet(&seen)));
    draft_set(view, sub("counts", counts_view(&seen)));
    draft_set(view, sub("strategy", strategy_view(&seen)));
    draft_set(view, flag("paused", json_bool(seen.object, ".spec.paused", false)));
    draft_set(view, sub("rollout", rollout_view(&seen)));
    draft_set(view, str("completeRevision", json_str(seen.object, ".status.completeRevision")));
    draft_set(view, str("genesisURI", json_str(seen.object, ".status.genesisS3URI")));
    draft_set(view, sub("nodes", members_view(&seen)));
    draft_set(view, sub("plan", view_plan_of(&seen, seen.plan, false)));
    draft_set(view, sub("drift", view_drift_of(a, seen.object)));
    draft_set(view, draft_json("lastPlan", view_last_plan(&seen)));
    draft_set(view, sub("next", view_next_of_fleet(&seen)));
    view_add_rest(view, &seen);
    return json_seal(a, view);
}

const Json *view_status(Arena *a, const Json *sight)
{
    bool is_fleet = str_eq(json_str(sight, ".object.kind"), kind_seinodedeployment->name);

    return is_fleet ? view_fleet(a, sight) : view_node(a, sight);
}
