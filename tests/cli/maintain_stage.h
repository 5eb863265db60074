/* A node with its pod and volume, and hands that do what the operator and the controllers would:
 * the StatefulSet follows the pause, Jobs get pods that end, and pods of deleted Jobs go. Each time
 * that a command naps they take a turn. A monitor sees that never two pods have the volume, and
 * counts how often the command of a run was started.
 *
 * The hands know nothing of `maintain` but the mark and the Job. */
#ifndef TESTS_CLI_MAINTAIN_STAGE_H
#define TESTS_CLI_MAINTAIN_STAGE_H

#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/maintenance.h"
#include "tests/cli/cast.h"

#define MAINTAIN "maintain n --image tool:1 -- fix --all"

typedef struct Stage {
    Terminal *t;
    const char *claim_uid;
    bool fails;      /* the command does */
    bool is_asleep;  /* the operator */
    bool refuses;    /* the spec: he cannot stop the pod */
    bool starts_bad; /* no image of a Job can be pulled */
    bool makes_none; /* no pod of a Job is made */
    int starts;      /* pods of Jobs that began */
} Stage;

static inline const Json *find(Stage *s, const Kind *kind, const char *name)
{
    const Json *object = NULL;
    Request get = {.verb = VERB_GET, .kind = kind, .key = {"default", name}};

    return api_call(s->t->api, s->t->arena, &get, &object) ? NULL : object;
}

static inline const Json *list_of(Stage *s, const Kind *kind)
{
    return json_find(
        terminal_ask(s->t, (Request){.verb = VERB_LIST, .kind = kind, .key.namespace = "default"}),
        ".items");
}

static inline void drop(Stage *s, const Kind *kind, const char *name)
{
    terminal_ask(s->t,
        (Request){.verb = VERB_DELETE,
            .kind = kind,
            .key = {"default", name},
            .propagation = PROPAGATION_BACKGROUND,
            .has_grace = true,
            .grace_seconds = 0});
}

#define POD_SPEC                                                                                   \
    "{securityContext: {fsGroup: 65532}, nodeSelector: {disk: 'fast'}, serviceAccountName: 'sei'," \
    " volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data-n'}},"                     \
    "  {name: 'key', secret: {secretName: 'signing'}}],"                                           \
    " containers: [{name: 'seid', image: 'seid:1', securityContext: {runAsUser: 65532},"           \
    "  volumeMounts: [{name: 'data', mountPath: '/.sei'}, {name: 'key', mountPath: '/k'}]}]}"

/* --- the monitor */

/* What is read and made in a turn is forgotten after it. */
static inline void in_a_turn(Stage *s, void (*deed)(Stage *s))
{
    SCOPED_ARENA scratch = arena_open(64 << 20);
    Arena *whole = s->t->arena;

    s->t->arena = scratch;
    deed(s);
    s->t->arena = whole;
}

static inline void look_at_volume(Stage *s)
{
    const Json *pod, *pods = list_of(s, kind_pod);
    int users = 0;

    json_each(pod, pods)
        users += pod_mounts_claim(pod, "data-n") && !pod_is_finished(pod);
    then_true(users <= 1);
    then_str(meta_uid(find(s, kind_pvc, "data-n")), s->claim_uid);
}

static inline void then_one_has_the_volume(Stage *s)
{
    in_a_turn(s, look_at_volume);
}

/* --- the hands */

static inline bool is_held(Stage *s, Maintenance *mark)
{
    const Json *node = seen(s->t, kind_seinode, "n");

    return maintenance_decode(s->t->arena, node, mark) || json_bool(node, ".spec.paused", false);
}

static inline bool volume_is_taken(Stage *s)
{
    const Json *pod, *pods = list_of(s, kind_pod);

    json_each(pod, pods)
        if (pod_mounts_claim(pod, "data-n") && !pod_is_finished(pod))
            return true;
    return false;
}

static inline void operate(Stage *s)
{
    Maintenance mark = {0};
    bool held = is_held(s, &mark) && !s->refuses;
    int64_t have = json_int(seen(s->t, kind_statefulset, "n"), ".spec.replicas", 1);

    if (have == held && (held || !volume_is_taken(s)))
        given_patch(s->t,
            kind_statefulset,
            "n",
            NULL,
            held ? "{spec: {replicas: 0}}" : "{spec: {replicas: 1}}");
    given_patch(s->t,
        kind_seinode,
        "n",
        "status",
        str_format(s->t->arena,
            "{status: {conditions: [{type: 'Paused', status: '%s', reason: '%s', message: '%s',"
            " observedGeneration: %lld, lastTransitionTime: '2026-01-01T00:00:00Z'}]}}",
            held ? "True" : "False",
            s->refuses ? "NotHeld" : "x",
            s->refuses     ? "runs on: .spec.image is empty"
                : mark.run ? maintenance_message(s->t->arena, &mark)
                           : "",
            (long long)meta_generation(seen(s->t, kind_seinode, "n"))));
}

static inline void control_statefulset(Stage *s)
{
    const Json *set = seen(s->t, kind_statefulset, "n");
    bool wants = json_int(set, ".spec.replicas", 1) > 0, has = find(s, kind_pod, "n-0") != NULL;

    if (wants && !has)
        given(s->t, kind_pod, "{metadata: {name: 'n-0'}, spec: " POD_SPEC "}");
    if (!wants && has)
        drop(s, kind_pod, "n-0");
    given_patch(s->t,
        kind_statefulset,
        "n",
        "status",
        str_format(s->t->arena,
            "{status: {observedGeneration: %lld, replicas: %d}}",
            (long long)meta_generation(set),
            wants));
}

