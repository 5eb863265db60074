/* What is said about a node, and how tools read it. */
#include "sei/plan/pod_report.h"
#include "tests/sei/plan/given.h"

#define STALE_POD "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}}"
#define WAITING   "{status: {conditions: [{type: 'Ready', status: 'False'}]}}"
#define UPDATING(phase, rest)                                                                      \
    "{status: {plan: {id: 'p', kind: 'node-update', targetHash: 'now', appliedHash: 'hash-now',"   \
    " phase: '" phase "', " rest " tasks: [{type: 'replace-pod', id: 't', status: 'Failed',"       \
    " error: 'no'}]}, drift: {cause: 'spec', fields: [{path: 'image', have: 'a', want: 'b'}]}}}"
#define APPROVAL_FAILED                                                                            \
    "{status: {plan: {id: 'p', kind: 'mark-ready-reapply', targetHash: 'now', phase: 'Failed',"    \
    " tasks: [{type: 'mark-ready', id: 't', status: 'Failed', error: 'no'}]},"                     \
    " history: [{id: 'p', kind: 'mark-ready-reapply', result: 'Failed',"                           \
    " finishedAt: '2026-11-15T11:59:58Z'}]}}"
#define COND(type, status, reason)                                                                 \
    "{type: '" type "', status: '" status "', reason: '" reason "', message: 'said before',"       \
    " lastTransitionTime: '2026-01-01T00:00:00Z'}"

#define UNREADY_SINCE(time, status)                                                                \
    "{status: {conditions: [{type: 'Ready', status: 'False', lastTransitionTime: "                 \
    "'2026-11-15T" time "Z'}], containerStatuses: [" status "]}}"
#define BAD_IMAGE(reason, time, message)                                                           \
    UNREADY_SINCE(time,                                                                            \
        "{name: 'seid', image: 'x', state: {waiting: {reason: '" reason "', message: '" message    \
        "'}}}")
#define BAD_IMAGE_OF_UPDATE                                                                        \
    "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}, status: {conditions: null,"   \
    " containerStatuses: [{name: 'seid', image: 'x', state: {waiting: {reason: "                   \
    "'ErrImagePull'}}}]}}"
#define BAD_IMAGE_OF_BEFORE                                                                        \
    "{metadata: {annotations: {'sei.io/template-hash': 'hash-old'}}, status: {conditions: [{type:" \
    " 'Ready', status: 'False', lastTransitionTime: '2026-11-15T11:00:00Z'}],"                     \
    " containerStatuses: [{name: 'seid', image: 'x', state: {waiting: {reason: "                   \
    "'ErrImagePull'}}}]}}"
#define CRASHES(count)                                                                             \
    "{name: 'seid', containerID: 'c', restartCount: " count ", state: {waiting: {reason:"          \
    " 'CrashLoopBackOff'}}, lastState: {terminated: {exitCode: 1}}}"
#define SAID(type, message)                                                                        \
    "{type: '" type "', status: 'False', reason: 'PodNotReady', message: '" message                \
    "', lastTransitionTime: '2026-01-01T00:00:00Z'}"
#define NO_SECRET(time)                                                                            \
    "{type: 'SigningKeyReady', status: 'False', reason: 'SigningKeyNotReady', message:"            \
    " 'Secret n/k does not exist', lastTransitionTime: '2026-11-15T" time "Z'}"

#define SEID_POD(ready, seid, helper)                                                              \
    "{status: {conditions: [{type: 'Ready', status: '" ready "'}], containerStatuses: ["           \
    "{name: 'seid', containerID: 'c', ready: " seid ", state: {running: {}}},"                     \
    " {name: 'cosmos-exporter', ready: " helper ", state: {running: {}}}]}}"

#define YOUNG_POD                                                                                  \
    "{metadata: {creationTimestamp: '2026-11-15T11:59:30Z'},"                                      \
    " status: {conditions: [{type: 'Ready', status: 'False'}]}}"

#define LEFT_BY_ITS_FLEET                                                                          \
    {                                                                                              \
        .node = "{metadata: {annotations: {'sei.io/released-spec': 'another'}},"                   \
                " spec: {image: 'sei:2'},"                                                         \
                " status: {conditions: [" COND("UpToDate", "False", "AwaitsFleet") "]}}",          \
        .pod = STALE_POD,                                                                          \
        .no_permit = true,                                                                         \
        .explained = true,                                                                         \
        .permit_wait = "rpc-2 is down",                                                            \
    }

#define PROBE_FAILS "pod a-0: container seid runs, and its readiness probe fails: "
#define PROBE_LOGS  "; see kubectl logs a-0 -c seid"

static const char *cond_text(Arena *a, const NodeStatus *status, const char *type)
{
    const Cond *cond = conds_find(&status->conds, type);

    return cond ? str_format(a, "%s/%s", cond->status, cond->reason) : "absent";
}

