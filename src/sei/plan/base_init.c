/* The base course of an init: everything is done in the node's own pod. */
#include "sei/plan/course.h"

void plan_base_init(Planning *p, Plan *plan)
{
    plan_add_own_task(p, plan, TASK_ENSURE_DATA_PVC);
    plan_add_key_checks(p, plan);
    plan_add_own_task(p, plan, TASK_APPLY_RBAC_PROXY_CONFIG);
    plan_add_teardown(p, plan);
    plan_add_pod(p, plan);
    plan_add_stage(p, plan, STAGE_WHOLE);
}
