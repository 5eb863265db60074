/* A paused fleet stands still as a whole, whatever it was doing, and goes on from there. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

enum {
    ROLLOUT_MS = 45000,
    STRIDE_MS = 4999,
    PAUSED_MS = 120000,
    SLOW_MS = 300000,
    HALF_DEADLINE_MS = 900000,
};

#define PAUSED(word) "{spec: {paused: " word "}}"

static const char *not_stopped(Play *p)
{
    for (int i = 0; i < 3; i++) {
        if (play_find(p, kind_pod, play_child_pod(p, "rpc", i)))
            return "a pod is still there";
        if (!play_node(p, play_child(p, "rpc", i))->spec.paused)
            return "a child is not paused";
    }
    return play_fleet(p, "rpc")->status.phase == FLEET_PAUSED ? NULL : "the phase is not Paused";
}

TEST(a_paused_fleet_stops_its_pods_and_resumes_with_the_same_volumes)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{}");
    const char *volumes = play_volumes(p, "rpc");
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    then_str(not_stopped(p), NULL);
    then_str(play_fleet_reason(p, "rpc", COND_READY), "Paused");
    then_str(play_fleet_condition(p, "rpc", COND_PAUSED), "True");
    play_edit_fleet(p, "rpc", PAUSED("false"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_volumes(p, "rpc"), volumes);
    for (int i = 0; i < 3; i++)
        then_true(!play_node(p, play_child(p, "rpc", i))->spec.paused);
    then_int(play_events(p, "rpc", "Paused", NULL), 1);
    then_int(play_events(p, "rpc", "Unpaused", NULL), 1);
}

TEST(an_edit_made_while_the_fleet_is_paused_is_rolled_out_after_the_pause)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 60000);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    const Fleet *fleet = play_fleet(p, "rpc");
    then_int((int)fleet->status.observed_generation, (int)fleet->generation);
    play_edit_fleet(p, "rpc", PAUSED("false"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_events(p, "rpc", "RolloutStarted", NULL), 1);
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 1);
}

TEST(a_fleet_that_is_created_paused_creates_no_nodes)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_create_fleet(p, "rpc", PAUSED("true"));
    play_run(p, 60000);
    then_true(play_find(p, kind_seinode, "rpc-0") == NULL);
    then_int(play_events(p, "rpc", "Paused", NULL), 0);
    play_edit_fleet(p, "rpc", PAUSED("false"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
}

TEST(a_child_that_was_paused_on_its_own_stays_paused)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_given_fleet(p, "rpc", "{}");
    play_patch(p, kind_seinode, "rpc-2", PAUSED("true"));
    play_run(p, 60000);
    play_edit_fleet(p, "rpc", "{spec: {template: {spec: {podLabels: {team: 'blue'}}}}}");
    play_run(p, 60000);
    replica_crash(play_replica(p, 0));
    play_run(p, 60000);
    then_true(play_node(p, "rpc-2")->spec.paused);
    then_true(!play_node(p, "rpc-1")->spec.paused);
    then_true(play_find(p, kind_pod, "rpc-2-0") == NULL);
    then_true(play_find(p, kind_pod, "rpc-1-0") != NULL);
}

static const char *pause_in_rollout(Play *p, void *self)
{
    int64_t after_ms = *(int64_t *)self;
    const char *volumes = play_volumes(p, "rpc");

    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, after_ms);
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    const char *wrong = not_stopped(p);
    play_edit_fleet(p, "rpc", PAUSED("false"));
    if (!wrong)
        wrong = play_fleet_trouble(p, "rpc", "v2");
    if (!wrong && !str_eq(play_volumes(p, "rpc"), volumes))
        wrong = "a volume is another one";
    return wrong ? str_format(play_arena(p), "paused after %lld ms: %s", (long long)after_ms, wrong)
                 : NULL;
}

CAMPAIGN(a_rollout_can_be_paused_at_any_point)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    play_given_fleet(p, "rpc", "{}");
    for (int64_t ms = 0; ms < ROLLOUT_MS; ms += STRIDE_MS)
        then_str(branch(p, pause_in_rollout, &ms), NULL);
}

/* --- a bad image, and a pause ------------------------------------------------------------------
 */

enum { DEADLINE_MS = 60000 };

static bool is_on_v2(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v2");
}

static bool has_rolled_back(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1") && play_fleet(p, fleet)->status.counts.available == 1;
}

/* The pause is longer than the deadline: in it nobody could make progress. */
TEST(a_bad_image_fails_its_rollout_also_after_a_pause)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    play_given_fleet(p,
        "rpc",
        "{spec: {replicas: 1, updateStrategy: {progressDeadlineSeconds: 60,"
        " onFailure: 'Rollback'}}}");
    const char *complete = play_fleet(p, "rpc")->status.complete_revision;
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_on_v2, "rpc"));
    play_run(p, DEADLINE_MS / 3);
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, 2 * DEADLINE_MS);
    play_edit_fleet(p, "rpc", PAUSED("false"));
    play_run(p, DEADLINE_MS / 2);
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 0);
    then_str(play_fleet(p, "rpc")->status.complete_revision, complete);
    then_str(play_tags(p, "rpc"), "v2"); /* it has its time once more */
    then_true(play_until(p, has_rolled_back, "rpc"));
    then_str(play_fleet(p, "rpc")->status.complete_revision, complete);
    then_str(play_broken_promise(p), NULL);
}

