/* Bootstrap Jobs for tests of tasks: a node that is set up by one, the Job as our task makes it,
 * and its pod. */
#ifndef TESTS_SEI_JOBS_H
#define TESTS_SEI_JOBS_H

#include "tests/sei/world.h"

#define BOOTSTRAP_NODE                                                                             \
    "{spec: {fullNode: {snapshot: {s3: {targetHeight: 9}, bootstrapImage: 'seid:v5'}}}}"

/* The world of such a node, with its claim; the plan is in its first stage. */
static inline TaskWorld *bootstrap_world(void)
{
    TaskWorld *w = world_of(BOOTSTRAP_NODE);
    Plan *plan = &w->status.plan;

    then_ok(when_task_runs(w, TASK_ENSURE_DATA_PVC));
    w->status.has_plan = true;
    *plan = (Plan){.id = "p", .kind = PLAN_INIT, .failed_index = -1};
    plan_add_task(w->arena, plan, TASK_CONFIG_APPLY, NULL);
    plan_add_task(w->arena, plan, TASK_DEPLOY_BOOTSTRAP_JOB, NULL);
    plan_add_task(w->arena, plan, TASK_MARK_READY, NULL);
    plan_add_task(w->arena, plan, TASK_TEARDOWN_BOOTSTRAP, NULL);
    w->run.task = &plan->tasks[0];
    return w;
}

/* The Job as it is wanted, with a merge patch; ABSENT: none. */
static inline const Json *given_job(TaskWorld *w, const char *patch)
{
    return given(w, kind_job, json_write(w->arena, w->wanted.bootstrap_job).data, patch);
}

/* A pod of that Job. */
static inline const Json *given_job_pod(TaskWorld *w, const char *patch)
{
    const Json *job = stored(w, kind_job, "rpc-0-bootstrap");
    const char *pod = str_format(w->arena,
        "{metadata: {name: 'rpc-0-bootstrap-x', namespace: 'sei',"
        "  labels: {'sei.io/node': 'rpc-0', 'sei.io/component': 'bootstrap'},"
        "  annotations: {'sei.io/template-hash': 'x'},"
        "  ownerReferences: [{apiVersion: 'batch/v1', kind: 'Job', name: 'rpc-0-bootstrap',"
        "   uid: '%s', controller: true}]},"
        " spec: {restartPolicy: 'Never', containers: [{name: 'seid', image: 'seid:v5'}],"
        "  volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data-rpc-0'}}]},"
        " status: {phase: 'Running', podIP: '10.0.0.9'}}",
        job ? meta_uid(job) : "gone");

    return given(w, kind_pod, pod, patch);
}

#define JOB_IS(type)                                                                               \
    "{status: {startTime: '2026-01-01T00:00:00Z', conditions: [{type: '" type                      \
    "', status: 'True', reason: 'R', message: 'its words'}]}}"

#endif