/* The decision on a case, with its conditions. */
static Planned *tell_given(Arena *a, const Given *g, const NodeProgress *progress)
{
    Planned *p = plan_given(a, g);

    plan_conditions(a, &p->s, &p->d, progress, &p->d.status);
    return p;
}

#define IN_MAINTENANCE                                                                             \
    "{metadata: {annotations: {'sei.io/maintenance': '{\"run\": \"0123456789ab\", \"by\": "        \
    "\"alice\", \"since\": \"2026-01-01T00:00:00Z\", \"image\": \"analyzer:v1\"}'}}}"

static const struct {
    const char *name;
    Given given;
    NodeProgress progress;
    const char *type, *want, *message;
} cases[] = {
    {"Ready: the pod is", {0}, {0}, COND_READY, "True/Available"},
    {"Ready: the pod is not",
        {.pod = WAITING},
        {0},
        COND_READY,
        "False/PodNotReady",
        "pod a-0: container seid runs, and its readiness probe fails; kubectl describe pod "
        "a-0 shows what the probe got, kubectl logs a-0 -c seid why"},
    {"Ready: the probe of seid fails, and its output is known",
        {.pod = WAITING, .probe_output = "HTTP probe failed with statuscode: 503"},
        {0},
        COND_READY,
        "False/PodNotReady",
        PROBE_FAILS "HTTP probe failed with statuscode: 503" PROBE_LOGS},
    {"Ready: the probe of a helper fails, and its output is known",
        {.pod = SEID_POD("False", "true", "false"), .probe_output = "connection refused"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "pod a-0: container seid is Ready, these are not: cosmos-exporter; probe of "
        "cosmos-exporter: connection refused; see kubectl logs a-0 -c cosmos-exporter"},
    {"Ready: a pod that cannot run says why, whatever a probe got before",
        {.pod = "{status: {conditions: null, containerStatuses: [{name: 'seid', image: 'x',"
                " state: {waiting: {reason: 'ImagePullBackOff', message: 'not found'}}}]}}",
            .probe_output = "x"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "pod a-0: cannot pull image x of container seid: ImagePullBackOff: not found"},
    {"Ready: a pod that cannot run says why",
        {.pod = "{status: {conditions: null, containerStatuses: [{name: 'seid', image: 'x',"
                " state: {waiting: {reason: 'ImagePullBackOff', message: 'not found'}}}]}}"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "cannot pull image x"},
    {"Ready: a pod that is held back",
        {.pod = WAITING, .held_back = "the pod cannot start: no Secret"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "the pod cannot start: no Secret"},
    {"Ready: a pod that is held back no more",
        {.held_back = "x"},
        {0},
        COND_READY,
        "True/Available"},
    {"Ready: a pod that has just been created is not described step by step",
        {.pod = YOUNG_POD},
        {0},
        COND_READY,
        "False/PodNotReady",
        "pod a-0 is starting"},
    {"Ready: a pod that is evicted",
        {.pod = "{metadata: {deletionTimestamp: '" NOW "'}, status: {conditions: [{type: "
                "'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI'}]}}"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "pod a-0: the pod is being evicted: EvictionByEvictionAPI"},
    {"Ready: the first words of a registry stay",
        {.pod = BAD_IMAGE("ErrImagePull", "12:00:00", "dial 10.0.0.1:4242"),
            .node = "{status: {conditions: [" SAID("Ready",
                "pod a-0: cannot pull image x of container seid: ErrImagePull: dial "
                "10.0.0.1:1111") "]}}"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "dial 10.0.0.1:1111"},
    {"Ready: the first words of a registry stay while an old kubelet backs off",
        {.pod = BAD_IMAGE("ImagePullBackOff", "12:00:00", "Back-off pulling image"),
            .node = "{status: {conditions: [" SAID("Ready",
                "pod a-0: cannot pull image x of container seid: ErrImagePull: not found") "]}}"},
        {0},
        COND_READY,
        "False/PodNotReady",
        "x of container seid: ErrImagePull: not found"},
    {"Ready: an update that waits says what is wrong with the pod",
        {.node = "{spec: {image: 'sei:2'}}", .pod = BAD_IMAGE_OF_UPDATE, .explained = true},
        {.waiting = "observe-image: pod a-0: cannot pull image x"},
        COND_READY,
        "False/Updating",
        "an update replaces the pod: pod a-0: cannot pull image x of container seid: ErrImagePull"},
    {"Ready: there is no pod",
        {.pod = GONE},
        {0},
        COND_READY,
        "False/PodNotReady",
        "pod a-0 is terminating or not created yet"},
    {"Ready: the sidecar holds seid back",
        {.health = HEALTH_NOT_READY},
        {0},
        COND_READY,
        "False/SidecarNotReady"},
    {"Ready: a sidecar that does not answer says nothing about seid",
        {.health = HEALTH_UNREACHABLE},
        {0},
        COND_READY,
        "True/Available"},
    {"Ready: paused", {.node = "{spec: {paused: true}}"}, {0}, COND_READY, "False/Paused"},
    {"Ready: scaled down by hand",
        {.scaled_by_hand = true, .pod = GONE},
        {0},
        COND_READY,
        "False/ScaledByHand"},
    {"Ready: another pod has the volume",
        {.statefulset = GONE, .pod = GONE},
        {.waiting = "pod b has it", .reason = "VolumeInUse"},
        COND_READY,
        "False/VolumeInUse",
        "pod b has it"},
    {"Ready: another has the signing key of a node that is to come back",
        {.statefulset = GONE, .pod = GONE},
        {.waiting = "node b has it", .reason = "SigningKeyInUse"},
        COND_READY,
        "False/Stalled"},
    {"Ready: another pod has the signing key of a node in its init",
        {.fresh = true},
        {.waiting = "node b has it", .reason = "SigningKeyInUse"},
        COND_READY,
        "False/Stalled"},
    {"Ready: one that runs beside another with its key serves all the same",
        {.signing_twin = "b"},
        {0},
        COND_READY,
        "True/Available"},
    {"Stalled: another node has the signing key",
        {.fresh = true},
        {.waiting = "node b has it", .reason = "SigningKeyInUse"},
        COND_STALLED,
        "True/SigningKeyInUse",
        "node b has it"},
    {"Reconciling: waiting for a signing key is no progress",
        {.fresh = true},
        {.waiting = "node b has it", .reason = "SigningKeyInUse"},
        COND_RECONCILING,
        "False/Settled"},
    {"Stalled: two run with one key",
        {.signing_twin = "b"},
        {0},
        COND_STALLED,
        "True/SigningKeyShared"},
    {"Ready: in its init", {.fresh = true}, {0}, COND_READY, "False/Initializing"},
    {"Ready: failed",
        {.node = "{status: {phase: 'Failed', identity: null}}"},
        {0},
        COND_READY,
        "False/Failed"},
    {"Ready: stalled before it began",
        {.fresh = true, .node = "{spec: {fullNode: null}}"},
        {0},
        COND_READY,
        "False/Stalled"},
    {"Ready: an edit of the identity does not take a running node down",
        {.node = "{spec: {chainId: 'b'}}"},
        {0},
        COND_READY,
        "True/Available"},
    {"Ready: platform drift that waits leaves it alone",
        {.pod = STALE_POD, .no_permit = true, .explained = true},
        {0},
        COND_READY,
        "True/Available"},
    {"Reconciling: nothing to do", {0}, {0}, COND_RECONCILING, "False/Settled"},
    {"Reconciling: a plan says what it is for",
        {.service = GONE},
        {0},
        COND_RECONCILING,
        "True/Progressing",
        "plan repair is being carried out, because of: Service is missing"},
    {"Reconciling: or what it waits for",
        {.service = GONE},
        {.waiting = "the weather"},
        COND_RECONCILING,
        "True/Progressing",
        "the weather"},
    {"Reconciling: drift that waits is not Current",
        {.pod = STALE_POD, .no_permit = true, .explained = true, .permit_wait = "rpc-2 is down"},
        {0},
        COND_RECONCILING,
        "True/Progressing",
        "the operator or its settings changed, and the node waits for its turn: rpc-2 is down"},
    {"Reconciling: an approval that failed is tried again",
        {.health = HEALTH_NOT_READY, .node = APPROVAL_FAILED},
        {0},
        COND_RECONCILING,
        "True/Progressing",
        "the sidecar waits for mark-ready, which is issued again by itself, see status.history"},
    {"Reconciling: not for a pod that is gone",
        {.health = HEALTH_NOT_READY, .node = APPROVAL_FAILED, .pod = GONE},
        {0},
        COND_RECONCILING,
        "False/Settled"},
    {"Reconciling: nor when the sidecar is ready after all",
        {.health = HEALTH_READY, .node = APPROVAL_FAILED},
        {0},
        COND_RECONCILING,
        "False/Settled"},
    {"Reconciling: a stalled node is not",
        {.node = "{spec: {chainId: 'b'}}", .service = GONE},
        {0},
        COND_RECONCILING,
        "False/Settled"},
    {"Reconciling: a paused node is not",
        {.node = "{spec: {paused: true}}"},
        {0},
        COND_RECONCILING,
        "False/Settled"},
    {"Stalled: nothing needs a person", {0}, {0}, COND_STALLED, "False/NotStalled"},
    {"Stalled: not for an image that cannot be pulled for less than 5 minutes",
        {.pod = BAD_IMAGE("ErrImagePull", "11:55:01", "not found")},
        {0},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: an image that cannot be pulled for 5 minutes",
        {.pod = BAD_IMAGE("ErrImagePull", "11:55:00", "not found")},
        {0},
        COND_STALLED,
        "True/ImagePullFailed",
        "pod a-0: cannot pull image x of container seid: ErrImagePull: not found; correct spec"},
    {"Reconciling: an image that cannot be pulled for 5 minutes is no progress",
        {.pod = BAD_IMAGE("ErrImagePull", "11:55:00", "not found")},
        {0},
        COND_RECONCILING,
        "False/Settled"},
    {"Ready: such a node still says why itself",
        {.pod = BAD_IMAGE("ErrImagePull", "11:55:00", "not found")},
        {0},
        COND_READY,
        "False/PodNotReady",
        "cannot pull image x"},
    {"Stalled: not while an update is about to replace such a pod",
        {.node = "{spec: {image: 'sei:2'}}", .pod = BAD_IMAGE_OF_BEFORE, .explained = true},
        {0},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: not a paused node",
        {.node = "{spec: {paused: true}}", .pod = BAD_IMAGE("ErrImagePull", "11:00:00", "no")},
        {0},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: not for a crash loop of less than 5 minutes",
        {.pod = UNREADY_SINCE("11:55:01", CRASHES("7"))},
        {0},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: a crash loop of 5 minutes",
        {.pod = UNREADY_SINCE("11:55:00", CRASHES("7"))},
        {0},
        COND_STALLED,
        "True/CrashLoop",
        "container seid is crash-looping: exit code 1 (5+ restarts); read its last lines with"},
    {"Stalled: not for two crashes",
        {.pod = UNREADY_SINCE("11:00:00", CRASHES("2"))},
        {0},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: a Secret of the pod is missing for a minute",
        {.pod = UNREADY_SINCE("11:59:00",
             "{name: 'seid', state: {waiting: {reason: 'CreateContainerConfigError',"
             " message: 'secret \"k\" not found'}}}")},
        {0},
        COND_STALLED,
        "True/SecretMissing",
        "secret \"k\" not found; create or correct the Secret"},
    {"Stalled: a Secret that a pod mounts is missing for a minute",
        {.pod = "{status: {conditions: [{type: 'Ready', status: 'False'}, {type: 'PodScheduled',"
                " status: 'True', lastTransitionTime: '2026-11-15T11:59:00Z'}]}}",
            .held_back = "the pod cannot start: Secret n/k does not exist"},
        {0},
        COND_STALLED,
        "True/SecretMissing",
        "Secret n/k does not exist"},
    {"Stalled: a Secret that the init awaits is missing for a minute",
        {.fresh = true, .node = "{status: {conditions: [" NO_SECRET("11:59:00") "]}}"},
        {.waiting = "validate-signing-key: Secret n/k does not exist"},
        COND_STALLED,
        "True/SecretMissing",
        "Secret n/k does not exist"},
    {"Stalled: not before that",
        {.fresh = true, .node = "{status: {conditions: [" NO_SECRET("11:59:01") "]}}"},
        {.waiting = "validate-signing-key: Secret n/k does not exist"},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: no machine takes the pod for 10 minutes",
        {.pod = "{status: {conditions: [{type: 'PodScheduled', status: 'False', message: 'no cpu',"
                " lastTransitionTime: '2026-11-15T11:50:00Z'}]}}"},
        {0},
        COND_STALLED,
        "True/PodUnschedulable",
        "no cpu"},
    {"Stalled: the machine of the pod is lost for 5 minutes",
        {.pod = "{spec: {nodeName: 'w'}, status: {conditions: [{type: 'Ready', status: 'False',"
                " lastTransitionTime: '2026-11-15T11:55:00Z'}, {type: 'ContainersReady',"
                " status: 'True'}]}}"},
        {0},
        COND_STALLED,
        "True/MachineLost",
        "machine w does not report"},
    {"Stalled: never because a readiness probe fails",
        {.pod = UNREADY_SINCE(
             "01:00:00", "{name: 'seid', containerID: 'c', state: {running: {}}}")},
        {0},
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: a failed init says how to go on",
        {.node = "{status: {phase: 'Failed', plan: {id: 'p', kind: 'init', targetHash: 'now',"
                 " phase: 'Failed', failedTaskIndex: 0, tasks: [{type: 'config-apply', id: 't',"
                 " status: 'Failed', error: 'no such key'}]}}}"},
        {0},
        COND_STALLED,
        "True/PlanFailed",
        "task config-apply: no such key; correct the spec, or set the annotation sei.io/retry"},
    {"Stalled: a Secret that holds no key is to be corrected, and not the spec",
        {.node = "{status: {phase: 'Failed', plan: {id: 'p', kind: 'init', targetHash: 'now',"
                 " phase: 'Failed', failedTaskIndex: 0, tasks: [{type: 'validate-signing-key', id:"
                 " 't', status: 'Failed', error: 'Secret a/b has no key'}]}}}"},
        {0},
        COND_STALLED,
        "True/PlanFailed",
        "Secret a/b has no key; correct the Secret, then set the annotation sei.io/retry to a new"},
    {"Stalled: a spec that is refused",
        {.node = "{spec: {fullNode: {snapshotGeneration: {}}}}"},
        {0},
        COND_STALLED,
        "True/InvalidSpec",
        "no sub-struct"},
    {"UpToDate: the pod is what is wanted", {0}, {0}, COND_UP_TO_DATE, "True/UpToDate"},
    {"UpToDate: no pod", {.pod = GONE}, {0}, COND_UP_TO_DATE, "Unknown/NotObserved"},
    {"UpToDate: the spec moved",
        {.node = "{spec: {image: 'sei:2'}}", .pod = STALE_POD, .explained = true},
        {0},
        COND_UP_TO_DATE,
        "False/SpecDrift",
        "spec.containers[seid].image (sei:1 -> sei:2)"},
    {"UpToDate: the spec moved, and not by the fleet of the node",
        {.node = "{spec: {image: 'sei:2'}}", .of_fleet = true, .pod = STALE_POD, .explained = true},
        {0},
        COND_UP_TO_DATE,
        "False/AwaitsFleet",
        "its own template in its turn: spec.containers[seid].image (sei:1 -> sei:2)"},
    {"UpToDate: which its fleet must know also when there is no pod",
        {.node = "{spec: {image: 'sei:2'}}", .of_fleet = true, .pod = GONE, .explained = true},
        {0},
        COND_UP_TO_DATE,
        "False/AwaitsFleet"},
    {"UpToDate: the platform moved",
        {.pod = STALE_POD, .no_permit = true, .explained = true, .permit_wait = "rpc-2 is down"},
        {0},
        COND_UP_TO_DATE,
        "False/PlatformDrift",
        "waits for its turn: rpc-2 is down; "},
    {"UpToDate: the spec moved, and the fleet that should have let it roll is gone",
        LEFT_BY_ITS_FLEET,
        {0},
        COND_UP_TO_DATE,
        "False/SpecDrift",
        "waits for its turn: rpc-2 is down; "},
    {"Reconciling: a node whose fleet is gone",
        LEFT_BY_ITS_FLEET,
        {0},
        COND_RECONCILING,
        "True/Progressing",
        "its fleet is gone, and its pod does not have what it asks for, and the node waits"},
    {"UpToDate: a pod of another operator that differs",
        {.pod = "{metadata: {annotations: null}}",
            .node = "{status: {adopted: {podUID: 'pod-uid', templateHash: 'hash-now'},"
                    " drift: {cause: 'platform', fields: [{path: 'x', have: 'a', want: 'b'}]}}}"},
        {0},
        COND_UP_TO_DATE,
        "False/AdoptedDrift",
        "an eviction would pick up: x (a -> b)"},
    {"UpToDate: a field that only an init reads was edited",
        {.node = "{spec: {overrides: {x: '1'}}, status: {setupHash: 'of before'}}"},
        {0},
        COND_UP_TO_DATE,
        "False/ConfigDrift",
        "take effect when the node is set up anew"},
    {"UpToDate: a running node without a setup hash gets one",
        {.node = "{spec: {overrides: {x: '1'}}}"},
        {0},
        COND_UP_TO_DATE,
        "True/UpToDate"},
    {"Paused: yes", {.node = "{spec: {paused: true}}"}, {0}, COND_PAUSED, "True/Paused"},
    {"Paused: for maintenance",
        {.node = IN_MAINTENANCE},
        {0},
        COND_PAUSED,
        "True/Maintenance",
        "run 0123456789ab by alice since 2026-01-01T00:00:00Z"},
    {"Paused: for a maintenance that cannot be read",
        {.node = "{metadata: {annotations: {'sei.io/maintenance': 'yes'}}}"},
        {0},
        COND_PAUSED,
        "True/Maintenance",
        "sei.io/maintenance cannot be read, and holds the node"},
    {"Ready: in maintenance",
        {.node = IN_MAINTENANCE},
        {0},
        COND_READY,
        "False/Paused",
        "run 0123456789ab by alice since 2026-01-01T00:00:00Z"},
    {"Paused: not a node that was not stopped",
        {.node = IN_MAINTENANCE},
        {.runs_on = true},
        COND_PAUSED,
        "False/NotHeld",
        "is to be paused, and runs on"},
    {"Paused: one that was not stopped says what that waits for",
        {.node = "{spec: {paused: true}}"},
        {.runs_on = true, .waiting = "the volume is going"},
        COND_PAUSED,
        "False/NotHeld",
        "can be stopped: the volume is going"},
    {"Ready: to be paused, and not stopped",
        {.node = IN_MAINTENANCE},
        {.runs_on = true},
        COND_READY,
        "True/Available"},
    {"Reconciling: to be paused, and not stopped",
        {.node = "{spec: {paused: true}}"},
        {.runs_on = true, .waiting = "the volume is going"},
        COND_RECONCILING,
        "True/Progressing",
        "the volume is going"},
    {"Paused: no", {0}, {0}, COND_PAUSED, "False/NotPaused"},
    {"NodeUpdateInProgress: never", {.fresh = true}, {0}, COND_NODE_UPDATE, "False/NotStarted"},
    {"NodeUpdateInProgress: names what drifts",
        {.node = "{spec: {image: 'sei:2'}}", .pod = STALE_POD, .explained = true},
        {0},
        COND_NODE_UPDATE,
        "True/UpdateStarted",
        "spec drift: spec.containers[seid].image (sei:1 -> sei:2)"},
    {"NodeUpdateInProgress: complete",
        {.node = UPDATING("Complete", "")},
        {0},
        COND_NODE_UPDATE,
        "False/UpdateComplete",
        "plan p completed"},
    {"NodeUpdateInProgress: failed, and visible while it backs off",
        {.node = "{status: {plan: {id: 'p', kind: 'node-update', targetHash: 'now',"
                 " phase: 'Failed', failedTaskIndex: 0, tasks: [{type: 'replace-pod', id: 't',"
                 " status: 'Failed', error: 'no'}]}, history: [{id: 'p', kind: 'node-update',"
                 " result: 'Failed', finishedAt: '" NOW "'}]}}",
            .pod = STALE_POD,
            .explained = true},
        {0},
        COND_NODE_UPDATE,
        "False/UpdateFailed",
        "plan p failed: task replace-pod: no"},
    {"NodeUpdateInProgress: another plan leaves it as it was",
        {.node = "{status: {conditions: [" COND(
             "NodeUpdateInProgress", "False", "UpdateFailed") "]}}",
            .service = GONE},
        {0},
        COND_NODE_UPDATE,
        "False/UpdateFailed",
        "said before"},
    {"NodeUpdateInProgress: an edit that was taken back ends it",
        {.node = "{status: {conditions: [" COND("NodeUpdateInProgress", "True",
             "UpdateStarted") "], plan: {id: 'p', kind: 'node-update', targetHash: 'before', "
                              "phase: 'Active',"
                              " tasks: []}}}"},
        {0},
        COND_NODE_UPDATE,
        "False/UpdateComplete",
        "nothing is left to update"},
    {"NodeUpdateInProgress: a repair in between does not",
        {.node = "{status: {conditions: [" COND("NodeUpdateInProgress", "True",
             "UpdateStarted") "], plan: {id: 'p', kind: 'node-update', targetHash: 'now', phase: "
                              "'Active',"
                              " tasks: []}}}",
            .pod = STALE_POD,
            .config = GONE,
            .no_permit = true,
            .explained = true},
        {0},
        COND_NODE_UPDATE,
        "True/UpdateStarted"},
    {"SidecarReady: not asked yet", {0}, {0}, COND_SIDECAR_READY, "Unknown/NotAsked"},
    {"SidecarReady: yes", {.health = HEALTH_READY}, {0}, COND_SIDECAR_READY, "True/Ready"},
    {"SidecarReady: no", {.health = HEALTH_NOT_READY}, {0}, COND_SIDECAR_READY, "False/NotReady"},
    {"SidecarReady: no answer",
        {.health = HEALTH_UNREACHABLE},
        {0},
        COND_SIDECAR_READY,
        "Unknown/Unreachable"},
    {"SidecarReady: paused, it keeps what was said",
        {.node = "{spec: {paused: true}, status: {conditions: [" COND(
             "SidecarReady", "True", "Ready") "]}}",
            .health = HEALTH_NOT_READY},
        {0},
        COND_SIDECAR_READY,
        "True/Ready",
        "said before"},
};

TEST(each_situation_of_a_node_gives_its_condition_and_message)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = tell_given(a, &cases[i].given, &cases[i].progress);

        then_str(cond_text(a, &p->d.status, cases[i].type), cases[i].want);
        const char *message = conds_find(&p->d.status.conds, cases[i].type)->message;
        if (cases[i].message && !strstr(message, cases[i].message))
            then_str(message, cases[i].message);
    }
}

#define CRASH_LOOP                                                                                 \
    "{status: {conditions: [{type: 'Ready', status: 'False'}], containerStatuses: [{name: "        \
    "'seid', containerID: 'c', state: {waiting: {reason: 'CrashLoopBackOff'}},"                    \
    " lastState: {terminated: {exitCode: 1, reason: 'Error'}}}]}}"

static const struct {
    const char *name;
    Given given;
    NodeProgress progress;
    const char *want;
} states[] = {
    {"a node that serves", {0}, {0}, "Available"},
    {"a node whose pod is never Ready", {.pod = WAITING}, {0}, "PodNotReady"},
    {"a node whose seid has just crashed", {.pod = CRASH_LOOP}, {0}, "PodNotReady"},
    {"a node that serves while its volume is being deleted",
        {.volume = "{metadata: {deletionTimestamp: '" NOW "'}}"},
        {0},
        "DataVolumeTerminating"},
    {"a paused node", {.node = "{spec: {paused: true}}"}, {0}, "Paused"},
    {"a node in maintenance", {.node = IN_MAINTENANCE}, {0}, "Maintenance"},
    {"a new node", {.fresh = true}, {0}, "Initializing"},
    {"a node that waits for a signing key",
        {.fresh = true},
        {.waiting = "node b has it", .reason = "SigningKeyInUse"},
        "SigningKeyInUse"},
};

TEST(the_state_of_a_node_is_its_most_important_reason)
{
    each_case(i, states) {
        SCOPED_ARENA a = arena_open(4 << 20);
        Planned *p = tell_given(a, &states[i].given, &states[i].progress);

        then_str(p->d.status.state, states[i].want);
    }
}

TEST(the_status_records_the_generation_that_was_reconciled)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = tell_given(a, &(Given){.node = "{metadata: {generation: 7}}"}, &(NodeProgress){0});

    then_int(p->d.status.observed_generation, 7);
    for (size_t i = 0; i < p->d.status.conds.count; i++)
        then_int(p->d.status.conds.items[i].observed_generation, 7);
}

TEST(a_node_that_becomes_running_records_its_identity_and_setup_hash)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = plan_given(a, &(Given){.fresh = true});

    p->d.status.phase = PHASE_RUNNING; /* as its plan leaves it */
    p->d.status.plan.phase = PLAN_COMPLETE;
    plan_conditions(a, &p->s, &p->d, &(NodeProgress){0}, &p->d.status);
    then_str(p->d.status.identity.chain_id, "sei");
    then_int(p->d.status.identity.mode, MODE_FULL);
    then_str(p->d.status.setup_hash, node_setup_hash(a, &p->node));
}

TEST(recorded_drift_is_removed_once_the_pod_matches_the_template)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = tell_given(a, &(Given){.node = UPDATING("Complete", "")}, &(NodeProgress){0});

    then_str(p->d.status.drift.cause, NULL);
    p = tell_given(a, &(Given){.node = UPDATING("Active", "")}, &(NodeProgress){0});
    then_str(p->d.status.drift.cause, "spec");
}

TEST(a_spec_that_cannot_be_rendered_is_reported_as_stalled)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    Planned *p = given(a, &(Given){.fresh = true});

    p->s.wanted = NULL;
    p->d = (NodeDecision){
        .status = p->node.status,
        .stall = {.is_set = true, .reason = REASON_INVALID_SPEC, .message = "no"},
    };
    plan_conditions(a, &p->s, &p->d, &(NodeProgress){0}, &p->d.status);
    then_str(cond_text(a, &p->d.status, COND_STALLED), "True/InvalidSpec");
    then_str(cond_text(a, &p->d.status, COND_READY), "False/Stalled");
}

