/* Pods of a StatefulSet. A pod is Running and Ready by its phase and condition alone; whether it is
 * going is asked apart. */
#include "world/statefulset_pod.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "world/object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REVISION_LABEL "controller-revision-hash"
#define NAME_LABEL     "statefulset.kubernetes.io/pod-name"
#define INDEX_LABEL    "apps.kubernetes.io/pod-index"

/* --- states --- */

int64_t statefulset_pod_ordinal(const Json *set, const Json *pod)
{
    const char *set_name = meta_name(set), *name = meta_name(pod);
    size_t len = set_name ? strlen(set_name) : 0;
    int64_t ordinal;

    if (!str_has_prefix(name, set_name) || name[len] != '-')
        return -1;
    const char *digits = name + len + 1;
    if (!*digits || digits[strspn(digits, "0123456789")] || !str_to_int(digits, &ordinal))
        return -1;
    return ordinal <= INT32_MAX ? ordinal : -1;
}

static int64_t last_number(const Json *pod)
{
    int64_t number = -1;

    str_to_int(strrchr(meta_name(pod), '-') + 1, &number);
    return number;
}

static int compare(const void *left, const void *right)
{
    int64_t a = last_number(*(const Json *const *)left);
    int64_t b = last_number(*(const Json *const *)right);

    return a > b ? -1 : a < b;
}

void statefulset_pod_sort(ViewList *pods)
{
    if (pods->count > 1)
        qsort(pods->items, pods->count, sizeof *pods->items, compare);
}

bool statefulset_pod_is(const Json *pod, const char *phase)
{
    return str_eq(json_str(pod, ".status.phase"), phase);
}

bool statefulset_pod_is_created(const Json *pod)
{
    return !str_empty(json_str(pod, ".status.phase"));
}

static bool has_ready_condition(const Json *pod)
{
    return str_eq(json_str(cond_in(pod, "Ready"), ".status"), "True");
}

bool statefulset_pod_is_ready(const Json *pod)
{
    return statefulset_pod_is(pod, "Running") && has_ready_condition(pod);
}

bool statefulset_pod_is_available(const Json *set, const Json *pod, int64_t wall_ms)
{
    int64_t wait_ms = json_int(set, ".spec.minReadySeconds", 0) * 1000, since_ns;

    if (!has_ready_condition(pod))
        return false;
    return wait_ms == 0
        || (timestamp_parse(json_str(cond_in(pod, "Ready"), ".lastTransitionTime"), &since_ns)
            && since_ns / 1000000 + wait_ms <= wall_ms);
}

const char *statefulset_pod_revision(const Json *pod)
{
    return meta_label(pod, REVISION_LABEL);
}

/* --- new ones --- */

bool statefulset_pod_has_identity(const Json *pod)
{
    return str_eq(meta_label(pod, NAME_LABEL), meta_name(pod));
}

const Json *statefulset_pod_identified(Arena *a, const Json *pod)
{
    const char *name = meta_name(pod);
    const Json *labels = json_seal(a,
        draft(a,
            obj("metadata",
                obj("labels", str(NAME_LABEL, name), str(INDEX_LABEL, strrchr(name, '-') + 1)))));

    return json_merge(a, pod, labels);
}

static const char *claim_name(
    Arena *a, const Json *set, const Json *claim_template, int64_t ordinal)
{
    return str_format(a, "%s-%s-%" PRId64, meta_name(claim_template), meta_name(set), ordinal);
}

const Json *statefulset_pod_claim(
    Arena *a, const Json *set, const Json *claim_template, int64_t ordinal)
{
    const Json *labels = json_merge(a,
        json_find(claim_template, ".metadata.labels"),
        json_find(set, ".spec.selector.matchLabels"));

    return json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "PersistentVolumeClaim"),
            obj("metadata",
                str("name", claim_name(a, set, claim_template, ordinal)),
                str("namespace", meta_namespace(set)),
                draft_json("labels", labels),
                draft_json("annotations", json_find(claim_template, ".metadata.annotations"))),
            draft_json("spec", json_member(claim_template, "spec"))));
}

static bool is_claimed(const Json *set, const char *volume)
{
    const Json *claim;

    json_each(claim, json_find(set, ".spec.volumeClaimTemplates"))
        if (str_eq(meta_name(claim), volume))
            return true;
    return false;
}

/* A claim takes the place of a volume of its name. */
static Draft *volumes(Arena *a, const Json *set, const Json *template, int64_t ordinal)
{
    Draft *list = draft_array(a);
    const Json *claim, *volume;

    json_each(claim, json_find(set, ".spec.volumeClaimTemplates"))
        draft_push(list,
            draft(a,
                str("name", meta_name(claim)),
                obj("persistentVolumeClaim",
                    str("claimName", claim_name(a, set, claim, ordinal)))));
    json_each(volume, json_find(template, ".spec.volumes"))
        if (!is_claimed(set, json_str(volume, ".name")))
            draft_push_json(list, volume);
    return draft_count(list) > 0 ? list : NULL;
}

const Json *statefulset_pod_new(Arena *a, const Json *set, StatefulSetPod pod)
{
    const char *service = json_str(set, ".spec.serviceName");
    const char *name = str_format(a, "%s-%" PRId64, meta_name(set), pod.ordinal);
    const Json *meta = json_member(pod.template, "metadata");
    const Json *spec = json_seal(a,
        draft(a,
            str("hostname", name),
            str("subdomain", str_empty(service) ? NULL : service),
            sub("volumes", volumes(a, set, pod.template, pod.ordinal))));
    const Json *label = json_seal(a, draft(a, str(REVISION_LABEL, pod.revision)));

    return statefulset_pod_identified(a,
        json_seal(a,
            draft(a,
                str("apiVersion", "v1"),
                str("kind", "Pod"),
                obj("metadata",
                    str("name", name),
                    str("generateName", str_format(a, "%s-", meta_name(set))),
                    str("namespace", meta_namespace(set)),
                    draft_json("labels", json_merge(a, json_member(meta, "labels"), label)),
                    draft_json("annotations", json_member(meta, "annotations")),
                    draft_json("finalizers", json_member(meta, "finalizers")),
                    list("ownerReferences", meta_owner_reference(a, kind_statefulset, set))),
                draft_json("spec", json_merge(a, json_member(pod.template, "spec"), spec)))));
}
