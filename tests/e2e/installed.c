/* What the words of installed.h do. */
#include "tests/e2e/installed.h"

#include "kube/meta.h"

#define DEPLOYMENT "/apis/apps/v1/namespaces/sei-system/deployments/sei-operator"

Controlplane *installed_controlplane(void)
{
    static const char *const controllers[] = {
        ("--controllers=statefulset-controller,garbage-collector-controller,namespace-controller,"
         "serviceaccount-controller,serviceaccount-token-controller,deployment-controller,"
         "replicaset-controller,disruption-controller,persistentvolumeclaim-protection-controller,"
         "persistentvolume-protection-controller,persistentvolume-binder-controller,"
         "clusterrole-aggregation-controller"),
        NULL,
    };
    static const ControlplaneOptions options = {
        .flags = {[COMPONENT_CONTROLLER_MANAGER] = controllers}};

    return controlplane_shared_with(&options);
}

const char *installed_source(Arena *a, const char *path)
{
    const char *root = getenv("SEI_SOURCE_ROOT"); /* NOLINT(concurrency-mt-unsafe) */

    return str_format(a, "%s/%s", root ? root : ".", path);
}

void installed_wait(const Nodes *n, Arena *a)
{
    kubectl(n->cp, a, "rollout", "status", "deploy/sei-operator", "-n", "sei-system");
}

const char *installed_image(const Nodes *n, Arena *a)
{
    return json_str(scene_get(n->cp, a, DEPLOYMENT), ".spec.template.spec.containers[0].image");
}

const char *installed_next(Arena *a, const char *path)
{
    static const char changes[] = "s|image: .*/sei-operator:.*|image: " INSTALLED_NEXT_IMAGE "|\n"
                                  "s|port: 6443$|port: 7443|\n"
                                  "s|interval: 30s$|interval: 15s|\n";
    const char *next = NULL;

    then_ok(process_run(
        a, &(ProcessOptions){.program = "/bin/sed", .args = PROCESS_ARGS(changes, path)}, &next));
    return next;
}

bool installed_serves(const Nodes *n)
{
    return scene_has(
        n->cp, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/seinodes.sei.io");
}

bool installed_volume_is_whole(const Nodes *n, const char *claim_uid)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const Json *claim = nodes_find(n, a, "persistentvolumeclaims", INSTALLED_CLAIM);
    const char *volume = json_str(claim, ".spec.volumeName");
    const Json *disk =
        volume ? scene_get(n->cp, a, str_format(a, "/api/v1/persistentvolumes/%s", volume)) : NULL;

    return claim && disk && str_eq(meta_uid(claim), claim_uid) && !meta_deleting(claim)
        && !meta_deleting(disk) && str_eq(json_str(disk, ".status.phase"), "Bound");
}

const char *installed_node(const Nodes *n)
{
    nodes_create(n, "rpc", "{}");
    eventually(nodes_settled(n, "rpc"));
    return nodes_uid(n, "persistentvolumeclaims", INSTALLED_CLAIM);
}
