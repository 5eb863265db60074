/* The garbage collector on a stage. The facts were looked up in kube-controller-manager 1.34
 * (pkg/controller/garbagecollector); cases "as there" were also watched on a running one. */
#include "tests/world/stage.h"

static const Kind *const kinds[] = {
    kind_configmap, kind_secret, kind_pod, kind_namespace, kind_node, NULL};

static Stage *collector_open(void)
{
    Stage *s = stage_open();
    ControllerOptions options = stage_options(s);

    options.delay_max_ms = 2000;
    world_add(s->world, garbage_collector_open(&options, kinds));
    return s;
}

/* A ConfigMap that others own: "a", or "a b!" of which b waits for it. */
static const Json *own(Stage *s, const char *name, const char *owners)
{
    Draft *references = draft_array(s->arena);
    char *rest = NULL, *words = (char *)(uintptr_t)str_copy(s->arena, owners);

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        bool blocks = word[strlen(word) - 1] == '!';
        const char *owner = str_slice(s->arena, word, strlen(word) - blocks);
        draft_push(references,
            draft(s->arena,
                str("apiVersion", "v1"),
                str("kind", "ConfigMap"),
                str("name", owner),
                str("uid", meta_uid(look(s, kind_configmap, owner))),
                flag("blockOwnerDeletion", blocks)));
    }
    return told(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind_configmap,
            .body = json_seal(s->arena,
                draft(s->arena,
                    obj("metadata", str("name", name), sub("ownerReferences", references))))});
}

static void hold(Stage *s, const char *name)
{
    patch(s, kind_configmap, name, "{metadata: {finalizers: ['test.io/hold']}}");
}

static void let_go(Stage *s, const char *name)
{
    patch(s, kind_configmap, name, "{metadata: {finalizers: null}}");
}

TEST(the_dependents_of_a_deleted_owner_are_deleted_recursively)
{
    SCOPED_STAGE s = collector_open();

    own(s, "a", "");
    own(s, "b", "a");
    own(s, "c", "b");
    own(s, "d", "");
    pass(s, 5);
    then_str(names(s, kind_configmap), "a b c d");
    drop(s, kind_configmap, "a", PROPAGATION_BACKGROUND);
    then_str(names(s, kind_configmap), "b c d");
    pass(s, 10);
    then_str(names(s, kind_configmap), "d");
}

TEST(garbage_collection_happens_with_a_delay)
{
    SCOPED_STAGE s = collector_open();
    int64_t began;

    own(s, "a", "");
    for (int i = 0; i < 20; i++)
        own(s, str_format(s->arena, "b%d", i), "a");
    pass(s, 5);
    drop(s, kind_configmap, "a", PROPAGATION_BACKGROUND);
    began = world_now_ms(s->world);
    world_run_until(s->world, began + 200);
    then_true(str_has_prefix(names(s, kind_configmap), "b"));
    world_run_until(s->world, began + 2200);
    then_str(names(s, kind_configmap), "");
}

TEST(an_object_with_one_remaining_owner_is_kept_and_loses_the_other_reference)
{
    SCOPED_STAGE s = collector_open();
    const Json *object;

    own(s, "a", "");
    own(s, "b", "");
    own(s, "c", "a b");
    pass(s, 5);
    drop(s, kind_configmap, "a", PROPAGATION_BACKGROUND);
    pass(s, 5);
    object = look(s, kind_configmap, "c");
    then_int(json_count(json_find(object, ".metadata.ownerReferences")), 1);
    then_str(json_str(object, ".metadata.ownerReferences[0].name"), "b");
}

TEST(an_owner_reference_with_another_uid_does_not_count)
{
    SCOPED_STAGE s = collector_open();

    create(s,
        kind_configmap,
        "{metadata: {name: 'x', ownerReferences: [{apiVersion: 'v1', kind: 'ConfigMap',"
        " name: 'a', uid: 'somebody-else'}]}}");
    own(s, "a", "");
    pass(s, 5);
    then_str(names(s, kind_configmap), "a");
}

TEST(an_owner_reference_to_another_namespace_does_not_count)
{
    SCOPED_STAGE s = collector_open();
    const Json *owner =
        create(s, kind_configmap, "{metadata: {name: 'a', namespace: 'kube-system'}}");

    pass(s, 5);
    told(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind_configmap,
            .body = json_seal(s->arena,
                draft(s->arena,
                    obj("metadata",
                        str("name", "x"),
                        list("ownerReferences",
                            draft(s->arena,
                                str("apiVersion", "v1"),
                                str("kind", "ConfigMap"),
                                str("name", "a"),
                                str("uid", meta_uid(owner)))))))});
    pass(s, 5);
    then_str(names(s, kind_configmap), "");
}

