/* Objects of a Running node that are missing or different come back by exactly three steps. */
#include "tests/sei/plan/given.h"

#define GOING     "{$ownedHash: 'other', metadata: {deletionTimestamp: '" NOW "'}}"
#define DIFFERENT "{$ownedHash: 'other'}"
#define REPAIRED(at)                                                                               \
    "{id: 'p', kind: 'repair', result: 'Complete', finishedAt: '2026-11-15T" at "Z'}"

#define FAILED_FOR(at, why)                                                                        \
    "{id: 'p', kind: 'repair', cause: '" why "', result: 'Failed', finishedAt: '2026-11-15T" at    \
    "Z'}"
#define SERVICE_FAILED(at) FAILED_FOR(at, "Service differs")
#define MISSING_FAILED(at) FAILED_FOR(at, "Service is missing")

#define FOREIGN                                                                                    \
    "{metadata: {ownerReferences: [{kind: 'Site', name: 'x', uid: 'other', controller: true}]}}"

static const struct {
    const char *name;
    Given given;
    const char *plan, *cause;
    int64_t again_ms;
} cases[] = {
    {"a StatefulSet that was deleted",
        {.statefulset = GONE},
        REPAIR_PLAN,
        "StatefulSet is missing"},
    {"a Service", {.service = GONE}, REPAIR_PLAN, "Service is missing"},
    {"a ConfigMap", {.config = GONE}, REPAIR_PLAN, "ConfigMap is missing"},
    {"all at once",
        {.statefulset = GONE, .service = GONE, .config = GONE, .pod = GONE},
        REPAIR_PLAN,
        "ConfigMap is missing, StatefulSet is missing, Service is missing"},
    {"one that is being deleted is still there", {.statefulset = GOING}, ""},
    {"a StatefulSet that was edited",
        {.statefulset = DIFFERENT},
        REPAIR_PLAN,
        "StatefulSet differs"},
    {"a Service that was edited", {.service = DIFFERENT}, REPAIR_PLAN, "Service differs"},
    {"an ownerless one with our selector is taken",
        {.statefulset = "{metadata: {ownerReferences: null}}"},
        REPAIR_PLAN,
        "StatefulSet differs"},
    {"a StatefulSet that was scaled by hand is no reason",
        {.statefulset = "{spec: {replicas: 0}}", .scaled_by_hand = true, .pod = GONE},
        ""},
    {"but its Service comes back",
        {.service = GONE, .scaled_by_hand = true, .pod = GONE},
        REPAIR_PLAN,
        "Service is missing"},
    {"while the volume is gone the StatefulSet is held, and the others come back",
        {.statefulset = GONE, .service = GONE, .volume = GONE, .volume_absent_for_sure = true},
        "repair: apply-rbac-proxy-config apply-service",
        "Service is missing"},
    {"and nothing is planned for the StatefulSet alone",
        {.statefulset = GONE, .volume = GONE, .volume_absent_for_sure = true},
        ""},
    {"three repairs in a row are free",
        {.service = DIFFERENT,
            .node = "{status: {history: [" REPAIRED("11:59:50") "," REPAIRED(
                "11:59:52") "," REPAIRED("11:59:55") "]}}"},
        REPAIR_PLAN,
        "Service differs"},
    {"then it is seen that they do not help",
        {.service = DIFFERENT,
            .node = "{status: {history: [" REPAIRED("11:59:50") "," REPAIRED(
                "11:59:52") "," REPAIRED("11:59:53") "," REPAIRED("11:59:55") "]}}"},
        "",
        .again_ms = 5000},
    {"what is missing does not wait for that",
        {.service = GONE,
            .node = "{status: {history: [" REPAIRED("11:59:50") "," REPAIRED(
                "11:59:52") "," REPAIRED("11:59:53") "," REPAIRED("11:59:55") "]}}"},
        REPAIR_PLAN,
        "Service is missing"},
    {"nor for repairs of what differed that failed",
        {.service = GONE,
            .node = "{status: {history: [" SERVICE_FAILED("11:59:50") "," SERVICE_FAILED(
                "11:59:52") "," SERVICE_FAILED("11:59:55") "]}}"},
        REPAIR_PLAN,
        "Service is missing"},
    {"nor for failures to bring back another object",
        {.statefulset = GONE,
            .node = "{status: {history: [" MISSING_FAILED("11:59:52") "," MISSING_FAILED(
                "11:59:55") "]}}"},
        REPAIR_PLAN,
        "StatefulSet is missing"},
    {"nor for failures from before it was there",
        {.service = GONE,
            .node = "{status: {history: [" MISSING_FAILED("11:59:50") "," SERVICE_FAILED(
                "11:59:55") "]}}"},
        REPAIR_PLAN,
        "Service is missing"},
    {"but an object that could not be brought back is not tried again at once",
        {.service = GONE,
            .node = "{status: {history: [" MISSING_FAILED("11:59:50") "," MISSING_FAILED(
                "11:59:55") "]}}"},
        "",
        .again_ms = 15000},
    {"a foreign Service is not fought over", {.service = FOREIGN}, ""},
    {"and keeps nothing else from coming back",
        {.service = FOREIGN, .config = GONE},
        "repair: apply-rbac-proxy-config apply-statefulset",
        "ConfigMap is missing"},
};

TEST(a_missing_or_different_object_of_a_running_node_is_repaired)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_str(has_active_plan(&p->d.status) ? p->d.status.plan.cause : NULL, cases[i].cause);
        then_int(p->d.again_after_ms, cases[i].again_ms);
        then_int(p->d.repair_waits, cases[i].again_ms > 0);
        then_int(p->d.status.phase, PHASE_RUNNING);
    }
}

TEST(an_object_is_correct_if_it_is_owned_by_the_node_and_as_rendered)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a, &(Given){0});
    const Json *ownerless =
        json_merge(a, p->s.service, json_fixture(a, "{metadata: {ownerReferences: null}}"));

    then_true(plan_object_is_right(p->s.service, &p->node, "service-owned"));
    then_true(!plan_object_is_right(p->s.service, &p->node, "another"));
    then_true(!plan_object_is_right(p->s.service, &p->node, NULL));
    then_true(!plan_object_is_right(ownerless, &p->node, "service-owned"));
    then_true(!plan_object_is_right(NULL, &p->node, "service-owned"));
}
