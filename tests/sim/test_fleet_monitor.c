/* The monitor of fleets complains of what must not be, and of nothing else. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/node.h"
#include "tests/sim/fleet_monitor.h"
#include "tests/test.h"

typedef struct Scene {
    Arena *arena;
    FleetMonitor *monitor;
    int64_t now_ms;
} Scene;

typedef struct Change {
    MonitorWriter by;
    Verb verb;
    const Kind *kind;
    const char *before, *after; /* NULL: is not there */
} Change;

static void see(Scene *s, Change c)
{
    Request request = {.verb = c.verb, .kind = c.kind};

    fleet_monitor_see(s->monitor,
        &(MonitorWrite){
            .by = c.by,
            .now_ms = s->now_ms,
            .request = &request,
            .before = c.before ? json_fixture(s->arena, c.before) : NULL,
            .after = c.after ? json_fixture(s->arena, c.after) : NULL,
        });
}

static const char *node(Scene *s, int ordinal, const char *image)
{
    return str_format(s->arena,
        "{metadata: {name: 'rpc-%d', uid: 'n%d', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '%d'}}, spec: {image: '%s'},"
        " status: {phase: 'Running'}}",
        ordinal,
        ordinal,
        ordinal,
        image);
}

static const char *pod_of(Scene *s, int ordinal, const char *image, const char *ready)
{
    return str_format(s->arena,
        "{metadata: {name: 'rpc-%d-0', uid: 'p%d', labels: {'sei.io/node': 'rpc-%d'}},"
        " spec: {containers: [{name: 'seid', image: '%s'}]},"
        " status: {conditions: [{type: 'Ready', status: '%s'}],"
        " containerStatuses: [{name: 'seid', ready: %s}]}}",
        ordinal,
        ordinal,
        ordinal,
        image,
        ready,
        str_eq(ready, "True") ? "true" : "false");
}

static const char *pod(Scene *s, int ordinal, const char *ready)
{
    return pod_of(s, ordinal, "v1", ready);
}

static void come(Scene *s, int ordinal, const char *image)
{
    const char *as = pod_of(s, ordinal, image, "True");

    see(s, (Change){WRITER_CLUSTER, VERB_CREATE, kind_pod, .after = as});
}

static void roll(Scene *s, int ordinal, const char *image)
{
    const char *as = node(s, ordinal, image);

    see(s, (Change){WRITER_OPERATOR, VERB_APPLY, kind_seinode, .before = as, .after = as});
}

static void edit(Scene *s, int ordinal, const char *image)
{
    const char *as = node(s, ordinal, image);

    see(s, (Change){WRITER_PERSON, VERB_MERGE_PATCH, kind_seinode, .before = as, .after = as});
}

static void apply(Scene *s, int ordinal, const char *image)
{
    const char *as = str_format(s->arena,
        "{metadata: {name: 'rpc-%d'}, spec: {template: {spec: {containers:"
        " [{name: 'seid', image: '%s'}]}}}}",
        ordinal,
        image);

    see(s, (Change){WRITER_OPERATOR, VERB_APPLY, kind_statefulset, .before = as, .after = as});
}

static void set_paused(Scene *s, int ordinal, const char *image, const char *paused)
{
    const char *was = node(s, ordinal, image);
    const char *is = json_write(s->arena,
        json_merge(s->arena,
            json_fixture(s->arena, was),
            json_fixture(s->arena, str_format(s->arena, "{spec: {paused: %s}}", paused))))
                         .data;

    see(s, (Change){WRITER_OPERATOR, VERB_APPLY, kind_seinode, .before = was, .after = is});
}

static void take(Scene *s, int ordinal, MonitorWriter by)
{
    see(s, (Change){by, VERB_DELETE, kind_pod, .before = pod(s, ordinal, "True")});
}

static void fall_ill(Scene *s, int ordinal)
{
    const char *was = pod(s, ordinal, "True"), *is = pod(s, ordinal, "False");

    see(s, (Change){WRITER_CLUSTER, VERB_MERGE_PATCH, kind_pod, .before = was, .after = is});
}

static void get_well(Scene *s, int ordinal)
{
    const char *was = pod(s, ordinal, "False"), *is = pod(s, ordinal, "True");

    see(s, (Change){WRITER_CLUSTER, VERB_MERGE_PATCH, kind_pod, .before = was, .after = is});
}

