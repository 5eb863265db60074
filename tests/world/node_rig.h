/* A kubelet in front of a few objects: what tests of kubelets share. The Api carries out what a
 * kubelet asks for, writes a line about it, and after the step shows the kubelet what came of it.
 */
#ifndef TESTS_WORLD_NODE_RIG_H
#define TESTS_WORLD_NODE_RIG_H

#include "kube/meta.h"
#include "kube/status.h"
#include "tests/test.h"
#include "tests/world/sei_pod.h"
#include "world/kubelet.h"

enum { RIG_OBJECTS_MAX = 16 };

typedef struct NodeRig {
    Api port;
    Arena *arena;
    ManualClock clock;
    SeededRng rng;
    Kubelet *kubelet;
    Actor *actor;
    const Json *pods[RIG_OBJECTS_MAX];
    size_t pod_count;
    int64_t now_ms;
    const char *log;    /* what was written: "bind, status, delete 0" */
    const char *phases; /* the phases and readiness that statuses showed, each change once */
    const char *last;
    size_t writes;
    int fail_next;       /* so many calls get 503 */
    const char *changed; /* the pod that the last step changed, or NULL */
} NodeRig;

static inline const Json **rig_pod(NodeRig *r, const char *name)
{
    for (size_t i = 0; i < r->pod_count; i++)
        if (r->pods[i] && str_eq(meta_name(r->pods[i]), name))
            return &r->pods[i];
    return NULL;
}

static inline void rig_show(NodeRig *r, const Kind *kind, const Json *object)
{
    Sight sight = {.kind = kind, .key = meta_key(object), .object = object};
    r->actor->see(r->actor, &sight, r->now_ms);
}

static inline void rig_gone(NodeRig *r, const Kind *kind, const char *name)
{
    Sight sight = {.kind = kind, .key = {"sei", name}};
    const Json **pod = rig_pod(r, name);
    if (kind == kind_pod && pod)
        *pod = NULL;
    r->actor->see(r->actor, &sight, r->now_ms);
}

static inline void rig_note(NodeRig *r, const char *what)
{
    r->writes++;
    r->log = *r->log ? str_format(r->arena, "%s, %s", r->log, what) : what;
}

static inline const char *rig_ready(const Json *pod)
{
    const Json *condition;
    json_each(condition, json_find(pod, ".status.conditions"))
        if (str_eq(json_str(condition, ".type"), "Ready"))
            return json_str(condition, ".status");
    return "?";
}

static inline void rig_note_phase(NodeRig *r, const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");
    const char *now = str_format(r->arena, "%s/%s", phase ? phase : "-", rig_ready(pod));
    if (str_eq(r->last, now))
        return;
    r->phases = *r->phases ? str_format(r->arena, "%s %s", r->phases, now) : now;
    r->last = now;
}

static inline Err *rig_refuse(Arena *a, int status)
{
    Err *err = err_retry(a, "refused with %d", status);
    err->status = status;
    return err;
}

static inline Err *rig_call(Api *self, Arena *a, const Request *q, const Json **ret)
{
    NodeRig *r = (NodeRig *)(void *)self;
    const Json **pod = rig_pod(r, q->key.name);
    (void)ret;

    if (r->fail_next > 0) {
        r->fail_next--;
        return rig_refuse(a, 503);
    }
    if (q->kind == kind_node)
        return OK;
    if (!pod)
        return rig_refuse(a, 404);
    if (q->verb == VERB_DELETE) {
        then_str(q->uid, meta_uid(*pod));
        rig_note(r, q->has_grace ? "delete 0" : "delete");
        r->changed = q->has_grace ? str_copy(r->arena, q->key.name) : NULL;
        if (q->has_grace)
            *pod = NULL;
        return OK;
    }
    if (q->verb == VERB_CREATE) {
        then_str(q->subresource, "binding");
        rig_note(r, "bind");
        *pod = json_merge(r->arena,
            *pod,
            json_fixture(r->arena,
                str_format(
                    r->arena, "{spec: {nodeName: '%s'}}", json_str(q->body, ".target.name"))));
    } else {
        then_int(q->verb, VERB_MERGE_PATCH);
        then_str(q->subresource, "status");
        then_str(json_str(q->body, ".metadata.uid"), meta_uid(*pod));
        rig_note(r, "status");
        *pod = json_merge(r->arena, *pod, json_copy(r->arena, q->body));
        rig_note_phase(r, *pod);
    }
    r->changed = meta_name(*pod);
    return OK;
}

static inline void rig_open(NodeRig *r, const KubeletOptions *options)
{
    KubeletOptions o = options ? *options : (KubeletOptions){0};

    memset(r, 0, sizeof *r);
    r->arena = arena_open(256 << 20);
    clock_manual_init(&r->clock, 0, INT64_C(1767225600) * 1000000000);
    rng_seed(&r->rng, 11);
    o.clock = &r->clock.port;
    o.rng = &r->rng.port;
    r->port.call = rig_call;
    r->log = "";
    r->phases = "";
    r->kubelet = kubelet_open(&o);
    r->actor = kubelet_actor(r->kubelet);
}

