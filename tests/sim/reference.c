/* What the reference did, by its specification; tasks are handed over as it did, one after the
 * other and under its ids. */
#include "tests/sim/reference.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/uuid.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/render/render.h"
#include "sei/task/sidecar_params.h"
#include "tests/test.h"

#define PLAN_ID    "11111111-2222-4333-8444-555555555555"
#define LATER_ID   "11111111-2222-4333-8444-666666666666"
#define TASK_SPACE "b7e89c3a-4f12-4d8b-9a6e-1c2d3e4f5a6b"
#define LONG_AGO   "2026-01-01T00:00:00Z"

enum { ASK_MS = 500, ASKS_MAX = 2000 };

static Api *api(Play *p)
{
    return world_api(sim_world(play_sim(p)), "reference");
}

/* --- objects -----------------------------------------------------------------------------------
 */

static const char *replaced(Arena *a, const char *text, const char *from, const char *to)
{
    const char *all = "", *at;

    while ((at = strstr(text, from))) {
        all = str_format(a, "%s%s%s", all, str_slice(a, text, (size_t)(at - text)), to);
        text = at + strlen(from);
    }
    return str_format(a, "%s%s", all, text);
}

/* What we added is taken away again; its scripts are worded otherwise. */
static const Json *as_reference(Arena *a, const Json *object)
{
    static const char change[] =
        "{spec: {template: {metadata: {annotations: {'sei.io/template-hash': null,"
        " 'sei.io/config-hash': null, 'kubectl.kubernetes.io/default-container': null,"
        " 'kubectl.kubernetes.io/restartedAt': null}},"
        " spec: {terminationGracePeriodSeconds: null}}}}";
    const char *text = json_write(a, object).data;
    const Json *words;

    text = replaced(a, text, ",\"--auth-token-audiences=sei-sidecar." PLAY_NAMESPACE "\"", "");
    text = replaced(a, text, "exec seid start", "exec  seid start");
    then_ok(json_parse(a, bytes_of(text), &words));
    return json_merge(a, words, json_fixture(a, change));
}

/* It overlooks that a volume is imported. */
static const Json *as_reference_job(Arena *a, const char *name, const Wanted *wanted)
{
    static const char change[] =
        "{metadata: {annotations: null}, spec: {podReplacementPolicy: null,"
        " ttlSecondsAfterFinished: 3600, template: {spec: {securityContext: null,"
        " automountServiceAccountToken: null}}}}";

    const Json *job = as_reference(a, wanted->bootstrap_job), *words;
    const char *text = json_write(a, json_merge(a, job, json_fixture(a, change))).data;

    text = replaced(a,
        text,
        str_format(a, "\"claimName\":\"%s\"", wanted->claim),
        str_format(a, "\"claimName\":\"data-%s\"", name));
    then_ok(json_parse(a, bytes_of(text), &words));
    return words;
}

static Wanted render(Play *p, const char *name)
{
    Subject subject = subject_of(play_arena(p), play_node(p, name), play_settings(p), REPLICAS_ONE);
    Wanted wanted;

    then_ok(render_node(play_arena(p), &subject, &wanted));
    return wanted;
}

static const Json *send(Play *p, Verb verb, const Kind *kind, const Json *object)
{
    Request request = {
        .verb = verb,
        .kind = kind,
        .key = {.namespace = PLAY_NAMESPACE, .name = meta_name(object)},
        .body = verb == VERB_DELETE ? NULL : object,
        .manager = NODE_MANAGER,
        .force = verb == VERB_APPLY,
    };
    const Json *answer;

    then_ok(api_call(api(p), play_arena(p), &request, &answer));
    return answer;
}

void reference_look(Play *p, const char *name)
{
    const Wanted wanted = render(p, name);

    send(p, VERB_APPLY, kind_statefulset, as_reference(play_arena(p), wanted.statefulset));
}

void reference_create(Play *p, const char *name, const char *change)
{
    play_create_node(p, name, change);
    play_patch(p, kind_seinode, name, "{metadata: {finalizers: ['" NODE_FINALIZER "']}}");
    reference_look(p, name);
}

/* --- sidecars ----------------------------------------------------------------------------------
 */

/* As it gets it from the API server: for any proxy that was told of no audience. */
static const char *ask_token(Play *p)
{
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {.namespace = PLAY_NAMESPACE, .name = "sidecar-client"},
        .subresource = "token",
        .body = json_fixture(play_arena(p),
            "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {}}"),
        .manager = NODE_MANAGER,
    };
    const Json *answer;

    then_ok(api_call(api(p), play_arena(p), &request, &answer));
    return json_str(answer, ".status.token");
}

typedef struct PodSearch {
    Arena *arena;
    const char *address;
} PodSearch;

