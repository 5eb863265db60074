/* The conditions of a fleet that tools read. What surprises: a fleet that nothing moves any more
 * and that has nodes which need a person is Stalled itself, since waiting for it would never end.
 */
#include "sei/plan/fleet_conditions.h"

#include "base/str.h"
#include "sei/plan/fleet_parts.h"
#include "sei/plan/fleet_says.h"

enum { MESSAGE_MAX = 1024 };

void fleet_says(FleetSays *t, const char *status, Reason reason, const char *message)
{
    const Cond cond = {
        .type = reason_condition(reason),
        .status = status,
        .reason = reason_text(reason),
        .message = message ? str_cut(t->a, message, MESSAGE_MAX) : "",
        .observed_generation = t->fleet->generation,
    };
    conds_set(t->a, &t->status->conds, &cond, t->s->now);
}

void fleet_says_again(FleetSays *t, const char *type)
{
    conds_keep(t->a, &t->status->conds, type, t->fleet->generation, t->s->now);
}

/* --- what goes on --- */

static bool is_founding(const FleetSays *t)
{
    return t->fleet->spec.genesis.is_set
        && !conds_is_true(&t->status->conds, COND_GENESIS_COMPLETE);
}

static bool has_plan(const FleetSays *t)
{
    return t->status->has_plan && t->status->plan.phase == PLAN_ACTIVE;
}

/* On hold only what is on its way already moves. */
static bool is_held(const FleetSays *t)
{
    return t->fleet->spec.strategy.hold && count_children(t, child_is_pending) > 0;
}

static bool is_rolling(const FleetSays *t)
{
    return has_plan(t) && !is_held(t);
}

/* Something is done by the operator, or comes by itself. */
static bool is_moving(const FleetSays *t)
{
    if (!t->is_decided || t->fleet->spec.paused)
        return false;
    return t->progress->waits || t->progress->child_written || is_rolling(t) || is_founding(t)
        || missing_children(t) > 0 || surplus_children(t) > 0
        || count_children(t, child_is_awaited) > 0 || count_children(t, child_will_follow) > 0
        || count_children(t, child_is_unheard) > 0;
}

/* --- Stalled --- */

/* A ceremony that will not be tried again. */
static Reason founding_stall(const FleetSays *t)
{
    const FleetSaying *founding = &t->progress->founding;

    if (!founding->status || !is_founding(t))
        return REASON_COUNT;
    switch (founding->reason) {
    case FLEET_REASON_CEREMONY_INVALID:
        return FLEET_REASON_INVALID_SPEC;
    case FLEET_REASON_CEREMONY_ENDED:
        return FLEET_REASON_CEREMONY_FAILED;
    default:
        return REASON_COUNT;
    }
}

/* Why only a person can go on; REASON_COUNT: that is not so. */
static Reason stall_of(const FleetSays *t)
{
    Reason told = fleet_reason_parse(COND_STALLED, t->progress->reason);

    if (told != REASON_COUNT && told != FLEET_REASON_NOT_STALLED)
        return told;
    if (founding_stall(t) != REASON_COUNT)
        return founding_stall(t);
    if (t->d->stall)
        return t->d->stall_reason;
    if (t->status->phase == FLEET_FAILED)
        return FLEET_REASON_NODES_STALLED;
    if (is_moving(t) || t->progress->waiting || !t->is_decided || t->fleet->spec.paused)
        return REASON_COUNT;
    return count_children(t, child_is_stuck) ? FLEET_REASON_NODES_STALLED : REASON_COUNT;
}

static bool is_stalled(const FleetSays *t)
{
    return stall_of(t) != REASON_COUNT;
}

/* Its turn had come before this moment, and it is not on the target. */
static bool is_unwritten(const FleetSays *t, size_t child)
{
    const char *written_at = plan_fleet_written_at(t->status, t->s->children[child].node);

    return child_is_pending(t, child) && written_at && !str_eq(written_at, t->s->now);
}

