/* What an init takes over from the one that it supersedes. */
#include "sei/plan/course.h"
#include "tests/sei/plan/given.h"

#define OWN(type, status)                                                                          \
    "{type: '" type "', id: '" type "-id', status: '" status                                       \
    "', params: {nodeName: 'a', namespace: 'n'}}"
#define SIDE(type, params, rest)                                                                   \
    "{type: '" type "', id: '" type "-id', params: " params ", " rest "}"
#define DONE        "status: 'Complete'"
#define WORK        "status: 'Pending', submittedAt: '" NOW "'"
#define FAILED_ONCE WORK ", error: 'no', retryCount: 1, maxRetries: 180"
#define WAITS       "status: 'Pending'"

#define INFRA                                                                                      \
    OWN("ensure-data-pvc", "Complete")                                                             \
    "," OWN("apply-rbac-proxy-config", "Complete") "," OWN(                                        \
        "apply-statefulset", "Complete") "," OWN("apply-service", "Complete")
#define CONFIG       "{mode: 'full', overrides: {'logging.level': 'info'}}"
#define OTHER_CONFIG "{mode: 'full', overrides: {'logging.level': 'info', x: '1'}}"
#define INIT(tasks)                                                                                \
    "{status: {phase: 'Initializing', dataVolume: {name: 'data-a', uid: 'pvc-uid'},"               \
    " plan: {id: 'old', kind: 'init', targetHash: 'before', phase: 'Active', tasks: [" tasks       \
    "]}}}"

#define HEAD "init: ensure-data-pvc+ apply-rbac-proxy-config apply-statefulset apply-service "
#define REPLACED                                                                                   \
    "init: ensure-data-pvc+ apply-rbac-proxy-config apply-statefulset replace-pod apply-service "
#define S3   "spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}, "
#define SYNC "{UseLocalSnapshot: true, TrustPeriod: '', BackfillBlocks: 0}"
#define S3_INIT(config, rest)                                                                      \
    "{" S3 "status: {phase: 'Initializing', dataVolume: {name: 'data-a', uid: 'pvc-uid'},"         \
    " plan: {id: 'old', kind: 'init', targetHash: 'before', phase: 'Active', tasks: [" INFRA       \
    "," SIDE("snapshot-restore", "{TargetHeight: 5}", DONE) "," SIDE(                              \
        "configure-genesis", "{}", DONE) "," SIDE("config-apply",                                  \
        config,                                                                                    \
        DONE) "," SIDE("configure-state-sync", SYNC, DONE) "," rest "]}}}"

#define PUBLISH                                                                                    \
    "spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 2, publish: {}}}}}, "
#define PUBLISHING(rest)                                                                           \
    "{" PUBLISH "status: {phase: 'Initializing', dataVolume: {name: 'data-a', uid: 'pvc-uid'},"    \
    " plan: {id: 'old', kind: 'init', targetHash: 'before', phase: 'Active', tasks: [" INFRA       \
    "," SIDE("configure-genesis", "{}", DONE) "," SIDE("config-apply", CONFIG, DONE) "," SIDE(     \
        "config-validate", "{}", DONE) "," rest "]}}}"
#define CEREMONY_INIT(stake, rest)                                                                 \
    "{spec: {fullNode: null, validator: {genesisCeremony: {chainId: 'c', stakingAmount: '" stake   \
    "', accountBalance: '9', index: 0}}}, status: {phase: 'Initializing',"                         \
    " dataVolume: {name: 'data-a', uid: 'pvc-uid'},"                                               \
    " plan: {id: 'old', kind: 'init', targetHash: 'before', phase: 'Active', tasks: [" INFRA       \
    "," SIDE("generate-identity", "{ChainID: 'c', Moniker: 'a'}", DONE) "," rest "]}}}"
#define DONE_FOR(what) DONE ", doneFor: '" what "'"
#define WORK_FOR(what) WORK ", doneFor: '" what "'"
#define GENESIS        "chain sei, mode fullNode, genesis from s3://"
#define HEIGHT(height) "chain sei, mode fullNode, newest snapshot up to height " height
/* An init that the spec was edited under. */
#define EDITED(spec, tasks)                                                                        \
    "{spec: {" spec "}, status: {phase: 'Initializing', identity: null,"                           \
    " dataVolume: {name: 'data-a', uid: "                                                          \
    "'pvc-uid'}, plan: {id: 'old', kind: 'init', targetHash: 'before', phase: 'Active', tasks: "   \
    "[" INFRA "," tasks "]}}}"
