/* One node as batches see it. */
#include "sei/plan/batch.h"

#include "base/str.h"
#include "kube/timestamp.h"
#include "sei/api/fleet_hash.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

enum { MINUTE_MS = 60000 };

#define COND(type, status, reason)                                                                 \
    "{type: '" type "', status: '" status "', reason: '" reason                                    \
    "', lastTransitionTime: '2026-01-01T00:09:00Z'}"
#define READY   COND("Ready", "True", "Available")
#define UNREADY COND("Ready", "False", "PodNotReady")
#define UNPAUSED(since)                                                                            \
    "{type: 'Paused', status: 'False', reason: 'NotPaused', lastTransitionTime: '" since "'}"
#define STATUS(phase, conditions, more)                                                            \
    "{status: {phase: '" phase "', observedGeneration: 1, conditions: [" conditions "]" more "}}"
#define PLAN(kind, phase)                                                                          \
    ", plan: {id: 'p', kind: '" kind "', cause: 'spec', phase: '" phase "', tasks: []}"

static const char ready_pod[] = "{status: {conditions: [{type: 'Ready', status: 'True'}]}}";
static const char sick_pod[] = "{status: {conditions: [{type: 'Ready', status: 'False'}]}}";
static const char ending_pod[] = "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'},"
                                 " status: {conditions: [{type: 'Ready', status: 'True'}]}}";

/* The child of a fleet that did not write what it asks for, or has released it after that. */
#define CHILD(released, rest)                                                                      \
    "{metadata: {name: 'rpc-0', annotations: {'sei.io/released-spec': '" released "'},"            \
    " ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'rpc',"   \
    " uid: 'u', controller: true}]}, status: {phase: 'Running', observedGeneration: 1,"            \
    " conditions: [" READY ", " COND("UpToDate", "False", "AwaitsFleet") "]" rest "}}"

/* Pods whose seid is as said, while the exporter beside it is not Ready. */
#define POD_OF(seid, state)                                                                        \
    "{status: {conditions: [{type: 'Ready', status: 'False'}], containerStatuses: ["               \
    "{name: 'seid', ready: " seid ", state: " state "},"                                           \
    " {name: 'cosmos-exporter', ready: false, state: {running: {}}}]}}"
static const char helper_sick_pod[] = POD_OF("true", "{running: {}}");
static const char probe_fails_pod[] = POD_OF("false", "{running: {}}");
static const char crashed_pod[] = POD_OF("false", "{waiting: {reason: 'CrashLoopBackOff'}}");

#define SEID(ready, since) ", seid: {ready: " ready ", since: '" since "'}"

#define ENDED(kind, result, at)                                                                    \
    ", history: [{id: 'p', kind: '" kind "', result: '" result "', finishedAt: '" at "'}]"

/* For how long seid counts as down; -1: it does not. */
static const struct {
    const char *name, *conditions, *more, *pod;
    int64_t down_ms;
    bool is_paused;
} seids[] = {
    {"a helper container is not Ready",
        UNREADY,
        SEID("true", "2026-01-01T00:05:00Z"),
        helper_sick_pod,
        -1},
    {"seid fails its probe",
        UNREADY,
        SEID("false", "2026-01-01T00:08:00Z"),
        probe_fails_pod,
        120000},
    {"seid crashes", UNREADY, SEID("false", "2026-01-01T00:08:00Z"), crashed_pod, 120000},
    {"there is no pod", UNREADY, SEID("false", "2026-01-01T00:08:00Z"), NULL, 120000},
    {"seid went down, which is not stored yet",
        UNREADY,
        SEID("true", "2026-01-01T00:05:00Z"),
        probe_fails_pod,
        0},
    {"the pod was Ready, and what has changed is not stored yet", READY, "", crashed_pod, 0},
    {"seid is Ready again, which is not stored yet",
        UNREADY,
        SEID("false", "2026-01-01T00:08:00Z"),
        helper_sick_pod,
        -1},
    {"seid never was Ready", UNREADY, "", probe_fails_pod, -1},
    {"an older status has no record, and the node was Ready after its init",
        UNREADY,
        ENDED("init", "Complete", "2026-01-01T00:05:00Z"),
        probe_fails_pod,
        0},
    {"an older status has no record, and the node was never Ready after its init",
        UNREADY,
        ENDED("init", "Complete", "2026-01-01T00:09:00Z"),
        probe_fails_pod,
        -1},
    {"an older status has no record, and the init failed once before",
        UNREADY,
        ENDED("init", "Failed", "2026-01-01T00:05:00Z"),
        probe_fails_pod,
        -1},
    {"an update stopped seid",
        UNREADY,
        SEID("true", "2026-01-01T00:05:00Z") ", plan: {id: 'p', kind: 'node-update', cause: 'spec',"
                                             " startedAt: '2026-01-01T00:09:30Z', phase: 'Active',"
                                             " tasks: []}",
        NULL,
        30000},
    {"a pause stopped seid",
        UNREADY ", " COND("Paused", "True", "Paused"),
        SEID("true", "2026-01-01T00:05:00Z"),
        NULL,
        MINUTE_MS,
        .is_paused = true},
    {"seid was down before a pause that ended",
        UNREADY ", " UNPAUSED("2026-01-01T00:09:58Z"),
        SEID("false", "2026-01-01T00:05:00Z"),
        NULL,
        2000},
};