/* Three nodes of v1 that serve, for a minute. */
static Scene given_fleet(Arena *a, const char *strategy)
{
    Scene s = {.arena = a, .monitor = fleet_monitor_open(a)};
    const char *fleet = str_format(a,
        "{metadata: {name: 'rpc'}, spec: {replicas: 3, updateStrategy: {%s}, template: {}}}",
        strategy);

    see(&s, (Change){WRITER_PERSON, VERB_CREATE, kind_seinodedeployment, .after = fleet});
    for (int i = 0; i < 3; i++) {
        roll(&s, i, "v1");
        apply(&s, i, "v1");
        come(&s, i, "v1");
    }
    s.now_ms = 60000;
    return s;
}

static void then_complains(const Scene *s, const char *words)
{
    const char *complaint = fleet_monitor_complaint(s->monitor);

    then_true(complaint != NULL);
    if (complaint && !strstr(complaint, words))
        then_str(complaint, words);
}

TEST(the_fleet_monitor_accepts_an_update_one_node_after_the_other)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    for (int i = 2; i >= 0; i--) {
        roll(&s, i, "v2");
        take(&s, i, WRITER_OPERATOR);
        come(&s, i, "v2");
    }
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    then_int(fleet_monitor_most(s.monitor), 1);
}

TEST(the_fleet_monitor_reports_two_nodes_written_at_once_under_a_budget_of_one)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    roll(&s, 2, "v2");
    roll(&s, 1, "v2");
    then_complains(&s, "rpc-1 was written although 1 nodes of a budget of 1 were down: rpc-2");
}

TEST(the_fleet_monitor_accepts_two_nodes_down_under_a_budget_of_two)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "maxUnavailable: '67%'");

    roll(&s, 2, "v2");
    roll(&s, 1, "v2");
    take(&s, 2, WRITER_OPERATOR);
    take(&s, 1, WRITER_OPERATOR);
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    then_int(fleet_monitor_most(s.monitor), 2);
    roll(&s, 0, "v2");
    then_complains(&s, "rpc-0 was written although 2 nodes of a budget of 2 were down");
}

TEST(the_fleet_monitor_reports_a_second_pod_deletion_for_the_same_node_spec)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    roll(&s, 2, "v2");
    apply(&s, 2, "v2");
    take(&s, 2, WRITER_OPERATOR);
    come(&s, 2, "v2");
    roll(&s, 2, "v1");
    apply(&s, 2, "v1");
    take(&s, 2, WRITER_OPERATOR);
    come(&s, 2, "v1");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    take(&s, 2, WRITER_OPERATOR);
    then_complains(&s, "the pod of rpc-2 was deleted twice for one revision");
}

TEST(the_fleet_monitor_accepts_a_second_deletion_if_the_spec_changed_during_the_first_one)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    edit(&s, 2, "bad");
    apply(&s, 2, "bad");
    roll(&s, 2, "v2");
    take(&s, 2, WRITER_OPERATOR);
    come(&s, 2, "bad");
    apply(&s, 2, "v2");
    take(&s, 2, WRITER_OPERATOR);
    come(&s, 2, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    take(&s, 2, WRITER_OPERATOR);
    then_complains(&s, "the pod of rpc-2 was deleted twice for one revision");
}

/* What a plan has applied before is carried to its end first. */
TEST(the_fleet_monitor_accepts_one_more_deletion_if_the_operator_changes_during_a_plan)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    roll(&s, 2, "v2");
    apply(&s, 2, "v2");
    fleet_monitor_upgrade(s.monitor);
    for (int i = 0; i < 2; i++) {
        take(&s, 2, WRITER_OPERATOR);
        come(&s, 2, "v2");
    }
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    take(&s, 2, WRITER_OPERATOR);
    then_complains(&s, "the pod of rpc-2 was deleted twice for one revision");
}

TEST(the_fleet_monitor_counts_a_node_as_up_if_it_runs_the_spec_it_is_reverted_to)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    edit(&s, 2, "v5");
    take(&s, 2, WRITER_PERSON);
    come(&s, 2, "v1"); /* the edit awaits its turn */
    edit(&s, 2, "v6");
    roll(&s, 2, "v1");
    s.now_ms += 5000;
    roll(&s, 1, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
}

TEST(the_fleet_monitor_does_not_expect_a_pod_to_follow_an_unreleased_spec)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");
    const char *as =
        "{metadata: {name: 'rpc-1', uid: 'n1', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '1'}, annotations:"
        " {'sei.io/released-spec': 'of another'}}, spec: {chainId: 'c', image: 'v2',"
        " fullNode: {}}, status: {phase: 'Running'}}";

    roll(&s, 2, "v2");
    see(&s, (Change){WRITER_OPERATOR, VERB_APPLY, kind_seinode, .before = as, .after = as});
    then_str(fleet_monitor_complaint(s.monitor), NULL);
}

