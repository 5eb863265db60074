/* Drift of a Running node: noticed, explained, rolled at once or in its turn. */
#include "tests/sei/plan/given.h"

#define OTHER_HASH  "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"
#define NEW_IMAGE   "{spec: {image: 'sei:2'}}"
#define NOT_STARTED "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}, status: null}"
/* Its last update made a pod of another template, and was not seen to the end. */
#define EDITED(cause)                                                                              \
    "{metadata: {generation: 4}, status: {drift: {cause: '" cause "', fields: [{path: 'x'}]},"     \
    " plan: {id: 'p', kind: 'node-update', targetHash: 'of before', appliedHash: 'hash-old',"      \
    " phase: 'Active', tasks: [{type: 'observe-image', id: 't', status: 'Pending'}]}}}"
#define RESTART(status)                                                                            \
    "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '" NOW "'}}, status: " status  \
    "}"
#define FAILED_PLAN(ended)                                                                         \
    "{status: {plan: {id: 'p', kind: 'node-update', targetHash: 'now', phase: 'Failed',"           \
    " tasks: []}, history: [" ended "]}}"
#define ENDED(kind, result, at)                                                                    \
    "{id: 'p', kind: '" kind "', result: '" result "', finishedAt: '2026-11-15T" at "Z'}"
#define WITH_CONFIG                                                                                \
    "node-update: apply-rbac-proxy-config apply-statefulset apply-service replace-pod "            \
    "observe-image mark-ready"

#define LEFT_BY_FLEET(generation, reason, plan)                                                    \
    "{metadata: {generation: " generation ", annotations: {'sei.io/released-spec': 'another'}},"   \
    " spec: {image: 'sei:2'}, status: {drift: {cause: 'spec', fields: [{path: 'x'}]}," plan        \
    " conditions: [{type: 'UpToDate', status: 'False', reason: '" reason "'}]}}"
#define FAILED_OF(cause)                                                                           \
    " plan: {id: 'old', kind: 'node-update', cause: '" cause "', generation: 3, phase: 'Failed',"  \
    " tasks: []},"

#define OF_THE_REFERENCE                                                                           \
    "{type: 'apply-statefulset', id: 't0', status: 'Complete'},"                                   \
    "{type: 'replace-pod', id: 't1', status: 'Pending'},"                                          \
    "{type: 'observe-image', id: 't2', status: 'Pending'},"                                        \
    "{type: 'mark-ready', id: 't3', status: 'Pending'}"

