/* A node, its objects and what is wanted of them, for tests of the planner. A case says only what
 * differs, as merge patches in JSON5; "gone" takes an object away. In a status, 'unedited' as
 * specHash stands for the hash of the spec without the patch of the case, and 'now' as targetHash
 * for that of the spec as it is. */
#ifndef TESTS_SEI_PLAN_GIVEN_H
#define TESTS_SEI_PLAN_GIVEN_H

#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/plan/node_plan.h"
#include "tests/test.h"

#define GONE "gone"

/* 2026-11-15T12:00:00Z */
#define NOW    "2026-11-15T12:00:00Z"
#define NOW_MS INT64_C(1794744000000)

#define PLAN_ID "11111111-2222-4333-8444-555555555555"

typedef struct Given {
    const char *name;
    const char *node;                           /* patch of the whole SeiNode */
    const char *statefulset, *service, *config; /* patches, or GONE */
    const char *volume, *pod;
    const char *import_uid, *import_trouble; /* what a look at the import has found */
    SidecarHealth health;
    const char *held_back, *probe_output;
    const char *seid_chain, *seid_trouble; /* what seid answered */
    HandEdit hand_edit;
    bool fresh;    /* a node that nobody has looked at yet, without objects */
    bool of_fleet; /* the child of one that has not written what the node asks for */
    const char *permit_wait;
    const char *signing_twin;
    bool volume_absent_for_sure, hand_edited_set, no_permit, explained, scaled_by_hand;
    bool no_chain_facts;
} Given;

typedef struct Planned {
    SeiNode node;
    Wanted wanted;
    Settings settings;
    NodeSnapshot s;
    NodeDecision d;
} Planned;

#define FRESH_NODE                                                                                 \
    "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"                                             \
    " metadata: {name: 'a', namespace: 'n', uid: 'node-uid', generation: 3},"                      \
    " spec: {chainId: 'sei', image: 'sei:1', fullNode: {}}}"

#define OF_FLEET                                                                                   \
    "{metadata: {name: 'f-0', annotations: {'sei.io/released-spec': 'another'},"                   \
    " ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'f',"     \
    " uid: 'f-uid', controller: true}]}}"

#define RUNNING_STATUS                                                                             \
    "{status: {phase: 'Running', observedGeneration: 3, currentImage: 'sei:1',"                    \
    " podTemplateHash: 'hash-now', specHash: 'unedited',"                                          \
    " identity: {chainId: 'sei', mode: 'fullNode'},"                                               \
    " dataVolume: {name: 'data-a', uid: 'pvc-uid'},"                                               \
    " statefulSet: {name: 'a', uid: 'sts-uid'}}}"

#define OURS                                                                                       \
    "namespace: 'n', labels: {'sei.io/node': 'a', 'sei.io/chain': 'sei', 'sei.io/role': 'node'}"
#define OWNER                                                                                      \
    "ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', name: 'a',"                \
    " uid: 'node-uid', controller: true}]"

static inline const Json *given_object(Arena *a, const char *base, const char *patch, bool fresh)
{
    if (str_eq(patch, GONE) || (fresh && !patch))
        return NULL;
    return json_merge(a, json_fixture(a, base), patch ? json_fixture(a, patch) : NULL);
}

static inline void given_objects(Arena *a, const Given *g, NodeSnapshot *s)
{
    s->statefulset = given_object(a,
        "{metadata: {name: 'a', uid: 'sts-uid', generation: 1, " OURS ", " OWNER "},"
        " $ownedHash: 'sts-owned', spec: {replicas: 1, selector: {matchLabels: {'sei.io/node': "
        "'a'}},"
        " template: {spec: {volumes: [{persistentVolumeClaim: {claimName: 'data-a'}}]}}},"
        " status: {observedGeneration: 1, updateRevision: 'a-1'}}",
        g->statefulset,
        g->fresh);
    s->service = given_object(a,
        "{metadata: {name: 'a', uid: 'svc-uid', " OURS ", " OWNER "},"
        " $ownedHash: 'service-owned', spec: {selector: {'sei.io/node': 'a'}}}",
        g->service,
        g->fresh);
    s->proxy_config = given_object(a,
        "{metadata: {name: 'a-rbac-proxy-config', uid: 'cm-uid', " OURS ", " OWNER "},"
        " $ownedHash: 'config-owned'}",
        g->config,
        g->fresh);
    s->volume = given_object(a,
        "{metadata: {name: 'data-a', uid: 'pvc-uid', " OURS ", " OWNER "},"
        " spec: {volumeName: 'pv-1'}}",
        g->volume,
        g->fresh);
    s->pod = given_object(a,
        "{metadata: {name: 'a-0', namespace: 'n', uid: 'pod-uid',"
        " labels: {'sei.io/node': 'a', 'sei.io/chain': 'sei', 'sei.io/role': 'node',"
        " 'controller-revision-hash': 'a-1'},"
        " annotations: {'sei.io/template-hash': 'hash-now', 'sei.io/config-hash': 'config-now'}},"
        " spec: {containers: [{name: 'seid', image: 'sei:1'}],"
        " volumes: [{persistentVolumeClaim: {claimName: 'data-a'}}]},"
        " status: {conditions: [{type: 'Ready', status: 'True'}],"
        " containerStatuses: [{name: 'seid', containerID: 'c', state: {running: {}}}]}}",
        g->pod,
        g->fresh);
}

