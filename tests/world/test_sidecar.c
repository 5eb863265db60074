/* The sidecar's engine: what a submission does, what a restart does, who stands in whose way. */
#include "tests/test.h"
#include "tests/world/sidecar_rig.h"

#include "world/sidecar_tasks.h"

static void fail_next(SidecarRig *r, const char *type, int64_t count)
{
    r->script.rules[0] = (SidecarRule){.fail_count = count};
    snprintf(r->script.rules[0].type, sizeof r->script.rules[0].type, "%s", type);
    snprintf(r->script.rules[0].error, sizeof r->script.rules[0].error, "no luck");
}

TEST(a_submitted_task_runs_and_completes)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"full\"}");
    then_str(json_str(rig_get(&r, ID1), ".status"), "running");
    rig_run(&r, 1000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}

TEST(submitting_a_running_task_again_changes_nothing)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "snapshot-upload", NULL);
    rig_run(&r, 5000);
    const Json *before = rig_get(&r, ID1);
    rig_post(&r, ID1, "mark-ready", "{\"x\":1}");
    then_true(json_equal(rig_get(&r, ID1), before));
    rig_run(&r, 5000);
    then_true(!r.sidecar.is_ready);
    rig_close(&r);
}

TEST(submitting_a_completed_task_again_does_not_run_it)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_run(&r, 1000);
    const Json *before = rig_get(&r, ID1);
    rig_restart(&r);
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_run(&r, 1000);
    then_true(json_equal(rig_get(&r, ID1), before));
    then_true(!r.sidecar.is_ready);
    rig_post(&r, ID2, "mark-ready", NULL);
    rig_run(&r, 1000);
    then_true(r.sidecar.is_ready);
    rig_close(&r);
}

TEST(submitting_a_failed_task_again_runs_it_with_the_new_parameters)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"half\"}");
    rig_run(&r, 1000);
    then_str(json_str(rig_get(&r, ID1), ".error"), "invalid mode: \"half\"");
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"full\"}");
    const Json *again = rig_get(&r, ID1);
    then_str(json_str(again, ".status"), "running");
    then_int(json_int(again, ".run", 0), 2);
    then_str(json_str(again, ".params.mode"), "full");
    then_true(!json_member(again, "error") && !json_member(again, "completedAt"));
    rig_run(&r, 1000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}

TEST(a_sidecar_with_a_full_disk_accepts_no_task)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.volume.is_full = true;
    SidecarAnswer got = rig_ask(&r, "POST", "/v0/tasks", "{\"type\":\"mark-ready\"}");
    then_int(got.status, 400);
    then_str(rig_body(&r, &got), "{\"error\":\"persist task: database or disk is full (13)\"}\n");
    rig_close(&r);
}

TEST(the_number_of_concurrent_sidecar_tasks_is_limited)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    for (int i = 0; i < SIDECAR_RUNS_MAX; i++)
        rig_post(
            &r, str_format(r.arena, "00000000-0000-4000-8000-%012d", i), "snapshot-upload", NULL);
    then_int(rig_ask(&r, "POST", "/v0/tasks", "{\"type\":\"snapshot-upload\"}").status, 400);
    rig_close(&r);
}

TEST(the_readiness_of_a_sidecar_is_lost_when_it_restarts)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_run(&r, 1000);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 200);
    SidecarAnswer status = rig_ask(&r, "GET", "/v0/status", NULL);
    then_str(rig_body(&r, &status), "{\"status\":\"Ready\"}\n");
    rig_restart(&r);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 503);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}

TEST(a_failed_task_does_not_change_the_readiness_of_a_sidecar)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_run(&r, 1000);
    rig_post(&r, ID2, "config-apply", "{\"mode\":\"x\"}");
    rig_run(&r, 1000);
    then_true(r.sidecar.is_ready);
    rig_close(&r);
}

