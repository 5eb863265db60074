/* What the words of nodes.h do. The player and the operator are remembered here, because a failed
 * test leaves by longjmp and ends neither. */
#include "tests/e2e/nodes.h"

#include "kube/meta.h"
#include "tests/e2e/fetch.h"

#include <fcntl.h>

#define SPEED "15" /* of the player, unless a test wants another */

enum { ENV_MAX = 40, SIDECAR_PORT = 8443 };

static struct {
    Controlplane *cp; /* NULL: nothing is installed */
    Operator player;
    pid_t operator_pid, standby_pid; /* 0: none runs */
    char player_log[512], orders[512], kubeconfig[512];
} stage;

/* What the platform's owner decides; a test changes one of them. */
static const char *const settings[] = {
    "SEI_NODEPOOL_NAME=sei-node",
    "SEI_NODEPOOL_ARCHIVE=sei-archive",
    "SEI_TOLERATION_KEY=sei.io/workload",
    "SEI_SERVICE_ACCOUNT=seid-node",
    "SEI_STORAGE_CLASS_PERF=gp3-10k-750",
    "SEI_STORAGE_CLASS_DEFAULT=gp3",
    "SEI_STORAGE_CLASS_ARCHIVE=gp3-archive",
    "SEI_STORAGE_SIZE_DEFAULT=2000Gi",
    "SEI_STORAGE_SIZE_ARCHIVE=40Ti",
    "SEI_RESOURCE_CPU_DEFAULT=4",
    "SEI_RESOURCE_MEM_DEFAULT=32Gi",
    "SEI_RESOURCE_CPU_ARCHIVE=48",
    "SEI_RESOURCE_MEM_ARCHIVE=448Gi",
    "SEI_SNAPSHOT_BUCKET=snapshots",
    "SEI_SNAPSHOT_REGION=us-east-2",
    "SEI_GENESIS_BUCKET=genesis",
    "SEI_GENESIS_REGION=us-east-2",
    "SEI_RESULT_EXPORT_BUCKET=results",
    "SEI_RESULT_EXPORT_REGION=us-east-2",
    "SEI_RESULT_EXPORT_PREFIX=shadow-results/",
    "SEI_GATEWAY_NAME=sei-gateway",
    "SEI_GATEWAY_NAMESPACE=gateway",
    "SEI_GATEWAY_DOMAIN=example.org",
    "SEI_P2P_ENDPOINT_DOMAIN=p2p.example.org",
    "SEI_SIDECAR_IMAGE=ghcr.io/example/seictl:v0.0.50",
    "SEI_KUBE_RBAC_PROXY_IMAGE=quay.io/brancz/kube-rbac-proxy:v0.19.1",
    "SEI_COSMOS_EXPORTER_IMAGE=ghcr.io/example/sei-cosmos-exporter:v1",
};

static const struct {
    const char *plural, *root;
} kinds[] = {
    {"seinodes", "/apis/sei.io/v1alpha1"},
    {"seinodedeployments", "/apis/sei.io/v1alpha1"},
    {"statefulsets", "/apis/apps/v1"},
    {"pods", "/api/v1"},
    {"services", "/api/v1"},
    {"configmaps", "/api/v1"},
    {"persistentvolumeclaims", "/api/v1"},
    {"controllerrevisions", "/apis/apps/v1"},
    {"httproutes", "/apis/gateway.networking.k8s.io/v1"},
};

/* --- what is installed once */

static void install(Controlplane *cp, Arena *a)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */

    root = root ? root : ".";
    kubectl(cp, a, "apply", "--server-side", "-f", str_format(a, "%s/deploy/crds", root));
    kubectl(cp, a, "apply", "--server-side", "-f", str_format(a, "%s/deploy/rbac", root));
    kubectl(cp, a, "wait", "--for=condition=Established", "crd/seinodes.sei.io");
}

/* The garbage collector looks for new kinds twice a minute, and when it starts. Until it knows a
 * kind, it deletes nothing that an object of the kind owns. */
