/* MaintainJob: made from the StatefulSet as it stands, so that what people and admission have added
 * to its pods (places, classes, pull secrets) holds for this one, too.
 *
 * It has none of the labels by which Services and other operators find the pods of a node, no token
 * of an account, and of all volumes the data alone: no key of a validator gets near a command. */
#include "cli/maintain_job.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

enum { GRACE_SECONDS = 120 };

static const Json *pod_spec_of(const Json *statefulset)
{
    return json_find(statefulset, ".spec.template.spec");
}

static const Json *data_volume(const Json *statefulset)
{
    const Json *volume, *volumes = json_find(pod_spec_of(statefulset), ".volumes");

    json_each(volume, volumes)
        if (json_str(volume, ".persistentVolumeClaim.claimName"))
            return volume;
    return NULL;
}

static const Json *seid_container(const Json *statefulset)
{
    const Json *container, *containers = json_find(pod_spec_of(statefulset), ".containers");

    json_each(container, containers)
        if (str_eq(json_str(container, ".name"), CONTAINER_SEID))
            return container;
    return NULL;
}

const char *maintain_claim(const Json *statefulset)
{
    return json_str(data_volume(statefulset), ".persistentVolumeClaim.claimName");
}

static Draft *labels_of(Arena *a, const Json *node, const Maintenance *run)
{
    return draft(a,
        str(LABEL_COMPONENT, COMPONENT_MAINTENANCE),
        str(LABEL_MAINTENANCE_OF, meta_name(node)),
        str(LABEL_MAINTENANCE_RUN, run->run));
}

static Draft *mounts_of(Arena *a, const Json *statefulset)
{
    const char *name = json_str(data_volume(statefulset), ".name");
    const Json *mount, *mounts = json_find(seid_container(statefulset), ".volumeMounts");
    Draft *data = draft_array(a);

    json_each(mount, mounts)
        if (str_eq(json_str(mount, ".name"), name))
            draft_push_json(data, mount);
    return data;
}

static Draft *container_of(Arena *a, const Json *statefulset, const Maintenance *run)
{
    const Json *seid = seid_container(statefulset);
    const Json *mounts = json_seal(a, mounts_of(a, statefulset));

    return draft(a,
        str("name", MAINTAIN_CONTAINER),
        str("image", run->image),
        draft_json("command", run->command),
        str("workingDir", json_str(json_first(mounts), ".mountPath")),
        draft_json("resources", json_find(seid, ".resources")),
        draft_json("securityContext", json_find(seid, ".securityContext")),
        draft_json("volumeMounts", mounts));
}

static Draft *pod_spec(Arena *a, const Json *statefulset, const Maintenance *run)
{
    const Json *of = pod_spec_of(statefulset);
    Draft *volumes = draft_array(a);

    draft_push_json(volumes, data_volume(statefulset));
    return draft(a,
        str("restartPolicy", "Never"),
        str("serviceAccountName", json_str(of, ".serviceAccountName")),
        flag("automountServiceAccountToken", false),
        num("terminationGracePeriodSeconds", GRACE_SECONDS),
        draft_json("securityContext", json_find(of, ".securityContext")),
        draft_json("nodeSelector", json_find(of, ".nodeSelector")),
        draft_json("affinity", json_find(of, ".affinity")),
        draft_json("tolerations", json_find(of, ".tolerations")),
        draft_json("imagePullSecrets", json_find(of, ".imagePullSecrets")),
        str("priorityClassName", json_str(of, ".priorityClassName")),
        str("runtimeClassName", json_str(of, ".runtimeClassName")),
        str("schedulerName", json_str(of, ".schedulerName")),
        sub("volumes", volumes),
        list("containers", container_of(a, statefulset, run)));
}

static Draft *owner_of(Arena *a, const Json *node)
{
    char version[KIND_API_VERSION_SIZE];

    /* Not its controller: that is the operator's to be, of what it has made itself. */
    return draft(a,
        str("apiVersion", str_copy(a, kind_api_version(kind_seinode, version))),
        str("kind", kind_seinode->name),
        str("name", meta_name(node)),
        str("uid", meta_uid(node)));
}

const Json *maintain_job(
    Arena *a, const Json *node, const Json *statefulset, const Maintenance *run)
{
    if (!seid_container(statefulset) || !data_volume(statefulset))
        return NULL;
    return json_seal(a,
        draft(a,
            str("apiVersion", "batch/v1"),
            str("kind", "Job"),
            obj("metadata",
                str("name", maintenance_job_name(a, meta_name(node), run->run)),
                str("namespace", meta_namespace(node)),
                sub("labels", labels_of(a, node, run)),
                list("ownerReferences", owner_of(a, node))),
            obj("spec",
                flag("suspend", true),
                num("backoffLimit", 0),
                str("podReplacementPolicy", "Failed"),
                obj("template",
                    obj("metadata",
                        sub("labels", labels_of(a, node, run)),
                        obj("annotations", str(ANNOTATION_DO_NOT_DISRUPT, "true"))),
                    sub("spec", pod_spec(a, statefulset, run))))));
}

const Json *maintain_container(const Json *pod)
{
    const Json *status, *statuses = json_find(pod, ".status.containerStatuses");

    json_each(status, statuses)
        if (str_eq(json_str(status, ".name"), MAINTAIN_CONTAINER))
            return status;
    return NULL;
}
