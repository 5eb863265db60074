/* Play: how the cast is put together, and how what it did is kept. */
#include "tests/sim/play.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/client/yaml.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/reconcile/app.h"
#include "sei/reconcile/fleet.h"
#include "sei/reconcile/node.h"
#include "tests/sei/nodes.h"
#include "tests/sim/chronicle.h"
#include "tests/sim/crowd.h"
#include "tests/sim/fleet_monitor.h"
#include "tests/sim/gateway.h"
#include "tests/test.h"
#include "world/controllers.h"
#include "world/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLAY_ARENA_MAX = 256 << 20,
    PERSON_ARENA_MAX = 64 << 20,
    REPLICA_ARENA_MAX = 256 << 20, /* the simulated server works in the memory of who calls it */
    STEP_MS = 20,
    LOOK_MS = 500,
    DEEDS_MAX = 100000,
    CRD_BYTES_MAX = 1 << 20,
    STORY_BODY_MAX = 2000,
    STORY_LINES_MAX = 200,
    METRICS_BYTES_MAX = 1 << 20,
};

typedef struct Deed {
    bool is_operator, is_pod_deletion, changed, tells_wait;
    Verb verb;
    const Kind *kind;
    const char *name, *text;
    const char *task, *id; /* of a task that was handed over, or NULL */
    const Json *posted;    /* the whole of it */
} Deed;

struct Play {
    Arena *arena, *work, *moment;
    PlayOptions options;
    PortJudge *judge; /* of the test */
    void *judge_self;
    Settings settings;
    Sim *sim;
    Api *person;
    Replica *replicas[PLAY_REPLICAS_MAX];
    Deed *deeds;
    int deed_count, mark;
    int changes; /* of objects and sidecars' tasks, so far */
    int judged;  /* changes when `judgement` was found */
    const char *judgement;
    Crowd crowd, signers;
    FleetMonitor *monitor;
    Chronicle *chronicle;
};

static const Kind *const kinds[] = {
    kind_statefulset,
    kind_controllerrevision,
    kind_job,
    kind_pod,
    kind_service,
    kind_configmap,
    kind_pvc,
    kind_seinode,
    kind_seinodedeployment,
    kind_serviceaccount,
    kind_secret,
    kind_httproute,
    NULL,
};

static const VolumeClass volume_classes[] = {
    {.name = "gp3-10k-750"}, {.name = "gp3"}, {.name = "gp3-archive"}, {0}};

static Err *send(Play *p, Request request);

/* --- what happened -----------------------------------------------------------------------------
 */

static Deed *note(Play *p)
{
    if (p->deed_count == DEEDS_MAX)
        fail_msg("too much happened");
    p->changes++;
    p->deeds[p->deed_count] = (Deed){0};
    return &p->deeds[p->deed_count++];
}

static bool is_operator(const char *user)
{
    return str_eq(user, "r0") || str_eq(user, "r1");
}

static MonitorWriter writer(const char *user)
{
    return is_operator(user)     ? WRITER_OPERATOR
        : str_eq(user, "person") ? WRITER_PERSON
                                 : WRITER_CLUSTER;
}

static void wrote(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Play *p = self;
    Deed *d = note(p);

    if (kind_eq(request->kind, kind_pod)) {
        crowd_see(&p->crowd, before, after);
        crowd_see(&p->signers, before, after);
    }
    if (!(writer(user) == WRITER_PERSON && str_eq(request->subresource, "status")))
        chronicle_see(p->chronicle, request, after); /* what people write there is not ours */
    fleet_monitor_see(p->monitor,
        &(MonitorWrite){
            .by = writer(user),
            .now_ms = world_now_ms(sim_world(p->sim)),
            .request = request,
            .before = before,
            .after = after,
        });
    *d = (Deed){
        .is_operator = is_operator(user),
        .changed = true,
        .is_pod_deletion = request->verb == VERB_DELETE && kind_eq(request->kind, kind_pod),
        .verb = request->verb,
        .kind = request->kind,
        .name = str_copy(p->arena, request->key.name),
        .text = str_format(p->arena, "%s: %s", user, request_text(p->arena, request)),
    };
}

