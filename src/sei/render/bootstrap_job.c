/* The Job that brings a volume up to a height of the chain before the node itself starts: its pod
 * is the StatefulSet's as far as it goes, and answers under the same name.
 *
 * One pod and no second try: what went wrong is for the operator to judge. No second one before the
 * first has ended, either: both would write to one volume. And no time to live: a Job that is
 * collected before it was seen to have ended would be run again. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

enum { GRACE_SECONDS = 120 };

Draft *render_bootstrap_labels(Arena *a, const Subject *s)
{
    return draft(a, str(LABEL_NODE, s->node->key.name), str(LABEL_COMPONENT, COMPONENT_BOOTSTRAP));
}

Draft *render_bootstrap_metadata(Arena *a, const Subject *s, const char *name)
{
    return draft(a,
        str("name", name),
        str("namespace", s->node->key.namespace),
        sub("labels", render_bootstrap_labels(a, s)),
        list("ownerReferences", meta_owner_reference(a, kind_seinode, s->node->object)));
}

static Draft *pod_spec(Arena *a, const Subject *s, const Json *sidecar_resources)
{
    const char *node = s->node->key.name;

    return draft(a,
        str("hostname", name_pod(a, node)),
        str("subdomain", node),
        str("restartPolicy", "Never"),
        str("serviceAccountName", s->settings->service_account),
        flag("automountServiceAccountToken", true),
        flag("shareProcessNamespace", true),
        num("terminationGracePeriodSeconds", GRACE_SECONDS),
        sub("securityContext", render_pod_security(a)),
        sub("tolerations", render_tolerations(a, s)),
        sub("affinity", render_affinity(a, render_platform(s).nodepool)),
        sub("volumes", render_volumes(a, s)),
        list("initContainers",
            render_seid_init(a, s, s->node->spec.snapshot.bootstrap_image),
            render_bootstrap_sidecar(a, s, sidecar_resources),
            render_bootstrap_proxy(a, s)),
        list("containers", render_bootstrap_seid(a, s)));
}

static Err *pod_template(Arena *a, const Subject *s, const char *config_hash, const Json **ret)
{
    const Json *resources = NULL;

    TRY(render_resources(a, "spec.sidecar.resources", s->node->spec.sidecar_resources, &resources));
    const Json *spec = json_seal(a, pod_spec(a, s, resources));
    TRY(render_check_bootstrap(a, s, spec));
    const Json *template = json_seal(a,
        draft(a,
            obj("metadata",
                sub("labels", render_bootstrap_labels(a, s)),
                sub("annotations", render_pod_annotations(a, s, config_hash))),
            draft_json("spec", spec)));
    *ret = json_seal(a, render_stamped_template(a, template));
    return OK;
}

Err *render_bootstrap_job(Arena *a, const Subject *s, const char *config_hash, const Json **ret)
{
    const Json *template = NULL;

    TRY(pod_template(a, s, config_hash, &template));
    Draft *metadata = render_bootstrap_metadata(a, s, name_bootstrap_job(a, s->node->key.name));
    draft_set(metadata,
        obj("annotations",
            str(ANNOTATION_TEMPLATE_HASH, meta_annotation(template, ANNOTATION_TEMPLATE_HASH))));
    *ret = json_seal(a,
        draft(a,
            str("apiVersion", "batch/v1"),
            str("kind", "Job"),
            sub("metadata", metadata),
            obj("spec",
                num("backoffLimit", 0),
                str("podReplacementPolicy", "Failed"),
                draft_json("template", template))));
    return OK;
}
