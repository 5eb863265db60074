/* Whatever single call of the operator fails, and wherever it dies: a node is set up, updated,
 * repaired and deleted all the same, with one pod deleted where one must be, on the volume that it
 * had, and with nothing done twice.
 *
 * Each scene is prepared once and goes on in as many branches as there are places and faults.
 * SEI_FAULTS=all takes every kind of fault; without it, some. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#define NODE   "rpc-0"
#define POD    "rpc-0-0"
#define VOLUME "data-rpc-0"
#define CONFIG "rpc-0-rbac-proxy-config"

enum { REST_MS = 60000, STOPPED_MS = 40000 };

/* --- scenes ------------------------------------------------------------------------------------
 */

static const char *given_nothing(Play *p, const PlayMode *mode)
{
    play_prepare_mode(p, mode);
    play_run(p, 5000);
    return NULL;
}

static const char *given_running_node(Play *p, const PlayMode *mode)
{
    play_create_mode(p, NODE, mode);
    return play_settle(p);
}

static void create(Play *p, const PlayMode *mode)
{
    play_create_node(p, NODE, mode->change);
}

static void update(Play *p, const PlayMode *mode)
{
    (void)mode;
    play_patch(p, kind_seinode, NODE, "{spec: {image: 'ghcr.io/example/seid:v2'}}");
}

static void delete_all_but_volume(Play *p, const PlayMode *mode)
{
    (void)mode;
    play_delete(p, kind_service, NODE);
    play_delete(p, kind_configmap, CONFIG);
    play_delete(p, kind_statefulset, NODE);
}

static void delete_node(Play *p, const PlayMode *mode)
{
    (void)mode;
    play_delete(p, kind_seinode, NODE);
}

typedef struct Scene {
    const char *name;
    const char *(*given)(Play *p, const PlayMode *mode);
    void (*act)(Play *p, const PlayMode *mode);
    int pods_deleted;
    bool is_init, is_deletion;
} Scene;

static const Scene scenes[] = {
    {"an init", given_nothing, create, .is_init = true},
    {"a rollout", given_running_node, update, .pods_deleted = 1},
    {"a repair", given_running_node, delete_all_but_volume},
    {"a deletion", given_running_node, delete_node, .is_deletion = true},
};

/* --- what must be so in the end ----------------------------------------------------------------
 */

/* One ending of a scene. */
typedef struct Course {
    const Scene *scene;
    const PlayMode *mode;
    Strike *strike;
    const char *volume_uid; /* NULL: there was none */
} Course;

/* Who may not know whether the kind of the node is being removed keeps the data. */
static bool keeps_volume(const Strike *s)
{
    return s->fault.status == 403 && strstr(s->what, "customresourcedefinitions");
}

static const char *left_over(Play *p, const Strike *strike)
{
    bool has_volume = play_find(p, kind_pvc, VOLUME) != NULL;

    return play_find(p, kind_seinode, NODE)    ? "the SeiNode is still there"
        : play_find(p, kind_statefulset, NODE) ? "the StatefulSet is still there"
        : play_find(p, kind_service, NODE)     ? "the Service is still there"
        : play_find(p, kind_configmap, CONFIG) ? "the ConfigMap is still there"
        : play_find(p, kind_pod, POD)          ? "the pod is still there"
        : has_volume && !keeps_volume(strike)  ? "the volume is still there"
        : !has_volume && keeps_volume(strike)  ? "the volume is gone"
                                               : NULL;
}

static const char *not_whole(Play *p, const Course *c)
{
    const char *volume_uid = meta_uid(play_find(p, kind_pvc, VOLUME));
    const SeiNode *node = play_node(p, NODE);
    const Json *pod = play_find(p, kind_pod, POD);

    if (c->volume_uid && !str_eq(c->volume_uid, volume_uid))
        return "the volume is another one";
    if (!str_eq(node->status.volume.uid, volume_uid))
        return "the volume that is recorded is not the one that is there";
    if (!str_eq(play_condition(p, NODE, COND_READY), "True"))
        return "the node is not Ready";
    if (!str_eq(play_condition(p, NODE, COND_UP_TO_DATE), "True"))
        return "the node is not up to date";
    if (!str_eq(node->status.pod_template_hash, meta_annotation(pod, ANNOTATION_TEMPLATE_HASH)))
        return "the recorded template is not that of the pod";
    if (!str_eq(node->status.current_image, node->spec.image))
        return "the recorded image is not that of the spec";
    if (!play_find(p, kind_service, NODE) || !play_find(p, kind_configmap, CONFIG))
        return "an object is missing";
    return NULL;
}