/* --- status.seid --- */

#define LEFT_POD(ready_changed)                                                                    \
    "{status: {conditions: [{type: 'Initialized', status: 'True',"                                 \
    " lastTransitionTime: '2026-01-01T00:01:00Z'}, {type: 'Ready', status: 'False',"               \
    " lastTransitionTime: '" ready_changed "'}]}}"
#define STORED(ready, more) "{status: {conditions: [" COND("Ready", ready, "X") "]" more "}}"
#define SINCE(ready)        ", seid: {ready: " ready ", since: '2026-01-01T00:00:00Z'}"

/* `want`: "ready" or "down", "since before" or "since now"; NULL: nothing is recorded. */
static const struct {
    const char *name;
    Given given;
    const char *want;
} seid_cases[] = {
    {"nothing while the pod is Ready",
        {.node = STORED("True", ""), .pod = SEID_POD("True", "true", "true")},
        NULL},
    {"the record goes when the pod is Ready again",
        {.node = STORED("False", SINCE("false")), .pod = SEID_POD("True", "true", "true")},
        NULL},
    {"nothing before seid was Ready",
        {.node = STORED("False", ""), .pod = SEID_POD("False", "false", "false")},
        NULL},
    {"seid is Ready for the first time, and a helper container is not",
        {.node = STORED("False", ""), .pod = SEID_POD("False", "true", "false")},
        "ready since now"},
    {"seid stays Ready",
        {.node = STORED("False", SINCE("true")), .pod = SEID_POD("False", "true", "false")},
        "ready since before"},
    {"seid goes down after the pod was Ready",
        {.node = STORED("True", ""), .pod = SEID_POD("False", "false", "true")},
        "down since now"},
    {"seid goes down after a helper container did",
        {.node = STORED("False", SINCE("true")), .pod = SEID_POD("False", "false", "false")},
        "down since now"},
    {"seid stays down",
        {.node = STORED("False", SINCE("false")), .pod = SEID_POD("False", "false", "true")},
        "down since before"},
    {"seid stays down without a pod",
        {.node = STORED("False", SINCE("false")), .pod = GONE},
        "down since before"},
    {"a pod that another operator left halted says that it was Ready",
        {.node = STORED("False", ""), .pod = LEFT_POD("2026-01-01T00:09:00Z")},
        "down since now"},
    {"a pod that another operator left says that it never was Ready",
        {.node = STORED("False", ""), .pod = LEFT_POD("2026-01-01T00:00:00Z")},
        NULL},
    {"a pause stops seid, which is not recorded",
        {.node = "{spec: {paused: true}, status: {conditions: [" COND("Ready", "True", "X") "]}}",
            .pod = GONE},
        "ready since now"},
};

