/* Hamlet: pods written to the world's server, and orders to its kubelet. */
#include "tests/sim/hamlet.h"

#include "kube/meta.h"
#include "tests/test.h"
#include "tests/world/sei_pod.h"
#include "world/kubelet.h"

static const SidecarTemper tempers[] = {
    [MISCHIEF_NONE] = TEMPER_NONE,
    [MISCHIEF_FORGETFUL] = TEMPER_FORGETFUL,
    [MISCHIEF_SLOW] = TEMPER_SLOW,
    [MISCHIEF_LYING] = TEMPER_LYING,
    [MISCHIEF_HANGING] = TEMPER_HANGING,
    [MISCHIEF_FAILING] = TEMPER_FAILING,
    [MISCHIEF_HUGE] = TEMPER_HUGE,
    [MISCHIEF_MALFORMED] = TEMPER_MALFORMED,
    [MISCHIEF_WEDGED] = TEMPER_WEDGED,
};

static void call(Hamlet *h, Request request, const char *body)
{
    request.body = json_fixture(h->arena, body);
    then_ok(api_call(world_api(sim_world(h->sim), "person"), h->arena, &request, NULL));
}

static void create(Hamlet *h, const Kind *kind, const char *object, const char *patch)
{
    const Json *body = json_merge(
        h->arena, json_fixture(h->arena, object), patch ? json_fixture(h->arena, patch) : NULL);
    Request request = {.verb = VERB_CREATE, .kind = kind, .key = meta_key(body), .body = body};

    then_ok(api_call(world_api(sim_world(h->sim), "person"), h->arena, &request, NULL));
}

static void create_node(Hamlet *h, int i)
{
    Arena *a = h->arena;
    const char *claim = str_format(a, "data-rpc-%d", i);

    create(h, kind_pvc, sei_claim, str_format(a, "{metadata: {uid: null, name: '%s'}}", claim));
    call(h,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_pvc,
            .key = {"sei", claim},
            .subresource = "status"},
        "{status: {phase: 'Bound'}}");
    create(h,
        kind_pod,
        sei_pod,
        str_format(a,
            "{metadata: {uid: null, name: 'rpc-%d-0', labels: {'sei.io/node': 'rpc-%d'}},"
            " spec: {volumes: [{name: 'data', persistentVolumeClaim: {claimName: '%s'}}]}}",
            i,
            i,
            claim));
}

static void order(Hamlet *h, KubeletOrder o)
{
    World *w = sim_world(h->sim);

    then_true(kubelet_order(sim_kubelet(h->sim), &o, world_now_ms(w)));
    world_wake(w, kubelet_actor(sim_kubelet(h->sim)));
}

static Key pod_key(Hamlet *h, int node)
{
    return (Key){"sei", str_format(h->arena, "rpc-%d-0", node)};
}

void hamlet_behave(Hamlet *h, HamletMischief mischief)
{
    for (int i = 0; i < HAMLET_NODES; i++)
        order(h,
            (KubeletOrder){.deed = DEED_TEMPER,
                .pod = pod_key(h, i),
                .temper = tempers[mischief],
                .ms = 3000});
}

void hamlet_kill_sidecar(Hamlet *h, int node)
{
    order(h, (KubeletOrder){.deed = DEED_KILL_SIDECAR, .pod = pod_key(h, node)});
}

void hamlet_slow_task(Hamlet *h, const char *type, int64_t ms)
{
    for (int i = 0; i < HAMLET_NODES; i++)
        order(h,
            (KubeletOrder){.deed = DEED_TASK_TAKES, .pod = pod_key(h, i), .text = type, .ms = ms});
}

static bool all_listen(Hamlet *h)
{
    for (int i = 0; i < HAMLET_NODES; i++) {
        const Pod *pod = kubelet_find(sim_kubelet(h->sim), pod_key(h, i));
        if (!pod || !pod_listens(pod, POD_PORT_PROXY))
            return false;
    }
    return true;
}

void hamlet_open(Hamlet *h, const SimOptions *options, HamletMischief mischief)
{
    h->arena = arena_open(256 << 20);
    h->sim = sim_open(options);
    sim_add_kubelet(h->sim, &(KubeletOptions){0});
    create(
        h, kind_namespace, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'sei'}}", NULL);
    create(h,
        kind_serviceaccount,
        "{apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'op', namespace: 'sei'}}",
        NULL);
    for (int i = 0; i < HAMLET_NODES; i++)
        create_node(h, i);
    hamlet_behave(h, mischief);
    while (!all_listen(h))
        world_run_until(sim_world(h->sim), world_now_ms(sim_world(h->sim)) + 100);
}

void hamlet_close(Hamlet *h)
{
    sim_close(h->sim);
    arena_close(h->arena);
}

bool hamlet_is_ready(Hamlet *h, int node)
{
    const Pod *pod = kubelet_find(sim_kubelet(h->sim), pod_key(h, node));

    return pod && pod->sidecar.is_up && pod->sidecar.is_ready;
}

const char *hamlet_hazards(Hamlet *h)
{
    const char *newest = hazards_newest(kubelet_hazards(sim_kubelet(h->sim)));

    return newest ? newest : "";
}
