/* Wherever the operator dies or stops while it sets a fleet up, rolls it, takes that back, or makes
 * it smaller: the fleet ends as asked for, with one pod deleted for each node and revision, and at
 * no moment is more down than may be.
 *
 * Each scene is prepared once and goes on in as many branches as there are writes. SEI_FAULTS=all
 * takes every one of them; without it, some. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

enum { STOPPED_MS = 40000, WRITES_MAX = 2000 };

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

typedef struct Scene {
    const char *name;
    void (*given)(Play *p);
    void (*act)(Play *p);
    const char *tag;
    int pods_deleted; /* -1: it depends on how far it came */
    uint64_t stride;
} Scene;

static const Scene scenes[] = {
    {"a birth", given_nothing, create, "v1", 0, 17},
    {"a rollout", given_rest, roll, "v2", 3, 3},
    {"an undo", given_rollout, take_back, "v1", -1, 5},
    {"a scaling down", given_rest, shrink, "v1", 0, 3},
};

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
    const char *wrong = play_fleet_trouble(p, "rpc", c->scene->tag);

    if (!wrong && c->scene->pods_deleted >= 0 && play_pods_deleted(p) != c->scene->pods_deleted)
        wrong = str_format(play_arena(p), "%d pods were deleted", play_pods_deleted(p));
    if (!wrong && c->volumes && !str_has_prefix(c->volumes, play_volumes(p, "rpc")))
        wrong = "a volume is another one";
    return wrong ? str_format(play_arena(p),
                       "%s: write %d, %s: %s",
                       c->scene->name,
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

static int strike_scene(const Scene *scene, PortFault fault, Ending *ending)
{
    Strike strike = {.fault = fault, .writes_only = true};
    bool has_two = ending != die;
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

TEST(the_operator_may_die_at_any_write)
{
    int courses = 0;

    each_case(i, deaths)
        for (size_t k = 0; k < array_count(scenes); k++)
            courses += strike_scene(&scenes[k], deaths[i].fault, die);
    print_message("# %d deaths\n", courses);
    then_true(courses > 30);
}

TEST(a_conflict_at_any_write_changes_nothing)
{
    int courses = strike_scene(&scenes[1], (PortFault){.kind = PORT_REFUSED, .status = 409}, die)
        + strike_scene(&scenes[1], (PortFault){.kind = PORT_LOST}, die);

    print_message("# %d faults\n", courses);
    then_true(courses > 10);
}

TEST(a_leader_may_stop_at_a_write_and_go_on_when_another_leads)
{
    int courses = strike_scene(&scenes[1], (PortFault){0}, stop_leader)
        + strike_scene(&scenes[3], (PortFault){0}, stop_leader);

    print_message("# %d leaders stopped\n", courses);
    then_true(courses > 5);
}

TEST(a_leader_may_die_at_a_write_and_another_goes_on)
{
    int courses = strike_scene(&scenes[1], (PortFault){0}, lose_leader)
        + strike_scene(&scenes[2], (PortFault){0}, lose_leader);

    print_message("# %d leaders lost\n", courses);
    then_true(courses > 5);
}
