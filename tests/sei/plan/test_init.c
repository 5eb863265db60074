/* The steps that set a full node up. */
#include "tests/sei/plan/given.h"

#define HEAD "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "

static const struct {
    const char *name, *spec, *plan;
    size_t count;
} cases[] = {
    {"without a snapshot",
        "{}",
        HEAD "configure-genesis config-apply config-validate mark-ready",
        8},
    {"from S3",
        "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}}}}}",
        HEAD "snapshot-restore configure-genesis config-apply configure-state-sync "
             "config-validate mark-ready",
        10},
    {"from S3 with peers",
        "{spec: {peers: [{static: {addresses: ['x@y:1']}}],"
        " fullNode: {snapshot: {s3: {targetHeight: 5}}}}}",
        HEAD "snapshot-restore configure-genesis config-apply discover-peers configure-state-sync "
             "config-validate mark-ready",
        11},
    {"by state sync",
        "{spec: {fullNode: {snapshot: {stateSync: {}}}}}",
        HEAD "configure-genesis config-apply configure-state-sync config-validate mark-ready",
        9},
    {"with labels that nobody answers to yet",
        "{spec: {peers: [{label: {selector: {x: 'y'}}}]}}",
        HEAD "configure-genesis config-apply config-validate mark-ready",
        8},
};

TEST(sets_a_full_node_up)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.fresh = true, .node = cases[i].spec});

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.status.plan.task_count, cases[i].count);
    }
}

TEST(ids_differ_within_a_plan_and_between_plans)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.fresh = true});
    const Plan *plan = &p->d.status.plan;
    const char *first = plan->tasks[0].id;

    for (size_t i = 0; i < plan->task_count; i++)
        for (size_t j = i + 1; j < plan->task_count; j++)
            then_true(!str_eq(plan->tasks[i].id, plan->tasks[j].id));
    p->s.plan_id = "22222222-2222-4333-8444-555555555555";
    then_ok(plan_node(a, &p->s, &p->d));
    then_true(!str_eq(p->d.status.plan.tasks[0].id, first));
}

TEST(params_are_stored_as_the_reference_stores_them)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .fresh = true,
            .node = "{spec: {fullNode: {snapshot: {s3: {targetHeight: 5}, trustPeriod: '1h',"
                    " backfillBlocks: 7}}}}",
        });
    Plan *plan = &p->d.status.plan;

    then_json(plan_find_task(plan, TASK_SNAPSHOT_RESTORE)->params, "{TargetHeight: 5}");
    then_json(plan_find_task(plan, TASK_CONFIGURE_STATE_SYNC)->params,
        "{UseLocalSnapshot: true, TrustPeriod: '1h', BackfillBlocks: 7}");
    then_json(plan_find_task(plan, TASK_CONFIGURE_GENESIS)->params, "{}");
    then_json(plan_find_task(plan, TASK_MARK_READY)->params, "{}");
}

TEST(an_init_without_a_plan_is_planned_again)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p =
        plan_given(a, &(Given){.fresh = true, .node = "{status: {phase: 'Initializing'}}"});

    then_str(plan_text(a, &p->d.status), cases[0].plan);
}
