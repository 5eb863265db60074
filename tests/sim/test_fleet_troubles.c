/* A node that gets stuck, fails, is paused or vanishes in the middle of a rollout holds up nobody
 * for ever, and is named. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/sim/branch.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

enum { ROLLOUT_MS = 45000, STRIDE_MS = 5003, SLOW_MS = 4500 };

static bool is_rolling(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2");
}

static const RolloutNode *rollout_node(const Fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->status.rollout.node_count; i++)
        if (str_eq(fleet->status.rollout.nodes[i].name, name))
            return &fleet->status.rollout.nodes[i];
    fail_msg("%s is not listed", name);
    return NULL;
}

TEST(a_node_that_does_not_become_ready_is_named_with_what_it_waits_for)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, "rpc"));
    play_order(p, "never-ready sei/rpc-2-0");
    play_run(p, 120000);
    const Fleet *fleet = play_fleet(p, "rpc");
    const RolloutNode *stuck = rollout_node(fleet, "rpc-2"), *next = rollout_node(fleet, "rpc-1");
    then_int(stuck->state, ROLLOUT_UPDATING);
    then_true(stuck->updated_at != NULL);
    then_true(stuck->message != NULL);
    then_int(next->state, ROLLOUT_PENDING);
    then_true(strstr(next->message, "rpc-2") != NULL);
    then_true(strstr(play_fleet_message(p, "rpc", COND_RECONCILING), "rpc-2") != NULL);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    play_order(p, "ready-again sei/rpc-2-0");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

static bool is_short_of_one(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.counts.available == 2;
}

/* Who is sick already spends the budget, and is cured first. */
TEST(an_unready_node_is_updated_before_ready_ones)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", "{}");
    play_order(p, "never-ready sei/rpc-0-0");
    then_true(play_until(p, is_short_of_one, "rpc"));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 60000);
    then_str(play_tags(p, "rpc"), "v2 v1 v1");
    then_int(play_pods_deleted(p), 1);
    play_order(p, "ready-again sei/rpc-0-0");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

/* While the server takes its time over whatever is to be stored of a fleet. */
static PortFault judge_slow_fleet(void *self, const PortCall *call)
{
    const bool *is_slow = self;
    const Request *request = call->request;
    bool is_meant = *is_slow && request && request->verb == VERB_MERGE_PATCH
        && kind_eq(request->kind, kind_seinodedeployment);

    return is_meant ? (PortFault){.kind = PORT_LATE, .delay_ms = SLOW_MS} : (PortFault){0};
}

/* The plan was made while all of them served. */
TEST(a_node_that_becomes_unready_while_the_plan_is_stored_uses_the_budget)
{
    bool is_slow = false;
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 15, .judge = judge_slow_fleet, .judge_self = &is_slow}});

    play_given_fleet(p, "rpc", "{}");
    is_slow = true;
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 500);
    is_slow = false;
    play_order(p, "never-ready sei/rpc-0-0");
    play_delete(p, kind_pod, "rpc-0-0");
    play_run(p, SLOW_MS - 1000);
    then_str(play_fleet(p, "rpc")->status.rollout.target_hash, NULL);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    play_run(p, 60000);
    then_str(play_broken_promise(p), NULL);
    then_str(play_tags(p, "rpc"), "v2 v1 v1");
    then_int(play_most_down(p), 1);
    play_order(p, "ready-again sei/rpc-0-0");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3); /* one of them by a person */
}

/* --- no progress -------------------------------------------------------------------------------
 */

#define DEADLINE(more) "{spec: {updateStrategy: {progressDeadlineSeconds: 60" more "}}}"

static bool is_stalled(Play *p, const char *fleet)
{
    return str_eq(play_fleet_condition(p, fleet, COND_STALLED), "True");
}

static void given_stalled_rollout(Play *p)
{
    play_given_fleet(p, "rpc", DEADLINE(""));
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_stalled, "rpc"));
}

