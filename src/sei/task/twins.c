/* How other nodes stand to a key. Who runs comes first. Of those that do not, he that ran until now
 * (his StatefulSet was deleted, say) comes before those that are held back or new; then the older;
 * then the name: all of it stored, so that everybody comes to the same answer. */
#include "sei/task/twins.h"

#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/maintenance.h"
#include "sei/api/names.h"

/* Of StartNote.standing. */
enum { STANDS_TO_SIGN = 1, STANDS_BY = 2, RAN_UNTIL_NOW = 4 };

const char *twins_secret_in(const Json *node)
{
    return json_str(node, ".spec.validator.signingKey.secret.secretName");
}

bool twins_runs(const Json *statefulset, const Json *pod, const char *secret)
{
    bool has_pod = pod && !pod_is_finished(pod) && pod_mounts_secret(pod, secret);

    return has_pod
        || (statefulset_mounts_secret(statefulset, secret)
            && json_int(statefulset, ".spec.replicas", 1) > 0);
}

static bool is_paused(const Json *node)
{
    return json_bool(node, ".spec.paused", false) || maintenance_is_marked(node);
}

static bool is_to_run(const Json *node)
{
    return node && !meta_deleting(node) && !is_paused(node);
}

/* Nobody asks the operator before he scales it back. */
static bool is_scaled_by_hand(const Json *node, const Json *statefulset)
{
    return statefulset && !is_paused(node) && json_int(statefulset, ".spec.replicas", 1) == 0
        && !meta_owns_replicas(statefulset);
}

static bool has_reason(const Json *node, const char *condition, Reason reason)
{
    return str_eq(json_str(cond_in(node, condition), ".reason"), reason_text(reason));
}

static bool ran_until_now(const Json *node)
{
    return str_eq(json_str(node, ".status.phase"), node_phase_text(PHASE_RUNNING))
        && !has_reason(node, COND_READY, REASON_PAUSED)
        && !has_reason(node, COND_STALLED, REASON_SIGNING_KEY_IN_USE);
}

/* Of two that do not run, the first of which is to start first. */
static bool comes_before(const Json *left, const Json *right)
{
    const char *left_since = json_str(left, ".metadata.creationTimestamp");
    const char *right_since = json_str(right, ".metadata.creationTimestamp");

    if (ran_until_now(left) != ran_until_now(right))
        return ran_until_now(left);
    int order = str_compare(left_since, right_since);
    return order ? order < 0 : str_compare(meta_name(left), meta_name(right)) < 0;
}

/* --- looking at them ---------------------------------------------------------------------------
 */

static Err *find_parts(
    Ctx *c, Key node, const Json **ret_node, const Json **ret_statefulset, const Json **ret_pod)
{
    Key pod = {.namespace = node.namespace, .name = name_pod(c->arena, node.name)};

    TRY(kube_find(c, kind_seinode, node, ret_node));
    TRY(kube_find(c, kind_statefulset, node, ret_statefulset));
    return kube_find(c, kind_pod, pod, ret_pod);
}

static Err *judge(Ctx *c, Key other, const SeiNode *self, const char *secret, Twin *ret)
{
    const Json *node, *statefulset, *pod;

    TRY(find_parts(c, other, &node, &statefulset, &pod));
    bool runs = twins_runs(statefulset, pod, secret);
    bool may_sign = runs
        || (statefulset_mounts_secret(statefulset, secret) && is_scaled_by_hand(node, statefulset));
    bool waits = !may_sign && is_to_run(node) && str_eq(twins_secret_in(node), secret);
    *ret = (Twin){
        .node = other,
        .runs = runs,
        .may_sign = may_sign,
        .is_first = waits && comes_before(node, self->object),
    };
    return OK;
}

Err *twins_find(Ctx *c, StartLocks *s, const SeiNode *node, const char *secret, Twins *ret)
{
    Key *others;
    size_t count = start_locks_others(s, c->arena, node->key, exclusive_key(secret), &others);

    *ret = (Twins){.too_many = count > START_OTHERS_MAX};
    if (ret->too_many)
        return OK;
    for (; ret->count < count; ret->count++)
        TRY(judge(c, others[ret->count], node, secret, &ret->items[ret->count]));
    return OK;
}

const Twin *twins_that_runs(const Twins *twins)
{
    for (size_t i = 0; i < twins->count; i++)
        if (twins->items[i].runs)
            return &twins->items[i];
    return NULL;
}

const Twin *twins_that_may_sign(const Twins *twins)
{
    for (size_t i = 0; i < twins->count; i++)
        if (twins->items[i].may_sign)
            return &twins->items[i];
    return NULL;
}

const Twin *twins_that_is_first(const Twins *twins)
{
    for (size_t i = 0; i < twins->count; i++)
        if (twins->items[i].is_first)
            return &twins->items[i];
    return NULL;
}

/* --- what the table is to know -----------------------------------------------------------------
 */

static void note_template(StartNote *note, const Json *statefulset)
{
    const Json *volume;

    json_each(volume, json_find(statefulset, ".spec.template.spec.volumes"))
        start_note_add(note, exclusive_key(json_str(volume, ".secret.secretName")));
}

/* As far as there is room: a node that starts to sign lists the pods. */
static void note_pod(StartNote *note, const Json *pod)
{
    const Json *volume;

    json_each(volume, json_find(pod, ".spec.volumes"))
        if (start_note_has_room(note, EXCLUSIVE_KEY))
            start_note_add(note, exclusive_key(json_str(volume, ".secret.secretName")));
}

/* Whether anything of it has a signing key, or could have: not which. */
static bool stands_to_sign(const Json *node, const Json *statefulset, const Json *pod)
{
    return (pod && !pod_is_finished(pod))
        || (statefulset && json_int(statefulset, ".spec.replicas", 1) > 0)
        || is_scaled_by_hand(node, statefulset);
}

StartNote twins_note(const Json *node, const Json *statefulset, const Json *pod)
{
    StartNote note = {0};

    start_note_add(&note, exclusive_key(twins_secret_in(node)));
    note_template(&note, statefulset);
    note_pod(&note, pod);
    note.is_seen = stands_to_sign(node, statefulset, pod);
    if (note.is_seen)
        note.standing |= STANDS_TO_SIGN;
    if (is_to_run(node))
        note.standing |= STANDS_BY;
    if (node && ran_until_now(node))
        note.standing |= RAN_UNTIL_NOW;
    return note;
}