/* A hand-over that nobody heard is made again, under the same id: that is one. */
static bool is_known_task(const Play *p, const char *id)
{
    for (int i = p->mark; i < p->deed_count; i++)
        if (p->deeds[i].id && str_eq(p->deeds[i].id, id))
            return true;
    return false;
}

static void note_task(Play *p, const PortCall *call)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *body;

    if (!str_eq(call->http->method, "POST") || json_parse(a, call->http->body, &body)
        || is_known_task(p, json_str(body, ".id")))
        return;
    Deed *d = note(p);
    d->task = str_copy(p->arena, json_str(body, ".type"));
    d->id = str_copy(p->arena, json_str(body, ".id"));
    d->posted = json_copy(p->arena, body);
    d->text = str_format(p->arena, "%s: task %s to %s", call->process, d->task, call->http->url);
}

/* What a status patch says; of other requests the body is long and known. */
static const char *body_text(Play *p, const Request *request)
{
    const char *text =
        request->body && request->subresource ? json_write(p->arena, request->body).data : "";

    return str_cut(p->arena, text, STORY_BODY_MAX);
}

/* For who reads the trace: the body of a write to one of ours. */
static void tell_call(Play *p, const PortCall *call)
{
    const Request *request = call->request;
    bool is_ours =
        kind_eq(request->kind, kind_seinode) || kind_eq(request->kind, kind_seinodedeployment);

    if (is_ours && request->body)
        trace_line(
            sim_trace(p->sim), call->process, "sends %s", json_write(p->arena, request->body).data);
}

/* Sees every call of the operator, and leaves it to the test what becomes of it. */
static PortFault judge(void *self, const PortCall *call)
{
    Play *p = self;

    if (call->http)
        note_task(p, call);
    else if (!call->is_stream && !kind_eq(call->request->kind, kind_lease)
        && !kind_eq(call->request->kind, kind_event)) {
        Deed *d = note(p);
        *d = (Deed){
            .is_operator = true,
            .verb = call->request->verb,
            .kind = call->request->kind,
            .tells_wait = json_str(call->request->body, ".status.plan.waiting") != NULL,
            .text = str_format(p->arena,
                "%s asks: %s %s",
                call->process,
                request_text(p->arena, call->request),
                body_text(p, call->request)),
        };
        if (p->options.sim.print)
            tell_call(p, call);
    }
    return p->judge ? p->judge(p->judge_self, call) : (PortFault){0};
}

void play_mark(Play *p)
{
    p->mark = p->deed_count;
    fleet_monitor_forget(p->monitor);
}

int play_writes(const Play *p, int verb, const Kind *kind)
{
    int count = 0;

    for (int i = p->mark; i < p->deed_count; i++) {
        const Deed *d = &p->deeds[i];
        count += d->changed && d->is_operator && (verb < 0 || (int)d->verb == verb)
            && (!kind || kind_eq(d->kind, kind));
    }
    return count;
}

/* Of a node: "rpc-0", "rpc-0-0", "rpc-0-rbac-proxy-config", "data-rpc-0". */
static bool is_of_node(const char *name, const char *node)
{
    const char *rest = str_has_prefix(name, "data-") ? name + strlen("data-") : name;

    return str_has_prefix(rest, node) && (rest[strlen(node)] == '\0' || rest[strlen(node)] == '-');
}

static bool is_our_own(const Deed *d)
{
    return kind_eq(d->kind, kind_lease) || kind_eq(d->kind, kind_event)
        || kind_eq(d->kind, kind_serviceaccount); /* a token */
}

const char *play_wrote_beside(const Play *p, const char *node)
{
    for (int i = p->mark; i < p->deed_count; i++) {
        const Deed *d = &p->deeds[i];
        if (d->changed && d->is_operator && !is_our_own(d) && !is_of_node(d->name, node))
            return d->text;
    }
    return NULL;
}

