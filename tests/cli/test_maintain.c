/* maintain: what it does to a node, what it says, and how it ends. */
#include "tests/cli/maintain_play.h"

TEST(maintain_runs_a_command_on_the_volume_and_the_node_runs_again)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_said(t, "node/n: the command succeeded; the node is unpaused");
    then_true(!strstr(talked(t), "taken note of it"));
    then_talked(t, "pauses the node");
    then_talked(t, "waits until the volume is free: pod n-0 has volume data-n");
    then_talked(t, "next: kubectl sei rollout status node/n");
    then_int(s.starts, 1);
    then_true(!is_marked(&s) && !is_paused(&s));
    stage_turn(&s);
    stage_turn(&s);
    then_true(find(&s, kind_pod, "n-0") != NULL);
}

TEST(the_maintenance_job_mounts_only_the_volume_of_the_node_as_seid_does)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    then_int(type(t, MAINTAIN), EXIT_FINE);

    const Json *job = only_job(&s), *pod = json_find(job, ".spec.template.spec");
    const Json *container = json_find(pod, ".containers[0]");
    then_json(json_find(container, ".command"), "['fix', '--all']");
    then_str(json_str(container, ".image"), "tool:1");
    then_json(json_find(container, ".volumeMounts"), "[{name: 'data', mountPath: '/.sei'}]");
    then_int(json_int(container, ".securityContext.runAsUser", 0), 65532);
    then_int((int)json_count(json_find(pod, ".volumes")), 1);
    then_str(json_str(pod, ".volumes[0].persistentVolumeClaim.claimName"), "data-n");
    then_int(json_int(pod, ".securityContext.fsGroup", 0), 65532);
    then_str(json_str(pod, ".nodeSelector.disk"), "fast");
    then_true(!json_bool(pod, ".automountServiceAccountToken", true));
    then_int(json_int(job, ".spec.backoffLimit", 6), 0);
    then_int(json_int(job, ".spec.ttlSecondsAfterFinished", 0), 86400);
    then_str(json_str(job, ".metadata.ownerReferences[0].name"), "n");
    then_str(meta_label(json_find(job, ".spec.template"), "sei.io/node"), NULL);
    then_str(meta_label(job, LABEL_MAINTENANCE_OF), "n");
}

TEST(a_failed_maintenance_command_leaves_the_node_paused)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->fails = true;

    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    then_talked(t, "the command failed (exit code 3); the node stays paused");
    then_talked(t, "next: kubectl logs -n default job/n-maintain-");
    then_talked(t, "next: kubectl sei maintain node/n --abort");
    then_true(is_marked(&s) && is_paused(&s));
    then_true(!json_find(only_job(&s), ".spec.ttlSecondsAfterFinished"));
    then_int(type(t, "maintain n --resume"), EXIT_UNHEALTHY);
    then_int(s.starts, 1);

    then_int(type(t, "maintain n --abort"), EXIT_FINE);
    then_said(t, "the run is given up; the node is unpaused");
    then_true(!is_marked(&s) && !is_paused(&s));
}

TEST(a_new_maintenance_run_follows_a_failed_one)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->fails = true;
    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    s.fails = false;

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_int(s.starts, 2);
    then_true(!is_marked(&s) && !is_paused(&s));
    const Json *job, *jobs = list_of(&s, kind_job);
    json_each(job, jobs)
        then_int(json_int(job, ".spec.ttlSecondsAfterFinished", 0), 86400);
}

TEST(unpause_always_resumes_the_node_after_a_failed_command)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->fails = true;

    then_int(type(t, "maintain n --image tool:1 --unpause-always"), EXIT_UNHEALTHY);
    then_talked(t, "the command failed (exit code 3); the node is unpaused");
    then_true(!is_marked(&s) && !is_paused(&s));
    then_true(!json_find(only_job(&s), ".spec.template.spec.containers[0].command"));
}

