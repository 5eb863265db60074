/* A plan that is being carried out: kept, armed again, superseded. */
#include "tests/sei/plan/given.h"

#define TASK(type, status) "{type: '" type "', id: '" type "-id', status: '" status "'}"
#define HANDED(type, params)                                                                       \
    "{type: '" type "', id: '" type "-id', status: 'Pending', params: " params                     \
    ", submittedAt: '" NOW "'}"
#define DONE(type, params)                                                                         \
    "{type: '" type "', id: '" type "-id', status: 'Complete', params: " params "}"
#define PLAN(kind, target, tasks)                                                                  \
    "plan: {id: 'old', kind: '" kind "', targetHash: '" target "', appliedHash: 'hash-now',"       \
    " startedAt: '" NOW "', phase: 'Active', tasks: [" tasks "]}"
#define UPDATE_TASKS(sts, svc, pod, image, ready)                                                  \
    TASK("apply-statefulset", sts)                                                                 \
    "," TASK("apply-service", svc) "," TASK("replace-pod", pod) "," TASK(                          \
        "observe-image", image) "," ready
#define PLAN_OF(kind, since, tasks)                                                                \
    "plan: {id: 'old', kind: '" kind "', targetHash: 'now', appliedHash: 'hash-now',"              \
    " startedAt: '" since "', phase: 'Active', tasks: [" tasks "]}"
#define REPAIR_DONE                                                                                \
    TASK("apply-rbac-proxy-config", "Complete")                                                    \
    "," TASK("apply-statefulset", "Complete") "," TASK("apply-service", "Complete") ","
#define MARKED_BEFORE                                                                              \
    "{type: 'mark-ready', id: 'm', status: 'Pending', params: {}, submittedAt: '" NOW              \
    "', superseded: true}"
#define REPAIRED      "{id: 'r', kind: 'repair', result: 'Complete', finishedAt: '" NOW "'}"
#define UPDATE_FAILED "{id: 'u', kind: 'node-update', result: 'Failed', finishedAt: '" NOW "'}"
#define TO_V2(history)                                                                             \
    "{spec: {image: 'sei:2'}, status: {" history ", " PLAN("mark-ready-reapply", "now", MARKED) "}}"
#define OLD_POD "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"
#define MARK    TASK("mark-ready", "Pending")
#define MARKED  HANDED("mark-ready", "{}")

