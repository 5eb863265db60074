/* What counts for a fleet, read once from the caches: the SeiNodes that are called as its children
 * are, whose they are, and how they are. */
#include "sei/reconcile/fleet_parts.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/uuid.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/plan/spec_size.h"
#include "sei/render/child_node.h"

enum {
    SCRATCH_MAX = 16 << 20,
    SPEC_BYTES_SURE = 128 << 10, /* of a template: what is added to it cannot make it too large */
};

/* --- whose they are ----------------------------------------------------------------------------
 */

/* Where a member of this ordinal stands or would stand. */
static size_t place_of(const FleetPass *p, int64_t ordinal)
{
    size_t i = p->member_count;

    while (i > 0 && p->members[i - 1].ordinal >= ordinal)
        i--;
    return i;
}

static bool is_member(const FleetPass *p, int64_t ordinal)
{
    size_t i = place_of(p, ordinal);
    return i < p->member_count && p->members[i].ordinal == ordinal;
}

static void add_member(FleetPass *p, FleetMember member)
{
    size_t i = place_of(p, member.ordinal);

    if (is_member(p, member.ordinal) || p->member_count == FLEET_MEMBERS_MAX)
        return;
    for (size_t j = p->member_count; j > i; j--)
        p->members[j] = p->members[j - 1];
    p->members[i] = member;
    p->member_count++;
}

static Err *find_owned(FleetPass *p, KubeTrim *trim)
{
    Objects found;

    TRY(kube_owned_trimmed(p->c, kind_seinode, p->fleet.uid, trim, &found));
    for (size_t i = 0; i < found.count; i++) {
        const char *name = meta_name(found.items[i]);
        int64_t ordinal = fleet_name_ordinal(p->c->arena, p->fleet.key.name, name);
        if (ordinal >= 0)
            add_member(
                p, (FleetMember){.object = found.items[i], .ordinal = ordinal, .ours = true});
    }
    return OK;
}

/* Labelled as a child is, and nobody's: a fleet of this name once let it go. */
static bool is_orphan(FleetPass *p, const Json *object)
{
    return !meta_controller(object)
        && fleet_child_ordinal(p->c->arena, p->fleet.key.name, object) >= 0;
}

/* Who else has the name that a child would get. */
static Err *find_in_the_way(FleetPass *p)
{
    for (int64_t ordinal = 0; ordinal < p->fleet.spec.replicas; ordinal++) {
        Key key = {
            .namespace = p->fleet.key.namespace,
            .name = fleet_child_name(p->c->arena, p->fleet.key.name, ordinal),
        };
        const Json *object;
        if (is_member(p, ordinal))
            continue;
        TRY(kube_find(p->c, kind_seinode, key, &object));
        if (object)
            add_member(p,
                (FleetMember){
                    .object = object, .ordinal = ordinal, .orphan = is_orphan(p, object)});
    }
    return OK;
}

Err *find_members(FleetPass *p, KubeTrim *trim)
{
    TRY(find_owned(p, trim));
    return find_in_the_way(p);
}

/* --- what is read of them ----------------------------------------------------------------------
 */

/* An object with one member replaced, or without it: `value` NULL. */
static const Json *with_member(Arena *a, const Json *object, const char *key, const Json *value)
{
    Draft *made = draft_object(a);
    const Json *member;

    json_each(member, object)
        draft_add(
            made, draft_json(json_key(member), str_eq(json_key(member), key) ? value : member));
    return json_seal(a, made);
}

/* The parameters of a plan's tasks repeat most of the spec. */
static const Json *without_params(Arena *a, const Json *node)
{
    const Json *status = json_member(node, "status"), *plan = json_member(status, "plan");
    const Json *tasks = json_member(plan, "tasks"), *task;
    Draft *lean = draft_array(a);

    if (!json_count(tasks))
        return node;
    json_each(task, tasks)
        draft_push_json(lean, with_member(a, task, "params", NULL));
    plan = with_member(a, plan, "tasks", json_seal(a, lean));
    return with_member(a, node, "status", with_member(a, status, "plan", plan));
}

/* A node without what its fleet does not ask of it, so that a hundred large ones fit into one
 * reconcile. Overrides go from a node that is too large to be carried out. */
static const Json *trim_child(Arena *a, const Json *node)
{
    const Json *lean = without_params(a, node);

    if (spec_bytes(a, node) <= SPEC_BYTES_MAX)
        return lean;
    return with_member(
        a, lean, "spec", with_member(a, json_member(node, "spec"), "overrides", NULL));
}

/* --- how they are ------------------------------------------------------------------------------
 */

/* The same version of the same node. */
static bool is_unchanged(const Json *before, const Json *now)
{
    return str_eq(meta_uid(before), meta_uid(now))
        && str_eq(meta_resource_version(before), meta_resource_version(now));
}

/* What the pass that stored the plan made of this very version of a node: to decode it and to find
 * out its revision is most of the work. NULL: nothing that is still true. */
static const FleetChild *read_before(const FleetPass *p, const FleetMember *member)
{
    const FleetPass *before = p->before;

    if (!before || before->fleet.generation != p->fleet.generation)
        return NULL;
    for (size_t i = 0; i < before->snapshot.count; i++)
        if (before->children[i].health.ordinal == member->ordinal
            && is_unchanged(before->children[i].node->object, member->object))
            return &before->children[i];
    return NULL;
}

