/* A full node on a real control plane, from birth to removal, by the operator as it is deployed:
 * its program, its account, its rights. What the operator asked for is read from the audit log of
 * the API server. The last test compares that with deploy/rbac, so it needs the others before it.
 */
#include "kube/cond.h"
#include "kube/meta.h"
#include "tests/e2e/nodes.h"
#include "tests/e2e/rights.h"

#define NAME  "rpc"
#define POD   NAME "-0"
#define CLAIM "data-" NAME
#define PROXY NAME "-rbac-proxy-config"

static Nodes open_nodes(Arena *a, const char *namespace)
{
    return nodes_open(a, controlplane_shared(), namespace);
}

/* A node that runs, and what must not change as long as its data lives. */
typedef struct Before {
    const char *claim, *statefulset, *pod;
    int tasks; /* that its sidecar got, mark-ready apart */
    int64_t mark;
} Before;

static Before remember(const Nodes *n)
{
    return (Before){
        .claim = nodes_uid(n, "persistentvolumeclaims", CLAIM),
        .statefulset = nodes_uid(n, "statefulsets", NAME),
        .pod = nodes_uid(n, "pods", POD),
        .tasks = nodes_tasks(n, NAME, "!mark-ready"),
        .mark = scene_mark(n->cp),
    };
}

static Before given_running(const Nodes *n)
{
    nodes_create(n, NAME, "{}");
    eventually(nodes_settled(n, NAME));
    return remember(n);
}

static size_t pods_deleted(const Nodes *n, const Before *before)
{
    return nodes_requests(n, before->mark, "delete", "pods");
}

/* On the volume it always had, and without a second bootstrap. */
static void then_data_is_untouched(const Nodes *n, const Before *before)
{
    then_str(nodes_uid(n, "persistentvolumeclaims", CLAIM), before->claim);
    then_int(before->tasks, 3);
    then_int(nodes_tasks(n, NAME, "!mark-ready"), before->tasks);
}

/* The pod is made from what is wanted and recorded, and the operator deleted just one. */
static void then_rolled_once(const Nodes *n, const Before *before)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *pod = nodes_find(n, a, "pods", POD);
    const Json *node = nodes_find(n, a, "seinodes", NAME);

    then_int(pods_deleted(n, before), 1);
    then_true(!str_eq(meta_uid(pod), before->pod));
    then_str(
        meta_annotation(pod, "sei.io/template-hash"), json_str(node, ".status.podTemplateHash"));
    then_str(nodes_uid(n, "statefulsets", NAME), before->statefulset);
    then_data_is_untouched(n, before);
}

/* --- birth and rest */

static const char *const init_tasks[] = {
    "ensure-data-pvc",
    "apply-rbac-proxy-config",
    "apply-statefulset",
    "apply-service",
    "configure-genesis",
    "config-apply",
    "config-validate",
    "mark-ready",
};

static size_t leases_renewed(const Nodes *n, int64_t mark)
{
    return nodes_requests(n, mark, "update", "leases");
}

TEST(a_node_is_created_and_becomes_ready_and_is_then_left_alone)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "birth");
    const Json *task;
    size_t i = 0;

    nodes_create(&n, NAME, "{}");
    kubectl(n.cp,
        a,
        "wait",
        "--for=condition=Ready",
        "--timeout=60s",
        "-n",
        n.namespace,
        "seinode",
        NAME);
    eventually(nodes_settled(&n, NAME));
    const Json *node = nodes_find(&n, a, "seinodes", NAME);
    json_each(task, json_find(node, ".status.plan.tasks")) {
        then_true(i < array_count(init_tasks));
        then_str(json_str(task, ".type"), init_tasks[i++]);
        then_str(json_str(task, ".status"), "Complete");
    }
    then_int(i, array_count(init_tasks));
    then_int(json_count(json_find(node, ".status.history")), 1);
    then_str(json_str(node, ".status.plan.kind"), "init");
    then_int(nodes_tasks(&n, NAME, "mark-ready"), 1);
    then_int(nodes_tasks(&n, NAME, "!mark-ready"), 3);

    int64_t mark = scene_mark(n.cp);
    eventually(leases_renewed(&n, mark) >= 2);
    then_int(nodes_requests(&n, mark, NULL, NULL), 0);
    nodes_close(&n);
}

