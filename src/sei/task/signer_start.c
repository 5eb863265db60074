/* Before a pod starts that signs: nobody else has its key.
 *
 * Asked first is what costs nothing: the other nodes with the key, by the caches. Then, by the
 * server itself: all pods of the namespace, for a pod may outlive its node or be a person's own,
 * and a person's pod has no label of ours; and the StatefulSets of the other nodes, which the
 * operator before this one may have made a moment ago. A node that shares its key with nobody pays
 * for that one list, which tells at once whether its volume is free. */
#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/pod_search.h"
#include "sei/task/twins.h"

enum {
    TWIN_LOOK_MS = 30000, /* the other wakes this one when it changes; this is a net */
    TURN_LOOK_MS = 1000,  /* another one is being let through, or the table is being filled */
};

#define SLASHED "(two that sign with one key are slashed and jailed for good)"

/* By what is to be applied, and not by the spec: while its fleet holds a node back it keeps the
 * template that it has. */
const char *task_signing_secret(const TaskRun *run)
{
    const Json *volume;

    json_each(volume, json_find(run->wanted->statefulset, ".spec.template.spec.volumes"))
        if (str_eq(json_str(volume, ".name"), VOLUME_SIGNING_KEY))
            return json_str(volume, ".secret.secretName");
    return NULL;
}

/* --- what is said ------------------------------------------------------------------------------
 */

static Err *err_used_by_node(Ctx *c, TaskRun *run, const char *other)
{
    run->look_again_ms = TWIN_LOOK_MS;
    return task_trouble(
        err_wait(c->arena,
            "the signing key in Secret %s is in use by node %s: pause or delete that one, and this "
            "one starts when its pod is gone; or give this one a key of its own " SLASHED,
            task_signing_secret(run),
            other),
        REASON_SIGNING_KEY_IN_USE);
}

static Err *err_other_is_first(Ctx *c, TaskRun *run, const char *other)
{
    run->look_again_ms = TWIN_LOOK_MS;
    return task_trouble(
        err_wait(c->arena,
            "the signing key in Secret %s is also that of node %s, which starts before this one: "
            "pause or delete that one, or give this one a key of its own " SLASHED,
            task_signing_secret(run),
            other),
        REASON_SIGNING_KEY_IN_USE);
}

static Err *err_used_by_pod(Ctx *c, TaskRun *run, const char *pod)
{
    run->look_again_ms = TASK_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "the signing key in Secret %s is in use by pod %s: this node starts "
                            "when that pod has ended or is deleted " SLASHED,
                            task_signing_secret(run),
                            pod),
        REASON_SIGNING_KEY_IN_USE);
}

static Err *err_too_many(Ctx *c, TaskRun *run)
{
    run->look_again_ms = TWIN_LOOK_MS;
    return task_trouble(err_wait(c->arena,
                            "the signing key in Secret %s is that of more than %d other nodes, and "
                            "this one is not started: give each a key of its own " SLASHED,
                            task_signing_secret(run),
                            START_OTHERS_MAX),
        REASON_SIGNING_KEY_IN_USE);
}

/* --- by the caches -----------------------------------------------------------------------------
 */

static Err *look_at_twins(Ctx *c, TaskRun *run, Twins *ret)
{
    TRY(twins_find(c, run->start_locks, run->node, task_signing_secret(run), ret));
    if (ret->too_many)
        return err_too_many(c, run);
    const Twin *twin = twins_that_may_sign(ret);
    return twin ? err_used_by_node(c, run, twin->node.name) : OK;
}

Err *task_signs_alone(Ctx *c, TaskRun *run)
{
    Twins twins;

    return look_at_twins(c, run, &twins);
}

/* --- by the server -----------------------------------------------------------------------------
 */

static Err *look_at_statefulsets(Ctx *c, TaskRun *run, const Twins *twins)
{
    for (size_t i = 0; i < twins->count; i++) {
        const Json *live;
        TRY(kube_get_if_any(c, kind_statefulset, twins->items[i].node, &live));
        if (twins_runs(live, NULL, task_signing_secret(run)))
            return err_used_by_node(c, run, twins->items[i].node.name);
    }
    return OK;
}

static Err *look_live(Ctx *c, TaskRun *run, const Twins *twins, bool starts_now)
{
    PodSearch search = {
        .secret = task_signing_secret(run),
        .claim = starts_now ? run->wanted->claim : NULL,
    };

    TRY(task_search_pods(c, run, &search));
    if (search.secret_user)
        return err_used_by_pod(c, run, search.secret_user);
    if (search.claim_user)
        return task_err_volume_in_use(c, run, search.claim_user);
    return look_at_statefulsets(c, run, twins);
}

/* --- starting ----------------------------------------------------------------------------------
 */

static Err *look_everywhere(Ctx *c, TaskRun *run, bool starts_now)
{
    Twins twins;

    TRY(look_at_twins(c, run, &twins));
    const Twin *first = twins_that_is_first(&twins);
    return first ? err_other_is_first(c, run, first->node.name)
                 : look_live(c, run, &twins, starts_now);
}

Err *task_start_signer(Ctx *c, TaskRun *run, bool starts_now)
{
    const char *secret = task_signing_secret(run);
    StartTurn turn = start_locks_take(
        run->start_locks, run->node->key, exclusive_key(secret), clock_mono_ms(c->clock));

    if (turn != START_MAY_LOOK) {
        run->look_again_ms = TURN_LOOK_MS;
        return err_wait(c->arena,
            turn == START_MUST_WAIT
                ? "another node with the signing key in Secret %s is being started"
                : "who else has the signing key in Secret %s is being found out",
            secret);
    }
    Err *err = look_everywhere(c, run, starts_now);
    if (err)
        start_locks_give_up(run->start_locks, run->node->key, exclusive_key(secret));
    return err;
}