/* O-6 */
TEST(a_rollout_without_progress_is_stalled_and_stays_reported)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_stalled_rollout(p);
    play_run(p, 600000); /* until the node with the bad image is Stalled, too */
    then_str(play_reason(p, "rpc-2", COND_STALLED), "ImagePullFailed");
    then_str(play_fleet_reason(p, "rpc", COND_STALLED), "ProgressDeadlineExceeded");
    then_str(play_fleet_condition(p, "rpc", COND_RECONCILING), "False");
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    const char *message = play_fleet_message(p, "rpc", COND_STALLED);
    then_true(strstr(message, "rpc-2") != NULL);
    then_true(strstr(message, "pull") != NULL);
    then_true(play_fleet(p, "rpc")->status.rollout.failed_hash != NULL);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_int(play_pods_deleted(p), 1);
    play_mark(p);
    play_run(p, 600000);
    if (play_writes(p, -1, NULL))
        play_tell(p);
    then_int(play_writes(p, -1, NULL), 0);
}

TEST(a_stalled_rollout_can_be_reverted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    given_stalled_rollout(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v1"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 2);
}

TEST(a_stalled_rollout_is_retried_when_a_user_asks_for_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_stalled_rollout(p);
    play_order(p, "good-image seid:v2");
    play_run(p, 60000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    play_edit_fleet(p, "rpc", "{metadata: {annotations: {'sei.io/retry': '1'}}}");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

/* --- a wall clock that jumps --- */

static void jump_ahead(Play *p, int64_t ms)
{
    World *world = sim_world(play_sim(p));

    world_set_wall(world, (clock_wall_ms(world_clock(world)) + ms) * 1000000);
}

enum { JUMP_MS = 3600000, HALF_MINUTE_MS = 30000 };

TEST(a_clock_that_jumps_ahead_rolls_no_healthy_rollout_back)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 22}});

    play_given_fleet(p, "rpc", DEADLINE(", onFailure: 'Rollback'"));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, "rpc"));
    jump_ahead(p, JUMP_MS);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_events(p, "rpc", "RolloutFailed", NULL), 0);
}

TEST(a_clock_that_jumps_ahead_does_not_turn_a_short_outage_into_a_halt)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 23}});

    play_given_fleet(p, "rpc", "{}");
    for (int i = 0; i < 3; i++)
        play_order(p, str_format(play_arena(p), "never-ready sei/%s", play_child_pod(p, "rpc", i)));
    play_run(p, HALF_MINUTE_MS);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 0);
    jump_ahead(p, JUMP_MS);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 2000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
}

static bool has_rolled_back(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v1")
        && play_fleet(p, fleet)->status.rollout.failed_hash
        && play_fleet(p, fleet)->status.counts.available == 3;
}

/* O-13 */
TEST(a_failed_rollout_is_rolled_back_under_the_budget_if_on_failure_asks_for_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    play_given_fleet(p, "rpc", DEADLINE(", onFailure: 'Rollback'"));
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_rolling, "rpc"));
    then_true(play_until(p, has_rolled_back, "rpc"));
    play_run(p, 300000);
    then_true(has_rolled_back(p, "rpc"));
    const Fleet *fleet = play_fleet(p, "rpc");
    then_str(fleet->spec.node.image, PLAY_IMAGE("v2")); /* the spec is the person's */
    then_true(fleet->status.history.count >= 2);
    then_int(play_pods_deleted(p), 2);
    then_int(play_most_down(p), 1);
    then_str(play_broken_promise(p), NULL);
    play_edit_fleet(p, "rpc", PLAY_TO("v3"));
    then_str(play_fleet_trouble(p, "rpc", "v3"), NULL);
    then_int(play_pods_deleted(p), 5);
}

/* Neither status nor back-off starts anew with each try; and with the last word of a server nobody
 * but a timer tries again. */