static const char *quote_server(const FleetSays *t, size_t child)
{
    const char *name = t->s->children[child].node->key.name;
    const char *words = plan_fleet_unwritten_words(t->status, name);

    return words ? str_format(t->a, "%s (%s)", name, words) : name;
}

static const char *person_text(const FleetSays *t, ChildQuestion *is)
{
    return str_format(t->a, "only a person can go on with %s", quote_children(t, is));
}

static const char *stuck_text(const FleetSays *t)
{
    return person_text(t, child_is_stuck);
}

/* Who holds a rollout up is named, in his own words. */
static const char *deadline_text(const FleetSays *t)
{
    const char *down = quote_children(t, child_is_unavailable);
    const char *unwritten = enumerate_children(t, is_unwritten, quote_server);

    const char *text = str_format(t->a,
        "%s%s%s%s%s",
        t->d->stall,
        *unwritten ? "; could not be written: " : "",
        unwritten,
        *down ? "; not available: " : "",
        down);
    if (!*down && count_children(t, child_is_stuck) > 0)
        return str_format(t->a, "%s; %s", text, stuck_text(t));
    return text;
}

static const char *stall_text(const FleetSays *t, Reason reason)
{
    if (reason == FLEET_REASON_STALLED_DEADLINE && t->d->stall)
        return deadline_text(t);
    if (reason == FLEET_REASON_NODES_STALLED)
        return stuck_text(t);
    if (t->progress->reason && str_eq(t->progress->reason, reason_text(reason)))
        return t->progress->waiting;
    if (reason == founding_stall(t))
        return t->progress->founding.message;
    return t->d->stall;
}

static void say_stalled(FleetSays *t)
{
    Reason reason = stall_of(t);

    if (reason == REASON_COUNT)
        fleet_says(t, "False", FLEET_REASON_NOT_STALLED, "nothing needs a person");
    else
        fleet_says(t, "True", reason, stall_text(t, reason));
}

/* --- Reconciling --- */

/* It would be written if fewer were down. */
static bool is_kept_by_others(const FleetSays *t, size_t child)
{
    return t->d->verdicts[child] == BATCH_DOWN;
}

static bool is_taken_out(const FleetSays *t, size_t child)
{
    return t->s->children[child].health.paused && child_is_unavailable(t, child);
}

/* Which comes back by itself when the command has succeeded. */
static bool is_maintained(const FleetSays *t, size_t child)
{
    return t->s->children[child].node->in_maintenance;
}

/* A rollout in which nothing moves: who is in its way, in words, or NULL. */
static const char *rollout_obstacle(const FleetSays *t)
{
    if (count_children(t, child_is_stuck) > 0)
        return stuck_text(t);
    if (count_children(t, is_kept_by_others) > 0 && count_children(t, is_taken_out) > 0
        && count_children(t, is_maintained) == 0)
        return person_text(t, is_taken_out);
    return NULL;
}

const char *plan_fleet_waiting(
    Arena *a, const FleetSnapshot *s, const FleetDecision *d, const char **reason)
{
    FleetSays t = {.a = a, .s = s, .d = d, .fleet = s->fleet};

    if (count_children(&t, child_is_awaited) > 0)
        return str_format(a, "waits for %s", quote_children(&t, child_is_awaited));
    if (surplus_children(&t) > 0)
        return str_format(
            a, "waits for %lld nodes beyond the replicas to go", (long long)surplus_children(&t));
    if (count_children(&t, child_will_follow) > 0)
        return str_format(
            a, "waits for the pods of %s to follow", name_children(&t, child_will_follow));
    if (count_children(&t, child_is_unheard) > 0)
        return str_format(a, "waits for a look at %s", name_children(&t, child_is_unheard));
    const char *obstacle = d->status.has_plan ? rollout_obstacle(&t) : NULL;
    if (obstacle)
        *reason = reason_text(FLEET_REASON_AWAITS_PERSON);
    return obstacle;
}

