/* Taking over what others made: the objects of the reference operator are taken as they are, and
 * nothing restarts; what differs rolls later, one node at a time, with the next change of ours.
 * What people and agents put into a StatefulSet is told and left alone. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define IMAGE "ghcr.io/example/seid:v6.4.1"

enum { GOLDEN_MAX = 1 << 20, NODES = 3, STEP_MS = 200, PATIENCE_STEPS = 9000 };

static const char *const names[NODES] = {"rpc-0", "rpc-1", "rpc-2"};

enum { WORDS = 2 };

/* What the objects were made from: words that stood in the template instead of ours, and
 * what else differs in the StatefulSet. */
typedef struct Maker {
    const char *ours[WORDS], *theirs[WORDS];
    const char *change, *status;
} Maker;

static const Maker reference = {
    .ours = {"exec seid start", "sleep 5"},
    .theirs = {"exec  seid start", "sleep 10"},
    .change = "{spec: {template: {metadata: {annotations: {'sei.io/template-hash': null,"
              " 'sei.io/config-hash': null, 'kubectl.kubernetes.io/default-container': null}},"
              " spec: {terminationGracePeriodSeconds: null}}}}",
    .status = "{status: {phase: 'Running', currentImage: '" IMAGE "',"
              " plan: {id: 'b8c5e6d0-0000-4000-8000-000000000001', phase: 'Complete',"
              " targetPhase: 'Running', failedPhase: 'Failed', tasks: [{type: 'mark-ready',"
              " id: 'b8c5e6d0-0000-4000-8000-000000000002', status: 'Complete'}]}}}",
};

/* An operator like this one, before the data moved from /sei to /.sei. */
static const Maker earlier = {
    .ours = {"/.sei"},
    .theirs = {"/sei"},
    .change = "{spec: {template: {metadata: {annotations: {'sei.io/template-hash': "
              "'00000000deadbeef'}}}}}",
    .status = "{status: {phase: 'Running', currentImage: '" IMAGE "',"
              " podTemplateHash: '00000000deadbeef',"
              " identity: {chainId: 'pacific-1', mode: 'fullNode'}}}",
};

static const char *replaced(Arena *a, const char *text, const char *from, const char *to)
{
    const char *all = "", *at;

    while ((at = strstr(text, from))) {
        all = str_format(a, "%s%s%s", all, str_slice(a, text, (size_t)(at - text)), to);
        text = at + strlen(from);
    }
    return str_format(a, "%s%s", all, text);
}

static const char *read_golden(Arena *a)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */
    const char *path = str_format(a, "%s/tests/golden/nodes/reference.json", root ? root : ".");
    char *text = arena_alloc(a, GOLDEN_MAX);
    FILE *file = fopen(path, "re");

    if (!file) {
        fail_msg("cannot read %s", path);
        return NULL;
    }
    text[fread(text, 1, GOLDEN_MAX - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void apply(Play *p, const char *manager, const Kind *kind, const Json *object)
{
    Request request = {
        .verb = VERB_APPLY,
        .kind = kind,
        .key = {.namespace = PLAY_NAMESPACE, .name = meta_name(object)},
        .body = object,
        .manager = manager,
        .force = true,
    };

    then_ok(api_call(world_api(sim_world(play_sim(p)), manager), play_arena(p), &request, NULL));
}

static void make_objects(Play *p, const char *name, const Maker *maker)
{
    Arena *a = play_arena(p);
    const char *uid = meta_uid(play_find(p, kind_seinode, name));
    const char *text = replaced(a, read_golden(a), "6d1f2c34-0000-4000-8000-00000000abcd", uid);
    const Json *golden;

    text = replaced(a, text, "rpc-0", name);
    for (int i = 0; i < WORDS && maker->ours[i]; i++)
        text = replaced(a, text, maker->ours[i], maker->theirs[i]);
    then_ok(json_parse(a, bytes_of(text), &golden));
    apply(p, NODE_MANAGER, kind_pvc, json_find(golden, ".volume"));
    apply(p, NODE_MANAGER, kind_configmap, json_find(golden, ".proxyConfig"));
    apply(p, NODE_MANAGER, kind_service, json_find(golden, ".service"));
    apply(p,
        NODE_MANAGER,
        kind_statefulset,
        json_merge(a, json_find(golden, ".statefulSet"), json_fixture(a, maker->change)));
}

static const Json *pod_of(Play *p, const char *node)
{
    return play_find(p, kind_pod, str_format(play_arena(p), "%s-0", node));
}

static bool has_address(Play *p, const char *node)
{
    return json_str(pod_of(p, node), ".status.podIP") != NULL;
}

/* Asked often: in an arena of its own. */
static bool is_ready(Play *p, const char *node)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Request get = {
        .verb = VERB_GET,
        .kind = kind_pod,
        .key = {.namespace = PLAY_NAMESPACE, .name = str_format(a, "%s-0", node)},
    };
    const Json *pod;

    return !api_call(world_api(sim_world(play_sim(p)), "judge"), a, &get, &pod) && pod_is_ready(pod)
        && !meta_deleting(pod);
}

/* As the other operator got it from the API server of this simulation. */
static const char *ask_token(Play *p)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {.namespace = PLAY_NAMESPACE, .name = "sidecar-client"},
        .subresource = "token",
        .body = json_fixture(play_arena(p),
            "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {}}"),
        .manager = NODE_MANAGER,
    };
    const Json *answer;

    then_ok(api_call(
        world_api(sim_world(play_sim(p)), NODE_MANAGER), play_arena(p), &request, &answer));
    return json_str(answer, ".status.token");
}

