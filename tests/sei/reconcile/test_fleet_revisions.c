/* Templates of fleets: kept before a status names them, never more than needed, and read back when
 * the template has moved on. */
#include "sei/reconcile/fleet_revisions.h"

#include "sei/api/fleet_hash.h"
#include "sei/render/fleet_revision.h"
#include "tests/sei/fleets.h"
#include "tests/sei/world.h"

#define IMAGE(name) "{spec: {template: {spec: {image: '" name "'}}}}"

static const char *revision_of(Arena *a, const Json *template)
{
    const char *hash = NULL;

    then_ok(fleet_revision(a, template, &hash));
    return hash;
}

/* A pass over a fleet; the status that it makes names the template of its only node. */
static FleetPass *pass_of(TaskWorld *w, const char *patch)
{
    FleetPass *p = arena_new(w->arena, FleetPass);

    p->c = &w->ctx;
    p->fleet = *sample_fleet(w->arena, patch);
    p->snapshot.fleet = &p->fleet;
    p->snapshot.revision = revision_of(w->arena, p->fleet.spec.template);
    p->snapshot.children = p->children;
    p->decision.status = p->fleet.status;
    p->decision.status.nodes[0] = (FleetNode){.name = "rpc-0", .revision = p->snapshot.revision};
    p->decision.status.node_count = 1;
    w->said = NULL;
    return p;
}

static const char *name_of(const FleetPass *p)
{
    return name_fleet_revision(p->c->arena, p->fleet.key.name, p->snapshot.revision);
}

static const Json *kept(TaskWorld *w, const FleetPass *p)
{
    return stored(w, kind_controllerrevision, name_of(p));
}

/* --- keeping --- */

TEST(a_template_is_stored_before_the_status_names_its_revision)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *p = pass_of(w, NULL);

    then_ok(keep_revisions(p));

    then_str(w->said, "create controllerrevisions rpc-233ffcc0916481a8");
    const Json *revision = kept(w, p);
    then_true(meta_controlled_by(revision, p->fleet.object));
    then_true(render_template_of(w->arena, p->snapshot.revision, revision) != NULL);
}

static const struct {
    const char *name, *status; /* as stored; %s is the revision of the template */
} named[] = {
    {"by a node", "{nodes: [{name: 'rpc-0', revision: '%s'}]}"},
    {"as the complete one", "{completeRevision: '%s'}"},
    {"by a plan",
        "{plan: {id: '11111111-2222-4333-8444-555555555555', phase: 'Active', targetHash: '%s',"
        " tasks: []}}"},
};

TEST(a_template_that_the_status_already_names_needs_no_api_call)
{
    each_case(i, named) {
        SCOPED_WORLD w = world_of(NULL);
        FleetPass *p = pass_of(w, NULL);
        const char *hash = p->snapshot.revision;
        const char *status = strstr(named[i].status, "%s");
        const char *patch = str_format(w->arena,
            "{status: %.*s%s%s}",
            (int)(status - named[i].status),
            named[i].status,
            hash,
            status + 2);

        then_ok(keep_revisions(pass_of(w, patch)));

        then_str(w->said, NULL);
    }
}

TEST(a_template_that_no_status_will_name_is_not_stored)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *p = pass_of(w, NULL);
    p->decision.status.node_count = 0;

    then_ok(keep_revisions(p));

    then_str(w->said, NULL);
}

/* The operator may have died between the two writes; and an undo is an edit like any other. */
TEST(a_stored_template_that_is_used_again_becomes_the_latest)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(keep_revisions(pass_of(w, NULL)));

    then_ok(keep_revisions(pass_of(w, NULL)));
    then_str(w->said,
        "create controllerrevisions rpc-233ffcc0916481a8, get controllerrevisions "
        "rpc-233ffcc0916481a8");

    FleetPass *later =
        pass_of(w, "{metadata: {generation: 8}, spec: {template: {spec: {overrides: {a: 'b'}}}}}");
    then_ok(keep_revisions(later));
    then_int(json_int(kept(w, later), ".revision", 0), 8);
}

static const char *came_after(TaskWorld *w, const FleetPass *p)
{
    return meta_annotation(kept(w, p), ANNOTATION_CAME_AFTER);
}

