/* ViewWhy: the causes of how an object is, the one that decides first: who only waits for a person
 * (Stalled), then the plan and what it waits for, then what the pod says. What an earlier cause has
 * said already is not said again. */
#include "base/str.h"
#include "cli/hold.h"
#include "cli/signing.h"
#include "cli/view_parts.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition_about.h"
#include "sei/api/names.h"

#include <string.h>

enum { CAUSES_MAX = 8 };

#define ADVICE_PEERS                                                                               \
    "Look at spec.peers and at the network around the pod: without peers there are no blocks."
#define ADVICE_HALTED                                                                              \
    "If the chain has an upgrade at this height, set the image of it; else look at seid's log."

typedef struct Why {
    const Seen *seen;
    Draft *causes;
    const char *texts[CAUSES_MAX];
    size_t count;
} Why;

static bool is_said(const Why *why, const char *text)
{
    for (size_t i = 0; i < why->count; i++)
        if (strstr(why->texts[i], text))
            return true;
    return false;
}

static void add(Why *why, Draft *cause, const char *text)
{
    if (str_empty(text) || why->count == CAUSES_MAX || is_said(why, text))
        return;
    why->texts[why->count++] = text;
    draft_set(cause, str("text", text));
    draft_push(why->causes, cause);
}

static void add_plain(Why *why, const char *about, const char *since, const char *text)
{
    add(why, draft(why->seen->arena, str("about", about), str("since", since)), text);
}

/* What seid itself tells. */
static void add_advised(Why *why, const char *text, const char *since, const char *advice)
{
    add(why,
        draft(why->seen->arena, str("about", "seid"), str("advice", advice), str("since", since)),
        text);
}

/* Of a pause that is somebody's run, that. */
static Reason reason_on(const Seen *seen, const Cond *cond)
{
    Reason reason = seen->is_fleet ? fleet_reason_parse(cond->type, cond->reason)
                                   : reason_parse(cond->type, cond->reason);
    const Cond *paused = conds_find(&seen->conds, COND_PAUSED);
    bool is_maintained = paused && str_eq(paused->status, "True")
        && str_eq(paused->reason, reason_text(REASON_MAINTENANCE));

    return reason == REASON_PAUSED && is_maintained ? REASON_MAINTENANCE : reason;
}

#define ONLY_WHEN_SAFE                                                                             \
    "It is a validator: let it run again only when you know that " SIGNS_NOWHERE_ELSE

/* With the caution first, and the command behind it. */
static const char *advice_on_validator(const Seen *seen, Reason reason)
{
    Arena *a = seen->arena;
    const char *advice = reason_advice(reason), *caution = reason_caution(reason);

    switch (reason) {
    case REASON_PAUSED:
        return str_format(a, ONLY_WHEN_SAFE ". Then: kubectl sei unpause node/%s.", seen->ref);
    case REASON_SCALED_BY_HAND:
        return ONLY_WHEN_SAFE ". Then pause and unpause it.";
    case REASON_MAINTENANCE:
        return str_format(a,
            "It is a validator, and signs again by itself when the command has succeeded: start "
            "its key nowhere else. To keep it stopped: kubectl sei pause node/%s.",
            seen->ref);
    case FLEET_REASON_PAUSED:
        return str_format(a,
            "They are validators: let them run again only when you know that none of their keys "
            "signs elsewhere, in no other cluster either: two that sign are slashed and jailed for "
            "good. Then: kubectl sei unpause fleet/%s.",
            seen->ref);
    default:
        return caution ? str_format(a, "%s %s", advice, caution) : advice;
    }
}

/* Nodes that are down for a moment, because their pods are replaced in turn. */
static bool is_of_rollout(const Seen *seen, Reason reason)
{
    return reason == FLEET_REASON_UNAVAILABLE && view_plan_is(seen->plan, "Active")
        && conds_is_true(&seen->conds, COND_ROLLOUT) && !hold_is_set(seen->object);
}

