/* assemble-and-upload-genesis: the sidecar of the first founder makes one genesis of what all have
 * handed in, and publishes it.
 *
 * The surprising thing is that nothing is begun before every founder is known to have given its
 * part: a sidecar cannot repeat an assembly that ended half way. The founders for their part ask
 * for the genesis only when it is published (configure_genesis.c), so that no sidecar ever has two
 * tasks. */
#include "sei/task/kinds.h"

enum { ANSWER_LOOK_MS = 2000 }; /* what a sidecar says wakes its node, not the fleet */

static bool has_handed_in(const SeiNode *node)
{
    const Plan *plan = &node->status.plan;

    if (node->status.phase == PHASE_RUNNING)
        return true;
    for (size_t i = 0; node->status.has_plan && i < plan->task_count; i++) {
        const PlannedTask *task = &plan->tasks[i];
        if (task->type == TASK_UPLOAD_GENESIS_ARTIFACTS && !task->superseded)
            return task->status == TASK_COMPLETE;
    }
    return false;
}

static Err *await_founders(Ctx *c, const TaskFleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (!has_handed_in(fleet->nodes[i]))
            return err_wait(c->arena,
                "SeiNode %s has not handed in its part of the genesis yet",
                fleet->nodes[i]->key.name);
    return OK;
}

Err *task_assemble_genesis(Ctx *c, TaskRun *run)
{
    if (!run->task->submitted_at)
        TRY(await_founders(c, run->fleet));
    Err *err = task_sidecar_step(c, run);
    bool is_later = run->look_again_ms == 0 || run->look_again_ms > ANSWER_LOOK_MS;
    if (err_is(err, ERR_WAIT) && is_later) /* an answer wakes the node, not the fleet */
        run->look_again_ms = ANSWER_LOOK_MS;
    return err;
}