static void look_for_job_pod(void *self, const Kind *kind, const Json *object)
{
    PodSearch *search = self;

    if (kind_eq(kind, kind_pod) && str_eq(meta_label(object, LABEL_COMPONENT), COMPONENT_BOOTSTRAP)
        && !meta_deleting(object))
        search->address = str_copy(search->arena, json_str(object, ".status.podIP"));
}

static const Json *find_job(Play *p, const char *node)
{
    return play_find(p, kind_job, name_bootstrap_job(play_arena(p), node));
}

/* The address of whoever has the host name of the node: its pod, or that of its bootstrap Job. */
static const char *find_address(Play *p, const char *node)
{
    const Json *pod = play_find(p, kind_pod, name_pod(play_arena(p), node));
    PodSearch search = {.arena = play_arena(p)};

    if (!find_job(p, node))
        return meta_deleting(pod) ? NULL : json_str(pod, ".status.podIP");
    SCOPED_ARENA a = arena_open(16 << 20);
    server_each(world_server(sim_world(play_sim(p))), a, look_for_job_pod, &search);
    return search.address;
}

/* Asks until there is an answer of 2xx. */
static const Json *ask(Play *p, const char *node, SidecarRequest request)
{
    SidecarAnswer answer = {0};
    const Json *body = NULL;

    for (int i = 0; i < ASKS_MAX; i++) {
        const char *address = find_address(p, node);
        request.now_ms = world_now_ms(sim_world(play_sim(p)));
        answer = (SidecarAnswer){0};
        if (address)
            kubelet_ask(play_kubelet(p),
                play_arena(p),
                &(PodEndpoint){address, POD_PORT_PROXY},
                &request,
                &answer);
        world_wake(sim_world(play_sim(p)), kubelet_actor(play_kubelet(p)));
        if (answer.status / 100 == 2)
            break;
        play_run(p, ASK_MS);
    }
    if (answer.status / 100 != 2)
        fail_msg("the sidecar of %s answers %d", node, answer.status);
    then_ok(json_parse(play_arena(p), answer.body, &body));
    return body;
}

static void hand_over(Play *p, const char *node, const Json *task)
{
    Arena *a = play_arena(p);
    const char *type = json_str(task, ".type");
    const Json *params = NULL;

    then_ok(sidecar_params(a, task_type_parse(type), json_find(task, ".params"), &params));
    const char *body = str_format(a,
        "{\"id\":\"%s\",\"type\":\"%s\"%s%s}",
        json_str(task, ".id"),
        type,
        params ? ",\"params\":" : "",
        params ? json_write(a, params).data : "");
    ask(p,
        node,
        (SidecarRequest){
            .method = "POST",
            .target = "/v0/tasks",
            .token = ask_token(p),
            .body = bytes_of(body),
        });
}

static void await_task(Play *p, const char *node, const Json *task)
{
    SidecarRequest get = {
        .method = "GET",
        .target = str_format(play_arena(p), "/v0/tasks/%s", json_str(task, ".id")),
        .token = ask_token(p),
    };

    for (int i = 0; i < ASKS_MAX; i++) {
        const char *status = json_str(ask(p, node, get), ".status");
        if (str_eq(status, "completed"))
            return;
        then_true(!str_eq(status, "failed"));
        play_run(p, ASK_MS);
    }
    fail_msg("%s never ends", json_str(task, ".type"));
}

/* --- tasks -------------------------------------------------------------------------------------
 */

size_t reference_count(const char *tasks)
{
    size_t count = 1;

    for (; *tasks; tasks++)
        count += *tasks == ' ';
    return count;
}

const char *reference_type(Arena *a, const char *tasks, size_t number)
{
    for (; number > 0; number--)
        tasks = strchr(tasks, ' ') + 1;
    return str_slice(a, tasks, strcspn(tasks, " "));
}

static const char *state_sync_params(Arena *a, const SnapshotSource *snapshot)
{
    return str_format(a,
        "{UseLocalSnapshot: %s, TrustPeriod: '%s', BackfillBlocks: %lld}",
        snapshot->has_s3 ? "true" : "false",
        snapshot->trust_period ? snapshot->trust_period : "",
        (long long)snapshot->backfill_blocks);
}

static const char *key_params(Arena *a, const SeiNode *node, const char *type)
{
    static const struct {
        const char *type, *params;
    } keys[] = {
        {"validate-signing-key", "secretName: 'signing'"},
        {"validate-node-key", "secretName: 'node'"},
        {"validate-operator-keyring",
            "secretName: 'keyring', keyName: 'node_admin', passphraseSecretName: 'passphrase',"
            " passphraseSecretKey: 'word'"},
    };

    for (size_t i = 0; i < array_count(keys); i++)
        if (str_eq(keys[i].type, type))
            return str_format(a, "{%s, namespace: '%s'}", keys[i].params, node->key.namespace);
    fail_msg("no key is checked by %s", type);
    return NULL;
}

