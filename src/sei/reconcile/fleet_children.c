/* The children of a fleet: each brought to what it may be now.
 *
 * Missing ones are made, orphans of this name are taken, what no pod is replaced for is written at
 * once; of a template of another chain or mode nothing is. What pods are replaced for is written
 * where the decision says BATCH_WRITE, and where it is what the pod has: every other child is
 * rendered from itself in that respect. */
#include "sei/reconcile/fleet_parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/reconcile/fleet_revisions.h"
#include "sei/reconcile/fleet_telling.h"
#include "sei/reconcile/fleet_write.h"
#include "sei/render/child_node.h"

enum {
    FOREIGN_LOOK_MS = 30000,
    SCRATCH_MAX = 16 << 20, /* what is rendered of one child */
};

/* The child of an ordinal as it should be, made from a revision (see ChildSource). */
static const Json *child_wanted(
    const FleetPass *p, Arena *a, int64_t ordinal, const Json *child, const Json *revision)
{
    ChildSource source = {.ordinal = ordinal, .child = child, .revision = revision};

    return render_child_node(a, &p->fleet, p->app->settings, &source);
}

/* The child as it is, under a fleet whose template is the child: a pause, the policy of volumes and
 * an address reach it, and nothing of the template. */
static Err *wanted_as_it_is(
    FleetPass *p, int64_t ordinal, const Json *trimmed, const Json **ret_wanted)
{
    const Json *object;

    TRY(kube_find(p->c, kind_seinode, meta_key(trimmed), &object));
    if (!object || !str_eq(meta_uid(object), meta_uid(trimmed)))
        return err_wait(p->c->arena, "SeiNode %s is gone", meta_name(trimmed));
    ChildSource source = {.ordinal = ordinal, .child = object, .revision = object};
    SeiNode *node = arena_new(p->c->arena, SeiNode);
    Fleet *fleet = arena_new(p->c->arena, Fleet);

    TRY(node_decode(p->c->arena, object, node));
    *fleet = p->fleet;
    fleet->spec.template = object;
    fleet->spec.labels = json_find(object, ".metadata.labels");
    fleet->spec.node = node->spec;
    *ret_wanted = render_child_node(p->c->arena, fleet, p->app->settings, &source);
    return OK;
}

/* The template of a revision; NULL for the fleet's own, as it is. */
static Err *template_of(FleetPass *p, const char *revision, const Json **ret)
{
    *ret = NULL;
    if (!revision || str_eq(revision, p->snapshot.revision))
        return OK;
    return read_revision(p, revision, ret);
}

static void keep_first(Err **first, Err *err)
{
    if (!*first)
        *first = err;
}

/* --- making ------------------------------------------------------------------------------------
 */

static Err *make_child(FleetPass *p, int64_t ordinal)
{
    const char *name = fleet_child_name(p->c->arena, p->fleet.key.name, ordinal);
    SCOPED_ARENA scratch = arena_open(SCRATCH_MAX);
    const Json *template;

    TRY(template_of(p, plan_fleet_made_from(&p->decision, name), &template));
    TRY(create_child(p, child_wanted(p, scratch, ordinal, NULL, template)));
    fleet_telling_child(p->c, &p->fleet, FLEET_TIDINGS_CHILD_CREATED, name);
    return OK;
}

/* One that cannot be made, taken or written does not keep the others from it; here and below. */
static Err *make_missing(FleetPass *p)
{
    Err *first = OK;

    for (size_t i = 0; i < p->scale.create_count; i++)
        keep_first(&first, make_child(p, p->scale.create[i]));
    return first;
}

/* --- changing ----------------------------------------------------------------------------------
 */

static Err *take_orphan(FleetPass *p, const FleetMember *member)
{
    SCOPED_ARENA scratch = arena_open(SCRATCH_MAX);
    const Json *wanted = child_wanted(p, scratch, member->ordinal, member->object, member->object);

    if (member->other)
        TRY(wanted_as_it_is(p, member->ordinal, member->object, &wanted));
    return write_child(p, member->object, wanted, false);
}

/* Those that a fleet of this name has let go, and nobody else has taken. */
static Err *take_orphans(FleetPass *p)
{
    Err *first = OK;

    for (size_t i = 0; i < p->member_count; i++) {
        const FleetMember *member = &p->members[i];
        if (member->orphan && member->ordinal < p->fleet.spec.replicas
            && !meta_deleting(member->object))
            keep_first(&first, take_orphan(p, member));
    }
    return first;
}

