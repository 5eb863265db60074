/* What a fleet is rolled to. A story is a line per moment (see land.h). */
#include "sei/plan/fleet_plan.h"

#include "base/rng.h"
#include "tests/sei/plan/land.h"

/* Asks, stores, and asks again: nothing may be new then. */
static void when(Land *l, char image, const char *words)
{
    FleetDecision *first;

    land_ask(l, image, words);
    first = l->d;
    l->status = fleet_status_encode(l->a, &l->d->status);
    land_ask(l, image, words);
    if (!first->news.started && !first->news.completed && !first->news.failed) {
        then_true(!l->d->news.started && !l->d->news.superseded && !l->d->news.completed);
        then_json(fleet_status_encode(l->a, &l->d->status), json_write(l->a, l->status).data);
    }
    for (size_t i = 0; i < first->batch.count; i++)
        then_int(l->d->verdicts[i], first->verdicts[i]);
    l->d = first;
}

static const char *writes(const Land *l)
{
    const char *text = "";

    for (size_t i = 0; i < l->d->batch.count; i++)
        if (l->d->verdicts[i] == BATCH_WRITE)
            text = str_format(l->a, "%s%zu", text, i);
    return text;
}

static void then_stored(const Land *l, const char *path, const char *want)
{
    then_str(json_str(l->status, path), want);
}

/* --- stories --- */

TEST(a_fleet_at_rest_records_its_revision_and_template_hash)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    then_true(!l.d->news.started && !l.d->news.completed && !l.d->frozen && !l.d->stall);
    then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    then_stored(&l, ".templateHash", fleet_template_hash(a, &l.fleet->spec));
    then_stored(&l, ".nodes[1].revision", revision_of(a, 'A'));
    then_stored(&l, ".nodes[1].phase", "Running");
    then_true(!json_find(l.status, ".rollout") && !json_find(l.status, ".plan"));
}

TEST(the_first_creation_of_nodes_is_not_a_rollout)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "An An");
    then_true(!l.d->news.started && !json_find(l.status, ".rollout"));
    then_stored(&l, ".completeRevision", NULL);
}

TEST(an_edit_is_rolled_out_node_by_node_until_it_completes)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->news.started && !l.d->news.superseded);
    then_str(writes(&l), "2");
    then_stored(&l, ".rollout.targetHash", fleet_template_hash(a, &l.fleet->spec));
    then_stored(&l, ".rollout.startedAt", "2026-01-02T03:04:05Z");
    then_stored(&l, ".rollout.nodes[0].state", "Pending");
    then_stored(&l, ".rollout.nodes[2].state", "Updating");
    then_stored(&l, ".rollout.nodes[2].updatedAt", "2026-01-02T03:04:05Z");
    then_json(json_find(l.status, ".plan"),
        str_format(a,
            "{id: 'plan-3', kind: 'rollout', cause: 'spec', startedAt: '2026-01-02T03:04:05Z',"
            " generation: 3, targetHash: '%s', phase: 'Active', tasks: [{type: 'update-node-specs',"
            " id: '%s', status: 'Pending', params: {groupName: 'rpc', namespace: 'sei',"
            " nodeNames: ['rpc-0', 'rpc-1', 'rpc-2']}}, {type: 'await-spec-update', id: '%s',"
            " status: 'Pending', params: {namespace: 'sei',"
            " nodeNames: ['rpc-0', 'rpc-1', 'rpc-2']}}]}",
            revision_of(a, 'B'),
            l.d->status.plan.tasks[0].id,
            l.d->status.plan.tasks[1].id));
    when(&l, 'B', "Aa Aa Bs");
    then_str(writes(&l), "");
    when(&l, 'B', "Aa Aa Ba");
    then_str(writes(&l), "1");
    when(&l, 'B', "Aa Ba Ba");
    then_str(writes(&l), "0");
    when(&l, 'B', "Bs Ba Ba");
    then_stored(&l, ".plan.tasks[0].status", "Complete");
    then_true(!l.d->news.completed);
    then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    when(&l, 'B', "Ba Ba Ba");
    then_true(l.d->news.completed);
    then_true(!json_find(l.status, ".rollout") && !json_find(l.status, ".plan"));
    then_stored(&l, ".completeRevision", revision_of(a, 'B'));
    then_stored(&l, ".templateHash", fleet_template_hash(a, &l.fleet->spec));
    then_stored(&l, ".history[0].result", "Complete");
    when(&l, 'B', "Ba Ba Ba");
    then_true(!l.d->news.started && !l.d->news.completed);
}