/* --- rollouts */

/* The rollout is held while its pod cannot go, so that what is said of it can be read. */
TEST(a_new_image_replaces_the_pod_once_and_the_condition_names_the_cause)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "image");
    Before before = given_running(&n);

    nodes_order(&n, "freeze", NAME, "");
    nodes_set_image(&n, NAME, "v2");
    eventually(nodes_condition(&n, NAME, "UpToDate", "False", "SpecDrift"));
    then_true(strstr(nodes_message(&n, NAME, "UpToDate"),
                  "spec.containers[seid].image (ghcr.io/example/seid:v1 ->"
                  " ghcr.io/example/seid:v2)")
        != NULL);
    then_true(nodes_say(&n, "seinodes", NAME, ".status.drift.cause", "spec"));
    eventually(nodes_condition(&n, NAME, "Ready", "False", "Updating"));
    nodes_order(&n, "thaw", NAME, "");
    eventually(nodes_settled(&n, NAME));
    then_rolled_once(&n, &before);
    then_true(nodes_say(&n, "seinodes", NAME, ".status.currentImage", "ghcr.io/example/seid:v2"));
    then_int(nodes_tasks(&n, NAME, "mark-ready"), 2);
    const char *events = kubectl(n.cp, a, "get", "events", "-n", n.namespace, "-o", "json");
    then_true(strstr(events, "spec.containers[seid].image") != NULL);
    nodes_close(&n);
}

TEST(changed_operator_settings_replace_the_pod_once_and_a_restart_alone_does_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "settings");
    Before before = given_running(&n);

    nodes_close(&n);
    nodes_start_operator(&n, "SEI_RESOURCE_CPU_DEFAULT=8");
    eventually(nodes_is_new(&n, "pods", POD, before.pod));
    eventually(nodes_settled(&n, NAME));
    then_rolled_once(&n, &before);
    then_true(nodes_say(&n, "seinodes", NAME, ".status.plan.cause", "platform"));
    then_true(nodes_say(&n, "pods", POD, ".spec.containers[0].resources.requests.cpu", "8"));

    nodes_close(&n);
    int64_t mark = scene_mark(n.cp);
    nodes_start_operator(&n, "SEI_RESOURCE_CPU_DEFAULT=8");
    eventually(leases_renewed(&n, mark) >= 2);
    AuditLog log = scene_audit(n.cp, a, mark);
    then_int(scene_writes(&log, NODES_OPERATOR),
        audit_count(&log, &(AuditLine){.user = NODES_OPERATOR, .resource = "leases"})
            - audit_count(
                &log, &(AuditLine){.user = NODES_OPERATOR, .resource = "leases", .verb = "get"})
            + nodes_requests(&n, mark, "create", "serviceaccounts"));
    nodes_close(&n);
}

TEST(new_pod_labels_reach_the_live_pod_without_a_restart)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "labels");
    Before before = given_running(&n);

    nodes_patch(&n, "seinodes", NAME, "{\"spec\": {\"podLabels\": {\"team\": \"blue\"}}}");
    eventually(nodes_say(&n, "pods", POD, ".metadata.labels.team", "blue"));
    eventually(nodes_settled(&n, NAME));
    then_true(nodes_say(&n, "statefulsets", NAME, ".spec.template.metadata.labels.team", "blue"));
    then_str(nodes_uid(&n, "pods", POD), before.pod);
    then_int(pods_deleted(&n, &before), 0);
    nodes_close(&n);
}

static bool waits_for(const Nodes *n, const char *phrase)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *waiting = json_str(nodes_find(n, a, "seinodes", NAME), ".status.plan.waiting");

    return waiting && strstr(waiting, phrase);
}