static const struct {
    const char *name;
    Given given;
    const char *plan;
    bool is_new, finished, awaits_fleet;
} cases[] = {
    {"a plan of the spec as it is goes on, whatever the pod looks like",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}",
            .pod = OLD_POD},
        "node-update: apply-statefulset+ apply-service+ replace-pod+ observe-image mark-ready"},
    {"a StatefulSet that goes missing arms its step again, and those that look at its pods",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}",
            .statefulset = GONE},
        "node-update: apply-statefulset apply-service+ replace-pod observe-image mark-ready"},
    {"a Service that goes missing arms its step again",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}",
            .service = GONE},
        "node-update: apply-statefulset+ apply-service replace-pod+ observe-image mark-ready"},
    {"a StatefulSet that is edited in between arms its step again",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}",
            .statefulset = "{$ownedHash: 'edited'}"},
        "node-update: apply-statefulset apply-service+ replace-pod observe-image mark-ready"},
    {"changed settings arm no step again",
        {.node = "{status: {plan: {appliedHash: 'hash-before', id: 'old', kind: 'node-update',"
                 " targetHash: 'now', phase: 'Active', tasks: [" UPDATE_TASKS(
                     "Complete", "Complete", "Complete", "Pending", MARK) "]}}}",
            .statefulset = "{$ownedHash: 'before'}"},
        "node-update: apply-statefulset+ apply-service+ replace-pod+ observe-image mark-ready"},
    {"a missing object without a step brings the repair",
        {.node = "{status: {" PLAN("mark-ready-reapply", "now", MARK) "}}", .service = GONE},
        REPAIR_PLAN,
        true,
        true},
    {"a repair that is needed still awaits the submitted task",
        {.node = "{status: {" PLAN("mark-ready-reapply", "now", MARKED) "}}", .service = GONE},
        REPAIR_PLAN " mark-ready*!",
        true,
        true},
    {"a StatefulSet that was edited without a step brings the repair",
        {.node = "{status: {" PLAN("mark-ready-reapply", "now", MARK) "}}",
            .statefulset = "{$ownedHash: 'edited'}",
            .hand_edited_set = true},
        REPAIR_PLAN,
        true,
        true},
    {"a missing Service brings the repair and the submitted task is awaited",
        {.node = "{status: {" PLAN("mark-ready-reapply", "now", MARKED) "}}",
            .service = "{$ownedHash: 'edited'}"},
        REPAIR_PLAN " mark-ready*!",
        true,
        true},
    {"no repair right after a repair: another controller edits it repeatedly",
        {.node = "{status: {history: [" REPAIRED "], " PLAN("mark-ready-reapply", "now", MARK) "}}",
            .service = "{$ownedHash: 'edited'}"},
        "mark-ready-reapply: mark-ready"},
    {"a repair that has only to wait makes room for another when it is older than that",
        {.node = "{status: {" PLAN_OF(
             "repair", "2026-11-15T11:59:49Z", REPAIR_DONE MARKED_BEFORE) "}}",
            .service = "{$ownedHash: 'edited'}"},
        REPAIR_PLAN " mark-ready*!",
        true,
        true},
    {"a repair that has only to wait keeps waiting when it is younger",
        {.node = "{status: {" PLAN_OF(
             "repair", "2026-11-15T11:59:51Z", REPAIR_DONE MARKED_BEFORE) "}}",
            .service = "{$ownedHash: 'edited'}"},
        "repair: apply-rbac-proxy-config+ apply-statefulset+ apply-service+ mark-ready*!"},
    {"a missing object is created again at once",
        {.node = "{status: {" PLAN_OF(
             "repair", "2026-11-15T11:59:51Z", REPAIR_DONE MARKED_BEFORE) "}}",
            .service = GONE},
        "repair: apply-rbac-proxy-config+ apply-statefulset+ apply-service mark-ready*!"},
    {"no repair for a rendering that waits for its turn",
        {.node = "{status: {" PLAN("mark-ready-reapply", "now", MARK) "}}",
            .service = "{$ownedHash: 'of v1'}",
            .pod = OLD_POD,
            .no_permit = true},
        "mark-ready-reapply: mark-ready"},
    {"a node that awaits its fleet reports it while its sidecar is approved",
        {.node = TO_V2("history: []"), .of_fleet = true, .pod = OLD_POD},
        "mark-ready-reapply: mark-ready*",
        .awaits_fleet = true},
    {"the approval does not delay the node when its turn comes",
        {.node = TO_V2("history: []"), .pod = OLD_POD, .explained = true},
        "node-update: apply-statefulset apply-service replace-pod observe-image mark-ready*! "
        "mark-ready",
        true,
        true},
    {"while the last update backs off it stays",
        {.node = TO_V2("history: [" UPDATE_FAILED "]"), .pod = OLD_POD, .explained = true},
        "mark-ready-reapply: mark-ready*"},
    {"while the StatefulSet is held a repair of the others goes first",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Pending", "Pending", "Pending", "Pending", MARK)) "}}",
            .service = GONE,
            .volume = GONE,
            .volume_absent_for_sure = true},
        "repair: apply-rbac-proxy-config apply-service",
        true,
        true},
    {"an edit of the spec supersedes an update",
        {.node = "{spec: {image: 'sei:2'}, status: {" PLAN("node-update", "before",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}",
            .pod = OLD_POD,
            .explained = true},
        UPDATE_PLAN,
        true,
        true},
    {"an edit that supersedes an update awaits the submitted approval",
        {.node = "{spec: {image: 'sei:2'}, status: {" PLAN("node-update", "before",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Complete", MARKED)) "}}",
            .pod = OLD_POD,
            .explained = true},
        "node-update: apply-statefulset apply-service replace-pod observe-image mark-ready*! "
        "mark-ready",
        true,
        true},
    {"an edit that is taken back in time leaves nothing to do",
        {.node = "{status: {" PLAN("node-update", "before",
             UPDATE_TASKS("Pending", "Pending", "Pending", "Pending", MARK)) "}}"},
        "",
        false,
        true},
    {"an edit that is reverted after the apply leaves a repair",
        {.node = "{status: {" PLAN("node-update", "before",
             UPDATE_TASKS("Complete", "Pending", "Pending", "Pending", MARK)) "}}",
            .statefulset = "{$ownedHash: 'of v2'}"},
        REPAIR_PLAN,
        true,
        true},
    {"an edit that is reverted after the pod was replaced leaves another update",
        {.node = "{status: {specHash: 'of v2', " PLAN("node-update", "before",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}",
            .pod = OLD_POD,
            .explained = true},
        UPDATE_PLAN,
        true,
        true},
    {"an approval at work with nothing else to do is carried over",
        {.node = "{status: {" PLAN("node-update", "before",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Complete", MARKED)) "}}"},
        "mark-ready-reapply: mark-ready*",
        true,
        true},
    {"an init replaces a pod of an older template that came up behind its back",
        {.node = "{status: {phase: 'Initializing', " PLAN("init", "now",
             TASK("apply-statefulset", "Complete") "," TASK(
                 "apply-service", "Complete") "," MARK) "}}",
            .pod = OLD_POD},
        "init: apply-statefulset+ replace-pod apply-service+ mark-ready",
        true},
    {"an init in a running node is given up",
        {.node = "{status: {" PLAN("init", "now", TASK("config-apply", "Pending")) "}}"},
        "",
        false,
        true},
    {"a plan of the Go operator gets a target hash and continues, with its StatefulSet applied "
     "again",
        {.node = "{status: {plan: {id: 'old', phase: 'Active', tasks: [" UPDATE_TASKS(
             "Complete", "Complete", "Complete", "Pending", MARK) "]}}}"},
        "node-update: apply-statefulset apply-service+ replace-pod observe-image mark-ready",
        true},
    {"a plan without a target that is not of the Go operator is left alone",
        {.node = "{status: {plan: {id: 'old', kind: 'repair', phase: 'Active', tasks: []}}}"},
        "repair:"},
};