#define OF_CHAIN_B   "chainId: 'b'"
#define OF_HEIGHT_95 "fullNode: {snapshot: {s3: {targetHeight: 95}}}"
#define RESTORED_40  SIDE("snapshot-restore", "{TargetHeight: 40}", DONE_FOR(HEIGHT("40")))
#define RESTORING_40 SIDE("snapshot-restore", "{TargetHeight: 40}", WORK_FOR(HEIGHT("40")))
#define INFRA_DONE                                                                                 \
    "init: ensure-data-pvc+ apply-rbac-proxy-config+ apply-statefulset+ apply-service+ "
#define SET_OF_CHAIN_B    "{metadata: {labels: {'sei.io/chain': 'b'}}}"
#define UNLABELLED        "{metadata: {labels: {'sei.io/chain': null, 'sei.io/role': null}}}"
#define RESTORED_UNSURELY "status: 'Complete', superseded: true"
#define GENTX             "{ChainID: 'c', StakingAmount: '1', AccountBalance: '9'}"

static const struct {
    const char *name;
    Given given;
    const char *plan, *stall;
} cases[] = {
    {"what is done stays done, up to the first step that changed",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", DONE) "," SIDE("config-apply",
             OTHER_CONFIG,
             DONE) "," SIDE("config-validate", "{}", DONE) "," SIDE("mark-ready", "{}", WAITS))},
        HEAD "configure-genesis+ config-apply config-validate mark-ready"},
    {"what is at work and still wanted is asked for under its id",
        {.node = INIT(INFRA
             "," SIDE("configure-genesis", "{}", DONE) "," SIDE("config-apply", CONFIG, WORK))},
        HEAD "configure-genesis+ config-apply* config-validate mark-ready"},
    {"a running task that is no longer needed is awaited before the next is submitted",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", DONE) "," SIDE(
             "config-apply", OTHER_CONFIG, WORK))},
        HEAD "configure-genesis+ config-apply*! config-apply config-validate mark-ready"},
    {"also when no step of its type is left",
        {.node = INIT(INFRA "," SIDE("snapshot-restore", "{TargetHeight: 9}", WORK))},
        HEAD "snapshot-restore*! configure-genesis config-apply config-validate mark-ready"},
    {"and when it was awaited already",
        {.node = INIT(INFRA "," SIDE("snapshot-restore", "{TargetHeight: 9}",
             WORK ", superseded: true") "," SIDE("configure-genesis", "{}", WAITS))},
        HEAD "snapshot-restore*! configure-genesis config-apply config-validate mark-ready"},
    {"one that was awaited and is wanted again counts again",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", WORK ", superseded: true"))},
        HEAD "configure-genesis* config-apply config-validate mark-ready"},
    {"one that was awaited to its end does not count as done",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", DONE ", superseded: true"))},
        HEAD "configure-genesis config-apply config-validate mark-ready"},
    {"an attempt that has failed may have been made again, under its id",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", FAILED_ONCE))},
        HEAD "configure-genesis* config-apply config-validate mark-ready"},
    {"the next task may have been submitted before that could be stored",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", DONE) "," SIDE(
             "config-apply", OTHER_CONFIG, WAITS) "," SIDE("config-validate", "{}", WAITS))},
        HEAD "configure-genesis+ config-apply! config-apply config-validate mark-ready"},
    {"but not where there is no pod",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", DONE) "," SIDE(
             "config-apply", OTHER_CONFIG, WAITS) "," SIDE("config-validate", "{}", WAITS)),
            .pod = GONE},
        HEAD "configure-genesis+ config-apply config-validate mark-ready"},
    {"a pod of a bad image is replaced, and what the volume remembers stays done",
        {.node = INIT(
             INFRA "," SIDE("configure-genesis", "{}", DONE) "," SIDE("config-apply", CONFIG,
                 DONE) "," SIDE("config-validate", "{}", DONE) "," SIDE("mark-ready", "{}", DONE)),
            .pod = "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"},
        REPLACED "configure-genesis+ config-apply+ config-validate+ mark-ready"},
    {"a volume that is gone and not recorded is ensured again",
        {.node =
                "{status: {phase: 'Initializing', dataVolume: null, plan: {id: 'old', kind: 'init',"
                " targetHash: 'before', phase: 'Active', tasks: [" INFRA "]}}}",
            .volume = GONE},
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "configure-genesis config-apply config-validate mark-ready"},
    {"state sync and an edited configuration need a reset",
        {.node = S3_INIT(OTHER_CONFIG, SIDE("config-validate", "{}", WAITS))},
        "init: ensure-data-pvc+ apply-rbac-proxy-config+ apply-statefulset+ apply-service+ "
        "snapshot-restore+ configure-genesis+ config-apply+ configure-state-sync+ config-validate",
        "NeedsReset"},
    {"an edit that leaves the configuration alone does not",
        {.node = S3_INIT(CONFIG, SIDE("config-validate", "{}", WAITS))},
        HEAD "snapshot-restore+ configure-genesis+ config-apply+ configure-state-sync+ "
             "config-validate mark-ready"},
    {"an upload is submitted again under its id when all tasks before it are repeated",
        {.node = PUBLISHING(SIDE("snapshot-upload", "{}", DONE))},
        HEAD "configure-genesis+ config-apply config-validate snapshot-upload mark-ready"},
    {"so is one that may just have been submitted",
        {.node = PUBLISHING(SIDE("snapshot-upload", "{}", WAITS))},
        HEAD "configure-genesis+ config-apply config-validate snapshot-upload mark-ready"},
    {"an upload that is not wanted any more is not awaited: it never ends",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}", DONE) "," SIDE(
             "config-apply", CONFIG, DONE) "," SIDE("config-validate", "{}",
             DONE) "," SIDE("snapshot-upload", "{}", WAITS))},
        HEAD "configure-genesis+ config-apply+ config-validate+ mark-ready"},
    {"a ceremony goes on after an edit of what comes later",
        {.node = CEREMONY_INIT("1", SIDE("generate-gentx", GENTX, DONE))},
        HEAD "generate-identity+ generate-gentx+ upload-genesis-artifacts configure-genesis "
             "config-apply set-genesis-peers config-validate mark-ready"},
    {"a genesis of another chain on the volume needs a reset",
        {.node = EDITED(OF_CHAIN_B,
             SIDE("configure-genesis", "{}", DONE_FOR(GENESIS)) "," SIDE(
                 "config-apply", CONFIG, WAITS))},
        INFRA_DONE "configure-genesis+ config-apply",
        "NeedsReset"},
    {"a genesis of another chain without doneFor needs a reset, by the label of the claim",
        {.node = EDITED(OF_CHAIN_B, SIDE("configure-genesis", "{}", DONE)),
            .statefulset = GONE,
            .pod = GONE},
        INFRA_DONE "configure-genesis+",
        "NeedsReset"},
    {"a StatefulSet that follows the edit does not make a genesis without doneFor fit",
        {.node = EDITED(OF_CHAIN_B, SIDE("configure-genesis", "{}", DONE)),
            .statefulset = SET_OF_CHAIN_B,
            .pod = GONE},
        INFRA_DONE "configure-genesis+",
        "NeedsReset"},
    {"a genesis without doneFor is judged by the pod if the claim has no labels",
        {.node = EDITED(OF_CHAIN_B, SIDE("configure-genesis", "{}", DONE)),
            .statefulset = SET_OF_CHAIN_B,
            .volume = UNLABELLED},
        INFRA_DONE "configure-genesis+",
        "NeedsReset"},
    {"a genesis without doneFor whose pod has the wanted labels is kept",
        {.node = EDITED("image: 'sei:1'", SIDE("configure-genesis", "{}", DONE)),
            .volume = UNLABELLED},
        HEAD "configure-genesis+ config-apply config-validate mark-ready"},
    {"a genesis without doneFor and without any label needs a reset",
        {.node = EDITED("image: 'sei:1'", SIDE("configure-genesis", "{}", DONE)),
            .statefulset = GONE,
            .volume = UNLABELLED,
            .pod = GONE},
        INFRA_DONE "configure-genesis+",
        "NeedsReset"},
    {"params in another case, and those that only a newer operator has, are the same work",
        {.node = EDITED(OF_HEIGHT_95,
             SIDE("snapshot-restore", "{targetHeight: 95}", DONE) "," SIDE("configure-genesis",
                 "{ExpectedGenesisHash: ''}",
                 DONE) "," SIDE("config-apply", CONFIG, DONE) "," SIDE("configure-state-sync",
                 "{useLocalSnapshot: true, TrustPeriod: '', BackfillBlocks: 0,"
                 " RpcServers: ['a:1']}",
                 DONE))},
        HEAD "snapshot-restore+ configure-genesis+ config-apply+ configure-state-sync+ "
             "config-validate mark-ready"},
    {"a restore without doneFor that was awaited may have failed, and needs no reset",
        {.node = EDITED(
             OF_HEIGHT_95, SIDE("snapshot-restore", "{TargetHeight: 40}", RESTORED_UNSURELY))},
        HEAD "snapshot-restore configure-genesis config-apply configure-state-sync "
             "config-validate mark-ready"},
    {"a genesis without doneFor that was awaited needs a reset if the labels differ",
        {.node = EDITED(OF_CHAIN_B, SIDE("configure-genesis", "{}", RESTORED_UNSURELY))},
        INFRA_DONE "configure-genesis+!",
        "NeedsReset"},
    {"a genesis for another mode needs a reset",
        {.node = EDITED(
             "fullNode: null, archive: {}", SIDE("configure-genesis", "{}", DONE_FOR(GENESIS)))},
        INFRA_DONE "configure-genesis+",
        "NeedsReset"},
    {"a genesis from another bucket needs a reset",
        {.node = EDITED(
             "image: 'sei:1'", SIDE("configure-genesis", "{}", DONE_FOR(GENESIS "old-bucket")))},
        INFRA_DONE "configure-genesis+",
        "NeedsReset"},
    {"a genesis task for another chain that may be at work is awaited, and may fail",
        {.node = EDITED(OF_CHAIN_B, SIDE("configure-genesis", "{}", WORK_FOR(GENESIS)))},
        HEAD "configure-genesis*! configure-genesis config-apply config-validate mark-ready"},
    {"a snapshot of another height on the volume needs a reset before state sync, too",
        {.node = EDITED(OF_HEIGHT_95, RESTORED_40 "," SIDE("configure-genesis", "{}", WAITS))},
        INFRA_DONE "snapshot-restore+ configure-genesis",
        "NeedsReset"},
    {"a snapshot that is being restored at another height is awaited",
        {.node = EDITED(OF_HEIGHT_95, RESTORING_40)},
        HEAD "snapshot-restore*! snapshot-restore configure-genesis config-apply "
             "configure-state-sync config-validate mark-ready"},
    {"a snapshot that is not wanted any more is remembered",
        {.node = EDITED("image: 'sei:1'", RESTORED_40)},
        HEAD "snapshot-restore+! configure-genesis config-apply config-validate mark-ready"},
    {"a snapshot of another height that is remembered needs a reset",
        {.node = EDITED(OF_HEIGHT_95,
             SIDE("snapshot-restore", "{TargetHeight: 40}",
                 DONE_FOR(HEIGHT("40")) ", superseded: true") "," SIDE("configure-genesis", "{}",
                 WAITS))},
        INFRA_DONE "snapshot-restore+! configure-genesis",
        "NeedsReset"},
    {"a restore that was awaited and has failed needs no reset",
        {.node = EDITED(OF_HEIGHT_95,
             SIDE("snapshot-restore", "{TargetHeight: 40}",
                 DONE_FOR(HEIGHT("40")) ", superseded: true, error: 'no'"))},
        HEAD "snapshot-restore configure-genesis config-apply configure-state-sync "
             "config-validate mark-ready"},
    {"a task behind one that has failed was not submitted, and is not awaited",
        {.node = INIT(INFRA "," SIDE("configure-genesis", "{}",
             "status: 'Failed', error: 'no', submittedAt: '" NOW
             "'") "," SIDE("config-apply", OTHER_CONFIG, WAITS))},
        HEAD "configure-genesis config-apply config-validate mark-ready"},
    {"a first transaction cannot be made twice on one volume",
        {.node = CEREMONY_INIT("2", SIDE("generate-gentx", GENTX, DONE))},
        "init: ensure-data-pvc+ apply-rbac-proxy-config+ apply-statefulset+ apply-service+ "
        "generate-identity+ generate-gentx+",
        "NeedsReset"},
};

