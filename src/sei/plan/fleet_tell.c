/* What is said of each node of a fleet. The revision of a node is a record, not an observation: it
 * is written when the node reaches the target, and kept when somebody else edits the node. */
#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/api/fleet_hash.h"
#include "sei/plan/fleet_parts.h"

#include <string.h>

FleetNode plan_fleet_recorded(const FleetStatus *status, const char *name)
{
    for (size_t i = 0; i < status->node_count; i++)
        if (str_eq(status->nodes[i].name, name))
            return status->nodes[i];
    return (FleetNode){0};
}

static const RolloutNode *find_rollout_node(const FleetStatus *status, const char *name)
{
    for (size_t i = 0; i < status->rollout.node_count; i++)
        if (str_eq(status->rollout.nodes[i].name, name))
            return &status->rollout.nodes[i];
    return NULL;
}

/* One that was made after that is another node of this name. */
static bool is_another(const SeiNode *child, const char *written_at)
{
    const char *made = json_str(child->object, ".metadata.creationTimestamp");
    int64_t made_ns, written_ns;

    return timestamp_parse(made, &made_ns) && timestamp_parse(written_at, &written_ns)
        && made_ns > written_ns;
}

const char *plan_fleet_written_at(const FleetStatus *status, const SeiNode *child)
{
    const RolloutNode *node = find_rollout_node(status, child->key.name);

    return node && !is_another(child, node->updated_at) ? node->updated_at : NULL;
}

#define UNWRITTEN "could not be written: "

enum { WORDS_MAX = 300 };

static void set_message(Arena *a, FleetDecision *d, const char *name, const char *text)
{
    FleetRollout *rollout = &d->status.rollout;

    for (size_t i = 0; i < rollout->node_count; i++)
        if (str_eq(rollout->nodes[i].name, name))
            rollout->nodes[i].message = str_copy(a, text);
}

void plan_fleet_note_unwritten(Arena *a, FleetDecision *d, const char *name, const char *words)
{
    set_message(a, d, name, str_format(a, UNWRITTEN "%s", str_cut(a, words, WORDS_MAX)));
}

void plan_fleet_note_unresumed(Arena *a, FleetDecision *d, const char *name, const char *words)
{
    set_message(a,
        d,
        name,
        str_format(a,
            "is paused, counts as unavailable, and cannot be written: %s",
            str_cut(a, words, WORDS_MAX)));
}

const char *plan_fleet_unwritten_words(const FleetStatus *status, const char *name)
{
    const RolloutNode *node = find_rollout_node(status, name);
    bool is_unwritten = node && node->message && str_has_prefix(node->message, UNWRITTEN);

    return is_unwritten ? node->message + strlen(UNWRITTEN) : NULL;
}

bool plan_fleet_is_written_again(const FleetPlanning *p, size_t child)
{
    const SeiNode *node = p->s->children[child].node;
    const RolloutNode *record = find_rollout_node(p->status, node->key.name);

    return p->d->verdicts[child] == BATCH_WRITE && plan_fleet_written_at(p->status, node)
        && record->state == ROLLOUT_UPDATING;
}

/* Somebody else has written it, and its pod is as it was. */
static bool is_edited(const FleetChild *child)
{
    return child->node->released_spec && (child->health.awaits || child->health.disturbed)
        && fleet_child_is_unreleased(child->node);
}

/* What the node was given by its fleet: the target, or the one that has just given way to it, of
 * which nothing else will tell. NULL: something else. */
static const char *reached_by(const FleetPlanning *p, const FleetChild *child)
{
    const FleetStatus *stored = &p->fleet->status;
    const char *before = stored->has_plan ? stored->plan.target_hash : NULL;

    if (plan_fleet_has_target(p, child))
        return p->d->target;
    return before && !str_eq(before, p->d->target) && plan_fleet_has_reached(p, child, before)
        ? before
        : NULL;
}

static FleetNode tell_child(const FleetPlanning *p, const FleetStatus *before, size_t i)
{
    const FleetChild *child = &p->s->children[i];
    const char *phase = node_phase_text(child->node->status.phase);
    FleetNode node = plan_fleet_recorded(before, child->node->key.name);

    node.name = child->node->key.name;
    node.phase = str_empty(phase) ? NULL : phase;
    const char *reached = is_edited(child) ? NULL : reached_by(p, child);
    if (reached) {
        node.revision = reached;
        node.adopted = NULL;
    }
    return node;
}

