/* A set-up in two stages: the list of its tasks, what is made again in the first stage, and what an
 * edit takes over from it. */
#include "sei/plan/parts.h"
#include "tests/sei/plan/given.h"

#include <string.h>

#define SPEC "spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, bootstrapImage: 'sei:0'}}}"
#define TASK(type, params, rest)                                                                   \
    "{type: '" type "', id: '" type "-id', params: " params ", " rest "}"
#define OWN(type, status)  TASK(type, "{nodeName: 'a', namespace: 'n'}", "status: '" status "'")
#define SIDE(type, status) TASK(type, "{}", "status: '" status "'")
#define CONFIG             "{mode: 'full', overrides: {'logging.level': 'info'}}"
#define SYNC               "{UseLocalSnapshot: true, TrustPeriod: '', BackfillBlocks: 0}"

/* A stored plan, from how far its gate, its Job and its end have come. */
#define STORED(spec, target, gate, await, teardown)                                                \
    "{" spec ", status: {phase: 'Initializing', dataVolume: {name: 'data-a', uid: 'pvc-uid'},"     \
    " plan: {id: 'old', kind: 'init', targetHash: '" target                                        \
    "', phase: 'Active', tasks: [" OWN("ensure-data-pvc", "Complete") "," OWN(                     \
        "apply-rbac-proxy-config", "Complete") "," OWN("deploy-bootstrap-service",                 \
        "Complete") "," OWN("deploy-bootstrap-job", "Complete") "," TASK("snapshot-restore",       \
        "{TargetHeight: 5}",                                                                       \
        "status: 'Complete'") "," SIDE("configure-genesis", "Complete") "," TASK("config-apply",   \
        CONFIG,                                                                                    \
        "status: 'Complete'") "," TASK("configure-state-sync",                                     \
        SYNC,                                                                                      \
        "status: 'Complete'") "," SIDE("config-validate", "Complete") "," SIDE("mark-ready",       \
        gate) "," OWN("await-bootstrap-complete", await) "," OWN("teardown-bootstrap",             \
        teardown) "," OWN("apply-statefulset", "Pending") "," OWN("apply-service",                 \
        "Pending") "," SIDE("configure-genesis", "Pending") "," TASK("config-apply",               \
        CONFIG,                                                                                    \
        "status: 'Pending'") "," SIDE("config-validate", "Pending") "," SIDE("mark-ready",         \
        "Pending") "]}}}"

#define FIRST                                                                                      \
    "snapshot-restore+ configure-genesis+ config-apply+ configure-state-sync+ config-validate+ "
#define SECOND                                                                                     \
    "apply-statefulset apply-service configure-genesis config-apply config-validate mark-ready"

/* A Job of ours; a template hash, and whether it failed. */
static const Json *job_of(Arena *a, const char *hash, const char *condition)
{
    return json_fixture(a,
        str_format(a,
            "{metadata: {name: 'a-bootstrap', uid: 'job-uid', " OURS ", " OWNER
            ", annotations: {'sei.io/template-hash': '%s'}},"
            " status: {conditions: [{type: '%s', status: 'True'}]}}",
            hash,
            condition));
}

static Planned *given_stage(Arena *a, const char *node, const char *job_hash, const char *condition)
{
    Planned *p = given(a,
        &(Given){.node = node,
            .statefulset = GONE,
            .pod = GONE,
            .service = "{spec: {selector: {'sei.io/component': 'bootstrap'}}}"});

    p->wanted.bootstrap_hash = "job-now";
    p->wanted.bootstrap_service = json_fixture(
        a, "{spec: {selector: {'sei.io/node': 'a', 'sei.io/component': 'bootstrap'}}}");
    p->s.bootstrap_job = job_hash ? job_of(a, job_hash, condition) : NULL;
    return p;
}

TEST(a_node_with_a_bootstrap_image_is_initialized_in_two_stages)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.node = "{" SPEC "}", .fresh = true});

    then_str(plan_text(a, &p->d.status),
        "init: ensure-data-pvc apply-rbac-proxy-config deploy-bootstrap-service "
        "deploy-bootstrap-job snapshot-restore configure-genesis config-apply "
        "configure-state-sync config-validate mark-ready await-bootstrap-complete "
        "teardown-bootstrap " SECOND);
    then_json(plan_find_task(&p->d.status.plan, TASK_TEARDOWN_BOOTSTRAP)->params,
        "{jobName: 'a-bootstrap', serviceName: 'a', namespace: 'n'}");
    then_json(plan_find_task(&p->d.status.plan, TASK_DEPLOY_BOOTSTRAP_SERVICE)->params,
        "{serviceName: 'a', namespace: 'n'}");
    then_json(plan_find_task(&p->d.status.plan, TASK_DEPLOY_BOOTSTRAP_JOB)->params,
        "{jobName: 'a-bootstrap', namespace: 'n'}");
}

