/* Objects: composing and comparing them. Members keep their order, so what is stored reads like
 * what was sent; comparing does not care for it. */
#include "world/object.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"

#include <inttypes.h>
#include <string.h>

Stamp object_stamp(const Json *object)
{
    const Json *grace = json_find(object, ".metadata.deletionGracePeriodSeconds");
    int64_t version = 0;

    str_to_int(meta_resource_version(object), &version);
    return (Stamp){
        .api_version = json_str(object, ".apiVersion"),
        .kind = json_str(object, ".kind"),
        .key = meta_key(object),
        .uid = meta_uid(object),
        .version = (uint64_t)version,
        .generation = meta_generation(object),
        .created = json_str(object, ".metadata.creationTimestamp"),
        .deleted = meta_deletion_timestamp(object),
        .has_grace = json_type(grace) == JSON_NUMBER,
        .grace_seconds = json_int(grace, "", 0),
    };
}

static const Json *unless_empty(const Json *value)
{
    return json_count(value) > 0 ? value : NULL;
}

static const char *unless_blank(const char *text)
{
    return str_empty(text) ? NULL : text;
}

static Draft *stamped_metadata(Arena *a, const Json *meta, const Stamp *stamp)
{
    const char *version = stamp->version ? str_format(a, "%" PRIu64, stamp->version) : NULL;

    return draft(a,
        str("name", stamp->key.name),
        str("generateName", unless_blank(json_str(meta, ".generateName"))),
        str("namespace", unless_blank(stamp->key.namespace)),
        str("uid", stamp->uid),
        str("resourceVersion", version),
        draft_num_if(stamp->generation > 0, "generation", stamp->generation),
        str("creationTimestamp", stamp->created),
        str("deletionTimestamp", stamp->deleted),
        draft_num_if(stamp->has_grace, "deletionGracePeriodSeconds", stamp->grace_seconds),
        draft_json("labels", unless_empty(json_find(meta, ".labels"))),
        draft_json("annotations", unless_empty(json_find(meta, ".annotations"))),
        draft_json("ownerReferences", unless_empty(json_find(meta, ".ownerReferences"))),
        draft_json("finalizers", unless_empty(json_find(meta, ".finalizers"))),
        draft_json("managedFields", unless_empty(json_find(meta, ".managedFields"))));
}

static bool is_one_of(const char *text, const char *const *texts)
{
    for (; *texts; texts++)
        if (strcmp(*texts, text) == 0)
            return true;
    return false;
}

static const char *const headers[] = {"apiVersion", "kind", "metadata", NULL};
static const char *const headers_and_status[] = {"apiVersion", "kind", "metadata", "status", NULL};

const Json *object_stamped(Arena *a, const Json *object, const Stamp *stamp)
{
    Draft *whole = draft(a,
        str("kind", stamp->kind),
        str("apiVersion", stamp->api_version),
        sub("metadata", stamped_metadata(a, json_member(object, "metadata"), stamp)));
    const Json *member;

    json_each(member, object)
        if (!is_one_of(json_key(member), headers))
            draft_set(whole, draft_json(json_key(member), member));
    return json_seal(a, whole);
}

static Draft *draft_with(Arena *a, const Json *object, const char *name, DraftField field)
{
    Draft *whole = draft_object(a);
    bool placed = false;
    const Json *member;

    json_each(member, object) {
        if (strcmp(json_key(member), name) != 0) {
            draft_set(whole, draft_json(json_key(member), member));
        } else if (!placed) {
            draft_set(whole, field);
            placed = true;
        }
    }
    if (!placed)
        draft_set(whole, field);
    return whole;
}

const Json *object_with(Arena *a, const Json *object, const char *member, const Json *value)
{
    return json_seal(a, draft_with(a, object, member, draft_json(member, value)));
}

const Json *object_with_inner(Arena *a, const Json *object, MemberPath path, const Json *value)
{
    Draft *inner =
        draft_with(a, json_member(object, path.outer), path.inner, draft_json(path.inner, value));

    return json_seal(a, draft_with(a, object, path.outer, sub(path.outer, inner)));
}

const Json *object_text(Arena *a, const char *text)
{
    return json_find(json_seal(a, draft(a, str("text", text))), ".text");
}

const Json *object_number(Arena *a, int64_t number)
{
    return json_find(json_seal(a, draft(a, num("number", number))), ".number");
}

/* --- comparing --- */

/* Every member of `left` that is not left out stands in `right` alike, and they are equally many.
 */
static bool members_equal(const Json *left, const Json *right, const char *const *without)
{
    size_t extra = json_count(right);
    const Json *member;

    json_each(member, right)
        extra -= is_one_of(json_key(member), without);
    json_each(member, left) {
        if (is_one_of(json_key(member), without))
            continue;
        if (!json_equal(member, json_member(right, json_key(member))))
            return false;
        extra--;
    }
    return extra == 0;
}

static bool managers_equal(const Json *left, const Json *right)
{
    static const char *const times[] = {"time", NULL};
    const Json *other = json_first(right), *entry;

    if (json_count(left) != json_count(right))
        return false;
    json_each(entry, left) {
        if (!members_equal(entry, other, times))
            return false;
        other = json_next(right, other);
    }
    return true;
}

bool object_same(const Json *left, const Json *right)
{
    static const char *const metadata[] = {"metadata", NULL};
    static const char *const apart[] = {"managedFields", "resourceVersion", NULL};
    const Json *left_meta = json_member(left, "metadata");
    const Json *right_meta = json_member(right, "metadata");

    return members_equal(left, right, metadata) && members_equal(left_meta, right_meta, apart)
        && managers_equal(
            json_member(left_meta, "managedFields"), json_member(right_meta, "managedFields"));
}

bool object_wants_differ(const Json *left, const Json *right, bool without_status)
{
    return !members_equal(left, right, without_status ? headers_and_status : headers);
}
