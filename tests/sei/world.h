/* The world of tests of tasks and plans: the server of src/world behind the Kube port, as a manager
 * would show it, and a sidecar that says what it is told to say.
 *
 *     SCOPED_WORLD w = world_of("{spec: {image: 'seid:v2'}}");
 *     given(w, kind_pod, stranger, "{metadata: {name: 'job'}}");
 *     then_err(when_task_runs(w, TASK_APPLY_STATEFULSET), WAIT("in use"));
 *     then_str(w->said, "list pods");
 *
 * Cached reads show what caches would: objects with our label alone, projected, with the hash of
 * what we own. Any call can be made to fail, before or after it has been carried out. */
#ifndef TESTS_SEI_WORLD_H
#define TESTS_SEI_WORLD_H

#include "kube/kube.h"
#include "kube/meta.h"
#include "kube/runtime/store.h"
#include "kube/status.h"
#include "kube/timestamp.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/render/render.h"
#include "sei/task/task.h"
#include "tests/sei/nodes.h"
#include "world/server.h"

enum { SCRIPT_MAX = 8, WORLD_ARENA_MAX = 256 << 20 };

typedef enum FaultWhen { FAULT_NONE, FAULT_BEFORE, FAULT_AFTER } FaultWhen;

typedef struct ScriptedSidecar {
    Sidecar port;
    struct {
        TaskType type;
        SidecarNews news;
    } script[SCRIPT_MAX];
    size_t count;
    SidecarJob job; /* the last one wanted */
    SidecarTarget target;
    int asked;
} ScriptedSidecar;

typedef struct TaskWorld {
    Kube kube;
    ScriptedSidecar sidecar;
    Ctx ctx;
    Log log;
    ManualClock clock;
    SeededRng rng;
    Arena *arena;
    Server *server;
    Credentials *credentials;
    StartLocks *start_locks; /* knows the node, and whoever else was noted */
    SeiNode node;
    Wanted wanted;
    NodeStatus status;
    TaskRun run;
    const char *said; /* live calls so far: "get pods rpc-0, delete pods rpc-0" */
    const char *told; /* events, a line each: "Normal PlanStarted: ..." */
    const Json *sent; /* the body of the last one that had one */
    int calls, fault_at;
    FaultWhen fault;
    int64_t page_fits; /* objects that one answer of a LIST can hold; 0: any number */
    struct {           /* the next such write gets this answer instead */
        Verb verb;
        int status;
        const char *message;
    } refusal;
} TaskWorld;

#define ABSENT "absent"

static const int64_t world_wall_ns = 1767225600LL * 1000000000; /* 2026-01-01 */

/* --- the port --- */

static inline bool world_is_faulty(TaskWorld *w)
{
    return ++w->calls == w->fault_at && w->fault != FAULT_NONE;
}

static inline const Kind *world_cached_kind(const Kind *kind)
{
    static const Kind *const cached[] = {
        cached_statefulset, cached_pod, cached_service, cached_configmap, cached_pvc, cached_job};

    for (size_t i = 0; i < array_count(cached); i++)
        if (kind_eq(cached[i], kind))
            return cached[i];
    return kind;
}

static inline const Json *world_cached(TaskWorld *w, const Kind *kind, const Json *object)
{
    StoreOptions options = {.kind = world_cached_kind(kind), .manager = NODE_MANAGER};
    StoreItem item;
    const Json *cached;

    if (!meta_label(object, LABEL_NODE))
        return NULL;
    then_ok(store_project(w->arena, &options, object, &item));
    then_ok(json_parse(w->arena, item.bytes, &cached));
    return cached;
}

static inline const Json *world_ask(TaskWorld *w, Request request, Answer *answer)
{
    server_call(w->server, w->arena, "tester", &request, answer);
    return answer->status < 300 ? answer->body : NULL;
}

static inline Err *world_unseen(TaskWorld *w)
{
    return err_wait(w->arena, "our last write has not come back");
}

static inline Err *world_find(Kube *self, Ctx *c, const Kind *kind, Key key, const Json **ret)
{
    TaskWorld *w = (TaskWorld *)(void *)self;
    Answer answer;
    (void)c;

    if (world_is_faulty(w))
        return world_unseen(w);
    const Json *object =
        world_ask(w, (Request){.verb = VERB_GET, .kind = kind, .key = key}, &answer);
    *ret = object ? world_cached(w, kind, object) : NULL;
    return OK;
}