/* What an undo goes to: never one that failed, for only what was complete is noted. */
TEST(a_stored_template_records_the_complete_revision_before_it)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *first = pass_of(w, "{metadata: {generation: 4}}");

    then_ok(keep_revisions(first));
    then_str(came_after(w, first), NULL);
    FleetPass *second = pass_of(w,
        str_format(w->arena,
            "{metadata: {generation: 5}, spec: {template: {spec: {image: 'i:2'}}},"
            " status: {completeRevision: '%s'}}",
            first->snapshot.revision));
    then_ok(keep_revisions(second));
    then_str(came_after(w, second), first->snapshot.revision);
    then_ok(keep_revisions(pass_of(w,
        str_format(w->arena,
            "{metadata: {generation: 6}, status: {completeRevision: '%s'}}",
            second->snapshot.revision))));
    then_str(came_after(w, first), second->snapshot.revision);
}

/* `kubectl delete --cascade=orphan` leaves them behind. */
TEST(an_orphaned_controller_revision_of_the_fleet_is_adopted)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *before = pass_of(w, "{metadata: {uid: 'before', generation: 9}}");
    then_ok(keep_revisions(before));
    changed(w, kind_controllerrevision, name_of(before), NULL, "{metadata: {ownerReferences: []}}");

    FleetPass *p = pass_of(w, NULL);
    then_ok(keep_revisions(p));

    then_true(meta_controlled_by(kept(w, p), p->fleet.object));
    then_int(json_int(kept(w, p), ".revision", 0), 3);
}

static const struct {
    const char *name, *change, *says, *reason; /* of what was kept */
} taken[] = {
    {"another controller's",
        "{metadata: {ownerReferences: [{apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's',"
        " uid: 'u', controller: true}]}}",
        WAIT("belongs to StatefulSet s: it is left alone; delete it"),
        "ForeignObject"},
    {"without an owner and without the label of the fleet",
        "{metadata: {ownerReferences: null, labels: null}}",
        WAIT("is somebody else's: it is left alone"),
        "ForeignObject"},
    {"of a fleet of this name that was deleted",
        "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"
        " name: 'rpc', uid: 'u', controller: true}]}}",
        WAIT("of a fleet of this name that was deleted: the template is kept when it is gone"),
        NULL},
    {"of another template",
        "{data: {spec: {image: 'other'}}}",
        WAIT("holds another one: it is left alone; delete it"),
        "ForeignObject"},
    {"being deleted",
        "{metadata: {finalizers: ['a.b/c']}}",
        WAIT("is being deleted: the template is kept when it is gone"),
        NULL},
};

TEST(a_controller_revision_that_is_not_owned_by_the_fleet_is_never_changed)
{
    each_case(i, taken) {
        SCOPED_WORLD w = world_of(NULL);
        FleetPass *p = pass_of(w, NULL);
        const Json *ours = render_fleet_revision(w->arena, &p->fleet, p->snapshot.revision);
        given(w, kind_controllerrevision, json_write(w->arena, ours).data, taken[i].change);
        if (str_eq(taken[i].name, "being deleted"))
            deleted(w, kind_controllerrevision, name_of(p));
        const Json *before = kept(w, p);

        Err *err = keep_revisions(p);

        then_err(err, taken[i].says);
        then_str(err->reason, taken[i].reason);
        then_true(json_equal(kept(w, p), before));
    }
}

/* --- no more than so many --- */

/* Rolls image after image; the first `named_count` stay named by nodes. */
static FleetPass *given_rollouts(TaskWorld *w, int count, int named_count)
{
    FleetNode nodes[FLEET_REPLICAS_MAX] = {0};
    FleetPass *p = NULL;

    for (int i = 0; i < count; i++) {
        p = pass_of(w,
            str_format(w->arena,
                "{metadata: {generation: %d}, spec: {template: {spec: {image: 'i:%d'}}}}",
                i + 1,
                i));
        memcpy(p->fleet.status.nodes, nodes, sizeof nodes);
        p->fleet.status.node_count = (size_t)(i < named_count ? i : named_count);
        then_ok(keep_revisions(p));
        prune_revisions(p);
        nodes[i] = (FleetNode){.name = "rpc-0", .revision = p->snapshot.revision};
    }
    return p;
}

static bool is_kept(TaskWorld *w, int image)
{
    return kept(w, pass_of(w, str_format(w->arena, IMAGE("i:%d"), image))) != NULL;
}