TEST(an_edit_during_a_rollout_supersedes_the_rollout)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);
    const char *old_hash;

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    old_hash = json_str(l.status, ".rollout.targetHash");
    l.now_s += 60;
    when(&l, 'C', "Aa Aa Bs");
    then_true(l.d->news.superseded && l.d->news.started);
    then_str(l.d->news.old_hash, old_hash);
    then_str(writes(&l), "2");
    then_stored(&l, ".history[0].result", "Superseded");
    then_stored(&l, ".rollout.startedAt", "2026-01-02T03:05:05Z");
    then_true(!str_eq(json_str(l.status, ".rollout.targetHash"), old_hash));
}

/* An edit back is an edit like any other, however far things have gone. */
TEST(an_edit_can_be_reverted_at_any_point_of_its_rollout)
{
    static const struct {
        const char *name, *words, *writes;
    } moments[] = {
        {"nothing written", "Aa Aa Aa", ""},
        {"one is on its way", "Aa Aa Bs", "2"},
        {"one has arrived", "Aa Aa Ba", "2"},
        {"two have arrived", "Aa Ba Ba", "2"},
        {"two have arrived, and one is unready", "Aa Bs Ba", "1"},
        {"all were written", "Bs Ba Ba", "0"},
        {"one is unready for long", "Aa Aa Bh", "2"},
    };

    each_case(i, moments) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);
        when(&l, 'A', "Aa Aa Aa");
        when(&l, 'B', "Aa Aa Aa");
        when(&l, 'B', moments[i].words);
        when(&l, 'A', moments[i].words);
        then_true(l.d->news.superseded);
        then_str(writes(&l), moments[i].writes);
        when(&l, 'A', "Aa Aa Aa");
        then_true(l.d->news.completed && !json_find(l.status, ".rollout"));
        then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    }
}

TEST(a_bad_image_stops_the_rollout_and_its_revert_begins_with_the_broken_node)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    for (int minutes = 1; minutes < 25; minutes++) {
        l.now_s += 60;
        when(&l, 'B', "Aa Aa Bh");
        then_str(writes(&l), "");
    }
    when(&l, 'A', "Aa Aa Bh");
    then_str(writes(&l), "2");
}

TEST(a_partition_rolls_out_a_canary_that_is_promoted_by_lowering_the_partition)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {updateStrategy: {partition: 2}}}");

    l.patch = NULL;
    when(&l, 'A', "Aa Aa Aa");
    l.patch = "{spec: {updateStrategy: {partition: 2}}}";
    when(&l, 'B', "Aa Aa Aa");
    then_str(writes(&l), "2");
    then_json(json_find(l.status, ".plan.tasks[1].params.nodeNames"), "['rpc-2']");
    when(&l, 'B', "Aa Aa Ba");
    then_true(l.d->news.completed);
    then_stored(&l, ".completeRevision", revision_of(a, 'A')); /* not every node has reached it */
    when(&l, 'B', "Aa Aa Ba");
    then_true(!l.d->news.started);
    l.patch = NULL;
    when(&l, 'B', "Aa Aa Ba");
    then_true(l.d->news.started);
    then_str(writes(&l), "1");
}

TEST(a_paused_child_is_skipped_and_rolled_out_after_it_is_resumed)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {updateStrategy: {maxUnavailable: 2}}}");

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Ap Ba Ba");
    then_true(!l.d->news.started);
    then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    when(&l, 'B', "Aa Ba Ba");
    then_true(l.d->news.started);
    then_str(writes(&l), "0");
}

TEST(a_child_that_was_edited_by_hand_is_rolled_back_to_the_template)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'A', "Aa Xa Aa");
    then_true(l.d->news.started);
    then_str(writes(&l), "1");
    when(&l, 'A', "Aa Aa Aa");
    then_true(l.d->news.completed);
}

TEST(a_hold_stops_the_rollout_and_the_rollout_resumes_after_the_hold_is_removed)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    l.patch = "{spec: {updateStrategy: {hold: true}}}";
    when(&l, 'B', "Aa Aa Ba");
    then_str(writes(&l), "");
    then_stored(&l, ".rollout.nodes[0].message", "waits: updateStrategy.hold is set");
    l.patch = NULL;
    when(&l, 'B', "Aa Aa Ba");
    then_str(writes(&l), "1");
}

