/* The children of a fleet as they are found: whose they are, and in which order. */
#include "sei/reconcile/fleet_parts.h"
#include "tests/sei/fleets.h"
#include "tests/sei/reconcile/children.h"
#include "tests/sei/world.h"

#define OURS                                                                                       \
    "ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'rpc',"    \
    " uid: '" FLEET_UID "', controller: true}]"
#define THEIRS                                                                                     \
    "ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'x',"      \
    " uid: '7e2a3d45-0000-4000-8000-00000000cafe', controller: true}]"

/* The label of a node makes the cache of this world see it. */
static void given_child(TaskWorld *w, int ordinal, const char *owner)
{
    given(w,
        kind_seinode,
        str_format(w->arena,
            "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', metadata: {name: 'rpc-%d',"
            " namespace: 'sei', labels: {'sei.io/node': 'x', 'sei.io/nodedeployment': 'rpc',"
            " 'sei.io/nodedeployment-ordinal': '%d'}, %s}, spec: {chainId: 'pacific-1',"
            " image: 'seid:A', fullNode: {}}}",
            ordinal,
            ordinal,
            owner),
        NULL);
}

static void given_ready_pod(TaskWorld *w, const char *node)
{
    given(w,
        kind_pod,
        str_format(w->arena,
            "{metadata: {name: '%s-0', namespace: 'sei', labels: {'sei.io/node': '%s'}},"
            " spec: {containers: [{name: 'seid', image: 'seid:A'}]},"
            " status: {phase: 'Running', conditions: [{type: 'Ready', status: 'True'}]}}",
            node,
            node),
        NULL);
}

static FleetPass *pass_over(TaskWorld *w, const char *patch)
{
    static const Settings settings = {0};
    App *app = arena_new(w->arena, App);
    FleetPass *p = arena_new(w->arena, FleetPass);

    app->settings = &settings;
    app->guard = guard_none();
    p->c = &w->ctx;
    p->app = app;
    p->ret = arena_new(w->arena, Reconciled);
    p->fleet = *sample_fleet(w->arena, patch);
    return p;
}

static FleetPass *gathered_after(TaskWorld *w, const FleetPass *before, const char *patch)
{
    FleetPass *p = pass_over(w, patch);

    p->before = before;
    then_ok(gather_fleet(p));
    return p;
}

static FleetPass *gathered(TaskWorld *w, const char *patch)
{
    return gathered_after(w, NULL, patch);
}

static const char *names(const FleetPass *p)
{
    const char *text = "";

    for (size_t i = 0; i < p->snapshot.count; i++)
        text = str_format(p->c->arena, "%s %s", text, p->children[i].node->key.name);
    return text;
}

/* Its nodes would refuse it, one by one, and no rollout would end. */
TEST(a_template_whose_nodes_would_be_too_large_is_refused_with_its_size_and_the_limit)
{
    static const struct {
        const char *name, *mode, *refusal;
        size_t bytes;
    } templates[] = {
        {"a large one", "fullNode: {}", NULL, 235000},
        {"one that is too large",
            "fullNode: {}",
            "whose spec has 246182 bytes, and at most 245760 can be carried out; shorten overrides",
            246000},
        {"one that is too large with a bootstrap Job",
            "fullNode: {snapshot: {bootstrapImage: 'seid:A', s3: {targetHeight: 5}}}",
            "at most 180224 can be carried out with a bootstrapImage",
            200000},
    };

    each_case(i, templates) {
        SCOPED_WORLD w = world_of(NULL);
        char *filler =
            memset(arena_alloc(w->arena, templates[i].bytes + 1), 'x', templates[i].bytes);
        FleetPass *p = pass_over(w,
            str_format(w->arena,
                "{spec: {template: {spec: {overrides: {a: '%s'}, %s}}}}",
                filler,
                templates[i].mode));
        Err *err = gather_fleet(p);

        if (templates[i].refusal)
            then_err(err, str_format(w->arena, "terminal: %s", templates[i].refusal));
        else
            then_ok(err);
    }
}

