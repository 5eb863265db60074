/* Every node there can be: mode × phase × plan × pod × objects × pause × hand × volume × what else
 * is going on. Nobody can say what each of them should do, but all of them keep the promises of
 * node_plan.h.
 *
 * The planner is asked as the reconcile asks it: its questions are answered, then what it decided
 * is stored and it is asked again. */
#include "sei/api/kinds.h"
#include "tests/sei/modes.h"
#include "tests/sei/plan/given.h"

typedef struct Choice {
    const char *name, *patch;
} Choice;

#define TASK(type, rest) "{type: '" type "', id: '" type "-id', params: {}, " rest "}"
#define DONE             "status: 'Complete'"
#define WAITS            "status: 'Pending'"
#define WORK             "status: 'Pending', submittedAt: '" NOW "'"
#define PLAN(kind, target, phase, tasks)                                                           \
    "{status: {plan: {id: 'old', kind: '" kind "', targetHash: '" target                           \
    "', appliedHash: 'hash-now', phase: '" phase "', tasks: [" tasks "]}}}"
#define INIT_TASKS                                                                                 \
    TASK("ensure-data-pvc", DONE)                                                                  \
    "," TASK("apply-rbac-proxy-config", DONE) "," TASK("apply-statefulset", DONE) "," TASK(        \
        "apply-service", DONE) "," TASK("config-apply", WORK) "," TASK("mark-ready", WAITS)
#define UPDATE_TASKS(ready)                                                                        \
    TASK("apply-statefulset", DONE)                                                                \
    "," TASK("apply-service", DONE) "," TASK("replace-pod", DONE) "," TASK(                        \
        "observe-image", WAITS) "," TASK("mark-ready", ready)

#define OF_MODE(mode, spec)                                                                        \
    "{spec: {" spec "}, status: {identity: {chainId: 'sei', mode: '" mode "'}}}"

static const Choice modes[] = {
    {"full node", "{}"},
    {"full node that publishes", OF_MODE("fullNode", "fullNode: {" PUBLISHES "}")},
    {"full node with a bootstrap Job",
        OF_MODE("fullNode", STATIC_PEERS ", fullNode: {" BOOTSTRAP_S3 "}")},
    {"archive", OF_MODE("archive", "fullNode: null, archive: {}")},
    {"replayer", OF_MODE("replayer", STATIC_PEERS ", fullNode: null, replayer: {" FROM_S3 "}")},
    {"validator", OF_MODE("validator", "fullNode: null, validator: {}")},
    {"validator with keys",
        OF_MODE("validator", "fullNode: null, validator: {" MODE_KEYS ", " MODE_KEYRING "}")},
    {"founder", OF_MODE("validator", "fullNode: null, validator: {" CEREMONY "}")},
};

static const Choice phases[] = {
    {"new",
        "{status: {phase: null, identity: null, dataVolume: null, currentImage: null,"
        " podTemplateHash: null, specHash: null}}"},
    {"initializing",
        "{status: {phase: 'Initializing', identity: null, currentImage: null,"
        " podTemplateHash: null, specHash: null}}"},
    {"running", "{}"},
    {"failed", "{status: {phase: 'Failed', identity: null}}"},
    {"overwritten", "{status: {phase: 'Initializing'}}"},
};
enum { OVERWRITTEN = 4 };

static const Choice plans[] = {
    {"no plan", "{}"},
    {"init", PLAN("init", "now", "Active", INIT_TASKS)},
    {"init of before", PLAN("init", "before", "Active", INIT_TASKS)},
    {"failed init", PLAN("init", "now", "Failed", TASK("config-apply", "status: 'Failed'"))},
    {"update", PLAN("node-update", "now", "Active", UPDATE_TASKS(WAITS))},
    {"update of before", PLAN("node-update", "before", "Active", UPDATE_TASKS(WORK))},
    {"repair", PLAN("repair", "now", "Active", TASK("apply-service", WAITS))},
    {"approval", PLAN("mark-ready-reapply", "before", "Active", TASK("mark-ready", WORK))},
    {"an update of the Go operator",
        "{status: {plan: {id: 'old', phase: 'Active', tasks: [" UPDATE_TASKS(WAITS) "]}}}"},
    {"a plan of another operator", PLAN("dance", "now", "Active", TASK("jump", WAITS))},
};

