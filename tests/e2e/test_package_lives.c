/* The ways to install the operator other than by one file, on a real control plane: each is
 * applied, upgraded and removed, and whoever goes by one of them loses neither a node nor a volume.
 */
#include "kube/meta.h"
#include "tests/e2e/packages.h"

#define CHART       installed_source(a, "deploy/chart")
#define KINDS_CHART installed_source(a, "deploy/chart-crds")

enum { PLATFORM_MAX = 64 };

static bool node_is_well(const Nodes *n, const char *claim_uid)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *node = nodes_find(n, a, "seinodes", "rpc");

    return installed_serves(n) && node && !meta_deleting(node)
        && installed_volume_is_whole(n, claim_uid);
}

/* An overlay of the tests, rendered into a file. */
static const char *rendered(const Nodes *n, Arena *a, const char *overlay)
{
    const char *folder = str_format(a, "tests/e2e/overlays/%s", overlay);

    return package_write(
        n->cp, a, overlay, kubectl(n->cp, a, "kustomize", installed_source(a, folder)));
}

/* Applies a rendered file: all that it holds is there. */
static void apply_rendered(const Nodes *n, Arena *a, const char *path)
{
    kubectl(n->cp, a, "apply", "--server-side", "-f", path);
    then_int(package_present(n->cp, a, path), package_of_file(a, path).count);
}

/* An object of the operator's in a namespace. */
static const Json *own(
    const Nodes *n, Arena *a, const char *root, const char *namespace, const char *plural)
{
    return scene_get(
        n->cp, a, str_format(a, "%s/namespaces/%s/%s/sei-operator", root, namespace, plural));
}

/* Applies the next version of a rendered file: every component of it has changed. */
static void upgrade_rendered(const Nodes *n, Arena *a, const char *path, const char *namespace)
{
    const char *next = package_write(n->cp, a, "next", installed_next(a, path));

    apply_rendered(n, a, next);
    kubectl(n->cp, a, "rollout", "status", "deploy/sei-operator", "-n", namespace);
    then_str(json_str(own(n, a, "/apis/apps/v1", namespace, "deployments"),
                 ".spec.template.spec.containers[0].image"),
        INSTALLED_NEXT_IMAGE);
    then_str(json_str(own(n, a, "/apis/monitoring.coreos.com/v1", namespace, "servicemonitors"),
                 ".spec.endpoints[0].interval"),
        "15s");
    then_int(json_int(own(n, a, "/apis/networking.k8s.io/v1", namespace, "networkpolicies"),
                 ".spec.egress[1].ports[1].port",
                 0),
        7443);
}

/* The operator is back, finds its node as it was, and lets it go at last. */
static void then_it_goes_on(Nodes *n, const char *pod_uid)
{
    nodes_install_again(n);
    nodes_start_operator(n, NULL);
    eventually(nodes_settled(n, "rpc"));
    then_str(nodes_uid(n, "pods", "rpc-0"), pod_uid);
    nodes_delete(n, "seinodes", "rpc", "background");
    eventually(!nodes_have(n, "seinodes", "rpc"));
    nodes_close(n);
}

/* The chart as it was before it had boards. */
static const char *older_chart(const Nodes *n, Arena *a)
{
    static const char make[] =
        "cp -r \"$1\" \"$2\" && rm \"$2/templates/dashboards.yaml\""
        " && sed -i '/^grafana:/,/^[^ ]/{/^grafana:/d;/^ /d}' \"$2/values.yaml\""
        " && ! grep -q grafana: \"$2/values.yaml\"";
    const char *folder = str_format(a, "%s/older", controlplane_folder(n->cp)), *said = NULL;

    then_ok(process_run(a,
        &(ProcessOptions){
            .program = "/bin/sh",
            .args = PROCESS_ARGS("-c", make, "sh", CHART, folder),
        },
        &said));
    return folder;
}

static const char *level_of_log(const Nodes *n, Arena *a)
{
    return json_str(
        scene_get(n->cp, a, "/apis/apps/v1/namespaces/sei-system/deployments/sei-operator"),
        ".spec.template.spec.containers[0].args[3]");
}

static bool may_list_everywhere(const Nodes *n, const char *namespace)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *user = str_format(a, "--as=system:serviceaccount:%s:sei-operator", namespace);
    Kubectl ask = {.args = PROCESS_ARGS("auth", "can-i", "list", "seinodes", "-A", user)};
    const char *answer = NULL;

    return !controlplane_kubectl(n->cp, a, &ask, &answer);
}

/* As docs/INSTALL.md does it: the release keeps its values, and has those that are new. From now on
 * it has all that may stand beside it, and rights in one namespace alone; a file with what is
 * installed. */
