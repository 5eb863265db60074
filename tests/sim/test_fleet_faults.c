/* Wherever the operator dies or stops while it sets a fleet up, rolls it in any of the ways that
 * its strategy knows, takes that back, or makes it smaller: the fleet ends as asked for, with one
 * pod deleted for each node and revision, and at no moment is more down than may be.
 *
 * Each scene is prepared once and goes on in as many branches as there are writes. SEI_FAULTS=all
 * takes every one of them; without it, some. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

enum { STOPPED_MS = 40000, AWAY_MS = 300000, WRITES_MAX = 2000 };

#define NOT_STRUCK "there is no such write"

/* --- scenes ------------------------------------------------------------------------------------
 */

static void create(Play *p)
{
    play_create_fleet(p, "rpc", "{}");
}

static void roll(Play *p)
{
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
}

static void shrink(Play *p)
{
    play_scale_fleet(p, "rpc", 1);
}

static void take_back(Play *p)
{
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
}

static bool is_rolling(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v2 v2");
}

static void given_nothing(Play *p)
{
    play_run(p, 5000);
}

static void given_rest(Play *p)
{
    play_given_fleet(p, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
}

static void given_rollout(Play *p)
{
    given_rest(p);
    roll(p);
    then_true(play_until(p, is_rolling, "rpc"));
}

/* --- scenes with a strategy --- */

#define STRATEGY(change) "{spec: {deletionPolicy: 'Retain', updateStrategy: {" change "}}}"

static void given_hold(Play *p)
{
    play_given_fleet(p, "rpc", STRATEGY("hold: true"));
    roll(p);
    play_run(p, 10000);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
}

static void let_go(Play *p)
{
    play_edit_fleet(p, "rpc", STRATEGY("hold: false"));
}

static bool has_canary(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2")
        && play_fleet(p, fleet)->status.counts.updated == 1
        && play_fleet(p, fleet)->status.counts.available == 3;
}

static void given_canary(Play *p)
{
    play_given_fleet(p, "rpc", STRATEGY("partition: 2"));
    roll(p);
    then_true(play_until(p, has_canary, "rpc"));
}

static void promote(Play *p)
{
    play_edit_fleet(p, "rpc", STRATEGY("partition: 0"));
}

static void given_two_at_a_time(Play *p)
{
    play_given_fleet(p,
        "rpc",
        "{spec: {replicas: 4, deletionPolicy: 'Retain', updateStrategy: {maxUnavailable: 2}}}");
}

enum { PAUSED_MS = 30000 };

static void pause_for_a_while(Play *p)
{
    play_edit_fleet(p, "rpc", "{spec: {paused: true}}");
    play_run(p, PAUSED_MS);
    play_edit_fleet(p, "rpc", "{spec: {paused: false}}");
}

static void given_bad_image(Play *p)
{
    play_order(p, "bad-image seid:v2");
    play_given_fleet(p, "rpc", STRATEGY("progressDeadlineSeconds: 60, onFailure: 'Rollback'"));
}

static bool has_rolled_back(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v1")
        && play_fleet(p, fleet)->status.rollout.failed_hash
        && !play_fleet(p, fleet)->status.has_plan
        && play_fleet(p, fleet)->status.counts.available == 3;
}

/* The template is still the one that failed, so such a fleet is never called up to date. */
static const char *judge_rollback(Play *p)
{
    if (!play_until(p, has_rolled_back, "rpc"))
        return str_format(play_arena(p), "it was not rolled back: %s", play_tags(p, "rpc"));
    return play_broken_promise(p);
}

/* Shorter than what the operator is away, or the hold lasts; and a failure would be taken back. */
static void given_deadline(Play *p)
{
    play_given_fleet(p, "rpc", STRATEGY("progressDeadlineSeconds: 60, onFailure: 'Rollback'"));
}

static bool has_begun(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2");
}

static void given_long_hold(Play *p)
{
    given_deadline(p);
    roll(p);
    then_true(play_until(p, has_begun, "rpc"));
    play_edit_fleet(p, "rpc", STRATEGY("hold: true"));
    play_run(p, AWAY_MS);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 3);
}

typedef struct Scene {
    const char *name;
    void (*given)(Play *p);
    void (*act)(Play *p);
    const char *tag;
    int pods_deleted; /* -1: it depends on how far it came */
    uint64_t stride;
    const char *(*judge)(Play *p); /* NULL: all serve what the template asks for */
} Scene;

