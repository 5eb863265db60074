/* Budgets of tasks: every failure of a sidecar is seen, counted and told; a task is tried again as
 * often as its budget says, and not once more. */
#include "base/str.h"
#include "sei/api/condition.h"
#include "tests/sim/play.h"
#include "tests/test.h"

#define NODE "rpc-0"

static void then_settled(Play *p)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
}

/* A full node whose sidecar fails so many runs of a task. */
static void given_failures(Play *p, const char *task, int count)
{
    play_order(p,
        str_format(play_arena(p), "fail-task sei/" NODE "-0 %s %d the moon is down", task, count));
    play_create_node(p, NODE, "{spec: {peers: [{static: {addresses: ['a@b:1']}}]}}");
}

static const PlannedTask *task_of(Play *p, const char *spelling)
{
    return plan_find_task((Plan *)&play_node(p, NODE)->status.plan, task_type_parse(spelling));
}

static const struct {
    const char *name; /* the task */
    int budget;
} budgets[] = {
    {"configure-genesis", 180},
    {"discover-peers", 20},
    {"config-apply", 0},
    {"config-validate", 0},
};

TEST(a_task_is_retried_up_to_its_last_retry)
{
    each_case(i, budgets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 60 + (uint64_t)i}});

        given_failures(p, budgets[i].name, budgets[i].budget);
        play_run(p, (int64_t)budgets[i].budget * 35000);
        then_settled(p);
        then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
        then_int(task_of(p, budgets[i].name)->retry_count, budgets[i].budget);
        then_str(task_of(p, budgets[i].name)->error, NULL);
        then_int(play_tasks_posted(p, budgets[i].name), 1); /* always under one id */
    }
}

static bool says(const char *text, const char *phrase)
{
    return text && strstr(text, phrase);
}

TEST(one_failure_beyond_the_retry_budget_ends_the_plan_and_is_reported_everywhere)
{
    each_case(i, budgets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 70 + (uint64_t)i}});
        const char *task = budgets[i].name;

        given_failures(p, task, budgets[i].budget + 1);
        play_run(p, (int64_t)budgets[i].budget * 35000);
        then_settled(p);
        const NodeStatus *status = &play_node(p, NODE)->status;
        const char *retries =
            budgets[i].budget ? str_format(play_arena(p), "(after %d", budgets[i].budget) : task;
        then_int(status->phase, PHASE_FAILED);
        then_int(status->plan.phase, PLAN_FAILED);
        then_str(status->plan.tasks[status->plan.failed_index].spelling, task);
        then_int(task_of(p, task)->retry_count, budgets[i].budget);
        then_int(task_of(p, task)->retries_max, budgets[i].budget);
        then_str(task_of(p, task)->error, "the moon is down");
        const char *message = status->history.items[0].message;
        then_true(says(message, "the moon is down") && says(message, retries));
        message = play_message(p, NODE, COND_STALLED);
        then_true(says(message, "the moon is down") && says(message, retries));
        then_int(play_tasks_posted(p, "mark-ready"), 0);

        play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': '1'}}}");
        then_settled(p);
        then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    }
}

static bool has_failed_twice(Play *p, const char *task)
{
    const PlannedTask *found = play_node(p, NODE)->status.has_plan ? task_of(p, task) : NULL;

    return found && found->retry_count == 2 && found->error;
}

TEST(a_task_failure_is_reported_while_the_task_is_retried)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 80}});

    given_failures(p, "configure-genesis", 3);
    then_true(play_until(p, has_failed_twice, "configure-genesis"));
    const char *want = str_format(play_arena(p),
        "configure-genesis: the moon is down (failing since %s; it is retried at least until ",
        task_of(p, "configure-genesis")->failing_since);
    then_true(str_has_prefix(play_message(p, NODE, COND_RECONCILING), want));
    then_true(str_has_prefix(play_node(p, NODE)->status.plan.waiting, want));
    then_str(play_condition(p, NODE, COND_READY), "False");
    then_settled(p);
    then_str(play_condition(p, NODE, COND_READY), "True");
}

TEST(a_restart_of_the_operator_keeps_the_retry_count_and_the_backoff)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 81}});

    given_failures(p, "discover-peers", 3);
    then_true(play_until(p, has_failed_twice, "discover-peers"));
    replica_crash(play_replica(p, 0));
    play_run(p, 10000); /* half of the pause */
    then_int(task_of(p, "discover-peers")->retry_count, 2);
    then_str(task_of(p, "discover-peers")->error, "the moon is down");
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    then_int(task_of(p, "discover-peers")->retry_count, 3);
}

/* --- tasks that need S3 or a peer --------------------------------------------------------------
 */

#define OUTAGE "network error accessing s3://b/k [hint: check DNS]"

static const struct {
    const char *name; /* the task */
    const char *node;
} remote_tasks[] = {
    {"snapshot-restore",
        "{spec: {peers: [{static: {addresses: ['a@b:1']}}],"
        " fullNode: {snapshot: {s3: {targetHeight: 900}}}}}"},
    {"configure-state-sync",
        "{spec: {peers: [{static: {addresses: ['a@b:1']}}],"
        " fullNode: {snapshot: {stateSync: {}, trustPeriod: '168h0m0s'}}}}"},
};

static void given_remote_failures(Play *p, size_t i, int count, const char *error)
{
    Arena *a = play_arena(p);
    const char *task = remote_tasks[i].name;

    play_order(p, str_format(a, "task-takes sei/" NODE "-0 %s 1000", task));
    play_order(p, str_format(a, "fail-task sei/" NODE "-0 %s %d %s", task, count, error));
    play_create_node(p, NODE, remote_tasks[i].node);
}

