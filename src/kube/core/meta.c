/* Metadata of any object. Labels and annotations go through json_member, because their keys have
 * dots. */
#include "kube/meta.h"

#include "base/str.h"
#include "kube/core/managed.h"

#include <string.h>

const char *meta_name(const Json *object)
{
    return json_str(object, ".metadata.name");
}

const char *meta_namespace(const Json *object)
{
    return json_str(object, ".metadata.namespace");
}

const char *meta_uid(const Json *object)
{
    return json_str(object, ".metadata.uid");
}

const char *meta_resource_version(const Json *object)
{
    return json_str(object, ".metadata.resourceVersion");
}

const char *meta_deletion_timestamp(const Json *object)
{
    return json_str(object, ".metadata.deletionTimestamp");
}

int64_t meta_generation(const Json *object)
{
    return json_int(object, ".metadata.generation", 0);
}

Key meta_key(const Json *object)
{
    return (Key){.namespace = meta_namespace(object), .name = meta_name(object)};
}

const char *meta_label(const Json *object, const char *key)
{
    return json_text(json_member(json_find(object, ".metadata.labels"), key));
}

const char *meta_annotation(const Json *object, const char *key)
{
    return json_text(json_member(json_find(object, ".metadata.annotations"), key));
}

bool meta_deleting(const Json *object)
{
    return !str_empty(meta_deletion_timestamp(object));
}

const char *meta_owned_hash(const Json *object)
{
    return json_text(json_member(object, META_OWNED_HASH_MEMBER));
}

bool meta_owns_replicas(const Json *object)
{
    return json_bool(json_member(object, META_OWNS_REPLICAS_MEMBER), "", false);
}

bool meta_applied_replicas(const Json *live, const char *manager)
{
    const Json *entry = managed_find_entry(json_find(live, ".metadata.managedFields"), manager);

    return json_find(entry, ".fieldsV1['f:spec']['f:replicas']") != NULL;
}

/* --- owners --- */

const Json *meta_controller(const Json *object)
{
    const Json *owners = json_find(object, ".metadata.ownerReferences");
    const Json *owner;

    json_each(owner, owners)
        if (json_bool(owner, ".controller", false))
            return owner;
    return NULL;
}

static bool names(const Json *reference, const Json *owner)
{
    const char *uid = meta_uid(owner);

    return !str_empty(uid) && str_eq(json_str(reference, ".uid"), uid);
}

bool meta_controlled_by(const Json *object, const Json *owner)
{
    return names(meta_controller(object), owner);
}

bool meta_owned_by(const Json *object, const Json *owner)
{
    const Json *owners = json_find(object, ".metadata.ownerReferences");
    const Json *reference;

    json_each(reference, owners)
        if (names(reference, owner))
            return true;
    return false;
}

Draft *meta_owner_reference(Arena *a, const Kind *kind, const Json *owner)
{
    char api_version[KIND_API_VERSION_SIZE];

    return draft(a,
        str("apiVersion", str_copy(a, kind_api_version(kind, api_version))),
        str("kind", kind->name),
        str("name", meta_name(owner)),
        str("uid", meta_uid(owner)),
        flag("controller", true),
        flag("blockOwnerDeletion", true));
}

/* --- finalizers --- */

/* Where the finalizer stands in the list, or -1. */
static int64_t finalizer_index(const Json *object, const char *finalizer)
{
    const Json *finalizers = json_find(object, ".metadata.finalizers");
    const Json *element;
    int64_t i = 0;

    json_each(element, finalizers) {
        if (str_eq(json_text(element), finalizer))
            return i;
        i++;
    }
    return -1;
}

bool meta_has_finalizer(const Json *object, const char *finalizer)
{
    return finalizer_index(object, finalizer) >= 0;
}

static Draft *test_operation(Arena *a, const char *path, const Json *value)
{
    return draft(a, str("op", "test"), str("path", path), draft_json("value", value));
}

const Json *meta_other_owners(Arena *a, const Json *object, const char *owner_uid)
{
    const Json *owner, *owners = json_find(object, ".metadata.ownerReferences");
    Draft *others = draft_array(a);

    json_each(owner, owners)
        if (!str_eq(json_str(owner, ".uid"), owner_uid))
            draft_push_json(others, owner);
    return json_seal(a, others);
}

const Json *meta_remove_owner_patch(Arena *a, const Json *object, const char *owner_uid)
{
    const Json *owners = json_find(object, ".metadata.ownerReferences");
    const Json *others = meta_other_owners(a, object, owner_uid);
    Draft *operations = draft_array(a);

    if (json_count(others) == json_count(owners))
        return NULL;
    draft_push(operations, test_operation(a, "/metadata/uid", json_find(object, ".metadata.uid")));
    draft_push(operations, test_operation(a, "/metadata/ownerReferences", owners));
    draft_push(operations,
        draft(a,
            str("op", "replace"),
            str("path", "/metadata/ownerReferences"),
            draft_json("value", others)));
    return json_seal(a, operations);
}

/* The tests that hold a patch to the object and the list that were seen. A list that is not there
 * cannot be tested for its absence, so then the whole object must be as it was. */
static Draft *operations_on(Arena *a, const Json *object)
{
    const Json *finalizers = json_find(object, ".metadata.finalizers");
    const Json *uid = json_find(object, ".metadata.uid");
    const Json *version = json_find(object, ".metadata.resourceVersion");
    Draft *operations = draft_array(a);

    if (uid)
        draft_push(operations, test_operation(a, "/metadata/uid", uid));
    if (finalizers)
        draft_push(operations, test_operation(a, "/metadata/finalizers", finalizers));
    else if (version)
        draft_push(operations, test_operation(a, "/metadata/resourceVersion", version));
    return operations;
}

const Json *meta_add_finalizer_patch(Arena *a, const Json *object, const char *finalizer)
{
    bool has_list = json_find(object, ".metadata.finalizers") != NULL;
    Draft *operations;

    if (meta_has_finalizer(object, finalizer))
        return NULL;
    operations = operations_on(a, object);
    draft_push(operations,
        has_list ? draft(a,
                       str("op", "add"),
                       str("path", "/metadata/finalizers/-"),
                       str("value", finalizer))
                 : draft(a,
                       str("op", "add"),
                       str("path", "/metadata/finalizers"),
                       strs("value", finalizer)));
    return json_seal(a, operations);
}

const Json *meta_remove_finalizer_patch(Arena *a, const Json *object, const char *finalizer)
{
    int64_t index = finalizer_index(object, finalizer);
    Draft *operations;

    if (index < 0)
        return NULL;
    operations = operations_on(a, object);
    draft_push(operations,
        draft(a,
            str("op", "remove"),
            str("path", str_format(a, "/metadata/finalizers/%lld", (long long)index))));
    return json_seal(a, operations);
}

/* --- versions --- */

static const char *without_zeros(const char *number)
{
    return number + strspn(number, "0");
}

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

int meta_version_compare(const char *left, const char *right)
{
    bool left_empty = str_empty(left), right_empty = str_empty(right);

    if (left_empty || right_empty)
        return right_empty - left_empty;
    if (!is_number(left) || !is_number(right))
        return is_number(left) ? -1 : is_number(right) ? 1 : str_compare(left, right);

    left = without_zeros(left);
    right = without_zeros(right);
    if (strlen(left) != strlen(right))
        return strlen(left) < strlen(right) ? -1 : 1;
    return str_compare(left, right);
}