static bool is_unready_because(const Nodes *n, const char *phrase)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *ready = cond_in(nodes_find(n, a, "seinodes", NAME), "Ready");
    const char *message = json_str(ready, ".message");

    return str_eq(json_str(ready, ".status"), "False") && message && strstr(message, phrase);
}

TEST(a_bad_image_is_reported_and_superseded_and_an_image_can_be_reverted)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "tags");
    Before before = given_running(&n);

    nodes_order_line(&n, "bad-image ghcr.io/example/seid:bad");
    nodes_set_image(&n, NAME, "bad");
    eventually(waits_for(&n, "pull"));
    eventually(is_unready_because(&n, "pod " POD ": cannot pull image ghcr.io/example/seid:bad"));
    then_true(nodes_say(&n, "seinodes", NAME, ".status.state", "Updating"));
    then_true(nodes_say(&n, "seinodes", NAME, ".status.currentImage", "ghcr.io/example/seid:v1"));
    nodes_set_image(&n, NAME, "v2");
    eventually(nodes_settled(&n, NAME));
    then_true(nodes_say(&n, "seinodes", NAME, ".status.currentImage", "ghcr.io/example/seid:v2"));
    then_int(pods_deleted(&n, &before), 2);

    const char *pod = nodes_uid(&n, "pods", POD);
    nodes_set_image(&n, NAME, "v3");
    eventually(nodes_is_new(&n, "pods", POD, pod));
    nodes_set_image(&n, NAME, "v2");
    eventually(nodes_settled(&n, NAME));
    then_true(nodes_say(&n, "seinodes", NAME, ".status.currentImage", "ghcr.io/example/seid:v2"));
    then_true(nodes_say(&n, "pods", POD, ".spec.containers[0].image", "ghcr.io/example/seid:v2"));
    then_int(pods_deleted(&n, &before), 4);
    nodes_order(&n, "crash", NAME, " 1");
    eventually(is_unready_because(&n, "container seid "));
    eventually(nodes_settled(&n, NAME));
    then_int(pods_deleted(&n, &before), 4);
    then_data_is_untouched(&n, &before);
    nodes_close(&n);
}

/* --- repair */

static int64_t number(const Nodes *n, const char *plural, const char *name, const char *path)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);

    return json_int(nodes_find(n, a, plural, name), path, -1);
}

static const struct {
    const char *name;
    bool statefulset, service, configmap;
} deletions[] = {
    {"the StatefulSet", .statefulset = true},
    {"the Service", .service = true},
    {"the ConfigMap", .configmap = true},
    {"all at once", .statefulset = true, .service = true, .configmap = true},
};

TEST(deleted_objects_of_a_node_come_back_on_the_same_volume)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "repair");
    Before before = given_running(&n);

    each_case(i, deletions) {
        const char *statefulset = nodes_uid(&n, "statefulsets", NAME);
        const char *service = nodes_uid(&n, "services", NAME);
        const char *configmap = nodes_uid(&n, "configmaps", PROXY);
        const char *pod = nodes_uid(&n, "pods", POD);

        if (deletions[i].statefulset)
            nodes_delete(&n, "statefulsets", NAME, "background");
        if (deletions[i].service)
            nodes_delete(&n, "services", NAME, "background");
        if (deletions[i].configmap)
            nodes_delete(&n, "configmaps", PROXY, "background");
        if (deletions[i].statefulset)
            eventually(nodes_is_new(&n, "statefulsets", NAME, statefulset)
                && nodes_is_new(&n, "pods", POD, pod));
        if (deletions[i].service)
            eventually(nodes_is_new(&n, "services", NAME, service));
        if (deletions[i].configmap)
            eventually(nodes_is_new(&n, "configmaps", PROXY, configmap));
        eventually(nodes_settled(&n, NAME));
        then_int(pods_deleted(&n, &before), 0);
        then_data_is_untouched(&n, &before);
    }
    nodes_close(&n);
}