TEST(a_new_init_plan_takes_over_the_tasks_of_the_plan_that_it_supersedes)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_str(stall_text(&p->d), cases[i].stall ? cases[i].stall : "");
        then_int(p->d.status.phase, PHASE_INITIALIZING);
    }
}

TEST(a_task_that_is_taken_over_keeps_its_id_and_its_submission_time)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &cases[1].given);
    const PlannedTask *task = plan_find_task(&p->d.status.plan, TASK_CONFIG_APPLY);

    then_str(task->id, "config-apply-id");
    then_str(task->submitted_at, NOW);
    then_str(p->d.status.plan.id, PLAN_ID);
}

TEST(a_snapshot_upload_that_is_taken_over_keeps_its_id)
{
    static const char *const nodes[] = {
        PUBLISHING(SIDE("snapshot-upload", "{}", DONE)),
        PUBLISHING(SIDE("snapshot-upload", "{}", WAITS)),
    };

    for (size_t i = 0; i < array_count(nodes); i++) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.node = nodes[i]});

        then_str(plan_find_task(&p->d.status.plan, TASK_SNAPSHOT_UPLOAD)->id, "snapshot-upload-id");
    }
}

static void given_stalled_for_reset(Arena *a, Planned *p)
{
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(stall_text(&p->d), "NeedsReset");
    plan_conditions(a, &p->s, &p->d, &(NodeProgress){0}, &p->d.status);
    p->node.status = p->d.status;
}