TEST(an_outage_of_a_few_minutes_delays_an_init_and_changes_the_message_once)
{
    each_case(i, remote_tasks) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 90 + (uint64_t)i}});

        given_remote_failures(p, (size_t)i, 5, OUTAGE);
        then_true(play_until(p, has_failed_twice, remote_tasks[i].name));
        const char *message = str_copy(play_arena(p), play_message(p, NODE, COND_RECONCILING));
        then_true(says(message, OUTAGE " (failing since "));
        play_run(p, 60000);
        then_str(play_message(p, NODE, COND_RECONCILING), message);
        then_settled(p);
        then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
        then_int(play_tasks_posted(p, remote_tasks[i].name), 1); /* always under one id */
    }
}

TEST(a_permanent_failure_ends_an_init_without_a_retry)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 95}});

    given_remote_failures(p, 0, 0, "none");
    play_patch(p,
        kind_seinode,
        NODE,
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}}"); /* older than the bucket's */
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_FAILED);
    then_int(task_of(p, "snapshot-restore")->retry_count, 0);
    then_true(says(play_message(p, NODE, COND_STALLED), "no snapshot found at or below height 5"));
}

/* --- a volume that was prepared for something else --- */

static const Volume *volume_of_node(Play *p)
{
    return kubelet_find(play_kubelet(p), (Key){PLAY_NAMESPACE, NODE "-0"})->volume;
}

static Chain *chain_of(Play *p, const char *id)
{
    return outside_chain(kubelet_outside(play_kubelet(p)), id);
}

/* A node whose init has failed at config-apply. */
static void given_failed_config(Play *p, const char *spec)
{
    play_order(p, "fail-task sei/" NODE "-0 config-apply 1 the moon is down");
    play_create_node(p, NODE, spec);
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_FAILED);
}

static void then_needs_reset(Play *p, const char *phrase)
{
    play_run(p, 60000);
    then_str(play_reason(p, NODE, COND_STALLED), "NeedsReset");
    then_true(says(play_message(p, NODE, COND_STALLED), phrase));
    then_int(play_node(p, NODE)->status.phase, PHASE_FAILED);
}

static void when_data_is_reset(Play *p)
{
    play_order(p, "empty-disk sei/" NODE "-0");
    play_patch(p, kind_seinode, NODE, "{metadata: {annotations: {'sei.io/retry': 'reset'}}}");
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
}

TEST(a_node_never_runs_on_the_genesis_of_the_chain_id_before_its_correction)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 83}});

    given_failed_config(p, "{spec: {chainId: 'pacific-1'}}");
    play_patch(p,
        kind_seinode,
        NODE,
        "{metadata: {annotations: {'sei.io/retry': '1'}}, spec: {chainId: 'atlantic-2'}}");
    then_needs_reset(p, "done on the data volume for chain pacific-1");
    then_str(volume_of_node(p)->genesis_chain, "pacific-1");

    when_data_is_reset(p);
    then_str(volume_of_node(p)->genesis_chain, "atlantic-2");
}

TEST(a_chain_id_edit_that_is_reverted_needs_no_reset)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 84}});

    given_failed_config(p, "{spec: {chainId: 'pacific-1'}}");
    play_patch(p, kind_seinode, NODE, "{spec: {chainId: 'atlantic-2'}}");
    then_needs_reset(p, "the spec now asks for chain atlantic-2");
    play_patch(p,
        kind_seinode,
        NODE,
        "{metadata: {annotations: {'sei.io/retry': '1'}}, spec: {chainId: 'pacific-1'}}");
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    then_str(volume_of_node(p)->genesis_chain, "pacific-1");
}

#define FROM_HEIGHT(height)                                                                        \
    "{spec: {peers: [{static: {addresses: ['a@b:1']}}], fullNode: {snapshot: {s3:"                 \
    " {targetHeight: " height "}}}}}"

TEST(a_node_never_runs_on_a_snapshot_of_another_height_than_requested)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 85}});

    chain_of(p, "pacific-1")->snapshot_height = 40;
    given_failed_config(p, FROM_HEIGHT("40"));
    chain_of(p, "pacific-1")->snapshot_height = 95;
    play_patch(p, kind_seinode, NODE, FROM_HEIGHT("95"));
    then_needs_reset(p, "up to height 40");
    then_int(volume_of_node(p)->snapshot_height, 40);

    when_data_is_reset(p);
    then_int(volume_of_node(p)->snapshot_height, 95);
}

TEST(a_height_that_is_edited_during_the_restore_is_reported_as_not_applied)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 86}});

    chain_of(p, "pacific-1")->snapshot_height = 40;
    play_create_node(p, NODE, FROM_HEIGHT("40"));
    play_run(p, 60000); /* it takes two minutes */
    then_int(volume_of_node(p)->snapshot_height, 0);
    then_int(play_tasks_posted(p, "snapshot-restore"), 1);
    play_patch(p, kind_seinode, NODE, FROM_HEIGHT("95"));
    play_run(p, 300000);
    then_str(play_reason(p, NODE, COND_STALLED), "NeedsReset");
    then_int(play_tasks_posted(p, "mark-ready"), 0);

    chain_of(p, "pacific-1")->snapshot_height = 95;
    when_data_is_reset(p);
    then_int(volume_of_node(p)->snapshot_height, 95);
}

TEST(a_mistyped_chain_id_without_a_genesis_is_corrected_without_a_reset)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 87}});

    play_create_node(p, NODE, "{spec: {chainId: 'pacfic-1'}}");
    then_true(play_until(p, has_failed_twice, "configure-genesis"));
    play_patch(p, kind_seinode, NODE, "{spec: {chainId: 'pacific-1'}}");
    then_settled(p);
    then_int(play_node(p, NODE)->status.phase, PHASE_RUNNING);
    then_str(volume_of_node(p)->genesis_chain, "pacific-1");
}