TEST(a_node_that_was_paused_before_maintenance_stays_paused)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{spec: {paused: true}}");

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_said(t, "the command succeeded; the node stays paused, as was asked for");
    then_talked(t, "next: kubectl sei unpause node/n    lets it run again");
    then_true(!strstr(talked(t), "rollout status"));
    then_true(!is_marked(&s) && is_paused(&s));
    s.fails = true;
    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY); /* the next one knows it from the one before */
    then_int(type(t, "maintain n --abort"), EXIT_FINE);
    then_true(!is_marked(&s) && is_paused(&s));
}

TEST(a_second_maintain_prints_the_user_and_the_start_of_the_running_one)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->starts_bad = true;

    then_int(type(t, "maintain n --timeout 20s --image tool:1"), EXIT_TIMED_OUT);
    then_int(type(t, MAINTAIN), EXIT_MISUSED);
    then_talked(t, "node/n is in maintenance by person since 2026-01-01T00:00:0");
    then_talked(t, "image tool:1");
    then_talked(t, "next: kubectl sei maintain node/n --resume");
    then_int(t->writes, 1); /* who am I */
    given_patch(t,
        kind_seinode,
        "n",
        "status",
        "{status: {conditions: [{type: 'Ready', status: 'False', reason: 'Paused', message: 'x',"
        " lastTransitionTime: '2026-01-01T00:00:00Z'}, {type: 'Paused', status: 'True', reason: "
        "'Maintenance', message: 'x', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    then_int(type(t, "status node/n"), EXIT_UNHEALTHY);
    then_said(t, "kubectl sei maintain n --resume");
    then_int(type(t, "unpause node/n"), EXIT_MISUSED);
    then_talked(t, "is in maintenance by person since");
    then_true(is_paused(&s));
}

TEST(maintain_ends_at_its_timeout)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->is_asleep = true;

    then_int(type(t, "maintain n --image tool:1 --timeout 5s"), EXIT_TIMED_OUT);
    then_talked(t, "not done after the time of --timeout: waits for the operator to hold the node");
    then_talked(t, "next: kubectl sei maintain node/n --resume");
    then_int((int)json_count(list_of(&s, kind_job)), 0);
    s.is_asleep = false;
    then_int(type(t, "maintain n --resume"), EXIT_FINE);
    then_int(s.starts, 1);
}

TEST(maintain_reports_why_the_operator_does_not_pause_the_node)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->refuses = true;

    then_int(type(t, "maintain n --image tool:1 --timeout 5s"), EXIT_TIMED_OUT);
    then_talked(t, "waits for the operator to hold the node: runs on: .spec.image is empty");
    then_true(find(&s, kind_pod, "n-0") != NULL);
    s.refuses = false;
    then_int(type(t, "maintain n --resume"), EXIT_FINE);
    then_int(s.starts, 1);
}

TEST(an_unreadable_maintenance_annotation_must_be_removed_by_a_user)
{
    static const char *const lines[] = {
        MAINTAIN, "maintain n --resume", "maintain n --abort", "unpause node/n", "pause node/n"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t,
            &s,
            "{metadata: {annotations: {'sei.io/maintenance': 'yes'}}, spec: {paused: true}}");

        then_int(type(t, lines[i]), EXIT_MISUSED);
        then_talked(t, "node/n: the annotation sei.io/maintenance cannot be read, and holds");
        then_true(is_marked(&s) && is_paused(&s));
        then_int((int)json_count(list_of(&s, kind_job)), 0);
    }
}

/* Git takes the pause back; the mark holds the node. */
static void unpause_at_nap_3(Terminal *t, int naps)
{
    if (naps == 3)
        given_patch(t, kind_seinode, "n", NULL, "{spec: {paused: false}}");
    stage_turn(at_work);
}

TEST(an_unpause_during_maintenance_starts_no_seid_beside_the_command)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    t->during = unpause_at_nap_3;

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_true(!is_marked(&s) && !is_paused(&s));
    then_int(s.starts, 1);
}

static const struct {
    const char *name, *before, *said;
} pauses[] = {
    {"at work", NULL, "node/n is in maintenance by person since "},
    {"once more", "pause node/n", "node/n is paused, and in maintenance by person since "},
    {"put back by Git", "{spec: {paused: false}}", "node/n is in maintenance by person since "},
};