TEST(mark_not_ready_closes_the_gate_and_removes_mark_ready)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_run(&r, 1000);
    rig_post(&r, ID2, "mark-not-ready", NULL);
    rig_run(&r, 1000);
    then_true(!r.sidecar.is_ready);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" ID1, NULL).status, 404);
    then_str(json_str(rig_get(&r, ID2), ".status"), "completed");
    rig_close(&r);
}

/* --- restarts */

TEST(an_interrupted_task_runs_again_with_the_same_id_and_run_number)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "snapshot-restore", NULL);
    rig_run(&r, 10000);
    const Json *before = rig_get(&r, ID1);
    rig_restart(&r);
    then_true(json_equal(rig_get(&r, ID1), before));
    rig_run(&r, 200000);
    const Json *after = rig_get(&r, ID1);
    then_str(json_str(after, ".status"), "completed");
    then_int(json_int(after, ".run", 0), 1);
    then_str(json_str(after, ".submittedAt"), json_str(before, ".submittedAt"));
    rig_close(&r);
}

static const struct {
    const char *name;
    int version;
    const char *status, *error;
} stops[] = {
    {"v0.0.61 writes it as failed", 61, "failed", "context canceled"},
    {"v0.0.62 leaves it running", 62, "running", NULL},
};

TEST(sigterm_interrupts_a_running_task)
{
    each_case(i, stops) {
        SidecarRig r;
        rig_open(&r, "pacific-1");
        r.sidecar.version = stops[i].version;
        rig_post(&r, ID1, "snapshot-upload", NULL);
        rig_run(&r, 5000);
        sidecar_stop(&r.sidecar);
        sidecar_start(&r.sidecar, r.now_ms);
        then_str(json_str(rig_get(&r, ID1), ".status"), stops[i].status);
        then_str(json_str(rig_get(&r, ID1), ".error"), stops[i].error);
        rig_post(&r, ID1, "snapshot-upload", NULL);
        then_str(json_str(rig_get(&r, ID1), ".status"), "running");
        rig_close(&r);
    }
}

TEST(an_interrupted_mark_ready_opens_the_gate_after_a_restart)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_restart(&r);
    rig_run(&r, 1000);
    then_true(r.sidecar.is_ready);
    rig_close(&r);
}

TEST(a_mark_not_ready_task_supersedes_an_interrupted_mark_ready)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-not-ready", NULL);
    rig_run(&r, 1000);
    /* As if both had been submitted within one tick, the hold first. */
    TaskRow row = {.id = ID2,
        .type = "mark-ready",
        .status = ROW_RUNNING,
        .run = 1,
        .submitted_ns = task_store_find(r.volume.tasks, ID1)->submitted_ns};
    then_true(task_store_put(r.volume.tasks, &row));
    rig_restart(&r);
    rig_run(&r, 1000);
    then_str(json_str(rig_get(&r, ID2), ".error"), "superseded by hold");
    then_true(!r.sidecar.is_ready);
    rig_close(&r);
}

TEST(an_old_mark_not_ready_task_completes_before_the_first_request)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_run(&r, 1000);
    rig_post(&r, ID2, "mark-not-ready", NULL);
    rig_restart(&r);
    then_str(json_str(rig_get(&r, ID2), ".status"), "completed");
    then_int(rig_ask(&r, "GET", "/v0/tasks/" ID1, NULL).status, 404);
    rig_close(&r);
}

TEST(a_task_type_that_a_new_image_lacks_fails_at_the_restart)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.sidecar.version = 50;
    rig_post(&r, ID1, "discover-peers", "{\"sources\":[{\"type\":\"static\"}]}");
    r.sidecar.version = 70;
    rig_restart(&r);
    then_str(json_str(rig_get(&r, ID1), ".error"), "no handler registered for task type");
    rig_close(&r);
}