static inline Err *world_select(Kube *self, Ctx *c, const Selection *q, Objects *ret)
{
    TaskWorld *w = (TaskWorld *)(void *)self;
    Request list = {.verb = VERB_LIST, .kind = q->kind, .key = {.namespace = q->namespace}};
    Answer answer;
    const Json *object;
    (void)c;

    if (world_is_faulty(w))
        return world_unseen(w);
    const Json *items = json_find(world_ask(w, list, &answer), ".items");
    *ret = (Objects){.items = arena_array(w->arena, const Json *, json_count(items) + 1)};
    json_each(object, items) {
        const Json *cached = world_cached(w, q->kind, object);
        bool chosen = q->owner_uid ? str_eq(json_str(meta_controller(object), ".uid"), q->owner_uid)
                                   : selector_matches(q->selector, object);
        if (cached && chosen)
            ret->items[ret->count++] = q->trim ? q->trim(w->arena, cached) : cached;
    }
    return OK;
}

static inline void world_say(TaskWorld *w, const char *what)
{
    w->said = w->said ? str_format(w->arena, "%s, %s", w->said, what) : what;
}

static inline const char *world_call_text(Arena *a, const Request *q)
{
    static const char *const words[] = {[VERB_GET] = "get",
        [VERB_LIST] = "list",
        [VERB_CREATE] = "create",
        [VERB_APPLY] = "apply",
        [VERB_MERGE_PATCH] = "merge",
        [VERB_JSON_PATCH] = "patch",
        [VERB_DELETE] = "delete"};
    const char *text = str_format(a, "%s %s", words[q->verb], q->kind->plural);

    if (q->subresource)
        text = str_format(a, "%s/%s", text, q->subresource);
    if (q->key.name)
        text = str_format(a, "%s %s", text, q->key.name);
    return q->has_grace ? str_format(a, "%s in %d s", text, (int)q->grace_seconds) : text;
}

static inline Err *world_fault(TaskWorld *w, const Request *q)
{
    Err *err = err_retry(w->arena, "%s: no answer", request_text(w->arena, q));
    err->outcome_unknown = request_is_write(q);
    return err;
}

static inline bool world_refuses(TaskWorld *w, const Request *q, Answer *ret)
{
    if (!w->refusal.status || w->refusal.verb != q->verb)
        return false;
    ret->status = w->refusal.status;
    ret->body = json_fixture(w->arena,
        str_format(w->arena,
            "{kind: 'Status', reason: '%s', message: '%s'}",
            w->refusal.status == 422 ? "Invalid" : "Conflict",
            w->refusal.message));
    w->refusal.status = 0;
    return true;
}

static inline bool world_fits(const TaskWorld *w, const Request *q)
{
    return q->verb != VERB_LIST || !w->page_fits || (q->limit > 0 && q->limit <= w->page_fits);
}

static inline Err *world_too_large(TaskWorld *w)
{
    Err *err = err_terminal(w->arena, "JSON has more than %d values", JSON_VALUES_MAX);

    err->too_large = true;
    return err;
}

static inline Err *world_call(Kube *self, Ctx *c, const Request *q, const Json **ret)
{
    TaskWorld *w = (TaskWorld *)(void *)self;
    bool faulty = world_is_faulty(w);
    Answer answer = {0};

    if (faulty && w->fault == FAULT_BEFORE)
        return world_fault(w, q);
    if (!world_fits(w, q))
        return world_too_large(w);
    world_say(w, world_call_text(w->arena, q));
    if (q->body)
        w->sent = json_copy(w->arena, q->body);
    if (!world_refuses(w, q, &answer))
        server_call(w->server, c->arena, "operator", q, &answer);
    if (faulty)
        return world_fault(w, q);
    *ret = answer.body;
    return status_err(c->arena, q, &answer);
}

static inline void world_event(Kube *self, Ctx *c, const Notice *notice)
{
    TaskWorld *w = (TaskWorld *)(void *)self;
    const char *line =
        str_format(w->arena, "%s %s: %s", notice->type, notice->reason, notice->note);
    (void)c;

    w->told = w->told ? str_format(w->arena, "%s\n%s", w->told, line) : line;
}