static inline void rig_close(NodeRig *r)
{
    r->actor->close(r->actor);
    arena_close(r->arena);
}

/* The pod of the fixture with a merge patch, created. */
static inline void rig_create(NodeRig *r, const char *patch)
{
    const Json *pod = json_merge(
        r->arena, json_fixture(r->arena, sei_pod), patch ? json_fixture(r->arena, patch) : NULL);
    size_t at = 0;
    while (at < r->pod_count && r->pods[at])
        at++;
    r->pods[at] = pod;
    r->pod_count = at == r->pod_count ? at + 1 : r->pod_count;
    rig_show(r, kind_pod, pod);
}

static inline void rig_claim(NodeRig *r, const char *patch)
{
    rig_show(r,
        kind_pvc,
        json_merge(r->arena,
            json_fixture(r->arena, sei_claim),
            patch ? json_fixture(r->arena, patch) : NULL));
}

static inline void rig_change(NodeRig *r, const char *name, const char *patch)
{
    const Json **pod = rig_pod(r, name);
    *pod = json_merge(r->arena, *pod, json_fixture(r->arena, patch));
    rig_show(r, kind_pod, *pod);
}

static inline void rig_delete(NodeRig *r, const char *name, int grace_s)
{
    rig_change(r,
        name,
        str_format(r->arena,
            "{metadata: {deletionTimestamp: 'now', deletionGracePeriodSeconds: %d}}",
            grace_s));
}

static inline int64_t rig_step(NodeRig *r)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    int64_t due_ms = r->actor->step(r->actor, a, &r->port, r->now_ms);

    if (!r->changed)
        return due_ms;
    const Json **pod = rig_pod(r, r->changed);
    if (pod)
        rig_show(r, kind_pod, *pod);
    else
        rig_gone(r, kind_pod, r->changed);
    r->changed = NULL;
    return r->now_ms;
}

static inline void rig_run(NodeRig *r, int64_t ms)
{
    int64_t until_ms = r->now_ms + ms;
    size_t steps = 0;

    while (++steps < 1000000) {
        int64_t due_ms = rig_step(r);
        if (due_ms <= r->now_ms)
            continue;
        if (due_ms > until_ms)
            due_ms = until_ms;
        clock_manual_advance_ms(&r->clock, due_ms - r->now_ms);
        r->now_ms = due_ms;
        if (due_ms == until_ms)
            break;
    }
    if (steps == 1000000)
        fail_msg("the kubelet never comes to rest");
    while (rig_step(r) <= r->now_ms)
        continue;
}

static inline PodEndpoint rig_endpoint(NodeRig *r, int port)
{
    const Json **pod = rig_pod(r, "rpc-0-0");
    const char *address = pod ? json_str(*pod, ".status.podIP") : NULL;

    return (PodEndpoint){address ? address : "", port};
}

static inline SidecarAnswer rig_ask(
    NodeRig *r, const char *method, const char *target, const char *body)
{
    SidecarAnswer answer;
    PodEndpoint endpoint = rig_endpoint(r, POD_PORT_PROXY);

    kubelet_ask(r->kubelet,
        r->arena,
        &endpoint,
        &(SidecarRequest){.method = method,
            .target = target,
            .token = "t",
            .body = bytes_of(body),
            .now_ms = r->now_ms},
        &answer);
    return answer;
}

static inline void rig_mark_ready(NodeRig *r, const char *id)
{
    SidecarAnswer got = rig_ask(r,
        "POST",
        "/v0/tasks",
        str_format(r->arena, "{\"id\":\"%s\",\"type\":\"mark-ready\"}", id));
    then_int(got.status, 201);
}

static inline bool rig_order(NodeRig *r, KubeletOrder order)
{
    if (!order.pod.name)
        order.pod = (Key){"sei", "rpc-0-0"};
    return kubelet_order(r->kubelet, &order, r->now_ms);
}

/* A field of the pod's status. */
static inline const char *rig_status(NodeRig *r, const char *path)
{
    const Json **pod = rig_pod(r, "rpc-0-0");
    return pod ? json_str(*pod, path) : NULL;
}

/* The pod is up and Ready. */
static inline void rig_bring_up(NodeRig *r)
{
    rig_claim(r, NULL);
    rig_create(r, NULL);
    rig_run(r, 30000);
    rig_mark_ready(r, "11111111-1111-4111-8111-111111111111");
    rig_run(r, 90000);
    then_str(rig_ready(*rig_pod(r, "rpc-0-0")), "True");
}

#endif