TEST(an_owner_of_an_unknown_kind_keeps_its_dependents)
{
    SCOPED_STAGE s = collector_open();

    create(s,
        kind_configmap,
        "{metadata: {name: 'x', ownerReferences: [{apiVersion: 'test.io/v1', kind: 'Widget',"
        " name: 'w', uid: 'w'}]}}");
    pass(s, 60);
    then_str(names(s, kind_configmap), "x");
}

/* As there: all dependents go at once, whatever holds them; the owner waits for those that block.
 */
TEST(a_foreground_deletion_deletes_the_owner_last)
{
    SCOPED_STAGE s = collector_open();

    own(s, "a", "");
    own(s, "b", "a!");
    own(s, "c", "a!");
    own(s, "d", "a");
    hold(s, "b");
    hold(s, "d");
    pass(s, 5);
    drop(s, kind_configmap, "a", PROPAGATION_FOREGROUND);
    pass(s, 5);
    then_str(names(s, kind_configmap), "a† b† d†");
    let_go(s, "b");
    pass(s, 5);
    then_str(names(s, kind_configmap), "d†");
    let_go(s, "d");
    then_str(names(s, kind_configmap), "");
}

TEST(a_foreground_deletion_includes_dependents_of_dependents)
{
    SCOPED_STAGE s = collector_open();

    own(s, "a", "");
    own(s, "b", "a!");
    own(s, "c", "b!");
    hold(s, "c");
    pass(s, 5);
    drop(s, kind_configmap, "a", PROPAGATION_FOREGROUND);
    pass(s, 10);
    then_str(names(s, kind_configmap), "a† b† c†");
    then_true(meta_has_finalizer(look(s, kind_configmap, "b"), "foregroundDeletion"));
    let_go(s, "c");
    pass(s, 10);
    then_str(names(s, kind_configmap), "");
}

TEST(a_foreground_deletion_keeps_an_object_with_a_second_owner)
{
    SCOPED_STAGE s = collector_open();

    own(s, "a", "");
    own(s, "b", "");
    own(s, "c", "a! b");
    pass(s, 5);
    drop(s, kind_configmap, "a", PROPAGATION_FOREGROUND);
    pass(s, 5);
    then_str(names(s, kind_configmap), "b c");
    then_int(json_count(json_find(look(s, kind_configmap, "c"), ".metadata.ownerReferences")), 1);
}

TEST(an_orphaning_deletion_removes_the_owner_references_and_keeps_the_objects)
{
    SCOPED_STAGE s = collector_open();

    own(s, "a", "");
    own(s, "b", "a!");
    own(s, "c", "a");
    pass(s, 5);
    drop(s, kind_configmap, "a", PROPAGATION_ORPHAN);
    then_str(names(s, kind_configmap), "a† b c");
    pass(s, 10);
    then_str(names(s, kind_configmap), "b c");
    then_true(!json_find(look(s, kind_configmap, "b"), ".metadata.ownerReferences"));
}

/* --- somebody else writes between reading and deleting --- */

typedef struct Meddler {
    Api port;
    Stage *stage;
    const char *patch; /* of the object, before each delete that names a version */
    int deletes;
} Meddler;

static Err *meddle(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Meddler *m = (Meddler *)(void *)self;

    m->deletes += request->verb == VERB_DELETE;
    if (request->verb == VERB_DELETE && request->resource_version)
        patch(m->stage,
            kind_configmap,
            request->key.name,
            str_format(a, "{metadata: {labels: {n: '%d'}%s}}", m->deletes, m->patch));
    return api_call(m->stage->api, a, request, ret);
}

static const struct {
    const char *name, *patch, *left;
    int deletes;
} meddlings[] = {
    {"a change of its labels does not save it", "", "", 2},
    {"a change of its owners does", ", ownerReferences: null", "x", 1},
};

TEST(a_dependent_is_deleted_as_it_was_read_unless_its_owners_change)
{
    each_case(i, meddlings) {
        SCOPED_STAGE s = stage_open();
        ControllerOptions options = stage_options(s);
        Meddler meddler = {.port.call = meddle, .stage = s, .patch = meddlings[i].patch};
        Actor *collector = garbage_collector_open(&options, kinds);
        Sight sight = {.kind = kind_configmap,
            .key = {"default", "x"},
            .object = create(s,
                kind_configmap,
                "{metadata: {name: 'x', ownerReferences: [{apiVersion: 'v1', kind: 'ConfigMap',"
                " name: 'a', uid: 'gone'}]}}")};

        collector->see(collector, &sight, 0);
        for (int64_t now_ms = 0; now_ms < 100; now_ms++)
            collector->step(collector, s->arena, &meddler.port, now_ms);

        then_str(names(s, kind_configmap), meddlings[i].left);
        then_int(meddler.deletes, meddlings[i].deletes);
        collector->close(collector);
    }
}
