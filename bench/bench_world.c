/* The simulated API server: how many requests of each kind one core carries out in a second. Time
 * is virtual inside and real outside, so this is the price of the world itself. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/server.h"

#include <stdio.h>
#include <stdlib.h>

enum { OBJECTS = 10000, ROUNDS = 100000, ARENA_MAX = 256 << 20 };

static const char pod_text[] =
    "{apiVersion: 'v1', kind: 'Pod', metadata: {name: '%s', labels: {'sei.io/node': 'n%zu', app: "
    "'seid'}}, spec: {nodeName: 'n1', containers: [{name: 'seid', image: 'seid:v6', env: [{name: "
    "'A', value: 'b'}, {name: 'C', value: 'd'}], ports: [{containerPort: 26657, name: 'rpc'}], "
    "volumeMounts: [{name: 'data', mountPath: '/data'}]}, {name: 'sidecar', image: 'seictl:v1'}], "
    "volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data'}}]}}";

typedef struct Bench {
    ManualClock clock;
    SeededRng rng;
    Server *server;
    Arena *arena; /* of one request */
    Answer answer;
} Bench;

static const char *name_of(Arena *a, size_t i)
{
    return str_format(a, "object-%zu", i % OBJECTS);
}

static void call(Bench *b, Request request, int want)
{
    request.key.namespace = "default";
    server_call(b->server, b->arena, "bench", &request, &b->answer);
    if (b->answer.status == want)
        return;
    fprintf(stderr,
        "bench_world: %s: %d, %s\n",
        request_text(b->arena, &request),
        b->answer.status,
        json_write(b->arena, b->answer.body).data);
    exit(1);
}

static void create_small(Bench *b, size_t i)
{
    const char *text = str_format(b->arena,
        "{metadata: {name: '%s', labels: {a: 'b'}}, data: {a: '1'}}",
        name_of(b->arena, i));

    call(b,
        (Request){
            .verb = VERB_CREATE, .kind = kind_configmap, .body = json_fixture(b->arena, text)},
        201);
}

static void create_pod(Bench *b, size_t i)
{
    const char *text = str_format(b->arena, pod_text, name_of(b->arena, i), i);

    call(b,
        (Request){.verb = VERB_CREATE, .kind = kind_pod, .body = json_fixture(b->arena, text)},
        201);
}

static void get_small(Bench *b, size_t i)
{
    call(b,
        (Request){.verb = VERB_GET, .kind = kind_configmap, .key.name = name_of(b->arena, i)},
        200);
}

static void get_pod(Bench *b, size_t i)
{
    call(b, (Request){.verb = VERB_GET, .kind = kind_pod, .key.name = name_of(b->arena, i)}, 200);
}

static void patch_pod_status(Bench *b, size_t i)
{
    const char *text = str_format(b->arena,
        "{status: {phase: 'Running', podIP: '10.0.0.1', conditions: [{type: 'Ready', status: "
        "'True', message: '%zu'}]}}",
        i);

    call(b,
        (Request){.verb = VERB_MERGE_PATCH,
            .kind = kind_pod,
            .key.name = name_of(b->arena, i * 7919),
            .subresource = "status",
            .body = json_fixture(b->arena, text),
            .manager = "kubelet"},
        200);
}

static void apply_small(Bench *b, size_t i)
{
    const char *name = name_of(b->arena, i * 7919);
    const char *text = str_format(b->arena,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: '%s'}, data: {b: '%zu'}}",
        name,
        i / 3);

    call(b,
        (Request){.verb = VERB_APPLY,
            .kind = kind_configmap,
            .key.name = name,
            .body = json_fixture(b->arena, text),
            .manager = "operator"},
        200);
}

static void list_page(Bench *b, size_t i)
{
    (void)i;
    call(b, (Request){.verb = VERB_LIST, .kind = kind_pod, .limit = 100}, 200);
}

/* What a controller's day looks like: mostly writes of status, reads, applies. */
static void mixed(Bench *b, size_t i)
{
    static void (*const steps[])(Bench *b, size_t i) = {
        get_small, get_pod, patch_pod_status, apply_small, get_pod, patch_pod_status};

    steps[i % (sizeof steps / sizeof *steps)](b, i);
}

static void measure(Bench *b, const char *what, size_t rounds, void (*step)(Bench *b, size_t i))
{
    int64_t began = clock_mono_ms(clock_system()), took;

    for (size_t i = 0; i < rounds; i++) {
        step(b, i);
        arena_reset(b->arena);
        clock_manual_advance_ms(&b->clock, 1);
    }
    took = clock_mono_ms(clock_system()) - began;
    printf("%-24s %8zu requests %10.0f per second\n",
        what,
        rounds,
        (double)rounds * 1000 / (double)(took > 0 ? took : 1));
}

static void measure_watch(Bench *b)
{
    Request request = {.verb = VERB_WATCH, .kind = kind_pod, .labels = "app=seid"};
    ServerWatch *w = server_open_watch(b->server, b->arena, &request, &b->answer);
    int64_t began = clock_mono_ms(clock_system()), took;
    size_t events = 0;
    bool ended;
    Bytes line;

    while (w && server_next_event(w, b->arena, &line, &ended) && !ended) {
        events++;
        arena_reset(b->arena);
    }
    took = clock_mono_ms(clock_system()) - began;
    server_close_watch(w);
    printf("%-24s %8zu events   %10.0f per second\n",
        "watch by label",
        events,
        (double)events * 1000 / (double)(took > 0 ? took : 1));
}

int main(void)
{
    Bench b = {.arena = arena_open(ARENA_MAX)};

    clock_manual_init(&b.clock, 0, 0);
    rng_seed(&b.rng, 1);
    b.server = server_open(&(ServerOptions){.clock = &b.clock.port, .rng = &b.rng.port});
    measure(&b, "create configmap", OBJECTS, create_small);
    measure(&b, "create pod", OBJECTS, create_pod);
    measure(&b, "get configmap", ROUNDS, get_small);
    measure(&b, "get pod", ROUNDS, get_pod);
    measure(&b, "patch pod status", ROUNDS, patch_pod_status);
    measure(&b, "apply configmap", ROUNDS, apply_small);
    measure(&b, "list 100 pods of 10,000", 1000, list_page);
    measure(&b, "mixed", ROUNDS, mixed);
    measure_watch(&b);
    server_close(b.server);
    arena_close(b.arena);
    return 0;
}
