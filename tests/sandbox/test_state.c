/* What outlasts a sandbox, with worlds in virtual time: a life ends without anybody having been
 * told, as by SIGKILL, and the next one begins with what is in the folder. */
#include "sandbox/state.h"

#include "kube/meta.h"
#include "sandbox/cast.h"
#include "sandbox/orders.h"
#include "tests/e2e/folder.h"
#include "tests/test.h"
#include "tests/world/sei_pod.h"
#include "world/token.h"

#include <signal.h>
#include <sys/resource.h>

#define TASK(n) "0000000" #n "-0000-4000-8000-000000000000"

typedef struct Life {
    Arena *arena;
    Arena *outlasting;
    Folder *folder;
    State *state;
    StateSelf self;
    Cast cast;
    Api *api;
} Life;

static void fill(void *self, World *w)
{
    state_restore(((Life *)self)->state, w);
}

static void begin(Life *l)
{
    static const Log nobody = {0};
    StateSelf new = {
        .authority = {"certificate", "server", "key"}, .admin_token = "a", .token_key = "secret"};

    l->arena = arena_open(256 << 20);
    const char *path = str_format(l->arena, "%s/state", folder_path(l->folder));
    then_ok(state_open(l->arena, path, &nobody, &l->state));
    if (!state_self(l->state, &l->self))
        l->self = new;
    cast_open(&(CastOptions){.seed = 7,
                  .wall_ms = clock_wall_ms(clock_system()),
                  .nodes = 1,
                  .network = 200,
                  .token_key = l->self.token_key,
                  .fill = fill,
                  .self = l},
        &l->cast);
    then_ok(state_keep(l->arena, l->state, l->cast.kubelet, &l->self));
    l->api = world_api(l->cast.world, "person");
}

/* Nothing is written by it: closing is what the kernel does for a process that was killed. */
static void end(Life *l)
{
    state_close(l->state);
    world_close(l->cast.world);
    arena_close(l->arena);
}

static void begin_again(Life *l)
{
    end(l);
    begin(l);
}

static void open_life(Life *l)
{
    *l = (Life){0};
    l->outlasting = arena_open(1 << 20);
    then_ok(folder_open(l->outlasting, "/tmp", &l->folder));
    begin(l);
}

static void close_life(Life *l)
{
    end(l);
    folder_close(l->folder, false);
    arena_close(l->outlasting);
}

static void run(Life *l, int64_t ms)
{
    world_run_until(l->cast.world, world_now_ms(l->cast.world) + ms);
    state_step(l->state, world_now_ms(l->cast.world));
}

static void create(Life *l, const Kind *kind, const char *text, const char *patch)
{
    const Json *body =
        json_merge(l->arena, json_fixture(l->arena, text), json_fixture(l->arena, patch));
    Request request = {.verb = VERB_CREATE, .kind = kind, .key = meta_key(body), .body = body};

    then_ok(api_call(l->api, l->arena, &request, NULL));
}

static const char *token_of(Life *l)
{
    const Json *answer;
    Request request = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {"sei", "client"},
        .subresource = "token",
        .body = json_fixture(
            l->arena, "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {}}")};

    then_ok(api_call(l->api, l->arena, &request, &answer));
    return json_str(answer, ".status.token");
}

static const Pod *find_pod(Life *l)
{
    return kubelet_find(l->cast.kubelet, (Key){"sei", "rpc-0-0"});
}

static bool has_volume(Life *l)
{
    return find_pod(l) && find_pod(l)->volume;
}

static const Pod *pod(Life *l)
{
    then_true(has_volume(l));
    return find_pod(l);
}

static void submit(Life *l, const char *id, const char *type)
{
    SidecarAnswer answer;
    SidecarRequest request = {.method = "POST",
        .target = "/v0/tasks",
        .token = token_of(l),
        .body = bytes_of(str_format(l->arena, "{\"id\":\"%s\",\"type\":\"%s\"}", id, type)),
        .now_ms = world_now_ms(l->cast.world)};

    kubelet_ask(l->cast.kubelet,
        l->arena,
        &(PodEndpoint){pod(l)->address, POD_PORT_PROXY},
        &request,
        &answer);
    then_int(answer.status, 201);
}

/* A node that follows its chain. */
static void bring_up(Life *l)
{
    create(
        l, kind_namespace, "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'sei'}}", "{}");
    create(l,
        kind_serviceaccount,
        "{apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'client', namespace: 'sei'}}",
        "{}");
    create(l,
        kind_clusterrolebinding,
        "{apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding',"
        " metadata: {name: 'client'},"
        " roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole',"
        "           name: 'cluster-admin'},"
        " subjects: [{kind: 'ServiceAccount', name: 'client', namespace: 'sei'}]}",
        "{}");
    create(l, kind_pvc, sei_claim, "{metadata: {uid: null}, status: null}");
    create(l, kind_pod, sei_pod, "{metadata: {uid: null, generation: null}}");
    run(l, 30000);
    submit(l, TASK(1), "mark-ready");
    run(l, 90000);
    then_true(seid_serves(&pod(l)->seid));
}

static int64_t height(Life *l)
{
    return seid_height(&pod(l)->seid, world_now_ms(l->cast.world));
}

