/* The ways to install the operator other than by one file: they hold the same where they should,
 * and each differs where a person asked for it. How they fare on a cluster: test_package_lives.c.
 */
#include "kube/meta.h"
#include "tests/e2e/packages.h"

#define CHART installed_source(a, "deploy/chart")
#define KEPT  "{'helm.sh/resource-policy': 'keep'}"

/* The objects of a package whose kinds have this word in their names. */
static Package of_kind(const Package *p, const char *word)
{
    Package found = {.count = 0};

    for (size_t i = 0; i < p->count; i++)
        if (strstr(json_str(p->objects[i], ".kind"), word))
            found.objects[found.count++] = p->objects[i];
    return found;
}

TEST(the_kustomize_base_equals_the_install_manifest)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package file = package_of_file(a, installed_source(a, "deploy/install.yaml"));
    Package base = package_of_folder(cp, a, "deploy");

    then_int(base.count, file.count);
    package_is_in(a, &base, &file);
}

TEST(the_operator_folder_contains_the_objects_of_the_install_manifest)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package file = package_of_file(a, installed_source(a, "deploy/install.yaml"));
    Package operator= package_of_file(a, installed_source(a, "deploy/operator/operator.yaml"));

    then_true(package_find(&operator, "ConfigMap", "sei-system", "sei-operator-platform") != NULL);
    package_is_in(a, &operator, & file);
}

TEST(a_template_of_a_manifest_cannot_be_applied)
{
    static const struct {
        const char *name;
    } templates[] = {
        {"deploy/parts/operator.yaml.in"},
        {"deploy/parts/krew.yaml.in"},
        {"deploy/crds/parts/sei.io_seinodes.yaml"},
        {"deploy/crds/parts/sei.io_seinodedeployments.yaml"},
    };

    each_case(i, templates) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        const char *path = installed_source(a, templates[i].name), *output = NULL;
        Kubectl create = {.args = PROCESS_ARGS("create", "--dry-run=client", "-f", path)};
        Err *err = controlplane_kubectl(installed_controlplane(), a, &create, &output);
        then_err(err, FAILED("error converting YAML to JSON"));
    }
}

/* Helm makes the namespace of a release itself. */
TEST(the_helm_chart_equals_the_install_manifest_except_for_its_namespace)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package file = package_of_file(a, installed_source(a, "deploy/install.yaml"));
    Package chart = package_of_chart(cp, a, PROCESS_ARGS("--debug"));
    Package kinds = of_kind(&chart, "CustomResourceDefinition");

    helm(cp, a, "lint", "--strict", CHART);
    then_int(chart.count, file.count - 1);
    then_true(package_find(&file, "Namespace", NULL, "sei-system") != NULL);
    package_is_in(a, &chart, &file);
    then_int(kinds.count, 2);
    for (size_t i = 0; i < kinds.count; i++)
        then_json(json_find(kinds.objects[i], ".metadata.annotations"), KEPT);
}

TEST(the_crd_chart_contains_the_same_crds_as_the_main_chart)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    const char *folder = installed_source(a, "deploy/chart-crds");
    Package kinds = package_of_text(cp, a, helm(cp, a, "template", "x", folder));
    Package loose =
        package_of_text(cp, a, helm(cp, a, "template", "x", folder, "--set", "keep=false"));
    Package file = package_of_file(a, installed_source(a, "deploy/install.yaml"));

    helm(cp, a, "lint", "--strict", folder);
    then_int(kinds.count, 2);
    package_is_in(a, &kinds, &file);
    for (size_t i = 0; i < kinds.count; i++) {
        then_json(json_find(kinds.objects[i], ".metadata.annotations"), KEPT);
        then_true(!json_find(loose.objects[i], ".metadata.annotations"));
    }
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

TEST(a_kustomize_overlay_changes_exactly_what_it_names)
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
TEST(a_kustomize_component_adds_the_objects_of_its_files)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package p = package_of_folder(installed_controlplane(), a, "tests/e2e/overlays/monitoring");
    Package rule = package_of_file(a, installed_source(a, "deploy/monitoring/prometheusrule.yaml"));
    Package monitor =
        package_of_file(a, installed_source(a, "deploy/monitoring/servicemonitor.yaml"));

    package_is_in(a, &rule, &p);
    package_is_in(a, &monitor, &p);
}

