/* The namespace controller on a stage. */
#include "tests/world/stage.h"

/* One of them is not served. */
static const Kind *const kinds[] = {
    kind_namespace, kind_serviceaccount, kind_configmap, kind_pod, kind_node, kind_httproute, NULL};

static Stage *space_open(void)
{
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);

    world_add(s->world, namespace_controller_open(&options, kinds));
    create(s, kind_namespace, "{metadata: {name: 'space'}}");
    pass(s, 5);
    return s;
}

static const Json *account(Stage *s, const char *namespace)
{
    const Json *object = NULL;
    Err *err = tell(s,
        (Request){.verb = VERB_GET, .kind = kind_serviceaccount, .key = {namespace, "default"}},
        &object);

    if (!status_is_not_found(err))
        then_ok(err);
    return object;
}

TEST(every_namespace_gets_a_default_service_account)
{
    SCOPED_STAGE s = space_open();

    then_true(account(s, "default"));
    then_true(account(s, "space"));
    told(s,
        (Request){.verb = VERB_DELETE, .kind = kind_serviceaccount, .key = {"space", "default"}});
    then_true(!account(s, "space"));
    pass(s, 5);
    then_true(account(s, "space"));
}

TEST(a_deleted_namespace_deletes_its_objects)
{
    SCOPED_STAGE s = space_open();

    create(s, kind_configmap, "{metadata: {name: 'a', namespace: 'space'}}");
    create(s, kind_configmap, "{metadata: {name: 'b', namespace: 'space'}}");
    create(s, kind_configmap, "{metadata: {name: 'c'}}");
    drop(s, kind_namespace, "space", PROPAGATION_DEFAULT);
    then_str(json_str(look(s, kind_namespace, "space"), ".status.phase"), "Terminating");
    pass(s, 10);
    then_true(!look(s, kind_namespace, "space"));
    then_str(names(s, kind_configmap), "c");
}

TEST(a_terminating_namespace_waits_for_objects_with_finalizers)
{
    SCOPED_STAGE s = space_open();

    create(s,
        kind_configmap,
        "{metadata: {name: 'a', namespace: 'space', finalizers: ['test.io/hold']}}");
    drop(s, kind_namespace, "space", PROPAGATION_DEFAULT);
    pass(s, 60);
    then_true(meta_deleting(look(s, kind_namespace, "space")));
    then_true(!account(s, "space"));
    told(s,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_configmap,
            .key = {"space", "a"},
            .body = json_fixture(s->arena, "{metadata: {finalizers: null}}")});
    pass(s, 10);
    then_true(!look(s, kind_namespace, "space"));
}

TEST(a_terminating_namespace_stays_terminating_when_its_labels_change)
{
    SCOPED_STAGE s = space_open();

    create(s,
        kind_configmap,
        "{metadata: {name: 'a', namespace: 'space', finalizers: ['test.io/hold']}}");
    drop(s, kind_namespace, "space", PROPAGATION_DEFAULT);
    patch(s, kind_namespace, "space", "{metadata: {labels: {a: 'b'}}}");
    then_true(meta_deleting(look(s, kind_namespace, "space")));
}
