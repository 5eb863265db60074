/* UpToDate of a fleet: whether every node has what the template asks for, and if not, which class
 * of difference it is. A difference that is wanted (a partition, a hold) is told like any other. */
#include "base/str.h"
#include "sei/api/fleet_admission.h"
#include "sei/plan/explain.h"
#include "sei/plan/fleet_says.h"
#include "sei/plan/parts.h"

static bool is_of_the_template(const FleetSays *t, size_t child)
{
    return str_eq(t->s->children[child].revision, t->s->revision);
}

static bool is_below_partition(const FleetSays *t, size_t child)
{
    return t->d->verdicts[child] == BATCH_BELOW_PARTITION;
}

static bool is_skipped(const FleetSays *t, size_t child)
{
    return t->d->verdicts[child] == BATCH_PAUSED && !t->d->nodes[child].on_target;
}

/* Taken over as it was: on the target, and different all the same. */
static bool is_adopted(const FleetSays *t, size_t child)
{
    return t->d->nodes[child].on_target && !t->d->target_is_complete_revision
        && !is_of_the_template(t, child);
}

/* The fields of the first that differs: the others differ alike, as a rule. */
static const char *adopted_fields(const FleetSays *t)
{
    for (size_t i = 0; i < t->s->count; i++) {
        if (!child_counts(t, i) || !is_adopted(t, i))
            continue;
        Drift *drift = arena_new(t->a, Drift);
        plan_explain(t->a,
            json_member(t->s->children[i].node->object, "spec"),
            json_member(t->fleet->spec.template, "spec"),
            drift);
        return plan_drift_text(t->a, drift);
    }
    return "";
}

static void say_adopted(FleetSays *t)
{
    const char *fields = adopted_fields(t);

    fleet_says(t,
        "False",
        FLEET_REASON_ADOPTED_DRIFT,
        str_format(t->a,
            "taken over as they were, and rolled with the next edit of the template: %s%s%s",
            name_children(t, is_adopted),
            *fields ? "; they differ in " : "",
            fields));
}

static void say_pending(FleetSays *t)
{
    const char *nodes = name_children(t, child_is_pending);

    if (t->fleet->spec.paused)
        fleet_says(t, "False", FLEET_REASON_PAUSED_BACK, nodes);
    else if (t->fleet->spec.strategy.hold)
        fleet_says(t, "False", FLEET_REASON_HELD_BACK, nodes);
    else
        fleet_says(t,
            "False",
            FLEET_REASON_ROLLOUT_PENDING,
            str_format(t->a, "yet to be updated: %s", nodes));
}

/* Whoever wrote it there waits for pods to stop. */
static const char *ignored_pause(const FleetSays *t)
{
    return t->fleet->spec.node.paused
        ? "; spec.template.spec.paused is ignored: to stop the nodes set spec.paused of the fleet, "
          "or that of a single SeiNode"
        : "";
}

static bool is_admitted(const FleetSays *t, size_t child)
{
    return fleet_admission_asked(t->a, t->s->children[child].node) != NULL;
}

static const char *quote_admission(const FleetSays *t, size_t child)
{
    const SeiNode *node = t->s->children[child].node;

    return str_format(t->a, "%s (%s)", node->key.name, fleet_admission_text(t->a, node));
}

static const char *admitted(const FleetSays *t)
{
    const char *nodes = enumerate_children(t, is_admitted, quote_admission);

    return *nodes ? str_format(t->a, "; changed by an admission policy or webhook: %s", nodes) : "";
}

void fleet_says_up_to_date(FleetSays *t)
{
    if (!t->is_decided || t->s->count == 0)
        fleet_says(t, "Unknown", FLEET_REASON_UNKNOWN_YET, "there are no nodes to look at");
    else if (t->d->other)
        fleet_says(t, "False", FLEET_REASON_IDENTITY_BACK, fleet_identity_text(t));
    else if (t->d->stall && t->d->stall_reason == FLEET_REASON_STALLED_DEADLINE)
        fleet_says(t, "False", FLEET_REASON_FAILED_BACK, t->d->stall);
    else if (count_children(t, child_is_pending) > 0)
        say_pending(t);
    else if (count_children(t, is_below_partition) > 0)
        fleet_says(t,
            "False",
            FLEET_REASON_PARTITION,
            str_format(t->a,
                "below updateStrategy.partition, and kept as they are: %s",
                name_children(t, is_below_partition)));
    else if (count_children(t, is_skipped) > 0)
        fleet_says(t,
            "False",
            FLEET_REASON_NODES_SKIPPED,
            str_format(t->a,
                "paused, and updated when they no longer are: %s",
                name_children(t, is_skipped)));
    else if (count_children(t, is_adopted) > 0)
        say_adopted(t);
    else if (count_children(t, child_refuses) > 0)
        fleet_says(t,
            "False",
            FLEET_REASON_NODE_DRIFT,
            str_format(t->a,
                "they refuse what the template asks for: %s",
                name_children(t, child_refuses)));
    else if (count_children(t, child_drifts) > 0)
        fleet_says(t,
            "False",
            FLEET_REASON_NODE_DRIFT,
            str_format(t->a, "their pods are yet to follow: %s", name_children(t, child_drifts)));
    else
        fleet_says(t,
            "True",
            FLEET_REASON_UP_TO_DATE,
            str_format(t->a,
                "every node has what the template asks for%s%s",
                admitted(t),
                ignored_pause(t)));
}