int play_requests(const Play *p)
{
    int count = 0;

    for (int i = p->mark; i < p->deed_count; i++)
        count += p->deeds[i].is_operator && !p->deeds[i].changed && !p->deeds[i].task;
    return count;
}

int play_reads(const Play *p)
{
    int count = 0;

    for (int i = p->mark; i < p->deed_count; i++) {
        const Deed *d = &p->deeds[i];
        count += d->is_operator && !d->changed && !d->task
            && (d->verb == VERB_GET || d->verb == VERB_LIST);
    }
    return count;
}

int play_pods_deleted(const Play *p)
{
    int count = 0;

    for (int i = p->mark; i < p->deed_count; i++)
        count += p->deeds[i].changed && p->deeds[i].is_operator && p->deeds[i].is_pod_deletion;
    return count;
}

int play_tasks_posted(const Play *p, const char *type)
{
    int count = 0;

    for (int i = p->mark; i < p->deed_count; i++)
        count += p->deeds[i].task && (!type || str_eq(p->deeds[i].task, type));
    return count;
}

const Json *play_posted(const Play *p, int number)
{
    for (int i = p->mark; i < p->deed_count; i++)
        if (p->deeds[i].posted && number-- == 0)
            return p->deeds[i].posted;
    return NULL;
}

const char *play_crowd(const Play *p)
{
    return p->crowd.found[0] ? p->crowd.found : NULL;
}

const char *play_double_signer(const Play *p)
{
    return p->signers.found[0] ? p->signers.found : NULL;
}

const char *play_broken_promise(Play *p)
{
    const Hazards *hazards = kubelet_hazards(sim_kubelet(p->sim));

    return fleet_monitor_complaint(p->monitor) ? fleet_monitor_complaint(p->monitor)
        : play_crowd(p)                        ? play_crowd(p)
        : play_double_signer(p)                ? play_double_signer(p)
        : hazards->count                       ? hazards_newest(hazards)
                                               : NULL;
}

int play_most_down(const Play *p)
{
    return fleet_monitor_most(p->monitor);
}

int play_waits_told(const Play *p)
{
    int count = 0;

    for (int i = p->mark; i < p->deed_count; i++)
        count += p->deeds[i].tells_wait;
    return count;
}

void play_tell(Play *p)
{
    for (int i = p->mark; i < p->deed_count; i++)
        if (p->deeds[i].text)
            fprintf(stderr, "  %s\n", p->deeds[i].text);
}

/* --- the cast ----------------------------------------------------------------------------------
 */

static void add_cast(World *w)
{
    ControllerOptions late = {
        .clock = world_clock(w),
        .rng = world_rng(w),
        .delay_max_ms = 100,
    };

    world_add(w, statefulset_controller_open(&(StatefulSetControllerOptions){.base = late}));
    world_add(w, job_controller_open(&late));
    world_add(w, garbage_collector_open(&late, kinds));
    world_add(w,
        volume_controller_open(&(VolumeControllerOptions){
            .base = late, .classes = volume_classes, .provision_max_ms = 500}));
    world_add(w, volume_protection_open(&late));
    world_add(w, namespace_controller_open(&late, kinds));
}

static void read_crd(Play *p, const char *name)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */
    const char *path = str_format(p->work, "%s/deploy/crds/%s", root ? root : ".", name);
    char *text = arena_alloc(p->work, CRD_BYTES_MAX);
    FILE *file = fopen(path, "re");
    const Json *crd;

    if (!file) {
        fail_msg("cannot read %s", path);
        return;
    }
    text[fread(text, 1, CRD_BYTES_MAX - 1, file)] = '\0';
    fclose(file);
    then_ok(yaml_parse(p->work, text, &crd));
    then_ok(send(p, (Request){.verb = VERB_CREATE, .kind = kind_crd, .body = crd}));
    arena_reset(p->work);
}

