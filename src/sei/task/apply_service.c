/* apply-service: the headless Service by which a node is known on the network. */
#include "sei/task/kinds.h"

static Err *apply_service(Ctx *c, TaskRun *run)
{
    const Wanted *wanted = run->wanted;

    return task_apply_object(c, run, kind_service, wanted->service, wanted->service_owned);
}

const TaskKind task_apply_service = {.type = TASK_APPLY_SERVICE, .step = apply_service};