static void show_kinds_to_garbage_collector(Controlplane *cp, Arena *a)
{
    then_ok(controlplane_stop(cp, a, COMPONENT_CONTROLLER_MANAGER));
    then_ok(controlplane_start(cp, a, COMPONENT_CONTROLLER_MANAGER));
}

/* A kubeconfig with the token of the operator's own account. */
static void make_operator_config(Controlplane *cp, Arena *a)
{
    const char *token, *path;
    const char *file = str_format(a, "%s/operator.token", controlplane_folder(cp));
    TokenWish wish = {.namespace = "sei-system", .account = "sei-operator"};

    then_ok(controlplane_token(cp, a, &wish, &token));
    then_ok(controlplane_write(a, file, token));
    then_ok(controlplane_kubeconfig(cp, a, &(Identity){.token_file = file}, &path));
    snprintf(stage.kubeconfig, sizeof stage.kubeconfig, "%s", path);
}

static void start_player(Controlplane *cp, Arena *a, const char *speed)
{
    /* Pods live beside the API server, in the network that its control plane has claimed. */
    const char *address = controlplane_address(cp) + strlen("127.");
    const char *network = str_slice(a, address, strcspn(address, "."));

    snprintf(stage.orders, sizeof stage.orders, "%s/orders", controlplane_folder(cp));
    stage.player = operator_start(cp,
        a,
        &(OperatorOptions){
            .program = PLAYER_PROGRAM,
            .kubeconfig = controlplane_admin(cp),
            .args = PROCESS_ARGS("--orders", stage.orders, "--network", network, "--speed", speed),
        });
    snprintf(stage.player_log, sizeof stage.player_log, "%s", stage.player.log);
    stage.player.log = stage.player_log;
    eventually(operator_said(&stage.player, "playing"));
}

/* Ends what a failed test left behind. */
static void end_operators(void)
{
    if (stage.operator_pid)
        operator_kill(&(Operator){.pid = stage.operator_pid});
    if (stage.standby_pid)
        operator_kill(&(Operator){.pid = stage.standby_pid});
    stage.operator_pid = stage.standby_pid = 0;
}

Nodes nodes_open(Arena *a, Controlplane *cp, const char *namespace)
{
    Nodes n = {.cp = cp, .arena = a, .namespace = namespace};

    if (!stage.cp) {
        scene_begin(cp);
        install(cp, a);
        show_kinds_to_garbage_collector(cp, a);
        make_operator_config(cp, a);
        start_player(cp, a, SPEED);
        stage.cp = cp;
    }
    end_operators();
    scene_make_namespaces(cp, a, PROCESS_ARGS(namespace));
    kubectl(cp, a, "create", "serviceaccount", "seid-node", "-n", namespace);
    nodes_start_operator(&n, NULL);
    return n;
}

Nodes nodes_return(Arena *a, Controlplane *cp, const char *namespace)
{
    Nodes n = {.cp = cp, .arena = a, .namespace = namespace};

    end_operators();
    nodes_start_operator(&n, NULL);
    return n;
}

void nodes_close(Nodes *n)
{
    then_int(operator_end(&n->op), 0);
    stage.operator_pid = 0;
}

/* --- the operator */

static const char *const *environment(Arena *a, const char *setting)
{
    const char **env = arena_array(a, const char *, ENV_MAX);
    size_t name = setting ? strcspn(setting, "=") + 1 : 0;

    for (size_t i = 0; i < array_count(settings); i++)
        env[i] = setting && strncmp(settings[i], setting, name) == 0 ? setting : settings[i];
    env[array_count(settings)] = NULL;
    return env;
}

static Operator start_operator(const Nodes *n, const char *identity, const char *setting)
{
    return operator_start(n->cp,
        n->arena,
        &(OperatorOptions){
            .program = OPERATOR_PROGRAM,
            .kubeconfig = stage.kubeconfig,
            .env = environment(n->arena, setting),
            .args = PROCESS_ARGS(
                str_format(n->arena, "--metrics-bind-address=%s", n->metrics ? n->metrics : "0"),
                n->metrics ? "--metrics-secure" : "--metrics-secure=false",
                str_format(
                    n->arena, "--metrics-cert-path=%s", n->certificate ? n->certificate : ""),
                "--health-probe-bind-address=0",
                "--lease-namespace=sei-system",
                str_format(n->arena, "--identity=%s", identity),
                str_format(n->arena, "--watch-namespaces=%s", n->namespace)),
        });
}

