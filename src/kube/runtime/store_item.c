/* What a store keeps of an object: the paths of its kind, the metadata that every object has, and
 * the hash of what we own in it, and whether that has its replicas. Members come out in the order
 * of keys, and apiVersion and kind are always set, though items of lists come without them: the
 * same object gives the same bytes, whether a list or a watch brought it. */
#include "kube/runtime/store_item.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/hash.h"
#include "kube/meta.h"
#include "kube/runtime/tag.h"

#include <string.h>

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

static const char *const always_kept[] = {
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.uid",
    ".metadata.resourceVersion",
    ".metadata.generation",
    ".metadata.deletionTimestamp",
    ".metadata.labels",
    ".metadata.annotations",
    ".metadata.ownerReferences",
    ".metadata.finalizers",
};

enum { KEPT_COUNT = sizeof always_kept / sizeof always_kept[0] };

const JsonPaths *store_paths(Arena *a, const Kind *kind)
{
    size_t count = 0;
    if (!kind->projection)
        return NULL;
    while (kind->projection[count])
        count++;

    const char **paths = arena_array(a, const char *, count + KEPT_COUNT + 1);
    memcpy(paths, always_kept, sizeof always_kept);
    memcpy(paths + KEPT_COUNT, kind->projection, count * sizeof *paths);
    return json_paths(a, paths);
}

static StoreOwned owned_of(
    Arena *a, const StoreOptions *options, const StoreOwned *before, const Json *object)
{
    if (!options->manager)
        return (StoreOwned){0};
    uint64_t source = hash_owned_source(a, object, options->secret);
    if (before && before->source == source)
        return *before;
    return (StoreOwned){
        .source = source,
        .hash = hash_owned(a, object, options->manager),
        .replicas = meta_applied_replicas(object, options->manager),
    };
}

/* The merge patch that turns the projected object into the stored one. */
static Err *finish_patch(Arena *a, const StoreOptions *options, const StoreOwned *owned,
    const Json *object, const Json **ret)
{
    char *api_version = arena_alloc(a, KIND_API_VERSION_SIZE);
    const Json *null;
    TRY(json_parse(a, bytes_of("null"), &null));

    Draft *metadata = draft(a, draft_json("managedFields", null));
    if (meta_annotation(object, LAST_APPLIED))
        draft_set(metadata, obj("annotations", draft_json(LAST_APPLIED, null)));
    *ret = json_seal(a,
        draft(a,
            str("apiVersion", kind_api_version(options->kind, api_version)),
            str("kind", options->kind->name),
            sub("metadata", metadata),
            str(META_OWNED_HASH_MEMBER, owned->hash),
            draft_flag_if(META_OWNS_REPLICAS_MEMBER, owned->replicas)));
    return OK;
}

static bool is_short(const char *text)
{
    return !text || strnlen(text, STORE_TEXT_MAX + 1) <= STORE_TEXT_MAX;
}

/* Refuses what no API server sends, so that nothing behind this point has to. */
static Err *check_identity(Arena *a, const StoreItem *item)
{
    char tag[TAG_SIZE];
    if (!tag_write(0, item->key, tag))
        return err_terminal(a, "an object without a name that Kubernetes could have given it");
    if (str_empty(item->version))
        return err_terminal(a, "%s has no resourceVersion", key_text(a, item->key));
    if (!is_short(item->version) || !is_short(item->uid) || !is_short(item->owner_uid)
        || !is_short(item->index_value))
        return err_terminal(a,
            "%s has a resourceVersion, UID or label of more than %d bytes",
            key_text(a, item->key),
            STORE_TEXT_MAX);
    return OK;
}

Err *store_project(Arena *a, const StoreOptions *options, const Json *object, StoreItem *ret)
{
    return store_project_after(a, options, NULL, object, ret);
}

Err *store_project_after(Arena *a, const StoreOptions *options, const StoreOwned *before,
    const Json *object, StoreItem *ret)
{
    StoreItem item = {
        .key = meta_key(object),
        .uid = meta_uid(object),
        .version = meta_resource_version(object),
        .owner_uid = json_str(meta_controller(object), ".uid"),
        .index_value = options->index_label ? meta_label(object, options->index_label) : NULL,
        .deleting = meta_deleting(object),
    };
    const Json *patch;
    TRY(check_identity(a, &item));
    item.owned = owned_of(a, options, before, object);
    TRY(finish_patch(a, options, &item.owned, object, &patch));

    const JsonPaths *paths = options->kept ? options->kept : store_paths(a, options->kind);
    const Json *kept = json_project_by(a, object, paths);
    item.bytes = json_write(a, json_merge(a, kept, patch));
    TRY(arena_err(a));
    *ret = item;
    return OK;
}