/* --- the sidecar --- */

static inline void world_sidecar_task(
    Sidecar *self, Arena *a, const SidecarTarget *target, const SidecarJob *job, SidecarNews *ret)
{
    ScriptedSidecar *s = (ScriptedSidecar *)(void *)self;
    (void)a;

    s->asked++;
    s->job = *job;
    s->target = *target;
    *ret = (SidecarNews){.state = SIDECAR_ASKED};
    for (size_t i = 0; i < s->count; i++)
        if (str_eq(task_type_text(s->script[i].type), job->type))
            *ret = s->script[i].news;
}

/* From now on, the sidecar says this of tasks of a type. */
static inline void sidecar_says(TaskWorld *w, TaskType type, SidecarNews news)
{
    ScriptedSidecar *s = &w->sidecar;

    for (size_t i = 0; i < s->count; i++)
        if (s->script[i].type == type) {
            s->script[i].news = news;
            return;
        }
    then_true(s->count < SCRIPT_MAX);
    s->script[s->count].type = type;
    s->script[s->count++].news = news;
}

/* --- given --- */

/* Stores an object: `json5` with a merge patch over it; ABSENT stores nothing. What it has of a
 * status is written as one. */
static inline const Json *given(
    TaskWorld *w, const Kind *kind, const char *json5, const char *patch)
{
    Answer answer;
    if (str_eq(patch, ABSENT))
        return NULL;
    const Json *object = json_merge(
        w->arena, json_fixture(w->arena, json5), patch ? json_fixture(w->arena, patch) : NULL);
    Request create = {.verb = VERB_CREATE, .kind = kind, .key = meta_key(object), .body = object};
    const Json *stored = world_ask(w, create, &answer);
    if (!stored)
        test_fail(__FILE__, __LINE__, "not stored: %s", json_str(answer.body, ".message"));
    if (!json_find(object, ".status"))
        return stored;
    Request status = {.verb = VERB_MERGE_PATCH,
        .kind = kind,
        .key = meta_key(object),
        .subresource = "status",
        .body = json_project(w->arena, object, (const char *const[]){".status", NULL})};
    stored = world_ask(w, status, &answer);
    then_int(answer.status, 200);
    return stored;
}

/* Changes what is stored, as a person would. */
static inline const Json *changed(
    TaskWorld *w, const Kind *kind, const char *name, const char *subresource, const char *patch)
{
    Request merge = {.verb = VERB_MERGE_PATCH,
        .kind = kind,
        .key = {kind->namespaced ? "sei" : NULL, name},
        .subresource = subresource,
        .manager = "kubectl",
        .body = json_fixture(w->arena, patch)};
    Answer answer;
    const Json *stored = world_ask(w, merge, &answer);

    if (!stored)
        test_fail(__FILE__, __LINE__, "not changed: %s", json_str(answer.body, ".message"));
    return stored;
}

/* Deletes; what has a finalizer stays, Terminating. */
static inline void deleted(TaskWorld *w, const Kind *kind, const char *name)
{
    Request delete = {.verb = VERB_DELETE, .kind = kind, .key = {"sei", name}};
    Answer answer;

    world_ask(w, delete, &answer);
    then_int(answer.status, 200);
}

/* What is stored, or NULL. */
static inline const Json *stored(TaskWorld *w, const Kind *kind, const char *name)
{
    Request get = {.verb = VERB_GET, .kind = kind, .key = {kind->namespaced ? "sei" : NULL, name}};
    Answer answer;

    return world_ask(w, get, &answer);
}

/* --- opening --- */

static inline void world_render(TaskWorld *w, ReplicaRule replicas)
{
    Subject subject = subject_of(w->arena, &w->node, sample_settings(), replicas);

    then_ok(render_node(w->arena, &subject, &w->wanted));
}

/* The node as changed by a merge patch; its status is what tasks will work on. */
static inline void world_set_node(TaskWorld *w, const char *patch)
{
    w->node = sample_node(w->arena, patch);
    start_locks_see(w->start_locks, w->node.key, exclusive_key(w->node.spec.signing_key.secret));
    w->status = w->node.status;
    world_render(w, REPLICAS_ONE);
}