static void mark_ready(Play *p, const char *node)
{
    SidecarRequest request = {
        .method = "POST",
        .target = "/v0/tasks",
        .token = ask_token(p),
        .body = bytes_of("{\"id\":\"b8c5e6d0-0000-4000-8000-000000000002\","
                         "\"type\":\"mark-ready\"}"),
        .now_ms = world_now_ms(sim_world(play_sim(p))),
    };
    SidecarAnswer answer = {0};

    then_true(play_until(p, has_address, node));
    play_run(p, 20000);
    kubelet_ask(play_kubelet(p),
        play_arena(p),
        &(PodEndpoint){json_str(pod_of(p, node), ".status.podIP"), POD_PORT_PROXY},
        &request,
        &answer);
    if (answer.status / 100 != 2)
        then_str(answer.body.data, "");
    world_wake(sim_world(play_sim(p)), kubelet_actor(play_kubelet(p)));
    then_true(play_until(p, is_ready, node));
}

/* Nodes that another operator set up, and that runs no more. */
static void given_nodes_of(Play *p, const Maker *maker, int count)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5000);
    for (int i = 0; i < count; i++) {
        play_create_node(p,
            names[i],
            "{metadata: {finalizers: ['sei.io/seinode-finalizer']}, spec: {image: '" IMAGE "'}}");
        make_objects(p, names[i], maker);
        mark_ready(p, names[i]);
        play_patch_status(p, kind_seinode, names[i], maker->status);
    }
    play_mark(p);
}

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(hazards_newest(kubelet_hazards(play_kubelet(p))), NULL);
}

static void then_says(Play *p, const char *type, const char *phrase)
{
    const char *said = play_message(p, "rpc-0", type);

    if (!said || !strstr(said, phrase))
        then_str(said, phrase);
}

/* Restarted with the settings as they are, and run until it has nothing left to do; never more than
 * one node is down. */
static void roll_one_at_a_time(Play *p)
{
    int steps = 0;

    replica_crash(play_replica(p, 0));
    while (play_pods_deleted(p) < NODES || !is_ready(p, names[0]) || !is_ready(p, names[1])
        || !is_ready(p, names[2])) {
        int down = 0;
        play_run(p, STEP_MS);
        for (int i = 0; i < NODES; i++)
            down += !is_ready(p, names[i]);
        then_true(down <= 1);
        if (++steps == PATIENCE_STEPS)
            play_tell(p);
        then_true(steps < PATIENCE_STEPS);
    }
    then_settled(p);
}

