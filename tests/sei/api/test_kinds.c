/* Kinds: what caches keep is enough for what is asked of it: so everything that is asked of a pod
 * here is asked of a cached one as well. */
#include "base/draft.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "tests/test.h"

/* A pod that runs, as the API server shows it, in short. */
static const char running[] =
    "{apiVersion: 'v1', kind: 'Pod', metadata: {name: 'n-0', namespace: 's', uid: 'u',"
    "   labels: {'sei.io/node': 'n'}, annotations: {'sei.io/template-hash': 'h'}},"
    " spec: {nodeName: 'w1', volumes: [{name: 'tmp', emptyDir: {}},"
    "   {name: 'data', persistentVolumeClaim: {claimName: 'data-n'}}],"
    "   containers: [{name: 'seid', image: 'seid:v1', env: [{name: 'HOME', value: '/'}]}]},"
    " status: {phase: 'Running', podIP: '10.0.0.7',"
    "   conditions: [{type: 'PodScheduled', status: 'True'}, {type: 'Ready', status: 'True'}],"
    "   initContainerStatuses: [{name: 'seid-init', state: {terminated: {exitCode: 0}}},"
    "     {name: 'sei-sidecar', state: {running: {}}}],"
    "   containerStatuses: [{name: 'cosmos-exporter', state: {running: {}}},"
    "     {name: 'seid', image: 'seid:v1', containerID: 'cri://1', restartCount: 0,"
    "      state: {running: {startedAt: '2026-01-02T03:04:05Z'}}, lastState: {}}]}}";

/* That pod with a merge patch, whole or as the cache keeps it. */
static const Json *pod_with(Arena *a, const char *patch, bool cached)
{
    const Json *pod = json_merge(a, json_fixture(a, running), json_fixture(a, patch));
    return cached ? json_project(a, pod, cached_pod->projection) : pod;
}

#define STATUS(statuses) "{status: {containerStatuses: [" statuses "]}}"

static const struct {
    const char *name, *patch;
    bool is_ready, is_finished, has_started;
} states[] = {
    {"running", "{}", .is_ready = true, .has_started = true},
    {"not ready",
        "{status: {conditions: [{type: 'Ready', status: 'False'}]}}",
        .has_started = true},
    {"without conditions", "{status: {conditions: null}}", .has_started = true},
    {"succeeded",
        "{status: {phase: 'Succeeded', conditions: null}}",
        .is_finished = true,
        .has_started = true},
    {"failed",
        "{status: {phase: 'Failed', conditions: null, containerStatuses: null}}",
        .is_finished = true},
    {"seid is being made", STATUS("{name: 'seid', state: {waiting: {}}}"), .is_ready = true},
    {"seid has an id but never ran",
        STATUS("{name: 'seid', containerID: 'c', state: {waiting: {}}, lastState: {}}"),
        .is_ready = true},
    {"seid runs without an id", STATUS("{name: 'seid', state: {running: {}}}"), .is_ready = true},
    {"seid has ended",
        STATUS("{name: 'seid', containerID: 'c', state: {terminated: {exitCode: 1}}}"),
        .is_ready = true,
        .has_started = true},
    {"seid waits after a crash",
        STATUS("{name: 'seid', containerID: 'c', state: {waiting: {}},"
               " lastState: {terminated: {exitCode: 1}}}"),
        .is_ready = true,
        .has_started = true},
    {"only another container runs",
        STATUS("{name: 'x', containerID: 'c', state: {running: {}}}"),
        .is_ready = true},
};

TEST(readiness_and_completion_of_a_pod_are_read_from_its_status)
{
    each_case(i, states) {
        SCOPED_ARENA a = arena_open(1 << 20);
        for (int cached = 0; cached < 2; cached++) {
            const Json *pod = pod_with(a, states[i].patch, cached);
            then_int(pod_is_ready(pod), states[i].is_ready);
            then_int(pod_is_finished(pod), states[i].is_finished);
            then_int(pod_has_started_seid(pod), states[i].has_started);
        }
    }
}