static const Choice pods[] = {
    {"no pod", GONE},
    {"current pod", "{}"},
    {"stale pod", "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"},
    {"a pod of the Go operator", "{metadata: {annotations: null}}"},
    {"edited pod", "{metadata: {labels: {'controller-revision-hash': 'a-0'}}}"},
    {"pod that goes", "{metadata: {deletionTimestamp: '" NOW "'}}"},
};

enum { ALL_THERE, NO_SET, NO_SERVICE, NOTHING, EDITED_SET, FOREIGN_SET, OBJECTS };

static const Choice volumes[] = {
    {"volume", "{}"},
    {"no volume", GONE},
    {"no volume, a new one allowed", GONE},
    {"volume that goes", "{metadata: {deletionTimestamp: '" NOW "'}}"},
    {"another volume", "{metadata: {uid: 'pvc-2', ownerReferences: null}}"},
};
enum { VOLUME, NO_VOLUME, NEW_VOLUME, VOLUME_GOES, OTHER_VOLUME };

static const Choice twists[] = {
    {"nothing else", "{}"},
    {"chain edited", "{spec: {chainId: 'b'}}"},
    {"image edited", "{metadata: {generation: 4}, spec: {image: 'sei:2'}}"},
    {"spec refused", "{spec: {fullNode: {snapshotGeneration: {}}}}"},
    {"no permit", "{}"},
    {"sidecar waits", "{}"},
    {"good import", "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"},
    {"bad import", "{spec: {dataVolume: {import: {pvcName: 'mine'}}}}"},
};
enum { NO_PERMIT = 4, SIDECAR_WAITS = 5, GOOD_IMPORT = 6 };

typedef struct Every {
    size_t mode, phase, plan, pod, objects, paused, by_hand, volume, twist;
} Every;

typedef struct Stage { /* made once, used in all combinations */
    Arena *a;
    SeiNode nodes[array_count(phases)][array_count(plans)][2][array_count(twists)]
                 [array_count(volumes)];
    NodeSnapshot objects[OBJECTS];
    const Json *pods[array_count(pods)], *volumes[array_count(volumes)], *import;
} Stage;

static void make_node(Stage *stage, const Every *e, SeiNode *ret)
{
    Arena *a = stage->a;
    const char *const patches[] = {
        RUNNING_STATUS,
        modes[e->mode].patch,
        phases[e->phase].patch,
        plans[e->plan].patch,
        e->paused ? "{spec: {paused: true}}" : "{}",
        twists[e->twist].patch,
        e->volume == NEW_VOLUME
            ? "{metadata: {annotations: {'sei.io/allow-new-volume': 'pvc-uid'}}}"
            : "{}",
    };
    const Json *object = json_fixture(a, FRESH_NODE);
    SeiNode *unedited = arena_new(a, SeiNode);

    then_ok(node_decode(a, json_merge(a, object, json_fixture(a, modes[e->mode].patch)), unedited));
    for (size_t i = 0; i < array_count(patches); i++)
        object = json_merge(a, object, json_fixture(a, patches[i]));
    then_ok(node_decode(a, object, ret));
    if (str_eq(ret->status.spec_hash, "unedited"))
        ret->status.spec_hash = node_spec_hash(a, unedited);
    given_hashes(a, ret);
}