/* --- failure --- */

static void roll_until_overdue(Land *l)
{
    when(l, 'A', "Aa Aa Aa");
    when(l, 'B', "Aa Aa Aa");
    l->now_s += 1799;
    when(l, 'B', "Aa Aa Bs");
    then_true(!l->d->news.failed);
    then_int(l->d->look_again_ms, 1000);
    l->now_s += 1;
    when(l, 'B', "Aa Aa Bs");
    then_true(l->d->news.failed);
}

TEST(a_wall_clock_that_jumps_ahead_does_not_exceed_the_progress_deadline)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Bs");
    l.jump_s = 7200;
    l.now_s += 7200 + 60;
    when(&l, 'B', "Aa Aa Bs");
    then_true(!l.d->news.failed);
    then_true(l.d->look_again_ms > 0);
    l.now_s += 1740;
    when(&l, 'B', "Aa Aa Bs");
    then_true(l.d->news.failed);
}

TEST(a_restarted_operator_measures_the_progress_deadline_from_its_start)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Bs");
    l.now_s += 1799;
    l.noted.progress_at_ms = 0;
    when(&l, 'B', "Aa Aa Bs");
    l.now_s += 1799;
    when(&l, 'B', "Aa Aa Bs");
    then_true(!l.d->news.failed);
    l.now_s += 1;
    when(&l, 'B', "Aa Aa Bs");
    then_true(l.d->news.failed);
}

TEST(a_rollout_without_progress_is_held_at_its_deadline)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    roll_until_overdue(&l);
    then_str(writes(&l), "");
    then_true(strstr(l.d->stall, "made no progress for 1800 s and is held") != NULL);
    then_stored(&l,
        ".rollout.nodes[0].message",
        "waits: the rollout has stopped at its progress deadline; edit the template, or set the "
        "annotation sei.io/retry of the fleet to a new value");
    then_stored(&l, ".rollout.failedHash", revision_of(a, 'B'));
    when(&l, 'B', "Aa Aa Ba"); /* it came after all: a person decides */
    then_str(writes(&l), "");
    then_true(l.d->stall != NULL);
    l.patch = "{metadata: {annotations: {'sei.io/retry': '1'}}}";
    when(&l, 'B', "Aa Aa Ba");
    then_str(writes(&l), "1");
    then_str(l.d->stall, NULL);
    then_stored(&l, ".rollout.failedHash", NULL);
    l.now_s += 1000;
    when(&l, 'B', "Aa Bs Ba");
    then_true(!l.d->news.failed);
}

TEST(written_and_available_nodes_count_as_progress_of_a_rollout)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    l.now_s += 1500;
    when(&l, 'B', "Aa Aa Ba"); /* writes the next one */
    l.now_s += 1500;
    when(&l, 'B', "Aa Bs Ba");
    then_true(!l.d->news.failed);
    l.now_s += 300;
    when(&l, 'B', "Aa Bs Ba");
    then_true(l.d->news.failed);
}

TEST(a_failed_rollout_is_rolled_back_if_on_failure_asks_for_it)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {updateStrategy: {onFailure: 'Rollback'}}}");

    roll_until_overdue(&l);
    then_true(l.d->news.rolled_back && l.d->news.started && l.d->target_is_complete_revision);
    then_str(l.d->target, revision_of(a, 'A'));
    then_str(writes(&l), "2");
    then_stored(&l, ".plan.cause", "rollback");
    then_stored(&l, ".history[0].result", "Failed");
    then_stored(&l, ".rollout.failedHash", revision_of(a, 'B'));
    when(&l, 'B', "Aa Aa As");
    then_str(writes(&l), "");
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->news.completed);
    then_stored(&l, ".history[1].result", "Complete");
    then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    for (int i = 0; i < 3; i++) {
        l.now_s += 3600;
        when(&l, 'B', "Aa Aa Aa"); /* not tried again */
        then_true(!l.d->news.started && !json_find(l.status, ".plan"));
        then_true(strstr(l.d->stall, "was rolled back") != NULL);
    }
    when(&l, 'C', "Aa Aa Aa");
    then_true(l.d->news.started && !l.d->stall);
    then_str(writes(&l), "2");
    then_stored(&l, ".rollout.failedHash", NULL);
}