static const char *done_too_often(Play *p, const Course *c)
{
    Arena *a = play_arena(p);
    int marked = play_tasks_posted(p, "mark-ready"), tasks = play_tasks_posted(p, NULL) - marked;

    if (play_pods_deleted(p) != c->scene->pods_deleted)
        return str_format(a, "%d pods were deleted", play_pods_deleted(p));
    if (tasks != (c->scene->is_init ? play_mode_bootstraps(c->mode) : 0))
        return str_format(a, "%d bootstrap tasks were handed over", tasks);
    if (kubelet_hazards(play_kubelet(p))->count)
        return hazards_newest(kubelet_hazards(play_kubelet(p)));
    const char *foreign = play_wrote_beside(p, NODE);
    return foreign ? str_format(a, "something foreign was touched: %s", foreign) : NULL;
}

static const char *not_at_rest(Play *p, Strike *strike)
{
    strike->armed = false;
    if (strstr(strike->what, "healthz")) /* the next probe tells that all is well again */
        play_run(p, REST_MS);
    play_mark(p);
    play_run(p, REST_MS);
    return play_requests(p) ? "it came to rest and asks all the same" : NULL;
}

static const char *judge_end(Play *p, const Course *c)
{
    const char *wrong = play_settle(p);

    if (!wrong)
        wrong = c->scene->is_deletion ? left_over(p, c->strike) : not_whole(p, c);
    if (!wrong)
        wrong = done_too_often(p, c);
    return wrong ? wrong : not_at_rest(p, c->strike);
}

/* --- courses -----------------------------------------------------------------------------------
 */

#define NOT_STRUCK "there is no such call"

static const char *go_wrong(Play *p, void *self)
{
    const Course *c = self;
    Arena *a = play_arena(p);

    c->strike->armed = true;
    c->scene->act(p, c->mode);
    const char *wrong = judge_end(p, c);
    if (c->strike->seen < c->strike->number && !wrong)
        return NOT_STRUCK;
    return wrong ? str_format(a,
                       "%s: call %d, %s: %s: %s",
                       c->scene->name,
                       (int)c->strike->number,
                       c->strike->what,
                       port_fault_text(a, c->strike->fault),
                       wrong)
                 : NULL;
}

/* Strikes each call in turn, until there is none any more; the number of courses. */
static int strike_every_call(Play *p, const Course *c, uint64_t step)
{
    for (uint64_t k = 1;; k += step) {
        c->strike->number = k;
        const char *wrong = branch(p, go_wrong, (void *)c);
        if (str_eq(wrong, NOT_STRUCK))
            return (int)((k - 1) / step);
        then_str(wrong, NULL);
    }
}

typedef struct NamedFault {
    const char *name;
    PortFault fault;
    bool is_rare; /* only when all are asked for */
} NamedFault;

/* Which calls are struck. */
typedef struct Aim {
    const PlayMode *mode; /* NULL: a full node */
    bool writes_only;
    uint64_t step; /* 0: every one */
} Aim;

static int strike_scene(const Scene *scene, const NamedFault *fault, Aim aim)
{
    Strike strike = {.fault = fault->fault, .writes_only = aim.writes_only};
    const PlayMode *mode = aim.mode ? aim.mode : &play_modes[0];
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 21, .judge = strike_judge, .judge_self = &strike}});

    then_str(scene->given(p, mode), NULL);
    play_mark(p);
    Course course = {
        .scene = scene,
        .mode = mode,
        .strike = &strike,
        .volume_uid = meta_uid(play_find(p, kind_pvc, VOLUME)),
    };
    return strike_every_call(p, &course, aim.step ? aim.step : 1);
}

static const NamedFault deaths[] = {
    {"death before the call", {.kind = PORT_CRASH_BEFORE}},
    {"death on the way", {.kind = PORT_CRASH_SENT}, .is_rare = true},
    {"death before the answer", {.kind = PORT_CRASH_AFTER}},
};