static const struct {
    const char *name, *patch, *trouble;
} troubles[] = {
    {"none", "{}", NULL},
    {"not scheduled",
        "{status: {conditions: [{type: 'PodScheduled', status: 'False', reason: 'Unschedulable',"
        " message: '0/3 nodes are available'}], containerStatuses: null}}",
        "the pod cannot be scheduled: Unschedulable: 0/3 nodes are available"},
    {"evicted",
        "{status: {phase: 'Failed', reason: 'Evicted', message: 'low on disk',"
        " containerStatuses: null}}",
        "the pod has failed: Evicted: low on disk"},
    {"failed without a word",
        "{status: {phase: 'Failed', containerStatuses: null}}",
        "the pod has failed: no reason given"},
    {"being made",
        STATUS("{name: 'seid', state: {waiting: {reason: 'ContainerCreating'}}},"
               "{name: 'cosmos-exporter', state: {waiting: {reason: 'PodInitializing'}}}"),
        NULL},
    {"waiting without a reason", STATUS("{name: 'seid', state: {waiting: {}}}"), NULL},
    {"image not found",
        STATUS("{name: 'seid', image: 'seid:v9', state: {waiting: {reason: 'ErrImagePull',"
               " message: 'not found'}}}"),
        "cannot pull image seid:v9 of container seid: ErrImagePull: not found"},
    {"image not found again",
        STATUS("{name: 'seid', image: 'seid:v9', state: {waiting: {reason: 'ImagePullBackOff'}}}"),
        "cannot pull image seid:v9 of container seid: ImagePullBackOff"},
    {"no image name",
        STATUS("{name: 'seid', image: ':', state: {waiting: {reason: 'InvalidImageName'}}}"),
        "cannot pull image : of container seid: InvalidImageName"},
    {"image of the first container",
        "{status: {initContainerStatuses: [{name: 'seid-init', image: 'i',"
        " state: {waiting: {reason: 'ErrImagePull'}}}],"
        " containerStatuses: [{name: 'seid', state: {waiting: {reason: 'PodInitializing'}}}]}}",
        "cannot pull image i of container seid-init: ErrImagePull"},
    {"not created",
        STATUS("{name: 'seid', state: {waiting: {reason: 'CreateContainerConfigError',"
               " message: 'secret \"k\" not found'}}}"),
        "container seid cannot be started: CreateContainerConfigError: secret \"k\" not found"},
    {"crashing",
        STATUS("{name: 'seid', restartCount: 4, state: {waiting: {reason: 'CrashLoopBackOff',"
               " message: 'back-off'}}, lastState: {terminated: {exitCode: 2, reason: 'Error'}}}"),
        "container seid is crash-looping: exit code 2 (2+ restarts)"},
    {"just crashed",
        STATUS("{name: 'seid', restartCount: 0, state: {terminated: {exitCode: 137,"
               " reason: 'OOMKilled'}}}"),
        "container seid has ended: exit code 137, OOMKilled"},
    {"back after a crash",
        STATUS("{name: 'seid', restartCount: 5, ready: false, state: {running: {}},"
               " lastState: {terminated: {exitCode: 2, reason: 'Error'}}}"),
        "container seid is crash-looping: exit code 2 (5+ restarts)"},
    {"well again after a crash",
        STATUS("{name: 'seid', restartCount: 5, ready: true, state: {running: {}},"
               " lastState: {terminated: {exitCode: 2, reason: 'Error'}}}"),
        NULL},
    {"ended well", STATUS("{name: 'seid', state: {terminated: {exitCode: 0}}}"), NULL},
    {"a status without words",
        STATUS("{state: {waiting: {reason: 'ErrImagePull'}}}"),
        "cannot pull image ? of container ?: ErrImagePull"},
};

TEST(the_cause_that_keeps_a_pod_from_running_is_read_from_its_status)
{
    each_case(i, troubles) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_str(pod_trouble(a, pod_with(a, troubles[i].patch, false)), troubles[i].trouble);
        then_str(pod_trouble(a, pod_with(a, troubles[i].patch, true)), troubles[i].trouble);
    }
}

