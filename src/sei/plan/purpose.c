/* Purpose: what a task prepares the data volume for. The params of a task do not say all of it: the
 * sidecar takes the chain and the buckets from its environment. And it does such a task once per
 * volume: a file on the volume makes every later run do nothing and succeed. */
#include "sei/plan/purpose.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"

static const char *chain_of(const Planning *p)
{
    const char *recorded = p->status->identity.chain_id;
    return recorded ? recorded : p->node->spec.chain_id;
}

static NodeMode mode_of(const Planning *p)
{
    return p->status->identity.chain_id ? p->status->identity.mode : p->node->spec.mode;
}

static const char *bucket_text(const char *bucket)
{
    return bucket ? bucket : "";
}

static const char *snapshot_text(const Planning *p, const char *node)
{
    int64_t height = p->node->spec.snapshot.s3_height;
    const char *which =
        height > 0 ? str_format(p->a, "up to height %lld", (long long)height) : "of any height";

    return str_format(p->a,
        "%s, newest snapshot %s from s3://%s",
        node,
        which,
        bucket_text(p->s->settings->snapshot_bucket));
}

const char *plan_purpose(const Planning *p, TaskType type)
{
    const NodeSpec *spec = &p->node->spec;
    const char *mode = node_mode_text(mode_of(p));
    const char *node = str_format(p->a, "chain %s, mode %s", chain_of(p), mode ? mode : "none");

    if (!task_type_is_once_per_volume(type))
        return NULL;
    if (type == TASK_SNAPSHOT_RESTORE)
        return snapshot_text(p, node);
    if (type != TASK_CONFIGURE_GENESIS && type != TASK_UPLOAD_GENESIS_ARTIFACTS)
        return node;
    return str_format(p->a,
        "%s, genesis from s3://%s%s",
        node,
        bucket_text(p->s->settings->genesis_bucket),
        spec->ceremony.is_set ? ", made by a genesis ceremony" : "");
}

/* An older operator does not record the purpose. The labels of what it made say chain and mode. */
static bool labels_fit(const Planning *p)
{
    const Json *made = p->s->pod ? p->s->pod : p->s->statefulset;
    const char *chain = meta_label(made, LABEL_CHAIN), *role = meta_label(made, LABEL_ROLE);

    return (!chain || str_eq(chain, chain_of(p)))
        && (!role || str_eq(role, node_role_text(mode_of(p))));
}

static bool has_same_params(const PlannedTask *left, const PlannedTask *right)
{
    if (json_count(left->params) == 0 && json_count(right->params) == 0)
        return true;
    return json_equal(left->params, right->params);
}

bool plan_is_same_work(const Planning *p, const PlannedTask *done, const PlannedTask *wanted)
{
    if (!has_same_params(done, wanted))
        return false;
    if (!wanted->done_for)
        return true;
    return done->done_for ? str_eq(done->done_for, wanted->done_for) : labels_fit(p);
}

static bool has_succeeded(const PlannedTask *task)
{
    return task->status == TASK_COMPLETE && !(task->superseded && task->error);
}

bool plan_is_on_volume(const PlannedTask *task)
{
    return task_type_is_once_per_volume(task->type) && has_succeeded(task);
}

/* The task of `next` that `done` keeps from being done in its own way, or NULL. */
static const PlannedTask *find_spoilt(const Planning *p, const PlannedTask *done, const Plan *next)
{
    for (size_t i = 0; i < next->task_count; i++) {
        const PlannedTask *wanted = &next->tasks[i];

        if (wanted->type == done->type && !wanted->superseded
            && !plan_is_same_work(p, done, wanted))
            return wanted;
    }
    return NULL;
}

static const char *or_unknown(const char *purpose)
{
    return purpose ? purpose : "something else";
}

const char *plan_volume_conflict(const Planning *p, const Plan *old, const Plan *next)
{
    for (size_t i = 0; i < old->task_count; i++) {
        const PlannedTask *done = &old->tasks[i];
        const PlannedTask *wanted = plan_is_on_volume(done) ? find_spoilt(p, done, next) : NULL;

        if (wanted && str_eq(or_unknown(done->done_for), or_unknown(wanted->done_for)))
            return str_format(p->a,
                "%s was done on the data volume with other parameters, and the sidecar does it "
                "once per volume",
                done->spelling);
        if (wanted)
            return str_format(p->a,
                "%s was done on the data volume for %s, and the sidecar does it once per volume; "
                "the spec now asks for %s",
                done->spelling,
                or_unknown(done->done_for),
                wanted->done_for);
    }
    return NULL;
}