/* It keeps its revision, and somebody else has written another. */
static bool is_taken_back(const FleetPass *p, size_t i)
{
    return p->decision.verdicts[i] == BATCH_BELOW_PARTITION && p->children[i].health.awaits;
}

/* In whose likeness a child is rendered: in its own, unless its turn has come. */
static Err *likeness(FleetPass *p, size_t i, const Json **ret)
{
    const FleetDecision *d = &p->decision;
    const SeiNode *node = p->children[i].node;

    *ret = node->object;
    if (d->frozen)
        return OK;
    if (is_taken_back(p, i))
        return template_of(p, plan_fleet_made_from(d, node->key.name), ret);
    return d->verdicts[i] == BATCH_WRITE ? template_of(p, d->target, ret) : OK;
}

/* A child in its own likeness, unless this very version of it was found right by this very fleet:
 * most of them, most of the time. It is rendered from what the finding is about and nothing else.
 */
static Err *keep_likeness(FleetPass *p, size_t i)
{
    const Json *child = p->children[i].node->object;
    ChildSource source = {
        .ordinal = p->children[i].health.ordinal,
        .child = child,
        .revision = child,
        .keeps_restart = p->decision.target_is_complete_revision,
    };
    App *app = p->app;

    guard_enter(app->guard);
    bool is_right = likenesses_has(app->likenesses, &p->source, source.ordinal, child);
    guard_leave(app->guard);
    if (is_right)
        return OK;
    SCOPED_ARENA scratch = arena_open(SCRATCH_MAX);
    const Json *wanted = render_child_node(scratch, &p->source.fleet, app->settings, &source);
    if (!child_is_right(scratch, child, wanted))
        return write_child(p, child, wanted, false);
    guard_enter(app->guard);
    likenesses_note(app->likenesses, &p->source, source.ordinal, child);
    guard_leave(app->guard);
    return OK;
}

/* The pod was made from this, as the node has recorded it: by a roll, or when it was taken over. */
static bool pod_is_of(Arena *a, const SeiNode *node, const Json *wanted)
{
    SeiNode *as_wanted = arena_new(a, SeiNode);
    const char *restart = meta_annotation(wanted, ANNOTATION_RESTARTED_AT);

    *as_wanted = *node;
    if (restart)
        as_wanted->wishes.restarted_at = restart;
    return node->status.spec_hash && !node_spec_decode(a, wanted, &as_wanted->spec)
        && str_eq(node->status.spec_hash, node_spec_hash(a, as_wanted));
}

/* Its pod has what it had been let roll to: to be given that again takes no budget. One that was
 * taken over was let by nobody yet. */
static bool stops_nobody(Arena *a, const SeiNode *node, const Json *wanted)
{
    if (!node->released_spec)
        return pod_is_of(a, node, wanted);
    return str_eq(meta_annotation(wanted, ANNOTATION_RELEASED_SPEC), node->released_spec);
}

/* Something of the fleet itself is to reach the child. */
static bool is_called_for(const FleetPass *p, const SeiNode *node)
{
    bool retains = str_eq(meta_annotation(node->object, ANNOTATION_VOLUME_POLICY), "Retain");

    return p->fleet.spec.paused || p->decision.resuming || retains != p->fleet.spec.retains;
}

/* The template is not for the nodes there are. */
static Err *keep_as_it_is(FleetPass *p, size_t i)
{
    const SeiNode *node = p->children[i].node;
    const Json *wanted;

    if (!is_called_for(p, node))
        return OK;
    TRY(wanted_as_it_is(p, p->children[i].health.ordinal, node->object, &wanted));
    return write_child(p, node->object, wanted, false);
}

static Err *change_child(FleetPass *p, size_t i)
{
    const SeiNode *node = p->children[i].node;
    const Json *revision;

    if (node->deleting || p->children[i].health.ordinal >= p->fleet.spec.replicas)
        return OK;
    if (p->decision.other)
        return keep_as_it_is(p, i);
    TRY(likeness(p, i, &revision));
    if (revision == node->object)
        return keep_likeness(p, i);
    SCOPED_ARENA scratch = arena_open(SCRATCH_MAX);
    const Json *wanted =
        child_wanted(p, scratch, p->children[i].health.ordinal, node->object, revision);
    if (is_taken_back(p, i) && !stops_nobody(scratch, node, wanted))
        return keep_likeness(p, i);
    return write_child(p, node->object, wanted, true);
}