TEST(the_last_ten_stored_templates_are_kept)
{
    SCOPED_WORLD w = world_of(NULL);

    given_rollouts(w, 12, 0);

    for (int i = 0; i < 12; i++)
        then_int(is_kept(w, i), i >= 2);
}

TEST(stored_templates_are_not_listed_while_no_template_is_new)
{
    SCOPED_WORLD w = world_of(NULL);
    then_ok(keep_revisions(pass_of(w, NULL)));
    FleetPass *again = pass_of(w, NULL);

    then_ok(keep_revisions(again));
    w->said = NULL;
    prune_revisions(again);

    then_str(w->said, NULL);
}

TEST(a_stored_template_that_the_status_names_is_kept_whatever_its_age)
{
    SCOPED_WORLD w = world_of(NULL);

    given_rollouts(w, 13, 2);

    for (int i = 0; i < 13; i++)
        then_int(is_kept(w, i), i < 2 || i >= 5);
}

TEST(a_controller_revision_with_our_label_and_another_owner_is_not_pruned)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w,
        kind_controllerrevision,
        "{apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: {name: 'rpc-theirs',"
        " namespace: 'sei', labels: {'sei.io/nodedeployment': 'rpc'}}, data: {}, revision: 0}",
        NULL);

    given_rollouts(w, 12, 0);

    then_true(stored(w, kind_controllerrevision, "rpc-theirs") != NULL);
}

/* A right that is missing holds no rollout up. */
TEST(a_failed_pruning_of_stored_templates_is_reported_and_blocks_nothing)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *p = pass_of(w, NULL);
    w->fault_at = 2;
    w->fault = FAULT_BEFORE;

    then_ok(keep_revisions(p));
    prune_revisions(p);

    then_true(strstr(p->progress.waiting, "listing controllerrevisions") != NULL);
}

TEST(a_template_that_cannot_be_stored_is_an_error)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *p = pass_of(w, NULL);
    w->fault_at = 1;
    w->fault = FAULT_AFTER;

    then_err(keep_revisions(p), RETRY("no answer"));
    then_ok(keep_revisions(p));
    then_true(kept(w, p) != NULL);
}

/* --- reading --- */

TEST(an_earlier_template_is_read_by_its_name_and_only_once)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *before = pass_of(w, IMAGE("old:1"));
    then_ok(keep_revisions(before));
    FleetPass *p = pass_of(w, IMAGE("new:2"));
    const Json *template;

    then_ok(read_revision(p, before->snapshot.revision, &template));
    then_ok(read_revision(p, before->snapshot.revision, &template));

    then_str(w->said, str_format(w->arena, "get controllerrevisions %s", name_of(before)));
    then_str(json_str(template, ".spec.image"), "old:1");
    then_str(meta_label(template, LABEL_FLEET_REVISION), "3");
}

static void given_child(FleetPass *p, const char *image)
{
    SeiNode *node = arena_new(p->c->arena, SeiNode);

    *node = sample_node(
        p->c->arena, str_format(p->c->arena, "{spec: {image: '%s', sidecar: null}}", image));
    p->children[p->snapshot.count++].node = node;
}

TEST(a_child_replaces_a_stored_template_that_is_lost)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *p = pass_of(w, IMAGE("new:2"));
    const Json *template;
    given_child(p, "new:2");
    given_child(p, "old:1");
    const Json *sibling = p->children[1].node->object;

    then_ok(read_revision(p, revision_of(w->arena, sibling), &template));

    then_true(template == sibling);
}

TEST(a_lost_template_is_reported_with_its_revision)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *p = pass_of(w, IMAGE("new:2"));
    given_child(p, "new:2");
    const Json *template;

    Err *err = read_revision(p, "0123456789abcdef", &template);

    then_err(err,
        WAIT("the template of revision 0123456789abcdef is lost: ControllerRevision "
             "rpc-0123456789abcdef is gone"));
    then_str(err->reason, "RevisionLost");
}

/* What another fleet of the name has kept is not what this one rolled. */
TEST(a_stored_template_of_another_fleet_of_the_same_name_is_not_used)
{
    SCOPED_WORLD w = world_of(NULL);
    FleetPass *before = pass_of(w, "{metadata: {uid: 'before'}}");
    then_ok(keep_revisions(before));
    const Json *template;

    then_err(read_revision(pass_of(w, IMAGE("new:2")), before->snapshot.revision, &template),
        WAIT("is lost"));
}
