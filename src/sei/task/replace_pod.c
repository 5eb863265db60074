/* replace-pod: deletes the pod that was made from an old template.
 *
 * The StatefulSet is OnDelete, so nobody else will. Blind to readiness: a seid that is halted at an
 * upgrade height is the very pod to replace. */
#include "sei/task/kinds.h"

static Err *replace_pod(Ctx *c, TaskRun *run)
{
    Rollout rollout;

    TRY(rollout_look(c, run, &rollout));
    return rollout_replace(c, run, &rollout);
}

const TaskKind task_replace_pod = {.type = TASK_REPLACE_POD, .step = replace_pod};
