/* configure-genesis: the sidecar fetches the genesis of the chain.
 *
 * A founder whose fleet has not published it yet is not sent there to fail: it waits, and spends
 * none of its attempts. Who founds a chain without a fleet has nobody to ask, and tries. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/fleet_status.h"
#include "sei/task/kinds.h"

/* The fleet that brings the founders together; NULL: there is none. */
static Err *find_fleet(Ctx *c, const SeiNode *node, const Json **ret)
{
    const Json *controller = meta_controller(node->object);
    const char *name = json_str(controller, ".name");

    *ret = NULL;
    if (!node->spec.ceremony.is_set || str_empty(name)
        || !str_eq(json_str(controller, ".kind"), kind_seinodedeployment->name))
        return OK;
    TRY(kube_find(
        c, kind_seinodedeployment, (Key){.namespace = node->key.namespace, .name = name}, ret));
    if (*ret && !meta_controlled_by(node->object, *ret))
        *ret = NULL;
    return OK;
}

/* Of a status that cannot be read as a whole the rest counts; a spec is not asked for more than
 * whether it founds a chain. */
static bool is_published(Arena *a, const Json *object)
{
    FleetStatus *status = arena_new(a, FleetStatus);
    Err *unreadable = fleet_status_decode(a, object, status);
    bool founds = json_type(json_find(object, ".spec.genesis")) == JSON_OBJECT;
    PlannedTask *assembly =
        status->has_plan ? plan_find_task(&status->plan, TASK_ASSEMBLE_GENESIS) : NULL;

    (void)unreadable;
    if (!founds || status->genesis_uri || conds_is_true(&status->conds, COND_GENESIS_COMPLETE))
        return true;
    return assembly && assembly->status == TASK_COMPLETE;
}

Err *task_configure_genesis(Ctx *c, TaskRun *run)
{
    const Json *fleet;
    bool may_be_there = run->task->submitted_at || run->task->superseded;

    if (may_be_there)
        return task_sidecar_step(c, run);
    TRY(find_fleet(c, run->node, &fleet));
    if (fleet && !is_published(c->arena, fleet)) {
        run->look_again_ms = TASK_LOOK_MS;
        return err_wait(c->arena,
            "SeiNodeDeployment %s has not published the genesis yet; its status.plan says why",
            meta_name(fleet));
    }
    return task_sidecar_step(c, run);
}