/* What is being done, without what it waits for: that is told once it has lasted. */
static const char *deed(const FleetSays *t)
{
    if (is_founding(t))
        return "the nodes found their chain";
    if (is_rolling(t))
        return "a rollout is under way";
    if (missing_children(t) > 0)
        return "nodes are being made";
    if (surplus_children(t) > 0)
        return "nodes beyond the replicas are being deleted";
    return "nodes are yet to be available, or their pods to follow what they ask for";
}

static void say_reconciling(FleetSays *t)
{
    Reason told = fleet_reason_parse(COND_RECONCILING, t->progress->reason);

    if (is_stalled(t))
        fleet_says(t, "False", FLEET_REASON_SETTLED, "see the condition Stalled");
    else if (t->fleet->spec.paused)
        fleet_says(t, "False", FLEET_REASON_SETTLED, "the fleet is paused");
    else if (t->progress->waiting)
        fleet_says(t,
            "True",
            told == REASON_COUNT ? FLEET_REASON_PROGRESSING : told,
            t->progress->waiting);
    else if (is_moving(t))
        fleet_says(t, "True", FLEET_REASON_PROGRESSING, deed(t));
    else if (is_held(t))
        fleet_says(t, "False", FLEET_REASON_SETTLED, "updateStrategy.hold is set");
    else
        fleet_says(t, "False", FLEET_REASON_SETTLED, "nothing is left to do");
}

/* --- Ready --- */

static void say_not_ready(FleetSays *t, Reason reason, const char *message)
{
    fleet_says(t, "False", reason, message);
}

static bool is_new(const FleetSays *t, size_t child)
{
    return !t->s->children[child].health.once_ready;
}

static void say_unavailable(FleetSays *t)
{
    long long missing = missing_children(t);
    bool is_beginning = missing > 0 || count_children(t, is_new) > 0;
    const char *nodes = quote_children(t, child_is_unavailable);

    say_not_ready(t,
        is_beginning ? FLEET_REASON_INITIALIZING : FLEET_REASON_UNAVAILABLE,
        str_format(t->a,
            "%lld of %lld nodes are available%s%s%s",
            (long long)count_children(t, child_is_available),
            (long long)t->fleet->spec.replicas,
            missing > 0 ? str_format(t->a, "; %lld are yet to be made", missing) : "",
            *nodes ? "; not available: " : "",
            nodes));
}

static void say_pending(FleetSays *t)
{
    const char *nodes = name_children(t, child_is_pending);
    bool is_held = t->fleet->spec.strategy.hold;

    say_not_ready(t,
        is_held ? FLEET_REASON_HELD : FLEET_REASON_ROLLING_OUT,
        str_format(t->a,
            is_held ? "updateStrategy.hold is set, and %s are yet to be updated"
                    : "%s are yet to be updated",
            nodes));
}

/* Of nodes that are settled only those below the partition may have something else. */
static bool is_left_behind(const FleetSays *t, size_t child)
{
    return !t->d->nodes[child].on_target && t->d->verdicts[child] != BATCH_BELOW_PARTITION;
}

/* Nodes need a person, and something else still moves: else the fleet would be Stalled. */
static void say_stuck(FleetSays *t)
{
    bool rolls = has_plan(t) || count_children(t, child_is_pending) > 0;

    say_not_ready(t, rolls ? FLEET_REASON_ROLLING_OUT : FLEET_REASON_UNAVAILABLE, stuck_text(t));
}

static void say_ready(FleetSays *t)
{
    if (t->fleet->spec.paused)
        say_not_ready(t, FLEET_REASON_PAUSED, "spec.paused is true");
    else if (is_stalled(t) || !t->is_decided)
        say_not_ready(t, FLEET_REASON_STALLED, "see the condition Stalled");
    else if (missing_children(t) > 0 || count_children(t, child_is_unavailable) > 0)
        say_unavailable(t);
    else if (count_children(t, child_is_stuck) > 0)
        say_stuck(t);
    else if (count_children(t, child_is_pending) > 0)
        say_pending(t);
    else if (is_founding(t) || has_plan(t) || count_children(t, is_left_behind) > 0)
        say_not_ready(
            t, is_founding(t) ? FLEET_REASON_INITIALIZING : FLEET_REASON_ROLLING_OUT, deed(t));
    else
        fleet_says(t,
            "True",
            FLEET_REASON_ALL_READY,
            str_format(t->a, "all %lld nodes are available", (long long)t->fleet->spec.replicas));
}