static const struct {
    const char *name;
    Given given;
    const char *plan, *cause;
    bool asks, wants_permit, awaits_fleet;
    int64_t again_ms;
} cases[] = {
    {"another image is drift of the spec",
        {.node = NEW_IMAGE, .pod = OTHER_HASH, .explained = true},
        UPDATE_PLAN,
        "spec"},
    {"an image that is not running is drift even when the pod is right",
        {.node = "{spec: {image: 'sei:2'}}", .pod = "{status: null}", .explained = true},
        UPDATE_PLAN,
        "spec"},
    {"before anything is applied the live StatefulSet explains the drift",
        {.node = NEW_IMAGE, .pod = OTHER_HASH},
        "",
        .asks = true},
    {"without a StatefulSet there is nothing to read",
        {.node = NEW_IMAGE, .pod = OTHER_HASH, .statefulset = GONE},
        UPDATE_PLAN,
        "spec"},
    {"another template with the same spec is drift of the platform",
        {.pod = OTHER_HASH, .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"drift of the platform waits for its turn",
        {.pod = OTHER_HASH, .explained = true, .no_permit = true},
        "",
        "platform",
        .wants_permit = true},
    {"drift of the platform is explained while it waits",
        {.pod = OTHER_HASH, .no_permit = true},
        "",
        .asks = true,
        .wants_permit = true},
    {"once",
        {.pod = OTHER_HASH,
            .no_permit = true,
            .node = "{status: {drift: {cause: 'platform', fields: [{path: 'x'}]}}}"},
        "",
        "platform",
        .wants_permit = true},
    {"a change of the spec needs no permit",
        {.node = NEW_IMAGE, .pod = OTHER_HASH, .explained = true, .no_permit = true},
        UPDATE_PLAN,
        "spec"},
    {"a change of the spec by another manager than the fleet waits for the fleet",
        {.node = NEW_IMAGE, .of_fleet = true, .pod = OTHER_HASH, .explained = true},
        "",
        "spec",
        .awaits_fleet = true},
    {"a change that waits for the fleet is explained",
        {.node = NEW_IMAGE, .of_fleet = true, .pod = OTHER_HASH},
        "",
        .asks = true,
        .awaits_fleet = true},
    {"a permit of the platform does not release a change that waits for the fleet",
        {.node = "{spec: {image: 'sei:2'}, status: {drift: {cause: 'spec', fields: []}}}",
            .of_fleet = true,
            .pod = OTHER_HASH},
        "",
        "spec",
        .awaits_fleet = true},
    {"a pod that is lost while its node waits for the fleet comes back as it was",
        {.node = "{spec: {sidecar: {image: 'seictl:9'}}}",
            .of_fleet = true,
            .pod = GONE,
            .statefulset = "{$ownedHash: 'old'}",
            .explained = true},
        "",
        "spec",
        .awaits_fleet = true},
    {"no repair applies the waiting edit to the StatefulSet",
        {.node = NEW_IMAGE,
            .of_fleet = true,
            .pod = OTHER_HASH,
            .statefulset = "{$ownedHash: 'old'}",
            .service = GONE,
            .explained = true},
        "repair: apply-rbac-proxy-config apply-service",
        "spec",
        .awaits_fleet = true},
    {"a missing StatefulSet is created again while the edit waits",
        {.node = NEW_IMAGE, .of_fleet = true, .pod = OTHER_HASH, .statefulset = GONE},
        REPAIR_PLAN,
        "spec",
        .awaits_fleet = true},
    {"what the operator changes is none of that",
        {.of_fleet = true, .pod = OTHER_HASH, .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"a plan of the Go operator that is about to delete the pod is superseded",
        {.node = "{spec: {image: 'sei:2'}, status: {specHash: null, plan: {id: 'old',"
                 " phase: 'Active', tasks: [" OF_THE_REFERENCE "]}}}",
            .of_fleet = true,
            .pod = "{metadata: {annotations: null}}",
            .explained = true},
        "",
        "spec",
        .awaits_fleet = true},
    {"a node whose deleted fleet left it waiting takes its turn in the chain",
        {.node = LEFT_BY_FLEET("3", "AwaitsFleet", ""), .pod = OTHER_HASH, .no_permit = true},
        "",
        "spec",
        .wants_permit = true},
    {"a node whose deleted fleet left it waiting keeps waiting for its permit",
        {.node = LEFT_BY_FLEET("3", "SpecDrift", ""), .pod = OTHER_HASH, .no_permit = true},
        "",
        "spec",
        .wants_permit = true},
    {"a node whose update failed in its turn takes its turn in the chain",
        {.node = LEFT_BY_FLEET("3", "SpecDrift", FAILED_OF("platform")),
            .pod = OTHER_HASH,
            .no_permit = true},
        "",
        "spec",
        .wants_permit = true},
    {"a node without a fleet that is edited again needs no turn",
        {.node = LEFT_BY_FLEET("4", "SpecDrift", ""),
            .pod = OTHER_HASH,
            .no_permit = true,
            .explained = true},
        UPDATE_PLAN,
        "spec"},
    {"a node without a fleet needs no turn after a failed update",
        {.node = LEFT_BY_FLEET("3", "SpecDrift", FAILED_OF("spec")),
            .pod = OTHER_HASH,
            .no_permit = true,
            .explained = true},
        UPDATE_PLAN,
        "spec"},
    {"missing objects are repaired while drift of the platform waits",
        {.pod = OTHER_HASH, .explained = true, .no_permit = true, .service = GONE},
        REPAIR_PLAN,
        "platform",
        .wants_permit = true},
    {"a manual edit is reverted while drift of the platform waits",
        {.pod = OTHER_HASH,
            .explained = true,
            .no_permit = true,
            .hand_edited_set = true,
            .statefulset = "{$ownedHash: 'edited'}"},
        REPAIR_PLAN,
        "platform",
        .wants_permit = true},
    {"a new rendering is not applied before the turn of the node",
        {.pod = OTHER_HASH,
            .explained = true,
            .no_permit = true,
            .statefulset = "{$ownedHash: 'old'}",
            .config = "{$ownedHash: 'old'}"},
        "",
        "platform",
        .wants_permit = true},
    {"a restart that is asked for is drift of the spec",
        {.node = "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '" NOW "'}}}",
            .pod = OTHER_HASH,
            .explained = true,
            .no_permit = true},
        UPDATE_PLAN,
        "spec"},
    {"a restart of a child that its fleet has never written does not wait for the fleet",
        {.node = RESTART("{}"), .of_fleet = true, .pod = OTHER_HASH, .explained = true},
        UPDATE_PLAN,
        "spec"},
    {"a restart that was recorded before does not wait for the fleet",
        {.node = RESTART("{restartedAt: '" NOW "'}"),
            .of_fleet = true,
            .pod = OTHER_HASH,
            .explained = true},
        UPDATE_PLAN,
        "spec"},
    {"a restart with another image waits for the fleet",
        {.node = RESTART("{}, spec: {image: 'sei:2'}"),
            .of_fleet = true,
            .pod = OTHER_HASH,
            .explained = true},
        "",
        "spec",
        .awaits_fleet = true},
    {"a spec that goes back before the pod of the last edit has started is drift of the spec",
        {.node = EDITED("spec"), .pod = NOT_STARTED, .explained = true, .no_permit = true},
        UPDATE_PLAN,
        "spec"},
    {"a spec that goes back after the pod of the last edit has started is drift of the spec",
        {.node = EDITED("spec"), .pod = OTHER_HASH, .explained = true, .no_permit = true},
        UPDATE_PLAN,
        "spec"},
    {"a spec that another manager than the fleet puts back waits for the fleet",
        {.node = EDITED("spec"), .of_fleet = true, .pod = NOT_STARTED, .explained = true},
        "",
        "spec",
        .awaits_fleet = true},
    {"a pod that the operator wanted and wants no more is drift of the platform",
        {.node = EDITED("platform"), .pod = NOT_STARTED, .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"a pod that a reverted edit never reached is drift of the platform",
        {.node = "{status: {podTemplateHash: 'hash-old', drift: {cause: 'spec', fields: []}}}",
            .pod = OTHER_HASH,
            .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"another config of the proxy is applied in front",
        {.pod = "{metadata: {annotations: {'sei.io/template-hash': 'hash-old',"
                " 'sei.io/config-hash': 'config-old'}}}",
            .explained = true},
        WITH_CONFIG,
        "platform"},
    {"a missing config of the proxy is applied in front",
        {.pod = OTHER_HASH, .config = GONE, .explained = true},
        WITH_CONFIG,
        "platform"},
    {"a pod of the same hash and another revision is looked into",
        {.pod = "{metadata: {labels: {'controller-revision-hash': 'a-0'}}}"},
        "",
        .asks = true},
    {"a pod of another revision is not examined before its StatefulSet is correct",
        {.pod = "{metadata: {labels: {'controller-revision-hash': 'a-0'}}}",
            .statefulset = "{$ownedHash: 'edited'}",
            .hand_edited_set = true},
        REPAIR_PLAN},
    {"a difference in metadata does not make it stale",
        {.pod = "{metadata: {labels: {'controller-revision-hash': 'a-0'}}}",
            .hand_edit = EDIT_METADATA_ONLY},
        ""},
    {"a manual edit in the pod makes it stale",
        {.pod = "{metadata: {labels: {'controller-revision-hash': 'a-0'}}}",
            .hand_edit = EDIT_TEMPLATE,
            .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"a node that was scaled down by hand is not rolled",
        {.node = NEW_IMAGE, .pod = GONE, .scaled_by_hand = true, .explained = true},
        ""},
    {"a pod that is terminating is no pod",
        {.pod = "{metadata: {deletionTimestamp: '" NOW "',"
                " annotations: {'sei.io/template-hash': 'hash-old'}}}"},
        ""},
    {"after a failed update it backs off",
        {.node = FAILED_PLAN(ENDED("node-update", "Failed", "11:59:55")),
            .pod = OTHER_HASH,
            .explained = true},
        "",
        .again_ms = 5000},
    {"the backoff doubles after the second failed update",
        {.node = FAILED_PLAN(ENDED("node-update", "Failed", "11:50:00") "," ENDED(
             "repair", "Complete", "11:51:00") "," ENDED("node-update", "Failed", "11:59:55")),
            .pod = OTHER_HASH,
            .explained = true},
        "",
        .again_ms = 15000},
    {"a success in between resets the count of failures",
        {.node = FAILED_PLAN(ENDED("node-update", "Failed", "11:50:00") "," ENDED(
             "node-update", "Complete", "11:51:00") "," ENDED("node-update", "Failed", "11:59:55")),
            .pod = OTHER_HASH,
            .explained = true},
        "",
        .again_ms = 5000},
    {"when the time is over it tries again",
        {.node = FAILED_PLAN(ENDED("node-update", "Failed", "11:59:50")),
            .pod = OTHER_HASH,
            .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"a corrected spec does not wait",
        {.node = "{metadata: {generation: 4}, status: {plan: {id: 'p', kind: 'node-update',"
                 " targetHash: 'of before', phase: 'Failed', tasks: []}, history: [" ENDED(
                     "node-update", "Failed", "11:59:55") "]}}",
            .pod = OTHER_HASH,
            .explained = true},
        UPDATE_PLAN,
        "platform"},
    {"a retry of a user does not wait for the backoff",
        {.node = "{metadata: {annotations: {'sei.io/retry': '1'}}, status: {plan: {id: 'p',"
                 " kind: 'node-update', targetHash: 'now', phase: 'Failed', tasks: []}, history: "
                 "[" ENDED("node-update", "Failed", "11:59:55") "]}}",
            .pod = OTHER_HASH,
            .explained = true},
        UPDATE_PLAN,
        "platform"},
};

TEST(drift_of_a_running_node_is_rolled_out_at_once_or_waits_for_its_permit)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = plan_given(a, &cases[i].given);
        bool asks = p->d.needs_explanation || p->d.needs_hand_edit || p->d.needs_volume_proof;

        then_str(plan_text(a, &p->d.status), cases[i].plan);
        then_str(p->d.status.drift.cause, cases[i].cause);
        then_int(asks, cases[i].asks);
        then_int(p->d.wants_permit, cases[i].wants_permit);
        then_int(p->d.awaits_fleet, cases[i].awaits_fleet);
        then_int(p->d.again_after_ms, cases[i].again_ms);
    }
}

TEST(the_backoff_of_failed_updates_never_exceeds_five_minutes)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a, &(Given){.node = FAILED_PLAN(), .pod = OTHER_HASH, .explained = true});

    for (int i = 0; i < PLAN_HISTORY_MAX; i++)
        plan_history_add(&p->node.status.history,
            &(PlanEnded){.id = "p", .kind = "node-update", .result = "Failed", .finished_at = NOW});
    then_ok(plan_node(a, &p->s, &p->d));
    then_int(p->d.again_after_ms, 300000);
}

TEST(drift_shows_the_template_hashes_if_the_statefulset_is_already_current)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a, &(Given){.pod = OTHER_HASH, .explained = true});

    p->s.explained.count = 0;
    then_ok(plan_node(a, &p->s, &p->d));
    then_int(p->d.status.drift.count, 1);
    then_str(p->d.status.drift.fields[0].have, "hash-old");
    then_str(p->d.status.drift.fields[0].want, "hash-now");
}