TEST(a_child_that_the_api_server_refuses_to_change_stalls_the_rollout_and_is_named)
{
    static const int answers[] = {403, 422};

    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        Refusal refusal = {.node = "rpc-2", .status = answers[i], .armed = false};
        SCOPED_PLAY p = play_open(&(PlayOptions){
            .sim = {.seed = 11 + i, .judge = refusal_judge, .judge_self = &refusal}});

        play_given_fleet(p, "rpc", DEADLINE(""));
        refusal.armed = true;
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        play_run(p, 30000);
        then_true(strstr(play_fleet_message(p, "rpc", COND_RECONCILING), "rpc-2") != NULL);
        then_true(play_writes(p, -1, kind_seinodedeployment) <= 4);
        play_run(p, 120000);
        then_str(play_fleet_reason(p, "rpc", COND_STALLED), "ProgressDeadlineExceeded");
        const char *said = play_fleet_message(p, "rpc", COND_STALLED);
        then_true(strstr(said, "could not be written: rpc-2 (") != NULL);
        then_true(strstr(said, "seinodes") != NULL || strstr(said, "SeiNode") != NULL);
        then_str(play_tags(p, "rpc"), "v1 v1 v1");
        then_true(play_writes(p, -1, kind_seinodedeployment) <= 6);
        play_mark(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, kind_seinodedeployment), 0);
        then_str(play_fleet_message(p, "rpc", COND_STALLED), said);
        refusal.armed = false;
        play_edit_fleet(p, "rpc", "{metadata: {annotations: {'sei.io/retry': '1'}}}");
        then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    }
}

static bool is_begun(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.rollout.target_hash != NULL;
}

#define ERRORS "sei_controller_reconcile_errors_total"

/* The child was written by somebody else since it was read, be it by its own controller: the next
 * pass sees what won. */
TEST(a_write_conflict_on_a_child_is_not_reported_as_an_error)
{
    Refusal refusal = {.node = "rpc-2", .status = 409};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 14, .judge = refusal_judge, .judge_self = &refusal}});

    play_given_fleet(p, "rpc", "{}");
    const char *errors = play_metrics(p, ERRORS);
    refusal.armed = true;
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_begun, "rpc"));
    play_run(p, 1000);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    then_str(rollout_node(play_fleet(p, "rpc"), "rpc-2")->message, NULL);
    then_str(play_fleet_message(p, "rpc", COND_RECONCILING), "a rollout is under way");
    then_str(play_metrics(p, ERRORS), errors);
    refusal.armed = false;
    play_run(p, 15000);
    then_str(play_tags(p, "rpc"), "v1 v1 v2");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_str(play_metrics(p, ERRORS), errors);
}

TEST(a_child_that_can_be_written_again_is_written_after_its_stall)
{
    Refusal refusal = {.node = "rpc-2", .status = 422};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 13, .judge = refusal_judge, .judge_self = &refusal}});

    play_given_fleet(p, "rpc", "{}");
    refusal.armed = true;
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 60000);
    refusal.armed = false;
    play_run(p, 60000);
    then_true(!str_eq(play_tags(p, "rpc"), "v1 v1 v1"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

/* --- children in trouble -----------------------------------------------------------------------
 */

typedef struct Loss {
    int64_t after_ms;
    int ordinal;
} Loss;

static const char *lose_child(Play *p, void *self)
{
    const Loss *loss = self;

    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, loss->after_ms);
    play_delete(p, kind_seinode, play_child(p, "rpc", loss->ordinal));
    const char *wrong = play_fleet_trouble(p, "rpc", "v2");
    return wrong ? str_format(play_arena(p),
                       "rpc-%d deleted after %lld ms: %s",
                       loss->ordinal,
                       (long long)loss->after_ms,
                       wrong)
                 : NULL;
}

/* O-7 */
CAMPAIGN(a_child_that_is_deleted_during_a_rollout_is_recreated_from_the_target_template)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    play_given_fleet(p, "rpc", "{}");
    for (int i = 0; i < 3; i += 2)
        for (int64_t ms = 0; ms < ROLLOUT_MS; ms += STRIDE_MS)
            then_str(branch(p, lose_child, &(Loss){.after_ms = ms, .ordinal = i}), NULL);
}

static bool skips_paused(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v2 v1 v2")
        && play_fleet(p, fleet)->status.counts.available == 2
        && play_fleet(p, fleet)->status.counts.updated == 2;
}

/* O-8; the child's own pause survives whatever its fleet does. */
TEST(a_paused_child_is_skipped_by_a_rollout_and_updated_when_it_is_resumed)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    play_given_fleet(p, "rpc", "{spec: {updateStrategy: {maxUnavailable: 2}}}");
    play_patch(p, kind_seinode, "rpc-1", "{spec: {paused: true}}");
    play_run(p, 60000);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, skips_paused, "rpc"));
    play_run(p, 60000);
    then_true(play_node(p, "rpc-1")->spec.paused);
    then_true(play_find(p, kind_pod, "rpc-1-0") == NULL);
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    play_patch(p, kind_seinode, "rpc-1", "{spec: {paused: false}}");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