TEST(a_pause_during_maintenance_stays_after_the_run)
{
    each_case(i, pauses) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}")->starts_bad = true;
        then_int(type(t, "maintain n --timeout 20s --image tool:1"), EXIT_TIMED_OUT);
        if (pauses[i].before && pauses[i].before[0] == '{')
            given_patch(t, kind_seinode, "n", NULL, pauses[i].before);
        else if (pauses[i].before)
            then_int(type(t, pauses[i].before), EXIT_FINE);

        then_int(type(t, "pause node/n"), EXIT_FINE);
        then_said(t, pauses[i].said);
        then_said(t, ": it stays paused when that ends");
        then_true(is_marked(&s) && is_paused(&s));
        s.starts_bad = false;
        then_int(type(t, "maintain n --resume"), EXIT_FINE);
        then_said(t, "the command succeeded; the node stays paused, as was asked for");
        then_true(!is_marked(&s) && is_paused(&s));
    }
}

/* Git says by server-side apply that the node is to be paused. */
static void apply_pause_at_nap_3(Terminal *t, int naps)
{
    if (naps == 3)
        apply_spec(t, "kustomize-controller", "{paused: true}");
    stage_turn(at_work);
}

TEST(a_pause_that_git_applies_during_maintenance_stays_after_the_run)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    t->during = apply_pause_at_nap_3;

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_said(t, "the command succeeded; the node stays paused, as was asked for");
    then_true(!is_marked(&s) && is_paused(&s));
}

/* The fleet is paused meanwhile, and unpaused later. */
static void pause_fleet_for_a_while(Terminal *t, int naps)
{
    if (naps == 3)
        given_patch(t, kind_seinodedeployment, "f", NULL, "{spec: {paused: true}}");
    if (naps > 3 && naps < 20)
        then_true(is_paused(at_work));
    if (naps == 20)
        given_patch(t, kind_seinodedeployment, "f", NULL, "{spec: {paused: false}}");
    stage_turn(at_work);
}

TEST(maintenance_waits_until_the_fleet_of_the_node_is_unpaused_before_it_resumes_the_node)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, of_fleet(t, given_fleet(t, "f", "{}")));
    t->during = pause_fleet_for_a_while;

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_talked(t, "node/n: waits until fleet/f is no longer paused, to give the node back");
    then_true(t->naps >= 20 && !is_marked(&s) && !is_paused(&s));
}

TEST(maintenance_of_a_node_does_not_wait_for_a_fleet_that_does_not_own_it)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{metadata: {labels: {'sei.io/nodedeployment': 'f'}}}");
    given_fleet(t, "f", "{spec: {paused: true}}");

    then_int(type(t, "maintain n --timeout 1m --image tool:1"), EXIT_FINE);
    then_true(!strstr(talked(t), "fleet/f"));
    then_true(!is_marked(&s) && !is_paused(&s));
}

static void delete_job_when_it_runs(Terminal *t, int naps)
{
    const Json *job, *jobs = list_of(at_work, kind_job);

    (void)t, (void)naps;
    json_each(job, jobs)
        if (at_work->starts)
            drop(at_work, kind_job, meta_name(job));
    stage_turn(at_work);
}

TEST(a_maintenance_job_that_another_user_deleted_is_not_run_again)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    t->during = delete_job_when_it_runs;

    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    then_talked(t, "somebody deleted the Job before its end was seen; the node stays paused");
    then_true(is_marked(&s) && is_paused(&s));
    t->during = nap_on_stage;
    then_int(type(t, "maintain n --resume"), EXIT_UNHEALTHY);
    then_int(s.starts, 1);
    then_int(type(t, "maintain n --abort"), EXIT_FINE);
    then_true(!is_marked(&s) && !is_paused(&s));
}

TEST(a_dry_run_of_maintain_prints_the_patch_and_the_job_and_changes_nothing)
{
    static const char *const lines[] = {MAINTAIN, "maintain n --dry-run=server --image tool:1"};

    for (size_t i = 0; i < array_count(lines); i++) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        const char *line = i ? lines[i] : "maintain n --dry-run --image tool:1 -- fix --all";

        then_int(type(t, line), EXIT_FINE);
        then_said(t, "\"sei.io/maintenance\": \"{");
        then_said(t, "\"paused\": true");
        then_said(t, "\"kind\": \"Job\"");
        then_talked(t, "nothing was changed");
        then_true(!is_marked(&s) && !is_paused(&s));
        then_int((int)json_count(list_of(&s, kind_job)), 0);
    }
}

