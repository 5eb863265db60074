/* Claims, as ControllerRefManager makes them: by merge patches of the whole list of owners, locked
 * to the version seen, where the real one sends strategic ones; the result is the same. */
#include "world/claim.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "world/object.h"

/* --- tags --- */

static const char *tag_of_owner(Arena *a, const Kind *kind, const char *uid)
{
    return str_format(a, "%s of %s", kind->plural, uid);
}

static const char *tag_of_strays(Arena *a, const Kind *kind, const char *namespace)
{
    return str_format(a, "stray %s in %s", kind->plural, namespace);
}

void claim_tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    const char *uid = json_str(meta_controller(object), ".uid");
    const char *namespace = meta_namespace(object);

    if (uid)
        view_tag(ret, tag_of_owner(a, kind, uid));
    else if (namespace)
        view_tag(ret, tag_of_strays(a, kind, namespace));
}

ViewList claim_candidates(const View *v, Arena *a, const Kind *kind, const Json *owner)
{
    ViewList own = view_tagged(v, a, tag_of_owner(a, kind, meta_uid(owner)));
    ViewList strays = view_tagged(v, a, tag_of_strays(a, kind, meta_namespace(owner)));
    ViewList all = {.items = arena_array(a, const Json *, own.count + strays.count)};

    for (size_t i = 0; i < own.count; i++)
        all.items[all.count++] = own.items[i];
    for (size_t i = 0; i < strays.count; i++)
        all.items[all.count++] = strays.items[i];
    return all;
}

static void want_controller(
    Controller *c, const Change *change, const Json *object, const Kind *kind, int64_t due_ms)
{
    const Json *reference = meta_controller(object);
    Key key = {.namespace = change->key.namespace, .name = json_str(reference, ".name")};
    char identity[VIEW_IDENTITY_SIZE];
    ViewGlance glance;

    if (!reference || !str_eq(json_str(reference, ".kind"), kind->name))
        return;
    if (view_glance(c->view, view_identity(kind, key, identity), &glance)
        && str_eq(glance.uid, json_str(reference, ".uid")))
        controller_want_key(c, key, due_ms);
}

bool claim_notice(Controller *c, const Change *change, const Kind *owner, int64_t due_ms)
{
    const char *uid = json_str(meta_controller(change->after), ".uid");

    want_controller(c, change, change->after, owner, due_ms);
    if (!str_eq(json_str(meta_controller(change->before), ".uid"), uid))
        want_controller(c, change, change->before, owner, due_ms);
    return change->after && !uid;
}

/* --- objects put together anew --- */

static bool is_one_of(const char *text, const char *const *texts)
{
    for (; *texts; texts++)
        if (str_eq(text, *texts))
            return true;
    return false;
}

static const Json *with_list(Arena *a, const Json *object, const char *member, const Draft *list)
{
    return object_with_inner(a,
        object,
        (MemberPath){"metadata", member},
        draft_count(list) > 0 ? json_seal(a, list) : NULL);
}

const Json *claim_without_owners(Arena *a, const Json *object, const char *const *uids)
{
    const Json *reference;
    Draft *kept = draft_array(a);

    json_each(reference, json_find(object, ".metadata.ownerReferences"))
        if (!is_one_of(json_str(reference, ".uid"), uids))
            draft_push_json(kept, reference);
    return with_list(a, object, "ownerReferences", kept);
}

static const Json *with_owner(Arena *a, const Json *object, const Kind *kind, const Json *owner)
{
    const Json *reference;
    Draft *all = draft_array(a);

    json_each(reference, json_find(object, ".metadata.ownerReferences"))
        if (!str_eq(json_str(reference, ".uid"), meta_uid(owner)))
            draft_push_json(all, reference);
    draft_push(all, meta_owner_reference(a, kind, owner));
    return with_list(a, object, "ownerReferences", all);
}

const Json *claim_without_finalizer(Arena *a, const Json *object, const char *finalizer)
{
    const Json *each;
    Draft *kept = draft_array(a);

    json_each(each, json_find(object, ".metadata.finalizers"))
        if (!str_eq(json_text(each), finalizer))
            draft_push_json(kept, each);
    return with_list(a, object, "finalizers", kept);
}

const Json *claim_with_finalizer(Arena *a, const Json *object, const char *finalizer)
{
    const Json *each;
    Draft *all = draft_array(a);

    if (meta_has_finalizer(object, finalizer))
        return object;
    json_each(each, json_find(object, ".metadata.finalizers"))
        draft_push_json(all, each);
    draft_push_str(all, finalizer);
    return with_list(a, object, "finalizers", all);
}

/* --- claiming --- */

static Err *check_owner_lives(Sync *s, const Claim *claim)
{
    Key key = meta_key(claim->owner);
    const Json *live;

    TRY(sync_get(s, claim->owner_kind, key, &live));
    if (!str_eq(meta_uid(live), meta_uid(claim->owner)) || meta_deleting(live))
        return err_retry(s->arena,
            "%s %s is gone or going and adopts nothing",
            claim->owner_kind->name,
            key_text(s->arena, key));
    return OK;
}

static Err *adopt(Sync *s, const Claim *claim, const Json *object)
{
    const Json *wanted = with_owner(s->arena, object, claim->owner_kind, claim->owner);

    TRY(check_owner_lives(s, claim));
    if (claim->finalizer)
        wanted = claim_with_finalizer(s->arena, wanted, claim->finalizer);
    Err *err = sync_update(s, claim->kind, object, wanted, NULL);
    return status_is_not_found(err) ? OK : err;
}

static Err *release(Sync *s, const Claim *claim, const Json *object)
{
    const char *const uids[] = {meta_uid(claim->owner), NULL};
    const Json *wanted = claim_without_owners(s->arena, object, uids);

    if (claim->finalizer)
        wanted = claim_without_finalizer(s->arena, wanted, claim->finalizer);
    Err *err = sync_update(s, claim->kind, object, wanted, NULL);
    return status_is_not_found(err) ? OK : err;
}

Err *claim_object(Sync *s, const Claim *claim, const Json *object, bool matches, bool *ret_mine)
{
    bool owned = meta_controlled_by(object, claim->owner);

    *ret_mine = owned && matches;
    if (*ret_mine || meta_deleting(claim->owner) || (!owned && meta_controller(object)))
        return OK;
    if (owned)
        return release(s, claim, object);
    return matches && !meta_deleting(object) ? adopt(s, claim, object) : OK;
}
