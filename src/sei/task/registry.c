/* Registry: every task that there is, in the order of its type; but for those of fleets that are
 * nothing but a look, which the planner takes itself. */
#include "sei/task/kinds.h"

static const TaskKind *const kinds[] = {
    &task_ensure_data_pvc,
    &task_validate_signing_key,
    &task_validate_node_key,
    &task_validate_operator_keyring,
    &task_apply_rbac_proxy_config,
    &task_apply_statefulset,
    &task_apply_service,
    &task_replace_pod,
    &task_observe_image,
    &task_deploy_bootstrap_service,
    &task_deploy_bootstrap_job,
    &task_await_bootstrap_complete,
    &task_teardown_bootstrap,
    &task_collect_and_set_peers,
};

const TaskKind *task_find(TaskType type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i]->type == type)
            return kinds[i];
    return task_find_sidecar(type);
}
