/* The way back to the last complete template, whatever the template that failed had asked for. */
#include "base/str.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_hash.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#define RESTART(time)    "metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': " time "}}"
#define FIRST_TIME       "'2026-01-02T00:00:00Z'"
#define SECOND_TIME      "'2026-11-15T00:00:00Z'"
#define TEMPLATE(fields) "{spec: {template: {" fields "}}}"
#define IMAGE(tag)       "spec: {image: '" PLAY_IMAGE(tag) "'}"

#define GOES_BACK "{spec: {updateStrategy: {progressDeadlineSeconds: 60, onFailure: 'Rollback'}}}"

static bool is_at_the_second(Play *p, const char *fleet)
{
    const FleetRollout *rollout = &play_fleet(p, fleet)->status.rollout;

    return rollout->node_count == 3 && rollout->nodes[2].state == ROLLOUT_UPDATED
        && rollout->nodes[1].state == ROLLOUT_UPDATING;
}

static bool goes_back(Play *p, const char *fleet)
{
    return str_eq(play_fleet(p, fleet)->status.plan.cause, "rollback");
}

static bool has_gone_back(Play *p, const char *fleet)
{
    const FleetStatus *status = &play_fleet(p, fleet)->status;

    return str_eq(play_tags(p, fleet), "v1 v1 v1") && !status->has_plan
        && status->rollout.failed_hash && status->counts.available == 3;
}

static void given_failed_rollout(Play *p, const char *edit)
{
    play_edit_fleet(p, "rpc", edit);
    then_true(play_until(p, is_at_the_second, "rpc"));
    play_order(p, "never-ready sei/rpc-1-0");
    then_true(play_until(p, goes_back, "rpc"));
    play_order(p, "ready-again sei/rpc-1-0");
}

static const struct {
    const char *name, *first, *failing;
    int stops;
} restarts[] = {
    {"an image", "{}", TEMPLATE(IMAGE("v2")), 4},
    {"an image and a restart", "{}", TEMPLATE(RESTART(SECOND_TIME) ", " IMAGE("v2")), 4},
    {"a restart alone", "{}", TEMPLATE(RESTART(SECOND_TIME)), 2},
    {"an image and a later restart",
        TEMPLATE(RESTART(FIRST_TIME)),
        TEMPLATE(RESTART(SECOND_TIME) ", " IMAGE("v2")),
        4},
    {"a later restart alone", TEMPLATE(RESTART(FIRST_TIME)), TEMPLATE(RESTART(SECOND_TIME)), 2},
    {"an image without the restart of before",
        TEMPLATE(RESTART(FIRST_TIME)),
        TEMPLATE(RESTART("null") ", " IMAGE("v2")),
        4},
};

/* A node that was restarted stays so; that takes it off no template that asks for less. */
CAMPAIGN(every_node_is_rolled_back_whatever_restarts_the_failed_template_requested)
{
    each_case(i, restarts) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1 + (uint64_t)i}});

        play_create_fleet(p, "rpc", GOES_BACK);
        play_edit_fleet(p, "rpc", restarts[i].first);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        play_mark(p);
        const char *complete = play_fleet(p, "rpc")->status.complete_revision;
        given_failed_rollout(p, restarts[i].failing);
        then_true(play_until(p, has_gone_back, "rpc"));
        play_run(p, 60000);
        then_true(has_gone_back(p, "rpc"));
        then_str(play_fleet(p, "rpc")->status.complete_revision, complete);
        then_str(play_fleet(p, "rpc")->status.nodes[2].revision, complete);
        then_int(play_pods_deleted(p), restarts[i].stops);
        then_int(play_most_down(p), 1);
        then_str(play_broken_promise(p), NULL);
        play_mark(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, NULL), 0);
        play_edit_fleet(p, "rpc", TEMPLATE(IMAGE("v3")));
        then_str(play_fleet_trouble(p, "rpc", "v3"), NULL);
    }
}

static bool is_restarted(Play *p, const char *node)
{
    return play_node(p, node)->status.restarted_at && play_pods_deleted(p) == 1
        && str_eq(play_condition(p, node, COND_READY), "True");
}

static bool is_alone_on_its_way(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v2");
}

static bool is_alone_and_back(Play *p, const char *fleet)
{
    const FleetStatus *status = &play_fleet(p, fleet)->status;

    return str_eq(play_tags(p, fleet), "v1") && !status->has_plan && status->counts.available == 1;
}

/* No node can tell which restart the template of before asks for, until one was written. */
TEST(a_node_that_was_restarted_by_hand_is_rolled_back_once)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20}});

    play_create_fleet(p, "rpc", GOES_BACK);
    play_edit_fleet(p, "rpc", "{spec: {replicas: 1}}");
    play_edit_fleet(p, "rpc", TEMPLATE(RESTART(FIRST_TIME)));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    play_mark(p);
    play_patch(p, kind_seinode, "rpc-0", "{" RESTART(SECOND_TIME) "}");
    then_true(play_until(p, is_restarted, "rpc-0"));
    play_edit_fleet(p, "rpc", TEMPLATE(RESTART("null") ", " IMAGE("v2")));
    then_true(play_until(p, is_alone_on_its_way, "rpc"));
    play_order(p, "never-ready sei/rpc-0-0");
    then_true(play_until(p, goes_back, "rpc"));
    play_order(p, "ready-again sei/rpc-0-0");
    then_true(play_until(p, is_alone_and_back, "rpc"));
    play_run(p, 60000);
    play_mark(p);
    play_run(p, 600000);
    then_int(play_writes(p, -1, NULL), 0);
    then_true(is_alone_and_back(p, "rpc"));
}

static bool has_canary(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2") && !play_fleet(p, fleet)->status.has_plan;
}

/* By the hash that people know templates by, too. */
TEST(a_rollback_reports_its_target_template_hash_also_after_a_canary)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});

    play_given_fleet(p, "rpc", GOES_BACK);
    const char *first = play_fleet(p, "rpc")->status.template_hash;
    play_edit_fleet(p, "rpc", "{spec: {updateStrategy: {partition: 2}}}");
    play_edit_fleet(p, "rpc", TEMPLATE(IMAGE("v2")));
    then_true(play_until(p, has_canary, "rpc"));
    then_true(!str_eq(play_fleet(p, "rpc")->status.template_hash, first));
    given_failed_rollout(p, "{spec: {updateStrategy: {partition: 0}}}");
    then_str(play_fleet(p, "rpc")->status.rollout.target_hash, first);
    then_true(play_until(p, has_gone_back, "rpc"));
    then_str(play_fleet(p, "rpc")->status.rollout.target_hash, first);
}