TEST(a_dry_run_of_an_unfinished_maintenance_run_prints_the_next_step)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->starts_bad = true;
    then_int(type(t, "maintain n --timeout 20s --image tool:1"), EXIT_TIMED_OUT);
    const char *before = meta_resource_version(seen(t, kind_seinode, "n"));

    then_int(type(t, "maintain n --resume --dry-run"), EXIT_FINE);
    then_said(t, "node/n: next it would wait for the Job to end");
    then_int(type(t, "maintain n --abort --dry-run"), EXIT_FINE);
    then_said(t, "node/n: next it would delete the Job");
    then_str(meta_resource_version(seen(t, kind_seinode, "n")), before);
    then_int(t->writes, 0);
}

static const struct {
    const char *name, *node, *line, *talk;
    int code;
} refusals[] = {
    {"no wish", "{}", "maintain n", "say what is to be done", EXIT_MISUSED},
    {"two wishes",
        "{}",
        "maintain n --resume --abort",
        "--resume and --abort exclude each other: say one of them",
        EXIT_MISUSED},
    {"a run to begin and to give up",
        "{}",
        "maintain n --image tool:1 --abort",
        "--image and --abort exclude each other: say one of them",
        EXIT_MISUSED},
    {"an image without a name",
        "{}",
        "maintain n --image ''",
        "--image is empty: say one such as registry/sei:v6.4.2",
        EXIT_MISUSED},
    {"an image without a name, and a wish",
        "{}",
        "maintain n --image= --resume",
        "--image and --resume exclude each other",
        EXIT_MISUSED},
    {"a fleet's budget and a run to go on with",
        "{}",
        "maintain n --resume --force",
        "--resume takes no --force",
        EXIT_MISUSED},
    {"a command to resume",
        "{}",
        "maintain n --resume -- fix",
        "--resume takes no command",
        EXIT_MISUSED},
    {"nothing to resume", "{}", "maintain n --resume", "is not in maintenance", EXIT_MISUSED},
    {"nothing to abort", "{}", "maintain n --abort", "is not in maintenance", EXIT_MISUSED},
    {"nobody", "{}", "maintain x --image tool:1", "there is no", EXIT_NOT_FOUND},
    {"a fleet", "{}", "maintain f --image tool:1", "fleet/f is a fleet", EXIT_MISUSED},
    {"no image", "{}", "maintain n --image 'a b'", "\"a b\" is no image", EXIT_MISUSED},
    {"an empty tag", "{}", "maintain n --image tool:", "\"tool:\" is no image", EXIT_MISUSED},
    {"a digest of nothing",
        "{}",
        "maintain n --image tool@sha256:zz -- fix",
        "\"tool@sha256:zz\" is no image",
        EXIT_MISUSED},
};

TEST(an_invalid_maintain_command_is_refused_and_writes_nothing)
{
    each_case(i, refusals) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, refusals[i].node);
        given_fleet(t, "f", "{}");
        const char *before = meta_resource_version(seen(t, kind_seinode, "n"));

        then_int(type(t, refusals[i].line), refusals[i].code);
        then_talked(t, refusals[i].talk);
        then_str(meta_resource_version(seen(t, kind_seinode, "n")), before);
        then_int((int)json_count(list_of(&s, kind_job)), 0);
    }
}

TEST(maintain_refuses_a_node_without_a_volume)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    drop(&s, kind_statefulset, "n");

    then_int(type(t, MAINTAIN), EXIT_MISUSED);
    then_talked(t, "was never set up");
    then_true(!is_marked(&s) && !is_paused(&s));
}