static void instrument(void *app, Manager *m)
{
    app_instrument(app, manager_metrics(m), manager_guard(m), "0");
}

/* One life of the operator: what it remembers dies with it; the settings are read anew. */
static ReplicaApp open_app(void *how, const ReplicaPorts *ports)
{
    Play *p = how;
    App *app;

    then_ok(app_open(p->arena,
        &(AppOptions){
            .settings = &p->settings,
            .namespaces = p->options.namespaces,
            .http = ports->http,
            .resolver = p->options.resolver,
            .clock = ports->clock,
            .rng = ports->rng,
        },
        &app));
    return (ReplicaApp){
        .app = app,
        .attendant = app_attendant(app),
        .bind = instrument,
        .close = (void (*)(void *))app_close,
    };
}

static const Controller *const controllers[] = {node_controller, fleet_controller, NULL};

static void found(Play *p)
{
    play_create(p,
        kind_namespace,
        "{apiVersion: 'v1', kind: 'Namespace', metadata: {name: '" PLAY_NAMESPACE "'}}");
    read_crd(p, "sei.io_seinodes.yaml");
    read_crd(p, "sei.io_seinodedeployments.yaml");
    play_create(p, kind_crd, gateway_routes);
    play_create(p,
        kind_serviceaccount,
        "{apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'sidecar-client'}}");
}

static void fill_settings(Play *p)
{
    p->settings = *sample_settings();
    p->settings.sidecar_account = (Key){.namespace = PLAY_NAMESPACE, .name = "sidecar-client"};
    if (p->options.platform_max_unavailable)
        p->settings.platform_max_unavailable = p->options.platform_max_unavailable;
}

Play *play_open(const PlayOptions *options)
{
    static const char *const names[PLAY_REPLICAS_MAX] = {"r0", "r1"};
    Arena *arena = arena_open(PLAY_ARENA_MAX);
    Play *p = arena_new(arena, Play);

    *p = (Play){
        .judged = -1,
        .signers = {.of_keys = true},
        .arena = arena,
        .work = arena_open(PERSON_ARENA_MAX),
        .moment = arena_open(PERSON_ARENA_MAX),
        .options = *options,
        .judge = options->sim.judge,
        .judge_self = options->sim.judge_self,
        .deeds = arena_array(arena, Deed, DEEDS_MAX),
        .monitor = fleet_monitor_open(arena),
        .chronicle = chronicle_open(arena),
    };
    p->options.sim.judge = judge;
    p->options.sim.judge_self = p;
    p->sim = sim_open(&p->options.sim);
    p->person = world_api(sim_world(p->sim), "person");
    fill_settings(p);
    found(p);
    add_cast(sim_world(p->sim));
    sim_add_kubelet(p->sim, &(KubeletOptions){.tells_events = options->kubelet_tells});
    sim_on_write(p->sim, wrote, p);
    int count = options->replicas ? options->replicas : 1;
    for (int i = 0; i < count; i++)
        p->replicas[i] = replica_open(p->sim,
            &(ReplicaOptions){
                .name = names[i],
                .controllers = controllers,
                .open_app = open_app,
                .how = p,
                .workers = options->workers ? options->workers : 2,
                .arena_max = REPLICA_ARENA_MAX,
                .leader_election = count > 1,
                .talkative = options->talkative,
            });
    return p;
}

void play_close(Play *p)
{
    sim_close(p->sim);
    chronicle_close(p->chronicle);
    arena_close(p->work);
    arena_close(p->moment);
    arena_close(p->arena);
}

void play_close_scoped(Play **p)
{
    play_close(*p);
}

Sim *play_sim(Play *p)
{
    return p->sim;
}

Replica *play_replica(Play *p, int number)
{
    return p->replicas[number];
}

Kubelet *play_kubelet(Play *p)
{
    return sim_kubelet(p->sim);
}

Arena *play_arena(Play *p)
{
    return p->arena;
}

Settings *play_settings(Play *p)
{
    return &p->settings;
}

