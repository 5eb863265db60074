/* Purpose: what a task prepares the data volume for. The params of a task do not say all of it: the
 * sidecar takes the chain and the buckets from its environment. And it does such a task once per
 * volume: a file on the volume makes every later run do nothing and succeed. */
#include "sei/plan/purpose.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"

#include <string.h>

#define GENESIS_FROM ", genesis from s3://"

static const char *chain_of(const Planning *p)
{
    const char *recorded = p->status->identity.chain_id;
    return recorded ? recorded : p->node->spec.chain_id;
}

static NodeMode mode_of(const Planning *p)
{
    return p->status->identity.chain_id ? p->status->identity.mode : p->node->spec.mode;
}

static const char *node_text(const Planning *p)
{
    const char *mode = node_mode_text(mode_of(p));

    return str_format(p->a, "chain %s, mode %s", chain_of(p), mode ? mode : "none");
}

/* Without the bucket: the height alone says which blocks are on the volume. */
static const char *snapshot_text(const Planning *p, int64_t height)
{
    const char *which =
        height > 0 ? str_format(p->a, "up to height %lld", (long long)height) : "of any height";

    return str_format(p->a, "%s, newest snapshot %s", node_text(p), which);
}

/* With the bucket: another one may have another genesis of the same chain id. */
static const char *genesis_text(const Planning *p, const char *bucket)
{
    return str_format(p->a,
        "%s" GENESIS_FROM "%s%s",
        node_text(p),
        bucket ? bucket : "",
        p->node->spec.ceremony.is_set ? ", made by a genesis ceremony" : "");
}

static const char *purpose_at(const Planning *p, TaskType type, int64_t height)
{
    switch (type) {
    case TASK_SNAPSHOT_RESTORE:
        return snapshot_text(p, height);
    case TASK_CONFIGURE_GENESIS:
    case TASK_UPLOAD_GENESIS_ARTIFACTS:
        return genesis_text(p, p->s->settings->genesis_bucket);
    default:
        return task_type_is_once_per_volume(type) ? node_text(p) : NULL;
    }
}

const char *plan_purpose(const Planning *p, TaskType type)
{
    return purpose_at(p, type, p->node->spec.snapshot.s3_height);
}

/* --- tasks of an older operator, which did not record the purpose --- */

/* The labels of the claim come first: they are written when it is made, and no edit changes them.
 * An imported claim may have the labels of another node. */
static const char *find_label(const Planning *p, const char *key)
{
    const Json *claim = p->status->volume.imported ? NULL : p->s->volume;
    const Json *made[] = {claim, p->s->bootstrap_job, p->s->pod, p->s->statefulset};

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (meta_label(made[i], key))
            return meta_label(made[i], key);
    return NULL;
}

static bool labels_differ(const Planning *p)
{
    const char *chain = find_label(p, LABEL_CHAIN), *role = find_label(p, LABEL_ROLE);

    return (chain && !str_eq(chain, chain_of(p)))
        || (role && !str_eq(role, node_role_text(mode_of(p))));
}

static bool labels_fit(const Planning *p)
{
    return find_label(p, LABEL_CHAIN) && !labels_differ(p);
}

static const char *purpose_by_labels(const Planning *p)
{
    const char *chain = find_label(p, LABEL_CHAIN), *role = find_label(p, LABEL_ROLE);

    return str_format(
        p->a, "chain %s, role %s", chain ? chain : "unknown", role ? role : "unknown");
}

/* Until doneFor was recorded, a superseded task that had failed was stored as Complete, too. */
static bool may_have_failed(const PlannedTask *task)
{
    return task->superseded && task->status == TASK_COMPLETE && !task->done_for;
}

const char *plan_recorded_purpose(const Planning *p, const PlannedTask *task)
{
    if (task->done_for || !task_type_is_once_per_volume(task->type) || may_have_failed(task))
        return task->done_for;
    if (!labels_fit(p))
        return purpose_by_labels(p);
    return purpose_at(
        p, task->type, json_int(json_member_any_case(task->params, "TargetHeight"), "", 0));
}

/* --- the same work --- */

/* Another operator spells keys in another case, and stores params that we do not have. */
static bool has_same_params(const PlannedTask *done, const PlannedTask *wanted)
{
    const Json *value;

    if (json_count(done->params) == 0 && json_count(wanted->params) == 0)
        return true;
    if (!task_type_is_once_per_volume(wanted->type))
        return json_equal(done->params, wanted->params);
    json_each(value, wanted->params)
        if (!json_equal(json_member_any_case(done->params, json_key(value)), value))
            return false;
    return true;
}

bool plan_is_same_work(const Planning *p, const PlannedTask *done, const PlannedTask *wanted)
{
    if (!has_same_params(done, wanted))
        return false;
    if (!wanted->done_for)
        return true;
    return done->done_for ? str_eq(done->done_for, wanted->done_for) : labels_fit(p);
}

bool plan_is_on_volume(const PlannedTask *task)
{
    return task_type_is_once_per_volume(task->type) && task->status == TASK_COMPLETE
        && !(task->superseded && task->error);
}

/* --- conflicts --- */

static bool is_spoilt(const Planning *p, const PlannedTask *done, const PlannedTask *wanted)
{
    if (may_have_failed(done))
        return wanted->done_for && labels_differ(p);
    return !plan_is_same_work(p, done, wanted);
}

/* The task of `next` that `done` keeps from being done in its own way, or NULL. */
static const PlannedTask *find_spoilt(const Planning *p, const PlannedTask *done, const Plan *next)
{
    for (size_t i = 0; i < next->task_count; i++) {
        const PlannedTask *wanted = &next->tasks[i];

        if (wanted->type == done->type && !wanted->superseded && is_spoilt(p, done, wanted))
            return wanted;
    }
    return NULL;
}

static bool differs_in_bucket_alone(const Planning *p, const char *purpose)
{
    const char *from = strstr(purpose, GENESIS_FROM);

    if (!from)
        return false;
    from += strlen(GENESIS_FROM);
    return str_eq(purpose, genesis_text(p, str_slice(p->a, from, strcspn(from, ","))));
}

static const char *conflict_text(
    const Planning *p, const PlannedTask *done, const PlannedTask *wanted)
{
    const char *was = done->done_for ? done->done_for : purpose_by_labels(p);

    if (!wanted->done_for || str_eq(was, wanted->done_for))
        return str_format(p->a,
            "%s was done on the data volume with other parameters, and the sidecar does it once "
            "per volume",
            done->spelling);
    return str_format(p->a,
        "%s was done on the data volume for %s, and the sidecar does it once per volume; the %s "
        "now asks for %s",
        done->spelling,
        was,
        differs_in_bucket_alone(p, was) ? "operator setting SEI_GENESIS_BUCKET" : "spec",
        wanted->done_for);
}

const char *plan_volume_conflict(const Planning *p, const Plan *old, const Plan *next)
{
    for (size_t i = 0; i < old->task_count; i++) {
        const PlannedTask *done = &old->tasks[i];
        const PlannedTask *wanted = plan_is_on_volume(done) ? find_spoilt(p, done, next) : NULL;

        if (wanted)
            return conflict_text(p, done, wanted);
    }
    return NULL;
}