static const Scene scenes[] = {
    {"a creation", given_nothing, create, "v1", 0, 17, NULL},
    {"a rollout", given_rest, roll, "v2", 3, 3, NULL},
    {"an undo", given_rollout, take_back, "v1", -1, 5, NULL},
    {"a scaling down", given_rest, shrink, "v1", 0, 3, NULL},
    {"a rollout that was held", given_hold, let_go, "v2", 3, 17, NULL},
    {"a canary that is promoted", given_canary, promote, "v2", 2, 11, NULL},
    {"a rollout of two at a time", given_two_at_a_time, roll, "v2", 4, 19, NULL},
    {"a pause in a rollout", given_rollout, pause_for_a_while, "v2", -1, 17, NULL},
    {"a rollback", given_bad_image, roll, "v1", 2, 13, judge_rollback},
    {"the end of a long hold", given_long_hold, let_go, "v2", 2, 5, NULL},
};

static const Scene deadline_scene = {"a rollout", given_deadline, roll, "v2", 3, 3, NULL};

/* --- courses -----------------------------------------------------------------------------------
 */

/* One ending of a scene. */
typedef struct Course {
    const Scene *scene;
    Strike *strike;
    const char *volumes; /* NULL: there were none */
} Course;

static const char *judge_end(Play *p, const Course *c)
{
    const Scene *scene = c->scene;
    const char *wrong = scene->judge ? scene->judge(p) : play_fleet_trouble(p, "rpc", scene->tag);

    if (!wrong && scene->pods_deleted >= 0 && play_pods_deleted(p) != scene->pods_deleted)
        wrong = str_format(play_arena(p), "%d pods were deleted", play_pods_deleted(p));
    if (!wrong && c->volumes && !str_has_prefix(c->volumes, play_volumes(p, "rpc")))
        wrong = "a volume is another one";
    return wrong ? str_format(play_arena(p),
                       "%s: write %d, %s: %s",
                       scene->name,
                       (int)c->strike->number,
                       c->strike->what,
                       wrong)
                 : NULL;
}

static const char *die(Play *p, void *self)
{
    const Course *c = self;

    c->strike->armed = true;
    c->scene->act(p);
    const char *wrong = judge_end(p, c);
    return wrong ? wrong : c->strike->seen < c->strike->number ? NOT_STRUCK : NULL;
}

static Replica *leader(Play *p)
{
    return play_replica(p, replica_works(play_replica(p, 0)) ? 0 : 1);
}

/* The leader goes on when another one has long been at work. */
static const char *stop_leader(Play *p, void *self)
{
    const Course *c = self;
    Replica *stopped = leader(p);

    c->strike->armed = true;
    c->scene->act(p);
    if (!strike_await(p, c->strike))
        return NOT_STRUCK;
    replica_stop(stopped);
    play_run(p, STOPPED_MS);
    replica_continue(stopped);
    return judge_end(p, c);
}

static const char *lose_leader(Play *p, void *self)
{
    const Course *c = self;

    c->strike->armed = true;
    c->scene->act(p);
    if (!strike_await(p, c->strike))
        return NOT_STRUCK;
    replica_crash(leader(p));
    return judge_end(p, c);
}

/* Nobody carries anything out for longer than a rollout may be without progress. */
static const char *stay_away(Play *p, void *self)
{
    const Course *c = self;

    c->strike->armed = true;
    c->scene->act(p);
    if (!strike_await(p, c->strike))
        return NOT_STRUCK;
    replica_end(play_replica(p, 0));
    play_run(p, AWAY_MS);
    replica_start(play_replica(p, 0));
    return judge_end(p, c);
}

static int strike_scene(const Scene *scene, PortFault fault, Ending *ending)
{
    Strike strike = {.fault = fault, .writes_only = true};
    bool has_two = ending == stop_leader || ending == lose_leader;
    uint64_t stride = strike_wants_all() ? 1 : has_two ? 3 * scene->stride : scene->stride;
    int courses = 0;
    SCOPED_PLAY p = play_open(&(PlayOptions){
        .sim = {.seed = 21,
            .judge = strike_judge,
            .judge_self = &strike,
            .linger_percent = has_two ? 30 : 0},
        .replicas = has_two ? 2 : 1,
    });

    scene->given(p);
    play_mark(p);
    Course course = {.scene = scene, .strike = &strike};
    if (scene->given != given_nothing)
        course.volumes = play_volumes(p, "rpc");
    for (strike.number = 1; strike.number < WRITES_MAX; strike.number += stride) {
        const char *wrong = branch(p, ending, &course);
        if (str_eq(wrong, NOT_STRUCK))
            break;
        then_str(wrong, NULL);
        courses++;
    }
    return courses;
}

