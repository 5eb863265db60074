/* The course of an init with a bootstrap Job: the data are restored and brought to their height in
 * the pod of the Job, by its own image; then the node's own pod takes them over.
 *
 * The plan has most of the sidecar's tasks twice: whoever looks for one must know in which stage.
 */
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/plan/course.h"

static void add_task(Planning *p, Plan *plan, TaskType type)
{
    const char *node = p->node->key.name;
    bool has_job = type != TASK_DEPLOY_BOOTSTRAP_SERVICE;
    bool has_service = type == TASK_DEPLOY_BOOTSTRAP_SERVICE || type == TASK_TEARDOWN_BOOTSTRAP;
    Draft *params = draft(p->a,
        str("jobName", has_job ? name_bootstrap_job(p->a, node) : NULL),
        str("serviceName", has_service ? node : NULL),
        str("namespace", p->node->key.namespace));

    plan_add_task(p->a, plan, type, json_seal(p->a, params));
}

void plan_bootstrap_init(Planning *p, Plan *plan)
{
    plan_add_own_task(p, plan, TASK_ENSURE_DATA_PVC);
    plan_add_own_task(p, plan, TASK_APPLY_RBAC_PROXY_CONFIG);
    plan_add_key_checks(p, plan);
    add_task(p, plan, TASK_DEPLOY_BOOTSTRAP_SERVICE);
    add_task(p, plan, TASK_DEPLOY_BOOTSTRAP_JOB);
    plan_add_stage(p, plan, STAGE_BOOTSTRAP);
    add_task(p, plan, TASK_AWAIT_BOOTSTRAP_COMPLETE);
    add_task(p, plan, TASK_TEARDOWN_BOOTSTRAP);
    plan_add_pod(p, plan);
    plan_add_stage(p, plan, STAGE_BOOTSTRAPPED);
}

void plan_add_teardown(Planning *p, Plan *plan)
{
    const Json *job = p->s->bootstrap_job;
    const Plan *old = p->superseded ? p->superseded : &p->status->plan;
    bool has_plan = p->superseded || p->status->has_plan;

    if ((job && meta_controlled_by(job, p->node->object))
        || (has_plan && plan_is_bootstrapping(old)))
        add_task(p, plan, TASK_TEARDOWN_BOOTSTRAP);
}
