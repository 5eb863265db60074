/* Before a pod starts on a data volume: no other node runs on it.
 *
 * A claim that several nodes name (by spec.dataVolume.import, or because it was made for one of
 * them) has one starter at a time, as a signing key has: start_locks.h. The starter reads live what
 * the other nodes have: a StatefulSet or a bootstrap Job that another operator has just made is in
 * no cache. A node that uses its volume alone pays no request for that. */
#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

enum { TURN_LOOK_MS = 1000 }; /* another node is being started, or the table is being filled */

static Exclusive claim_of(const TaskRun *run)
{
    return exclusive_claim(run->wanted->claim);
}

static Err *err_used_by_node(Ctx *c, TaskRun *run, const char *other)
{
    run->look_again_ms = TASK_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "volume %s is in use by SeiNode %s: pause or delete that one, and this "
                            "one starts when its pod is gone",
                            run->wanted->claim,
                            other),
        REASON_VOLUME_IN_USE);
}

static Err *err_used_by_statefulset(Ctx *c, TaskRun *run, const char *statefulset)
{
    run->look_again_ms = TASK_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "volume %s is in use by StatefulSet %s, whose SeiNode is deleted: "
                            "delete the StatefulSet, and this node starts when its pod is gone",
                            run->wanted->claim,
                            statefulset),
        REASON_VOLUME_IN_USE);
}

static Err *err_too_many(Ctx *c, TaskRun *run)
{
    run->look_again_ms = TASK_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "volume %s is named by more than %d other SeiNodes, and this one is "
                            "not started: give each node a volume of its own",
                            run->wanted->claim,
                            START_OTHERS_MAX),
        REASON_VOLUME_IN_USE);
}

/* --- the other nodes --- */

static bool is_among(const Key *keys, size_t count, Key key)
{
    for (size_t i = 0; i < count; i++)
        if (key_eq(keys[i], key))
            return true;
    return false;
}

/* Also the node that the claim was made for: it is in the table only when it has to be. */
static size_t find_others(Ctx *c, const TaskRun *run, Key **ret)
{
    Key self = run->node->key;
    const char *maker = name_node_of_volume(run->wanted->claim);
    Key made_for = {.namespace = self.namespace, .name = maker};
    size_t count = start_locks_others(run->start_locks, c->arena, self, claim_of(run), ret);

    if (maker && !key_eq(made_for, self) && count <= START_OTHERS_MAX
        && !is_among(*ret, count, made_for))
        (*ret)[count++] = made_for;
    return count;
}

static bool statefulset_runs(const Json *statefulset, const char *claim)
{
    return statefulset_mounts_claim(statefulset, claim)
        && json_int(statefulset, ".spec.replicas", 1) > 0;
}

static bool job_runs(const Json *job, const char *claim)
{
    return job_mounts_claim(job, claim) && !job_is_complete(job) && !job_is_failed(job)
        && !json_bool(job, ".spec.suspend", false);
}

static Err *check_other(Ctx *c, TaskRun *run, Key other)
{
    Key job_key = {other.namespace, name_bootstrap_job(c->arena, other.name)};
    const char *claim = run->wanted->claim;
    const Json *statefulset, *job, *node;

    TRY(kube_get_if_any(c, kind_statefulset, other, &statefulset));
    TRY(kube_find(c, kind_seinode, other, &node));
    if (statefulset_runs(statefulset, claim))
        return node ? err_used_by_node(c, run, other.name)
                    : err_used_by_statefulset(c, run, other.name);
    TRY(kube_get_if_any(c, kind_job, job_key, &job));
    return job_runs(job, claim) ? err_used_by_node(c, run, other.name) : OK;
}

static Err *check_others(Ctx *c, TaskRun *run, const Key *others, size_t count)
{
    if (count > START_OTHERS_MAX)
        return err_too_many(c, run);
    for (size_t i = 0; i < count; i++)
        TRY(check_other(c, run, others[i]));
    return OK;
}

/* --- starting --- */

static Err *look(Ctx *c, TaskRun *run, VolumeLook pods)
{
    Key *others;
    size_t count = find_others(c, run, &others);

    TRY(check_others(c, run, others, count));
    switch (pods) {
    case VOLUME_LOOK_CACHED:
        return count ? task_volume_is_free(c, run) : task_volume_looks_free(c, run);
    case VOLUME_LOOK_LIVE:
        return task_volume_is_free(c, run);
    case VOLUME_LOOK_UNUSED:
        return task_volume_is_unused(c, run);
    case VOLUME_LOOK_NODES:
        return OK;
    }
    BUG("a look that is none");
}

Err *task_start_on_volume(Ctx *c, TaskRun *run, VolumeLook pods)
{
    StartTurn turn =
        start_locks_take(run->start_locks, run->node->key, claim_of(run), clock_mono_ms(c->clock));

    if (turn != START_MAY_LOOK) {
        run->look_again_ms = TURN_LOOK_MS;
        return err_wait(c->arena,
            turn == START_MUST_WAIT ? "another node on volume %s is being started"
                                    : "which nodes use volume %s is being found out",
            run->wanted->claim);
    }
    Err *err = look(c, run, pods);
    if (err)
        task_give_up_volume(run);
    return err;
}

void task_give_up_volume(const TaskRun *run)
{
    start_locks_give_up(run->start_locks, run->node->key, claim_of(run));
}

void task_doubt_start(Ctx *c, const TaskRun *run, const Err *err)
{
    int64_t now_ms = clock_mono_ms(c->clock);
    const char *secret = task_signing_secret(run);

    if (!err || !err->outcome_unknown)
        return;
    start_locks_doubt(run->start_locks, run->node->key, claim_of(run), now_ms);
    if (secret)
        start_locks_doubt(run->start_locks, run->node->key, exclusive_key(secret), now_ms);
}