/* That nobody serves just after a pause is no halt of the chain. */
TEST(a_bad_image_that_was_set_during_a_pause_stops_after_the_budget)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_edit_fleet(p, "rpc", PAUSED("false"));
    play_run(p, 300000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 2);
    then_str(play_broken_promise(p), NULL);
}

static bool is_stopped_at_its_budget(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2")
        && play_fleet(p, fleet)->status.counts.available == 2;
}

static void given_bad_rollout(Play *p)
{
    play_given_fleet(p, "rpc", "{}");
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_stopped_at_its_budget, "rpc"));
    play_run(p, 60000);
}

static void given_slow_starts(Play *p)
{
    for (int i = 0; i < 3; i++)
        play_order(
            p, str_format(play_arena(p), "slow-start " PLAY_NAMESPACE "/rpc-%d-0 %d", i, SLOW_MS));
}

/* After a pause a node may have hours of blocks to catch up with before it is Ready. */
TEST(a_bad_image_that_stopped_at_the_budget_stays_there_after_a_pause)
{
    static const int pauses_ms[] = {5000, PAUSED_MS};

    for (size_t i = 0; i < array_count(pauses_ms); i++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9 + i}});

        given_bad_rollout(p);
        given_slow_starts(p);
        play_edit_fleet(p, "rpc", PAUSED("true"));
        play_run(p, pauses_ms[i]);
        play_edit_fleet(p, "rpc", PAUSED("false"));
        play_run(p, SLOW_MS / 2);
        then_int((int)play_fleet(p, "rpc")->status.counts.available, 0);
        then_str(play_tags(p, "rpc"), "v1 v1 v2");
        then_true(play_until(p, is_stopped_at_its_budget, "rpc"));
        then_str(play_broken_promise(p), NULL);
        play_edit_fleet(p, "rpc", PLAY_TO("v1"));
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    }
}

/* One by one, as for a job on their volumes. */
TEST(nodes_that_a_user_paused_do_not_count_as_halted_after_the_pause)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 11}});

    given_bad_rollout(p);
    given_slow_starts(p);
    for (int i = 0; i < 2; i++)
        play_patch(p, kind_seinode, play_child(p, "rpc", i), PAUSED("true"));
    play_run(p, PAUSED_MS);
    for (int i = 0; i < 2; i++)
        play_patch(p, kind_seinode, play_child(p, "rpc", i), PAUSED("false"));
    then_true(play_until(p, is_stopped_at_its_budget, "rpc"));
    then_str(play_broken_promise(p), NULL);
}

static void halt_chain(Play *p)
{
    Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1");
    int64_t now = world_now_ms(sim_world(play_sim(p)));

    then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
    play_run(p, 600000);
}

/* Nobody is Ready before all have the new image, and nobody need be asked. */
TEST(a_chain_that_halted_before_the_pause_is_updated_as_a_whole_after_the_pause)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    play_given_fleet(p, "rpc", "{}");
    halt_chain(p);
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    play_order(p, "never-ready " PLAY_NAMESPACE "/rpc-2-0"); /* as one alone is */
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_edit_fleet(p, "rpc", PAUSED("false"));
    play_run(p, HALF_DEADLINE_MS);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    play_run(p, 2 * 60000);
    then_str(play_tags(p, "rpc"), "v2 v2 v2");
    play_order(p, "ready-again " PLAY_NAMESPACE "/rpc-2-0");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_events(p, "rpc", "RolloutFailed", NULL), 0);
}

TEST(a_child_that_cannot_be_resumed_is_not_treated_as_paused_by_a_user)
{
    Refusal refusal = {.node = "rpc-0", .status = 500};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 7, .judge = refusal_judge, .judge_self = &refusal}});

    play_given_fleet(p, "rpc", "{spec: {replicas: 1}}");
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_on_v2, "rpc"));
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    refusal.armed = true;
    play_edit_fleet(p, "rpc", PAUSED("false"));
    play_run(p, 60000);
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 0);
    then_str(play_fleet_condition(p, "rpc", COND_PAUSED), "True");
    refusal.armed = false;
    play_order(p, "good-image seid:v2");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_str(play_fleet_condition(p, "rpc", COND_PAUSED), "False");
    then_int(play_events(p, "rpc", "RolloutComplete", NULL), 1);
}

static const char *told_of(Play *p, const char *name)
{
    const FleetRollout *rollout = &play_fleet(p, "rpc")->status.rollout;

    for (size_t i = 0; i < rollout->node_count; i++)
        if (str_eq(rollout->nodes[i].name, name))
            return rollout->nodes[i].message;
    return NULL;
}

/* It is down, whoever's fault that is: one more would be too many. */
TEST(a_child_that_cannot_be_resumed_uses_the_budget_and_is_reported)
{
    Refusal refusal = {.node = "rpc-0", .status = 500};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 9, .judge = refusal_judge, .judge_self = &refusal}});

    play_given_fleet(p, "rpc", "{spec: {updateStrategy: {progressDeadlineSeconds: 60}}}");
    play_edit_fleet(p, "rpc", PAUSED("true"));
    play_run(p, PAUSED_MS);
    refusal.armed = true;
    play_edit_fleet(p, "rpc", PAUSED("false"));
    play_run(p, 2 * DEADLINE_MS);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 2 * DEADLINE_MS);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    then_str(told_of(p, "rpc-2"), "waits: at most 1 may be unavailable, and rpc-0 (paused) is");
    then_true(str_has_prefix(told_of(p, "rpc-0"),
        "is paused, counts as unavailable, and cannot be written: patch seinodes"));
    refusal.armed = false;
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}
