/* The player in front of a real API server: StatefulSets get pods that run, sidecars answer on the
 * pods' addresses and ask the real server who may ask them. */
#include "kube/meta.h"
#include "tests/e2e/fetch.h"
#include "tests/e2e/scene.h"

#include <fcntl.h>

#define MARK "11111111-1111-4111-8111-111111111111"

/* Probes and stops of pods run so many times faster than ours. */
#define SPEED "15"

/* A busy server answers a review late or not at all, and then the sidecar says 401: what it says is
 * therefore awaited, even where it should be true at once. */

/* The pod of a SeiNode, with probes that do not take long. */
/* clang-format off */
static const char node[] =
    "{apiVersion: 'v1', kind: 'List', items: ["
    "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data-rpc'},"
    " spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'fast',"
    "  resources: {requests: {storage: '10Gi'}}}},"
    "{apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: {name: 'rpc'},"
    " spec: {replicas: 1, serviceName: 'rpc', updateStrategy: {type: 'OnDelete'},"
    "  selector: {matchLabels: {'sei.io/node': 'rpc'}},"
    "  template: {metadata: {labels: {'sei.io/node': 'rpc'}}, spec: {"
    "   terminationGracePeriodSeconds: 10,"
    "   volumes: [{name: 'data', persistentVolumeClaim: {claimName: 'data-rpc'}}],"
    "   initContainers: ["
    "    {name: 'seid-init', image: 'seid:v1'},"
    "    {name: 'sei-sidecar', image: 'seictl:v0.0.70', restartPolicy: 'Always',"
    "     env: [{name: 'SEI_CHAIN_ID', value: 'pacific-1'}]},"
    "    {name: 'kube-rbac-proxy', image: 'proxy:v1', restartPolicy: 'Always',"
    "     args: ['--ignore-paths=/v0/healthz,/v0/startupz,/v0/livez,/v0/metrics', '%s'],"
    "     startupProbe: {tcpSocket: {port: 8443}, periodSeconds: 1},"
    "     readinessProbe: {httpGet: {path: '/v0/healthz', port: 8443}, periodSeconds: 1}}],"
    "   containers: [{name: 'seid', image: 'seid:v1',"
    "     startupProbe: {httpGet: {path: '/v0/healthz', port: 8443}, periodSeconds: 1, failureThreshold: 86400},"
    "     readinessProbe: {httpGet: {path: '/lag_status', port: 26657}, periodSeconds: 1}}]}}}}]}";

/* Somebody who may create and get tasks. */
static const char operator_account[] =
    "{apiVersion: 'v1', kind: 'List', items: ["
    "{apiVersion: 'v1', kind: 'ServiceAccount', metadata: {name: 'op'}},"
    "{apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: {name: 'tasks'},"
    " rules: [{apiGroups: ['sei.io'], resources: ['seinodetasks'], verbs: ['create', 'get']}]},"
    "{apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: {name: 'tasks'},"
    " roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tasks'},"
    " subjects: [{kind: 'ServiceAccount', name: 'op'}]}]}";
/* clang-format on */

/* A cluster with nodes. */
typedef struct Town {
    Controlplane *cp;
    const char *namespace, *orders;
    Operator player;
} Town;