void nodes_start_operator(Nodes *n, const char *setting)
{
    n->op = start_operator(n, "e2e", setting);
    stage.operator_pid = n->op.pid;
    eventually(operator_said(&n->op, "work begins"));
}

Operator nodes_start_standby(const Nodes *n, const char *identity)
{
    Operator standby = start_operator(n, identity, NULL);

    stage.standby_pid = standby.pid;
    eventually(operator_said(&standby, "standing by"));
    then_true(!operator_said(&standby, "work begins"));
    return standby;
}

void nodes_hand_over(Nodes *n, Operator to)
{
    n->op = to;
    stage.operator_pid = to.pid;
    stage.standby_pid = 0;
}

void nodes_install_again(const Nodes *n)
{
    install(n->cp, n->arena);
    make_operator_config(n->cp, n->arena);
}

void nodes_kill_operator(Nodes *n)
{
    operator_kill(&n->op);
    stage.operator_pid = 0;
}

void nodes_play(Nodes *n, const char *speed)
{
    then_int(operator_end(&stage.player), 0);
    if (speed)
        start_player(n->cp, n->arena, speed);
}

/* --- a person */

void nodes_create(const Nodes *n, const char *name, const char *annotations)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    scene_apply(n->cp,
        a,
        str_format(a,
            "{apiVersion: sei.io/v1alpha1, kind: SeiNode,"
            " metadata: {name: %s, namespace: %s, annotations: %s},"
            " spec: {chainId: pacific-1, image: 'ghcr.io/example/seid:v1', fullNode: {}}}",
            name,
            n->namespace,
            annotations));
}

void nodes_patch(const Nodes *n, const char *plural, const char *name, const char *change)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    kubectl(n->cp, a, "patch", plural, name, "-n", n->namespace, "--type=merge", "-p", change);
}

void nodes_set_image(const Nodes *n, const char *name, const char *tag)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    nodes_patch(n,
        "seinodes",
        name,
        str_format(a, "{\"spec\": {\"image\": \"ghcr.io/example/seid:%s\"}}", tag));
}

void nodes_delete(const Nodes *n, const char *plural, const char *name, const char *cascade)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    kubectl(n->cp,
        a,
        "delete",
        plural,
        name,
        "-n",
        n->namespace,
        "--wait=false",
        str_format(a, "--cascade=%s", cascade));
}

/* Orders that the player has written down as obeyed. */
static int obeyed(void)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    int count = 0;

    for (const char *at = operator_log(&stage.player, a); (at = strstr(at, "\"obeyed\"")); at++)
        count++;
    return count;
}

void nodes_order_line(const Nodes *n, const char *line)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    int file = open(stage.orders, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const char *text = str_format(a, "%s\n", line);
    int before = obeyed();

    (void)n;
    then_int(write(file, text, strlen(text)), strlen(text));
    close(file);
    eventually(obeyed() > before);
}

void nodes_order(const Nodes *n, const char *verb, const char *node, const char *rest)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    nodes_order_line(n, str_format(a, "%s %s/%s-0%s", verb, n->namespace, node, rest));
}

/* --- what there is */

const Json *nodes_find(const Nodes *n, Arena *a, const char *plural, const char *name)
{
    for (size_t i = 0; i < array_count(kinds); i++)
        if (str_eq(kinds[i].plural, plural))
            return scene_get(n->cp,
                a,
                str_format(a, "%s/namespaces/%s/%s/%s", kinds[i].root, n->namespace, plural, name));
    fail_msg("no kind %s", plural);
    return NULL;
}

bool nodes_have(const Nodes *n, const char *plural, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return nodes_find(n, a, plural, name) != NULL;
}

const char *nodes_uid(const Nodes *n, const char *plural, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *object = nodes_find(n, a, plural, name);

    return str_copy(n->arena, object ? meta_uid(object) : "");
}