TEST(maintain_warns_about_the_consequences_of_stopping_the_node)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t,
        &s,
        "{metadata: {labels: {'kustomize.toolkit.fluxcd.io/name': 'apps'}},"
        " spec: {fullNode: null, validator: {}}}");
    given_patch(t, kind_seinode, "n", NULL, of_fleet(t, given_fleet(t, "f", "{}")));

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_talked(t, "warning: node/n is a validator");
    then_talked(t, "node/n belongs to fleet/f, which counts it as unavailable meanwhile");
    then_true(!strstr(talked(t), "unavailable already"));
    then_talked(t,
        "node/n is managed by Flux (Kustomization ?/apps): change nothing in Git; the annotation "
        "sei.io/maintenance holds the node also when spec.paused is put back");
    then_true(!strstr(talked(t), "spec.paused: true"));
}

/* --- what the fleet can spare */

#define READY_IS(status)                                                                           \
    "{status: {conditions: [{type: 'Ready', status: '" status "', reason: 'x', message: '', "      \
    "lastTransitionTime: '2026-01-01T00:00:00Z'}]}}"

/* The node at hand and two others of its fleet, of which the last is down. */
static const Json *given_fleet_with_one_down(Terminal *t, const char *fleet_patch)
{
    const Json *fleet = given_fleet(t, "f", fleet_patch);

    given_patch(t, kind_seinode, "n", NULL, of_fleet(t, fleet));
    given_patch(t, kind_seinode, "n", "status", READY_IS("True"));
    given_node(t, "f-1", of_fleet(t, fleet));
    given_node(t, "f-2", of_fleet(t, fleet));
    given_patch(t, kind_seinode, "f-2", "status", READY_IS("False"));
    return fleet;
}

TEST(maintain_refuses_a_node_of_a_fleet_whose_disruption_budget_is_used_up)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    given_fleet_with_one_down(t, "{}");

    then_int(type(t, MAINTAIN), EXIT_MISUSED);
    then_talked(t,
        "node/n was not touched: of fleet/f at most 1 node may be down at once, and 1 other is: "
        "f-2; wait until it is back, or say --force");
    then_true(!is_marked(&s) && !is_paused(&s));
    then_int(type(t, "maintain n --dry-run --image tool:1"), EXIT_MISUSED);

    then_int(type(t, "maintain n --image tool:1 --force"), EXIT_FINE);
    then_talked(t, "warning: 1 other node of fleet/f is down already: f-2");
    then_int(s.starts, 1);
}

static const struct {
    const char *name, *fleet, *patched, *status, *other;
} spared[] = {
    {"a fleet that lets two be down",
        "{spec: {updateStrategy: {maxUnavailable: 2}}}",
        "n",
        READY_IS("True"),
        "f-2"},
    {"a node that is down itself", "{}", "n", READY_IS("False"), "f-2"},
    {"a fleet whose other nodes are available", "{}", "f-2", READY_IS("True"), NULL},
};

TEST(maintain_accepts_a_node_that_the_fleet_can_spare)
{
    each_case(i, spared) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, "{}");
        given_fleet_with_one_down(t, spared[i].fleet);
        given_patch(t, kind_seinode, spared[i].patched, "status", spared[i].status);

        then_int(type(t, MAINTAIN), EXIT_FINE);
        then_true(!!strstr(talked(t), "down already: f-2") == !!spared[i].other);
        then_true(!strstr(talked(t), "down already: n"));
        then_int(s.starts, 1);
    }
}

TEST(maintain_refuses_a_ready_node_that_is_not_available_yet_if_the_budget_is_used_up)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    given_fleet_with_one_down(t, "{spec: {updateStrategy: {minReadySeconds: 600}}}");

    then_int(type(t, MAINTAIN), EXIT_MISUSED);
    then_talked(t, "node/n was not touched: of fleet/f at most 1 node may be down at once");
    then_true(!is_marked(&s) && !is_paused(&s));
}

TEST(a_node_of_an_earlier_fleet_of_the_same_name_does_not_count_against_the_budget)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}");
    given_fleet_with_one_down(t, "{}");
    given_patch(t, kind_seinode, "f-2", NULL, "{metadata: {ownerReferences: null}}");

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_true(!strstr(talked(t), "down already"));
}

TEST(a_maintenance_run_that_follows_a_failed_one_stops_no_further_node)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, "{}")->fails = true;
    then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
    s.fails = false;
    given_fleet_with_one_down(t, "{}");

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_int(s.starts, 2);
}