/* --- Available, Paused --- */

static void say_available(FleetSays *t)
{
    const FleetSpec *spec = &t->fleet->spec;
    int64_t budget = batch_budget(&spec->strategy, spec->replicas, t->d->batch.validators);
    int64_t needed = spec->replicas - budget;
    int64_t available = count_children(t, child_is_available);

    if (!t->is_decided) {
        fleet_says(t, "Unknown", FLEET_REASON_NOT_COUNTED, "the spec could not be read");
        return;
    }
    if (needed < 1)
        needed = spec->replicas > 0;
    fleet_says(t,
        available >= needed ? "True" : "False",
        available >= needed ? FLEET_REASON_MINIMUM : FLEET_REASON_NO_MINIMUM,
        str_format(t->a,
            "%lld of %lld nodes are available, and %lld are needed (the replicas less "
            "maxUnavailable, and at least one)",
            (long long)available,
            (long long)spec->replicas,
            (long long)needed));
}

/* A pause has ended when all nodes have been told so, or one could not be for too long. */
static bool is_resuming(const FleetSays *t)
{
    if (!t->is_decided)
        return conds_is_true(&t->fleet->status.conds, COND_PAUSED);
    return t->d->resuming && t->progress->child_unwritten;
}

/* No condition tells when that began: none has to change with it. */
static void note_resuming(FleetSays *t)
{
    const char *before = t->fleet->status.resuming_since;
    bool is_counted = t->is_decided && is_resuming(t);

    t->status->resuming_since = is_counted ? (before ? before : t->s->now) : NULL;
}

static void say_paused(FleetSays *t)
{
    if (t->fleet->spec.paused)
        fleet_says(t, "True", FLEET_REASON_IS_PAUSED, "spec.paused is true, and all nodes stop");
    else if (is_resuming(t))
        fleet_says(t,
            "True",
            FLEET_REASON_IS_PAUSED,
            "spec.paused unset or false, and nodes are yet to be resumed");
    else
        fleet_says(t, "False", FLEET_REASON_NOT_PAUSED, "spec.paused unset or false");
}

/* --- all of them --- */

void plan_fleet_conditions(Arena *a, const FleetSnapshot *s, const FleetDecision *d,
    const FleetProgress *progress, FleetStatus *status)
{
    FleetSays t = {
        .a = a,
        .s = s,
        .d = d,
        .progress = progress,
        .status = status,
        .fleet = s->fleet,
        .is_decided = d->target != NULL,
    };

    status->observed_generation = s->fleet->generation;
    fleet_says_as_reference(&t); /* first: whether the chain is founded is read by the others */
    say_ready(&t);
    say_reconciling(&t);
    say_stalled(&t);
    fleet_says_up_to_date(&t);
    say_available(&t);
    say_paused(&t);
    note_resuming(&t);
    status->state = condition_state(&status->conds);
}

void plan_fleet_ending(Arena *a, const Fleet *fleet, const char *now, FleetStatus *status)
{
    FleetSnapshot s = {.fleet = fleet, .now = now};
    FleetSays t = {.a = a, .s = &s, .fleet = fleet, .status = status};

    status->observed_generation = fleet->generation;
    say_not_ready(&t, FLEET_REASON_DELETING, "the fleet is being deleted");
    fleet_says(&t,
        "True",
        FLEET_REASON_PROGRESSING,
        "the fleet is being deleted, and goes when all that goes with it is gone");
    fleet_says(&t, "False", FLEET_REASON_NOT_STALLED, "nothing needs a person");
    for (size_t i = 0; i < status->conds.count; i++)
        fleet_says_again(&t, status->conds.items[i].type);
    status->state = condition_state(&status->conds);
}
