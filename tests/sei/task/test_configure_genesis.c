/* configure-genesis: a founder asks for the genesis when its fleet has published it. */
#include "tests/sei/definitions.h"
#include "tests/sei/fleets.h"
#include "tests/sei/pods.h"

#define FOUNDER                                                                                    \
    "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"     \
    " name: 'rpc', uid: '%s', controller: true}]}, spec: {fullNode: null, validator:"              \
    " {genesisCeremony: {chainId: 'c', stakingAmount: '1', accountBalance: '2', index: 0}}}}"

/* That of another version of the operator may let more pass than we can read. */
static void given_loose_definition(TaskWorld *w)
{
    const Json *loose = json_fixture(w->arena,
        "{spec: {versions: [{name: 'v1alpha1', served: true, storage: true,"
        " subresources: {status: {}}, schema: {openAPIV3Schema: {type: 'object',"
        " 'x-kubernetes-preserve-unknown-fields': true}}}]}}");
    const Json *definition = crd_load(w->arena, crd_seinodedeployment);
    Answer answer;

    world_ask(w,
        (Request){
            .verb = VERB_CREATE, .kind = kind_crd, .body = json_merge(w->arena, definition, loose)},
        &answer);
    then_int(answer.status, 201);
}

/* The fleet as a cache shows it; it is labelled so that the world takes it for one of ours. */
static const Json *given_fleet_with(TaskWorld *w, const char *change, const char *status)
{
    const Json *object = sample_fleet_object(w->arena,
        "{metadata: {uid: null, resourceVersion: null, labels: {'sei.io/node': 'x'}}, spec:"
        " {genesis: {chainId: 'c'}, template: {spec: {fullNode: null, validator: {}}}}}");

    object = json_merge(w->arena, object, json_fixture(w->arena, change));

    return given(w,
        kind_seinodedeployment,
        json_write(w->arena, object).data,
        str_format(w->arena, "{status: %s}", status));
}

static const Json *given_fleet(TaskWorld *w, const char *status)
{
    given_definition(w, crd_seinodedeployment);
    return given_fleet_with(w, "{}", status);
}

static void given_founder(TaskWorld *w, const char *uid)
{
    world_set_node(w, str_format(w->arena, FOUNDER, uid));
    given_statefulset(w);
    given_pod(w, new_pod(w));
}

#define PLAN(status)                                                                               \
    "{plan: {id: 'p', phase: 'Active', tasks: [{type: 'assemble-and-upload-genesis', id: 'a',"     \
    " status: '" status "'}]}}"
#define COMPLETE(status)                                                                           \
    "{conditions: [{type: 'GenesisCeremonyComplete', status: '" status "', reason: 'X',"           \
    " message: '', lastTransitionTime: '2026-01-01T00:00:00Z'}]}"

TEST(a_genesis_validator_waits_until_its_fleet_has_published_the_genesis)
{
    static const struct {
        const char *name, *status;
        bool waits;
    } cases[] = {
        {"nothing said", "{}", true},
        {"not founded", COMPLETE("False"), true},
        {"being assembled", PLAN("Pending"), true},
        {"assembled", PLAN("Complete"), false},
        {"published", "{genesisS3URI: 's3://b/c/genesis.json'}", false},
        {"founded", COMPLETE("True"), false},
    };

    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given_founder(w, meta_uid(given_fleet(w, cases[i].status)));
        Err *err = when_task_runs(w, TASK_CONFIGURE_GENESIS);
        then_err(err,
            cases[i].waits ? WAIT("SeiNodeDeployment rpc has not published the genesis yet")
                           : WAIT("has not answered yet"));
        then_int(w->sidecar.asked, !cases[i].waits);
        then_int(w->run.look_again_ms > 0, cases[i].waits);
    }
}

/* What it has published is known all the same. */
TEST(a_fleet_with_an_invalid_spec_is_awaited_until_it_has_published_the_genesis)
{
    static const struct {
        const char *name, *change, *status;
        bool waits;
    } cases[] = {
        {"no image", "{spec: {template: {spec: {image: ''}}}}", "{}", true},
        {"a budget that is none", "{spec: {updateStrategy: {maxUnavailable: 'few'}}}", "{}", true},
        {"published",
            "{spec: {template: {spec: {image: ''}}}}",
            "{genesisS3URI: 's3://b/c/genesis.json'}",
            false},
        {"founded", "{spec: {template: {spec: {image: ''}}}}", COMPLETE("True"), false},
        {"founds none", "{spec: {genesis: null, template: {spec: {image: ''}}}}", "{}", false},
    };

    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        given_loose_definition(w);
        const Json *object = given_fleet_with(w, cases[i].change, cases[i].status);
        then_err(fleet_decode(w->arena, object, arena_new(w->arena, Fleet)), TERMINAL(""));
        given_founder(w, meta_uid(object));
        then_err(when_task_runs(w, TASK_CONFIGURE_GENESIS),
            cases[i].waits ? WAIT("SeiNodeDeployment rpc has not published the genesis yet")
                           : WAIT("has not answered yet"));
    }
}

TEST(configure_genesis_is_submitted_without_a_wait_for_the_fleet_if_it_needs_none)
{
    static const struct {
        const char *name, *uid;
        bool submitted, superseded;
    } cases[] = {
        {"the fleet of another life", "00000000-0000-4000-8000-000000000000"},
        {"submitted before", NULL, .submitted = true},
        {"only awaited", NULL, .superseded = true},
    };

    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        const char *uid = meta_uid(given_fleet(w, "{}"));
        given_founder(w, cases[i].uid ? cases[i].uid : uid);
        w->run.task->submitted_at = cases[i].submitted ? "2026-01-01T00:00:00Z" : NULL;
        w->run.task->superseded = cases[i].superseded;
        then_err(when_task_runs(w, TASK_CONFIGURE_GENESIS), WAIT("has not answered yet"));
    }

    SCOPED_WORLD alone = world_of(NULL);
    given_statefulset(alone);
    given_pod(alone, new_pod(alone));
    then_err(when_task_runs(alone, TASK_CONFIGURE_GENESIS), WAIT("has not answered yet"));
}