static void make_objects(Stage *stage)
{
    static const Given given_by[OBJECTS] = {
        [NO_SET] = {.statefulset = GONE},
        [NO_SERVICE] = {.service = GONE},
        [NOTHING] = {.statefulset = GONE, .service = GONE, .config = GONE},
        [EDITED_SET] = {.statefulset = "{$ownedHash: 'edited'}"},
        [FOREIGN_SET] = {.statefulset = "{metadata: {ownerReferences: [{kind: 'X', name: 'x',"
                                        " uid: 'x', controller: true}]}}"},
    };

    stage->import = json_fixture(stage->a, "{metadata: {name: 'mine', uid: 'mine-uid'}}");
    for (size_t i = 0; i < OBJECTS; i++)
        given_objects(stage->a, &given_by[i], &stage->objects[i]);
    for (size_t i = 0; i < array_count(pods); i++) {
        NodeSnapshot s = {0};
        given_objects(stage->a, &(Given){.pod = pods[i].patch}, &s);
        stage->pods[i] = s.pod;
    }
    for (size_t i = 0; i < array_count(volumes); i++) {
        NodeSnapshot s = {0};
        given_objects(stage->a, &(Given){.volume = volumes[i].patch}, &s);
        stage->volumes[i] = s.volume;
    }
}

static void make_nodes(Stage *stage, size_t mode)
{
    Every e = {.mode = mode};

    for (e.phase = 0; e.phase < array_count(phases); e.phase++)
        for (e.plan = 0; e.plan < array_count(plans); e.plan++)
            for (e.paused = 0; e.paused < 2; e.paused++)
                for (e.twist = 0; e.twist < array_count(twists); e.twist++)
                    for (e.volume = 0; e.volume < array_count(volumes); e.volume++)
                        make_node(
                            stage, &e, &stage->nodes[e.phase][e.plan][e.paused][e.twist][e.volume]);
}

/* --- asking as the reconcile does --- */

typedef struct Asked {
    SeiNode node;
    Settings settings;
    Wanted wanted;
    NodeSnapshot s;
    NodeDecision d;
    ImportProof import; /* what a look would find */
} Asked;

static bool answer(Asked *asked)
{
    NodeSnapshot *s = &asked->s;
    const NodeDecision *d = &asked->d;

    if (d->needs_hand_edit && s->hand_edit == EDIT_UNREAD)
        s->hand_edit = EDIT_TEMPLATE;
    else if (d->needs_volume_proof && !s->volume_absent_for_sure)
        s->volume_absent_for_sure = true;
    else if (d->needs_import_proof && !s->import.is_read)
        s->import = asked->import;
    else if (d->needs_explanation && !s->drift_explained)
        s->drift_explained = true;
    else
        return false;
    return true;
}

static void decide(Arena *a, Asked *asked)
{
    int rounds = 0;

    do {
        then_ok(plan_node(a, &asked->s, &asked->d));
        rounds++;
    } while (answer(asked));
    then_true(rounds <= 4);
    then_true(!asked->d.needs_explanation && !asked->d.needs_hand_edit
        && !asked->d.needs_volume_proof && !asked->d.needs_import_proof);
}

static Asked *ask(Arena *a, const Stage *stage, const Every *e)
{
    Asked *asked = arena_new(a, Asked);

    asked->node = stage->nodes[e->phase][e->plan][e->paused][e->twist][e->volume];
    asked->wanted = (Wanted){
        .claim = node_claim(a, &asked->node),
        .image = asked->node.spec.image,
        .template_hash = "hash-now",
        .config_hash = "config-now",
        .statefulset_owned = "sts-owned",
        .service_owned = "service-owned",
        .proxy_config_owned = "config-owned",
    };
    asked->s = stage->objects[e->objects];
    asked->s.node = &asked->node;
    asked->s.settings = &asked->settings;
    asked->s.wanted = &asked->wanted;
    asked->s.pod = stage->pods[e->pod];
    asked->s.volume = stage->volumes[e->volume];
    asked->import = (ImportProof){.is_read = true, .trouble = "it is late"};
    if (e->twist == GOOD_IMPORT)
        asked->import = (ImportProof){.is_read = true, .claim = stage->import};
    asked->s.health = e->twist == SIDECAR_WAITS ? HEALTH_NOT_READY : HEALTH_READY;
    asked->s.may_disrupt = e->twist != NO_PERMIT;
    asked->s.scaled_by_hand = e->by_hand;
    asked->s.plan_id = PLAN_ID;
    asked->s.now = NOW;
    asked->s.now_ms = NOW_MS;
    decide(a, asked);
    return asked;
}