/* One that is made in this moment: on the target, or below the partition on what it was before. */
static FleetNode tell_made(const FleetPlanning *p, const FleetStatus *before, int64_t ordinal)
{
    const char *name = fleet_child_name(p->a, p->fleet->key.name, ordinal);
    const char *kept = plan_fleet_recorded(before, name).revision;
    bool is_kept = kept && ordinal < p->d->strategy.partition;

    return (FleetNode){.name = name, .revision = is_kept ? kept : p->d->target};
}

void plan_fleet_tell_nodes(FleetPlanning *p)
{
    const FleetSnapshot *s = p->s;
    FleetStatus before = *p->status;
    size_t child = 0, made = 0;

    p->status->has_nodes = true;
    p->status->node_count = s->count + s->making_count;
    for (size_t i = 0; i < p->status->node_count; i++) {
        bool is_child = child < s->count
            && (made == s->making_count || s->children[child].health.ordinal < s->making[made]);
        p->status->nodes[i] =
            is_child ? tell_child(p, &before, child++) : tell_made(p, &before, s->making[made++]);
    }
}

const char *plan_fleet_made_from(const FleetDecision *d, const char *name)
{
    return plan_fleet_recorded(&d->status, name).revision;
}

static const char *message_of(FleetPlanning *p, size_t child)
{
    BatchVerdict verdict = p->d->verdicts[child];
    const RolloutNode *before = find_rollout_node(p->status, p->s->children[child].node->key.name);

    if (verdict == BATCH_UPDATED || verdict == BATCH_WRITE)
        return NULL;
    if (verdict == BATCH_HELD && before && plan_fleet_unwritten_words(p->status, before->name))
        return before->message;
    return batch_sentence(p->a, &p->d->batch, child, p->fleet->key.name);
}

/* Else nobody would count how long it takes. */
static bool is_inherited(const FleetPlanning *p, size_t child)
{
    return p->inherits && p->d->verdicts[child] == BATCH_COMING && p->d->nodes[child].once_ready;
}

static void tell_rollout_nodes(FleetPlanning *p)
{
    FleetRollout *rollout = &p->status->rollout;
    FleetRollout told = *rollout;

    told.has_nodes = true;
    told.node_count = p->s->count;
    for (size_t i = 0; i < p->s->count; i++) {
        BatchVerdict verdict = p->d->verdicts[i];
        bool is_new = verdict == BATCH_WRITE && !plan_fleet_is_written_again(p, i);
        const SeiNode *node = p->s->children[i].node;
        const char *updated_at = plan_fleet_written_at(p->status, node);
        told.nodes[i] = (RolloutNode){
            .name = node->key.name,
            .has_state = true,
            .state = batch_state(verdict),
            .updated_at = is_new || is_inherited(p, i) ? p->s->now : updated_at,
            .message = message_of(p, i),
        };
        p->d->writes_anew = p->d->writes_anew || is_new;
    }
    *rollout = told;
}

/* The tasks follow from the nodes; a child that is lost again makes them Pending again. */
static void tell_tasks(FleetPlanning *p)
{
    Plan *plan = &p->status->plan;
    PlannedTask *update = plan_find_task(plan, TASK_UPDATE_NODE_SPECS);
    PlannedTask *await = plan_find_task(plan, TASK_AWAIT_SPEC_UPDATE);

    if (update)
        update->status = plan_fleet_has_pending(p->d) ? TASK_PENDING : TASK_COMPLETE;
    if (await)
        await->status = TASK_PENDING;
}

void plan_fleet_tell_rollout(FleetPlanning *p)
{
    if (p->status->rollout.target_hash)
        tell_rollout_nodes(p);
    if (p->status->has_plan)
        tell_tasks(p);
    if (!plan_fleet_has_failed(p))
        return;
    p->d->stall_reason = FLEET_REASON_STALLED_DEADLINE;
    p->d->stall = str_format(p->a,
        "the rollout of revision %s made no progress for %lld s%s; edit the template, or set the "
        "annotation sei.io/retry to try it again",
        p->s->revision,
        (long long)p->fleet->spec.strategy.progress_deadline_seconds,
        p->d->target_is_complete_revision ? " and was rolled back" : " and is held");
}