bool nodes_is_new(const Nodes *n, const char *plural, const char *name, const char *old_uid)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *object = nodes_find(n, a, plural, name);

    return object && !str_eq(meta_uid(object), old_uid);
}

bool nodes_say(
    const Nodes *n, const char *plural, const char *name, const char *path, const char *want)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *object = nodes_find(n, a, plural, name);

    return object && str_eq(json_str(object, path), want);
}

static const Json *condition(const Json *node, const char *type)
{
    const Json *found;

    json_each(found, json_find(node, ".status.conditions"))
        if (str_eq(json_str(found, ".type"), type))
            return found;
    return NULL;
}

bool nodes_is_so(const Json *object, const char *type, const char *status, const char *reason)
{
    const Json *found = condition(object, type);

    return found && (!status || str_eq(json_str(found, ".status"), status))
        && (!reason || str_eq(json_str(found, ".reason"), reason))
        && json_int(found, ".observedGeneration", -1)
        == json_int(object, ".metadata.generation", 0);
}

bool nodes_condition(
    const Nodes *n, const char *name, const char *type, const char *status, const char *reason)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return nodes_is_so(nodes_find(n, a, "seinodes", name), type, status, reason);
}

const char *nodes_message(const Nodes *n, const char *name, const char *type)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *text = json_str(condition(nodes_find(n, a, "seinodes", name), type), ".message");

    return str_copy(n->arena, text ? text : "");
}

bool nodes_settled(const Nodes *n, const char *name)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *node = nodes_find(n, a, "seinodes", name);

    return str_eq(json_str(node, ".status.phase"), "Running")
        && str_eq(json_str(node, ".status.plan.phase"), "Complete")
        && nodes_is_so(node, "Ready", "True", NULL) && nodes_is_so(node, "UpToDate", "True", NULL)
        && nodes_is_so(node, "Reconciling", "False", NULL)
        && nodes_is_so(node, "Stalled", "False", NULL);
}

/* A token as the operator gets them for its sidecars. */
static const char *sidecar_token(const Nodes *n, Arena *a)
{
    const char *token = kubectl(n->cp,
        a,
        "create",
        "token",
        "sei-sidecar-client",
        "-n",
        "sei-system",
        "--audience",
        str_format(a, "sei-sidecar.%s", n->namespace));

    return str_slice(a, token, strcspn(token, "\n"));
}

/* How its sidecar is asked for its tasks; without a url while there is nobody to ask. */
static Fetch tasks_of(const Nodes *n, Arena *a, const char *name)
{
    const Json *pod = nodes_find(n, a, "pods", str_format(a, "%s-0", name));
    const char *address = json_str(pod, ".status.podIP");

    if (!address)
        return (Fetch){0};
    return (Fetch){.url = str_format(a, "http://%s:%d/v0/tasks", address, SIDECAR_PORT),
        .token = sidecar_token(n, a)};
}

int nodes_tasks(const Nodes *n, const char *name, const char *type)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Fetch request = tasks_of(n, a, name);
    const Json *task, *tasks;
    const char *body;
    bool is_not = type[0] == '!';
    int count = 0;

    if (!request.url || fetch(a, &request, &body) != OK
        || json_parse(a, bytes_of(body), &tasks) != OK)
        return -1;
    json_each(task, tasks)
        count += str_eq(json_str(task, ".type"), type + is_not) != is_not;
    return count;
}

bool nodes_give_task(const Nodes *n, const char *name, const char *task)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Fetch request = tasks_of(n, a, name);
    const char *answer;

    request.body = task;
    return request.url && fetch(a, &request, &answer) == OK;
}

/* --- what the operator asked for */

size_t nodes_requests(const Nodes *n, int64_t mark, const char *verb, const char *resource)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    AuditLog log = scene_audit(n->cp, a, mark);
    AuditLine like = {.user = NODES_OPERATOR, .verb = verb, .resource = resource};
    AuditLine lease = {.user = NODES_OPERATOR, .resource = "leases"};

    return audit_count(&log, &like) - (resource || verb ? 0 : audit_count(&log, &lease));
}