TEST(chart_and_component_create_the_same_monitoring_objects)
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

/* What a value of the chart adds, and a component. */
static const struct {
    const char *name, *set, *file;
} additions[] = {
    {"what may come through the network",
        "networkPolicy.enabled=true",
        "deploy/components/network-policy/networkpolicy.yaml"},
    {"the permissions of users", "rbac.aggregate=true", "deploy/components/aggregate/roles.yaml"},
};

TEST(a_chart_option_and_a_component_add_the_same_objects)
{
    each_case(i, additions) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Package component = package_of_file(a, installed_source(a, additions[i].file));
        Package chart =
            package_of_chart(installed_controlplane(), a, PROCESS_ARGS("--set", additions[i].set));
        package_is_in(a, &component, &chart);
    }
}

static const Json *rules_of(const Package *p, const char *kind, const char *namespace)
{
    return json_find(package_find(p, kind, namespace, "sei-operator"), ".rules");
}

static bool has_rule(const Json *rules, const Json *wanted)
{
    const Json *rule = NULL;

    json_each(rule, rules)
        if (json_equal(rule, wanted))
            return true;
    return false;
}

/* What an operator of one namespace may do there is the same by both ways; beside it the chart
 * leaves to the cluster just what no Role can allow. */
TEST(namespaced_permissions_of_chart_and_component_are_equal_and_complete)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = installed_controlplane();
    Package part =
        package_of_file(a, installed_source(a, "deploy/components/namespaced/rights.yaml"));
    Package whole = package_of_chart(cp, a, PROCESS_ARGS("--debug"));
    Package watching = package_of_chart(cp, a, PROCESS_ARGS("--set", "watchNamespaces={mine}"));
    const Json *near = rules_of(&watching, "Role", "mine");
    const Json *far = rules_of(&watching, "ClusterRole", NULL);
    const Json *all = rules_of(&whole, "ClusterRole", NULL), *rule = NULL;

    then_true(near && json_equal(near, rules_of(&part, "Role", "sei-system")));
    then_int(json_count(near) + json_count(far), json_count(all));
    json_each(rule, all)
        then_true(has_rule(near, rule) != has_rule(far, rule));
}

TEST(the_namespaced_operator_has_no_objects_outside_of_its_namespace)
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
TEST(monitoring_of_the_namespaced_operator_uses_http)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package p =
        package_of_folder(installed_controlplane(), a, "tests/e2e/overlays/namespaced-everything");
    const Json *monitor = package_find(&p, "ServiceMonitor", "mine", "sei-operator");

    then_true(package_find(&p, "PrometheusRule", "mine", "sei-operator") != NULL);
    then_json(json_find(monitor, ".spec.endpoints"),
        "[{port: 'metrics', scheme: 'http', interval: '30s', honorLabels: true}]");
}

/* A budget over a single replica would let nobody drain the machine under it. */
TEST(a_single_replica_has_no_pod_disruption_budget)
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
    {"permissions in the namespace",
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

TEST(each_chart_value_is_rendered_into_its_place)
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

static const char *settings_checksum(Arena *a, const char *set)
{
    Package p = package_of_chart(installed_controlplane(), a, PROCESS_ARGS("--set", set));
    const Json *deployment = package_find(&p, "Deployment", "sei-system", "sei-operator");

    return json_str(deployment, SETTINGS_CHECKSUM_PATH);
}

/* The operator reads its settings when it starts. */
TEST(a_changed_operator_setting_of_the_chart_restarts_the_operator)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *before = settings_checksum(a, "replicaCount=2");

    then_true(before != NULL);
    then_str(settings_checksum(a, "replicaCount=3"), before);
    then_true(!str_eq(settings_checksum(a, "platform.SEI_NODEPOOL_NAME=pool"), before));
}