/* A Service of the node's name, without an owner and with these labels in its selector. */
static void given_orphan_service(Nodes *n, const char *selector)
{
    nodes_kill_operator(n);
    nodes_delete(n, "services", NAME, "background");
    scene_apply(n->cp,
        n->arena,
        str_format(n->arena,
            "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"" NAME
            "\", \"namespace\": \"%s\", \"labels\": {\"sei.io/node\": \"" NAME "\"}},"
            " \"spec\": {\"clusterIP\": \"None\", \"selector\": %s,"
            " \"ports\": [{\"name\": \"rpc\", \"port\": 26657}]}}",
            n->namespace,
            selector));
    nodes_start_operator(n, NULL);
}

TEST(a_service_without_an_owner_is_adopted_only_with_exactly_our_selector)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "orphan");
    given_running(&n);

    given_orphan_service(&n, "{\"sei.io/node\": \"" NAME "\", \"tier\": \"x\"}");
    const char *orphan = nodes_uid(&n, "services", NAME);
    eventually(nodes_condition(&n, NAME, "Stalled", "True", "ForeignObject"));
    then_true(nodes_say(&n, "services", NAME, ".spec.selector.tier", "x"));
    then_str(nodes_uid(&n, "services", NAME), orphan);

    given_orphan_service(&n, "{\"sei.io/node\": \"" NAME "\"}");
    orphan = nodes_uid(&n, "services", NAME);
    eventually(nodes_say(&n, "services", NAME, ".metadata.ownerReferences[0].name", NAME));
    eventually(nodes_settled(&n, NAME));
    then_str(nodes_uid(&n, "services", NAME), orphan);
    nodes_close(&n);
}

/* Somebody edits the template and the pod is made anew from that, while nobody looks. */
TEST(a_pod_of_a_manually_edited_statefulset_is_detected_and_replaced)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "edited");
    Before before = given_running(&n);

    nodes_close(&n);
    nodes_patch(&n,
        "statefulsets",
        NAME,
        "{\"spec\": {\"template\": {\"spec\": {\"terminationGracePeriodSeconds\": 7}}}}");
    nodes_delete(&n, "pods", POD, "background");
    eventually(nodes_is_new(&n, "pods", POD, before.pod));
    before.pod = nodes_uid(&n, "pods", POD);
    then_int(number(&n, "pods", POD, ".spec.terminationGracePeriodSeconds"), 7);

    nodes_start_operator(&n, NULL);
    eventually(nodes_is_new(&n, "pods", POD, before.pod));
    eventually(nodes_settled(&n, NAME));
    then_int(number(&n, "pods", POD, ".spec.terminationGracePeriodSeconds"), 600);
    then_int(
        number(&n, "statefulsets", NAME, ".spec.template.spec.terminationGracePeriodSeconds"), 600);
    then_rolled_once(&n, &before);
    nodes_close(&n);
}

/* --- hands off */

static void then_stopped(const Nodes *n, const char *reason)
{
    eventually(!nodes_have(n, "pods", POD));
    eventually(nodes_condition(n, NAME, "Ready", "False", reason));
    then_int(number(n, "statefulsets", NAME, ".spec.replicas"), 0);
}