static bool is_paused(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.phase == FLEET_PAUSED;
}

static bool rolls_without_the_last(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v2 v2 v1")
        && play_fleet(p, fleet)->status.counts.available == 2;
}

/* Until the deadline the others wait for it: it may be a matter of a moment. */
TEST(a_child_that_cannot_be_resumed_blocks_its_fleet_only_until_the_deadline)
{
    Refusal refusal = {.node = "rpc-2", .status = 403};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 18, .judge = refusal_judge, .judge_self = &refusal}});

    play_given_fleet(p, "rpc", DEADLINE(", maxUnavailable: 2"));
    play_edit_fleet(p, "rpc", "{spec: {paused: true}}");
    then_true(play_until(p, is_paused, "rpc"));
    play_run(p, 300000);
    refusal.armed = true;
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_edit_fleet(p, "rpc", "{spec: {paused: false}}");
    play_run(p, 50000);
    then_str(play_tags(p, "rpc"), "v1 v1 v1");
    then_str(play_fleet_condition(p, "rpc", COND_PAUSED), "True");
    then_true(strstr(play_fleet_message(p, "rpc", COND_RECONCILING), "rpc-2") != NULL);
    then_true(play_until(p, rolls_without_the_last, "rpc"));
    play_run(p, 2000);
    then_str(play_fleet_condition(p, "rpc", COND_PAUSED), "False");
    then_true(strstr(play_fleet_message(p, "rpc", COND_RECONCILING), "rpc-2") != NULL);
    then_true(play_node(p, "rpc-2")->spec.paused);
    refusal.armed = false;
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_str(play_broken_promise(p), NULL);
}

static bool has_failed_child(Play *p, const char *fleet)
{
    (void)fleet;
    return str_eq(json_str(play_find(p, kind_seinode, "rpc-1"), ".status.phase"), "Failed");
}

static bool skips_failed(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v2 v2 v2")
        && play_fleet(p, fleet)->status.counts.available == 2
        && play_fleet(p, fleet)->status.rollout.target_hash == NULL;
}

static bool is_unpaused(Play *p, const char *fleet)
{
    return str_eq(play_fleet_condition(p, fleet, COND_PAUSED), "False");
}

/* Stalled before the pause and behind it: the usual reason to pause a fleet. */
TEST(the_deadline_of_a_child_that_cannot_be_resumed_also_passes_in_a_stalled_fleet)
{
    Refusal refusal = {.node = "rpc-1", .status = 422};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 19, .judge = refusal_judge, .judge_self = &refusal}});

    for (int i = 0; i < 3; i++)
        play_order(p,
            str_format(
                play_arena(p), "fail-task sei/rpc-%d-0 config-apply 999 disk is on fire", i));
    play_create_fleet(p, "rpc", DEADLINE(""));
    then_true(play_until(p, is_stalled, "rpc"));
    then_int(play_fleet(p, "rpc")->status.phase, FLEET_FAILED);
    play_edit_fleet(p, "rpc", "{spec: {paused: true}}");
    then_true(play_until(p, is_paused, "rpc"));
    play_run(p, 300000);
    refusal.armed = true;
    play_edit_fleet(p, "rpc", "{spec: {paused: false}}");
    play_run(p, 50000);
    then_true(is_stalled(p, "rpc"));
    then_str(play_fleet_condition(p, "rpc", COND_PAUSED), "True");
    then_true(play_fleet(p, "rpc")->status.resuming_since != NULL);
    then_true(play_until(p, is_unpaused, "rpc"));
    then_str(play_fleet(p, "rpc")->status.resuming_since, NULL);
    then_true(play_node(p, "rpc-1")->spec.paused);
    then_true(!play_node(p, "rpc-0")->spec.paused);
    then_str(play_broken_promise(p), NULL);
}

