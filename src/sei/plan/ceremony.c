/* The course of a genesis ceremony: a validator makes its own identity and first transaction, hands
 * them in, and waits until the genesis of all of them is published. Its peers come from there, too:
 * those of the spec are not asked. */
#include "sei/plan/course.h"

static const Json *identity_params(Arena *a, const SeiNode *node)
{
    return json_seal(
        a, draft(a, str("ChainID", node->spec.ceremony.chain_id), str("Moniker", node->key.name)));
}

static const Json *gentx_params(Arena *a, const GenesisCeremony *ceremony)
{
    return json_seal(a,
        draft(a,
            str("ChainID", ceremony->chain_id),
            str("StakingAmount", ceremony->staking_amount),
            str("AccountBalance", ceremony->account_balance)));
}

static const Json *upload_params(Arena *a, const SeiNode *node)
{
    return json_seal(a, draft(a, str("NodeName", node->key.name)));
}

void plan_ceremony_init(Planning *p, Plan *plan)
{
    Arena *a = p->a;
    const SeiNode *node = p->node;

    plan_add_own_task(p, plan, TASK_ENSURE_DATA_PVC);
    plan_add_key_checks(p, plan);
    plan_add_own_task(p, plan, TASK_APPLY_RBAC_PROXY_CONFIG);
    plan_add_teardown(p, plan);
    plan_add_pod(p, plan);
    plan_add_task(a, plan, TASK_GENERATE_IDENTITY, identity_params(a, node));
    plan_add_task(a, plan, TASK_GENERATE_GENTX, gentx_params(a, &node->spec.ceremony));
    plan_add_task(a, plan, TASK_UPLOAD_GENESIS_ARTIFACTS, upload_params(a, node));
    plan_add_plain_task(p, plan, TASK_CONFIGURE_GENESIS);
    plan_add_task(a, plan, TASK_CONFIG_APPLY, plan_config_intent(a, node));
    plan_add_plain_task(p, plan, TASK_SET_GENESIS_PEERS);
    plan_add_plain_task(p, plan, TASK_CONFIG_VALIDATE);
    plan_add_plain_task(p, plan, TASK_MARK_READY);
}
