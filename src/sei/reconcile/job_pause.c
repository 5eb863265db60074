/* Pausing in the first stage of a set-up that has two: the Job is suspended, so its pod ends, and
 * is resumed with the node. An annotation says that it was us: a Job that somebody else has
 * suspended stays so until the node is paused and unpaused. What its sidecar has done stands on the
 * volume. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

bool is_bootstrapping(const NodePass *p)
{
    const NodeStatus *status = &p->node.status;

    return status->has_plan && status->plan.kind == PLAN_INIT && status->plan.phase != PLAN_COMPLETE
        && plan_is_bootstrapping(&status->plan);
}

static Err *suspend(NodePass *p, const Json *job, bool suspended)
{
    Arena *a = p->c->arena;
    const Json *mark;

    TRY(json_parse(a, bytes_of(suspended ? "\"true\"" : "null"), &mark));
    const Json *patch = json_seal(a,
        draft(a,
            obj("metadata",
                str("uid", meta_uid(job)),
                obj("annotations", draft_json(ANNOTATION_PAUSED, mark))),
            obj("spec", flag("suspend", suspended))));
    return kube_merge_patch(p->c, kind_job, job, patch, NULL);
}

static Err *stop(NodePass *p, TaskRun *run, const Json *job)
{
    TRY(task_volume_stays(p->c, run));
    TRY(suspend(p, job, true));
    p->job_is_stopped = true;
    return OK;
}

bool job_runs(const NodePass *p)
{
    const Json *job = p->snapshot.bootstrap_job;

    return meta_controlled_by(job, p->node.object) && !meta_deleting(job) && !job_is_complete(job)
        && !job_is_failed(job) && !json_bool(job, ".spec.suspend", false);
}

Err *keep_job_pause(NodePass *p)
{
    const Json *job = p->snapshot.bootstrap_job;
    bool is_ours = meta_annotation(job, ANNOTATION_PAUSED) != NULL;
    bool stands = json_bool(job, ".spec.suspend", false) && is_ours;
    TaskRun run = task_run_of(p);

    if (!job || !meta_controlled_by(job, p->node.object) || meta_deleting(job)
        || job_is_complete(job) || job_is_failed(job) || stands == p->node.spec.paused)
        return OK;
    if (p->node.spec.paused)
        return p->decision.stop_no_pod ? OK : stop(p, &run, job);
    if (!is_ours || p->decision.hold_statefulset)
        return OK;
    TRY(task_start_on_volume(p->c, &run, VOLUME_LOOK_UNUSED));
    Err *err = suspend(p, job, false);
    task_doubt_start(p->c, &run, err);
    return err;
}