TEST(a_rolled_back_template_is_tried_again_on_a_retry_and_forgotten_when_reverted)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {updateStrategy: {onFailure: 'Rollback'}}}");

    roll_until_overdue(&l);
    when(&l, 'B', "Aa Aa Aa");
    Land back = l;
    when(&back, 'A', "Aa Aa Aa");
    when(&back, 'A', "Aa Aa Aa");
    then_true(!json_find(back.status, ".rollout") && !json_find(back.status, ".plan"));
    l.patch = "{metadata: {annotations: {'sei.io/retry': '1'}},"
              " spec: {updateStrategy: {onFailure: 'Rollback'}}}";
    when(&l, 'B', "Aa Aa Aa");
    then_str(writes(&l), "2");
    then_str(l.d->target, revision_of(a, 'B'));
}

TEST(a_failed_rollout_without_a_complete_revision_is_held_and_not_rolled_back)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {updateStrategy: {onFailure: 'Rollback'}}}");

    when(&l, 'A', "An Aa");
    when(&l, 'B', "An Aa");
    l.now_s += 1800;
    when(&l, 'B', "Bn Aa");
    then_true(l.d->news.failed && !l.d->news.rolled_back);
    then_true(strstr(l.d->stall, "is held") != NULL);
}

TEST(a_retry_of_a_rollout_has_a_progress_deadline_of_its_own)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    roll_until_overdue(&l);
    l.patch = "{metadata: {annotations: {'sei.io/retry': '1'}}}";
    when(&l, 'B', "Aa Aa Bs");
    then_true(!l.d->news.failed && !l.d->stall);
    l.now_s += 1800;
    when(&l, 'B', "Aa Aa Bs");
    then_true(l.d->news.failed);
}

TEST(a_node_that_becomes_available_counts_as_progress)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {updateStrategy: {maxUnavailable: 2}}}");

    when(&l, 'A', "Aa Aa");
    when(&l, 'B', "Aa Aa");
    then_str(writes(&l), "01");
    l.now_s += 1800;
    when(&l, 'B', "Bu Bs"); /* a second ago */
    then_true(!l.d->news.failed);
    then_int(l.d->look_again_ms, 59000); /* when the sick one might count as halted */
}

/* It is set up for hours, and holds the others up for as long; the template is none the worse. */
TEST(a_node_that_the_rollout_did_not_write_does_not_exceed_the_progress_deadline)
{
    static const struct {
        const char *name, *before, *made, *arrived, *next, *stuck;
    } cases[] = {
        {"made by an edit of the replicas", "Aa Aa", "Aa Aa Bn", "Aa Aa Ba", "1", "Aa Bs Ba"},
        {"recreated before its turn", "Aa Aa Aa", "Aa Bn Aa", "Aa Ba Aa", "2", "Aa Ba Bs"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);
        when(&l, 'A', cases[i].before);
        when(&l, 'B', cases[i].made);
        for (int hours = 0; hours < 3; hours++) {
            l.now_s += 3600;
            when(&l, 'B', cases[i].made);
            then_str(writes(&l), "");
            then_true(!l.d->news.failed);
        }
        when(&l, 'B', cases[i].arrived);
        then_str(writes(&l), cases[i].next);
        l.now_s += 1799;
        when(&l, 'B', cases[i].stuck);
        then_true(!l.d->news.failed);
        l.now_s += 1;
        when(&l, 'B', cases[i].stuck);
        then_true(l.d->news.failed);
    }
}

TEST(a_canary_that_becomes_unready_when_it_is_promoted_does_not_exceed_the_deadline)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    l.patch = "{spec: {updateStrategy: {partition: 2}}}";
    when(&l, 'B', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Ba");
    then_true(l.d->news.completed);
    l.patch = NULL;
    when(&l, 'B', "Aa Aa Bs");
    then_true(l.d->news.started);
    l.now_s += 3600;
    when(&l, 'B', "Aa Aa Bs");
    then_true(!l.d->news.failed);
}

TEST(a_node_that_was_recreated_after_it_was_written_does_not_exceed_the_deadline)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Bs");
    l.now_s += 10;
    l.made_s = l.now_s; /* before anybody had stored that it was gone */
    when(&l, 'B', "Aa Aa Bn");
    then_stored(&l, ".rollout.nodes[2].updatedAt", NULL);
    l.now_s += 3600;
    when(&l, 'B', "Aa Aa Bn");
    then_true(!l.d->news.failed);
}