void play_upgrade(Play *p, const char *cpu)
{
    p->settings.cpu = cpu;
    fleet_monitor_upgrade(p->monitor);
    for (int i = 0; i < PLAY_REPLICAS_MAX && p->replicas[i]; i++)
        replica_crash(p->replicas[i]);
}

void play_freeze(Play *p, int number, int64_t ms)
{
    replica_stop(p->replicas[number]);
    play_run(p, ms);
    replica_continue(p->replicas[number]);
    fleet_monitor_awake(p->monitor, world_now_ms(sim_world(p->sim)));
}

/* --- the person --------------------------------------------------------------------------------
 */

static Err *send(Play *p, Request request)
{
    if (!request.key.namespace && request.kind->namespaced)
        request.key.namespace = PLAY_NAMESPACE;
    request.manager = "person";
    if (request.body && request.verb == VERB_CREATE && !request.subresource)
        request.key.name = meta_name(request.body);
    return api_call(p->person, p->arena, &request, NULL);
}

static Err *ask(Play *p, Request request, const char *body)
{
    request.body = body ? json_fixture(p->arena, body) : NULL;
    return send(p, request);
}

int play_try(Play *p, Request request, const char *body)
{
    const Err *err = ask(p, request, body);

    return err ? err->status : 200;
}

void play_create(Play *p, const Kind *kind, const char *object)
{
    then_ok(ask(p, (Request){.verb = VERB_CREATE, .kind = kind}, object));
}

void play_create_node(Play *p, const char *name, const char *change)
{
    const Json *base = json_fixture(p->arena,
        str_format(p->arena,
            "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', metadata: {name: '%s'},"
            " spec: {chainId: 'pacific-1', image: 'ghcr.io/example/seid:v1', fullNode: {}}}",
            name));
    const Json *object = json_merge(p->arena, base, json_fixture(p->arena, change));

    then_ok(send(p, (Request){.verb = VERB_CREATE, .kind = kind_seinode, .body = object}));
}

void play_patch(Play *p, const Kind *kind, const char *name, const char *change)
{
    then_ok(
        ask(p, (Request){.verb = VERB_MERGE_PATCH, .kind = kind, .key = {.name = name}}, change));
}

void play_patch_status(Play *p, const Kind *kind, const char *name, const char *change)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind,
        .key = {.name = name},
        .subresource = "status",
    };

    then_ok(ask(p, request, change));
}

void play_delete_how(Play *p, const Kind *kind, const char *name, Propagation how)
{
    Request request = {
        .verb = VERB_DELETE,
        .kind = kind,
        .key = {.name = name},
        .propagation = how,
    };

    then_ok(ask(p, request, NULL));
}

void play_delete(Play *p, const Kind *kind, const char *name)
{
    play_delete_how(p, kind, name, PROPAGATION_BACKGROUND);
}

void play_scale(Play *p, const char *name, int replicas)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_statefulset,
        .key = {.name = name},
        .subresource = "scale",
    };

    then_ok(ask(p, request, str_format(p->arena, "{spec: {replicas: %d}}", replicas)));
}

void play_order(Play *p, const char *line)
{
    World *w = sim_world(p->sim);
    KubeletOrder order;

    then_ok(order_parse(p->arena, line, &order));
    then_true(kubelet_order(sim_kubelet(p->sim), &order, world_now_ms(w)));
    world_wake(w, kubelet_actor(sim_kubelet(p->sim)));
}

/* --- what there is -----------------------------------------------------------------------------
 */

const Json *play_look(Play *p, Arena *a, const Kind *kind, const char *name)
{
    Answer answer = {0};
    Request get = {
        .verb = VERB_GET,
        .kind = kind,
        .key = {.namespace = kind->namespaced ? PLAY_NAMESPACE : NULL, .name = name},
    };

    server_call(world_server(sim_world(p->sim)), a, "judge", &get, &answer);
    return answer.status == 200 ? answer.body : NULL;
}