CAMPAIGN(the_operator_may_crash_at_every_single_write_of_a_node_scene)
{
    int courses = 0;

    each_case(i, deaths)
        for (size_t k = 0; k < array_count(scenes); k++)
            if (!deaths[i].is_rare || strike_wants_all())
                courses += strike_scene(&scenes[k], &deaths[i], (Aim){.writes_only = true});
    print_message("# %d deaths\n", courses);
    then_true(courses > 50);
}

static const NamedFault faults[] = {
    {"no connection", {.kind = PORT_UNSENT}},
    {"the answer is lost", {.kind = PORT_LOST}},
    {"a conflict", {.kind = PORT_REFUSED, .status = 409}},
    {"forbidden", {.kind = PORT_REFUSED, .status = 403}, .is_rare = true},
    {"unauthorized", {.kind = PORT_REFUSED, .status = 401}, .is_rare = true},
    {"too many", {.kind = PORT_REFUSED, .status = 429, .retry_after_ms = 1000}, .is_rare = true},
    {"an internal error", {.kind = PORT_REFUSED, .status = 500}, .is_rare = true},
    {"an internal error after the deed", {.kind = PORT_DISGUISED, .status = 500}, .is_rare = true},
    {"not available", {.kind = PORT_REFUSED, .status = 503}, .is_rare = true},
    {"too old", {.kind = PORT_REFUSED, .status = 410}, .is_rare = true},
    {"a bit late", {.kind = PORT_LATE, .delay_ms = 1500}, .is_rare = true},
    {"later than the caller waits", {.kind = PORT_LATE, .delay_ms = 40000}, .is_rare = true},
    {"silence", {.kind = PORT_SILENT}, .is_rare = true},
    {"silence in the middle", {.kind = PORT_SILENT, .bytes = 300}, .is_rare = true},
    {"broken off at once", {.kind = PORT_CUT}, .is_rare = true},
    {"broken off in the middle", {.kind = PORT_CUT, .bytes = 700}, .is_rare = true},
    {"death before the call", {.kind = PORT_CRASH_BEFORE}, .is_rare = true},
    {"death on the way", {.kind = PORT_CRASH_SENT}, .is_rare = true},
    {"death before the answer", {.kind = PORT_CRASH_AFTER}, .is_rare = true},
};

CAMPAIGN(every_single_call_of_a_node_scene_may_fail)
{
    int courses = 0;

    each_case(i, faults)
        for (size_t k = 0; k < array_count(scenes); k++)
            if (!faults[i].is_rare || strike_wants_all())
                courses += strike_scene(&scenes[k], &faults[i], (Aim){0});
    print_message("# %d courses with one fault each\n", courses);
    then_true(courses > 100);
}

/* --- every mode --------------------------------------------------------------------------------
 */

/* What differs between modes is their inits: of those every call, or some. */
CAMPAIGN(the_operator_may_crash_at_any_call_of_an_init_of_every_mode)
{
    static const NamedFault death = {"death before the answer", {.kind = PORT_CRASH_AFTER}};
    size_t scenes_struck = strike_wants_all() ? array_count(scenes) : 1;
    int courses = 0;

    each_case(i, play_modes)
        for (size_t k = 0; k < scenes_struck; k++)
            courses += strike_scene(&scenes[k],
                &death,
                (Aim){.mode = &play_modes[i], .step = strike_wants_all() ? 1 : 13});
    print_message("# %d deaths\n", courses);
    then_true(courses > 20);
}

/* --- an init that is superseded ----------------------------------------------------------------
 */

static const struct {
    const char *name, *change;
} edits[] = {
    {"of the configuration", "{spec: {overrides: {'chain.moniker': 'other'}}}"},
    {"of the image", "{spec: {image: 'ghcr.io/example/seid:v2'}}"},
};

typedef struct Edit {
    Strike *strike;
    const char *change;
} Edit;

/* The operator dies, and before it is back somebody edits the spec. */
static const char *edit_at_death(Play *p, void *self)
{
    const Edit *e = self;
    Arena *a = play_arena(p);

    e->strike->armed = true;
    play_create_node(p, NODE, "{}");
    if (!strike_await(p, e->strike))
        return NOT_STRUCK;
    play_patch(p, kind_seinode, NODE, e->change);
    const char *wrong = play_settle(p);
    if (!wrong && !str_eq(play_condition(p, NODE, COND_READY), "True"))
        wrong = "the node is not Ready";
    if (!wrong && kubelet_hazards(play_kubelet(p))->count)
        wrong = hazards_newest(kubelet_hazards(play_kubelet(p)));
    return wrong ? str_format(a, "call %d, %s: %s", (int)e->strike->number, e->strike->what, wrong)
                 : NULL;
}