TEST(taking_over_nodes_of_the_go_operator_restarts_nothing)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});
    const char *pods[NODES];

    given_nodes_of(p, &reference, NODES);
    for (int i = 0; i < NODES; i++)
        pods[i] = meta_uid(pod_of(p, names[i]));
    replica_start(play_replica(p, 0));
    then_settled(p);
    for (int i = 0; i < NODES; i++) {
        then_str(meta_uid(pod_of(p, names[i])), pods[i]);
        then_str(play_condition(p, names[i], COND_READY), "True");
        then_str(play_condition(p, names[i], COND_UP_TO_DATE), "False");
        then_str(play_reason(p, names[i], COND_UP_TO_DATE), "AdoptedDrift");
        then_str(play_node(p, names[i])->status.adopted.pod_uid, pods[i]);
        then_str(play_node(p, names[i])->status.identity.chain_id, "pacific-1");
    }
    then_says(p, COND_UP_TO_DATE, "an eviction would pick up");
    then_int(play_pods_deleted(p), 0);
    then_int(play_tasks_posted(p, NULL), 0);
    replica_crash(play_replica(p, 0));
    then_settled(p);
    then_int(play_pods_deleted(p), 0);
}

TEST(the_first_change_after_a_takeover_rolls_one_node_at_a_time)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    given_nodes_of(p, &reference, NODES);
    replica_start(play_replica(p, 0));
    then_settled(p);
    play_settings(p)->cpu = "8";
    roll_one_at_a_time(p);
    then_int(play_pods_deleted(p), NODES);
    for (int i = 0; i < NODES; i++) {
        then_str(play_condition(p, names[i], COND_UP_TO_DATE), "True");
        then_str(play_node(p, names[i])->status.plan.cause, "platform");
        then_true(play_node(p, names[i])->status.adopted.pod_uid == NULL);
    }
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
}

TEST(a_node_with_a_template_of_an_earlier_version_is_updated_once_on_the_same_volume)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_nodes_of(p, &earlier, 1);
    const char *volume = meta_uid(play_find(p, kind_pvc, "data-rpc-0"));
    then_str(json_str(pod_of(p, "rpc-0"), ".spec.containers[0].env[0].value"), "/sei");
    replica_start(play_replica(p, 0));
    then_settled(p);
    const Json *seid = json_find(pod_of(p, "rpc-0"), ".spec.containers[0]");
    then_str(json_str(seid, ".env[0].value"), "/.sei");
    then_str(json_str(seid, ".volumeMounts[0].mountPath"), "/.sei");
    then_int(play_pods_deleted(p), 1);
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(play_condition(p, "rpc-0", COND_UP_TO_DATE), "True");
    then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-0")), volume);
    then_int(play_tasks_posted(p, NULL), play_tasks_posted(p, "mark-ready"));
}

/* --- what others write into a StatefulSet ------------------------------------------------------
 */

static const struct {
    const char *name, *manager, *object, *told;
} writers[] = {
    {"kubectl rollout restart",
        "kubectl-rollout",
        "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'rpc-0'}, spec: {template:"
        " {metadata: {annotations: {'kubectl.kubernetes.io/restartedAt':"
        " '2026-11-15T00:00:00Z'}}}}}",
        "restartedAt"},
    {"an agent's environment",
        "agent",
        "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'rpc-0'}, spec: {template:"
        " {spec: {containers: [{name: 'seid', env: [{name: 'AGENT', value: 'on'}]}]}}}}",
        "AGENT"},
};

TEST(foreign_additions_to_a_template_are_reported_and_replace_no_pod)
{
    each_case(i, writers) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        play_create_node(p, "rpc-0", "{}");
        then_settled(p);
        const char *pod = meta_uid(pod_of(p, "rpc-0"));
        play_mark(p);
        apply(p,
            writers[i].manager,
            kind_statefulset,
            json_fixture(play_arena(p), writers[i].object));
        then_settled(p);
        then_str(meta_uid(pod_of(p, "rpc-0")), pod);
        then_str(play_condition(p, "rpc-0", COND_READY), "True");
        then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "ForeignFields");
        then_says(p, COND_UP_TO_DATE, writers[i].told);
        then_int(play_pods_deleted(p), 0);
        then_int(play_writes(p, -1, kind_statefulset), 0);
        play_mark(p);
        play_run(p, 600000);
        then_int(play_requests(p), 0);
    }
}
