/* Kubelet: its requests. A status is a merge patch that names the UID, so that it never lands on a
 * namesake; the last delete has grace 0 and names the UID too. */
#include "world/kubelet_state.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/status.h"

#include <string.h>

static const char manager[] = "kubelet";

/* Lost races end by themselves: the watch will tell. Anything else is tried again. */
static bool is_settled(const Err *err)
{
    return !err || err_has_status(err, 404) || err_has_status(err, 409);
}

bool kubelet_write_status(Tenant *t, Arena *a, Api *api, bool *ret_wrote)
{
    const Json *status = json_seal(a, pod_status(&t->pod, a));
    char digest[SHA256_HEX_SIZE];

    *ret_wrote = false;
    sha256_hex(json_write(a, status), digest);
    if (str_eq(t->written, digest))
        return true;
    Request patch = {.verb = VERB_MERGE_PATCH,
        .kind = kind_pod,
        .key = t->pod.key,
        .subresource = "status",
        .manager = manager,
        .body = json_seal(
            a, draft(a, obj("metadata", str("uid", t->pod.uid)), draft_json("status", status)))};
    const Err *err = api_call(api, a, &patch, NULL);
    *ret_wrote = !err; /* what is gone already is told nothing, and not asked again */
    if (!err)
        memcpy(t->written, digest, sizeof digest);
    return is_settled(err);
}

bool kubelet_write_binding(Tenant *t, const Node *node, Arena *a, Api *api)
{
    const Json *body = json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Binding"),
            obj("metadata",
                str("name", t->pod.key.name),
                str("namespace", t->pod.key.namespace),
                str("uid", t->pod.uid)),
            obj("target", str("apiVersion", "v1"), str("kind", "Node"), str("name", node->name))));
    Request bind = {.verb = VERB_CREATE,
        .kind = kind_pod,
        .key = t->pod.key,
        .subresource = "binding",
        .manager = "kube-scheduler",
        .body = body};

    return !api_call(api, a, &bind, NULL);
}

bool kubelet_write_delete(Tenant *t, bool is_last, Arena *a, Api *api)
{
    Request delete = {.verb = VERB_DELETE,
        .kind = kind_pod,
        .key = t->pod.key,
        .uid = t->pod.uid,
        .has_grace = is_last};

    return is_settled(api_call(api, a, &delete, NULL));
}

bool kubelet_write_node(const Node *node, Arena *a, Api *api)
{
    const Json *body = json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "Node"),
            obj("metadata",
                str("name", node->name),
                obj("labels",
                    str("kubernetes.io/hostname", node->name),
                    str("kubernetes.io/os", "linux")))));
    Request create = {
        .verb = VERB_CREATE, .kind = kind_node, .key = {.name = node->name}, .body = body};

    return is_settled(api_call(api, a, &create, NULL));
}

/* What kubectl shows of a machine. */
static Draft *node_info(Arena *a)
{
    return draft(a,
        str("kubeletVersion", "v1.34.0"),
        str("osImage", "Linux (simulated)"),
        str("kernelVersion", "6.1.0"),
        str("containerRuntimeVersion", "world://1.0"),
        str("operatingSystem", "linux"),
        str("architecture", "amd64"));
}

bool kubelet_write_node_status(const Node *node, Arena *a, Api *api, const char *now)
{
    Draft *ready = draft(a,
        str("type", "Ready"),
        str("status", "True"),
        str("reason", "KubeletReady"),
        str("message", "kubelet is posting ready status"),
        str("lastHeartbeatTime", now),
        str("lastTransitionTime", now));
    Draft *address = draft(a, str("type", "InternalIP"), str("address", node->address));
    Request patch = {.verb = VERB_MERGE_PATCH,
        .kind = kind_node,
        .key = {.name = node->name},
        .subresource = "status",
        .manager = manager,
        .body = json_seal(a,
            draft(a,
                obj("status",
                    list("conditions", ready),
                    list("addresses", address),
                    sub("nodeInfo", node_info(a)))))};

    return is_settled(api_call(api, a, &patch, NULL));
}