/* Edited on hold, to something else and back: nobody is written, and one does not come up. */
TEST(the_deadline_of_a_node_that_a_superseded_rollout_wrote_starts_with_the_new_rollout)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    l.patch = "{spec: {updateStrategy: {hold: true}}}";
    when(&l, 'C', "Aa Aa Bs");
    l.now_s += 1000;
    when(&l, 'B', "Aa Aa Bs");
    l.now_s += 1799;
    when(&l, 'B', "Aa Aa Bs");
    then_true(!l.d->news.failed);
    l.now_s += 1;
    when(&l, 'B', "Aa Aa Bs");
    then_true(l.d->news.failed);
}

/* The last operator was away before it wrote anybody, or before anything came of it. */
TEST(the_time_without_a_running_operator_does_not_count_towards_the_deadline)
{
    static const char *const moments[] = {"Aa Aa Aa", "Aa Aa Bs"};

    for (size_t i = 0; i < array_count(moments); i++) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);
        when(&l, 'A', "Aa Aa Aa");
        when(&l, 'B', "Aa Aa Aa");
        l.now_s += 3600;
        l.working_since_s = l.now_s;
        when(&l, 'B', moments[i]);
        then_true(!l.d->news.failed);
        l.now_s += 1799;
        when(&l, 'B', "Aa Aa Bs");
        then_true(!l.d->news.failed);
        l.now_s += 1;
        when(&l, 'B', "Aa Aa Bs");
        then_true(l.d->news.failed);
    }
}

TEST(repeating_the_same_write_does_not_count_as_progress)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa Aa");
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->writes_anew);
    for (int minutes = 1; minutes < 30; minutes++) {
        l.now_s += 60;
        when(&l, 'B', "Aa Aa Aa");
        then_str(writes(&l), "2");
        then_true(!l.d->writes_anew && !l.d->news.failed);
        then_stored(&l, ".rollout.nodes[2].updatedAt", "2026-01-02T03:04:05Z");
    }
    then_int(l.d->look_again_ms, 60000);
    l.now_s += 60;
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->news.failed);
    l.now_s += 60;
    l.patch = "{metadata: {annotations: {'sei.io/retry': '1'}}}";
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->writes_anew && !l.d->news.failed);
}

/* By hand, long after the rollout had reached it. */
TEST(a_node_that_must_be_written_again_gets_a_deadline_again)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa");
    when(&l, 'B', "Aa Aa");
    when(&l, 'B', "Aa Ba");
    l.now_s += 60;
    when(&l, 'B', "Bs Ba");
    l.now_s += 1700;
    when(&l, 'B', "Ba Xa");
    then_str(writes(&l), "1");
    l.now_s += 100;
    when(&l, 'B', "Ba Xa");
    then_true(!l.d->news.failed);
}

/* --- what is not ours to move --- */

TEST(a_fleet_that_is_paused_or_deleted_or_stalled_writes_no_child)
{
    static const struct {
        const char *name, *patch, *status;
        const char *stall;
    } cases[] = {
        {"paused", "{spec: {paused: true}}", "{}", NULL},
        {"being deleted", "{metadata: {deletionTimestamp: '2026-01-02T03:04:05Z'}}", "{}", NULL},
        {"a plan of a later version",
            "{}",
            "{plan: {id: 'p', kind: 'dance', phase: 'Active', tasks: []}}",
            "status.plan p has a kind"},
        {"a task of a later version",
            "{}",
            "{plan: {id: 'p', kind: 'rollout', phase: 'Active', tasks: [{type: 'jump', id: 'a',"
            " status: 'Pending'}]}}",
            "is left alone"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, cases[i].patch);
        l.status = json_fixture(a, cases[i].status);
        when(&l, 'B', "Aa As Aa");
        then_true(l.d->frozen && !l.d->news.started);
        then_str(writes(&l), "");
        then_true(!json_find(l.status, ".rollout"));
        then_true(json_equal(
            json_find(l.status, ".plan"), json_find(json_fixture(a, cases[i].status), ".plan")));
        then_int(l.d->stall != NULL, cases[i].stall != NULL);
        then_true(!cases[i].stall || strstr(l.d->stall, cases[i].stall));
    }
}

