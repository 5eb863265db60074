/* Asked: two flat objects of the same names, one from a spec and one from a pod. Of images only the
 * last part counts: who mirrors registries rewrites the rest. */
#include "tests/sim/asked.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

#include <string.h>

#define SEID              "seid"
#define SIDECAR           "sidecar"
#define SIDECAR_PORT      "sidecar port"
#define SIDECAR_RESOURCES "sidecar resources"
#define RESTART           "restart"
#define OF_ANOTHER        "of another operator"

static const char *named(Arena *a, const char *kind, const char *name)
{
    return str_format(a, "%s %s", kind, name);
}

static const char *last_part(const char *image)
{
    const char *slash = image ? strrchr(image, '/') : NULL;

    return slash ? slash + 1 : image;
}

/* Labels of operators say which pod it is and of what revision: those are theirs to write, whatever
 * a spec wishes. */
static bool is_of_operators(const char *label)
{
    return str_has_prefix(label, "sei.io/") || str_eq(label, LABEL_REVISION)
        || str_has_prefix(label, "statefulset.kubernetes.io/")
        || str_has_prefix(label, "apps.kubernetes.io/");
}

static void add_labels(Arena *a, Draft *parts, const Json *labels)
{
    const Json *label;

    json_each(label, labels)
        if (!is_of_operators(json_key(label)))
            draft_set(parts, draft_json(named(a, "label", json_key(label)), label));
}

/* --- of a spec --- */

static void add_asked_secrets(Arena *a, Draft *parts, const Json *spec)
{
    static const struct {
        const char *path, *volume;
    } keys[] = {
        {".validator.signingKey.secret.secretName", "signing-key"},
        {".validator.nodeKey.secret.secretName", "node-key"},
        {".validator.operatorKeyring.secret.secretName", "operator-keyring"},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        draft_set(parts, str(named(a, "volume", keys[i].volume), json_str(spec, keys[i].path)));
}

const Json *asked_of(Arena *a, const Json *template)
{
    const Json *spec = json_find(template, ".spec");
    Draft *parts = draft(a,
        str(SEID, last_part(json_str(spec, ".image"))),
        str(SIDECAR, last_part(json_str(spec, ".sidecar.image"))),
        draft_json(SIDECAR_PORT, json_find(spec, ".sidecar.port")),
        draft_json(SIDECAR_RESOURCES, json_find(spec, ".sidecar.resources")),
        str(RESTART, meta_annotation(template, ANNOTATION_RESTARTED_AT)));

    add_labels(a, parts, json_find(spec, ".podLabels"));
    add_asked_secrets(a, parts, spec);
    return json_seal(a, parts);
}

/* --- of a pod --- */

static const Json *named_in(const Json *list, const char *name)
{
    const Json *item;

    json_each(item, list)
        if (str_eq(json_str(item, ".name"), name))
            return item;
    return NULL;
}

static void add_shown_secrets(Arena *a, Draft *parts, const Json *pod)
{
    const Json *volume;

    json_each(volume, json_find(pod, ".spec.volumes"))
        draft_set(parts,
            str(named(a, "volume", json_str(volume, ".name")),
                json_str(volume, ".secret.secretName")));
}

const Json *asked_shown(Arena *a, const Json *pod)
{
    const Json *seid = named_in(json_find(pod, ".spec.containers"), CONTAINER_SEID);
    const Json *sidecar = named_in(json_find(pod, ".spec.initContainers"), CONTAINER_SIDECAR);
    const Json *port = named_in(json_find(sidecar, ".ports"), "sidecar");
    Draft *parts = draft(a,
        str(SEID, last_part(json_str(seid, ".image"))),
        str(SIDECAR, last_part(json_str(sidecar, ".image"))),
        draft_json(SIDECAR_PORT, json_find(port, ".containerPort")),
        draft_json(SIDECAR_RESOURCES, json_find(sidecar, ".resources")),
        str(RESTART, meta_annotation(pod, ANNOTATION_RESTARTED_AT)),
        draft_flag_if(OF_ANOTHER, !meta_annotation(pod, ANNOTATION_TEMPLATE_HASH)));

    add_labels(a, parts, json_find(pod, ".metadata.labels"));
    add_shown_secrets(a, parts, pod);
    return json_seal(a, parts);
}

static bool is_judged(const Json *shown, const char *part)
{
    return str_eq(part, SEID) || !json_member(shown, OF_ANOTHER);
}

/* A pod that was restarted later was restarted, too. */
static bool is_met(const Json *asked, const Json *shown)
{
    const char *since = json_text(asked), *at = json_text(shown);

    if (str_eq(json_key(asked), RESTART))
        return since && at && strcmp(at, since) >= 0;
    return json_equal(asked, shown);
}

bool asked_is_shown(const Json *asked, const Json *shown)
{
    const Json *part;

    json_each(part, asked) {
        const char *name = json_key(part);
        if (is_judged(shown, name) && !is_met(part, json_member(shown, name)))
            return false;
    }
    return true;
}
