/* Every cause of a pod that is not Ready, on a real API server: conditions Ready of the SeiNode and
 * of its fleet quote it.
 *
 * The pods are frozen: the player writes nothing about them. The test writes into each pod's status
 * what the scheduler, the kubelet or the node controller would: one cause for each pod, because a
 * fleet repeats what nodes say three times a minute at most. The controller manager is stopped
 * meanwhile: it replaces a pod that has failed. */
#include "base/clock.h"
#include "kube/timestamp.h"
#include "tests/e2e/fleets.h"

#define FLEET "rpc"

/* Fleets that test_fleet_troubles.c leaves behind. The pods of the first are a minute old: a
 * younger one only says that it is starting, where the cause may pass by itself. */
static const struct {
    const char *namespace;
    size_t nodes;
} places[] = {
    {"superseded", 3},
    {"stuck", 3},
    {"pausing", 3},
    {"failing", 3},
    {"half", 4},
    {"p2p", 3},
};

#define ALL_NAMESPACES ""

/* --- the causes */

typedef struct Cause {
    const char *name;
    bool is_leaving;              /* the pod is deleted before */
    bool is_unbound;              /* the pod has just been created anew */
    const char *status;           /* more of the pod's status */
    const char *ready;            /* of condition Ready, besides that it is False */
    const char *containers_ready; /* condition ContainersReady; NULL: as Ready */
    const char *scheduled;        /* condition PodScheduled; NULL: it is True */
    const char *more;             /* another condition */
    const char *seid;             /* of its status; NULL: it runs and is Ready */
    const char *others;           /* statuses of more containers */
    const char *init;             /* statuses of init containers */
    const char *phrase;           /* in both messages */
} Cause;

#define IMAGE "ghcr.io/example/seid:v3"
#define UNREADY(containers)                                                                        \
    "reason: 'ContainersNotReady', message: 'containers with unready status: [" containers "]'"
#define WAITING(reason, message)                                                                   \
    "ready: false, started: false, restartCount: 0, state: {waiting: {reason: '" reason            \
    "', message: '" message "'}}"
#define INITIALIZING                                                                               \
    "ready: false, started: false, restartCount: 0, state: {waiting: {reason: 'PodInitializing'}}"
#define RUNNING(ready, started)                                                                    \
    "ready: " ready ", started: " started                                                          \
    ", restartCount: 0, state: {running: {startedAt: '2026-11-15T12:00:10Z'}}"
#define ENDED(code, reason)                                                                        \
    "{terminated: {exitCode: " code ", reason: '" reason                                           \
    "', startedAt: '2026-11-15T12:00:00Z', finishedAt: '2026-11-15T12:00:09Z'}}"
#define NOT_FOUND                                                                                  \
    "rpc error: code = NotFound desc = failed to pull and unpack image \"" IMAGE "\": not found"