TEST(an_edit_made_while_the_fleet_is_paused_is_rolled_out_after_the_pause)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa Aa");
    l.patch = "{spec: {paused: true}}";
    when(&l, 'B', "Ap Ap");
    l.patch = NULL;
    when(&l, 'B', "Aa Aa");
    then_true(l.d->news.started);
    then_str(writes(&l), "1");
}

static void given_pause(Land *l, const char *is_paused)
{
    char now[TIMESTAMP_SIZE];
    const Json *conds = json_fixture(l->a,
        str_format(l->a,
            "{conditions: [{type: 'Paused', status: '%s', reason: 'Paused',"
            " lastTransitionTime: '%s'}]}",
            is_paused,
            timestamp_format(l->now_s * 1000000000, now)));

    l->status = json_merge(l->a, l->status, conds);
}

TEST(a_rollout_waits_until_its_nodes_are_back_from_a_pause)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    when(&l, 'A', "Aa");
    when(&l, 'B', "Aa");
    when(&l, 'B', "Bs");
    given_pause(&l, "True");
    l.now_s += 3600;
    when(&l, 'B', "Bp"); /* spec.paused was removed, and nobody was told */
    then_true(l.d->frozen && !l.d->news.completed && !l.d->news.failed);
    then_true(l.d->look_again_ms > 0);
    then_stored(&l, ".completeRevision", revision_of(a, 'A'));
    given_pause(&l, "False");
    when(&l, 'B', "Bs");
    then_true(!l.d->frozen && !l.d->news.completed && !l.d->news.failed);
    l.now_s += 1799;
    when(&l, 'B', "Bs");
    then_true(!l.d->news.failed);
    l.now_s += 1;
    when(&l, 'B', "Bs");
    then_true(l.d->news.failed);
}

TEST(a_fleet_is_rolled_out_after_its_genesis_like_any_other_fleet)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{spec: {genesis: {chainId: 'g'}}}");

    l.status = json_fixture(
        a, "{conditions: [{type: 'GenesisCeremonyComplete', status: 'True', reason: 'Complete'}]}");
    when(&l, 'B', "Aa Aa");
    then_str(writes(&l), "1");
}

/* --- the reference's fleets --- */

static void given_reference(Land *l, char image, const char *rest)
{
    land_read_fleet(l, image, 3);
    l->status = json_fixture(l->a,
        str_format(l->a,
            "{templateHash: '%s', phase: 'Ready', incumbentNodes: ['rpc-0', 'rpc-1', 'rpc-2'],"
            " nodes: [{name: 'rpc-1', phase: 'Running'}, {name: 'rpc-0', phase: 'Running'}]%s}",
            fleet_template_hash(l->a, &l->fleet->spec),
            rest));
}

TEST(taking_over_a_fleet_from_the_go_operator_rolls_no_node)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    given_reference(&l, 'A', "");
    when(&l, 'A', "Da Da Aa");
    then_true(!l.d->news.started);
    then_stored(&l, ".nodes[0].adopted", revision_of(a, 'D'));
    then_stored(&l, ".nodes[0].revision", revision_of(a, 'A'));
    then_stored(&l, ".nodes[2].adopted", NULL);
    when(&l, 'A', "Da Da Aa");
    then_true(!l.d->news.started);
    when(&l, 'A', "Xa Da Aa"); /* a hand's edit is not what was taken over */
    then_str(writes(&l), "0");
}

TEST(an_edit_that_the_go_operator_has_not_seen_is_rolled_out)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    given_reference(&l, 'A', "");
    when(&l, 'B', "Aa Aa Aa");
    then_true(l.d->news.started);
    then_str(writes(&l), "2");
}

TEST(adopted_nodes_are_rolled_with_the_next_edit_and_with_its_revert)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    given_reference(&l, 'A', "");
    when(&l, 'A', "Da Da Da");
    when(&l, 'B', "Da Da Da");
    then_str(writes(&l), "2");
    when(&l, 'B', "Da Da Ba");
    then_str(writes(&l), "1");
    when(&l, 'A', "Da Da Ba");
    then_str(writes(&l), "2"); /* the others were never touched */
    when(&l, 'A', "Da Da Aa");
    then_true(l.d->news.completed);
    then_stored(&l, ".nodes[0].adopted", revision_of(a, 'D'));
}