TEST(a_paused_or_manually_scaled_node_stays_down_and_comes_back)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "pause");
    Before before = given_running(&n);

    nodes_patch(&n, "seinodes", NAME, "{\"spec\": {\"paused\": true}}");
    then_stopped(&n, "Paused");
    nodes_delete(&n, "statefulsets", NAME, "background");
    eventually(nodes_is_new(&n, "statefulsets", NAME, before.statefulset));
    then_stopped(&n, "Paused");
    nodes_patch(&n, "seinodes", NAME, "{\"spec\": {\"paused\": null}}");
    eventually(nodes_settled(&n, NAME));
    then_data_is_untouched(&n, &before);

    kubectl(n.cp, a, "scale", "statefulset", NAME, "-n", n.namespace, "--replicas=0");
    then_stopped(&n, "ScaledByHand");
    nodes_set_image(&n, NAME, "v2");
    eventually(nodes_condition(&n, NAME, "Ready", "False", "ScaledByHand"));
    then_stopped(&n, "ScaledByHand");
    kubectl(n.cp, a, "scale", "statefulset", NAME, "-n", n.namespace, "--replicas=1");
    eventually(nodes_settled(&n, NAME));
    then_true(nodes_say(&n, "pods", POD, ".spec.containers[0].image", "ghcr.io/example/seid:v2"));
    then_data_is_untouched(&n, &before);
    nodes_close(&n);
}

/* --- removal */

static bool nothing_is_left(const Nodes *n)
{
    return !nodes_have(n, "seinodes", NAME) && !nodes_have(n, "statefulsets", NAME)
        && !nodes_have(n, "services", NAME) && !nodes_have(n, "configmaps", PROXY)
        && !nodes_have(n, "pods", POD);
}

TEST(a_deleted_node_deletes_its_volume)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "removal");

    given_running(&n);
    nodes_delete(&n, "seinodes", NAME, "background");
    eventually(nothing_is_left(&n));
    eventually(!nodes_have(&n, "persistentvolumeclaims", CLAIM));
    nodes_close(&n);
}

TEST(a_retained_volume_survives_a_foreground_deletion_without_the_operator)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "retain");
    Before before = given_running(&n);

    nodes_patch(&n,
        "seinodes",
        NAME,
        "{\"metadata\": {\"annotations\": {\"sei.io/volume-policy\": \"Retain\"}}}");
    eventually(
        nodes_say(&n, "persistentvolumeclaims", CLAIM, ".metadata.ownerReferences[0].uid", NULL));
    nodes_close(&n);
    nodes_delete(&n, "seinodes", NAME, "foreground");
    eventually(!nodes_have(&n, "statefulsets", NAME) && !nodes_have(&n, "pods", POD));
    then_true(nodes_have(&n, "seinodes", NAME));
    nodes_start_operator(&n, NULL);
    eventually(nothing_is_left(&n));
    const Json *claim = nodes_find(&n, a, "persistentvolumeclaims", CLAIM);
    then_str(meta_uid(claim), before.claim);
    then_true(!meta_deleting(claim));
    then_true(meta_annotation(claim, "sei.io/retained-by") != NULL);
    nodes_close(&n);
}

/* A fleet that never made the node, but controls it. */
static void put_into_fleet(const Nodes *n, Arena *a)
{
    scene_apply(n->cp,
        a,
        str_format(a,
            "{apiVersion: sei.io/v1alpha1, kind: SeiNodeDeployment,"
            " metadata: {name: fleet, namespace: %s},"
            " spec: {replicas: 1, deletionPolicy: Retain, updateStrategy: {type: InPlace},"
            "  template: {spec: {chainId: pacific-1, image: 'ghcr.io/example/seid:v1',"
            "   fullNode: {}}}}}",
            n->namespace));
    nodes_patch(n,
        "seinodes",
        NAME,
        str_format(a,
            "{\"metadata\": {\"ownerReferences\": [{\"apiVersion\": \"sei.io/v1alpha1\","
            " \"kind\": \"SeiNodeDeployment\", \"name\": \"fleet\", \"uid\": \"%s\","
            " \"controller\": true}]}}",
            nodes_uid(n, "seinodedeployments", "fleet")));
}

TEST(a_fleet_with_policy_retain_keeps_the_volume_of_its_node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "fleet");
    Before before = given_running(&n);

    put_into_fleet(&n, a);
    nodes_delete(&n, "seinodes", NAME, "background");
    eventually(nothing_is_left(&n));
    const Json *claim = nodes_find(&n, a, "persistentvolumeclaims", CLAIM);
    then_str(meta_uid(claim), before.claim);
    then_true(!meta_deleting(claim));
    nodes_close(&n);
}