static const Cause causes[] = {
    {"the sidecar does not let seid start",
        .ready = UNREADY("seid"),
        .seid = RUNNING("false", "false"),
        .phrase = "container seid waits until the sidecar lets it start"},
    {"the readiness probe of seid fails",
        .ready = UNREADY("seid"),
        .seid = RUNNING("false", "true"),
        .phrase = "container seid runs, and its readiness probe fails"},
    {"the readiness probe of a helper fails",
        .ready = UNREADY("cosmos-exporter"),
        .others =
            "{name: 'cosmos-exporter', image: 'e', imageID: '', " RUNNING("false", "true") "}",
        .phrase = "container seid is Ready, these are not: cosmos-exporter"},
    {"its volume cannot be attached or mounted",
        .status = "phase: 'Pending', podIP: null, podIPs: null, ",
        .ready = UNREADY("seid"),
        .seid = INITIALIZING,
        .phrase = "the pod waits for its volumes or network on machine node-"},
    {"a readiness gate is closed",
        .ready = "reason: 'ReadinessGatesNotReady', message: 'corresponding condition of pod "
                 "readiness gate \"x\" does not exist.'",
        .containers_ready = "status: 'True'",
        .phrase = "the pod is not Ready: ReadinessGatesNotReady: corresponding condition of pod "
                  "readiness gate \"x\" does not exist."},
    {"the registry does not know the image",
        .ready = UNREADY("seid"),
        .seid = WAITING("ErrImagePull", NOT_FOUND),
        .phrase = "cannot pull image " IMAGE " of container seid: ErrImagePull: rpc error: code = "
                  "NotFound"},
    {"the kubelet backs off from an image",
        .ready = UNREADY("seid"),
        .seid = WAITING(
            "ImagePullBackOff", "Back-off pulling image \"" IMAGE "\": ErrImagePull: " NOT_FOUND),
        .phrase = "cannot pull image " IMAGE " of container seid: ErrImagePull: rpc error: code = "
                  "NotFound"},
    {"a Secret is missing",
        .ready = UNREADY("seid"),
        .seid = WAITING("CreateContainerConfigError", "secret \"node-key\" not found"),
        .phrase = "container seid cannot be started: CreateContainerConfigError: secret "
                  "\"node-key\" not found; create or correct the Secret"},
    {"its command does not exist",
        .ready = UNREADY("seid"),
        .seid = WAITING("RunContainerError",
            "failed to create containerd task: failed to create shim task: OCI runtime create "
            "failed: exec: \"seid\": executable file not found in $PATH: unknown"),
        .phrase = "container seid cannot be started: RunContainerError: failed to create "
                  "containerd task"},
    {"seid crashes",
        .ready = UNREADY("seid"),
        .seid = "ready: false, started: false, restartCount: 2, state: {waiting: {reason: "
                "'CrashLoopBackOff', message: 'back-off 20s restarting failed container=seid'}},"
                " lastState: " ENDED("1", "Error"),
        .phrase = "container seid is crash-looping: exit code 1 (2+ restarts); read its last lines "
                  "with kubectl logs rpc-"},
    {"seid has too little memory",
        .ready = UNREADY("seid"),
        .seid = "ready: false, started: true, restartCount: 1, state: {running: {startedAt: "
                "'2026-11-15T12:00:10Z'}}, lastState: " ENDED("137", "OOMKilled"),
        .phrase = "container seid is crash-looping: exit code 137, OOMKilled (1 restart); give "
                  "container seid more memory"},
    {"an init container fails",
        .ready = UNREADY("seid"),
        .seid = INITIALIZING,
        .init = "{name: 'seid-init', image: '" IMAGE "', imageID: '', ready: false, restartCount: "
                "0, state: " ENDED("2", "Error") "}",
        .phrase = "container seid-init has ended: exit code 2"},
    {"its machine is lost",
        .containers_ready = "status: 'True'",
        .phrase = " does not report; repair machine node-"},
    {"the kubelet has evicted it",
        .status = "phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: "
                  "memory. Threshold quantity: 100Mi, available: 51200Ki. ', ",
        .ready = "reason: 'PodFailed'",
        .more = "{type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', "
                "message: 'The node was low on resource: memory.'}",
        .seid = "ready: false, started: false, restartCount: 0, state: " ENDED("137", "Error"),
        .phrase = "the pod has failed: Evicted: The node was low on resource: memory."},
    {"its machine was lost, and it is to go",
        .is_leaving = true,
        .status = "reason: 'NodeLost', message: 'Node node-1 which was running the pod is "
                  "unresponsive', ",
        .phrase = " does not report; repair machine node-"},
    {"a pod of a higher priority takes its place",
        .is_leaving = true,
        .ready = UNREADY("seid"),
        .more = "{type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', "
                "message: 'default-scheduler: preempting to accommodate a higher priority pod'}",
        .phrase = "the pod is being evicted: PreemptionByScheduler: default-scheduler: preempting "
                  "to accommodate a higher priority pod"},
    {"it is terminating",
        .is_leaving = true,
        .ready = UNREADY("seid"),
        .phrase =
            " is terminating or not created yet; the StatefulSet controller creates the next"},
    {"no machine takes it",
        .is_unbound = true,
        .scheduled = "status: 'False', reason: 'Unschedulable', message: '0/3 nodes are "
                     "available: 1 node(s) had untolerated taint {sei.io/workload: }, 2 "
                     "Insufficient cpu. preemption: 0/3 nodes are available: 3 Preemption is not "
                     "helpful for scheduling.'",
        .phrase = "the pod cannot be scheduled: Unschedulable: Insufficient cpu, node(s) had "
                  "untolerated taint {sei.io/workload: }; make room"},
};

/* --- a pod for each */

typedef struct Victim {
    const Cause *cause;
    Nodes in;               /* its namespace */
    const char *node, *pod; /* names */
} Victim;

static Victim victim_of(const Nodes *n, size_t i)
{
    Victim v = {.cause = &causes[i], .in = *n};
    size_t place = 0;

    for (; i >= places[place].nodes; place++)
        i -= places[place].nodes;
    v.in.namespace = places[place].namespace;
    v.node = str_format(n->arena, FLEET "-%zu", i);
    v.pod = str_format(n->arena, "%s-0", v.node);
    return v;
}