TEST(a_pod_mounts_the_pvc_that_its_volumes_name_and_no_other)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    for (int cached = 0; cached < 2; cached++) {
        const Json *pod = pod_with(a, "{}", cached);
        then_true(pod_mounts_claim(pod, "data-n"));
        then_true(!pod_mounts_claim(pod, "data-m"));
        then_true(!pod_mounts_claim(pod, NULL));
    }
}

TEST(a_pod_uses_its_pvc_until_the_pod_has_succeeded_or_failed)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    static const char *const ended[] = {"Succeeded", "Failed"};

    then_true(pod_uses_claim(pod_with(a, "{}", false), "data-n"));
    then_true(!pod_uses_claim(pod_with(a, "{}", false), "data-m"));
    then_true(!pod_uses_claim(pod_with(a, "{}", false), NULL));
    then_true(!pod_uses_claim(NULL, "data-n"));
    for (size_t i = 0; i < array_count(ended); i++)
        then_true(!pod_uses_claim(
            pod_with(a, str_format(a, "{status: {phase: '%s'}}", ended[i]), false), "data-n"));
}

/* Of a cached one only what is a volume of its own. */
TEST(a_pod_mounts_the_secrets_that_its_volumes_name_and_no_other)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *with =
        "{spec: {volumes: [{name: 'd', persistentVolumeClaim: {claimName: 'data-n'}},"
        " {name: 'k', secret: {secretName: 'key'}},"
        " {name: 'p', projected: {sources: [{secret: {name: 'part'}}]}}]}}";

    for (int cached = 0; cached < 2; cached++) {
        const Json *pod = pod_with(a, with, cached);
        then_true(pod_mounts_secret(pod, "key"));
        then_true(pod_mounts_secret(pod, "part") == !cached);
        then_true(pod_mounts_claim(pod, "data-n"));
        then_true(!pod_mounts_secret(pod, "data-n"));
        then_true(!pod_mounts_secret(pod, NULL));
    }
    then_true(!pod_mounts_secret(NULL, "key"));
    then_true(!statefulset_mounts_secret(NULL, "key"));
}

TEST(a_missing_pod_is_not_ready_and_mounts_no_pvc)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_true(!pod_is_ready(NULL) && !pod_is_finished(NULL) && !pod_has_started_seid(NULL));
    then_true(!pod_mounts_claim(NULL, "data-n"));
    then_str(pod_trouble(a, NULL), NULL);
}

TEST(a_long_message_of_the_kubelet_is_cut)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    char *words = arena_alloc(a, 10001);

    memset(words, 'w', 10000);
    const char *patch = str_format(a,
        STATUS("{name: 'seid', state: {waiting: {reason: 'RunContainerError', message: '%s'}}}"),
        words);
    then_true(strlen(pod_trouble(a, pod_with(a, patch, false))) < 600);
}

/* --- what is kept of the others */