static inline TaskWorld *world_of(const char *node_patch)
{
    Arena *a = arena_open(WORLD_ARENA_MAX);
    TaskWorld *w = arena_new(a, TaskWorld);

    w->arena = a;
    w->kube = (Kube){world_find, world_select, world_call, world_event};
    w->sidecar.port.task = world_sidecar_task;
    clock_manual_init(&w->clock, 0, world_wall_ns);
    rng_seed(&w->rng, 1);
    w->server = server_open(&(ServerOptions){.clock = &w->clock.port, .rng = &w->rng.port});
    w->ctx = (Ctx){
        .arena = a, .kube = &w->kube, .clock = &w->clock.port, .rng = &w->rng.port, .log = &w->log};
    w->credentials = credentials_open(guard_none(), sample_settings()->sidecar_account);
    w->start_locks = start_locks_open(START_NODES_MAX);
    then_true(start_locks_must_be_filled(w->start_locks));
    start_locks_filled(w->start_locks, true);
    given(w, kind_namespace, "{metadata: {name: 'sei'}}", NULL);
    given(w, kind_namespace, "{metadata: {name: 'sei-operator-system'}}", NULL);
    given(w,
        kind_serviceaccount,
        "{metadata: {name: 'sei-operator-sidecar', namespace: 'sei-operator-system'}}",
        NULL);
    world_set_node(w, node_patch);
    w->run = (TaskRun){.node = &w->node,
        .settings = sample_settings(),
        .wanted = &w->wanted,
        .status = &w->status,
        .task = &w->status.plan.tasks[0],
        .sidecar = &w->sidecar.port,
        .credentials = w->credentials,
        .start_locks = w->start_locks};
    return w;
}

static inline void world_close_scoped(TaskWorld **w)
{
    credentials_close((*w)->credentials);
    start_locks_close((*w)->start_locks);
    server_close((*w)->server);
    arena_close((*w)->arena);
}

#define SCOPED_WORLD __attribute__((cleanup(world_close_scoped))) TaskWorld *

/* --- when --- */

/* Runs the task of a type once; what was said before is forgotten. */
static inline Err *when_task_runs(TaskWorld *w, TaskType type)
{
    PlannedTask *task = w->run.task;

    task->type = type;
    task->spelling = task_type_text(type);
    if (!task->id)
        task->id = "0728b42e-aa1b-51ac-aa2a-31e88ac6b3dc";
    w->said = NULL;
    w->calls = 0;
    return task_find(type)->step(&w->ctx, &w->run);
}

/* --- faults --- */

/* What is stored, in one line: names, generations, and what is on its way out. */
static inline void world_note_shape(void *self, const Kind *kind, const Json *object)
{
    TaskWorld *w = self;
    w->said = str_format(w->arena,
        "%s%s %s %d%s\n",
        w->said ? w->said : "",
        kind->plural,
        meta_name(object),
        (int)meta_generation(object),
        meta_deleting(object) ? " Terminating" : "");
}

static inline const char *world_shape(TaskWorld *w)
{
    w->said = NULL;
    server_each(w->server, w->arena, world_note_shape, w);
    return w->said;
}

typedef void Given(TaskWorld *w);

/* Reruns a task that ends with OK, with the k-th call failed, for every k, before and after it was
 * carried out: it must ask to be called again, and when it is, everything is as if nothing had
 * happened. */
static inline void each_fault(Given *prepare, TaskType type)
{
    SCOPED_WORLD smooth = world_of(NULL);
    prepare(smooth);
    then_ok(when_task_runs(smooth, type));
    int calls = smooth->calls;

    for (int i = 0; i < 2 * calls; i++) {
        SCOPED_WORLD w = world_of(NULL);
        prepare(w);
        w->fault_at = i / 2 + 1;
        w->fault = i % 2 ? FAULT_BEFORE : FAULT_AFTER;
        Err *err = when_task_runs(w, type);
        then_true(err_is(err, ERR_RETRY) || err_is(err, ERR_WAIT));
        w->fault = FAULT_NONE;
        then_ok(when_task_runs(w, type));
        then_str(world_shape(w), world_shape(smooth));
    }
    then_true(calls > 0);
}

#endif
