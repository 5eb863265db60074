/* First contact with children of the reference, on a server that keeps who owns what: nothing of
 * them changes, and from then on the template alone decides. */
#include "sei/reconcile/fleet_takeover.h"

#include "kube/hash.h"
#include "tests/sei/reconcile/children.h"

#define REFERENCE "manager" /* as its image calls its binary */
#define FOUNDERS                                                                                   \
    "{spec: {replicas: 3, genesis: {chainId: 'new-1', stakingAmount: '5usei',"                     \
    " accountBalance: '9usei'}, template: {spec: {chainId: 'new-1', image: 'seid:v1',"             \
    " fullNode: null, validator: {}}}}}"

/* A child as the reference makes it, gives it its finalizer and rolls it. */
static void given_child_of_the_reference(TaskWorld *w, const char *fleet)
{
    given_definition(w, crd_seinode);
    const Json *object =
        json_merge(w->arena, wanted_by(w, fleet), json_fixture(w->arena, "{spec: {image: 'old'}}"));
    write_as(w, VERB_CREATE, REFERENCE, object);
    patched_by(w, REFERENCE, "{metadata: {finalizers: ['" NODE_FINALIZER "']}}");
    patched_by(w, REFERENCE, "{spec: {image: 'seid:v1'}}");
}

/* And what others do. */
static const Json *given_child(TaskWorld *w, const char *fleet)
{
    given_child_of_the_reference(w, fleet);
    return patched_by(w,
        "kubectl-label",
        "{metadata: {labels: {theirs: 'l'}, annotations: {theirs: 'a'}}, spec: {paused: true}}");
}

static const Json *take_over(TaskWorld *w, const Json *child, const char *fleet)
{
    const Json *taken = NULL;

    w->said = NULL;
    then_ok(take_over_child(pass_of(w), child, wanted_by(w, fleet), &taken));
    return taken;
}

/* What a manager owns, in any of its entries; NULL for nothing. */
static const Json *owned_by(const Json *object, const char *manager, const char *operation)
{
    const Json *entry;

    json_each(entry, json_find(object, ".metadata.managedFields"))
        if (str_eq(json_str(entry, ".manager"), manager)
            && str_eq(json_str(entry, ".operation"), operation))
            return json_find(entry, ".fieldsV1");
    return NULL;
}

TEST(taking_over_a_child_changes_nothing_but_its_field_managers)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, RICH), *taken = take_over(w, child, RICH);

    then_str(w->said, "get seinodes rpc-0, patch seinodes rpc-0");
    then_true(json_equal(without_books(w, taken), without_books(w, child)));
    then_true(json_equal(without_books(w, apply(w, RICH)), without_books(w, child)));
    then_str(hash_owned(w->arena, taken, FLEET_MANAGER),
        hash_owned_of_rendered(w->arena, wanted_by(w, RICH)));
}

TEST(after_the_takeover_the_go_operator_manages_only_the_finalizer)
{
    SCOPED_WORLD w = world_of(NULL);
    take_over(w, given_child(w, RICH), RICH);
    const Json *child = apply(w, RICH);

    then_json(owned_by(child, REFERENCE, "Update"),
        "{'f:metadata': {'f:finalizers': {'.': {}, 'v:\"" NODE_FINALIZER "\"': {}}}}");
    then_json(owned_by(child, "kubectl-label", "Update"),
        "{'f:metadata': {'f:labels': {'f:theirs': {}}, 'f:annotations': {'f:theirs': {}}},"
        " 'f:spec': {'f:paused': {}}}");
}

/* The reference's ceremony wrote them, and no template has them. */
TEST(taking_over_a_child_keeps_the_peers_that_the_genesis_ceremony_wrote)
{
    SCOPED_WORLD w = world_of(NULL);
    given_child(w, FOUNDERS);
    const Json *child =
        patched_by(w, REFERENCE, "{spec: {peers: [{static: {addresses: ['id@host:1']}}]}}");

    take_over(w, child, FOUNDERS);

    then_json(
        json_find(apply(w, FOUNDERS), ".spec.peers"), "[{static: {addresses: ['id@host:1']}}]");
}

static const struct {
    const char *name, *manager;
    bool stays;
} pauses[] = {
    {"of the fleet", REFERENCE, false},
    {"of a person", "kubectl-patch", true},
};