/* As Go writes them: what has no JSON name keeps its capital letters. */
static const char *params_of(Arena *a, const SeiNode *node, const char *type)
{
    const char *name = node->key.name;

    if (strstr(type, "bootstrap"))
        return str_format(a,
            "{jobName: '%s-bootstrap', serviceName: '%s', namespace: '%s'}",
            name,
            name,
            node->key.namespace);
    if (str_has_prefix(type, "validate-"))
        return key_params(a, node, type);
    if (!task_type_is_sidecar(task_type_parse(type)))
        return str_format(a, "{nodeName: '%s', namespace: '%s'}", name, node->key.namespace);
    if (str_eq(type, "snapshot-restore"))
        return str_format(a, "{TargetHeight: %lld}", (long long)node->spec.snapshot.s3_height);
    if (str_eq(type, "config-apply")) /* of a validator with the override that its user needs */
        return str_format(a,
            "{mode: '%s', overrides: {%s'logging.level': 'info'}}",
            node_config_mode_text(node->spec.mode),
            node->spec.mode == MODE_VALIDATOR ? "'api.grpc.enable': 'true', " : "");
    if (str_eq(type, "discover-peers"))
        return "{Sources: [{type: 'static', addresses: ['a@b:1']}]}";
    if (str_eq(type, "configure-state-sync"))
        return state_sync_params(a, &node->spec.snapshot);
    if (str_eq(type, "generate-identity"))
        return str_format(a, "{ChainID: '%s', Moniker: '%s'}", node->spec.chain_id, name);
    if (str_eq(type, "generate-gentx"))
        return str_format(a,
            "{ChainID: '%s', StakingAmount: '10usei', AccountBalance: '20usei'}",
            node->spec.chain_id);
    if (str_eq(type, "upload-genesis-artifacts"))
        return str_format(a, "{NodeName: '%s'}", name);
    return "{}";
}

static int retries_of(const char *type)
{
    return str_eq(type, "configure-genesis") ? 180
        : str_eq(type, "discover-peers")     ? 20
        : str_eq(type, "replace-pod")        ? 3
                                             : 0;
}

static const char *status_of(const ReferencePlan *plan, size_t number)
{
    if (number < plan->stop_at)
        return "status: 'Complete', submittedAt: '" LONG_AGO "'";
    if (number == plan->stop_at && plan->how == STOP_BEGUN)
        return "status: 'Pending', submittedAt: '" LONG_AGO "'";
    if (number == plan->stop_at && plan->how == STOP_FAILED)
        return "status: 'Failed', error: 'no luck', submittedAt: '" LONG_AGO "'";
    return "status: 'Pending'";
}

static const char *plan_id(const ReferencePlan *plan)
{
    return plan->of_running ? LATER_ID : PLAN_ID;
}

static const char *task_text(
    Arena *a, const SeiNode *node, const ReferencePlan *plan, size_t number)
{
    const char *type = reference_type(a, plan->tasks, number);
    const char *path = str_format(a, "%s/%s/%zu", plan_id(plan), type, number);
    char id[UUID_SIZE];

    then_ok(uuid_v5(a, TASK_SPACE, path, id));
    return str_format(a,
        "{type: '%s', id: '%s', %s, params: %s%s}",
        type,
        id,
        status_of(plan, number),
        params_of(a, node, type),
        retries_of(type) ? str_format(a, ", maxRetries: %d", retries_of(type)) : "");
}

/* --- carrying out ------------------------------------------------------------------------------
 */

static bool has_started(Play *p, const char *name)
{
    return pod_has_started_seid(play_find(p, kind_pod, name_pod(play_arena(p), name)));
}

/* A pod that is made from the StatefulSet as it is, it leaves alone. */
static void replace_pod(Play *p, const char *name)
{
    const Json *sts = play_find(p, kind_statefulset, name);
    const Json *pod = play_find(p, kind_pod, name_pod(play_arena(p), name));

    if (!str_eq(meta_label(pod, LABEL_REVISION), json_str(sts, ".status.updateRevision")))
        send(p, VERB_DELETE, kind_pod, pod);
}

static bool has_reached_height(Play *p, const char *name)
{
    return job_is_complete(find_job(p, name));
}

static bool has_no_job(Play *p, const char *name)
{
    return !find_job(p, name);
}

static void tear_down(Play *p, const char *name)
{
    play_delete_how(p, kind_job, meta_name(find_job(p, name)), PROPAGATION_FOREGROUND);
    play_delete(p, kind_service, name);
    then_true(play_until(p, has_no_job, name));
}

/* Its StatefulSet has a pod all the time, which contends with the Job's for the volume. Who wins is
 * a matter of luck: here the Job, and the other one is there again in the end. */