static const struct {
    const char *name;
    const Kind *kind, *like;
    const char *object, *kept;
} projections[] = {
    {"a StatefulSet without its template",
        cached_statefulset,
        kind_statefulset,
        "{spec: {replicas: 1, serviceName: 'n', selector: {}, updateStrategy: {type: 'OnDelete'},"
        "  revisionHistoryLimit: 10, template: {spec: {containers: []}, metadata: {labels: {a: "
        "'b'},"
        "  annotations: {'sei.io/template-hash': 'h', 'sei.io/config-hash': 'c'}}}},"
        " status: {updateRevision: 'r', observedGeneration: 1}}",
        "{spec: {replicas: 1, serviceName: 'n', selector: {}, updateStrategy: {type: 'OnDelete'},"
        "  template: {metadata: {annotations: {'sei.io/template-hash': 'h'}}}},"
        " status: {updateRevision: 'r', observedGeneration: 1}}"},
    {"a Service with its selector",
        cached_service,
        kind_service,
        "{spec: {selector: {a: 'b'}, ports: []}, status: {}}",
        "{spec: {selector: {a: 'b'}}}"},
    {"a ConfigMap without data", cached_configmap, kind_configmap, "{data: {k: 'v'}}", "{}"},
    {"a claim with where it is bound",
        cached_pvc,
        kind_pvc,
        "{spec: {volumeName: 'v', volumeMode: 'Filesystem'}, status: {phase: 'Bound'}}",
        "{spec: {volumeName: 'v'}, status: {phase: 'Bound'}}"},
    {"a pod without its environment",
        cached_pod,
        kind_pod,
        "{spec: {containers: [{name: 'seid', image: 'i', env: []}], terminationGracePeriodSeconds: "
        "30,"
        " dnsPolicy: 'ClusterFirst'}}",
        "{spec: {containers: [{name: 'seid', image: 'i'}], terminationGracePeriodSeconds: 30}}"},
    {"a Job with its image and its claim",
        cached_job,
        kind_job,
        "{spec: {suspend: true, backoffLimit: 0, template: {spec: {containers: [{name: 'seid',"
        " image: 'i', env: []}], volumes: [{name: 'data', persistentVolumeClaim: {claimName:"
        " 'data-n', readOnly: false}}]}}}}",
        "{spec: {suspend: true, template: {spec: {containers: [{name: 'seid', image: 'i'}],"
        " volumes: [{persistentVolumeClaim: {claimName: 'data-n'}}]}}}}"},
};

TEST(the_projection_of_each_kind_keeps_the_fields_that_are_read)
{
    each_case(i, projections) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Kind *kind = projections[i].kind;
        then_true(kind_eq(kind, projections[i].like));
        then_str(kind->version, projections[i].like->version);
        then_str(kind->name, projections[i].like->name);
        then_true(kind->namespaced);
        then_json(json_project(a, json_fixture(a, projections[i].object), kind->projection),
            projections[i].kept);
    }
}

/* --- Jobs --- */

TEST(a_job_mounts_the_pvc_that_its_template_names_and_no_other)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *job = json_fixture(a,
        "{spec: {template: {spec: {volumes: [{name: 'keys', secret: {}},"
        " {persistentVolumeClaim: {claimName: 'data-n'}}]}}}}");

    then_true(job_mounts_claim(job, "data-n"));
    then_true(!job_mounts_claim(job, "data-m"));
    then_true(!job_mounts_claim(job, NULL));
    then_true(!job_mounts_claim(NULL, "data-n"));
}

static const struct {
    const char *name, *job, *failure;
    bool is_complete, is_failed;
} jobs[] = {
    {"none", "null", ""},
    {"one that runs", "{status: {active: 1}}", ""},
    {"one whose pods have still to end",
        "{status: {conditions: [{type: 'FailureTarget', status: 'True', reason: 'x'}]}}",
        ""},
    {"one that was resumed", "{status: {conditions: [{type: 'Suspended', status: 'False'}]}}", ""},
    {"one that has ended well",
        "{status: {conditions: [{type: 'Complete', status: 'True'}]}}",
        "",
        .is_complete = true},
    {"one that has failed",
        "{status: {conditions: [{type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded',"
        " message: 'too often'}]}}",
        "BackoffLimitExceeded: too often",
        .is_failed = true},
};

TEST(the_outcome_of_a_job_is_read_from_its_conditions)
{
    each_case(i, jobs) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *job = json_fixture(a, jobs[i].job);

        then_int(job_is_complete(job), jobs[i].is_complete);
        then_int(job_is_failed(job), jobs[i].is_failed);
        then_str(job_failure(a, job), jobs[i].failure);
    }
    then_true(!job_is_complete(NULL) && !job_is_failed(NULL) && !job_image(NULL));
}