TEST(a_killed_sandbox_loses_nothing_of_its_volumes)
{
    Life l;
    open_life(&l);
    bring_up(&l);
    unsigned files = pod(&l)->volume->files;
    int64_t before = height(&l);
    const char *uid = str_copy(l.outlasting, pod(&l)->volume->uid);

    begin_again(&l);
    run(&l, 20000);
    const Volume *v = pod(&l)->volume;
    then_str(v->uid, uid);
    then_int(v->files, files);
    then_true(files != 0 && before > 1000);
    then_true(v->height >= before);
    then_int(task_store_find(v->tasks, TASK(1))->status, ROW_COMPLETED);
    then_int(task_store_count(v->tasks), 1);
    close_life(&l);
}

TEST(a_seid_continues_from_the_block_at_which_the_sandbox_was_killed)
{
    Life l;
    open_life(&l);
    bring_up(&l);
    run(&l, 3600 * 1000); /* nobody touches it: no height was ever written down */
    int64_t before = height(&l);

    begin_again(&l);
    for (int i = 0; i < 1000 && !has_volume(&l); i++)
        run(&l, 10);
    then_int(pod(&l)->volume->height, before);
    close_life(&l);
}

TEST(sidecar_tasks_are_restored_in_order_and_removed_ones_stay_removed)
{
    Life l;
    open_life(&l);
    bring_up(&l);
    submit(&l, TASK(2), "config-validate");
    run(&l, 10000);
    submit(&l, TASK(3), "config-validate");
    task_store_remove(pod(&l)->volume->tasks, TASK(2));
    begin_again(&l); /* at once: the last one was running */
    run(&l, 60000);
    const TaskStore *tasks = pod(&l)->volume->tasks;
    then_int(task_store_count(tasks), 2);
    then_str(task_store_next(tasks, NULL)->id, TASK(3));
    then_true(task_store_next(tasks, NULL)->status != ROW_RUNNING); /* it was run again */
    begin_again(&l); /* and what was restored is kept again */
    run(&l, 20000);
    then_int(task_store_count(pod(&l)->volume->tasks), 2);
    close_life(&l);
}

TEST(a_volume_is_deleted_with_its_pvc_across_a_restart)
{
    Life l;
    open_life(&l);
    bring_up(&l);
    Request gone = {.verb = VERB_DELETE, .kind = kind_pod, .key = {"sei", "rpc-0-0"}};
    then_ok(api_call(l.api, l.arena, &gone, NULL));
    gone = (Request){.verb = VERB_DELETE, .kind = kind_pvc, .key = {"sei", "data-rpc-0"}};
    then_ok(api_call(l.api, l.arena, &gone, NULL));
    run(&l, 120000);
    create(&l, kind_pvc, sei_claim, "{metadata: {uid: null}, status: null}");
    create(&l, kind_pod, sei_pod, "{metadata: {uid: null, generation: null}}");
    begin_again(&l);
    run(&l, 30000);
    then_int(task_store_count(pod(&l)->volume->tasks), 0);
    close_life(&l);
}

TEST(chains_and_buckets_survive_a_restart_of_the_sandbox)
{
    Life l;
    open_life(&l);
    Tempo tempo = {.speed = 1};
    OrdersScope scope = {&l.cast, &tempo};
    then_ok(orders_obey(l.arena, &scope, "halt pacific-1 v7"));
    state_note_chains(l.state);
    then_true(outside_put(kubelet_outside(l.cast.kubelet), "bucket/key", "value"));
    for (int i = 0; i < 2; i++) { /* and once more from the journal that was begun anew */
        begin_again(&l);
        Outside *outside = kubelet_outside(l.cast.kubelet);
        then_str(outside_find(outside, "bucket/key"), "value");
        then_int(outside_chain(outside, "pacific-1")->upgrade_count, 1);
        then_str(outside_chain(outside, "pacific-1")->upgrades[0].image, "v7");
    }
    close_life(&l);
}

/* --- a disk without room */

/* From now on no file may be longer: writing fails, as on a disk that is full. */
static void allow_bytes(rlim_t bytes)
{
    struct rlimit limit;

    signal(SIGXFSZ, SIG_IGN);
    then_int(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    then_int(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void create_config(Life *l, const char *name)
{
    create(l,
        kind_configmap,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {namespace: 'default'}}",
        str_format(l->arena, "{metadata: {name: '%s'}}", name));
}

static bool has_config(Life *l, const char *name)
{
    Request get = {.verb = VERB_GET, .kind = kind_configmap, .key = {"default", name}};

    return api_call(l->api, l->arena, &get, NULL) == OK;
}

TEST(when_a_full_disk_has_space_again_all_state_is_stored_again)
{
    Life l;
    open_life(&l);
    create_config(&l, "before");
    run(&l, 2000);
    allow_bytes(64);
    create_config(&l, "meanwhile");
    run(&l, 10000); /* tries, and fails */
    allow_bytes(RLIM_INFINITY);
    run(&l, 10000);
    create_config(&l, "after");
    begin_again(&l);
    then_true(has_config(&l, "before"));
    then_true(has_config(&l, "meanwhile"));
    then_true(has_config(&l, "after"));
    close_life(&l);
}

TEST(while_the_disk_is_full_the_stored_state_is_kept)
{
    Life l;
    open_life(&l);
    create_config(&l, "before");
    run(&l, 2000);
    allow_bytes(64);
    create_config(&l, "meanwhile");
    run(&l, 10000);
    allow_bytes(RLIM_INFINITY);
    begin_again(&l);
    then_true(has_config(&l, "before"));
    then_true(!has_config(&l, "meanwhile"));
    close_life(&l);
}
