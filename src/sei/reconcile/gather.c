/* Everything that counts for a node, read once: its objects from the caches, what its sidecar last
 * said, and what is wanted, rendered. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "kube/uuid.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/reconcile/gather_seid_chain.h"
#include "sei/task/kinds.h"

const char *now_text(Ctx *c)
{
    char *text = arena_alloc(c->arena, TIMESTAMP_SIZE);

    return timestamp_format(c->clock->wall_ns(c->clock), text);
}

/* Replicas 0 that are not ours: somebody scaled it down, and may be running a job on the volume. */
static bool is_scaled_by_hand(const Json *statefulset)
{
    return statefulset && json_int(statefulset, ".spec.replicas", 1) == 0
        && !meta_owns_replicas(statefulset);
}

/* Until the bootstrap Job is gone the volume is its own. */
static ReplicaRule replica_rule(const NodePass *p)
{
    if (p->node.spec.paused)
        return REPLICAS_ZERO;
    if (p->scaled_by_hand)
        return REPLICAS_LEFT_OUT;
    return is_bootstrapping(p) ? REPLICAS_ZERO : REPLICAS_ONE;
}

static Err *find(NodePass *p, const Kind *kind, const char *name, const Json **ret)
{
    return kube_find(p->c, kind, (Key){.namespace = p->node.key.namespace, .name = name}, ret);
}

static Err *find_objects(NodePass *p)
{
    NodeSnapshot *s = &p->snapshot;
    const char *name = p->node.key.name;
    Arena *a = p->c->arena;

    TRY(find(p, kind_statefulset, name, &s->statefulset));
    TRY(find(p, kind_service, name, &s->service));
    TRY(find(p, kind_configmap, name_proxy_config(a, name), &s->proxy_config));
    TRY(find(p, kind_job, name_bootstrap_job(a, name), &s->bootstrap_job));
    return find(p, kind_pod, name_pod(a, name), &s->pod);
}

/* What is there is what we last meant it to be. The template of another rendering says so itself,
 * by its hash: then it is drift, and not for this to judge. */
static bool was_right(const NodePass *p)
{
    const NodeSnapshot *s = &p->snapshot;
    const Json *template = json_find(s->statefulset, ".spec.template");
    const char *made_from = meta_annotation(template, ANNOTATION_TEMPLATE_HASH);
    const char *pod_made_from = meta_annotation(s->pod, ANNOTATION_TEMPLATE_HASH);

    if (!s->statefulset || str_eq(meta_owned_hash(s->statefulset), p->wanted.statefulset_owned))
        return true;
    return made_from && !str_eq(made_from, p->wanted.template_hash)
        && !str_eq(pod_made_from, p->wanted.template_hash);
}

/* --- the sidecar -------------------------------------------------------------------------------
 */

static bool has_live_pod(const NodePass *p)
{
    return p->snapshot.pod && !meta_deleting(p->snapshot.pod) && !pod_is_finished(p->snapshot.pod);
}

static bool is_probed(const NodePass *p)
{
    return p->node.status.phase == PHASE_RUNNING && !p->node.spec.paused && has_live_pod(p);
}

/* A new pod's sidecar waits for mark-ready, which is a task of the update. */
static bool awaits_gate(const NodePass *p)
{
    const NodeStatus *status = &p->node.status;

    return status->has_plan && status->plan.phase == PLAN_ACTIVE
        && status->plan.kind == PLAN_NODE_UPDATE;
}

static SidecarHealth ask_health(NodePass *p, const Json *pod, const char **ret_message)
{
    static const SidecarHealth healths[] = {
        [PROBE_UNKNOWN] = HEALTH_UNKNOWN,
        [PROBE_READY] = HEALTH_READY,
        [PROBE_NOT_READY] = HEALTH_NOT_READY,
        [PROBE_UNREACHABLE] = HEALTH_UNREACHABLE,
    };
    SidecarProbe probe = {0};
    SidecarTarget target = {
        .node = p->node.key,
        .pod_uid = meta_uid(pod),
        .pod_ip = json_str(pod, ".status.podIP"),
        .host = name_sidecar_host(p->c->arena, p->node.key),
        .awaits_gate = awaits_gate(p),
    };

    sidecar_probe(sidecars_port(p->app->sidecars), p->c->arena, &target, &probe);
    *ret_message = probe.message;
    return healths[probe.health];
}

static void gather_health(NodePass *p)
{
    NodeSnapshot *s = &p->snapshot;

    if (is_probed(p))
        s->health = ask_health(p, s->pod, &s->health_message);
    else if (p->node.status.phase != PHASE_INITIALIZING && !(p->is_to_be_named && has_live_pod(p)))
        sidecar_forget(sidecars_port(p->app->sidecars), p->node.key);
}

/* While a Job is awaited: whether its sidecar still knows that seid may run. */
static Err *gather_bootstrap_health(NodePass *p)
{
    NodeSnapshot *s = &p->snapshot;
    const NodeStatus *status = &p->node.status;
    const PlannedTask *next = plan_next_task(&p->node.status.plan);
    const char *message;
    const Json *pod;

    if (!status->has_plan || status->plan.phase != PLAN_ACTIVE || p->node.spec.paused || !next
        || next->type != TASK_AWAIT_BOOTSTRAP_COMPLETE
        || !meta_controlled_by(s->bootstrap_job, p->node.object))
        return OK;
    TRY(bootstrap_find_pod(p->c, s->bootstrap_job, &pod));
    if (pod)
        s->bootstrap_health = ask_health(p, pod, &message);
    return OK;
}

Err *gather_node(NodePass *p)
{
    NodeSnapshot *s = &p->snapshot;
    char *id = arena_alloc(p->c->arena, UUID_SIZE);

    uuid_v4(p->c->rng, id);
    *s = (NodeSnapshot){
        .node = &p->node,
        .settings = p->app->settings,
        .namespaces = p->app->namespaces,
        .wanted = &p->wanted,
        .plan_id = id,
        .now = now_text(p->c),
        .now_ms = clock_wall_ms(p->c->clock),
    };
    TRY(find_objects(p));
    TRY(gather_peers(p));
    p->scaled_by_hand = s->scaled_by_hand = is_scaled_by_hand(s->statefulset);
    Subject subject = subject_of(p->c->arena, &p->node, p->app->settings, replica_rule(p));
    TRY(renderings_ask(p->app->renderings, p->app->guard, p->c->arena, &subject, &p->wanted));
    TRY(find(p, kind_pvc, p->wanted.claim, &s->volume));
    s->statefulset_was_right = was_right(p);
    gather_health(p);
    gather_seid_chain(p);
    gather_key_trouble(p);
    TRY(gather_signing_twin(p));
    return gather_bootstrap_health(p);
}