/* A fleet that is resumed while nobody is there to resume its children. */
TEST(a_pause_that_the_go_operator_set_ends_with_the_pause_of_the_fleet)
{
    each_case(i, pauses) {
        SCOPED_WORLD w = world_of(NULL);
        given_child_of_the_reference(w, RICH);
        const Json *child = patched_by(w, pauses[i].manager, "{spec: {paused: true}}");

        then_true(json_bool(take_over(w, child, RICH), ".spec.paused", false));

        then_true(json_bool(apply(w, RICH), ".spec.paused", false) == pauses[i].stays);
    }
}

TEST(the_child_of_a_paused_fleet_is_paused_until_its_fleet_is_resumed)
{
    static const char paused[] = "{spec: {paused: true}}";
    SCOPED_WORLD w = world_of(NULL);
    given_child_of_the_reference(w, NULL);
    take_over(w, patched_by(w, REFERENCE, paused), paused);

    then_true(json_bool(apply(w, paused), ".spec.paused", false));
    then_true(!json_bool(apply(w, NULL), ".spec.paused", false));
}

static const struct {
    const char *name, *edit; /* of the template, over RICH */
    const char *path;        /* what it removes of the child */
} edits[] = {
    {"a label", "{spec: {template: {metadata: {labels: {tier: null}}}}}", ".metadata.labels.tier"},
    {"the last annotation",
        "{spec: {template: {metadata: {annotations: null}}}}",
        ".metadata.annotations.note"},
    {"an override",
        "{spec: {template: {spec: {overrides: {'p2p.y': null}}}}}",
        ".spec.overrides['p2p.y']"},
    {"all overrides", "{spec: {template: {spec: {overrides: null}}}}", ".spec.overrides"},
    {"the sidecar", "{spec: {template: {spec: {sidecar: null}}}}", ".spec.sidecar"},
    {"the sidecar's resources",
        "{spec: {template: {spec: {sidecar: {resources: null}}}}}",
        ".spec.sidecar.resources"},
    {"peers", "{spec: {template: {spec: {peers: null}}}}", ".spec.peers"},
};

/* O-24, and what would stay for ever if the reference went on to own it. */
TEST(a_field_that_is_removed_from_the_template_later_is_removed_from_the_children)
{
    each_case(i, edits) {
        SCOPED_WORLD w = world_of(NULL);
        const char *edited = json_write(w->arena,
            json_merge(
                w->arena, json_fixture(w->arena, RICH), json_fixture(w->arena, edits[i].edit)))
                                 .data;
        const Json *child = given_child(w, RICH);
        take_over(w, child, RICH);
        then_true(json_find(apply(w, RICH), edits[i].path) != NULL);

        const Json *after = apply(w, edited);

        then_true(json_find(after, edits[i].path) == NULL);
        then_str(meta_label(after, "theirs"), "l");
        then_str(meta_annotation(after, "theirs"), "a");
        then_true(json_bool(after, ".spec.paused", false));
        then_true(meta_has_finalizer(after, NODE_FINALIZER));
    }
}

/* A new operator need not come alone: the template may have been edited meanwhile. */
TEST(only_fields_that_the_fleet_applies_are_taken_over)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *taken =
        take_over(w, given_child(w, RICH), TEMPLATE("spec: {image: 'seid:v1', fullNode: {}}"));

    then_true(json_find(owned_by(taken, REFERENCE, "Update"), "['f:spec']['f:sidecar']") != NULL);
    then_true(
        json_find(owned_by(taken, FLEET_MANAGER, "Apply"), "['f:spec']['f:sidecar']") == NULL);
}

TEST(a_child_that_the_fleet_has_applied_before_is_not_taken_over_again)
{
    SCOPED_WORLD w = world_of(NULL);
    given_child(w, RICH);

    then_true(take_over(w, apply(w, RICH), RICH) == NULL);

    then_str(w->said, "get seinodes rpc-0");
}

TEST(another_seinode_of_the_same_name_is_not_taken_over)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, RICH), *taken;
    const Json *seen =
        json_merge(w->arena, child, json_fixture(w->arena, "{metadata: {uid: 'before'}}"));

    then_err(take_over_child(pass_of(w), seen, wanted_by(w, RICH), &taken),
        WAIT("SeiNode rpc-0 was replaced by another one of its name"));
}

/* Between the look and the patch. */
TEST(a_takeover_does_not_undo_a_concurrent_write)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, RICH), *taken;
    w->refusal.verb = VERB_JSON_PATCH;
    w->refusal.status = 422;
    w->refusal.message = "the server rejected our request due to an error in our request";

    then_err(
        take_over_child(pass_of(w), child, wanted_by(w, RICH), &taken), RETRY("patch seinodes"));
    then_true(take_over(w, child, RICH) != NULL);
}