/* Begun at START_S. */
static const char *given_rollout_of_reference(Land *l)
{
    const char *hash;

    land_read_fleet(l, 'B', 3);
    hash = fleet_template_hash(l->a, &l->fleet->spec);
    given_reference(l,
        'A',
        str_format(l->a,
            ", rollout: {targetHash: '%s', startedAt: '2026-01-02T03:04:05Z'}, plan: {id: 'p',"
            " phase: 'Active', tasks: [{type: 'update-node-specs', id: 'a', status: 'Complete'},"
            " {type: 'await-spec-update', id: 'b', status: 'Pending'}]}",
            hash));
    return hash;
}

TEST(a_rollout_of_the_go_operator_is_continued)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);
    const char *hash = given_rollout_of_reference(&l);

    when(&l, 'B', "Ba Bs Ba");
    then_true(!l.d->news.started && !l.d->news.superseded);
    then_str(writes(&l), "");
    then_stored(&l, ".plan.id", "p");
    then_stored(&l, ".plan.targetHash", revision_of(a, 'B'));
    when(&l, 'B', "Ba Ba Ba");
    then_true(l.d->news.completed);
    then_stored(&l, ".templateHash", hash);
    then_stored(&l, ".completeRevision", revision_of(a, 'B'));
}

TEST(a_rollout_of_the_go_operator_gets_its_deadline_from_the_time_of_the_takeover)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    given_rollout_of_reference(&l);
    l.now_s += 86400;
    when(&l, 'B', "Aa Bs Ba");
    then_true(!l.d->news.failed && !l.d->stall);
    l.now_s += 1799;
    when(&l, 'B', "Aa Bs Ba");
    then_true(!l.d->news.failed);
    l.now_s += 1;
    when(&l, 'B', "Aa Bs Ba");
    then_true(l.d->news.failed);
}

/* --- by lot --- */

/* What was decided is done: a node that is written stops, and comes back some time. */
static void carry_out(Land *l, SeededRng *rng, char image, char *words)
{
    for (size_t i = 0; i < l->d->batch.count; i++) {
        char *word = words + 3 * i;
        bool is_back = rng_below(&rng->port, 3) == 0;
        if (l->d->verdicts[i] == BATCH_WRITE) {
            word[0] = image;
            word[1] = 's';
        } else if (word[1] == 's' && is_back) {
            word[1] = 'a';
        }
    }
}

static size_t count_sick(const char *words)
{
    size_t sick = 0;

    for (; *words; words++)
        sick += *words == 's';
    return sick;
}

/* Now and then nothing of a decision is stored, as if the operator had died before, or nothing of
 * it is carried out, as if it had died after. */
static void live_one_moment(Land *l, SeededRng *rng, char image, char *words)
{
    uint64_t death = rng_below(&rng->port, 10);

    l->now_s += 5;
    land_ask(l, image, words);
    if (death == 0)
        return;
    l->status = fleet_status_encode(l->a, &l->d->status);
    if (death == 1)
        return;
    carry_out(l, rng, image, words);
}

TEST(any_history_of_edits_ends_on_the_template_and_never_has_two_nodes_down)
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        SCOPED_ARENA a = arena_open(256 << 20);
        Land l = land(a, NULL);
        char words[] = "Aa Aa Aa Aa", image = 'A';
        SeededRng rng;
        rng_seed(&rng, seed);
        for (int moment = 0; moment < 200; moment++) {
            if (moment < 120 && rng_below(&rng.port, 8) == 0)
                image = (char)('A' + (char)rng_below(&rng.port, 3));
            live_one_moment(&l, &rng, image, words);
            then_true(count_sick(words) <= 1);
        }
        land_ask(&l, image, words);
        for (size_t i = 0; i < 4; i++)
            then_int(words[3 * i], image);
        then_true(!json_find(l.status, ".rollout") && !json_find(l.status, ".plan"));
        then_stored(&l, ".completeRevision", revision_of(a, image));
    }
}

TEST(a_rollout_attempt_is_identified_by_its_revision_and_its_retry_value)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(plan_fleet_attempt(a, "r", NULL), "r");
    then_true(!str_eq(plan_fleet_attempt(a, "r", "1"), "r"));
    then_true(!str_eq(plan_fleet_attempt(a, "r", "1"), plan_fleet_attempt(a, "r", "2")));
    then_true(!str_eq(plan_fleet_attempt(a, "r", "1"), plan_fleet_attempt(a, "s", "1")));
}
