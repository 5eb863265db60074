/* The ways to install the operator other than by one file: they hold the same, and whoever goes by
 * one of them, on a real control plane, loses neither a node nor a volume. */
#include "kube/meta.h"
#include "tests/e2e/packages.h"

#define CHART installed_source(a, "deploy/chart")

enum { PLATFORM_MAX = 64 };

/* --- what they hold */

TEST(the_base_is_the_file)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package file = package_of_file(a, installed_source(a, "deploy/install.yaml"));
    Package base = package_of_folder(cp, a, "deploy");

    then_int(base.count, file.count);
    package_is_in(a, &base, &file);
}

/* Helm makes the namespace of a release itself. */
TEST(the_chart_is_the_file_but_for_its_namespace)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package file = package_of_file(a, installed_source(a, "deploy/install.yaml"));
    Package chart = package_of_chart(cp, a, PROCESS_ARGS("--debug"));
    const Json *crd = package_find(&chart, "CustomResourceDefinition", NULL, "seinodes.sei.io");

    helm(cp, a, "lint", "--strict", CHART);
    then_int(chart.count, file.count - 1);
    then_true(package_find(&file, "Namespace", NULL, "sei-system") != NULL);
    package_is_in(a, &chart, &file);
    then_json(json_find(crd, ".metadata.annotations"), "{'helm.sh/resource-policy': 'keep'}");
}

/* A package without the objects of two kinds. */
static Package without(const Package *p, const char *kind, const char *other_kind)
{
    Package rest = {.count = 0};

    for (size_t i = 0; i < p->count; i++) {
        const char *found = json_str(p->objects[i], ".kind");
        if (!str_eq(found, kind) && !str_eq(found, other_kind))
            rest.objects[rest.count++] = p->objects[i];
    }
    return rest;
}

TEST(an_overlay_changes_what_it_names_and_nothing_else)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package base = package_of_folder(cp, a, "deploy");
    Package overlay = package_of_folder(cp, a, "samples/overlay");
    const Json *settings =
        package_find(&overlay, "ConfigMap", "sei-system", "sei-operator-platform");
    Package same = without(&base, "ConfigMap", "Deployment");

    then_int(overlay.count, base.count + 1);
    package_is_in(a, &same, &overlay);
    then_true(package_find(&overlay, "NetworkPolicy", "sei-system", "sei-operator") != NULL);
    then_str(json_str(settings, ".data.SEI_STORAGE_CLASS_DEFAULT"), "standard");
    then_str(json_str(settings, ".data.SEI_STORAGE_CLASS_PERF"), "gp3-10k-750");
}

/* Whatever is added to the base is what is in its own file. */
TEST(a_component_adds_what_its_files_hold)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package p = package_of_folder(installed_controlplane(), a, "tests/e2e/overlays/monitoring");
    Package rule = package_of_file(a, installed_source(a, "deploy/monitoring/prometheusrule.yaml"));
    Package monitor =
        package_of_file(a, installed_source(a, "deploy/monitoring/servicemonitor.yaml"));

    package_is_in(a, &rule, &p);
    package_is_in(a, &monitor, &p);
}

TEST(the_chart_and_the_component_watch_by_the_same_objects)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package component = package_of_folder(cp, a, "tests/e2e/overlays/monitoring");
    Package chart = package_of_chart(cp,
        a,
        PROCESS_ARGS("--set",
            "metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true,"
            "grafana.dashboards.enabled=true"));

    then_true(package_find(&chart, "ConfigMap", "sei-system", "sei-dashboard-fleet") != NULL);
    then_int(chart.count, component.count - 1); /* the namespace */
    package_is_in(a, &chart, &component);
}

TEST(the_operator_of_one_namespace_has_nothing_outside_of_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package p = package_of_folder(installed_controlplane(), a, "tests/e2e/overlays/namespaced");
    const Json *deployment = package_find(&p, "Deployment", "mine", "sei-operator");

    for (size_t i = 0; i < p.count; i++)
        then_str(json_str(p.objects[i], ".metadata.namespace"), "mine");
    then_true(package_find(&p, "Role", "mine", "sei-operator") != NULL);
    then_json(json_find(deployment, ".spec.template.spec.containers[0].args"),
        "['--watch-namespaces=$(POD_NAMESPACE)', '--metrics-bind-address=:8443', "
        "'--health-probe-bind-address=:8081']");
}

/* It cannot ask who reads, and so serves its metrics over HTTP. */
TEST(the_operator_of_one_namespace_is_watched_as_it_serves)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package p =
        package_of_folder(installed_controlplane(), a, "tests/e2e/overlays/namespaced-monitoring");
    const Json *monitor = package_find(&p, "ServiceMonitor", "mine", "sei-operator");

    then_true(package_find(&p, "PrometheusRule", "mine", "sei-operator") != NULL);
    then_json(json_find(monitor, ".spec.endpoints"),
        "[{port: 'metrics', scheme: 'http', interval: '30s', honorLabels: true}]");
}

