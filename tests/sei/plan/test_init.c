/* The steps that set a node up, for every mode and variant. */
#include "tests/sei/golden.h"
#include "tests/sei/modes.h"
#include "tests/sei/plan/given.h"

TEST(every_mode_has_its_list_of_init_tasks)
{
    each_case(i, mode_cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &(Given){.fresh = true, .node = mode_cases[i].patch});

        then_str(plan_text(a, &p->d.status), str_format(a, "init: %s", mode_cases[i].tasks));
        then_str(stall_text(&p->d), "");
    }
}

/* With every id and every parameter, as it is stored. */
TEST(the_init_plan_of_every_mode_equals_its_golden_file)
{
    each_case(i, mode_cases) {
        SCOPED_ARENA a = arena_open(8 << 20);
        Planned *p = plan_given(a, &(Given){.fresh = true, .node = mode_cases[i].patch});
        const Json *plan = json_seal(a, plan_encode(a, &p->d.status.plan));

        then_golden(a, plan, str_format(a, "plans/%s.json", mode_cases[i].name));
    }
}

TEST(a_peer_selector_without_matching_nodes_gives_a_task_without_sources)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(
        a, &(Given){.fresh = true, .node = "{spec: {peers: [{label: {selector: {x: 'y'}}}]}}"});

    then_json(plan_find_task(&p->d.status.plan, TASK_DISCOVER_PEERS)->params, "{Sources: []}");
}

TEST(an_archive_node_is_never_initialized_from_a_snapshot)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(
        a, &(Given){.fresh = true, .node = "{spec: {fullNode: null, archive: {" FROM_S3 "}}}"});

    then_true(!plan_find_task(&p->d.status.plan, TASK_SNAPSHOT_RESTORE));
    then_true(!plan_find_task(&p->d.status.plan, TASK_CONFIGURE_STATE_SYNC));
}

TEST(an_init_plan_replaces_a_stale_pod_in_every_mode)
{
    each_case(i, mode_cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = given(a,
            &(Given){.fresh = true,
                .node = mode_cases[i].patch,
                .statefulset = "{}",
                .pod = "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"});

        p->node.status.phase = PHASE_FAILED;
        p->node.wishes.retry = "1";
        then_ok(plan_node(a, &p->s, &p->d));
        const Plan *plan = &p->d.status.plan;
        const PlannedTask *replace = plan_find_task((Plan *)plan, TASK_REPLACE_POD);
        then_true(replace && replace[-1].type == TASK_APPLY_STATEFULSET);
        then_true(replace[1].type == TASK_APPLY_SERVICE);
    }
}

TEST(task_ids_differ_within_a_plan_and_between_plans)
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

TEST(task_parameters_are_stored_as_the_go_operator_stores_them)
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

TEST(an_initializing_node_without_a_plan_gets_a_new_init_plan)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p =
        plan_given(a, &(Given){.fresh = true, .node = "{status: {phase: 'Initializing'}}"});

    then_str(plan_text(a, &p->d.status),
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset "
        "apply-service " FROM_GENESIS);
}