/* The plan of the stage; a "+" for what is done of the Job, its gate and its end. */
#define STAGE(job, gate, end)                                                                      \
    "init: ensure-data-pvc+ apply-rbac-proxy-config+ deploy-bootstrap-service+ "                   \
    "deploy-bootstrap-job" job " " FIRST "mark-ready" gate " await-bootstrap-complete" end         \
    " teardown-bootstrap " SECOND

static const struct {
    const char *name, *node, *job;
    SidecarHealth health;
    const char *plan;
    bool is_renewed; /* mark-ready has another id */
} stages[] = {
    {"a Job that runs is left alone",
        STORED(SPEC, "now", "Complete", "Pending", "Pending"),
        "job-now",
        .plan = STAGE("+", "+", "")},
    {"changed settings do not replace the Job",
        STORED(SPEC, "now", "Complete", "Pending", "Pending"),
        "job-before",
        .plan = STAGE("+", "+", "")},
    {"a Job that is gone is created again, and its sidecar approved again",
        STORED(SPEC, "now", "Complete", "Pending", "Pending"),
        NULL,
        .plan = STAGE("", "", ""),
        .is_renewed = true},
    {"a gate that has not been opened yet keeps its id",
        STORED(SPEC, "now", "Pending", "Pending", "Pending"),
        NULL,
        .plan = STAGE("", "", "")},
    {"a sidecar that has forgotten is approved again",
        STORED(SPEC, "now", "Complete", "Pending", "Pending"),
        "job-now",
        .health = HEALTH_NOT_READY,
        .plan = STAGE("+", "", ""),
        .is_renewed = true},
    {"a Job that was seen to end is not made again",
        STORED(SPEC, "now", "Complete", "Complete", "Pending"),
        NULL,
        .plan = STAGE("+", "+", "+")},
};

TEST(bootstrap_objects_that_vanish_before_the_job_ends_are_created_again)
{
    each_case(i, stages) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = given_stage(a, stages[i].node, stages[i].job, "Suspended");

        p->s.bootstrap_health = stages[i].health;
        then_ok(plan_node(a, &p->s, &p->d));
        Plan *plan = &p->d.status.plan;
        const char *id = plan_find_bootstrap_task(plan, TASK_MARK_READY)->id;
        then_str(plan_text(a, &p->d.status), stages[i].plan);
        then_int(!str_eq(id, "mark-ready-id"), stages[i].is_renewed);
        then_int(p->d.plan_is_new, stages[i].is_renewed);
        then_str(plan->id, "old");
    }
}

static const struct {
    const char *name;
    int64_t retries;
    const char *submitted_at;
    bool job_is_gone;
    int64_t waits_ms, retries_then;
} gates[] = {
    {"the first approvals are repeated at once", 2, NOW, .retries_then = 3},
    {"later approvals are repeated after a delay", 3, NOW, .waits_ms = 10000, .retries_then = 3},
    {"an approval is repeated when the delay has passed",
        3,
        "2026-11-15T11:59:50Z",
        .retries_then = 4},
    {"further approvals are repeated after longer delays",
        5,
        "2026-11-15T11:59:50Z",
        .waits_ms = 30000,
        .retries_then = 5},
    {"the delay between approvals is limited", 50, NOW, .waits_ms = 300000, .retries_then = 50},
    {"an approval that held for long starts with the short delay",
        50,
        "2026-11-15T11:00:00Z",
        .retries_then = 1},
    {"a new Job is approved at once", 50, NOW, .job_is_gone = true, .retries_then = 51},
    {"the time of the approval is unknown", 50, NULL, .retries_then = 51},
};

TEST(a_bootstrap_sidecar_that_never_gets_ready_is_retried_with_growing_delays)
{
    each_case(i, gates) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = given_stage(a,
            STORED(SPEC, "now", "Complete", "Pending", "Pending"),
            gates[i].job_is_gone ? NULL : "job-now",
            "Suspended");
        PlannedTask *gate = plan_find_bootstrap_task(&p->node.status.plan, TASK_MARK_READY);

        gate->retry_count = gates[i].retries;
        gate->submitted_at = gates[i].submitted_at;
        p->s.bootstrap_health = HEALTH_NOT_READY;
        then_ok(plan_node(a, &p->s, &p->d));
        gate = plan_find_bootstrap_task(&p->d.status.plan, TASK_MARK_READY);
        then_int(p->d.plan_is_new, gates[i].waits_ms == 0);
        then_int(p->d.again_after_ms, gates[i].waits_ms);
        then_int(gate->status, gates[i].waits_ms ? TASK_COMPLETE : TASK_PENDING);
        then_int(gate->retry_count, gates[i].retries_then);
    }
}

