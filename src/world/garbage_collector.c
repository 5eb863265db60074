/* generic-garbage-collector: deletes what has lost its owners.
 *
 * The errands are UIDs. A deletion in the foreground sends all dependents off at once, whatever
 * finalizers they have, and waits for those that block; orphaning strips the references first.
 * Before anything is deleted the server is asked for the object and for each of its owners, by name
 * and UID, in the object's own namespace: an owner in another namespace is no owner. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "world/claim.h"
#include "world/controller.h"
#include "world/object.h"

#define FOREGROUND "foregroundDeletion"
#define ORPHAN     "orphan"

enum { LOOK_AGAIN_MS = 1000 };

typedef struct GarbageCollector {
    Controller base;
    const Kind *const *kinds;
} GarbageCollector;

/* The owner references of an object, by what their owners are up to. */
typedef struct Owners {
    const char **gone;  /* UIDs of owners that are not there or wait for this object to go */
    size_t gone_count;  /* of all of these */
    size_t wait_count;  /* of those that wait */
    size_t solid_count; /* owners that are there and stay */
    bool unseen;        /* some owner is there but was never seen */
} Owners;

/* --- what is seen --- */

static const char *tag_of_uid(Arena *a, const char *uid)
{
    return str_format(a, "uid %s", uid);
}

static const char *tag_of_dependents(Arena *a, const char *uid)
{
    return str_format(a, "owned by %s", uid);
}

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    const Json *reference;

    (void)kind;
    view_tag(ret, tag_of_uid(a, meta_uid(object)));
    json_each(reference, json_find(object, ".metadata.ownerReferences"))
        view_tag(ret, tag_of_dependents(a, json_str(reference, ".uid")));
}

static bool goes_with(const Json *object, const char *finalizer)
{
    return meta_deleting(object) && meta_has_finalizer(object, finalizer);
}

static const Json *reference_to(const Json *object, const char *uid)
{
    const Json *reference;

    json_each(reference, json_find(object, ".metadata.ownerReferences"))
        if (str_eq(json_str(reference, ".uid"), uid))
            return reference;
    return NULL;
}

static bool blocks(const Json *reference)
{
    return json_bool(reference, ".blockOwnerDeletion", false);
}

/* An owner that waits for its dependents, as far as was seen. */
static bool waits(const Controller *c, Arena *a, const char *uid)
{
    ViewList seen = view_tagged(c->view, a, tag_of_uid(a, uid));

    return seen.count > 0 && goes_with(seen.items[0], FOREGROUND);
}

static ViewList dependents_of(const Controller *c, Arena *a, const char *uid)
{
    return view_tagged(c->view, a, tag_of_dependents(a, uid));
}

static void want_dependents(Controller *c, const Change *change, const char *uid)
{
    ViewList dependents = dependents_of(c, change->arena, uid);

    for (size_t i = 0; i < dependents.count; i++)
        controller_want(c, meta_uid(dependents.items[i]), change->now_ms);
}

/* --- noticing --- */

/* A reference whose owner was not seen, or has another name or place than it says. */
static bool is_doubtful(const Controller *c, const Change *change, const Json *reference)
{
    const char *uid = json_str(reference, ".uid");
    ViewList owners = view_tagged(c->view, change->arena, tag_of_uid(change->arena, uid));
    const Json *owner = owners.count ? owners.items[0] : NULL;

    return !owner || !str_eq(meta_name(owner), json_str(reference, ".name"))
        || !str_eq(owners.kinds[0]->name, json_str(reference, ".kind"))
        || (meta_namespace(owner) && !str_eq(meta_namespace(owner), change->key.namespace));
}

static void notice_references(Controller *c, const Change *change)
{
    const Json *reference;

    json_each(reference, json_find(change->after, ".metadata.ownerReferences")) {
        const char *uid = json_str(reference, ".uid");
        if (!reference_to(change->before, uid) && is_doubtful(c, change, reference))
            controller_want(c, meta_uid(change->after), change->now_ms);
    }
    json_each(reference, json_find(change->before, ".metadata.ownerReferences")) {
        const char *uid = json_str(reference, ".uid");
        if (blocks(reference) && !blocks(reference_to(change->after, uid))
            && waits(c, change->arena, uid))
            controller_want(c, uid, change->now_ms);
    }
}

static void notice_gone(Controller *c, const Change *change)
{
    const Json *reference;

    want_dependents(c, change, meta_uid(change->before));
    json_each(reference, json_find(change->before, ".metadata.ownerReferences"))
        if (waits(c, change->arena, json_str(reference, ".uid")))
            controller_want(c, json_str(reference, ".uid"), change->now_ms);
}