/* A budget over a single replica would let nobody drain the machine under it. */
TEST(a_single_replica_has_no_budget)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package one = package_of_chart(cp, a, PROCESS_ARGS("--set", "replicaCount=1"));
    Package three = package_of_chart(cp, a, PROCESS_ARGS("--set", "replicaCount=3"));

    then_true(!package_find(&one, "PodDisruptionBudget", "sei-system", "sei-operator"));
    then_true(package_find(&three, "PodDisruptionBudget", "sei-system", "sei-operator") != NULL);
}

/* A value and where it arrives. */
static const struct {
    const char *name, *set, *kind, *namespace, *object, *path, *want;
} values[] = {
    {"a registry",
        "image.registry=registry.example",
        "Deployment",
        "sei-system",
        "sei-operator",
        ".spec.template.spec.containers[0].image",
        "registry.example/sei-protocol/sei-operator:v0.1.0"},
    {"a digest, before a tag",
        "image.tag=x,image.digest=sha256:"
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "Deployment",
        "sei-system",
        "sei-operator",
        ".spec.template.spec.containers[0].image",
        "ghcr.io/sei-protocol/sei-operator@sha256:"
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    {"namespaces to watch",
        "watchNamespaces={a,b}",
        "Deployment",
        "sei-system",
        "sei-operator",
        ".spec.template.spec.containers[0].args[3]",
        "--watch-namespaces=a,b"},
    {"rights there",
        "watchNamespaces={a,b}",
        "RoleBinding",
        "b",
        "sei-operator",
        ".subjects[0].namespace",
        "sei-system"},
    {"and nowhere else",
        "watchNamespaces={a,b}",
        "ClusterRole",
        NULL,
        "sei-operator",
        ".rules[0].resources[0]",
        "persistentvolumes"},
    {"a level of the log",
        "logLevel=debug",
        "Deployment",
        "sei-system",
        "sei-operator",
        ".spec.template.spec.containers[0].args[3]",
        "--zap-log-level=debug"},
    {"an account",
        "serviceAccount.name=mine,serviceAccount.create=false",
        "ClusterRoleBinding",
        NULL,
        "sei-operator",
        ".subjects[0].name",
        "mine"},
    {"where nodes live",
        "nodeNamespaces={sei},platform.SEI_SERVICE_ACCOUNT=seid",
        "ClusterRoleBinding",
        NULL,
        "sei-rbac-proxy",
        ".subjects[0].namespace",
        "sei"},
    {"a setting",
        "platform.SEI_NODEPOOL_NAME=pool",
        "ConfigMap",
        "sei-system",
        "sei-operator-platform",
        ".data.SEI_NODEPOOL_NAME",
        "pool"},
    {"alerts",
        "metrics.prometheusRule.enabled=true",
        "PrometheusRule",
        "sei-system",
        "sei-operator",
        ".spec.groups[0].rules[0].annotations.summary",
        "SeiNode {{ $labels.namespace }}/{{ $labels.name }} waits for a person ({{ $labels.reason "
        "}})"},
    {"how Prometheus selects",
        "metrics.serviceMonitor.enabled=true,metrics.serviceMonitor.labels.release=prometheus",
        "ServiceMonitor",
        "sei-system",
        "sei-operator",
        ".metadata.labels.release",
        "prometheus"},
    {"a policy of the network",
        "networkPolicy.enabled=true,networkPolicy.labels.team=sei",
        "NetworkPolicy",
        "sei-system",
        "sei-operator",
        ".metadata.labels.team",
        "sei"},
};

TEST(a_value_arrives_where_it_belongs)
{
    each_case(i, values) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Package p =
            package_of_chart(installed_controlplane(), a, PROCESS_ARGS("--set", values[i].set));
        const Json *object =
            package_find(&p, values[i].kind, values[i].namespace, values[i].object);
        then_str(json_str(object, values[i].path), values[i].want);
    }
}

static const struct {
    const char *name, *set, *complaint;
} refused[] = {
    {"a number that is none", "replicaCount=two", "'/replicaCount': got string, want integer"},
    {"a setting that there is not",
        "platform.SEI_NODEPOOL=x",
        "'/platform': additional properties 'SEI_NODEPOOL' not allowed"},
    {"a setting that is missing",
        "platform.SEI_GENESIS_BUCKET=null",
        "'/platform': missing property 'SEI_GENESIS_BUCKET'"},
    {"a value that there is not", "image.tga=x", "'/image': additional properties 'tga'"},
    {"a digest that is none", "image.digest=v1", "'/image/digest'"},
    {"a level that there is not", "logLevel=loud", "'/logLevel': value must be one of"},
    {"too many namespaces", "watchNamespaces={a,b,c,d,e,f}", "'/watchNamespaces': maxItems: got 6"},
    {"a namespace that is none", "watchNamespaces={A_b}", "'/watchNamespaces/0'"},
};

