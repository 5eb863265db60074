/* deploy/install.yaml on a real control plane: applied, upgraded, and taken away again, in order
 * and all at once. Whatever is removed, no volume is. The operator itself runs beside the cluster,
 * as the account that the file makes; the pods of its Deployment are the player's. */
#include "kube/meta.h"
#include "tests/e2e/nodes.h"

#define CLAIM "data-rpc"

/* A control plane that knows Deployments and disruption budgets, too. */
static Controlplane *controlplane(void)
{
    static const char *const controllers[] = {
        "--controllers=statefulset-controller,garbage-collector-controller,namespace-controller,"
        "serviceaccount-controller,serviceaccount-token-controller,deployment-controller,"
        "replicaset-controller,disruption-controller,persistentvolumeclaim-protection-controller,"
        "persistentvolume-protection-controller,persistentvolume-binder-controller",
        NULL,
    };
    static const ControlplaneOptions options = {
        .flags = {[COMPONENT_CONTROLLER_MANAGER] = controllers}};

    return controlplane_shared_with(&options);
}

/* The path of a file of the source. */
static const char *source(Arena *a, const char *path)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */

    return str_format(a, "%s/%s", root ? root : ".", path);
}

static void apply_install(const Nodes *n, Arena *a)
{
    kubectl(n->cp, a, "apply", "--server-side", "-f", source(a, "deploy/install.yaml"));
}

/* The file of the next version, which names another image. */
static void apply_next(const Nodes *n, Arena *a)
{
    const char *next;

    then_ok(process_run(a,
        &(ProcessOptions){
            .program = "/bin/sed",
            .args = PROCESS_ARGS("s|image: .*/sei-operator:.*|image: example/sei-operator:next|",
                source(a, "deploy/install.yaml")),
        },
        &next));
    scene_kubectl(n->cp, a, next, PROCESS_ARGS("apply", "--server-side", "-f", "-"));
}

static void wait_for_rollout(const Nodes *n, Arena *a)
{
    kubectl(n->cp, a, "rollout", "status", "deploy/sei-operator", "-n", "sei-system");
}

static const char *deployment(const Nodes *n, Arena *a, const char *path)
{
    return json_str(
        scene_get(n->cp, a, "/apis/apps/v1/namespaces/sei-system/deployments/sei-operator"), path);
}

/* The volume behind the node's claim is there, bound, and nobody wants it gone. */
static bool volume_is_whole(const Nodes *n, const char *claim_uid)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *claim = nodes_find(n, a, "persistentvolumeclaims", CLAIM);
    const char *volume = json_str(claim, ".spec.volumeName");
    const Json *disk =
        volume ? scene_get(n->cp, a, str_format(a, "/api/v1/persistentvolumes/%s", volume)) : NULL;

    return claim && disk && str_eq(meta_uid(claim), claim_uid) && !meta_deleting(claim)
        && !meta_deleting(disk) && str_eq(json_str(disk, ".status.phase"), "Bound");
}

static bool is_served(const Nodes *n)
{
    return scene_has(
        n->cp, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/seinodes.sei.io");
}

static bool budget_allows_one(const Nodes *n)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *budget = scene_get(
        n->cp, a, "/apis/policy/v1/namespaces/sei-system/poddisruptionbudgets/sei-operator");

    return json_int(budget, ".status.disruptionsAllowed", 0) == 1;
}

/* A node that runs in a cluster where the whole file is applied; the uid of its claim. */
static const char *given_installed(Nodes *n, Arena *a)
{
    apply_install(n, a);
    nodes_create(n, "rpc", "{}");
    eventually(nodes_settled(n, "rpc"));
    return nodes_uid(n, "persistentvolumeclaims", CLAIM);
}

TEST(the_file_brings_two_replicas_up_and_an_upgrade_restarts_no_node)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, controlplane(), "upgrade");

    given_installed(&n, a);
    wait_for_rollout(&n, a);
    eventually(budget_allows_one(&n));
    const char *pod = nodes_uid(&n, "pods", "rpc-0");

    apply_next(&n, a);
    wait_for_rollout(&n, a);
    then_str(
        deployment(&n, a, ".spec.template.spec.containers[0].image"), "example/sei-operator:next");
    apply_install(&n, a);
    wait_for_rollout(&n, a);
    then_str(nodes_uid(&n, "pods", "rpc-0"), pod);
    nodes_delete(&n, "seinodes", "rpc", "background");
    eventually(!nodes_have(&n, "seinodes", "rpc"));
    nodes_close(&n);
}

TEST(who_removes_the_kinds_first_keeps_every_volume)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, controlplane(), "in-order");
    const char *claim = given_installed(&n, a);

    kubectl(n.cp, a, "delete", "crd", "seinodes.sei.io", "seinodedeployments.sei.io");
    then_true(!is_served(&n));
    then_true(volume_is_whole(&n, claim));
    nodes_kill_operator(&n);
    kubectl(n.cp, a, "delete", "--ignore-not-found", "-f", source(a, "deploy/install.yaml"));
    then_true(volume_is_whole(&n, claim));
    nodes_install_again(&n);
}

/* Without an operator that takes leave of it, a node stays, and so do its kind and its volume,
 * until one is there again. */
TEST(who_removes_everything_at_once_keeps_every_volume_too)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Nodes n = nodes_open(a, controlplane(), "at-once");
    const char *claim = given_installed(&n, a);

    nodes_kill_operator(&n);
    kubectl(n.cp, a, "delete", "--wait=false", "-f", source(a, "deploy/install.yaml"));
    eventually(!scene_has(n.cp, "/api/v1/namespaces/sei-system"));
    then_true(is_served(&n));
    then_true(volume_is_whole(&n, claim));

    apply_install(&n, a);
    nodes_install_again(&n);
    nodes_start_operator(&n, NULL);
    eventually(!is_served(&n));
    then_true(volume_is_whole(&n, claim));
    nodes_install_again(&n);
    nodes_close(&n);
}