/* It was to be written before, too, and nothing came of it: why is kept where the rollout is told.
 */
static void note_unwritten(FleetPass *p, size_t i, const Err *err)
{
    const FleetDecision *d = &p->decision;
    const char *name = p->children[i].node->key.name;
    const RolloutNode *before = NULL;

    for (size_t j = 0; j < p->fleet.status.rollout.node_count; j++)
        if (str_eq(p->fleet.status.rollout.nodes[j].name, name))
            before = &p->fleet.status.rollout.nodes[j];
    const char *words = err_text(p->c->arena, err);
    if (d->frozen || err_is(err, ERR_WAIT) || !before)
        return;
    if (d->verdicts[i] == BATCH_PAUSED)
        plan_fleet_note_unresumed(p->c->arena, &p->decision, name, words);
    else if (d->verdicts[i] == BATCH_WRITE && before->state == ROLLOUT_UPDATING)
        plan_fleet_note_unwritten(p->c->arena, &p->decision, name, words);
}

static bool is_of_batch(const FleetPass *p, size_t i)
{
    return !p->decision.frozen && p->decision.verdicts[i] == BATCH_WRITE;
}

static Err *change_some(FleetPass *p, bool of_batch)
{
    Err *first = OK;

    for (size_t i = 0; i < p->snapshot.count; i++) {
        Err *err = is_of_batch(p, i) == of_batch ? change_child(p, i) : OK;
        if (err)
            note_unwritten(p, i, err);
        keep_first(&first, err);
    }
    return first;
}

/* Whose turn it is comes first: to find that the others are right takes longer than a write. */
static Err *change_children(FleetPass *p)
{
    TRY(likenesses_source(p->c->arena, &p->fleet, &p->source));
    Err *of_batch = change_some(p, true), *of_rest = change_some(p, false);
    Err *first = of_batch ? of_batch : of_rest;

    p->progress.child_unwritten = first != OK;
    return first;
}

/* --- scaling down ------------------------------------------------------------------------------
 */

/* Also one whose ordinal is beyond those that a fleet can have. */
static Err *remove_surplus(FleetPass *p)
{
    for (size_t i = 0; i < p->member_count; i++) {
        const FleetMember *member = &p->members[i];
        const char *name = meta_name(member->object);
        if (!member->ours || member->ordinal != p->scale.remove)
            continue;
        TRY(drop_endpoint(p, name));
        TRY(kube_delete(p->c, kind_seinode, member->object, (DeleteOptions){0}));
        fleet_telling_child(p->c, &p->fleet, FLEET_TIDINGS_CHILD_DELETED, name);
    }
    return OK;
}

void show_foreign(FleetPass *p)
{
    for (size_t i = 0; i < p->member_count; i++) {
        const FleetMember *member = &p->members[i];
        const Json *controller = meta_controller(member->object);
        if (member->ours || member->orphan || member->ordinal >= p->fleet.spec.replicas)
            continue;
        Err *err = err_wait(p->c->arena,
            "SeiNode %s %s%s%s: it is left alone; delete it, or give this fleet another name",
            meta_name(member->object),
            controller ? "belongs to " : "is not labelled as this fleet's",
            controller ? json_str(controller, ".kind") : "",
            controller ? str_format(p->c->arena, " %s", json_str(controller, ".name")) : "");
        err->reason = reason_text(FLEET_REASON_FOREIGN_OBJECT);
        fleet_show(p, err);
        fleet_look_again(p, FOREIGN_LOOK_MS); /* its labels say who hears of its end */
    }
}

/* What cannot be done does not keep the rest from being done. */
Err *keep_children(FleetPass *p)
{
    Err *(*const steps[])(FleetPass *) = {
        make_missing, take_orphans, change_children, remove_surplus};
    Err *first = OK;

    if (p->fleet.spec.paused)
        return change_children(p);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        keep_first(&first, steps[i](p));
    return first;
}