static const char *seid_text(Arena *a, const NodeStatus *status, const char *now)
{
    const NodeSeid *seid = &status->seid;

    if (!seid->since)
        return NULL;
    return str_format(a,
        "%s since %s",
        seid->is_ready ? "ready" : "down",
        str_eq(seid->since, now) ? "now" : "before");
}

TEST(the_state_of_seid_is_recorded_while_the_node_is_not_ready)
{
    each_case(i, seid_cases) {
        SCOPED_ARENA a = arena_open(4 << 20);
        NodeProgress progress = {0};
        Planned *p = tell_given(a, &seid_cases[i].given, &progress);

        then_str(seid_text(a, &p->d.status, p->s.now), seid_cases[i].want);
    }
}

TEST(a_helper_container_that_is_not_ready_is_named_in_the_ready_condition)
{
    SCOPED_ARENA a = arena_open(4 << 20);
    NodeProgress progress = {0};
    Planned *p = tell_given(a, &(Given){.pod = SEID_POD("False", "true", "false")}, &progress);

    then_str(cond_text(a, &p->d.status, COND_READY), "False/PodNotReady");
    then_true(strstr(conds_find(&p->d.status.conds, COND_READY)->message,
        "container seid is Ready, these are not: cosmos-exporter"));
}

/* --- the output of a probe that was reported before --- */