TEST(the_image_of_a_job_is_the_image_of_its_seid_container)
{
    SCOPED_ARENA a = arena_open(1 << 20);

    then_str(job_image(json_fixture(a,
                 "{spec: {template: {spec: {containers: [{name: 'x', image: 'a'},"
                 " {name: 'seid', image: 'b'}]}}}}")),
        "b");
}

#define SAYS(words)                                                                                \
    "{metadata: {name: 'n', generation: 2, resourceVersion: '7', labels: {a: 'b'}}, spec: {},"     \
    " status: {phase: 'Running', plan: {id: 'p', waiting: 'x'}, conditions: ["                     \
    "  {type: 'Ready', status: 'False', reason: 'Updating', message: 'm'}], " words "}}"

TEST(a_status_written_by_its_own_reconcile_does_not_requeue_a_node)
{
    static const struct {
        const char *name, *patch;
        bool is_news;
    } cases[] = {
        {"nothing", "{}", false},
        {"resource version and managed fields",
            "{metadata: {resourceVersion: '8', managedFields: [{manager: 'm'}]}}",
            false},
        {"what the plan waits for", "{status: {plan: {waiting: 'y'}}}", false},
        {"that the plan waits for nothing", "{status: {plan: {waiting: null}}}", false},
        {"the message of a condition",
            "{status: {conditions: [{type: 'Ready', status: 'False', reason: 'Updating',"
            " message: 'n', lastTransitionTime: 't'}]}}",
            false},
        {"the reason of a condition",
            "{status: {conditions: [{type: 'Ready', status: 'False', reason: 'PodNotReady',"
            " message: 'm'}]}}",
            true},
        {"a condition has turned",
            "{status: {conditions: [{type: 'Ready', status: 'True', reason: 'Updating',"
            " message: 'm'}]}}",
            true},
        {"a condition is gone", "{status: {conditions: []}}", true},
        {"there are no conditions", "{status: {conditions: null}}", true},
        {"one condition more",
            "{status: {conditions: [{type: 'Ready', status: 'False', reason: 'Updating',"
            " message: 'm'}, {type: 'Stalled'}]}}",
            true},
        {"the plan", "{status: {plan: {id: 'q', waiting: 'y'}}}", true},
        {"a task of the plan", "{status: {plan: {tasks: [{id: 't'}]}}}", true},
        {"there is no plan", "{status: {plan: null}}", true},
        {"the phase", "{status: {phase: 'Failed'}}", true},
        {"the generation that was observed", "{status: {observedGeneration: 2}}", true},
        {"the status is lost", "{status: null}", true},
        {"the spec", "{metadata: {generation: 3}}", true},
        {"a label", "{metadata: {labels: {a: 'c'}}}", true},
        {"an annotation", "{metadata: {annotations: {a: 'c'}}}", true},
        {"a finalizer", "{metadata: {finalizers: ['f']}}", true},
        {"an owner", "{metadata: {ownerReferences: [{uid: 'u'}]}}", true},
        {"it is to be deleted", "{metadata: {deletionTimestamp: '2026-01-02T03:04:05Z'}}", true},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *before = json_fixture(a, SAYS("history: []"));

        then_int(node_is_news(a, before, json_merge(a, before, json_fixture(a, cases[i].patch))),
            cases[i].is_news);
    }
}

#define KEY_VOLUME "spec: {volumes: [{name: 'node-key', secret: {secretName: 'k'}}]}"
#define GOING      "metadata: {deletionTimestamp: '2026-01-02T03:04:05Z'}"

