/* The template of a node's pod.
 *
 * Its metadata may change under a running pod, except for the two annotations that are hashed: what
 * changes them restarts the pod. */
#include "sei/api/names.h"
#include "sei/render/pod.h"

Draft *render_pod_annotations(Arena *a, const Subject *s, const char *config_hash)
{
    return draft(a,
        str(ANNOTATION_CONFIG_HASH, config_hash),
        str(ANNOTATION_DO_NOT_DISRUPT, "true"),
        str(ANNOTATION_DEFAULT_CONTAINER, CONTAINER_SEID),
        str(ANNOTATION_RESTARTED_AT, s->restarted_at));
}

Draft *render_affinity(Arena *a, const char *nodepool)
{
    Draft *in_pool = draft(
        a, str("key", "karpenter.sh/nodepool"), str("operator", "In"), strs("values", nodepool));

    return draft(a,
        obj("nodeAffinity",
            obj("requiredDuringSchedulingIgnoredDuringExecution",
                list("nodeSelectorTerms", draft(a, list("matchExpressions", in_pool))))));
}

Draft *render_volumes(Arena *a, const Subject *s)
{
    Draft *volumes = draft_array(a);

    draft_push(volumes,
        draft(
            a, str("name", VOLUME_DATA), obj("persistentVolumeClaim", str("claimName", s->claim))));
    draft_push(
        volumes, draft(a, str("name", VOLUME_SIDECAR_TMP), sub("emptyDir", draft_object(a))));
    draft_push(volumes,
        draft(a,
            str("name", VOLUME_PROXY_CONFIG),
            obj("configMap", str("name", name_proxy_config(a, s->node->key.name)))));
    return volumes;
}

Draft *render_tolerations(Arena *a, const Subject *s)
{
    Draft *tolerations = draft_array(a);

    draft_push(tolerations,
        draft(a,
            str("key", s->settings->toleration_key),
            str("value", render_platform(s).nodepool),
            str("effect", "NoSchedule")));
    return tolerations;
}

Draft *render_pod_security(Arena *a)
{
    return draft(a,
        num("fsGroup", NODE_USER),
        str("fsGroupChangePolicy", "OnRootMismatch")); /* else every start walks the data */
}

static Draft *volumes_with_keys(Arena *a, const Subject *s)
{
    Draft *volumes = render_volumes(a, s);

    render_key_volumes(a, s, volumes);
    return volumes;
}

static Draft *pod_spec(Arena *a, const Subject *s, const Json *sidecar_resources)
{
    return draft(a,
        str("serviceAccountName", s->settings->service_account),
        flag("automountServiceAccountToken", true),
        flag("shareProcessNamespace", true),
        num("terminationGracePeriodSeconds", s->settings->termination_grace_seconds),
        sub("securityContext", render_pod_security(a)),
        sub("tolerations", render_tolerations(a, s)),
        sub("affinity", render_affinity(a, render_platform(s).nodepool)),
        sub("volumes", volumes_with_keys(a, s)),
        list("initContainers",
            render_seid_init(a, s, s->node->spec.image),
            render_sidecar(a, s, sidecar_resources),
            render_proxy(a, s)),
        list("containers", render_seid(a, s), render_exporter(a, s)));
}

Err *render_pod_template(Arena *a, const Subject *s, const char *config_hash, Draft **ret)
{
    const Json *resources = NULL;

    TRY(render_resources(a, "spec.sidecar.resources", s->node->spec.sidecar_resources, &resources));
    Draft *spec = pod_spec(a, s, resources);
    TRY(render_check_keys(a, s, json_seal(a, spec)));
    *ret = draft(a,
        obj("metadata",
            sub("labels", render_labels(a, s)),
            sub("annotations", render_pod_annotations(a, s, config_hash))),
        sub("spec", spec));
    return OK;
}