/* --- the promises --- */

static bool has_task(const NodeStatus *status, TaskType type)
{
    const Plan *plan = &status->plan;

    for (size_t i = 0; has_active_plan(status) && i < plan->task_count; i++)
        if (plan->tasks[i].type == type && !plan->tasks[i].superseded)
            return true;
    return false;
}

static bool has_task_id(const NodeStatus *status, const char *id)
{
    for (size_t i = 0; status->has_plan && i < status->plan.task_count; i++)
        if (str_eq(status->plan.tasks[i].id, id))
            return true;
    return false;
}

/* A plan of that kind was made in this decision. */
static bool builds(const Asked *asked, PlanKind kind)
{
    return has_active_plan(&asked->d.status) && asked->d.status.plan.kind == kind
        && str_eq(asked->d.status.plan.id, PLAN_ID);
}

/* Whatever is not named here belongs to a set-up. */
static bool is_of_running_node(TaskType type)
{
    static const TaskType types[] = {TASK_APPLY_RBAC_PROXY_CONFIG,
        TASK_APPLY_STATEFULSET,
        TASK_APPLY_SERVICE,
        TASK_REPLACE_POD,
        TASK_OBSERVE_IMAGE,
        TASK_MARK_READY,
        TASK_SNAPSHOT_UPLOAD};

    for (size_t i = 0; i < array_count(types); i++)
        if (types[i] == type)
            return true;
    return false;
}

static void a_running_node_is_never_bootstrapped(const Asked *asked)
{
    const Plan *plan = &asked->d.status.plan;

    if (asked->d.status.phase != PHASE_RUNNING || asked->d.frozen
        || !has_active_plan(&asked->d.status))
        return;
    for (size_t i = 0; i < plan->task_count; i++)
        then_true(plan->tasks[i].superseded || is_of_running_node(plan->tasks[i].type));
}

/* What ran, by its identity or its StatefulSet, is taken over or stalled. */
static void what_lives_is_never_bootstrapped_without_a_plan(const Asked *asked, const Every *e)
{
    const NodeStatus *was = &asked->node.status;
    bool lost_plan = was->phase == PHASE_INITIALIZING && !was->has_plan;
    bool lives = was->identity.chain_id
        || (e->objects == ALL_THERE && e->volume != NEW_VOLUME && was->phase != PHASE_NONE
            && e->twist < GOOD_IMPORT);

    if (lost_plan && lives && e->volume != NEW_VOLUME)
        then_true(!builds(asked, PLAN_INIT));
}

/* To the claim that a person has brought: what was at work on the other one ends with its pod. */
static bool has_moved(const Asked *asked)
{
    return asked->s.import.claim && str_eq(asked->d.status.volume.uid, "mine-uid");
}

/* A node that runs goes to another volume only when its own is gone, and to none that is not good.
 */
static void only_who_lost_a_volume_moves(const Asked *asked, const Every *e)
{
    bool is_running = asked->node.status.phase == PHASE_RUNNING;
    bool is_lost = e->volume != VOLUME && e->volume != VOLUME_GOES;

    if (has_moved(asked))
        then_true(e->twist == GOOD_IMPORT && (is_lost || !is_running)
            && asked->d.status.volume.imported && asked->d.hold_statefulset && asked->d.frozen);
    else if (is_running && e->volume != NEW_VOLUME)
        then_str(asked->d.status.volume.uid, "pvc-uid");
}