TEST(a_retry_from_before_the_node_asked_for_a_reset_does_not_confirm_the_reset)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a, &(Given){.node = EDITED(OF_HEIGHT_95, RESTORED_40)});

    p->node.wishes.retry = "1";
    given_stalled_for_reset(a, p);
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(stall_text(&p->d), "NeedsReset");
}

TEST(a_plan_stops_if_its_awaited_task_has_prepared_the_volume_for_another_spec)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.node = EDITED(OF_HEIGHT_95, RESTORING_40)});
    PlannedTask *awaited = plan_find_task(&p->d.status.plan, TASK_SNAPSHOT_RESTORE);

    then_int(awaited->superseded, true);
    awaited->status = TASK_COMPLETE;
    p->node.status = p->d.status;
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(stall_text(&p->d), "NeedsReset");
    then_int(p->d.frozen, true);
    then_true(strstr(p->d.stall.message, "up to height 40") != NULL);
    then_true(strstr(p->d.stall.message, "up to height 95") != NULL);

    p->node.status.plan.tasks[awaited - p->d.status.plan.tasks].error = "no";
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(stall_text(&p->d), "");
}

/* The plan of an operator that did not record doneFor: success is certain from now on. */
TEST(a_task_without_done_for_records_its_purpose_when_an_edit_supersedes_it)
{
    static const char *const nodes[] = {
        EDITED(OF_HEIGHT_95, SIDE("snapshot-restore", "{TargetHeight: 40}", WORK)),
        EDITED("fullNode: {}", SIDE("snapshot-restore", "{TargetHeight: 40}", DONE)),
    };

    for (size_t i = 0; i < array_count(nodes); i++) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.node = nodes[i]});
        PlannedTask *kept = plan_find_task(&p->d.status.plan, TASK_SNAPSHOT_RESTORE);

        then_int(kept->superseded, true);
        then_str(kept->done_for, HEIGHT("40"));
    }
}