static inline const Json *pod_of_job(Stage *s, const Json *job)
{
    const Json *pod, *pods = list_of(s, kind_pod);

    json_each(pod, pods)
        if (meta_label(job, LABEL_MAINTENANCE_RUN)
            && str_eq(
                meta_label(pod, LABEL_MAINTENANCE_RUN), meta_label(job, LABEL_MAINTENANCE_RUN)))
            return pod;
    return NULL;
}

static inline void start_pod(Stage *s, const Json *job)
{
    const Json *made = json_find(job, ".spec.template");
    const char *name = str_format(s->t->arena, "{metadata: {name: '%s-x'}}", meta_name(job));

    given(s->t,
        kind_pod,
        json_write(s->t->arena, json_merge(s->t->arena, made, json_fixture(s->t->arena, name)))
            .data);
    s->starts++;
}

static inline void end_job(Stage *s, const Json *job, const Json *pod)
{
    given_patch(s->t,
        kind_pod,
        meta_name(pod),
        "status",
        s->fails
            ? "{status: {phase: 'Failed', containerStatuses: [{name: 'injected', ready: false,"
              " restartCount: 0, image: 'x', imageID: 'x', state: {terminated: {exitCode: 9}}},"
              " {name: 'maintain', ready: false,"
              " restartCount: 0, image: 'x', imageID: 'x', state: {terminated: {exitCode: 3}}}]}}"
            : "{status: {phase: 'Succeeded'}}");
    given_patch(s->t,
        kind_job,
        meta_name(job),
        "status",
        s->fails ? "{status: {startTime: '2026-01-01T00:00:00Z', failed: 1, conditions: ["
                   "{type: 'FailureTarget', status: 'True', reason: 'x', message: 'x'},"
                   "{type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded',"
                   " message: 'it has reached the limit'}]}}"
                 : "{status: {startTime: '2026-01-01T00:00:00Z', succeeded: 1,"
                   " completionTime: '2026-01-01T00:00:01Z', conditions: ["
                   "{type: 'SuccessCriteriaMet', status: 'True', reason: 'x', message: 'x'},"
                   "{type: 'Complete', status: 'True'}]}}");
}

static inline void control_job(Stage *s, const Json *job)
{
    const Json *pod = pod_of_job(s, job);

    if (json_bool(job, ".spec.suspend", false) || meta_deleting(job) || job_is_complete(job)
        || job_is_failed(job))
        return;
    if (!pod && s->makes_none)
        return;
    if (!pod)
        start_pod(s, job);
    else if (!s->starts_bad)
        end_job(s, job, pod);
}

static inline void collect_garbage(Stage *s)
{
    const Json *pod, *pods = list_of(s, kind_pod);

    json_each(pod, pods) {
        const char *run = meta_label(pod, LABEL_MAINTENANCE_RUN);
        if (run && !find(s, kind_job, maintenance_job_name(s->t->arena, "n", run)))
            drop(s, kind_pod, meta_name(pod));
    }
}

static inline void move_hands(Stage *s)
{
    const Json *job, *jobs;

    control_statefulset(s); /* sees in its next turn what the operator does in this one */
    then_one_has_the_volume(s);
    if (!s->is_asleep)
        operate(s);
    jobs = list_of(s, kind_job);
    json_each(job, jobs)
        control_job(s, job);
    collect_garbage(s);
    then_one_has_the_volume(s);
}

static inline void stage_turn(Stage *s)
{
    in_a_turn(s, move_hands);
}

/* What a person may do of what a run asks about beforehand. */
static inline void given_rights(Terminal *t)
{
    given(t,
        kind_role,
        "{metadata: {name: 'maintain'}, rules: [{apiGroups: ['batch'], resources: ['jobs'],"
        " verbs: ['create', 'patch', 'delete']}]}");
    given(t,
        kind_rolebinding,
        "{metadata: {name: 'maintain'}, roleRef: {apiGroup: 'rbac.authorization.k8s.io',"
        " kind: 'Role', name: 'maintain'}, subjects: [{apiGroup: 'rbac.authorization.k8s.io',"
        " kind: 'User', name: 'person'}]}");
}

/* The node runs, and the operator has seen it. */
static inline Stage stage_given(Terminal *t, const char *node_patch)
{
    Stage s = {.t = t};

    given_rights(t);
    s.claim_uid = str_copy(t->arena,
        meta_uid(given(t,
            kind_pvc,
            "{metadata: {name: 'data-n'}, spec: {accessModes: ['ReadWriteOnce'],"
            " resources: {requests: {storage: '1Gi'}}}}")));
    given_node(t, "n", node_patch);
    given(t,
        kind_statefulset,
        "{metadata: {name: 'n'}, spec: {replicas: 1, serviceName: 'n',"
        " selector: {matchLabels: {a: 'b'}},"
        " template: {metadata: {labels: {a: 'b'}}, spec: " POD_SPEC "}}}");
    stage_turn(&s);
    return s;
}

static inline bool is_marked(Stage *s)
{
    return meta_annotation(seen(s->t, kind_seinode, "n"), ANNOTATION_MAINTENANCE) != NULL;
}

static inline bool is_paused(Stage *s)
{
    return json_bool(seen(s->t, kind_seinode, "n"), ".spec.paused", false);
}

#endif
