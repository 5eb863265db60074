/* The StatefulSet of a node: one pod, replaced only when we delete it.
 *
 * The template carries its own hash, so that every pod says what it was made from. */
#include "base/str.h"
#include "kube/hash.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

static const Json *counting_annotation(const Json *template, const char *key)
{
    return json_member(json_find(template, ".metadata.annotations"), key);
}

const char *render_template_hash(Arena *a, const Json *template)
{
    return hash_json(a,
        json_seal(a,
            draft(a,
                draft_json("spec", json_find(template, ".spec")),
                draft_json(
                    ANNOTATION_CONFIG_HASH, counting_annotation(template, ANNOTATION_CONFIG_HASH)),
                draft_json(ANNOTATION_RESTARTED_AT,
                    counting_annotation(template, ANNOTATION_RESTARTED_AT)))));
}

Draft *render_stamped_template(Arena *a, const Json *template)
{
    Draft *annotations = draft_object(a);
    const Json *annotation;

    json_each(annotation, json_find(template, ".metadata.annotations"))
        draft_add(annotations, draft_json(json_key(annotation), annotation));
    draft_set(annotations, str(ANNOTATION_TEMPLATE_HASH, render_template_hash(a, template)));
    return draft(a,
        obj("metadata",
            draft_json("labels", json_find(template, ".metadata.labels")),
            sub("annotations", annotations)),
        draft_json("spec", json_find(template, ".spec")));
}

Err *render_statefulset(Arena *a, const Subject *s, const char *config_hash, const Json **ret)
{
    const char *name = s->node->key.name;
    Draft *template = NULL;

    TRY(render_pod_template(a, s, config_hash, &template));
    *ret = json_seal(a,
        draft(a,
            str("apiVersion", "apps/v1"),
            str("kind", "StatefulSet"),
            sub("metadata", render_metadata(a, s, name)),
            obj("spec",
                draft_num_if(s->replicas != REPLICAS_LEFT_OUT,
                    "replicas",
                    s->replicas == REPLICAS_ONE ? 1 : 0),
                str("serviceName", name),
                obj("selector", sub("matchLabels", render_selector(a, s))),
                obj("updateStrategy", str("type", "OnDelete")),
                sub("template", render_stamped_template(a, json_seal(a, template))))));
    return OK;
}