TEST(a_value_that_makes_no_sense_is_refused_by_its_path)
{
    each_case(i, refused) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        const char *output = NULL;
        Err *err = helm_run(installed_controlplane(),
            a,
            PROCESS_ARGS("template", "x", CHART, "--set", refused[i].set),
            &output);
        then_err(err, FAILED(""));
        if (!strstr(err->message, refused[i].complaint))
            then_str(err->message, refused[i].complaint);
    }
}

/* --- on a real cluster */

static bool node_is_well(const Nodes *n, const char *claim_uid)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *node = nodes_find(n, a, "seinodes", "rpc");

    return installed_serves(n) && node && !meta_deleting(node)
        && installed_volume_is_whole(n, claim_uid);
}

static bool operator_is_deployed(const Nodes *n)
{
    return scene_has(n->cp, "/apis/apps/v1/namespaces/sei-system/deployments/sei-operator")
        || scene_has(n->cp, "/apis/rbac.authorization.k8s.io/v1/clusterroles/sei-operator");
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

/* As docs/INSTALL.md does it: the release keeps its values, and has those that are new. */
static void upgrade(const Nodes *n, Arena *a)
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
        "image.tag=next");
    installed_wait(n, a);
    then_str(installed_image(n, a), "ghcr.io/sei-protocol/sei-operator:next");
    then_str(level_of_log(n, a), "--zap-log-level=debug");
}

/* The first release takes over what a file had installed. */
TEST(a_release_is_upgraded_and_uninstalled_and_every_node_stays)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "helm");
    const char *claim = installed_node(&n);
    const char *pod = nodes_uid(&n, "pods", "rpc-0");

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
    installed_wait(&n, a);
    upgrade(&n, a);
    then_true(nodes_settled(&n, "rpc"));

    nodes_kill_operator(&n);
    helm(n.cp, a, "uninstall", "sei-operator", "-n", "sei-system", "--wait");
    then_true(!operator_is_deployed(&n));
    then_true(node_is_well(&n, claim));
    helm(n.cp, a, "install", "sei-operator", CHART, "-n", "sei-system");
    then_it_goes_on(&n, pod);
    helm(n.cp, a, "uninstall", "sei-operator", "-n", "sei-system", "--wait");
    nodes_install_again(&n);
}

TEST(an_overlay_is_applied_and_removed_without_the_kinds_and_every_node_stays)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "kustomize");
    const char *claim = installed_node(&n);
    const char *pod = nodes_uid(&n, "pods", "rpc-0");

    kubectl(n.cp, a, "apply", "--server-side", "-k", installed_source(a, "deploy"));
    installed_wait(&n, a);
    kubectl(n.cp, a, "apply", "--server-side", "-k", installed_source(a, "samples/overlay"));
    installed_wait(&n, a);
    then_true(str_has_prefix(installed_image(&n, a), "registry.example/sei-operator:"));
    then_true(nodes_settled(&n, "rpc"));

    nodes_kill_operator(&n);
    kubectl(n.cp, a, "delete", "-k", installed_source(a, "tests/e2e/overlays/without-kinds"));
    then_true(!operator_is_deployed(&n));
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

static Err *may_list_everywhere(const Nodes *n, Arena *a)
{
    const char *user = "--as=system:serviceaccount:mine:sei-operator";
    Kubectl ask = {.args = PROCESS_ARGS("auth", "can-i", "list", "seinodes", "-A", user)};
    const char *answer = NULL;

    return controlplane_kubectl(n->cp, a, &ask, &answer);
}

TEST(an_operator_without_rights_in_the_cluster_serves_its_namespace)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, installed_controlplane(), "mine");
    const char *overlay = installed_source(a, "tests/e2e/overlays/namespaced");

    nodes_close(&n);
    kubectl(n.cp, a, "apply", "--server-side", "-k", overlay);
    then_err(may_list_everywhere(&n, a), FAILED(""));
    Operator op = start_in_one_namespace(&n, a);
    const char *claim = installed_node(&n);

    nodes_set_image(&n, "rpc", "v2");
    eventually(nodes_settled(&n, "rpc"));
    nodes_delete(&n, "seinodes", "rpc", "background");
    eventually(!nodes_have(&n, "seinodes", "rpc"));
    then_true(installed_volume_is_whole(&n, claim));
    then_int(operator_end(&op), 0);
    kubectl(n.cp, a, "delete", "-k", overlay);
    then_true(installed_serves(&n) && installed_volume_is_whole(&n, claim));
}
