/* The real control plane does what the other end-to-end tests rely on. */
#include "tests/e2e/audit.h"
#include "tests/e2e/controlplane.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/proxy.h"
#include "tests/test.h"

#include <errno.h>
#include <sys/stat.h>

enum {
    ARENA_MAX = 64 << 20,
    SOON_MS = 30000, /* what another process must do has this long, on a busy machine */
};

/* The output of kubectl, as the admin; the test fails when kubectl does. */
#define kubectl(a, ...) kubectl_with(controlplane_shared(), a, NULL, PROCESS_ARGS(__VA_ARGS__))

static const char *kubectl_with(
    Controlplane *cp, Arena *a, const char *input, const char *const *args)
{
    Kubectl run = {.args = args, .input = input};
    const char *output = NULL;

    then_ok(controlplane_kubectl(cp, a, &run, &output));
    return output;
}

static void apply(Arena *a, const char *objects)
{
    kubectl_with(controlplane_shared(), a, objects, PROCESS_ARGS("apply", "-f", "-"));
}

static AuditLog audit_since(Arena *a, int64_t mark)
{
    AuditLog log = {0};

    then_ok(audit_read(a, controlplane_audit_log(controlplane_shared()), mark, &log));
    return log;
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

TEST(the_real_controllers_turn_a_statefulset_into_a_pod)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Controlplane *cp = controlplane_shared();
    int64_t mark = audit_mark(controlplane_audit_log(cp));
    Deadline soon = deadline_in_ms(SOON_MS);
    const AuditLine *line;
    AuditLog log;

    apply(a,
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {key: value}}\n"
        "---\n"
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {\n"
        "  selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}},\n"
        "  spec: {containers: [{name: web, image: 'example/web:1'}]}}}}\n");
    while (!*kubectl(a, "get", "pod", "web-0", "--ignore-not-found", "-o", "name")
        && deadline_wait(&soon))
        ;
    then_str(kubectl(a, "get", "pod", "web-0", "-o", "name"), "pod/web-0\n");

    log = audit_since(a, mark);
    line = audit_find(&log,
        &(AuditLine){.user = "system:serviceaccount:kube-system:statefulset-controller",
            .verb = "create",
            .resource = "pods",
            .code = 201});
    then_true(line != NULL);
    then_str(line->namespace, "default");
    then_true(line->received_us > 0 && line->received_us <= line->stage_us);
    then_int(audit_count(&log, &(AuditLine){.user = "admin", .verb = "patch"}), 0);
    then_int(audit_count(&log, &(AuditLine){.user = "admin", .verb = "create", .name = "web"}), 2);
    then_int(audit_since(a, log.end).count + log.count, audit_since(a, mark).count);
}

/* The authorizer watches roles and bindings, so a new one counts a moment after it was made. */
TEST(each_user_is_authenticated_and_authorized_by_rbac)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Controlplane *cp = controlplane_shared();
    Identity alice = {.user = "alice", .groups = PROCESS_ARGS("devs")};
    Kubectl list = {.args = PROCESS_ARGS("get", "configmaps", "-o", "name")};
    Deadline soon = deadline_in_ms(SOON_MS);
    const char *output;
    Err *err;

    then_ok(controlplane_kubeconfig(cp, a, &alice, &list.kubeconfig));
    then_err(controlplane_kubectl(cp, a, &list, &output), FAILED("User \"alice\" cannot list"));
    kubectl(a, "create", "rolebinding", "devs", "--clusterrole=view", "--group=devs");
    do
        err = controlplane_kubectl(cp, a, &list, &output);
    while (err && deadline_wait(&soon));
    then_ok(err);
    kubectl(a, "delete", "rolebinding", "devs");
}

/* The server believes a token for 10 s after it has checked it, so a revoked one may work on that
 * long. */
TEST(a_token_works_until_its_secret_is_deleted)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Controlplane *cp = controlplane_shared();
    TokenWish wish = {.namespace = "default", .account = "robot", .bound_secret = "life"};
    const char *token_file = str_format(a, "%s/token", controlplane_folder(cp));
    Identity robot = {.token_file = token_file};
    Kubectl whoami = {
        .args = PROCESS_ARGS("auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")};
    Deadline soon = deadline_in_ms(SOON_MS);
    const char *token, *output;
    Err *err;

    kubectl(a, "create", "serviceaccount", "robot");
    kubectl(a, "create", "secret", "generic", "life");
    then_ok(controlplane_token(cp, a, &wish, &token));
    then_ok(controlplane_write(a, token_file, token));
    then_ok(controlplane_kubeconfig(cp, a, &robot, &whoami.kubeconfig));
    then_ok(controlplane_kubectl(cp, a, &whoami, &output));
    then_str(output, "system:serviceaccount:default:robot");

    kubectl(a, "delete", "secret", "life");
    do
        err = controlplane_kubectl(cp, a, &whoami, &output);
    while (!err && deadline_wait(&soon));
    then_err(err, FAILED("Unauthorized"));

    kubectl(a, "create", "secret", "generic", "life");
    then_ok(controlplane_token(cp, a, &wish, &token));
    then_ok(controlplane_write(a, token_file, token));
    then_ok(controlplane_kubectl(cp, a, &whoami, &output));
}