/* Dependents in other namespaces than an owner that has only now been seen. */
static void notice_new(Controller *c, const Change *change)
{
    ViewList dependents = dependents_of(c, change->arena, meta_uid(change->after));

    for (size_t i = 0; i < dependents.count; i++)
        if (change->key.namespace
            && !str_eq(meta_namespace(dependents.items[i]), change->key.namespace))
            controller_want(c, meta_uid(dependents.items[i]), change->now_ms);
}

static void notice(Controller *c, const Change *change)
{
    const char *uid = meta_uid(change->after);
    Change seen = *change;

    if (seen.before && !str_eq(meta_uid(seen.before), uid)) {
        notice_gone(c, &seen);
        seen.before = NULL;
    }
    if (!seen.after)
        return;
    if (!seen.before)
        notice_new(c, &seen);
    notice_references(c, &seen);
    if (goes_with(seen.after, ORPHAN) && !goes_with(seen.before, ORPHAN))
        controller_want(c, uid, seen.now_ms);
    if (!goes_with(seen.after, FOREGROUND) || goes_with(seen.before, FOREGROUND))
        return;
    want_dependents(c, &seen, uid);
    controller_want(c, uid, seen.now_ms);
}

/* --- owners that go --- */

static Err *remove_finalizer(Sync *s, const Kind *kind, const Json *live, const char *finalizer)
{
    return sync_update(s, kind, live, claim_without_finalizer(s->arena, live, finalizer), NULL);
}

static Err *orphan_dependents(Sync *s, const Kind *kind, const Json *live)
{
    const char *const uids[] = {meta_uid(live), NULL};
    ViewList dependents = dependents_of(s->controller, s->arena, uids[0]);

    for (size_t i = 0; i < dependents.count && !s->wrote; i++) {
        const Json *dependent = dependents.items[i];
        Err *err = sync_update(s,
            dependents.kinds[i],
            dependent,
            claim_without_owners(s->arena, dependent, uids),
            NULL);
        if (err && !status_is_not_found(err))
            return err;
    }
    return s->wrote ? OK : remove_finalizer(s, kind, live, ORPHAN);
}

static Err *wait_for_dependents(Sync *s, const Kind *kind, const Json *live)
{
    ViewList dependents = dependents_of(s->controller, s->arena, meta_uid(live));
    bool blocked = false;

    for (size_t i = 0; i < dependents.count; i++) {
        const Json *dependent = dependents.items[i];
        if (!blocks(reference_to(dependent, meta_uid(live))))
            continue;
        blocked = true;
        if (!goes_with(dependent, FOREGROUND))
            controller_want(s->controller, meta_uid(dependent), s->now_ms);
    }
    return blocked ? OK : remove_finalizer(s, kind, live, FOREGROUND);
}

/* --- dependents --- */

static const Kind *kind_of(const Controller *c, const Json *reference)
{
    char api_version[KIND_API_VERSION_SIZE];

    for (const Kind *const *kind = ((const GarbageCollector *)(const void *)c)->kinds; *kind;
        kind++)
        if (str_eq((*kind)->name, json_str(reference, ".kind"))
            && str_eq(kind_api_version(*kind, api_version), json_str(reference, ".apiVersion")))
            return *kind;
    return NULL;
}

static Err *weigh_reference(Sync *s, const Json *live, const Json *reference, Owners *ret)
{
    const Kind *kind = kind_of(s->controller, reference);
    const char *uid = json_str(reference, ".uid");
    const Json *owner;

    if (!kind)
        return err_retry(s->arena, "no kind %s is known", json_str(reference, ".kind"));
    if (kind->namespaced && !meta_namespace(live)) {
        ret->solid_count++;
        return OK;
    }
    Key key = {
        .namespace = kind->namespaced ? meta_namespace(live) : NULL,
        .name = json_str(reference, ".name"),
    };
    TRY(sync_get(s, kind, key, &owner));
    bool exists = str_eq(meta_uid(owner), uid);
    if (exists && !goes_with(owner, FOREGROUND)) {
        ret->solid_count++;
        ret->unseen |= view_count_tagged(s->controller->view, tag_of_uid(s->arena, uid)) == 0;
        return OK;
    }
    ret->wait_count += exists;
    ret->gone[ret->gone_count++] = uid;
    return OK;
}

static Err *weigh_references(Sync *s, const Json *live, Owners *ret)
{
    const Json *references = json_find(live, ".metadata.ownerReferences"), *reference;

    *ret = (Owners){.gone = arena_array(s->arena, const char *, json_count(references) + 1)};
    json_each(reference, references)
        TRY(weigh_reference(s, live, reference, ret));
    return OK;
}