static FleetChild decode_child(const FleetPass *p, const Json *object)
{
    SeiNode *node = arena_new(p->c->arena, SeiNode);
    Err *unreadable = node_decode(p->c->arena, object, node);

    return (FleetChild){
        .node = node,
        .revision =
            unreadable ? "" : fleet_child_revision(p->c->arena, node, p->fleet.spec.template),
    };
}

/* How it is is asked anew in every pass: to store a plan takes as long as the server likes. */
static Err *read_child(FleetPass *p, const FleetMember *member, FleetChild *ret)
{
    const FleetChild *before = read_before(p, member);
    const Json *pod;

    *ret = before ? *before : decode_child(p, member->object);
    Key pod_key = {
        .namespace = ret->node->key.namespace,
        .name = name_pod(p->c->arena, ret->node->key.name),
    };
    TRY(kube_find(p->c, kind_pod, pod_key, &pod));
    batch_node_read(ret->node, pod, p->snapshot.now_ms, &ret->health);
    ret->health.ordinal = member->ordinal;
    ret->trouble = pod_lacks_image(pod) ? pod_trouble(p->c->arena, pod) : NULL;
    return OK;
}

static Err *read_children(FleetPass *p)
{
    for (size_t i = 0; i < p->member_count; i++) {
        FleetMember *member = &p->members[i];
        FleetChild *child = &p->children[p->snapshot.count];
        if (!member->ours || member->ordinal >= FLEET_REPLICAS_MAX)
            continue;
        TRY(read_child(p, member, child));
        member->other = plan_fleet_is_other(&p->fleet, child->node);
        p->snapshot.count++;
    }
    return OK;
}

static void look_at_orphans(FleetPass *p)
{
    for (size_t i = 0; i < p->member_count; i++)
        if (p->members[i].orphan)
            p->members[i].other =
                plan_fleet_is_other(&p->fleet, decode_child(p, p->members[i].object).node);
}

/* --- how many there should be ------------------------------------------------------------------
 */

static bool is_foreign(const FleetMember *member)
{
    return !member->ours && !member->orphan;
}

static void list_foreign(FleetPass *p)
{
    for (size_t i = 0; i < p->member_count; i++)
        if (is_foreign(&p->members[i]) && p->snapshot.foreign_count < FLEET_REPLICAS_MAX)
            p->foreign[p->snapshot.foreign_count++] = p->members[i].ordinal;
    p->snapshot.foreign = p->foreign;
}

static void judge_scale(FleetPass *p)
{
    ScaleChild children[FLEET_MEMBERS_MAX];

    for (size_t i = 0; i < p->member_count; i++)
        children[i] = (ScaleChild){
            .ordinal = p->members[i].ordinal,
            .leaving = meta_deleting(p->members[i].object),
            .foreign = is_foreign(&p->members[i]),
            .other = p->members[i].other,
        };
    plan_scale(p->fleet.spec.replicas, children, p->member_count, &p->scale);
    if (p->fleet.spec.paused)
        p->scale = (Scale){.remove = -1, .leaving = -1, .surplus = p->scale.surplus};
    p->snapshot.making = p->scale.create;
    p->snapshot.making_count = p->scale.create_count;
}

/* Since when this process is the one that works. */
static int64_t working_since_ms(FleetPass *p)
{
    App *app = p->app;

    guard_enter(app->guard);
    if (!app->working_since_ms)
        app->working_since_ms = clock_wall_ms(p->c->clock);
    int64_t since_ms = app->working_since_ms;
    guard_leave(app->guard);
    return since_ms;
}

/* A template whose nodes would be refused is refused here, where its fleet shows it. Only a large
 * one is rendered for that. */
static Err *check_template(FleetPass *p)
{
    SCOPED_ARENA scratch = arena_open(SCRATCH_MAX);
    ChildSource last = {.ordinal = p->fleet.spec.replicas > 0 ? p->fleet.spec.replicas - 1 : 0};

    if (spec_bytes(scratch, p->fleet.spec.template) <= SPEC_BYTES_SURE)
        return OK;
    const Json *child = render_child_node(scratch, &p->fleet, p->app->settings, &last);
    Err *err = spec_size_check(
        scratch, child, &p->fleet.spec.node, "spec.template.spec: makes SeiNodes whose spec has");
    return err_copy(p->c->arena, err);
}

Err *gather_fleet(FleetPass *p)
{
    char *id = arena_alloc(p->c->arena, UUID_SIZE);

    uuid_v4(p->c->rng, id);
    p->snapshot = (FleetSnapshot){
        .fleet = &p->fleet,
        .children = p->children,
        .plan_id = id,
        .now = now_text(p->c),
        .now_ms = clock_wall_ms(p->c->clock),
        .working_since_ms = working_since_ms(p),
        .genesis_bucket = p->app->settings->genesis_bucket,
    };
    TRY(check_template(p));
    TRY(fleet_revision(p->c->arena, p->fleet.spec.template, &p->snapshot.revision));
    TRY(find_members(p, trim_child));
    TRY(read_children(p));
    look_at_orphans(p);
    list_foreign(p);
    judge_scale(p);
    return OK;
}