static const struct {
    const char *name, *message, *output;
} reported[] = {
    {"the output of this pod's probe", PROBE_FAILS "no; see x" PROBE_LOGS, "no; see x"},
    {"no output", "pod a-0: container seid runs, and its readiness probe fails; kubectl", NULL},
    {"an empty output", PROBE_FAILS PROBE_LOGS, NULL},
    {"something else", "the pod is Ready", NULL},
    {"the output of a helper's probe",
        "pod a-0: container seid is Ready, these are not: cosmos-exporter; probe of "
        "cosmos-exporter: no; see kubectl logs a-0 -c cosmos-exporter",
        NULL},
};

TEST(the_output_of_a_probe_is_found_in_the_condition_that_reported_it)
{
    each_case(i, reported) {
        SCOPED_ARENA a = arena_open(4 << 20);
        const char *node =
            str_format(a, "{status: {conditions: [" SAID("Ready", "%s") "]}}", reported[i].message);
        Planned *p = plan_given(a, &(Given){.pod = WAITING, .node = node});

        then_str(plan_reported_output(a, &p->s), reported[i].output);
    }
}

/* About a young pod, one that is held back and one that is Ready another text is reported. */
TEST(the_output_of_a_probe_is_requested_only_for_a_pod_that_reports_it)
{
    SCOPED_ARENA a = arena_open(4 << 20);

    then_str(plan_pod_report(a, &plan_given(a, &(Given){.pod = WAITING})->s).probed, "seid");
    then_str(plan_pod_report(a, &plan_given(a, &(Given){0})->s).probed, NULL);
    then_str(
        plan_pod_report(a, &plan_given(a, &(Given){.pod = WAITING, .held_back = "x"})->s).probed,
        NULL);
    then_str(plan_pod_report(a, &plan_given(a, &(Given){.pod = YOUNG_POD})->s).probed, NULL);
}