static const char *advice_on(const Seen *seen, const Cond *cond)
{
    Reason reason = reason_on(seen, cond);

    if (reason == REASON_COUNT)
        return NULL;
    if (is_of_rollout(seen, reason))
        return "Wait: the rollout replaces pods in turn. If a node stays unavailable, look at it.";
    if (reason == REASON_PAUSED && view_is_paused_with_fleet(seen))
        return str_format(seen->arena,
            "It is paused with fleet/%s, which would pause it again: unpause that.",
            meta_label(seen->object, LABEL_FLEET));
    return signing_is_validator(seen->object) ? advice_on_validator(seen, reason)
                                              : reason_advice(reason);
}

/* What a condition says; of one that says nothing, its reason. */
static void add_cond(Why *why, const Cond *cond)
{
    Arena *a = why->seen->arena;
    Draft *cause = draft(a,
        str("about", cond->type),
        str("reason", cond->reason),
        str("advice", advice_on(why->seen, cond)),
        str("since", cond->last_transition_time));

    add(why, cause, str_empty(cond->message) ? cond->reason : cond->message);
}

static bool is_one_of(const char *reason, const char *const *reasons)
{
    for (; *reasons; reasons++)
        if (str_eq(reason, *reasons))
            return true;
    return false;
}

static bool is_false(const Cond *cond)
{
    return cond && str_eq(cond->status, "False");
}

/* --- what both have */

static void add_deletion(Why *why)
{
    const Json *object = why->seen->object;

    if (!meta_deleting(object))
        return;
    size_t left = json_count(json_find(object, ".metadata.finalizers"));
    add_plain(why,
        "deletion",
        meta_deletion_timestamp(object),
        left ? "it is being deleted; what goes with it is cleaned up first"
             : "it is being deleted");
}

/* So long nobody need wonder whether there is an operator. */
static const int64_t unseen_ns = 10LL * 1000000000;

static const char *say_unseen(const Seen *seen)
{
    return view_is_younger(json_str(seen->sight, ".now"),
               json_str(seen->object, ".metadata.creationTimestamp"),
               unseen_ns)
        ? "it was made a moment ago, and no operator has looked at it yet"
        : "no operator has looked at it yet: is one running, and does it watch this namespace?";
}

static void add_unseen(Why *why)
{
    const Seen *seen = why->seen;
    int64_t wanted = meta_generation(seen->object);
    int64_t observed = json_int(seen->object, ".status.observedGeneration", -1);

    if (observed >= wanted || meta_deleting(seen->object))
        return;
    add_plain(why,
        "operator",
        observed < 0 ? json_str(seen->object, ".metadata.creationTimestamp") : NULL,
        observed < 0
            ? say_unseen(seen)
            : str_format(seen->arena,
                  "the operator has not looked at the newest edit yet: it has seen generation %lld"
                  " of %lld",
                  (long long)observed,
                  (long long)wanted));
}

static void add_stalled(Why *why)
{
    const Cond *stalled = conds_find(&why->seen->conds, COND_STALLED);

    if (stalled && str_eq(stalled->status, "True"))
        add_cond(why, stalled);
}

static void add_plan(Why *why)
{
    const Seen *seen = why->seen;
    const char *waiting = json_str(seen->plan, ".waiting");
    int64_t number;
    const Json *task = view_current_task(seen->plan, &number);

    if (!view_plan_is(seen->plan, "Active") || !task || (waiting && is_said(why, waiting)))
        return;
    if (!waiting && conds_is_true(&seen->conds, COND_STALLED))
        return;
    long long count = (long long)json_count(json_find(seen->plan, ".tasks"));
    const char *type = json_str(task, ".type"), *kind = json_str(seen->plan, ".kind");
    add_plain(why,
        "plan",
        NULL,
        waiting ? str_format(seen->arena,
                      "plan %s waits in step %lld of %lld: %s",
                      kind ? kind : "?",
                      (long long)number,
                      count,
                      waiting)
                : str_format(seen->arena,
                      "plan %s is at step %lld of %lld, %s",
                      kind ? kind : "?",
                      (long long)number,
                      count,
                      type ? type : "?"));
}