static const char *upgrade(const Nodes *n, Arena *a)
{
    helm(n->cp,
        a,
        "upgrade",
        "sei-operator",
        CHART,
        "-n",
        "sei-system",
        "--reset-then-reuse-values",
        "--set",
        ("image.tag=next,watchNamespaces={helm},networkPolicy.enabled=true,"
         "metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true,"
         "grafana.dashboards.enabled=true"));
    installed_wait(n, a);
    then_str(installed_image(n, a), "ghcr.io/sei-protocol/sei-operator:next");
    then_str(level_of_log(n, a), "--zap-log-level=debug");
    const char *manifest = helm(n->cp, a, "get", "manifest", "sei-operator", "-n", "sei-system");
    const char *path = package_write(n->cp, a, "release", manifest);
    then_int(package_present(n->cp, a, path), package_of_file(a, path).count);
    return path;
}

/* A node is still served by an operator that has lost its rights elsewhere. */
static void then_the_rights_are_enough(const Nodes *n)
{
    then_true(!may_list_everywhere(n, "sei-system"));
    nodes_set_image(n, "rpc", "v2");
    eventually(nodes_settled(n, "rpc"));
}

/* The kinds as a release of their own, beside one without them. */
static void install_in_two(const Nodes *n, Arena *a)
{
    helm(n->cp, a, "install", "sei-kinds", KINDS_CHART, "-n", "sei-system", "--take-ownership");
    helm(n->cp,
        a,
        "install",
        "sei-operator",
        CHART,
        "-n",
        "sei-system",
        "--set",
        "crds.install=false");
}

static void upgrade_and_uninstall_both(const Nodes *n, Arena *a)
{
    helm(n->cp, a, "upgrade", "sei-kinds", KINDS_CHART, "-n", "sei-system");
    helm(n->cp, a, "uninstall", "sei-kinds", "sei-operator", "-n", "sei-system", "--wait");
    then_true(installed_serves(n));
}

/* The first release takes over what a file had installed, and leaves the kinds to another. */
TEST(a_helm_release_is_upgraded_and_uninstalled_and_every_node_stays)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "helm");
    const char *claim = installed_node(&n);

    prometheus_comes(n.cp, a);
    const char *notes = helm(n.cp,
        a,
        "install",
        "sei-operator",
        older_chart(&n, a),
        "-n",
        "sei-system",
        "--take-ownership",
        "--set",
        "logLevel=debug");
    then_true(
        strstr(notes, "kubectl rollout status deployment/sei-operator -n sei-system") != NULL);
    then_true(!strstr(notes, "samples/") && !strstr(notes, "deploy/")); /* an archive has neither */
    then_true(strstr(notes, "kind: SeiNodeDeployment\n") != NULL);
    installed_wait(&n, a);
    then_true(may_list_everywhere(&n, "sei-system"));
    const char *release = upgrade(&n, a);
    then_the_rights_are_enough(&n);
    const char *pod = nodes_uid(&n, "pods", "rpc-0");

    nodes_kill_operator(&n);
    helm(n.cp, a, "uninstall", "sei-operator", "-n", "sei-system", "--wait");
    then_int(package_present(n.cp, a, release), 2); /* the kinds */
    then_true(node_is_well(&n, claim));
    install_in_two(&n, a);
    then_it_goes_on(&n, pod);
    upgrade_and_uninstall_both(&n, a);
    nodes_install_again(&n);
}

static bool node_is_leaving(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return meta_deleting(nodes_find(n, a, "seinodes", "rpc"));
}

static const char *install_unkept(const Nodes *n, Arena *a)
{
    return helm(n->cp,
        a,
        "install",
        "sei-operator",
        CHART,
        "-n",
        "sei-system",
        "--take-ownership",
        "--set",
        "crds.keep=false");
}

/* Helm takes the operator away before the kinds: nobody takes leave of a node then, and it runs on
 * until an operator is back. The notes say what to do instead. */
TEST(nodes_of_a_helm_release_that_does_not_keep_the_crds_keep_running_without_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "unkept");
    const char *claim = installed_node(&n), *notes = install_unkept(&n, a);
    const char *pod = nodes_uid(&n, "pods", "rpc-0");

    then_true(
        strstr(notes, "kubectl delete crd seinodes.sei.io seinodedeployments.sei.io") != NULL);
    nodes_kill_operator(&n);
    helm(n.cp, a, "uninstall", "sei-operator", "-n", "sei-system");
    eventually(node_is_leaving(&n));
    then_true(installed_serves(&n));
    then_str(nodes_uid(&n, "pods", "rpc-0"), pod);

    install_unkept(&n, a);
    nodes_install_again(&n);
    nodes_start_operator(&n, NULL);
    eventually(!installed_serves(&n));
    then_true(installed_volume_is_whole(&n, claim));
    nodes_close(&n);
    helm(n.cp, a, "uninstall", "sei-operator", "-n", "sei-system");
    nodes_install_again(&n);
}

/* A person of the namespace may do this with fleets there, or with a part of them ("" for all). */
static bool person_may(const Nodes *n, const char *person, const char *verb, const char *part)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *answer = NULL;
    Kubectl ask = {.args = PROCESS_ARGS("auth",
                       "can-i",
                       verb,
                       "seinodedeployments.sei.io",
                       str_format(a, "--subresource=%s", part),
                       str_format(a, "--as=%s", person),
                       "-n",
                       n->namespace)};

    return !controlplane_kubectl(n->cp, a, &ask, &answer);
}