/* O-30: the status lists them so, and a cache has them in any order. */
TEST(children_are_ordered_by_their_ordinals)
{
    static const int orders[][4] = {{10, 2, 0, 1}, {0, 1, 2, 10}, {2, 10, 1, 0}};

    for (size_t i = 0; i < array_count(orders); i++) {
        SCOPED_WORLD w = world_of(NULL);
        given_definition(w, crd_seinode);
        for (size_t j = 0; j < array_count(orders[i]); j++)
            given_child(w, orders[i][j], OURS);
        then_str(names(gathered(w, "{spec: {replicas: 11}}")), " rpc-0 rpc-1 rpc-2 rpc-10");
    }
}

TEST(a_seinode_of_another_controller_blocks_its_name_and_is_not_a_child)
{
    SCOPED_WORLD w = world_of(NULL);

    given_definition(w, crd_seinode);
    given_child(w, 0, OURS);
    given_child(w, 1, THEIRS);
    given_child(w, 5, THEIRS); /* of an ordinal that nobody asks for */
    FleetPass *p = gathered(w, "{spec: {replicas: 2}}");
    then_str(names(p), " rpc-0");
    then_int(p->scale.foreign_count, 1);
    show_foreign(p);
    then_str(p->progress.reason, "ForeignObject");
    then_str(p->progress.waiting,
        "SeiNode rpc-1 belongs to SeiNodeDeployment x: it is left alone; delete it, or give this "
        "fleet another name");
    then_int(p->ret->again_after_ms, 30000); /* nobody tells of its end */
}

static const char *seen_serving(const FleetPass *p)
{
    const char *text = "";

    for (size_t i = 0; i < p->snapshot.count; i++)
        text = str_format(p->c->arena, "%s %d", text, p->children[i].health.serves);
    return text;
}

/* Between the two passes lies a write, which takes as long as the server likes. */
TEST(a_fleet_plan_uses_the_children_as_they_are_when_it_is_stored)
{
    SCOPED_WORLD w = world_of(NULL);

    given_definition(w, crd_seinode);
    given_child(w, 0, OURS);
    given_ready_pod(w, "rpc-0");
    given_child(w, 1, OURS);
    given_ready_pod(w, "rpc-1");
    const FleetPass *before = gathered(w, "{spec: {replicas: 3}}");
    then_str(seen_serving(before), " 1 1");
    then_int(before->scale.create_count, 1);
    deleted(w, kind_pod, "rpc-0-0");
    given_child(w, 2, OURS);
    const FleetPass *now = gathered_after(w, before, "{spec: {replicas: 3}}");
    then_str(names(now), " rpc-0 rpc-1 rpc-2");
    then_str(seen_serving(now), " 0 1 0");
    then_int(now->scale.create_count, 0);
}

/* Nothing is decoded twice that has not changed, unless somebody has edited the fleet. */
TEST(a_decoded_child_is_reused_while_its_resource_version_is_the_same)
{
    SCOPED_WORLD w = world_of(NULL);

    given_definition(w, crd_seinode);
    given_child(w, 0, OURS);
    given_child(w, 1, OURS);
    const FleetPass *before = gathered(w, "{}");
    changed(w, kind_seinode, "rpc-1", NULL, "{spec: {image: 'seid:B'}}");
    const FleetPass *now = gathered_after(w, before, "{}");
    then_true(now->children[0].node == before->children[0].node);
    then_true(now->children[1].node != before->children[1].node);
    then_str(now->children[1].node->spec.image, "seid:B");
    then_true(!str_eq(now->children[1].revision, before->children[1].revision));
    const FleetPass *edited = gathered_after(w, before, "{metadata: {generation: 4}}");
    then_true(edited->children[0].node != before->children[0].node);
}