TEST(the_fleet_monitor_counts_an_unready_node_once_the_operator_can_have_seen_it)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    fall_ill(&s, 0);
    roll(&s, 2, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    roll(&s, 2, "v1");
    s.now_ms += 5000;
    roll(&s, 0, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    roll(&s, 2, "v2");
    then_complains(&s, "rpc-2 was written although 1 nodes of a budget of 1 were down: rpc-0");
}

TEST(the_fleet_monitor_accepts_a_deletion_in_a_node_that_recovered_after_it_was_written)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    fall_ill(&s, 0);
    fall_ill(&s, 2);
    s.now_ms += 5000;
    roll(&s, 2, "v2");
    get_well(&s, 2);
    s.now_ms += 5000;
    take(&s, 2, WRITER_OPERATOR);
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    take(&s, 1, WRITER_OPERATOR); /* which nobody has written */
    then_complains(&s, "rpc-1 was taken down although");
}

static void plan_update(Scene *s, int ordinal)
{
    const char *was = node(s, ordinal, "v1");
    const char *is = json_write(s->arena,
        json_merge(s->arena,
            json_fixture(s->arena, was),
            json_fixture(
                s->arena, "{status: {plan: {id: 'p', kind: 'node-update', phase: 'Active'}}}")))
                         .data;

    see(s, (Change){WRITER_OPERATOR, VERB_MERGE_PATCH, kind_seinode, .before = was, .after = is});
}

TEST(the_fleet_monitor_accepts_a_deletion_in_a_node_that_recovered_after_its_plan_began)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    fall_ill(&s, 0);
    fall_ill(&s, 2);
    s.now_ms += 5000;
    plan_update(&s, 2);
    get_well(&s, 2);
    s.now_ms += 5000;
    take(&s, 2, WRITER_OPERATOR);
    then_str(fleet_monitor_complaint(s.monitor), NULL);
}

TEST(the_fleet_monitor_judges_a_deletion_by_the_state_when_its_plan_began)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene early = given_fleet(a, ""), late = given_fleet(a, "");

    plan_update(&early, 1);
    fall_ill(&early, 0);
    early.now_ms += 5000;
    take(&early, 1, WRITER_OPERATOR);
    then_str(fleet_monitor_complaint(early.monitor), NULL);
    fall_ill(&late, 0);
    late.now_ms += 5000;
    plan_update(&late, 1);
    then_complains(
        &late, "rpc-1 was given its turn although 1 nodes of a budget of 1 were down: rpc-0");
}

/* A child that is being set up, or has been. */
static const char *child(Scene *s, const char *image, const char *phase)
{
    return str_format(s->arena,
        "{metadata: {name: 'rpc-0', uid: 'n9', labels: {'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '0'}}, spec: {image: '%s'}, status: {phase: '%s'}}",
        image,
        phase);
}

TEST(the_fleet_monitor_counts_a_new_node_once_the_operator_can_have_seen_it)
{
    static const struct {
        const char *name, *image;
        bool is_taken;
    } cases[] = {
        {"as it was made", "v1", false},
        {"written during its init", "v2", false},
        {"and its pod replaced", "v2", true},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(16 << 20);
        Scene s = given_fleet(a, "");
        const char *born = child(&s, "v1", "Initializing");
        const char *set_up = child(&s, cases[i].image, "Initializing");
        const char *runs = child(&s, cases[i].image, "Running");

        see(&s, (Change){WRITER_OPERATOR, VERB_CREATE, kind_seinode, .after = born});
        see(&s,
            (Change){WRITER_OPERATOR, VERB_APPLY, kind_seinode, .before = born, .after = set_up});
        if (cases[i].is_taken)
            take(&s, 0, WRITER_OPERATOR);
        s.now_ms += 60000;
        see(&s,
            (Change){
                WRITER_OPERATOR, VERB_MERGE_PATCH, kind_seinode, .before = set_up, .after = runs});
        roll(&s, 2, "v2");
        then_str(fleet_monitor_complaint(s.monitor), NULL);
        roll(&s, 2, "v1");
        s.now_ms += 5000;
        roll(&s, 2, "v2");
        then_complains(&s, "rpc-2 was written although 1 nodes of a budget of 1 were down: rpc-0");
    }
}