static const char *condition(Arena *a, const char *type, const char *rest)
{
    char now[TIMESTAMP_SIZE];

    timestamp_format(clock_system()->wall_ns(clock_system()), now);
    return str_format(a, "{type: '%s', lastTransitionTime: '%s', %s}", type, now, rest);
}

static const char *conditions_of(Arena *a, const Cause *c)
{
    const char *unready = str_format(a, "status: 'False', %s", c->ready ? c->ready : "reason: ''");
    const char *scheduled =
        condition(a, "PodScheduled", c->scheduled ? c->scheduled : "status: 'True'");

    if (c->is_unbound)
        return scheduled;
    return str_format(a,
        "%s, %s, %s%s%s",
        condition(a, "Ready", unready),
        condition(a, "ContainersReady", c->containers_ready ? c->containers_ready : unready),
        scheduled,
        c->more ? ", " : "",
        c->more ? c->more : "");
}

/* In JSON5. What the cause leaves open is as in a pod that is well. */
static const char *status_of(Arena *a, const Cause *c)
{
    if (c->is_unbound)
        return str_format(a, "{status: {conditions: [%s]}}", conditions_of(a, c));
    return str_format(a,
        "{status: {%s conditions: [%s], initContainerStatuses: [%s],"
        " containerStatuses: [{name: 'seid', image: '" IMAGE "', imageID: '', %s}%s%s]}}",
        c->status ? c->status : "",
        conditions_of(a, c),
        c->init ? c->init : "",
        c->seid ? c->seid : RUNNING("true", "true"),
        c->others ? ", " : "",
        c->others ? c->others : "");
}

static void delete_pod(const Victim *v, const char *how)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    kubectl(v->in.cp, a, "delete", "pod", v->pod, "-n", v->in.namespace, "--wait=false", how);
}

/* A pod that has no machine yet: the one before it is gone at once. */
static void make_anew(const Victim *v)
{
    const char *uid = nodes_uid(&v->in, "pods", v->pod);

    delete_pod(v, "--force");
    eventually(nodes_is_new(&v->in, "pods", v->pod, uid));
}

static void befall(const Victim *v)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    if (v->cause->is_leaving)
        delete_pod(v, "--force=false");
    kubectl(v->in.cp,
        a,
        "patch",
        "pod",
        v->pod,
        "-n",
        v->in.namespace,
        "--subresource=status",
        "--type=merge",
        "-p",
        json_write(a, json_fixture(a, status_of(a, v->cause))).data);
}

/* --- what is told of it */

static bool is_told(const Victim *v)
{
    return strstr(nodes_message(&v->in, v->node, "Ready"), v->cause->phrase)
        && strstr(fleets_message(&v->in, FLEET, "Ready"), v->cause->phrase);
}

static void then_told(const Victim *v)
{
    Deadline soon = deadline_in_ms(SCENE_SOON_MS);

    while (!is_told(v) && scene_goes_on() && deadline_wait(&soon))
        continue;
    if (!is_told(v))
        fail_msg("%s: node %s/%s says \"%s\", its fleet \"%s\"",
            v->cause->name,
            v->in.namespace,
            v->node,
            nodes_message(&v->in, v->node, "Ready"),
            fleets_message(&v->in, FLEET, "Ready"));
}

/* In its row of kubectl get snd,snode. */
static bool shows(const Victim *v, const char *object, const char *columns)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *table = kubectl(v->in.cp, a, "get", "snd,snode", "-n", v->in.namespace);
    const char *row = strstr(table, str_format(a, ".sei.io/%s ", object));

    row = row ? str_slice(a, row, strcspn(row, "\n")) : "";
    return strstr(row, columns) != NULL;
}

TEST(a_node_and_its_fleet_report_every_cause_of_a_pod_that_is_not_ready)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_return(a, controlplane_shared(), ALL_NAMESPACES);
    Victim victims[array_count(causes)];

    each_case(i, causes) {
        victims[i] = victim_of(&n, i);
        eventually(nodes_settled(&victims[i].in, victims[i].node));
        nodes_order(&victims[i].in, "freeze", victims[i].node, "");
        if (causes[i].is_unbound)
            make_anew(&victims[i]);
    }
    then_ok(controlplane_stop(n.cp, a, COMPONENT_CONTROLLER_MANAGER));
    each_case(i, causes)
        befall(&victims[i]);
    each_case(i, causes)
        then_told(&victims[i]);
    then_true(shows(&victims[0], victims[0].node, " False   PodNotReady"));
    then_true(shows(&victims[0], FLEET, " NodesNotAvailable"));
    nodes_close(&n);
}