/* Tasks that take long are still at work when the next life begins. */
static int edit_at_every_death(PortFault fault, const char *change)
{
    Strike strike = {.fault = fault};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 23, .judge = strike_judge, .judge_self = &strike}});

    play_order(p, "task-takes sei/rpc-0-0 configure-genesis 9000");
    play_order(p, "task-takes sei/rpc-0-0 config-apply 9000");
    play_run(p, 5000);
    for (uint64_t k = 1;; k += strike_wants_all() ? 1 : 2) {
        strike.number = k;
        const char *wrong = branch(p, edit_at_death, &(Edit){&strike, change});
        if (str_eq(wrong, NOT_STRUCK) || k >= 41)
            return (int)k - 1;
        then_str(wrong, NULL);
    }
}

CAMPAIGN(two_tasks_never_run_on_one_volume_when_the_operator_crashes_and_the_spec_is_edited)
{
    int courses = 0;

    each_case(i, edits)
        courses += edit_at_every_death((PortFault){.kind = PORT_CRASH_AFTER}, edits[i].change);
    print_message("# up to call %d died with an edit\n", courses);
    then_true(courses > 50);
}

/* --- two replicas ------------------------------------------------------------------------------
 */

static int leader(Play *p)
{
    return replica_works(play_replica(p, 0)) ? 0 : 1;
}

/* The leader stops at a write, and goes on when another one has long been at work. */
static const char *stop_leader(Play *p, void *self)
{
    const Course *c = self;
    Replica *stopped = play_replica(p, leader(p));

    c->strike->armed = true;
    c->scene->act(p, c->mode);
    if (!strike_await(p, c->strike))
        return NOT_STRUCK;
    replica_stop(stopped);
    play_run(p, STOPPED_MS);
    replica_continue(stopped);
    const char *wrong = judge_end(p, c);
    return wrong ? str_format(play_arena(p),
                       "%s: stopped at write %d, %s: %s",
                       c->scene->name,
                       (int)c->strike->number,
                       c->strike->what,
                       wrong)
                 : NULL;
}

static const char *crash_leader(Play *p, void *self)
{
    const Course *c = self;

    c->strike->armed = true;
    c->scene->act(p, c->mode);
    if (!strike_await(p, c->strike))
        return NOT_STRUCK;
    replica_crash(play_replica(p, leader(p)));
    return judge_end(p, c);
}

static int strike_leader(const Scene *scene, Ending *ending)
{
    Strike strike = {.writes_only = true};
    SCOPED_PLAY p = play_open(&(PlayOptions){
        .sim = {.seed = 22, .judge = strike_judge, .judge_self = &strike, .linger_percent = 30},
        .replicas = 2,
    });
    Course c = {.scene = scene, .mode = &play_modes[0], .strike = &strike};
    const char *wrong = NULL;

    then_str(scene->given(p, c.mode), NULL);
    play_run(p, 30000);
    play_mark(p);
    c.volume_uid = meta_uid(play_find(p, kind_pvc, VOLUME));
    for (uint64_t k = 1; k < 60; k++) {
        strike.number = k;
        wrong = branch(p, ending, &c);
        if (str_eq(wrong, NOT_STRUCK))
            return (int)k - 1;
        then_str(wrong, NULL);
    }
    return 60;
}

CAMPAIGN(a_leader_that_stops_at_a_write_and_resumes_under_another_leader_does_nothing_twice)
{
    int courses = 0;

    for (size_t k = 0; k < array_count(scenes); k++)
        courses += strike_leader(&scenes[k], stop_leader);
    print_message("# %d leaders stopped\n", courses);
    then_true(courses > 20);
}

CAMPAIGN(a_leader_that_crashes_at_a_write_is_replaced_and_the_work_is_completed)
{
    int courses = 0;

    for (size_t k = 0; k < array_count(scenes); k++)
        courses += strike_leader(&scenes[k], crash_leader);
    print_message("# %d leaders lost\n", courses);
    then_true(courses > 20);
}