/* And one that is no text. */
static const struct {
    const char *name, *set, *kind, *path, *want;
} shapes[] = {
    {"a secret to pull with",
        "imagePullSecrets[0].name=pull",
        "Deployment",
        ".spec.template.spec.imagePullSecrets",
        "[{name: 'pull'}]"},
    {"when to pull",
        "image.pullPolicy=Always",
        "Deployment",
        ".spec.template.spec.containers[0].imagePullPolicy",
        "'Always'"},
    {"resources, beside those that there are",
        "resources.limits.cpu=2",
        "Deployment",
        ".spec.template.spec.containers[0].resources",
        "{requests: {cpu: '50m', memory: '64Mi'}, limits: {memory: '256Mi', cpu: 2}}"},
    {"machines",
        "nodeSelector.kubernetes\\.io/arch=amd64",
        "Deployment",
        ".spec.template.spec.nodeSelector",
        "{'kubernetes.io/arch': 'amd64'}"},
    {"what to bear of machines",
        "tolerations[0].operator=Exists",
        "Deployment",
        ".spec.template.spec.tolerations",
        "[{operator: 'Exists'}]"},
    {"how many", "replicaCount=3", "Deployment", ".spec.replicas", "3"},
    {"how many of them stay",
        "replicaCount=3,podDisruptionBudget.minAvailable=2",
        "PodDisruptionBudget",
        ".spec.minAvailable",
        "2"},
    {"token reviews of other accounts",
        "serviceAccount.annotations.role=x",
        "ServiceAccount",
        ".metadata.annotations",
        "{role: 'x'}"},
};

TEST(each_chart_value_is_rendered_with_its_type)
{
    each_case(i, shapes) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Package p =
            package_of_chart(installed_controlplane(), a, PROCESS_ARGS("--set", shapes[i].set));
        const Json *object = package_find(&p, shapes[i].kind, "sei-system", "sei-operator");
        then_json(json_find(object, shapes[i].path), shapes[i].want);
    }
}

/* What a value takes away: how many objects of such kinds are left. */
static const struct {
    const char *name, *set, *kind;
    size_t left;
} dropped[] = {
    {"the kinds", "crds.install=false", "CustomResourceDefinition", 0},
    {"all permissions", "rbac.create=false,rbac.aggregate=true", "Role", 0},
    {"a service account that exists already", "serviceAccount.create=false", "ServiceAccount", 1},
    {"the budget", "podDisruptionBudget.enabled=false", "PodDisruptionBudget", 0},
};

TEST(a_chart_value_that_disables_something_removes_only_its_objects)
{
    SCOPED_ARENA b = arena_open(SCENE_ARENA_MAX);
    Package whole = package_of_chart(installed_controlplane(), b, PROCESS_ARGS("--debug"));

    each_case(i, dropped) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Package p =
            package_of_chart(installed_controlplane(), a, PROCESS_ARGS("--set", dropped[i].set));
        size_t before = of_kind(&whole, dropped[i].kind).count;
        then_int(of_kind(&p, dropped[i].kind).count, dropped[i].left);
        then_int(whole.count - p.count, before - dropped[i].left);
        package_is_in(a, &p, &whole);
    }
}

TEST(crds_that_are_not_kept_have_no_keep_annotation)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Package chart =
        package_of_chart(installed_controlplane(), a, PROCESS_ARGS("--set", "crds.keep=false"));
    Package kinds = of_kind(&chart, "CustomResourceDefinition");

    then_int(kinds.count, 2);
    for (size_t i = 0; i < kinds.count; i++)
        then_true(!json_find(kinds.objects[i], ".metadata.annotations"));
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

static void then_refused(Arena *a, const char *const *args, const char *complaint)
{
    const char *output = NULL;
    Err *err = helm_run(installed_controlplane(), a, args, &output);

    then_err(err, FAILED(""));
    if (!strstr(err->message, complaint))
        then_str(err->message, complaint);
}

TEST(an_invalid_chart_value_is_refused_with_its_path)
{
    each_case(i, refused) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        then_refused(
            a, PROCESS_ARGS("template", "x", CHART, "--set", refused[i].set), refused[i].complaint);
    }
}

/* Of which the doctor would say that it drops rules of ours (SEI1001). */
TEST(a_kubernetes_version_that_is_too_old_for_the_crds_is_refused)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    then_refused(a,
        PROCESS_ARGS("template", "x", CHART, "--kube-version", "1.30.14"),
        "incompatible with Kubernetes v1.30.14");
    helm(installed_controlplane(), a, "template", "x", CHART, "--kube-version", "1.31.0");
}
