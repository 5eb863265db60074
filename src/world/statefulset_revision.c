/* Revisions. The hash is taken over the JSON that Go writes: keys sorted, and <, > and & escaped.
 */
#include "world/statefulset_revision.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_PREFIX_MAX = 223 };

/* --- data --- */

/* Go always writes a container's resources, empty or not. */
static const Json *with_resources(Arena *a, const Json *containers)
{
    Draft *list = draft_array(a);
    const Json *container;

    json_each(container, containers)
        draft_push_json(list,
            json_member(container, "resources")
                ? container
                : object_with(a, container, "resources", json_seal(a, draft_object(a))));
    return json_seal(a, list);
}

const Json *statefulset_revision_data(Arena *a, const Json *set)
{
    static const char *const lists[] = {"containers", "initContainers", NULL};
    const Json *template = json_find(set, ".spec.template");
    const Json *spec = json_member(template, "spec");

    for (const char *const *list = lists; *list; list++)
        if (json_member(spec, *list))
            spec = object_with(a, spec, *list, with_resources(a, json_member(spec, *list)));
    template = object_with(a, template, "spec", spec);
    template = object_with(a, template, "$patch", object_text(a, "replace"));
    return json_seal(a, draft(a, obj("spec", draft_json("template", template))));
}

const Json *statefulset_revision_template(const Json *revision)
{
    return json_find(revision, ".data.spec.template");
}

/* --- names --- */

static uint32_t fnv(uint32_t hash, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (uint32_t)(hash * 16777619U) ^ (unsigned char)bytes[i];
    return hash;
}

static uint32_t fnv_of_go_json(Bytes json)
{
    uint32_t hash = 2166136261U;

    for (size_t i = 0; i < json.len; i++) {
        const char *byte = &json.data[i];
        const char *escape = *byte == '<' ? "\\u003c"
            : *byte == '>'                ? "\\u003e"
            : *byte == '&'                ? "\\u0026"
                                          : NULL;
        hash = escape ? fnv(hash, escape, strlen(escape)) : fnv(hash, byte, 1);
    }
    return hash;
}

const char *statefulset_revision_hash(Arena *a, const Json *data, int64_t collisions)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    const char *probe = str_format(a, "%" PRId64, collisions);
    uint32_t hash = fnv(fnv_of_go_json(json_canonical(a, data)), probe, strlen(probe));
    const char *digits = str_format(a, "%" PRIu32, hash);
    char *text = arena_alloc(a, strlen(digits) + 1);

    for (size_t i = 0; digits[i]; i++)
        text[i] = letters[(unsigned char)digits[i] % (sizeof letters - 1)];
    return text;
}

const Json *statefulset_revision_new(Arena *a, const Json *set, StatefulSetRevision revision)
{
    const char *hash = statefulset_revision_hash(a, revision.data, revision.collisions);
    const char *known = statefulset_revision_hash(a, revision.data, revision.known_collisions);
    const Json *labels = json_find(set, ".spec.template.metadata.labels");
    const Json *label = json_seal(a, draft(a, str("controller.kubernetes.io/hash", known)));
    const char *name = meta_name(set);

    return json_seal(a,
        draft(a,
            str("apiVersion", "apps/v1"),
            str("kind", "ControllerRevision"),
            obj("metadata",
                str("name",
                    str_format(
                        a, "%s-%s", str_slice(a, name, strnlen(name, NAME_PREFIX_MAX)), hash)),
                str("namespace", meta_namespace(set)),
                draft_json("labels", json_merge(a, labels, label)),
                draft_json("annotations", json_find(set, ".metadata.annotations")),
                list("ownerReferences", meta_owner_reference(a, kind_statefulset, set))),
            draft_json("data", revision.data),
            num("revision", revision.number)));
}

/* --- order --- */

static int compare(const void *left, const void *right)
{
    const Json *a = *(const Json *const *)left, *b = *(const Json *const *)right;
    int64_t a_number = json_int(a, ".revision", 0), b_number = json_int(b, ".revision", 0);
    int by_age = str_compare(
        json_str(a, ".metadata.creationTimestamp"), json_str(b, ".metadata.creationTimestamp"));

    if (a_number != b_number)
        return a_number < b_number ? -1 : 1;
    return by_age ? by_age : str_compare(meta_name(a), meta_name(b));
}

void statefulset_revision_sort(ViewList *revisions)
{
    if (revisions->count > 1)
        qsort(revisions->items, revisions->count, sizeof *revisions->items, compare);
}