const Json *play_find(Play *p, const Kind *kind, const char *name)
{
    return play_look(p, p->arena, kind, name);
}

const SeiNode *play_node(Play *p, const char *name)
{
    SeiNode *node = arena_new(p->arena, SeiNode);
    const Json *object = play_find(p, kind_seinode, name);

    then_true(object != NULL);
    then_ok(node_decode(p->arena, object, node));
    return node;
}

static const Cond *condition(Arena *a, const Json *node, const char *type)
{
    Conds *conds = arena_new(a, Conds);

    conds_decode(json_find(node, ".status.conditions"), conds);
    return conds_find(conds, type);
}

const char *play_condition(Play *p, const char *name, const char *type)
{
    const Cond *cond = condition(p->arena, play_find(p, kind_seinode, name), type);

    return cond ? cond->status : NULL;
}

const char *play_reason(Play *p, const char *name, const char *type)
{
    const Cond *cond = condition(p->arena, play_find(p, kind_seinode, name), type);

    return cond ? cond->reason : NULL;
}

const char *play_message(Play *p, const char *name, const char *type)
{
    const Cond *cond = condition(p->arena, play_find(p, kind_seinode, name), type);

    return cond ? cond->message : NULL;
}

typedef struct EventSearch {
    const char *name, *reason, *note;
    int count;
} EventSearch;

static void count_event(void *self, const Kind *kind, const Json *object)
{
    EventSearch *s = self;

    if (!kind_eq(kind, kind_event) || !str_eq(json_str(object, ".regarding.name"), s->name)
        || !str_eq(json_str(object, ".reason"), s->reason))
        return;
    s->count += (int)json_int(object, ".series.count", 1);
    s->note = json_str(object, ".note");
}

int play_events(Play *p, const char *name, const char *reason, const char **ret_note)
{
    EventSearch search = {.name = name, .reason = reason};

    arena_reset(p->work);
    server_each(world_server(sim_world(p->sim)), p->work, count_event, &search);
    if (ret_note)
        *ret_note = str_copy(p->arena, search.note);
    return search.count;
}

typedef struct Line {
    const char *time, *text;
} Line;

typedef struct Story {
    Arena *arena;
    const char *name;
    Line lines[STORY_LINES_MAX];
    int count;
} Story;

static void tell_event(void *self, const Kind *kind, const Json *object)
{
    Story *s = self;

    if (!kind_eq(kind, kind_event) || !str_eq(json_str(object, ".regarding.name"), s->name))
        return;
    then_true(s->count < STORY_LINES_MAX);
    s->lines[s->count++] = (Line){
        .time = str_copy(s->arena, json_str(object, ".eventTime")),
        .text = str_format(s->arena,
            "%s %s %d: %s",
            json_str(object, ".type"),
            json_str(object, ".reason"),
            (int)json_int(object, ".series.count", 1),
            json_str(object, ".note")),
    };
}

static int compare_lines(const void *left, const void *right)
{
    const Line *l = left, *r = right;
    int times = strcmp(l->time, r->time);

    return times ? times : strcmp(l->text, r->text);
}

const char *play_told(Play *p, const char *name)
{
    Story *story = arena_new(p->arena, Story);
    const char *text = "";

    *story = (Story){.arena = p->arena, .name = name};
    arena_reset(p->work);
    server_each(world_server(sim_world(p->sim)), p->work, tell_event, story);
    qsort(story->lines, (size_t)story->count, sizeof story->lines[0], compare_lines);
    for (int i = 0; i < story->count; i++)
        text = str_format(p->arena, "%s%s\n", text, story->lines[i].text);
    return text;
}

const char *play_metrics(Play *p, const char *prefix)
{
    Buf page = {.ceiling = METRICS_BYTES_MAX};
    const char *text = "";
    Manager *m = replica_manager(p->replicas[0]);

    then_true(m != NULL);
    then_true(metrics_write(manager_metrics(m), &page));
    for (const char *line = page.data, *end; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        const char *name = *line == '#' ? line + strlen("# HELP ") : line;
        if (str_has_prefix(name, prefix))
            text = str_format(p->arena, "%s%.*s\n", text, (int)(end - line), line);
    }
    buf_close(&page);
    return text;
}

