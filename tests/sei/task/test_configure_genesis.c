/* configure-genesis: a founder asks for the genesis when its fleet has published it. */
#include "tests/sei/definitions.h"
#include "tests/sei/fleets.h"
#include "tests/sei/pods.h"

#define FOUNDER                                                                                    \
    "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"     \
    " name: 'rpc', uid: '%s', controller: true}]}, spec: {fullNode: null, validator:"              \
    " {genesisCeremony: {chainId: 'c', stakingAmount: '1', accountBalance: '2', index: 0}}}}"

/* The fleet as a cache shows it; it is labelled so that the world takes it for one of ours. */
static const Json *given_fleet(TaskWorld *w, const char *status)
{
    const Json *object = sample_fleet_object(w->arena,
        "{metadata: {uid: null, resourceVersion: null, labels: {'sei.io/node': 'x'}}, spec:"
        " {genesis: {chainId: 'c'}, template: {spec: {fullNode: null, validator: {}}}}}");

    given_definition(w, crd_seinodedeployment);
    return given(w,
        kind_seinodedeployment,
        json_write(w->arena, object).data,
        str_format(w->arena, "{status: %s}", status));
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

TEST(a_founder_waits_for_its_fleet)
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

TEST(whoever_has_no_fleet_to_ask_tries)
{
    static const struct {
        const char *name, *uid;
        bool submitted;
    } cases[] = {
        {"the fleet of another life", "00000000-0000-4000-8000-000000000000"},
        {"handed over before", NULL, .submitted = true},
    };

    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        const char *uid = meta_uid(given_fleet(w, "{}"));
        given_founder(w, cases[i].uid ? cases[i].uid : uid);
        w->run.task->submitted_at = cases[i].submitted ? "2026-01-01T00:00:00Z" : NULL;
        then_err(when_task_runs(w, TASK_CONFIGURE_GENESIS), WAIT("has not answered yet"));
    }

    SCOPED_WORLD alone = world_of(NULL);
    given_statefulset(alone);
    given_pod(alone, new_pod(alone));
    then_err(when_task_runs(alone, TASK_CONFIGURE_GENESIS), WAIT("has not answered yet"));
}