/* The letters of what is true: Serves, Updating, Disturbed, Awaits, Refuses, Once ready, Paused,
 * Back from a pause, Failed, Leaving. */
static const struct {
    const char *name, *node, *pod, *want;
    int64_t since_ms;
} cases[] = {
    {"serves", STATUS("Running", READY, ""), ready_pod, "SO", MINUTE_MS},
    {"has no pod", STATUS("Running", UNREADY, ""), NULL, "O", MINUTE_MS},
    {"has a pod that is not Ready", STATUS("Running", UNREADY, ""), sick_pod, "O", MINUTE_MS},
    {"has a pod that ends, Ready or not", STATUS("Running", READY, ""), ending_pod, "O", 0},
    {"became Ready, which is not stored yet", STATUS("Running", UNREADY, ""), ready_pod, "SO", 0},
    {"no condition says since when", STATUS("Running", "", ""), ready_pod, "SO", 0},
    {"was unready for a time that was not seen",
        STATUS("Running", READY, ""),
        "{status: {conditions: [{type: 'Ready', status: 'True',"
        " lastTransitionTime: '2026-01-01T00:09:57Z'}]}}",
        "SO",
        3000},
    {"has a pod that is older than its own word",
        STATUS("Running", READY, ""),
        "{status: {conditions: [{type: 'Ready', status: 'True',"
        " lastTransitionTime: '2026-01-01T00:01:00Z'}]}}",
        "SO",
        MINUTE_MS},
    {"was paused until a moment ago",
        STATUS("Running", UNREADY ", " UNPAUSED("2026-01-01T00:09:58Z"), ""),
        NULL,
        "OB",
        2000},
    {"was paused until now, and has not seen the end of it",
        STATUS("Running", UNREADY ", " COND("Paused", "True", "Paused"), ""),
        NULL,
        "OB",
        0},
    {"has come back from a pause",
        STATUS("Running", READY ", " UNPAUSED("2026-01-01T00:08:30Z"), ""),
        ready_pod,
        "SO",
        MINUTE_MS},
    {"became unready, which is not stored yet",
        STATUS("Running", READY ", " UNPAUSED("2026-01-01T00:08:30Z"), ""),
        sick_pod,
        "O",
        0},
    {"is paused, and its pod cannot be stopped",
        "{spec: {paused: true}, status: {phase: 'Running', observedGeneration: 1,"
        " conditions: [" UNREADY ", " UNPAUSED("2026-01-01T00:09:58Z") "]}}",
        sick_pod,
        "OP",
        MINUTE_MS},
    {"was never paused",
        STATUS("Running", UNREADY ", " UNPAUSED("2026-01-01T00:00:00Z"), ""),
        NULL,
        "O",
        MINUTE_MS},
    {"its sidecar is shut",
        STATUS("Running", UNREADY ", " COND("SidecarReady", "False", "NotReady"), ""),
        ready_pod,
        "O",
        MINUTE_MS},
    {"its sidecar does not answer, which proves nothing",
        STATUS("Running", READY ", " COND("SidecarReady", "Unknown", "Unreachable"), ""),
        ready_pod,
        "SO",
        MINUTE_MS},
    {"is being updated",
        STATUS("Running", READY, PLAN("node-update", "Active")),
        ready_pod,
        "SUDO",
        MINUTE_MS},
    {"was updated",
        STATUS("Running", READY, PLAN("node-update", "Complete")),
        ready_pod,
        "SO",
        MINUTE_MS},
    {"is being repaired, which stops no pod",
        STATUS("Running", READY, PLAN("repair", "Active")),
        ready_pod,
        "SO",
        MINUTE_MS},
    {"was written, and has not seen it",
        "{metadata: {generation: 2}, status: {phase: 'Running', observedGeneration: 1,"
        " conditions: [" READY "]}}",
        ready_pod,
        "SDO",
        MINUTE_MS},
    {"is to be restarted, and has not seen it",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:09:59Z'}},"
        " status: {phase: 'Running', observedGeneration: 1, conditions: [" READY "]}}",
        ready_pod,
        "SDO",
        MINUTE_MS},
    {"was restarted as asked",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:09:59Z'}},"
        " status: {phase: 'Running', observedGeneration: 1, restartedAt: '2026-01-01T00:09:59Z',"
        " conditions: [" READY "]}}",
        ready_pod,
        "SO",
        MINUTE_MS},
    {"its update failed, and is tried again",
        STATUS("Running", READY ", " COND("UpToDate", "False", "SpecDrift"),
            PLAN("node-update", "Failed")),
        ready_pod,
        "SDO",
        MINUTE_MS},
    {"waits for its turn to follow what its fleet left it with",
        "{metadata: {annotations: {'sei.io/released-spec': 'x'}}, status: {phase: 'Running',"
        " observedGeneration: 1, drift: {cause: 'spec'},"
        " conditions: [" READY ", " COND("UpToDate", "False", "SpecDrift") "]}}",
        ready_pod,
        "SO",
        MINUTE_MS},
    {"waits for its turn to follow the operator",
        STATUS("Running", READY ", " COND("UpToDate", "False", "PlatformDrift"), ""),
        ready_pod,
        "SO",
        MINUTE_MS},
    {"was written by another manager than its fleet", CHILD("x", ""), ready_pod, "SAO", MINUTE_MS},
    {"is being updated although its fleet did not write it",
        CHILD("x", PLAN("node-update", "Active")),
        ready_pod,
        "SUDO",
        MINUTE_MS},
    {"was released by its fleet, and has not seen it",
        CHILD("now", ""),
        ready_pod,
        "SDO",
        MINUTE_MS},
    {"was asked to be of another mode",
        STATUS("Running", READY ", " COND("Stalled", "True", "IdentityChanged"), ""),
        ready_pod,
        "SRO",
        MINUTE_MS},
    {"was asked for what cannot be",
        STATUS("Running", READY ", " COND("Stalled", "True", "InvalidSpec"), ""),
        ready_pod,
        "SRO",
        MINUTE_MS},
    {"is being initialized", STATUS("Initializing", UNREADY, ""), sick_pod, "", MINUTE_MS},
    {"is initialized again after it ran",
        STATUS("Initializing", UNREADY, ", identity: {chainId: 'pacific-1', mode: 'fullNode'}"),
        sick_pod,
        "O",
        MINUTE_MS},
    {"its init failed", STATUS("Failed", UNREADY, ""), NULL, "F", MINUTE_MS},
    {"is paused",
        "{spec: {paused: true}, status: {phase: 'Running', observedGeneration: 1,"
        " conditions: [" UNREADY "]}}",
        NULL,
        "OP",
        MINUTE_MS},
    {"is scaled to 0 by hand",
        STATUS("Running", COND("Ready", "False", "ScaledByHand"), ""),
        NULL,
        "OP",
        MINUTE_MS},
    {"is being deleted",
        "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, status: {phase: 'Terminating',"
        " observedGeneration: 1, conditions: [" READY "]}}",
        ready_pod,
        "SL",
        MINUTE_MS},
    {"its clock is ahead of ours",
        "{status: {phase: 'Running', observedGeneration: 1, conditions: [{type: 'Ready',"
        " status: 'True', reason: 'R', lastTransitionTime: '2026-01-01T00:11:00Z'}]}}",
        ready_pod,
        "SO",
        0},
};