/* It is being worked at, and no plan says why. */
static void add_reconciling(Why *why)
{
    const Cond *cond = conds_find(&why->seen->conds, COND_RECONCILING);

    if (cond && str_eq(cond->status, "True") && !view_plan_is(why->seen->plan, "Active"))
        add_cond(why, cond);
}

/* --- nodes */

/* What Ready says when a better cause is sure to be there. */
static bool is_explained_elsewhere(const Cond *ready)
{
    static const char *const reasons[] = {"Stalled", "Failed", "Initializing", "Updating", NULL};

    return is_one_of(ready->reason, reasons);
}

static void add_failed_update(Why *why)
{
    const Cond *update = conds_find(&why->seen->conds, COND_NODE_UPDATE);

    if (is_false(update) && str_eq(update->reason, "UpdateFailed"))
        add_cond(why, update);
}

static void add_sidecar(Why *why)
{
    const Cond *sidecar = conds_find(&why->seen->conds, COND_SIDECAR_READY);

    if (sidecar && !str_eq(sidecar->status, "True") && !str_eq(sidecar->reason, "NotAsked"))
        add_cond(why, sidecar);
}

/* So long a chain without a block stands still. */
static const int64_t standstill_ns = 60LL * 1000000000;

static bool stands_still(const Seen *seen, const char *block_time)
{
    int64_t now_ns, block_ns;
    const char *now = json_str(seen->sight, ".now");

    return now && block_time && timestamp_parse(now, &now_ns)
        && timestamp_parse(block_time, &block_ns) && now_ns - block_ns >= standstill_ns;
}

/* What seid says of itself explains a pod that is not Ready better than the kubelet can. Of one
 * that is only what must not be overlooked is told. */
static void add_seid(Why *why, bool is_unready)
{
    const Seen *seen = why->seen;
    const Json *pulse = view_pulse(seen, seen->name);
    const char *to, *block_time = json_str(pulse, ".blockTime");
    int64_t lag = view_lag(seen, seen->name, &to);
    bool is_still = stands_still(seen, block_time), follows = json_bool(pulse, ".catchesUp", false);
    const char *whom = str_eq(to, "peers") ? "its peers" : to;

    if (!json_find(pulse, ".height"))
        return;
    if (json_int(pulse, ".peers", -1) == 0)
        add_advised(why, "seid has no peers", NULL, ADVICE_PEERS);
    else if (lag > 0 && follows && is_unready)
        add_advised(why, str_format(seen->arena, "seid catches up with %s", whom), NULL, NULL);
    else if (lag > 0 && is_still && !follows)
        add_advised(why,
            str_format(seen->arena, "seid stands still, behind %s", whom),
            block_time,
            ADVICE_HALTED);
    else if (lag > 0 && is_unready)
        add_advised(why, str_format(seen->arena, "seid is behind %s", whom), NULL, NULL);
    else if (is_still && !follows)
        add_advised(why, "nobody who was asked has a new block", block_time, ADVICE_HALTED);
}

Draft *view_why_node(const Seen *seen, const char *pod_trouble)
{
    Why why = {.seen = seen, .causes = draft_array(seen->arena)};
    const Cond *ready = conds_find(&seen->conds, COND_READY);

    add_deletion(&why);
    add_unseen(&why);
    add_stalled(&why);
    add_plan(&why);
    add_failed_update(&why);
    if (why.count == 0 && ready && !pod_trouble)
        add_seid(&why, is_false(ready));
    if (is_false(ready) && !is_explained_elsewhere(ready))
        add_cond(&why, ready);
    add_plain(&why, "pod", NULL, pod_trouble);
    add_sidecar(&why);
    add_reconciling(&why);
    return why.causes;
}

