/* deploy-bootstrap-job: made when nothing is on the volume, kept while it is of use, replaced
 * otherwise, and never somebody else's. */
#include "tests/sei/jobs.h"
#include "tests/sei/pods.h"

#define MADE(plan) "{metadata: {annotations: {'sei.io/plan': '" plan "'}}}"
#define REPLACED   "get persistentvolumeclaims data-rpc-0, delete jobs rpc-0-bootstrap"

static const struct {
    const char *name, *job, *status, *said;
    bool has_begun, stop;
    Want want;
} jobs[] = {
    {"none", ABSENT, .said = "list pods, create jobs rpc-0-bootstrap"},
    {"a Job of this plan", MADE("p")},
    {"a Job of an earlier plan whose tasks continue", MADE("before"), .has_begun = true},
    {"a Job of an earlier plan, and all tasks are repeated",
        MADE("before"),
        .said = REPLACED,
        .want = WAIT("is replaced")},
    {"a Job of another template",
        "{metadata: {annotations: {'sei.io/template-hash': 'other'}}}",
        .said = REPLACED,
        .want = WAIT("is replaced")},
    {"a Job of the Go operator with the same image",
        "{metadata: {annotations: null}}",
        .has_begun = true},
    {"a Job of the Go operator with the same image, and all tasks are repeated",
        "{metadata: {annotations: null}}",
        .said = REPLACED,
        .want = WAIT("is replaced")},
    {"a Job of the Go operator with another image",
        "{metadata: {annotations: null}, spec: {template: {spec: {containers: [{name: 'seid',"
        " image: 'x'}]}}}}",
        .said = REPLACED,
        .want = WAIT("is replaced")},
    {"a Job that has failed",
        MADE("p"),
        .status = JOB_IS("FailureTarget"),
        .want = OKAY}, /* not before its pods have ended */
    {"while no pod may be stopped",
        "{metadata: {annotations: {'sei.io/template-hash': 'other'}}}",
        .stop = true,
        .want = WAIT("condition Stalled")},
    {"a Job without an owner",
        "{metadata: {ownerReferences: null}}",
        .want = TERMINAL("left alone")},
    {"a Job of an earlier node",
        "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"
        " name: 'rpc-0', uid: 'before', controller: true}]}}",
        .want = WAIT("yet to be collected")},
    {"a Job without our label",
        "{metadata: {labels: {'sei.io/node': null}, ownerReferences: null}}",
        .said = "list pods, create jobs rpc-0-bootstrap, get jobs rpc-0-bootstrap",
        .want = TERMINAL("left alone")},
};

TEST(a_bootstrap_job_is_created_or_kept_or_replaced)
{
    each_case(i, jobs) {
        SCOPED_WORLD w = bootstrap_world();
        given_job(w, jobs[i].job);
        if (jobs[i].has_begun)
            plan_find_bootstrap_task(&w->status.plan, TASK_MARK_READY)->status = TASK_COMPLETE;
        if (jobs[i].status)
            changed(w, kind_job, "rpc-0-bootstrap", "status", jobs[i].status);
        w->run.stop_no_pod = jobs[i].stop;

        then_err(when_task_runs(w, TASK_DEPLOY_BOOTSTRAP_JOB), jobs[i].want);

        then_str(w->said, jobs[i].said);
    }
}

TEST(a_bootstrap_job_records_the_plan_that_created_it)
{
    SCOPED_WORLD w = bootstrap_world();

    then_ok(when_task_runs(w, TASK_DEPLOY_BOOTSTRAP_JOB));

    const Json *job = stored(w, kind_job, "rpc-0-bootstrap");
    then_str(meta_annotation(job, "sei.io/plan"), "p");
    then_str(meta_annotation(job, "sei.io/template-hash"), w->wanted.bootstrap_hash);
}

static const struct {
    const char *name, *pod;
    Want want;
} users[] = {
    {"a foreign Job", sample_job, WAIT("in use by pod analyzer")},
    {"the node's own pod", sample_pod, WAIT("in use by pod rpc-0-0")},
};

TEST(a_bootstrap_job_is_created_only_when_no_pod_uses_the_volume)
{
    each_case(i, users) {
        SCOPED_WORLD w = bootstrap_world();
        given(w, kind_pod, users[i].pod, NULL);

        Err *err = when_task_runs(w, TASK_DEPLOY_BOOTSTRAP_JOB);

        then_err(err, users[i].want);
        then_str(err->reason, "VolumeInUse");
        then_true(!stored(w, kind_job, "rpc-0-bootstrap"));
    }
}