TEST(every_control_plane_component_restarts_without_loss_of_data)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Controlplane *cp = controlplane_shared();

    kubectl(a, "create", "configmap", "kept");
    for (Component c = COMPONENT_APISERVER; c < COMPONENT_COUNT; c++) {
        pid_t before = controlplane_pid(cp, c);

        then_ok(controlplane_stop(cp, a, c));
        then_true(is_gone(before));
        then_int(controlplane_pid(cp, c), 0);
        then_ok(controlplane_stop(cp, a, c));
        then_ok(controlplane_start(cp, a, c));
        then_err(controlplane_start(cp, a, c), TERMINAL("running already"));
    }
    controlplane_kill(cp, COMPONENT_APISERVER);
    controlplane_kill(cp, COMPONENT_ETCD);
    then_int(controlplane_pid(cp, COMPONENT_ETCD), 0);
    then_ok(controlplane_start(cp, a, COMPONENT_ETCD));
    then_ok(controlplane_start(cp, a, COMPONENT_APISERVER));
    then_ok(controlplane_wait_ready(cp, a, COMPONENT_CONTROLLER_MANAGER, SOON_MS));
    then_str(kubectl(a, "get", "configmap", "kept", "-o", "name"), "configmap/kept\n");
}

TEST(a_paused_api_server_does_not_answer_and_continues_later)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Controlplane *cp = controlplane_shared();
    Kubectl get = {.args = PROCESS_ARGS("get", "--raw", "/version", "--request-timeout=1s")};
    const char *output;

    controlplane_pause(cp, COMPONENT_APISERVER);
    then_err(controlplane_kubectl(cp, a, &get, &output), FAILED("Unable to connect to the server"));
    controlplane_resume(cp, COMPONENT_APISERVER);
    then_ok(controlplane_wait_ready(cp, a, COMPONENT_APISERVER, SOON_MS));
    then_ok(controlplane_kubectl(cp, a, &get, &output));
    then_true(strstr(output, "\"v1.34.") != NULL);
}

TEST(a_proxy_connects_clients_to_the_api_server)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Controlplane *cp = controlplane_shared();
    Identity admin = {.user = "admin", .groups = PROCESS_ARGS("system:masters")};
    Kubectl get = {.args = PROCESS_ARGS("get", "--raw", "/version", "--request-timeout=1s")};
    const char *output;
    Proxy *proxy;

    then_ok(proxy_open(a, controlplane_address(cp), CONTROLPLANE_PORT, &proxy));
    admin.server = proxy_url(proxy);
    then_ok(controlplane_kubeconfig(cp, a, &admin, &get.kubeconfig));
    then_ok(controlplane_kubectl(cp, a, &get, &output));
    then_true(proxy_counts(proxy).bytes > 0);
    proxy_stall(proxy);
    then_err(controlplane_kubectl(cp, a, &get, &output), FAILED("Unable to connect to the server"));
    proxy_cut(proxy);
    then_err(controlplane_kubectl(cp, a, &get, &output), FAILED("reset by peer"));
    proxy_mend(proxy);
    then_ok(controlplane_kubectl(cp, a, &get, &output));
    proxy_close(proxy);
}

/* A second control plane beside the shared one, that keeps no events of ConfigMaps in memory. */
TEST(after_a_compaction_old_versions_are_gone_and_no_process_is_left)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    ControlplaneOptions options = {
        .flags = {[COMPONENT_APISERVER] = PROCESS_ARGS("--watch-cache-sizes=configmaps#0")},
        .audit_level = "RequestResponse",
    };
    const char *version, *folder, *path, *events;
    pid_t pids[COMPONENT_COUNT];
    Controlplane *cp;

    then_ok(controlplane_open(a, &options, &cp));
    kubectl_with(cp, a, NULL, PROCESS_ARGS("create", "configmap", "old"));
    version = kubectl_with(cp,
        a,
        NULL,
        PROCESS_ARGS("get", "configmap", "old", "-o", "jsonpath={.metadata.resourceVersion}"));
    path = str_format(a, "/api/v1/configmaps?watch=1&timeoutSeconds=1&resourceVersion=%s", version);
    kubectl_with(cp, a, NULL, PROCESS_ARGS("create", "configmap", "new"));
    kubectl_with(cp, a, NULL, PROCESS_ARGS("create", "configmap", "newer"));
    events = kubectl_with(cp, a, NULL, PROCESS_ARGS("get", "--raw", path));
    then_true(strstr(events, "\"ADDED\"") != NULL);

    then_ok(controlplane_compact(cp, a));

    events = kubectl_with(cp, a, NULL, PROCESS_ARGS("get", "--raw", path));
    then_true(strstr(events, "\"ERROR\"") && strstr(events, "\"code\":410"));

    folder = str_copy(a, controlplane_folder(cp));
    for (Component c = 0; c < COMPONENT_COUNT; c++)
        pids[c] = controlplane_pid(cp, c);
    controlplane_close(cp);
    for (Component c = 0; c < COMPONENT_COUNT; c++)
        then_true(is_gone(pids[c]));
    then_true(!exists(folder));
}

TEST(a_control_plane_component_that_does_not_start_is_named)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    ControlplaneOptions options = {
        .flags = {[COMPONENT_ETCD] = PROCESS_ARGS("--no-such-flag")},
    };
    Controlplane *cp = NULL;

    then_err(controlplane_open(a, &options, &cp), FAILED("etcd ended instead of becoming ready"));
    then_true(cp == NULL);
}

/* The player gives addresses of the network to pods: two of them would give the same. */
TEST(each_control_plane_uses_its_own_network)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *address = controlplane_address(controlplane_shared()) + strlen("127.");
    ControlplaneOptions options = {0};
    int64_t network = 0;
    Controlplane *cp = NULL;

    then_true(str_to_int(str_slice(a, address, strcspn(address, ".")), &network));
    options.network = (int)network;
    then_err(controlplane_open(a, &options, &cp), FAILED("found no free network"));
}
