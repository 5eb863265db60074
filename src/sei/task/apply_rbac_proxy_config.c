/* apply-rbac-proxy-config: what the proxy in front of the sidecar lets in. Before the StatefulSet,
 * whose pod would otherwise hang in its creation. */
#include "sei/task/kinds.h"

static Err *apply_rbac_proxy_config(Ctx *c, TaskRun *run)
{
    const Wanted *wanted = run->wanted;

    return task_apply_object(
        c, run, kind_configmap, wanted->proxy_config, wanted->proxy_config_owned);
}

const TaskKind task_apply_rbac_proxy_config = {
    .type = TASK_APPLY_RBAC_PROXY_CONFIG, .step = apply_rbac_proxy_config};