TEST(the_image_and_the_hash_that_a_pod_was_made_from_are_recorded)
{
    static const struct {
        const char *name, *node, *pod, *image, *hash;
    } pods[] = {
        {"the image of a current pod is the rendered one, whatever a webhook made of it",
            "{status: {currentImage: 'sei:0', podTemplateHash: 'hash-old'}}",
            "{spec: {containers: [{name: 'seid', image: 'mirror/sei:1'}]}}",
            "sei:1",
            "hash-now"},
        {"while no seid has started the last values stand",
            "{status: {currentImage: 'sei:0', podTemplateHash: 'hash-old'}}",
            "{status: {containerStatuses: null}}",
            "sei:0",
            "hash-old"},
        {"of a stale pod it is the pod's own",
            NULL,
            "{metadata: {annotations: {'sei.io/template-hash': 'hash-other'}},"
            " spec: {containers: [{name: 'seid', image: 'sei:9'}]}}",
            "sei:9",
            "hash-other"},
        {"of a stale pod that was recorded before, what was recorded",
            "{status: {podTemplateHash: 'hash-old'}}",
            "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}},"
            " spec: {containers: [{name: 'seid', image: 'mirror/sei:1'}]}}",
            "sei:1",
            "hash-old"},
    };
    each_case(i, pods) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p =
            plan_given(a, &(Given){.node = pods[i].node, .pod = pods[i].pod, .explained = true});

        then_str(p->d.status.current_image, pods[i].image);
        then_str(p->d.status.pod_template_hash, pods[i].hash);
    }
}

TEST(a_current_pod_records_the_spec_hash_that_it_was_made_from)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.node = "{status: {specHash: 'of before'}}"});

    then_str(p->d.status.spec_hash, node_spec_hash(a, &p->node));
}
