/* teardown-bootstrap: Job, pod and Service are gone, or it waits; what is not ours stays. */
#include "tests/sei/jobs.h"

static const struct {
    const char *name, *job, *pod, *service, *said;
    bool stop;
    Want want;
} cases[] = {
    {"nothing is there", ABSENT, ABSENT, ABSENT, "list pods"},
    {"the Job goes first",
        "{}",
        "{}",
        "{}",
        "get persistentvolumeclaims data-rpc-0, delete jobs rpc-0-bootstrap",
        .want = WAIT("being deleted with its pod")},
    {"no pod goes with a volume that is going",
        "{}",
        "{}",
        "{}",
        .stop = true,
        .want = WAIT("condition Stalled")},
    {"then its pod", ABSENT, "{}", "{}", .want = WAIT("has not ended yet")},
    {"a pod that has ended is on no volume",
        ABSENT,
        "{status: {phase: 'Succeeded'}}",
        "{}",
        "delete services rpc-0, list pods"},
    {"then the Service", ABSENT, ABSENT, "{}", "delete services rpc-0, list pods"},
    {"the node's own Service stays",
        ABSENT,
        ABSENT,
        "{spec: {selector: {'sei.io/component': null}}}",
        "list pods"},
    {"a foreign Job stays", "{metadata: {ownerReferences: null}}", ABSENT, ABSENT, "list pods"},
    {"a foreign Service stays", ABSENT, ABSENT, "{metadata: {ownerReferences: null}}", "list pods"},
};

TEST(the_bootstrap_stage_is_torn_down_in_a_fixed_order)
{
    each_case(i, cases) {
        SCOPED_WORLD w = bootstrap_world();
        given_job(w, cases[i].job);
        given_job_pod(w, cases[i].pod);
        given(w,
            kind_service,
            json_write(w->arena, w->wanted.bootstrap_service).data,
            cases[i].service);
        w->run.stop_no_pod = cases[i].stop;

        then_err(when_task_runs(w, TASK_TEARDOWN_BOOTSTRAP), cases[i].want);

        then_str(w->said, cases[i].said);
    }
}

TEST(teardown_of_the_bootstrap_stage_waits_until_the_volume_is_free)
{
    SCOPED_WORLD w = bootstrap_world();
    given(w,
        kind_pod,
        "{metadata: {name: 'analyzer', namespace: 'sei'}, spec: {containers: [{name: 'a',"
        " image: 'a'}], volumes: [{name: 'v', persistentVolumeClaim: {claimName: 'data-rpc-0'}}]}}",
        NULL);

    then_err(when_task_runs(w, TASK_TEARDOWN_BOOTSTRAP), WAIT("in use by pod analyzer"));
}