TEST(a_plan_at_work_is_kept_or_superseded_as_its_target_requires)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_int(p->d.plan_is_new, cases[i].is_new);
        then_int(p->d.finished, cases[i].finished);
        then_int(p->d.awaits_fleet, cases[i].awaits_fleet);
        if (cases[i].finished)
            then_str(p->d.status.history.items[0].result, "Superseded");
    }
}

TEST(a_plan_of_the_go_operator_gets_the_current_target_hash)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(
        a, &(Given){.node = "{status: {plan: {id: 'old', phase: 'Active', tasks: [" MARK "]}}}"});

    then_str(p->d.status.plan.target_hash, node_spec_hash(a, &p->node));
    then_str(p->d.status.plan.id, "old");
    then_int(p->d.status.plan.generation, 3);
}

static const struct {
    const char *name;
    Given given;
    bool asks;
} unclear[] = {
    {"while a step that looks at the pod is left",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Pending", MARK)) "}}"},
        true},
    {"while the pod is to be replaced",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Pending", "Pending", MARK)) "}}"},
        true},
    {"not when that is over",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Complete", "Complete", MARK)) "}}"}},
    {"not when it is known",
        {.node = "{status: {" PLAN("node-update", "now",
             UPDATE_TASKS("Complete", "Complete", "Pending", "Pending", MARK)) "}}",
            .hand_edit = EDIT_TEMPLATE}},
    {"not by a plan that leaves the pod alone",
        {.node = "{status: {" PLAN("mark-ready-reapply", "now", MARK) "}}"}},
};

TEST(an_update_plan_asks_for_the_origin_of_its_pod_if_that_is_unclear)
{
    each_case(i, unclear) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Given given = unclear[i].given;
        given.pod = "{metadata: {labels: {'controller-revision-hash': 'a-0'}}}";

        then_int(plan_given(a, &given)->d.needs_hand_edit, unclear[i].asks);
    }
}

TEST(a_plan_of_an_unknown_kind_is_reported_as_unknown_plan_and_frozen)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a,
        &(Given){
            .node = "{status: {plan: {id: 'old', kind: 'repair', phase: 'Active', tasks: []}}}"});

    then_str(stall_text(&p->d), "UnknownPlan");
    then_true(p->d.frozen);
}