static const char *letters(Arena *a, const BatchNode *n)
{
    return str_format(a,
        "%s%s%s%s%s%s%s%s%s%s",
        n->serves ? "S" : "",
        n->updating ? "U" : "",
        n->disturbed ? "D" : "",
        n->awaits ? "A" : "",
        n->refuses ? "R" : "",
        n->once_ready ? "O" : "",
        n->paused ? "P" : "",
        n->resumed ? "B" : "",
        n->failed ? "F" : "",
        n->leaving ? "L" : "");
}

TEST(the_batch_reads_the_state_of_a_node_from_its_status_and_its_pod)
{
    int64_t now_ns;

    then_true(timestamp_parse("2026-01-01T00:10:00Z", &now_ns));
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node = sample_node(a, cases[i].node);
        const Json *pod = cases[i].pod ? json_fixture(a, cases[i].pod) : NULL;
        BatchNode read;

        if (str_eq(node.released_spec, "now"))
            node.released_spec = fleet_released_spec(a, &node.spec);
        batch_node_read(&node, pod, now_ns / 1000000, &read);
        then_str(letters(a, &read), cases[i].want);
        then_int(read.since_ms, cases[i].since_ms);
    }
}

TEST(a_node_counts_as_down_since_its_seid_was_last_ready)
{
    int64_t now_ns;

    then_true(timestamp_parse("2026-01-01T00:10:00Z", &now_ns));
    each_case(i, seids) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const char *status = str_format(a,
            "{%sstatus: {phase: 'Running', observedGeneration: 1, conditions: [%s]%s}}",
            seids[i].is_paused ? "spec: {paused: true}, " : "",
            seids[i].conditions,
            seids[i].more);
        SeiNode node = sample_node(a, status);
        const Json *pod = seids[i].pod ? json_fixture(a, seids[i].pod) : NULL;
        BatchNode read;

        batch_node_read(&node, pod, now_ns / 1000000, &read);
        then_int(read.seid_down, seids[i].down_ms >= 0);
        then_int(read.down_ms, seids[i].down_ms >= 0 ? seids[i].down_ms : 0);
    }
}
