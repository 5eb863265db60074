/* The whole cast in one simulation: controllers, the garbage collector, a kubelet and an operator.
 * Whatever they draw, do and see in which order: one seed, one trace. */
#include "kube/meta.h"
#include "sim/replica.h"
#include "tests/sim/example.h"
#include "tests/test.h"
#include "world/controllers.h"
#include "world/kubelet.h"

enum { SEEDS = 12 };

static const Kind *const owned_kinds[] = {
    kind_statefulset, kind_controllerrevision, kind_job, kind_pod, kind_configmap, kind_pvc, NULL};

static void add_cast(World *w)
{
    ControllerOptions late = {
        .clock = world_clock(w),
        .rng = world_rng(w),
        .delay_max_ms = 200,
    };

    world_add(w, statefulset_controller_open(&(StatefulSetControllerOptions){.base = late}));
    world_add(w, job_controller_open(&late));
    world_add(w, garbage_collector_open(&late, owned_kinds));
    world_add(w,
        kubelet_actor(
            kubelet_open(&(KubeletOptions){.clock = world_clock(w), .rng = world_rng(w)})));
}

static void ask(Sim *sim, Arena *a, Request request, const char *body)
{
    request.body = body ? json_fixture(a, body) : NULL;
    then_ok(api_call(world_api(sim_world(sim), "person"), a, &request, NULL));
}

#define POD_TEMPLATE                                                                               \
    "{metadata: {labels: {app: 'web'}}, spec: {containers: [{name: 'web', image: 'web:1'}]}}"

static void create_set(Sim *sim, Arena *a)
{
    ask(sim,
        a,
        (Request){.verb = VERB_CREATE, .kind = kind_statefulset, .key = {"default", "web"}},
        "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'web'},"
        " spec: {replicas: 3, serviceName: 'web', selector: {matchLabels: {app: 'web'}},"
        "  template: " POD_TEMPLATE "}}");
}

static int64_t ready_pods(Sim *sim, Arena *a)
{
    Request get = {.verb = VERB_GET, .kind = kind_statefulset, .key = {"default", "web"}};
    Answer answer = {0};

    server_call(world_server(sim_world(sim)), a, "test", &get, &answer);
    return answer.status == 200 ? json_int(answer.body, ".status.readyReplicas", 0) : -1;
}

typedef struct Tally {
    int pods;
} Tally;

static void count_pods(void *self, const Kind *kind, const Json *object)
{
    (void)object;
    ((Tally *)self)->pods += kind_eq(kind, kind_pod);
}

static uint64_t play(uint64_t seed)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    SCOPED_EXAMPLE e = example_open(&(ExampleOptions){.sim = {.seed = seed}});
    Sim *sim = example_sim(e);
    World *w = sim_world(sim);
    Tally tally = {0};

    add_cast(w);
    create_set(sim, a);
    world_run_until(w, 120000);
    then_int(ready_pods(sim, a), 3);
    ask(sim,
        a,
        (Request){
            .verb = VERB_DELETE,
            .kind = kind_statefulset,
            .key = {"default", "web"},
            .propagation = PROPAGATION_FOREGROUND,
        },
        NULL);
    world_run_until(w, 240000);
    then_int(ready_pods(sim, a), -1);
    server_each(world_server(w), a, count_pods, &tally);
    then_int(tally.pods, 0);
    then_str(example_complaint(e, a), NULL);
    return sim_trace(sim)->hash;
}

TEST(a_simulation_with_all_actors_gives_the_same_trace_for_the_same_seed)
{
    uint64_t hashes[SEEDS];
    int equal = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        hashes[seed] = play(seed);
        then_true(play(seed) == hashes[seed]);
    }
    for (int i = 0; i < SEEDS; i++)
        for (int k = 0; k < i; k++)
            equal += hashes[i] == hashes[k];
    then_int(equal, 0);
}
