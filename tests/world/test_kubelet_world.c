/* The kubelet in a world with a server: the same pods, written and deleted through the API. */
#include "tests/test.h"

#include "kube/meta.h"
#include "tests/world/sei_pod.h"
#include "world/kubelet.h"
#include "world/world.h"

typedef struct Town {
    Arena *arena;
    World *world;
    Kubelet *kubelet;
    Api *api;
} Town;

static void town_open(Town *t, uint64_t seed)
{
    t->arena = arena_open(512 << 20);
    t->world = world_open(&(WorldOptions){.seed = seed});
    t->api = world_api(t->world, "person");
    t->kubelet =
        kubelet_open(&(KubeletOptions){.clock = world_clock(t->world), .rng = world_rng(t->world)});
    world_add(t->world, kubelet_actor(t->kubelet));
    Request create = {.verb = VERB_CREATE,
        .kind = kind_namespace,
        .key = {.name = "sei"},
        .body = json_fixture(
            t->arena, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'sei'}}")};
    then_ok(api_call(t->api, t->arena, &create, NULL));
}

static void town_close(Town *t)
{
    world_close(t->world);
    arena_close(t->arena);
}

static void run(Town *t, int64_t ms)
{
    world_run_until(t->world, world_now_ms(t->world) + ms);
}

static void create(Town *t, const Kind *kind, const char *object, const char *patch)
{
    const Json *body =
        json_merge(t->arena, json_fixture(t->arena, object), json_fixture(t->arena, patch));
    Request request = {.verb = VERB_CREATE, .kind = kind, .key = meta_key(body), .body = body};
    then_ok(api_call(t->api, t->arena, &request, NULL));
}

static void create_pod(Town *t, const char *patch)
{
    create(t, kind_pod, sei_pod, patch);
}

static void create_claim(Town *t, const char *name)
{
    create(t,
        kind_pvc,
        sei_claim,
        str_format(t->arena, "{metadata: {uid: null, name: '%s'}, status: null}", name));
    Request bound = {.verb = VERB_MERGE_PATCH,
        .kind = kind_pvc,
        .key = {"sei", name},
        .subresource = "status",
        .body = json_fixture(t->arena, "{status: {phase: 'Bound'}}")};
    then_ok(api_call(t->api, t->arena, &bound, NULL));
}

/* The pod, or NULL. */
static const Json *get(Town *t, const char *name)
{
    const Json *pod = NULL;
    Request request = {.verb = VERB_GET, .kind = kind_pod, .key = {"sei", name}};
    const Err *err = api_call(t->api, t->arena, &request, &pod);
    return err ? NULL : pod;
}

static const char *ready(Town *t, const char *name)
{
    const Json *pod = get(t, name), *condition;
    json_each(condition, json_find(pod, ".status.conditions"))
        if (str_eq(json_str(condition, ".type"), "Ready"))
            return json_str(condition, ".status");
    return NULL;
}

static void mark_ready(Town *t, const char *name)
{
    SidecarAnswer answer;
    kubelet_ask(t->kubelet,
        t->arena,
        &(PodEndpoint){json_str(get(t, name), ".status.podIP"), POD_PORT_PROXY},
        &(SidecarRequest){.method = "POST",
            .target = "/v0/tasks",
            .token = "t",
            .body = bytes_of("{\"type\":\"mark-ready\"}"),
            .now_ms = world_now_ms(t->world)},
        &answer);
    world_wake(t->world, kubelet_actor(t->kubelet));
    then_int(answer.status, 201);
}

static void remove_pod(Town *t, const char *name, Request request)
{
    request.verb = VERB_DELETE;
    request.kind = kind_pod;
    request.key = (Key){"sei", name};
    then_ok(api_call(t->api, t->arena, &request, NULL));
}

#define WITHOUT_UID "{metadata: {uid: null}}"

TEST(a_pod_is_started_and_deleted_through_the_api)
{
    Town t;
    town_open(&t, 1);
    create_claim(&t, "data-rpc-0");
    create_pod(&t, WITHOUT_UID);
    run(&t, 30000);
    const Json *pod = get(&t, "rpc-0-0");
    then_str(json_str(pod, ".status.phase"), "Running");
    then_true(str_has_prefix(json_str(pod, ".spec.nodeName"), "node-"));
    then_str(ready(&t, "rpc-0-0"), "False");
    mark_ready(&t, "rpc-0-0");
    run(&t, 60000);
    then_str(ready(&t, "rpc-0-0"), "True");
    then_int(json_int(get(&t, "rpc-0-0"), ".status.observedGeneration", 0),
        meta_generation(get(&t, "rpc-0-0")));

    remove_pod(&t, "rpc-0-0", (Request){0});
    run(&t, 1000);
    then_true(meta_deleting(get(&t, "rpc-0-0")));
    run(&t, 10000);
    then_true(!get(&t, "rpc-0-0"));
    town_close(&t);
}