static Err *delete_at(
    Sync *s, const Kind *kind, const Json *live, Propagation propagation, const char *version)
{
    return sync_write(s,
        (Request){
            .verb = VERB_DELETE,
            .kind = kind,
            .key = meta_key(live),
            .uid = meta_uid(live),
            .resource_version = version,
            .propagation = propagation,
        },
        NULL);
}

/* A change that left the owners alone does not save an object. */
static Err *delete_live(Sync *s, const Kind *kind, const Json *live, Propagation propagation)
{
    Err *err = delete_at(s, kind, live, propagation, meta_resource_version(live));
    const Json *now;

    if (!status_is_conflict(err))
        return status_is_not_found(err) ? OK : err;
    TRY(sync_get(s, kind, meta_key(live), &now));
    if (!now)
        return OK;
    if (!str_eq(meta_uid(now), meta_uid(live))
        || !json_equal(json_find(now, ".metadata.ownerReferences"),
            json_find(live, ".metadata.ownerReferences")))
        return err;
    return delete_at(s, kind, live, propagation, NULL);
}

static const Json *unblocked(Arena *a, const Json *object)
{
    Draft *list = draft_array(a);
    const Json *reference, *no = json_seal(a, draft(a, flag("blockOwnerDeletion", false)));

    json_each(reference, json_find(object, ".metadata.ownerReferences"))
        draft_push_json(list, blocks(reference) ? json_merge(a, reference, no) : reference);
    return object_with_inner(
        a, object, (MemberPath){"metadata", "ownerReferences"}, json_seal(a, list));
}

/* An owner waits for the object, which has dependents itself. In a circle somebody must stop
 * blocking first. */
static Err *delete_in_foreground(Sync *s, const Kind *kind, const Json *live)
{
    ViewList dependents = dependents_of(s->controller, s->arena, meta_uid(live));

    for (size_t i = 0; i < dependents.count; i++)
        if (goes_with(dependents.items[i], FOREGROUND)) {
            TRY(sync_update(s, kind, live, unblocked(s->arena, live), NULL));
            break;
        }
    return s->wrote ? OK : delete_live(s, kind, live, PROPAGATION_FOREGROUND);
}

static Err *collect(Sync *s, const Kind *kind, const Json *live)
{
    size_t dependents =
        view_count_tagged(s->controller->view, tag_of_dependents(s->arena, meta_uid(live)));
    Owners owners;

    if (json_count(json_find(live, ".metadata.ownerReferences")) == 0)
        return OK;
    TRY(weigh_references(s, live, &owners));
    if (owners.unseen)
        s->again_ms = s->now_ms + LOOK_AGAIN_MS;
    if (owners.solid_count > 0)
        return sync_update(s, kind, live, claim_without_owners(s->arena, live, owners.gone), NULL);
    if (owners.wait_count > 0 && dependents > 0)
        return delete_in_foreground(s, kind, live);
    return delete_live(s,
        kind,
        live,
        meta_has_finalizer(live, ORPHAN)           ? PROPAGATION_ORPHAN
            : meta_has_finalizer(live, FOREGROUND) ? PROPAGATION_FOREGROUND
                                                   : PROPAGATION_BACKGROUND);
}

static Err *sync(Sync *s)
{
    ViewList seen = view_tagged(s->controller->view, s->arena, tag_of_uid(s->arena, s->errand));
    const Json *object = seen.count ? seen.items[0] : NULL, *live;
    bool orphans = goes_with(object, ORPHAN), lasts = goes_with(object, FOREGROUND);

    if (!object || (meta_deleting(object) && !orphans && !lasts))
        return OK;
    TRY(sync_get(s, seen.kinds[0], meta_key(object), &live));
    if (!str_eq(meta_uid(live), s->errand))
        return OK;
    if (orphans)
        return orphan_dependents(s, seen.kinds[0], live);
    if (lasts)
        return wait_for_dependents(s, seen.kinds[0], live);
    return collect(s, seen.kinds[0], live);
}

Actor *garbage_collector_open(const ControllerOptions *options, const Kind *const *kinds)
{
    ControllerTraits traits = {
        .name = "generic-garbage-collector",
        .kinds = kinds,
        .tag = tag,
        .metadata_only = true,
        .size = sizeof(GarbageCollector),
        .notice = notice,
        .sync = sync,
    };
    Controller *c = controller_open(&traits, options);

    ((GarbageCollector *)(void *)c)->kinds = kinds;
    return &c->actor;
}