TEST(a_pod_update_is_an_event_only_if_a_field_that_is_read_has_changed)
{
    static const struct {
        const char *name, *before, *now;
        bool is_news;
    } cases[] = {
        {"nothing", "{}", "{}", false},
        {"a sidecar has become ready, and the message of a condition with it",
            "{status: {conditions: [{type: 'Ready', status: 'False', message: '[a b]'}],"
            "  initContainerStatuses: [{name: 'a', ready: false, state: {running: {}}}]}}",
            "{status: {conditions: [{type: 'Ready', status: 'False', message: '[b]'}],"
            "  initContainerStatuses: [{name: 'a', ready: true, state: {running: {}}}]}}",
            false},
        {"a container was started",
            STATUS("{name: 'seid', state: {waiting: {reason: 'PodInitializing'}}},"
                   "{name: 'b', state: {waiting: {reason: 'ContainerCreating'}}}"),
            STATUS("{name: 'seid', state: {waiting: {reason: 'PodInitializing'}}},"
                   "{name: 'b', containerID: 'c', state: {running: {}}}"),
            false},
        {"resource version and managed fields",
            "{metadata: {resourceVersion: '1'}}",
            "{metadata: {resourceVersion: '2', managedFields: [{manager: 'kubelet'}]}}",
            false},
        {"seid was started",
            STATUS("{name: 'seid', state: {waiting: {}}}"),
            STATUS("{name: 'seid', containerID: 'c', state: {running: {}}}"),
            true},
        {"it is Ready",
            "{status: {conditions: [{type: 'Ready', status: 'False'}]}}",
            "{status: {conditions: [{type: 'Ready', status: 'True'}]}}",
            true},
        {"it has ended", "{}", "{status: {phase: 'Succeeded'}}", true},
        {"it has an address", "{status: {podIP: null}}", "{}", true},
        {"it has another address", "{}", "{status: {podIP: '10.0.0.8'}}", true},
        {"it was bound",
            "{status: {conditions: []}}",
            "{status: {conditions: [{type: 'PodScheduled', status: 'True',"
            "  lastTransitionTime: '2026-01-02T03:04:05Z'}]}}",
            false},
        {"it was bound, and mounts a Secret",
            "{" KEY_VOLUME ", status: {conditions: []}}",
            "{" KEY_VOLUME ", status: {conditions: [{type: 'PodScheduled', status: 'True',"
            "  lastTransitionTime: '2026-01-02T03:04:05Z'}]}}",
            true},
        {"an image cannot be pulled",
            STATUS("{name: 'seid', state: {waiting: {reason: 'ContainerCreating'}}}"),
            STATUS("{name: 'seid', state: {waiting: {reason: 'ErrImagePull'}}}"),
            true},
        {"a container has crashed",
            STATUS("{name: 'b', state: {running: {}}}"),
            STATUS("{name: 'b', state: {terminated: {exitCode: 1}}}"),
            true},
        {"its image was changed by hand",
            "{}",
            "{spec: {containers: [{name: 'seid', image: 'seid:v2'}]}}",
            true},
        {"a label", "{}", "{metadata: {labels: {a: 'b'}}}", true},
        {"an annotation", "{}", "{metadata: {annotations: {a: 'b'}}}", true},
        {"an owner", "{}", "{metadata: {ownerReferences: [{uid: 'x'}]}}", true},
        {"it is to go", "{}", "{" GOING "}", true},
        {"it is going, and not Ready any more",
            "{" GOING ", status: {conditions: [{type: 'Ready', status: 'True'}]}}",
            "{" GOING ", status: {conditions: [{type: 'Ready', status: 'False'}]}}",
            false},
        {"it is going, and one of its containers has ended",
            "{" GOING ", status: {containerStatuses: [{name: 'b', state: {running: {}}}]}}",
            "{" GOING ", status: {containerStatuses: [{name: 'b', state: {terminated: {exitCode: "
            "137}}}]}}",
            false},
        {"it is going, and its machine is lost",
            "{" GOING "}",
            "{" GOING ", status: {reason: 'NodeLost'}}",
            true},
        {"it is going, and has ended",
            "{" GOING "}",
            "{" GOING ", status: {phase: 'Failed'}}",
            true},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        const Json *before = pod_with(a, cases[i].before, true);
        const Json *metadata = json_find(pod_with(a, cases[i].before, false), ".metadata");

        before = json_merge(
            a, before, json_seal(a, draft(a, draft_json("metadata", metadata)))); /* always kept */
        then_int(pod_is_news(a, before, pod_with(a, cases[i].now, false)), cases[i].is_news);
    }
}