/* O-8 */
TEST(a_failed_child_blocks_no_rollout)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    play_order(p, "fail-task sei/rpc-1-0 config-apply 999 disk is on fire");
    play_create_fleet(p, "rpc", "{}");
    then_true(play_until(p, has_failed_child, "rpc"));
    play_run(p, 60000);
    then_int(play_fleet(p, "rpc")->status.phase, FLEET_DEGRADED);
    play_mark(p);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, skips_failed, "rpc"));
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    then_int(play_most_down(p), 1);
    then_str(play_broken_promise(p), NULL);
}

static bool is_edited(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v2 v1");
}

/* O-14, O-15: nobody fights; the template has the last word, once, and under the budget. */
TEST(a_child_that_was_edited_by_hand_is_reverted_to_the_template)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10}});

    play_given_fleet(p, "rpc", "{}");
    play_patch(p, kind_seinode, "rpc-1", "{spec: {image: '" PLAY_IMAGE("v2") "'}}");
    then_true(is_edited(p, "rpc"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_true(play_pods_deleted(p) <= 2);
    play_mark(p);
    play_run(p, 300000);
    then_int(play_writes(p, -1, NULL), 0);
}

/* --- a sidecar that never answers --------------------------------------------------------------
 */

static bool is_done(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v2 v2 v2")
        && play_fleet(p, fleet)->status.counts.updated == 3
        && play_fleet(p, fleet)->status.counts.available == 3;
}

/* O-29: with a single worker, nobody waits for a sidecar but who needs it. */
TEST(a_sidecar_that_never_answers_blocks_only_its_own_fleet)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 11}, .workers = 1});

    play_create_fleet(p, "archive", "{}");
    play_given_fleet(p, "rpc", "{}");
    then_str(play_fleet_trouble(p, "archive", "v1"), NULL);
    play_order(p, "temper sei/archive-2-0 hanging 0");
    play_edit_fleet(p, "archive", PLAY_TO("v2"));
    play_run(p, 1000);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, is_done, "rpc"));
    then_str(play_tags(p, "archive"), "v1 v1 v2");
    then_int((int)play_fleet(p, "archive")->status.counts.available, 2);
    play_order(p, "temper sei/archive-2-0 none 0");
    then_str(play_fleet_trouble(p, "archive", "v2"), NULL);
    then_int(play_pods_deleted(p), 6);
}

/* --- an image that nobody has ------------------------------------------------------------------
 */

static bool has_pod_without_image(Play *p, const char *fleet)
{
    return pod_lacks_image(play_find(p, kind_pod, play_child_pod(p, fleet, 2)));
}

/* The kubelet changes its words with every try. */
TEST(an_image_pull_failure_is_reported_once_and_not_with_every_attempt)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 14}});

    play_given_fleet(p, "rpc", "{}");
    play_order(p, "bad-image seid:v2");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, has_pod_without_image, "rpc"));
    play_run(p, 3000);
    const char *waiting = play_fleet_message(p, "rpc", COND_RECONCILING);
    then_true(strstr(waiting, "rpc-2 (cannot pull image " PLAY_IMAGE("v2")) != NULL);
    play_mark(p);
    play_run(p, 120000);
    then_true(play_writes(p, -1, kind_seinodedeployment) <= 6);
}

/* --- a template that the nodes refuse ----------------------------------------------------------
 */

#define TO_PUBLISH(generation)                                                                     \
    "{spec: {template: {spec: {fullNode: {snapshotGeneration: " generation "}}}}}"

/* It stops no pod, so all are asked at once. */
TEST(a_spec_that_nodes_cannot_apply_leaves_the_fleet_not_ready)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 13}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", TO_PUBLISH("{tendermint: {keepRecent: 1, publish: {}}}"));
    play_run(p, 60000);
    then_str(play_reason(p, "rpc-0", COND_STALLED), "InvalidSpec");
    then_str(play_fleet_reason(p, "rpc", COND_STALLED), "NodesStalled");
    then_str(play_fleet_condition(p, "rpc", COND_RECONCILING), "False");
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    then_str(play_fleet_condition(p, "rpc", COND_UP_TO_DATE), "False");
    play_edit_fleet(p, "rpc", TO_PUBLISH("null"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 0);
}