static void nothing_stops_a_pod_whose_volume_goes(const Asked *asked, const Every *e)
{
    if (e->volume != VOLUME_GOES || !asked->d.status.volume.uid || has_moved(asked))
        return;
    then_true(asked->d.stop_no_pod && asked->d.hold_statefulset);
    then_true(!builds(asked, PLAN_NODE_UPDATE));
}

static void no_volume_is_made_up(const Asked *asked, const Every *e)
{
    bool is_lost = e->volume == NO_VOLUME || e->volume == OTHER_VOLUME;

    if (!is_lost || !asked->node.status.volume.uid)
        return;
    then_true(asked->d.hold_statefulset);
    then_true(!asked->d.plan_is_new || !has_task(&asked->d.status, TASK_ENSURE_DATA_PVC));
    then_true(asked->d.frozen || !has_task(&asked->d.status, TASK_ENSURE_DATA_PVC));
}

static void what_is_at_work_is_awaited(const Asked *asked, const Every *e)
{
    const Plan *old = &asked->node.status.plan;

    if (e->volume == NEW_VOLUME || has_moved(asked) || !has_active_plan(&asked->node.status))
        return;
    for (size_t i = 0; i < old->task_count; i++)
        if (old->tasks[i].submitted_at && old->tasks[i].status == TASK_PENDING)
            then_true(has_task_id(&asked->d.status, old->tasks[i].id));
}

static void nothing_moves_when_it_must_not(const Asked *asked, const Every *e)
{
    bool is_unknown =
        has_active_plan(&asked->node.status) && plan_has_unknown_task(&asked->node.status.plan);

    if (e->paused || e->objects == FOREIGN_SET || is_unknown)
        then_true(!asked->d.plan_is_new && (asked->d.frozen || !has_active_plan(&asked->d.status)));
    if (is_unknown)
        then_str(asked->d.status.plan.id, "old");
    then_true(!e->by_hand || !builds(asked, PLAN_NODE_UPDATE));
    if (builds(asked, PLAN_NODE_UPDATE) && str_eq(asked->d.status.plan.cause, "platform"))
        then_true(asked->s.may_disrupt);
}

static void a_stall_has_a_way_out(const Asked *asked)
{
    if (asked->d.stall.is_set)
        then_true(!str_empty(asked->d.stall.message));
}

static void a_new_plan_is_whole(const Asked *asked)
{
    const Plan *plan = &asked->d.status.plan;

    if (!asked->d.plan_is_new)
        return;
    then_true(has_active_plan(&asked->d.status));
    then_true(plan->task_count > 0 && plan->target_hash && plan->kind != PLAN_UNKNOWN);
}

/* What was decided is stored: asked again, nothing new is decided. */
static void no_plan_is_built_twice(Arena *a, const Asked *asked)
{
    Asked *again = arena_new(a, Asked);

    if (!asked->d.plan_is_new)
        return;
    *again = *asked;
    again->s.node = &again->node;
    again->s.wanted = &again->wanted;
    again->node.status = asked->d.status;
    again->s.plan_id = "another";
    decide(a, again);
    then_true(!again->d.plan_is_new);
    then_str(again->d.status.plan.id, asked->d.status.plan.id);
}

static const Cond *the_cond(const NodeStatus *status, const char *type)
{
    const Cond *cond = conds_find(&status->conds, type);

    then_true(cond && !str_empty(cond->reason) && !str_empty(cond->message));
    then_int(cond->observed_generation, status->observed_generation);
    return cond;
}