/* --- kill -9 */

static bool has_submitted(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *task, *node = nodes_find(n, a, "seinodes", NAME);

    json_each(task, json_find(node, ".status.plan.tasks"))
        if (json_str(task, ".submittedAt"))
            return true;
    return false;
}

TEST(a_killed_operator_continues_the_init_of_a_node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = open_nodes(a, "killed");
    int64_t mark = scene_mark(n.cp);

    nodes_create(&n, NAME, "{}");
    eventually(has_submitted(&n));
    operator_kill(&n.op);
    nodes_start_operator(&n, NULL);
    eventually(nodes_settled(&n, NAME));
    then_int(nodes_requests(&n, mark, "create", "persistentvolumeclaims"), 1);
    Before before = remember(&n);
    then_int(before.tasks, 3);

    nodes_order(&n, "freeze", NAME, "");
    nodes_set_image(&n, NAME, "v2");
    eventually(pods_deleted(&n, &before) == 1);
    operator_kill(&n.op);
    nodes_order(&n, "thaw", NAME, "");
    nodes_start_operator(&n, NULL);
    eventually(nodes_settled(&n, NAME));
    then_rolled_once(&n, &before);
    nodes_close(&n);
}

/* --- rights */

/* Rights that no scenario above can use, and what they are for. Those of fleets are used in
 * test_fleet.c. */
static const Right unused[] = {
    {"some clusters ask for it where an owner reference blocks", "update", "seinodes/finalizers"},
    {"the same", "update", "seinodedeployments/finalizers"},
    {"imported claims", "get", "persistentvolumes"},
    {"a Job of our name without our label", "get", "jobs"},
    {"pausing while the Job runs", "patch", "jobs"},
    {"secure metrics: see test_metrics.c", "create", "tokenreviews"},
    {"the same", "create", "subjectaccessreviews"},
};

static bool is_listed(const Right *rights, size_t count, Right right)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(rights[i].verb, right.verb) && str_eq(rights[i].resource, right.resource))
            return true;
    return false;
}

static bool is_wrong(const AuditLog *log, Arena *a, Right right)
{
    bool used = rights_used(log, a, right);
    bool is_unused = is_listed(unused, array_count(unused), right);

    if (used != is_unused || is_listed(rights_of_fleets, rights_of_fleets_count, right)
        || is_listed(rights_of_routes, rights_of_routes_count, right))
        return false;
    print_error("%s %s: %s\n",
        right.verb,
        right.resource,
        used ? "is said to be unused, and was used" : "was never used");
    return true;
}

static int count_wrong_rights(const AuditLog *log, Arena *a, const Json *role)
{
    const Json *rule, *resource, *verb;
    int wrong = 0;

    json_each(rule, json_find(role, ".rules"))
        json_each(resource, json_find(rule, ".resources"))
            json_each(verb, json_find(rule, ".verbs"))
                wrong += is_wrong(
                    log, a, (Right){.verb = json_text(verb), .resource = json_text(resource)});
    return wrong;
}

TEST(the_operator_has_exactly_the_permissions_that_it_uses)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Controlplane *cp = controlplane_shared();
    AuditLog log = scene_audit(cp, a, 0);
    static const char *const roles[] = {
        "clusterroles/sei-operator",
        "namespaces/sei-system/roles/sei-operator-leader",
        "namespaces/sei-system/roles/sei-sidecar-client-token",
    };

    then_int(audit_count(&log, &(AuditLine){.user = NODES_OPERATOR, .code = 403}), 0);
    int wrong = 0;
    for (size_t i = 0; i < array_count(roles); i++) {
        const Json *role =
            scene_get(cp, a, str_format(a, "/apis/rbac.authorization.k8s.io/v1/%s", roles[i]));
        then_true(role != NULL);
        wrong += count_wrong_rights(&log, a, role);
    }
    then_int(wrong, 0);
}