TEST(the_fleet_monitor_does_not_count_what_the_operator_missed_while_it_was_stopped)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "");

    fall_ill(&s, 0);
    s.now_ms += 15000;
    fleet_monitor_awake(s.monitor, s.now_ms);
    roll(&s, 2, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
    roll(&s, 2, "v1");
    s.now_ms += 5000;
    roll(&s, 2, "v2");
    then_complains(&s, "rpc-2 was written although 1 nodes of a budget of 1 were down: rpc-0");
}

TEST(the_fleet_monitor_allows_more_unready_nodes_than_the_budget_only_if_all_are_halted)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene some = given_fleet(a, ""), all = given_fleet(a, "");

    fall_ill(&some, 0);
    fall_ill(&some, 1);
    some.now_ms += 90000;
    roll(&some, 1, "v2");
    then_str(fleet_monitor_complaint(some.monitor), NULL);
    roll(&some, 0, "v2");
    then_complains(&some, "rpc-0 was written although 1 nodes of a budget of 1 were on their way");
    for (int i = 0; i < 3; i++)
        fall_ill(&all, i);
    all.now_ms += 90000;
    for (int i = 0; i < 3; i++)
        roll(&all, i, "v2");
    then_str(fleet_monitor_complaint(all.monitor), NULL);
}

TEST(nodes_below_the_partition_do_not_prevent_a_halted_fleet)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "partition: 1");

    fall_ill(&s, 1);
    fall_ill(&s, 2);
    s.now_ms += 90000;
    roll(&s, 1, "v2");
    roll(&s, 2, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
}

/* Three nodes that were paused for an hour, and have been back for so long. */
static Scene given_resumed(Arena *a, int64_t back_ms)
{
    Scene s = given_fleet(a, "progressDeadlineSeconds: 600");

    for (int i = 0; i < 3; i++) {
        set_paused(&s, i, "v1", "true");
        take(&s, i, WRITER_CLUSTER);
    }
    s.now_ms += 3600000;
    for (int i = 0; i < 3; i++)
        set_paused(&s, i, "v1", "false");
    s.now_ms += back_ms;
    return s;
}

TEST(a_node_that_returns_from_a_pause_does_not_count_as_halted)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene early = given_resumed(a, 90000), late = given_resumed(a, 360000);

    roll(&early, 2, "v2");
    then_str(fleet_monitor_complaint(early.monitor), NULL);
    roll(&early, 1, "v2");
    then_complains(&early, "rpc-1 was written although 1 nodes of a budget of 1 were on their way");
    for (int i = 0; i < 3; i++)
        roll(&late, i, "v2");
    then_str(fleet_monitor_complaint(late.monitor), NULL);
}

TEST(a_node_that_became_unready_after_a_pause_counts_as_halted)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_resumed(a, 1000);

    for (int i = 0; i < 3; i++) {
        come(&s, i, "v1");
        fall_ill(&s, i);
    }
    s.now_ms += 90000;
    for (int i = 0; i < 3; i++)
        roll(&s, i, "v2");
    then_str(fleet_monitor_complaint(s.monitor), NULL);
}

TEST(the_fleet_monitor_counts_a_node_as_down_until_min_ready_seconds_have_passed)
{
    SCOPED_ARENA a = arena_open(16 << 20);
    Scene s = given_fleet(a, "minReadySeconds: 30");

    roll(&s, 2, "v2");
    take(&s, 2, WRITER_OPERATOR);
    come(&s, 2, "v2");
    s.now_ms += 10000;
    roll(&s, 1, "v2");
    then_complains(&s, "rpc-1 was written although 1 nodes");
}

static const struct {
    const char *name;
    MonitorWriter by;
    const char *complaint; /* NULL: none */
} volume_deletions[] = {
    {"by the operator", WRITER_OPERATOR, "the volume of rpc-1 was deleted under it"},
    {"by the garbage collector", WRITER_CLUSTER, "the volume of rpc-1 was deleted under it"},
    {"by a person", WRITER_PERSON, NULL},
};

TEST(the_fleet_monitor_reports_the_deletion_of_a_volume_under_its_node)
{
    each_case(i, volume_deletions) {
        SCOPED_ARENA a = arena_open(16 << 20);
        Scene s = given_fleet(a, "");
        static const char volume[] = "{metadata: {name: 'data-rpc-1', uid: 'v1'}}";

        see(&s, (Change){volume_deletions[i].by, VERB_DELETE, kind_pvc, .before = volume});
        if (volume_deletions[i].complaint)
            then_complains(&s, volume_deletions[i].complaint);
        else
            then_str(fleet_monitor_complaint(s.monitor), NULL);
    }
}