static void conditions_are_whole_and_true(Arena *a, Asked *asked)
{
    NodeStatus *status = &asked->d.status;

    plan_conditions(a, &asked->s, &asked->d, &(NodeProgress){0}, status);
    bool ready = str_eq(the_cond(status, COND_READY)->status, "True");
    bool reconciling = str_eq(the_cond(status, COND_RECONCILING)->status, "True");
    bool stalled = str_eq(the_cond(status, COND_STALLED)->status, "True");
    bool up_to_date = str_eq(the_cond(status, COND_UP_TO_DATE)->status, "True");
    the_cond(status, COND_PAUSED);
    the_cond(status, COND_NODE_UPDATE);
    the_cond(status, COND_SIDECAR_READY);
    then_true(!stalled || !reconciling);
    then_true(!ready
        || (status->phase == PHASE_RUNNING && !asked->node.spec.paused && pod_is_ready(asked->s.pod)
            && !meta_deleting(asked->s.pod)));
    then_int(stalled, asked->d.stall.is_set || status->phase == PHASE_FAILED);
    if (ready && !reconciling && !stalled)
        then_true(!has_active_plan(status) && !asked->d.wants_permit
            && (up_to_date || status->adopted.pod_uid));
}

static void judge(Arena *a, const Stage *stage, const Every *e)
{
    char name[256];
    Asked *asked = ask(a, stage, e);

    snprintf(name,
        sizeof name,
        "%s, %s, %s, %s, objects %zu, paused %zu, by hand %zu, %s, %s",
        modes[e->mode].name,
        phases[e->phase].name,
        plans[e->plan].name,
        pods[e->pod].name,
        e->objects,
        e->paused,
        e->by_hand,
        volumes[e->volume].name,
        twists[e->twist].name);
    test_name_case(name);
    a_running_node_is_never_bootstrapped(asked);
    what_lives_is_never_bootstrapped_without_a_plan(asked, e);
    only_who_lost_a_volume_moves(asked, e);
    nothing_stops_a_pod_whose_volume_goes(asked, e);
    no_volume_is_made_up(asked, e);
    what_is_at_work_is_awaited(asked, e);
    nothing_moves_when_it_must_not(asked, e);
    a_stall_has_a_way_out(asked);
    a_new_plan_is_whole(asked);
    no_plan_is_built_twice(a, asked);
    conditions_are_whole_and_true(a, asked);
    test_name_case(NULL);
}

static size_t judge_all(Arena *a, const Stage *stage, size_t mode)
{
    Every e = {.mode = mode};
    size_t count = 0, both = mode ? 1 : 2; /* pause and scale have nothing to do with the mode */

    for (e.phase = 0; e.phase < array_count(phases); e.phase++)
        for (e.plan = 0; e.plan < array_count(plans); e.plan++)
            for (e.pod = 0; e.pod < array_count(pods); e.pod++)
                for (e.objects = 0; e.objects < OBJECTS; e.objects++)
                    for (e.paused = 0; e.paused < both; e.paused++)
                        for (e.by_hand = 0; e.by_hand < both; e.by_hand++)
                            for (e.volume = 0; e.volume < array_count(volumes); e.volume++)
                                for (e.twist = 0; e.twist < array_count(twists); e.twist++) {
                                    judge(a, stage, &e);
                                    arena_reset(a);
                                    count++;
                                }
    return count;
}

/* A sanitizer looks at code, all of which two modes reach as well. */
#ifdef __SANITIZE_ADDRESS__
enum { FIRST_MODE = 6, COUNT = 2 * 72000 };
#else
enum { FIRST_MODE = 0, COUNT = 288000 + 7 * 72000 };
#endif

TEST(every_combination_of_node_states_keeps_the_promises_of_the_planner)
{
    size_t count = 0;

    for (size_t mode = FIRST_MODE; mode < array_count(modes); mode++) {
        SCOPED_ARENA keep = arena_open((size_t)256 << 20);
        SCOPED_ARENA a = arena_open(8 << 20);
        Stage *stage = arena_new(keep, Stage);

        stage->a = keep;
        make_nodes(stage, mode);
        make_objects(stage);
        count += judge_all(a, stage, mode);
    }
    then_int(count, COUNT);
}