TEST(a_pod_that_waits_for_its_pvc_is_deleted_at_once)
{
    Town t;
    town_open(&t, 2);
    create_pod(&t, WITHOUT_UID);
    run(&t, 10000);
    then_str(json_str(get(&t, "rpc-0-0"), ".status.conditions[0].reason"), "Unschedulable");
    remove_pod(&t, "rpc-0-0", (Request){0});
    then_true(!get(&t, "rpc-0-0"));
    run(&t, 10000);
    then_true(!kubelet_find(t.kubelet, (Key){"sei", "rpc-0-0"}));
    town_close(&t);
}

#define WITH_SECRETS                                                                               \
    "{metadata: {uid: null}, spec: {volumes: [{name: 'data',"                                      \
    " persistentVolumeClaim: {claimName: 'data-rpc-0'}},"                                          \
    " {name: 's', secret: {secretName: 's', items: [{key: 'k', path: 'k'}]}},"                     \
    " {name: 'o', secret: {secretName: 'o', optional: true}}]}}"

TEST(a_pod_waits_for_the_secrets_that_it_mounts)
{
    Town t;
    town_open(&t, 4);
    create_claim(&t, "data-rpc-0");
    create_pod(&t, WITH_SECRETS);
    run(&t, 60000);
    const Json *pod = get(&t, "rpc-0-0");
    then_str(json_str(pod, ".status.phase"), "Pending");
    then_str(json_str(pod, ".status.podIP"), NULL);
    then_str(json_str(pod, ".status.initContainerStatuses[0].state.waiting.reason"),
        "ContainerCreating");

    create(&t, kind_secret, "{metadata: {name: 's', namespace: 'sei'}}", "{}");
    run(&t, 60000); /* the key is not in it */
    then_str(json_str(get(&t, "rpc-0-0"), ".status.phase"), "Pending");

    Request key = {.verb = VERB_MERGE_PATCH,
        .kind = kind_secret,
        .key = {"sei", "s"},
        .body = json_fixture(t.arena, "{stringData: {k: 'v'}}")};
    then_ok(api_call(t.api, t.arena, &key, NULL));
    run(&t, 30000);
    then_str(json_str(get(&t, "rpc-0-0"), ".status.phase"), "Running");
    town_close(&t);
}

TEST(a_pod_that_is_recreated_after_a_forced_deletion_is_another_pod)
{
    Town t;
    town_open(&t, 3);
    create_claim(&t, "data-rpc-0");
    create_pod(&t, WITHOUT_UID);
    run(&t, 30000);
    const char *uid = meta_uid(get(&t, "rpc-0-0"));
    remove_pod(&t, "rpc-0-0", (Request){.has_grace = true});
    create_pod(&t, WITHOUT_UID);
    run(&t, 60000);
    then_true(!str_eq(meta_uid(get(&t, "rpc-0-0")), uid));
    then_str(json_str(get(&t, "rpc-0-0"), ".status.phase"), "Running");
    town_close(&t);
}

TEST(a_kubelet_registers_its_nodes)
{
    Town t;
    const Json *node = NULL;
    town_open(&t, 4);
    run(&t, 1000);
    Request request = {.verb = VERB_GET, .kind = kind_node, .key = {.name = "node-3"}};
    then_ok(api_call(t.api, t.arena, &request, &node));
    then_str(json_str(node, ".status.conditions[0].type"), "Ready");
    then_str(json_str(node, ".status.nodeInfo.kubeletVersion"), "v1.34.0");
    town_close(&t);
}

TEST(three_hundred_pods_start_and_end)
{
    enum { COUNT = 300 };
    Town t;
    town_open(&t, 5);
    for (int i = 0; i < COUNT; i++) {
        create_claim(&t, str_format(t.arena, "data-%d", i));
        create_pod(&t,
            str_format(t.arena,
                "{metadata: {uid: null, name: 'n-%d'}, spec: {volumes: [{name: 'data',"
                " persistentVolumeClaim: {claimName: 'data-%d'}}]}}",
                i,
                i));
    }
    run(&t, 60000);
    for (int i = 0; i < COUNT; i++)
        mark_ready(&t, str_format(t.arena, "n-%d", i));
    run(&t, 120000);
    for (int i = 0; i < COUNT; i++)
        then_str(ready(&t, str_format(t.arena, "n-%d", i)), "True");
    uint64_t version = server_version(world_server(t.world));
    run(&t, 3600000);
    then_int(server_version(world_server(t.world)), version);
    for (int i = 0; i < COUNT; i++)
        remove_pod(&t, str_format(t.arena, "n-%d", i), (Request){0});
    run(&t, 60000);
    for (int i = 0; i < COUNT; i++)
        then_true(!get(&t, str_format(t.arena, "n-%d", i)));
    then_int(kubelet_hazards(t.kubelet)->count, 0);
    town_close(&t);
}