/* --- fleets */

/* What the table of nodes shows better, or Stalled has said. */
static bool is_shown_elsewhere(const Cond *up_to_date)
{
    static const char *const reasons[] = {
        "RolloutPending", "RolloutFailed", "Held", "IdentityChanged", NULL};

    return is_one_of(up_to_date->reason, reasons);
}

static bool is_told_by_another(const Cond *ready)
{
    static const char *const reasons[] = {"Stalled", "Deleting", NULL};

    return is_one_of(ready->reason, reasons);
}

/* Nodes that are Ready and do not count yet; where all others do there is nothing to look at. */
static void add_settling(Why *why)
{
    const Seen *seen = why->seen;
    const Json *child;
    int64_t count = 0, unready = 0, longest_s = 0;

    json_each(child, json_find(seen->sight, ".children")) {
        Conds conds;
        conds_decode(json_find(child, ".status.conditions"), &conds);
        int64_t left_s = view_settles_s(seen, &conds);
        count += left_s > 0;
        unready += !conds_is_true(&conds, COND_READY);
        longest_s = left_s > longest_s ? left_s : longest_s;
    }
    if (count == 0)
        return;
    add(why,
        draft(seen->arena,
            str("about", "minReadySeconds"),
            str("advice", unready ? NULL : "Nothing: time does it.")),
        str_format(seen->arena,
            "%lld %s Ready, and count%s as available when %s been for minReadySeconds (%s): %s in "
            "%s",
            (long long)count,
            count == 1 ? "node is" : "nodes are",
            count == 1 ? "s" : "",
            count == 1 ? "it has" : "they have",
            view_duration(seen->arena, view_min_ready_s(seen)),
            count == 1 ? "that is" : "the last one",
            view_duration(seen->arena, longest_s)));
}

#define HOLD_TEXT                                                                                  \
    "spec.updateStrategy.hold is true: no node is updated until a person resumes the fleet"

/* What is worse brings an advice of its own, and the first one is shown. */
static void add_hold(Why *why, const Cond *ready)
{
    bool is_well =
        ready && str_eq(ready->status, "True") && !conds_is_true(&why->seen->conds, COND_STALLED);

    add(why,
        draft(why->seen->arena,
            str("about", "hold"),
            str("advice",
                is_well ? "Remove `updateStrategy.hold` when nodes are to be updated again."
                        : NULL)),
        HOLD_TEXT);
}

Draft *view_why_fleet(const Seen *seen)
{
    Why why = {.seen = seen, .causes = draft_array(seen->arena)};
    const Cond *ready = conds_find(&seen->conds, COND_READY);
    const Cond *rollout = conds_find(&seen->conds, COND_ROLLOUT);
    const Cond *up_to_date = conds_find(&seen->conds, COND_UP_TO_DATE);
    bool is_held = is_false(ready) && str_eq(ready->reason, "Held");

    add_deletion(&why);
    if (!is_held && hold_is_set(seen->object))
        add_hold(&why, ready);
    add_unseen(&why);
    add_stalled(&why);
    if (is_held)
        add_cond(&why, ready);
    else
        add_plan(&why);
    bool is_told = json_str(seen->plan, ".waiting") && why.count > 0;
    if (is_false(ready) && !is_held && !meta_deleting(seen->object))
        add_settling(&why);
    if (is_false(ready) && !is_told && !is_told_by_another(ready))
        add_cond(&why, ready);
    if (rollout && str_eq(rollout->reason, "RollingBack"))
        add_cond(&why, rollout);
    if (!is_false(ready) || meta_deleting(seen->object))
        add_reconciling(&why);
    if (is_false(up_to_date) && !is_shown_elsewhere(up_to_date))
        add_cond(&why, up_to_date);
    return why.causes;
}