TEST(a_restored_snapshot_is_kept_after_a_change_of_the_snapshot_bucket)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a, &(Given){.node = EDITED(OF_HEIGHT_95, RESTORING_40)});

    p->settings.snapshot_bucket = "old";
    then_ok(plan_node(a, &p->s, &p->d));
    p->node.status = p->d.status;
    PlannedTask *restore = plan_find_task(&p->node.status.plan, TASK_SNAPSHOT_RESTORE);
    then_int(restore->superseded, true);
    p->node.spec.snapshot.s3_height = 40;
    p->settings.snapshot_bucket = "new";
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(plan_text(a, &p->d.status),
        HEAD "snapshot-restore* configure-genesis config-apply configure-state-sync "
             "config-validate mark-ready");
}

TEST(a_changed_genesis_bucket_is_reported_as_the_operator_setting)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a,
        &(Given){.node = EDITED(
                     "image: 'sei:1'", SIDE("configure-genesis", "{}", DONE_FOR(GENESIS "old")))});

    p->settings.genesis_bucket = "new";
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(p->d.stall.message,
        "configure-genesis was done on the data volume for " GENESIS "old, and the sidecar does it "
        "once per volume; the operator setting SEI_GENESIS_BUCKET now asks for " GENESIS
        "new; reset the data of the node and then set the annotation sei.io/retry to a new value, "
        "or undo the change");
}

/* carry.c asserts that these fit into a plan beside the longest init. */
TEST(a_plan_has_room_for_one_task_of_each_type_that_runs_once_per_volume)
{
    int count = 0;

    for (int type = 0; type < TASK_ALL_COUNT; type++)
        if (type != TASK_UNKNOWN && type != TASK_TYPE_COUNT)
            count += task_type_is_once_per_volume((TaskType)type);
    then_int(count, PLAN_REMEMBERED_MAX);
}

TEST(after_a_reset_a_retry_runs_every_task_again)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p =
        given(a, &(Given){.node = S3_INIT(OTHER_CONFIG, SIDE("config-validate", "{}", WAITS))});

    given_stalled_for_reset(a, p);
    p->node.wishes.retry = "1";
    then_ok(plan_node(a, &p->s, &p->d));
    then_str(plan_text(a, &p->d.status),
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "config-validate! snapshot-restore configure-genesis config-apply configure-state-sync "
        "config-validate mark-ready");
    then_str(p->d.status.plan.retry, "1");
}