/* Kubernetes adds what the component says to its own roles. */
static void then_people_have_their_rights(const Nodes *n, Arena *a)
{
    for (const char *const *role = PROCESS_ARGS("view", "edit"); *role; role++)
        kubectl(n->cp,
            a,
            "create",
            "rolebinding",
            *role,
            str_format(a, "--clusterrole=%s", *role),
            str_format(a, "--user=%s", *role),
            "-n",
            n->namespace);
    eventually(person_may(n, "view", "watch", ""));
    eventually(person_may(n, "edit", "patch", ""));
    eventually(person_may(n, "edit", "list", ""));
    then_true(person_may(n, "edit", "update", "scale"));
    then_true(!person_may(n, "view", "patch", "") && !person_may(n, "view", "update", "scale"));
    then_true(!person_may(n, "edit", "patch", "status"));
}

TEST(a_kustomize_overlay_is_applied_and_upgraded_and_removed_and_every_node_stays)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "kustomize");
    const char *claim = installed_node(&n);
    const char *pod = nodes_uid(&n, "pods", "rpc-0"), *all = rendered(&n, a, "everything");

    prometheus_comes(n.cp, a);
    kubectl(n.cp, a, "apply", "--server-side", "-k", installed_source(a, "deploy"));
    installed_wait(&n, a);
    kubectl(n.cp, a, "apply", "--server-side", "-k", installed_source(a, "samples/overlay"));
    installed_wait(&n, a);
    then_true(str_has_prefix(installed_image(&n, a), "registry.example/sei-operator:"));
    apply_rendered(&n, a, all);
    installed_wait(&n, a);
    then_people_have_their_rights(&n, a);
    upgrade_rendered(&n, a, all, "sei-system");
    then_true(nodes_settled(&n, "rpc"));

    nodes_kill_operator(&n);
    kubectl(n.cp, a, "delete", "-k", installed_source(a, "tests/e2e/overlays/without-kinds"));
    then_int(package_present(n.cp, a, all), 2); /* the kinds */
    then_true(node_is_well(&n, claim));
    then_it_goes_on(&n, pod);
}

/* --- in one namespace */

/* The settings of the sample platform, as an environment. */
static const char *const *platform(Arena *a)
{
    const char **env = arena_array(a, const char *, PLATFORM_MAX);
    const char *text = NULL;
    size_t count = 0;

    then_ok(process_run(a,
        &(ProcessOptions){
            .program = "/bin/grep",
            .args = PROCESS_ARGS("-v", "^#", installed_source(a, "samples/platform.env")),
        },
        &text));
    for (; *text; text += strcspn(text, "\n") + 1) {
        then_true(count + 1 < PLATFORM_MAX);
        env[count++] = str_slice(a, text, strcspn(text, "\n"));
    }
    return env;
}

/* The operator as the overlay deploys it. */
static Operator start_in_one_namespace(const Nodes *n, Arena *a)
{
    const char *file = str_format(a, "%s/mine.token", controlplane_folder(n->cp));
    const char *token = NULL, *config = NULL;
    TokenWish wish = {.namespace = n->namespace, .account = "sei-operator"};

    then_ok(controlplane_token(n->cp, a, &wish, &token));
    then_ok(controlplane_write(a, file, token));
    then_ok(controlplane_kubeconfig(n->cp, a, &(Identity){.token_file = file}, &config));
    Operator op = operator_start(n->cp,
        a,
        &(OperatorOptions){
            .program = OPERATOR_PROGRAM,
            .kubeconfig = config,
            .env = platform(a),
            .args = PROCESS_ARGS("--metrics-bind-address=0",
                "--health-probe-bind-address=0",
                str_format(a, "--lease-namespace=%s", n->namespace),
                str_format(a, "--watch-namespaces=%s", n->namespace)),
        });
    eventually(operator_said(&op, "work begins"));
    return op;
}

TEST(an_operator_without_cluster_permissions_serves_its_namespace)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "mine");
    const char *overlay = rendered(&n, a, "namespaced-everything");

    nodes_close(&n);
    prometheus_comes(n.cp, a);
    apply_rendered(&n, a, overlay);
    then_true(!may_list_everywhere(&n, "mine"));
    Operator op = start_in_one_namespace(&n, a);
    const char *claim = installed_node(&n);

    upgrade_rendered(&n, a, overlay, "mine");
    nodes_set_image(&n, "rpc", "v2");
    eventually(nodes_settled(&n, "rpc"));
    nodes_delete(&n, "seinodes", "rpc", "background");
    eventually(!nodes_have(&n, "seinodes", "rpc"));
    then_true(installed_volume_is_whole(&n, claim));
    then_int(operator_end(&op), 0);
    kubectl(n.cp, a, "delete", "-f", overlay);
    then_int(package_present(n.cp, a, overlay), 0);
    then_true(installed_serves(&n) && installed_volume_is_whole(&n, claim));
    prometheus_goes(n.cp, a);
}
