/* A token that is rotated and revoked under a running operator costs no reconcile. */
#include "tests/e2e/copies.h"
#include "tests/e2e/proxy.h"

/* The server believes a token for 10 s after it has checked it: another's answer tells when not. */
static bool is_refused(Controlplane *cp, const char *kubeconfig)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Kubectl whoami = {.kubeconfig = kubeconfig, .args = PROCESS_ARGS("auth", "whoami")};
    const char *output = NULL;
    Err *err = controlplane_kubectl(cp, a, &whoami, &output);

    return err && strstr(err_text(a, err), "Unauthorized");
}

static const char *new_token(Controlplane *cp, Arena *a, const char *secret)
{
    const char *token = NULL;

    kubectl(cp, a, "create", "secret", "generic", secret, "-n", "home");
    then_ok(controlplane_token(cp,
        a,
        &(TokenWish){.namespace = "home", .account = "copier", .bound_secret = secret},
        &token));
    return token;
}

static const char *kubeconfig_of(
    Controlplane *cp, Arena *a, const char *token_file, const char *server)
{
    const char *path = NULL;

    then_ok(controlplane_kubeconfig(
        cp, a, &(Identity){.token_file = token_file, .server = server}, &path));
    return path;
}

TEST(a_rotated_and_revoked_token_fails_no_reconcile)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = scene_begin(controlplane_shared());
    const char *file = str_format(a, "%s/token", controlplane_folder(cp));
    const char *old_file = str_format(a, "%s/old-token", controlplane_folder(cp));
    Proxy *proxy = NULL;

    copies_prepare(cp, a);
    then_ok(proxy_open(a, controlplane_address(cp), CONTROLPLANE_PORT, &proxy));
    kubectl(cp, a, "create", "serviceaccount", "copier", "-n", "home");
    scene_allow(cp, a, "system:serviceaccount:home:copier", SCENE_VERBS);
    const char *old = new_token(cp, a, "first");
    then_ok(controlplane_write(a, file, old));
    then_ok(controlplane_write(a, old_file, old));
    Operator op = operator_start(
        cp, a, &(OperatorOptions){.kubeconfig = kubeconfig_of(cp, a, file, proxy_url(proxy))});
    copies_put_source(cp, a, "secretive", "red", "one");
    eventually(copies_hold(cp, "red", "secretive", "one"));

    then_ok(controlplane_write(a, file, new_token(cp, a, "second")));
    kubectl(cp, a, "delete", "secret", "first", "-n", "home");
    const char *old_config = kubeconfig_of(cp, a, old_file, NULL);
    eventually(is_refused(cp, old_config));
    int64_t mark = scene_mark(cp);

    /* Requests on connections that are open, then on new ones, and new watches. */
    copies_put_source(cp, a, "secretive", "red,green", "two");
    eventually(copies_hold(cp, "green", "secretive", "two"));
    proxy_drop(proxy);
    copies_put_source(cp, a, "secretive", "red,green,blue", "three");
    eventually(copies_hold(cp, "blue", "secretive", "three"));
    eventually(copies_hold(cp, "red", "secretive", "three"));

    then_int(operator_metric(&op, "controller_runtime_reconcile_errors_total"), 0);
    then_true(operator_metric(&op, "controller_runtime_reconcile_total") > 0);
    AuditLog log = scene_audit(cp, a, mark);
    size_t refused = audit_count(&log, &(AuditLine){.user_agent = "configmap-copy", .code = 401});
    print_message("# %zu requests were answered 401 and tried again at once\n", refused);
    then_int(operator_end(&op), 0);
    proxy_close(proxy);
}
