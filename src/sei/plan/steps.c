/* Steps: what the courses of an init have in common. */
#include "sei/plan/course.h"

void plan_add_plain_task(Planning *p, Plan *plan, TaskType type)
{
    plan_add_task(p->a, plan, type, json_seal(p->a, draft_object(p->a)));
}

static void add_key_check(Planning *p, Plan *plan, TaskType type, const char *secret)
{
    if (!secret)
        return;
    Draft *params =
        draft(p->a, str("secretName", secret), str("namespace", p->node->key.namespace));
    plan_add_task(p->a, plan, type, json_seal(p->a, params));
}

static void add_keyring_check(Planning *p, Plan *plan, const KeyringSource *keyring)
{
    if (!keyring->secret)
        return;
    Draft *params = draft(p->a,
        str("secretName", keyring->secret),
        str("keyName", keyring->key_name),
        str("passphraseSecretName", keyring->passphrase),
        str("passphraseSecretKey", keyring->passphrase_key),
        str("namespace", p->node->key.namespace));
    plan_add_task(p->a, plan, TASK_VALIDATE_OPERATOR_KEYRING, json_seal(p->a, params));
}

void plan_add_key_checks(Planning *p, Plan *plan)
{
    const NodeSpec *spec = &p->node->spec;

    add_key_check(p, plan, TASK_VALIDATE_SIGNING_KEY, spec->signing_key.secret);
    add_key_check(p, plan, TASK_VALIDATE_NODE_KEY, spec->node_key.secret);
    add_keyring_check(p, plan, &spec->keyring);
}

void plan_add_pod(Planning *p, Plan *plan)
{
    plan_add_own_task(p, plan, TASK_APPLY_STATEFULSET);
    if (p->match == POD_STALE) /* so an image that cannot be pulled is cured by editing it */
        plan_add_own_task(p, plan, TASK_REPLACE_POD);
    plan_add_own_task(p, plan, TASK_APPLY_SERVICE);
}

static const Json *restore_params(Arena *a, const SnapshotSource *snapshot)
{
    return json_seal(a, draft(a, num("TargetHeight", snapshot->s3_height)));
}

static const Json *state_sync_params(Arena *a, const SnapshotSource *snapshot)
{
    return json_seal(a,
        draft(a,
            flag("UseLocalSnapshot", snapshot->has_s3),
            str("TrustPeriod", snapshot->trust_period ? snapshot->trust_period : ""),
            num("BackfillBlocks", snapshot->backfill_blocks)));
}

void plan_add_stage(Planning *p, Plan *plan, Stage stage)
{
    Arena *a = p->a;
    const SnapshotSource *snapshot = &p->node->spec.snapshot;
    bool makes_data = stage != STAGE_BOOTSTRAPPED && snapshot->is_set;

    if (makes_data && snapshot->has_s3)
        plan_add_task(a, plan, TASK_SNAPSHOT_RESTORE, restore_params(a, snapshot));
    plan_add_plain_task(p, plan, TASK_CONFIGURE_GENESIS);
    plan_add_task(a, plan, TASK_CONFIG_APPLY, plan_config_intent(a, p->node));
    if (json_count(p->node->spec.peers))
        plan_add_task(a, plan, TASK_DISCOVER_PEERS, plan_peer_sources(a, p->node));
    if (makes_data)
        plan_add_task(a, plan, TASK_CONFIGURE_STATE_SYNC, state_sync_params(a, snapshot));
    plan_add_plain_task(p, plan, TASK_CONFIG_VALIDATE);
    if (stage != STAGE_BOOTSTRAP)
        plan_add_upload(p, plan);
    plan_add_plain_task(p, plan, TASK_MARK_READY);
}
