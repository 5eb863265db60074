/* Pausing: the StatefulSet goes to 0 and the node is frozen; unpausing brings it back. Done before
 * and outside of plans, because a plan may be what is paused. While paused only existence is kept:
 * what was there once and has been deleted comes back, with 0 replicas. And while a bootstrap Job
 * has the volume there is no pod beside it: a StatefulSet of an earlier attempt goes to 0 as well.
 */
#include "sei/reconcile/parts.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/names.h"

/* What is kept in existence, in order. */
static const TaskType kept[] = {
    TASK_APPLY_RBAC_PROXY_CONFIG, TASK_APPLY_STATEFULSET, TASK_APPLY_SERVICE};

/* As recorded, or as it stands there: the record may not have been stored yet. */
static bool existed(const NodePass *p)
{
    return p->node.status.statefulset_uid
        || meta_controlled_by(p->snapshot.statefulset, p->node.object);
}

static bool something_is_missing(const NodeSnapshot *s)
{
    return !s->statefulset || !s->service || !s->proxy_config;
}

static Err *keep_existence(NodePass *p, TaskRun *run)
{
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        TRY(task_find(kept[i])->step(p->c, run));
    return OK;
}

/* The replicas are ours to set, and are not what pausing or unpausing wants. Pausing makes also
 * those ours that somebody has set to 0: so unpausing brings the node back. */
static bool is_to_be_scaled(const NodePass *p)
{
    int64_t have = json_int(p->snapshot.statefulset, ".spec.replicas", 1);
    int64_t want = p->node.spec.paused || is_bootstrapping(p) ? 0 : 1;

    if (!p->snapshot.statefulset)
        return false;
    if (have > 1) /* to bring it back to one is a repair */
        return want == 0;
    return p->scaled_by_hand ? p->node.spec.paused : have != want;
}

/* What is wanted, with the pods that the StatefulSet makes already. Their defaults come with them;
 * to apply all that is wanted gives those back. */
static Err *keep_template(NodePass *p, Wanted *ret)
{
    Arena *a = p->c->arena;
    const Json *there, *without;

    TRY(kube_get(p->c, kind_statefulset, p->node.key, &there));
    TRY(json_parse(a, bytes_of("{\"spec\":{\"template\":null}}"), &without));
    const Json *template = json_find(there, ".spec.template");
    const Json *with = json_seal(a, draft(a, obj("spec", draft_json("template", template))));
    *ret = p->wanted;
    ret->template_hash = meta_annotation(template, ANNOTATION_TEMPLATE_HASH);
    ret->statefulset = json_merge(a, json_merge(a, p->wanted.statefulset, without), with);
    ret->statefulset_owned = hash_owned_of_rendered(a, ret->statefulset);
    return OK;
}

static Err *scale_and_keep(NodePass *p, bool scales, bool keeps)
{
    TaskRun run = task_run_of(p);
    Wanted with_its_pods;

    if (p->decision.scale_only && p->snapshot.statefulset && (scales || keeps)) {
        TRY(keep_template(p, &with_its_pods));
        run.wanted = &with_its_pods;
    }
    if (scales)
        TRY(task_sync_statefulset(p->c, &run));
    p->set_is_stopped = scales && p->node.spec.paused;
    return keeps ? keep_existence(p, &run) : OK;
}

Err *keep_pause(NodePass *p)
{
    bool stops = p->node.spec.paused || is_bootstrapping(p);

    TRY(keep_job_pause(p));
    if (!existed(p) || (stops && p->decision.stop_no_pod) || p->decision.hold_statefulset)
        return OK;
    bool keeps = p->node.spec.paused && !is_bootstrapping(p) && something_is_missing(&p->snapshot);
    return scale_and_keep(p, is_to_be_scaled(p), keeps);
}

static bool set_runs(const NodePass *p)
{
    return existed(p) && p->snapshot.statefulset
        && json_int(p->snapshot.statefulset, ".spec.replicas", 1) > 0;
}

bool runs_on_when_paused(const NodePass *p)
{
    return p->node.spec.paused
        && ((set_runs(p) && !p->set_is_stopped) || (job_runs(p) && !p->job_is_stopped));
}
