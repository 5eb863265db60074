/* A node whose set-up failed waits for a person. */
#include "tests/sei/plan/given.h"

#define FAILED_NODE(target, rest)                                                                  \
    "{" rest "status: {phase: 'Failed', identity: null, plan: {id: 'old', kind: 'init',"           \
    " targetHash: '" target "', phase: 'Failed', failedTaskIndex: 1, retry: '1', tasks: ["         \
    "{type: 'configure-genesis', id: 'g', status: 'Complete', params: {}},"                        \
    "{type: 'config-apply', id: 'c', status: 'Failed', error: 'no', submittedAt: '" NOW "',"       \
    " params: {mode: 'full', overrides: {'logging.level': 'info'}}}]}}}"
#define RETRY_BY(value) "metadata: {annotations: {'sei.io/retry': '" value "'}}, "
#define AGAIN                                                                                      \
    "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "               \
    "configure-genesis+ config-apply config-validate mark-ready"

static const struct {
    const char *name;
    Given given;
    const char *plan;
} cases[] = {
    {"is left alone", {.node = FAILED_NODE("now", "")}, ""},
    {"is tried again when the spec is edited", {.node = FAILED_NODE("before", "")}, AGAIN},
    {"is tried again when asked", {.node = FAILED_NODE("now", RETRY_BY("2"))}, AGAIN},
    {"once per value", {.node = FAILED_NODE("now", RETRY_BY("1"))}, ""},
    {"without a plan, when asked",
        {.node = "{" RETRY_BY("1") "status: {phase: 'Failed', identity: null}}"},
        "init: ensure-data-pvc apply-rbac-proxy-config apply-statefulset apply-service "
        "configure-genesis config-apply config-validate mark-ready"},
    {"is not tried with a spec that is refused",
        {.node = FAILED_NODE("before", "spec: {fullNode: {snapshotGeneration: {}}}, ")},
        ""},
};

TEST(a_failed_node_is_planned_again_only_after_an_edit_or_a_retry)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.status.phase, *cases[i].plan ? PHASE_INITIALIZING : PHASE_FAILED);
        then_int(p->d.finished, false);
    }
}

TEST(a_failed_plan_of_the_go_operator_gets_a_target_hash_so_that_an_edit_is_noticed)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){.node = "{status: {phase: 'Failed', plan: {id: 'old', phase: 'Failed', tasks: ["
                         "{type: 'ensure-data-pvc', id: 'g', status: 'Failed'}]}}}"});

    then_str(p->d.status.plan.target_hash, node_init_hash(a, &p->node));
    then_int(p->d.status.phase, PHASE_FAILED);
}

TEST(a_retry_of_a_failed_node_submits_its_tasks_under_new_ids)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.node = FAILED_NODE("now", RETRY_BY("2"))});
    const PlannedTask *task = plan_find_task(&p->d.status.plan, TASK_CONFIG_APPLY);

    then_true(!str_eq(task->id, "c"));
    then_str(task->submitted_at, NULL);
    then_str(p->d.status.plan.retry, "2");
}