#define ANEW                                                                                       \
    "init: ensure-data-pvc+ apply-rbac-proxy-config deploy-bootstrap-service "                     \
    "deploy-bootstrap-job "
#define PEER    "0123456789abcdef0123456789abcdef01234567@peer:26656"
#define WITHOUT "spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}"
#define HIGHER  "spec: {fullNode: {snapshot: {s3: {targetHeight: 7}, bootstrapImage: 'sei:0'}}}"
#define PEERED                                                                                     \
    "spec: {peers: [{static: {addresses: ['" PEER "']}}], fullNode: {snapshot: {s3:"               \
    " {targetHeight: 5}, bootstrapImage: 'sei:0'}}}"
#define OVERRIDDEN                                                                                 \
    "spec: {overrides: {x: '1'}, fullNode: {snapshot: {s3: {targetHeight: 5},"                     \
    " bootstrapImage: 'sei:0'}}}"

static const struct {
    const char *name, *node, *job, *condition, *plan, *stall, *message;
} edits[] = {
    {"a Job of the same template goes on",
        STORED(SPEC, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Suspended",
        ANEW FIRST "mark-ready+ await-bootstrap-complete teardown-bootstrap " SECOND},
    {"a Job of another template is replaced, and its sidecar approved again",
        STORED(SPEC, "before", "Complete", "Pending", "Pending"),
        "job-before",
        "Suspended",
        ANEW FIRST "mark-ready await-bootstrap-complete teardown-bootstrap " SECOND},
    {"a Job that has failed is replaced",
        STORED(SPEC, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Failed",
        ANEW FIRST "mark-ready await-bootstrap-complete teardown-bootstrap " SECOND},
    {"a Job that succeeded is not run again, whatever its template",
        STORED(OVERRIDDEN, "before", "Complete", "Complete", "Complete"),
        NULL,
        NULL,
        "init: ensure-data-pvc+ apply-rbac-proxy-config deploy-bootstrap-service+ "
        "deploy-bootstrap-job+ " FIRST
        "mark-ready+ await-bootstrap-complete+ teardown-bootstrap+ " SECOND},
    {"a Job that succeeded is torn down if it still exists",
        STORED(SPEC, "before", "Complete", "Complete", "Pending"),
        "job-now",
        "Complete",
        "init: ensure-data-pvc+ apply-rbac-proxy-config deploy-bootstrap-service+ "
        "deploy-bootstrap-job+ " FIRST
        "mark-ready+ await-bootstrap-complete+ teardown-bootstrap " SECOND},
    {"without a Job in the spec the Job is deleted, and completed tasks are kept",
        STORED(WITHOUT, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Suspended",
        "init: ensure-data-pvc+ apply-rbac-proxy-config teardown-bootstrap apply-statefulset "
        "apply-service " FIRST "mark-ready"},
    {"another height needs other data",
        STORED(HIGHER, "before", "Complete", "Complete", "Complete"),
        NULL,
        NULL,
        NULL,
        "NeedsReset",
        "snapshot-restore was done on the data volume"},
    {"another height needs other data also while the Job runs",
        STORED(HIGHER, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Suspended",
        NULL,
        "NeedsReset",
        "snapshot-restore was done on the data volume"},
    {"another configuration is submitted in the second stage once the Job was approved",
        STORED(OVERRIDDEN, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Suspended",
        ANEW FIRST "mark-ready+ await-bootstrap-complete teardown-bootstrap " SECOND},
    {"new peers are submitted in the second stage once the Job was approved",
        STORED(PEERED, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Suspended",
        ANEW "snapshot-restore+ configure-genesis+ config-apply+ discover-peers+ "
             "configure-state-sync+ config-validate+ mark-ready+ await-bootstrap-complete "
             "teardown-bootstrap apply-statefulset apply-service configure-genesis config-apply "
             "discover-peers config-validate mark-ready"},
    {"new peers are submitted to a Job that was not approved yet",
        STORED(PEERED, "before", "Pending", "Pending", "Pending"),
        "job-now",
        "Suspended",
        ANEW "snapshot-restore+ configure-genesis+ config-apply+ discover-peers "
             "configure-state-sync config-validate mark-ready await-bootstrap-complete "
             "teardown-bootstrap apply-statefulset apply-service configure-genesis config-apply "
             "discover-peers config-validate mark-ready"},
    {"another configuration needs other data when the Job has failed",
        STORED(OVERRIDDEN, "before", "Complete", "Pending", "Pending"),
        "job-now",
        "Failed",
        NULL,
        "NeedsReset",
        "the configuration was edited"},
    {"another configuration needs other data when the Job is replaced",
        STORED(OVERRIDDEN, "before", "Complete", "Pending", "Pending"),
        "job-before",
        "Suspended",
        NULL,
        "NeedsReset"},
};

TEST(an_edit_during_the_bootstrap_stage_keeps_the_tasks_that_are_done)
{
    each_case(i, edits) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = given_stage(a, edits[i].node, edits[i].job, edits[i].condition);

        then_ok(plan_node(a, &p->s, &p->d));
        if (edits[i].plan)
            then_str(plan_text(a, &p->d.status), edits[i].plan);
        then_str(stall_text(&p->d), edits[i].stall ? edits[i].stall : "");
        if (edits[i].message)
            then_true(strstr(p->d.stall.message, edits[i].message) != NULL);
    }
}

#define CEREMONY                                                                                   \
    "spec: {chainId: 'c', fullNode: null, validator: {genesisCeremony: {chainId: 'c',"             \
    " stakingAmount: '1usei', accountBalance: '2usei', index: 0}}}"

TEST(the_bootstrap_job_is_torn_down_before_a_genesis_ceremony_starts_the_pod)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given_stage(a,
        "{" CEREMONY ", status: {phase: 'Initializing', dataVolume: {name: 'data-a',"
        " uid: 'pvc-uid'}, plan: {id: 'old', kind: 'init', targetHash: 'before', phase: 'Active',"
        " tasks: [" OWN("ensure-data-pvc", "Complete") "," OWN(
            "deploy-bootstrap-job", "Complete") "," OWN("teardown-bootstrap", "Pending") "]}}}",
        "job-now",
        "Suspended");

    then_ok(plan_node(a, &p->s, &p->d));
    then_str(plan_text(a, &p->d.status),
        "init: ensure-data-pvc+ apply-rbac-proxy-config teardown-bootstrap apply-statefulset "
        "apply-service generate-identity generate-gentx upload-genesis-artifacts "
        "configure-genesis config-apply set-genesis-peers config-validate mark-ready");
}

/* --- what cannot be awaited --- */

/* A plan with so many tasks at work. */
static const char *crowded(Arena *a, const char *phase, const char *plan_phase, int count)
{
    const char *list = "";

    for (int i = 0; i < count; i++)
        list = str_format(a,
            "%s{type: 'config-apply', id: 'id-%d', status: 'Pending', submittedAt: '" NOW "'},",
            list,
            i);
    return str_format(a,
        "{spec: {image: 'sei:9'}, metadata: {annotations: {'sei.io/retry': '1'}},"
        " status: {phase: '%s', dataVolume: {name: 'data-a', uid: 'pvc-uid'}, plan: {id: 'old',"
        " kind: 'init', targetHash: 'before', phase: '%s', tasks: [%s"
        " {type: 'ensure-data-pvc', id: 'e', status: 'Complete'}]}}}",
        phase,
        plan_phase,
        list);
}

static const struct {
    const char *name, *phase, *plan_phase;
    int at_work;
    const char *stall;
} crowds[] = {
    {"some at work", "Initializing", "Active", 8, ""},
    {"one more than can be awaited", "Initializing", "Active", 9, "UnknownPlan"},
    {"a list full of them", "Initializing", "Active", 39, "UnknownPlan"},
    {"a full list of tasks of a failed plan", "Failed", "Failed", 39, "UnknownPlan"},
};

TEST(a_running_task_is_never_dropped_although_the_plan_is_full)
{
    each_case(i, crowds) {
        SCOPED_ARENA a = arena_open(16 << 20);
        Planned *p = plan_given(a,
            &(Given){.node = crowded(a, crowds[i].phase, crowds[i].plan_phase, crowds[i].at_work)});
        int awaited = 0;

        for (size_t k = 0; k < p->d.status.plan.task_count; k++)
            awaited += plan_task_is_at_work(&p->d.status.plan.tasks[k]);
        then_str(stall_text(&p->d), crowds[i].stall);
        then_int(awaited, crowds[i].at_work);
        then_int(p->d.frozen, *crowds[i].stall != '\0');
    }
}

/* The plan of an operator that did not record doneFor. No StatefulSet exists in this stage. */
TEST(a_bootstrap_for_another_chain_without_done_for_needs_a_reset)
{
    static const char *const ends[] = {"Pending", "Complete"};

    for (size_t i = 0; i < array_count(ends); i++) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const char *node = str_format(a,
            STORED("spec: {chainId: 'b', fullNode: {snapshot: {s3: {targetHeight: 5},"
                   " bootstrapImage: 'sei:0'}}}",
                "before",
                "Complete",
                "%s",
                "Pending"),
            ends[i]);
        Planned *p = given_stage(a, node, "job-now", "Suspended");

        p->node.status.identity = (NodeIdentity){0};
        then_ok(plan_node(a, &p->s, &p->d));
        then_str(stall_text(&p->d), "NeedsReset");
    }
}