static void begin_bootstrap(Play *p, const char *name, const char *type)
{
    const Wanted wanted = render(p, name);

    if (str_eq(type, "deploy-bootstrap-service")) {
        play_scale(p, name, 0);
        send(p, VERB_CREATE, kind_service, wanted.bootstrap_service);
    }
    if (str_eq(type, "deploy-bootstrap-job"))
        send(p, VERB_CREATE, kind_job, as_reference_job(play_arena(p), name, &wanted));
    if (str_eq(type, "await-bootstrap-complete"))
        then_true(play_until(p, has_reached_height, name));
    if (str_eq(type, "teardown-bootstrap"))
        tear_down(p, name);
}

static void begin_own(Play *p, const char *name, const char *type)
{
    const Wanted wanted = render(p, name);

    if (str_eq(type, "ensure-data-pvc") && wanted.volume)
        send(p, VERB_CREATE, kind_pvc, wanted.volume);
    if (str_eq(type, "apply-rbac-proxy-config"))
        send(p, VERB_APPLY, kind_configmap, wanted.proxy_config);
    if (str_eq(type, "apply-statefulset"))
        reference_look(p, name);
    play_run(p, ASK_MS); /* for the StatefulSet controller */
    if (str_eq(type, "apply-service"))
        send(p, VERB_APPLY, kind_service, wanted.service);
    if (str_eq(type, "replace-pod"))
        replace_pod(p, name);
    if (str_eq(type, "observe-image"))
        then_true(play_until(p, has_started, name));
}

static void begin(Play *p, const char *name, const Json *task)
{
    const char *type = json_str(task, ".type");

    if (task_type_is_sidecar(task_type_parse(type)))
        hand_over(p, name, task);
    else if (strstr(type, "bootstrap"))
        begin_bootstrap(p, name, type);
    else
        begin_own(p, name, type);
}

static void end(Play *p, const char *name, const Json *task)
{
    if (task_type_is_sidecar(task_type_parse(json_str(task, ".type"))))
        await_task(p, name, task);
}

static const char *plan_phase(const ReferencePlan *plan)
{
    if (plan->stop_at == reference_count(plan->tasks))
        return "Complete";
    return plan->how == STOP_FAILED ? "Failed" : "Active";
}

static const char *node_phase(const ReferencePlan *plan)
{
    if (plan->of_running || str_eq(plan_phase(plan), "Complete"))
        return "Running";
    return plan->how == STOP_FAILED ? "Failed" : "Initializing";
}

/* Recorded by the task that comes before the last. */
static const char *observed(Play *p, const char *name, const ReferencePlan *plan)
{
    bool has_observed = plan->of_running && plan->stop_at + 1 >= reference_count(plan->tasks)
        && strstr(plan->tasks, "observe-image");

    return has_observed
        ? str_format(play_arena(p), "currentImage: '%s',", play_node(p, name)->spec.image)
        : "";
}

static void store(Play *p, const char *name, const ReferencePlan *plan, const char *tasks)
{
    play_patch_status(p,
        kind_seinode,
        name,
        str_format(play_arena(p),
            "{status: {phase: '%s', phaseTransitionTime: '" LONG_AGO "', %s"
            " statefulSet: {name: '%s', uid: '%s'},"
            " plan: {id: '%s', phase: '%s', targetPhase: 'Running'%s, tasks: [%s]}}}",
            node_phase(plan),
            observed(p, name, plan),
            name,
            meta_uid(play_find(p, kind_statefulset, name)),
            plan_id(plan),
            plan_phase(plan),
            plan->of_running ? "" : ", failedPhase: 'Failed'",
            tasks));
}

static bool is_begun(ReferenceStop how)
{
    return how == STOP_UNTOLD || how == STOP_BEGUN;
}

void reference_work(Play *p, const char *name, const ReferencePlan *plan)
{
    Arena *a = play_arena(p);
    const SeiNode *node = play_node(p, name);
    size_t count = reference_count(plan->tasks);
    const char *tasks = "";

    for (size_t i = 0; i < count; i++) {
        const char *text = task_text(a, node, plan, i);
        const Json *task = json_fixture(a, text);

        tasks = str_format(a, "%s%s%s", tasks, i ? ", " : "", text);
        if (i < plan->stop_at || (i == plan->stop_at && is_begun(plan->how)))
            begin(p, name, task);
        if (i < plan->stop_at)
            end(p, name, task);
        /* Both in one pass, and stored after that. */
        if (i == plan->stop_at && plan->how == STOP_UNTOLD
            && str_eq(json_str(task, ".type"), "await-bootstrap-complete"))
            tear_down(p, name);
    }
    reference_look(p, name);
    store(p, name, plan, tasks);
}