static const struct {
    const char *name;
    PortFault fault;
} deaths[] = {
    {"death before the call", {.kind = PORT_CRASH_BEFORE}},
    {"death before the answer", {.kind = PORT_CRASH_AFTER}},
};

CAMPAIGN(the_operator_may_crash_at_any_write_of_a_fleet_scene)
{
    int courses = 0;

    each_case(i, deaths)
        for (size_t k = 0; k < array_count(scenes); k++)
            courses += strike_scene(&scenes[k], deaths[i].fault, die);
    print_message("# %d deaths\n", courses);
    then_true(courses > 30);
}

CAMPAIGN(a_conflict_at_any_write_does_not_change_the_result_of_a_rollout)
{
    int courses = strike_scene(&scenes[1], (PortFault){.kind = PORT_REFUSED, .status = 409}, die)
        + strike_scene(&scenes[1], (PortFault){.kind = PORT_LOST}, die);

    print_message("# %d faults\n", courses);
    then_true(courses > 10);
}

TEST(a_leader_that_is_stopped_at_a_write_and_resumes_under_another_leader_does_no_harm)
{
    int courses = strike_scene(&scenes[1], (PortFault){0}, stop_leader)
        + strike_scene(&scenes[3], (PortFault){0}, stop_leader);

    print_message("# %d leaders stopped\n", courses);
    then_true(courses > 5);
}

TEST(a_leader_that_crashes_at_a_write_is_replaced_by_another_one_that_completes_the_work)
{
    int courses = strike_scene(&scenes[1], (PortFault){0}, lose_leader)
        + strike_scene(&scenes[2], (PortFault){0}, lose_leader);

    print_message("# %d leaders lost\n", courses);
    then_true(courses > 5);
}

/* The operator dies when it has written a node, and before it can store anything more. */
typedef struct Death {
    const char *node;
    bool is_due;
} Death;

static PortFault judge_death(void *self, const PortCall *call)
{
    Death *death = self;
    const Request *request = call->request;

    if (!death->is_due || !request || request->verb != VERB_APPLY
        || !kind_eq(request->kind, kind_seinode) || !str_eq(request->key.name, death->node))
        return (PortFault){0};
    death->is_due = false;
    return (PortFault){.kind = PORT_CRASH_AFTER};
}

static const RolloutNode *rollout_node(const Fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->status.rollout.node_count; i++)
        if (str_eq(fleet->status.rollout.nodes[i].name, name))
            return &fleet->status.rollout.nodes[i];
    fail_msg("%s is not listed", name);
    return NULL;
}

TEST(the_time_at_which_a_node_was_written_is_recorded_although_the_operator_crashes_at_the_write)
{
    Death death = {.node = "rpc-1"};
    SCOPED_PLAY p =
        play_open(&(PlayOptions){.sim = {.seed = 22, .judge = judge_death, .judge_self = &death}});

    given_rest(p);
    death.is_due = true;
    roll(p);
    then_true(play_until(p, is_rolling, "rpc"));
    then_true(!death.is_due);
    play_run(p, 5000);
    then_true(rollout_node(play_fleet(p, "rpc"), "rpc-1")->updated_at != NULL);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

CAMPAIGN(the_time_without_a_running_operator_does_not_fail_a_rollout)
{
    int courses = 0;

    each_case(i, deaths)
        courses += strike_scene(&deadline_scene, deaths[i].fault, stay_away);
    print_message("# %d times away\n", courses);
    then_true(courses > 10);
}

TEST(a_pod_that_was_unready_while_the_operator_was_away_is_not_ready_for_long_enough)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){0});

    play_given_fleet(p, "rpc", "{spec: {updateStrategy: {minReadySeconds: 300}}}");
    play_run(p, 600000);
    replica_end(play_replica(p, 0));
    play_order(p, "never-ready sei/rpc-0-0");
    play_run(p, 60000);
    then_true(!pod_is_ready(play_find(p, kind_pod, "rpc-0-0")));
    play_order(p, "ready-again sei/rpc-0-0");
    play_run(p, 60000);
    then_true(pod_is_ready(play_find(p, kind_pod, "rpc-0-0")));
    roll(p);
    replica_start(play_replica(p, 0));
    play_run(p, 60000);
    const Json *first = play_find(p, kind_seinode, "rpc-2");
    then_str(json_str(first, ".spec.image"), PLAY_IMAGE("v1"));
    play_run(p, 300000);
    first = play_find(p, kind_seinode, "rpc-2");
    then_str(json_str(first, ".spec.image"), PLAY_IMAGE("v2"));
}
