/* assemble-and-upload-genesis: begun once, when every founder has given its part. */
#include "tests/sei/pods.h"

#define HANDED_IN(status)                                                                          \
    "{status: {phase: 'Initializing', plan: {id: 'p', phase: 'Active', kind: 'init', tasks: ["     \
    "{type: 'upload-genesis-artifacts', id: 'u', status: '" status "'},"                           \
    "{type: 'configure-genesis', id: 'g', status: 'Pending'}]}}}"

/* Two founders: the sample node, whose sidecar is asked, and another one. */
static void given_founders(TaskWorld *w, TaskFleet *fleet, const char *other)
{
    SeiNode *first = arena_new(w->arena, SeiNode), *second = arena_new(w->arena, SeiNode);

    given_statefulset(w);
    given_pod(w, new_pod(w));
    *first = sample_node(w->arena, HANDED_IN("Complete"));
    *second = sample_node(w->arena, other);
    second->key.name = "rpc-1";
    *fleet = (TaskFleet){.nodes = {first, second}, .count = 2};
    w->run.fleet = fleet;
    w->run.task->params = json_fixture(w->arena,
        "{AccountBalance: '5usei', Namespace: 'sei', Nodes: [{name: 'rpc-0'}, {name: 'rpc-1'}],"
        " Accounts: []}");
}

TEST(genesis_assembly_waits_until_every_validator_has_uploaded_its_part)
{
    static const struct {
        const char *name, *other, *submitted_at;
        int asked;
        Want want;
    } cases[] = {
        {"nothing begun", "{}", NULL, 0, WAIT("SeiNode rpc-1 has not handed in its part")},
        {"at it", HANDED_IN("Pending"), NULL, 0, WAIT("SeiNode rpc-1 has not handed in its part")},
        {"handed in", HANDED_IN("Complete"), NULL, 1, WAIT("has not answered yet")},
        {"runs already", "{status: {phase: 'Running'}}", NULL, 1, WAIT("has not answered yet")},
        {"begun before", "{}", "2026-01-01T00:00:00Z", 1, WAIT("has not answered yet")},
    };

    each_case(i, cases) {
        SCOPED_WORLD w = world_of(NULL);
        TaskFleet fleet;
        given_founders(w, &fleet, cases[i].other);
        w->run.task->submitted_at = cases[i].submitted_at;
        then_err(when_task_runs(w, TASK_ASSEMBLE_GENESIS), cases[i].want);
        then_int(w->sidecar.asked, cases[i].asked);
    }
}

TEST(genesis_assembly_is_submitted_to_the_sidecar_of_the_first_validator)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founders(w, &fleet, HANDED_IN("Complete"));
    then_err(when_task_runs(w, TASK_ASSEMBLE_GENESIS), WAIT(""));
    then_str(w->sidecar.target.host, "rpc-0-0.rpc-0.sei.svc.cluster.local:8443");
    then_str(w->sidecar.job.type, "assemble-and-upload-genesis");
    then_json(w->sidecar.job.params,
        "{accountBalance: '5usei', namespace: 'sei', nodes: [{name: 'rpc-0'}, {name: 'rpc-1'}]}");
    then_true(w->run.look_again_ms > 0); /* nobody wakes the fleet */
}

TEST(the_result_of_genesis_assembly_is_stored_with_its_task)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founders(w, &fleet, HANDED_IN("Complete"));
    sidecar_says(w,
        TASK_ASSEMBLE_GENESIS,
        (SidecarNews){SIDECAR_COMPLETED, .submitted = true, .result = "{\"genesisHash\":\"ab\"}"});
    then_ok(when_task_runs(w, TASK_ASSEMBLE_GENESIS));
    then_str(w->run.result, "{\"genesisHash\":\"ab\"}");
}

/* What an attempt has done counts against the budget, which the executor keeps. */
TEST(a_failed_genesis_assembly_counts_as_a_failed_attempt)
{
    SCOPED_WORLD w = world_of(NULL);
    TaskFleet fleet;

    given_founders(w, &fleet, HANDED_IN("Complete"));
    sidecar_says(w, TASK_ASSEMBLE_GENESIS, (SidecarNews){SIDECAR_FAILED, true, "no bucket"});
    then_err(when_task_runs(w, TASK_ASSEMBLE_GENESIS), FAILED("no bucket"));
}