/* --- time --------------------------------------------------------------------------------------
 */

void play_run(Play *p, int64_t ms)
{
    World *w = sim_world(p->sim);

    world_run_until(w, world_now_ms(w) + ms);
}

/* Runs until an object or task has changed, but at most for LOOK_MS: conditions that a caller waits
 * for hardly ever depend on anything else. */
static void run_until_change(Play *p)
{
    int before = p->changes;

    for (int64_t ms = 0; ms < LOOK_MS && p->changes == before; ms += STEP_MS)
        play_run(p, STEP_MS);
}

/* What a question takes is given back with its answer: it is asked very often. */
static bool ask_now(Play *p, bool (*is_so)(Play *p, const char *name), const char *name)
{
    Arena *kept = p->arena;

    arena_reset(p->moment);
    p->arena = p->moment;
    bool so = is_so(p, name);
    p->arena = kept;
    return so;
}

bool play_until(Play *p, bool (*is_so)(Play *p, const char *name), const char *name)
{
    World *w = sim_world(p->sim);
    int64_t end = world_now_ms(w) + PLAY_PATIENCE_MS;

    while (!ask_now(p, is_so, name)) {
        if (world_now_ms(w) >= end)
            return false;
        run_until_change(p);
    }
    return true;
}

static bool is_idle(const Play *p)
{
    for (int i = 0; i < PLAY_REPLICAS_MAX; i++)
        if (p->replicas[i] && replica_is_idle(p->replicas[i]))
            return true;
    return false;
}

typedef struct Judgement {
    Play *play;
    const char *complaint;
} Judgement;

/* A node or fleet is settled when it says so itself: kstatus. */
static void judge_object(void *self, const Kind *kind, const Json *object)
{
    Judgement *j = self;
    Arena *a = j->play->work;
    const char *name = meta_name(object);
    bool is_ours = kind_eq(kind, kind_seinode) || kind_eq(kind, kind_seinodedeployment);

    if (!is_ours || j->complaint)
        return;
    const Cond *reconciling = condition(a, object, COND_RECONCILING);
    const Cond *ready = condition(a, object, COND_READY);
    if (json_int(object, ".status.observedGeneration", -1) != meta_generation(object))
        j->complaint = str_format(a, "%s: the operator has not seen the newest spec", name);
    else if (!reconciling || !str_eq(reconciling->status, "False"))
        j->complaint = str_format(
            a, "%s: still at work: %s", name, reconciling ? reconciling->message : "no condition");
    else if (!ready || str_eq(ready->status, "Unknown"))
        j->complaint = str_format(a, "%s: nobody knows whether it is ready", name);
}

/* What is wrong with the objects. They are judged again only when one has changed. */
static const char *complaint(Play *p)
{
    Judgement j = {.play = p};

    if (p->judged == p->changes)
        return p->judgement;
    arena_reset(p->work);
    server_each(world_server(sim_world(p->sim)), p->work, judge_object, &j);
    p->judged = p->changes;
    p->judgement = str_copy(p->arena, j.complaint);
    return p->judgement;
}

/* Nodes may come to rest before their pods do: what settled is looked at again a little later. */
const char *play_settle(Play *p)
{
    World *w = sim_world(p->sim);
    int64_t end = world_now_ms(w) + PLAY_PATIENCE_MS;
    const char *wrong = NULL;

    do {
        play_run(p, STEP_MS);
        wrong = is_idle(p) ? complaint(p) : "the operator is at work";
        if (!wrong) {
            play_run(p, 90000);
            wrong = is_idle(p) ? complaint(p) : "the operator is at work again";
        }
    } while (wrong && world_now_ms(w) < end);
    return str_copy(p->arena, wrong);
}
