/* deploy-bootstrap-service: the name on the network for the Job's pod.
 *
 * It has the name that the node's own Service will have, so one of those may still be there, from
 * an earlier attempt: it would lead to whatever pod there is, and is replaced. */
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/task/kinds.h"

bool bootstrap_selects_job(const Json *service, const Wanted *wanted)
{
    return json_equal(json_find(service, ".spec.selector"),
        json_find(wanted->bootstrap_service, ".spec.selector"));
}

static Err *use_existing(Ctx *c, const TaskRun *run, const Json *there)
{
    Arena *a = c->arena;

    TRY(bootstrap_check_standing(a, run, kind_service, there));
    if (meta_deleting(there))
        return err_wait(
            a, "Service %s is being deleted: it is made again when it is gone", meta_name(there));
    if (bootstrap_selects_job(there, run->wanted))
        return OK;
    TRY(kube_delete(c, kind_service, there, (DeleteOptions){0}));
    return err_wait(a, "Service %s selects other pods, and is replaced", meta_name(there));
}

static Err *deploy_bootstrap_service(Ctx *c, TaskRun *run)
{
    const Json *wanted = run->wanted->bootstrap_service, *there, *made;

    if (!wanted)
        return err_terminal(c->arena, "the spec has no bootstrap image with a height any more");
    TRY(kube_find(c, kind_service, run->node->key, &there));
    if (there)
        return use_existing(c, run, there);
    Err *err = kube_create(c, kind_service, wanted, &made);
    if (!status_is_already_exists(err))
        return err;
    /* It has not our label. */
    TRY(kube_get_if_any(c, kind_service, run->node->key, &there));
    return there ? use_existing(c, run, there) : err;
}

const TaskKind task_deploy_bootstrap_service = {
    .type = TASK_DEPLOY_BOOTSTRAP_SERVICE, .step = deploy_bootstrap_service};