static void apply(const Town *t, Arena *a, const char *fixture)
{
    Bytes text = json_write(a, json_fixture(a, fixture));
    scene_kubectl(t->cp, a, text.data, PROCESS_ARGS("apply", "-n", t->namespace, "-f", "-"));
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static Town town_open(Arena *a, const char *namespace, const char *proxy_flag)
{
    Town t = {.cp = scene_begin(controlplane_shared()), .namespace = namespace};
    /* Pods live beside the API server, in the network that its control plane has claimed. */
    const char *network =
        str_slice(a, controlplane_address(t.cp) + 4, strcspn(controlplane_address(t.cp) + 4, "."));

    t.orders = str_format(a, "%s/orders-%s", controlplane_folder(t.cp), namespace);
    t.player = operator_start(t.cp,
        a,
        &(OperatorOptions){.program = PLAYER_PROGRAM,
            .kubeconfig = controlplane_admin(t.cp),
            .args = PROCESS_ARGS("--orders", t.orders, "--network", network, "--speed", SPEED)});
    scene_make_namespaces(t.cp, a, PROCESS_ARGS(namespace));
    apply(&t, a, str_format(a, node, proxy_flag));
    return t;
}

static void town_close(Town *t)
{
    then_int(operator_end(&t->player), 0);
}

static void order(const Town *t, Arena *a, const char *line)
{
    int file = open(t->orders, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const char *text = str_format(a, "%s\n", line);
    then_int(write(file, text, strlen(text)), strlen(text));
    close(file);
}

/* The pod now, or NULL. */
static const Json *pod(const Town *t, Arena *a)
{
    return scene_get(t->cp, a, str_format(a, "/api/v1/namespaces/%s/pods/rpc-0", t->namespace));
}

static const char *status(const Town *t, Arena *a, const char *path)
{
    const char *text = json_str(pod(t, a), path);
    return text ? text : "";
}

static bool has_new_pod(const Town *t, Arena *a, const char *old_uid)
{
    const char *uid = meta_uid(pod(t, a));
    return uid && !str_eq(uid, old_uid);
}

static bool is_ready(const Town *t, Arena *a)
{
    const Json *condition;
    json_each(condition, json_find(pod(t, a), ".status.conditions"))
        if (str_eq(json_str(condition, ".type"), "Ready"))
            return str_eq(json_str(condition, ".status"), "True");
    return false;
}

/* What seid says, or the error as text. */
static const char *ask_seid(const Town *t, Arena *a, const char *path)
{
    const char *answer = "";
    Fetch request = {
        .url = str_format(a, "http://%s:26657%s", status(t, a, ".status.podIP"), path)};
    const Err *err = fetch(a, &request, &answer);
    return err ? err_text(a, err) : answer;
}

/* What the sidecar says, or the error as text. */
static const char *ask(
    const Town *t, Arena *a, const char *path, const char *token, const char *body)
{
    const char *answer = "";
    Fetch request = {
        .url = str_format(a, "http://%s:8443%s", status(t, a, ".status.podIP"), path),
        .token = token,
        .body = body,
    };
    const Err *err = fetch(a, &request, &answer);
    return err ? err_text(a, err) : answer;
}

static bool says(const Town *t, Arena *a, const char *path, const char *token, const char *phrase)
{
    return strstr(ask(t, a, path, token, NULL), phrase) != NULL;
}

/* The token of a ServiceAccount that may create and get tasks. */
static const char *operator_token(const Town *t, Arena *a, const char *audience)
{
    apply(t, a, operator_account);
    const char *token = audience
        ? kubectl(t->cp, a, "create", "token", "op", "-n", t->namespace, "--audience", audience)
        : kubectl(t->cp, a, "create", "token", "op", "-n", t->namespace);
    return str_slice(a, token, strcspn(token, "\n"));
}

TEST(a_statefulset_gets_a_pod_that_is_ready_after_mark_ready)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Town t = town_open(a, "comes-up", "--v=0");
    eventually(str_eq(status(&t, a, ".status.phase"), "Running"));
    const char *uid = meta_uid(pod(&t, a));
    const char *token = operator_token(&t, a, NULL);
    const char *stranger = kubectl(t.cp, a, "create", "token", "default", "-n", t.namespace);
    stranger = str_slice(a, stranger, strcspn(stranger, "\n"));

    eventually(says(&t, a, "/v0/healthz", NULL, "status 503"));
    eventually(says(&t, a, "/v0/status", NULL, "status 401: Unauthorized"));
    eventually(says(&t, a, "/v0/status", "nonsense", "status 401: Unauthorized"));
    eventually(says(&t, a, "/v0/status", stranger, "status 403: Forbidden (user=system:service"));
    eventually(says(&t, a, "/v0/status", token, "Initializing"));
    then_true(!is_ready(&t, a));
    then_true(strstr(ask_seid(&t, a, "/status"), "\"network\"") == NULL);
    eventually(
        str_eq(ask(&t, a, "/v0/tasks", token, "{\"id\":\"" MARK "\",\"type\":\"mark-ready\"}"),
            "{\"id\":\"" MARK "\"}\n"));
    eventually(is_ready(&t, a));
    then_true(strstr(ask_seid(&t, a, "/status"), "\"network\":\"pacific-1\"") != NULL);

    kubectl(t.cp, a, "delete", "pod", "rpc-0", "-n", t.namespace);
    eventually(has_new_pod(&t, a, uid));
    eventually(says(&t, a, "/v0/healthz", NULL, "status 503"));
    eventually(says(&t, a, "/v0/tasks/" MARK, token, "\"status\":\"completed\""));
    town_close(&t);
}

TEST(a_proxy_with_an_audience_accepts_only_tokens_for_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Town t = town_open(a, "audience", "--auth-token-audiences=sei-sidecar.audience");
    eventually(str_eq(status(&t, a, ".status.phase"), "Running"));
    const char *meant = operator_token(&t, a, "sei-sidecar.audience");
    const char *other = operator_token(&t, a, NULL);
    eventually(says(&t, a, "/v0/status", meant, "Initializing"));
    eventually(says(&t, a, "/v0/status", other, "status 401"));
    town_close(&t);
}

TEST(fault_commands_reach_the_pods)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    static const char waiting[] = ".status.initContainerStatuses[0].state.waiting.reason";
    Town t = town_open(a, "orders", "--v=0");
    eventually(str_eq(status(&t, a, ".status.phase"), "Running"));
    const char *token = operator_token(&t, a, NULL);
    eventually(says(&t, a, "/v0/status", token, "Initializing"));

    order(&t, a, "temper orders/rpc-0 failing 0");
    eventually(says(&t, a, "/v0/status", token, "status 503: upstream"));
    order(&t, a, "temper orders/rpc-0 none 0");
    order(&t, a, "kill-sidecar orders/rpc-0");
    eventually(operator_said(&t.player, "kill-sidecar"));
    eventually(says(&t, a, "/v0/status", token, "Initializing"));
    order(&t, a, "nonsense");
    eventually(operator_said(&t.player, "there is no order 'nonsense'"));

    order(&t, a, "freeze orders/rpc-0");
    eventually(operator_said(&t.player, "freeze"));
    kubectl(t.cp, a, "delete", "pod", "rpc-0", "-n", t.namespace, "--wait=false");
    const char *uid = meta_uid(pod(&t, a));
    order(&t, a, "bad-image seid:v1");
    eventually(operator_said(&t.player, "bad-image"));
    then_str(meta_uid(pod(&t, a)), uid);
    order(&t, a, "thaw orders/rpc-0");
    eventually(has_new_pod(&t, a, uid));
    eventually(str_eq(status(&t, a, waiting), "ImagePullBackOff"));
    then_str(status(&t, a, ".status.phase"), "Pending");
    town_close(&t);
}

TEST(a_pvc_gets_a_volume_and_loses_it_when_the_pvc_is_deleted)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Town t = town_open(a, "volumes", "--v=0");
    static const char claim[] = "/api/v1/namespaces/volumes/persistentvolumeclaims/data-rpc";
    eventually(str_eq(json_str(scene_get(t.cp, a, claim), ".status.phase"), "Bound"));
    eventually(str_eq(status(&t, a, ".status.phase"), "Running"));
    const char *volume = str_format(
        a, "/api/v1/persistentvolumes/%s", json_str(scene_get(t.cp, a, claim), ".spec.volumeName"));
    then_true(scene_has(t.cp, volume));
    kubectl(t.cp, a, "delete", "pvc", "data-rpc", "-n", t.namespace, "--wait=false");
    then_true(scene_has(t.cp, claim));
    kubectl(t.cp, a, "delete", "statefulset", "rpc", "-n", t.namespace);
    eventually(!pod(&t, a));
    eventually(!scene_has(t.cp, claim));
    eventually(!scene_has(t.cp, volume));
    town_close(&t);
}