TEST(a_forgetful_sidecar_loses_completed_tasks_and_at_a_restart_all_tasks)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    r.script.temper = TEMPER_FORGETFUL;
    rig_post(&r, ID1, "mark-ready", NULL);
    rig_post(&r, ID2, "snapshot-upload", NULL);
    rig_run(&r, 1000);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" ID1, NULL).status, 404);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" ID2, NULL).status, 200);
    rig_restart(&r);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" ID2, NULL).status, 404);
    rig_close(&r);
}

/* --- hazards and rules */

TEST(two_tasks_on_one_volume_are_reported_as_a_hazard)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"full\"}");
    then_int(r.hazards.count, 0);
    rig_post(&r, ID2, "config-validate", NULL);
    then_int(r.hazards.count, 1);
    then_true(strstr(hazards_newest(&r.hazards), "config-validate") != NULL);
    rig_run(&r, 5000);
    rig_post(&r, ID3, "config-validate", NULL);
    then_int(r.hazards.count, 1);
    rig_close(&r);
}

TEST(a_task_that_may_run_beside_others_is_not_a_hazard)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "snapshot-upload", NULL);
    rig_post(&r, ID2, "config-apply", "{\"mode\":\"full\"}");
    then_int(r.hazards.count, 0);
    rig_close(&r);
}

TEST(a_script_makes_the_next_task_runs_fail_and_last_longer)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    fail_next(&r, "config-apply", 1);
    r.script.rules[0].takes_ms = 30000;
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"full\"}");
    rig_run(&r, 20000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "running");
    rig_run(&r, 20000);
    then_str(json_str(rig_get(&r, ID1), ".error"), "no luck");
    then_true(!volume_has(&r.volume, FILE_APP));
    rig_post(&r, ID1, "config-apply", "{\"mode\":\"full\"}");
    rig_run(&r, 40000);
    then_str(json_str(rig_get(&r, ID1), ".status"), "completed");
    rig_close(&r);
}

/* --- a naive model: what the store must say, whatever happens in whichever order */

typedef struct Model {
    bool exists;
    bool running, failed;
    int64_t run;
} Model;

TEST(the_simulated_task_store_behaves_like_its_model)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        SidecarRig r;
        SeededRng dice;
        Model models[4] = {0};
        rig_open(&r, "pacific-1");
        rng_seed(&dice, seed);
        for (int turn = 0; turn < 60; turn++) {
            size_t n = rng_below(&dice.port, 4);
            const char *id = str_format(r.arena, "00000000-0000-4000-8000-%012zu", n);
            Model *m = &models[n];
            switch (rng_below(&dice.port, 5)) {
            case 0: { /* a task that will fail, or one that will not */
                bool fails = rng_below(&dice.port, 2);
                rig_post(&r, id, "config-apply", fails ? "{\"mode\":\"\"}" : "{\"mode\":\"seed\"}");
                if (!m->exists || (!m->running && m->failed))
                    *m = (Model){true, true, fails, m->run + 1};
                break;
            }
            case 1:
                then_int(
                    rig_ask(&r, "DELETE", str_format(r.arena, "/v0/tasks/%s", id), NULL).status,
                    m->exists ? 204 : 404);
                *m = (Model){0};
                break;
            case 2:
                rig_run(&r, 60000);
                for (size_t i = 0; i < 4; i++)
                    models[i].running = false;
                break;
            case 3:
                rig_restart(&r);
                break;
            default:
                break;
            }
            for (size_t i = 0; i < 4; i++) {
                const TaskRow *row = task_store_find(
                    r.volume.tasks, str_format(r.arena, "00000000-0000-4000-8000-%012zu", i));
                then_int(row != NULL, models[i].exists);
                if (!row)
                    continue;
                then_int(row->run, models[i].run);
                then_int(row->status,
                    models[i].running      ? ROW_RUNNING
                        : models[i].failed ? ROW_FAILED
                                           : ROW_COMPLETED);
            }
        }
        rig_close(&r);
    }
}