static inline void given_hashes(Arena *a, SeiNode *node)
{
    NodeStatus *status = &node->status;
    bool is_init = status->plan.kind == PLAN_INIT;

    if (str_eq(status->spec_hash, "unedited")) {
        SeiNode *unedited = arena_new(a, SeiNode);
        then_ok(node_decode(a, json_fixture(a, FRESH_NODE), unedited));
        status->spec_hash = node_spec_hash(a, unedited);
    }
    if (str_eq(status->plan.target_hash, "now"))
        status->plan.target_hash = is_init ? node_init_hash(a, node) : node_spec_hash(a, node);
}

/* The snapshot of a case. */
static inline Planned *given(Arena *a, const Given *g)
{
    Planned *p = arena_new(a, Planned);
    const Json *object = json_fixture(a, FRESH_NODE);

    if (!g->fresh)
        object = json_merge(a, object, json_fixture(a, RUNNING_STATUS));
    if (g->node)
        object = json_merge(a, object, json_fixture(a, g->node));
    if (g->of_fleet)
        object = json_merge(a, object, json_fixture(a, OF_FLEET));
    then_ok(node_decode(a, object, &p->node));
    if (g->of_fleet)
        p->node.key.name = "a"; /* by which its objects know it */
    given_hashes(a, &p->node);
    p->wanted = (Wanted){
        .statefulset = json_fixture(a, "{spec: {selector: {matchLabels: {'sei.io/node': 'a'}}}}"),
        .service = json_fixture(a, "{spec: {selector: {'sei.io/node': 'a'}}}"),
        .proxy_config = json_fixture(a, "{}"),
        .claim = node_claim(a, &p->node),
        .image = p->node.spec.image,
        .template_hash = "hash-now",
        .config_hash = "config-now",
        .statefulset_owned = "sts-owned",
        .service_owned = "service-owned",
        .proxy_config_owned = "config-owned",
    };
    p->settings.chain_facts = !g->no_chain_facts;
    p->s = (NodeSnapshot){
        .node = &p->node,
        .settings = &p->settings,
        .wanted = &p->wanted,
        .volume_absent_for_sure = g->volume_absent_for_sure,
        .import = {.is_read = g->import_uid || g->import_trouble, .trouble = g->import_trouble},
        .hand_edit = g->hand_edit,
        .health = g->health,
        .pod_held_back = g->held_back,
        .probe_output = g->probe_output,
        .seid_chain = g->seid_chain,
        .seid_trouble = g->seid_trouble,
        .statefulset_was_right = !g->hand_edited_set,
        .scaled_by_hand = g->scaled_by_hand,
        .may_disrupt = !g->no_permit,
        .permit_wait = g->permit_wait,
        .signing_twin = g->signing_twin,
        .drift_explained = g->explained,
        .plan_id = PLAN_ID,
        .now = NOW,
        .now_ms = NOW_MS,
    };
    if (g->explained) {
        p->s.explained.count = 1;
        p->s.explained.fields[0] =
            (DriftField){.path = "spec.containers[seid].image", .have = "sei:1", .want = "sei:2"};
    }
    if (g->import_uid)
        p->s.import.claim = json_seal(a, draft(a, obj("metadata", str("uid", g->import_uid))));
    given_objects(a, g, &p->s);
    return p;
}

/* The decision on a case. */
static inline Planned *plan_given(Arena *a, const Given *g)
{
    Planned *p = given(a, g);

    then_ok(plan_node(a, &p->s, &p->d));
    return p;
}

static inline bool has_active_plan(const NodeStatus *status)
{
    return status->has_plan && status->plan.phase == PLAN_ACTIVE;
}

/* "node-update: apply-statefulset apply-service ..."; a task that is Complete has a "+", one that
 * was handed over a "*", one that is only awaited a "!". "" without an Active plan. */
static inline const char *plan_text(Arena *a, const NodeStatus *status)
{
    if (!has_active_plan(status))
        return "";
    const Plan *plan = &status->plan;
    const char *kind = plan_kind_text(plan->kind);
    const char *text = str_format(a, "%s:", kind ? kind : "unknown");
    for (size_t i = 0; i < plan->task_count; i++) {
        const PlannedTask *task = &plan->tasks[i];
        text = str_format(a,
            "%s %s%s%s",
            text,
            task->spelling,
            task->status == TASK_COMPLETE ? "+"
                : task->submitted_at      ? "*"
                                          : "",
            task->superseded ? "!" : "");
    }
    return text;
}

/* The reason of the stall, or "". */
static inline const char *stall_text(const NodeDecision *d)
{
    return d->stall.is_set ? reason_text(d->stall.reason) : "";
}

#define UPDATE_PLAN                                                                                \
    "node-update: apply-statefulset apply-service replace-pod observe-image mark-ready"
#define REPAIR_PLAN "repair: apply-rbac-proxy-config apply-statefulset apply-service"
#define REAPPROVAL  "mark-ready-reapply: mark-ready"

#endif
