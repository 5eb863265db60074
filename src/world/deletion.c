/* Deletion, step by step as the real registry does it. The surprising part: a pod without grace is
 * first written with a deletionTimestamp and then deleted, so watches see both. */
#include "world/deletion.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/definition.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/storage.h"

enum { NS_PER_S = 1000000000 };

typedef enum Manner {
    AT_ONCE,  /* as far as finalizers let it */
    GRACEFUL, /* the stamp says when */
    PENDING,  /* it goes already, and the request does not hurry it */
} Manner;

/* An object on its way out. */
typedef struct Leaving {
    const Json *before;
    Stamp stamp; /* as it will be */
    const Json *finalizers;
    bool has_finalizers;
    bool is_settled; /* the finalizers change by this deletion */
} Leaving;

static const char *seconds_later(Arena *a, int64_t wall_ns, int64_t seconds)
{
    char *text = arena_array(a, char, TIMESTAMP_SIZE);

    return timestamp_format(wall_ns + seconds * NS_PER_S, text);
}

/* How long a pod that is not going yet may take. */
static int64_t grace_of_pod(const Call *c, const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");
    int64_t grace = c->request->has_grace ? c->request->grace_seconds
                                          : json_int(pod, ".spec.terminationGracePeriodSeconds", 0);

    if (str_empty(json_str(pod, ".spec.nodeName")) || str_eq(phase, "Failed")
        || str_eq(phase, "Succeeded"))
        return 0;
    return grace < 0 ? 1 : grace;
}

/* A pod that is going already can only be told to hurry. */
static Manner hurry(Call *c, Stamp *stamp)
{
    int64_t grace = c->request->grace_seconds < 0 ? 1 : c->request->grace_seconds;
    int64_t deadline_ns = 0;

    if (!stamp->has_grace || stamp->grace_seconds == 0)
        return AT_ONCE;
    if (!c->request->has_grace || grace >= stamp->grace_seconds)
        return PENDING;
    timestamp_parse(stamp->deleted, &deadline_ns);
    stamp->deleted = seconds_later(c->arena, deadline_ns, grace - stamp->grace_seconds);
    stamp->grace_seconds = grace;
    return GRACEFUL;
}

static Manner manner_of(Call *c, Leaving *leaving)
{
    Stamp *stamp = &leaving->stamp;

    if (!c->resource->traits.has_grace)
        return AT_ONCE;
    if (stamp->deleted)
        return hurry(c, stamp);
    stamp->has_grace = true;
    stamp->grace_seconds = grace_of_pod(c, leaving->before);
    stamp->deleted = seconds_later(c->arena, c->now_ns, stamp->grace_seconds);
    stamp->generation += stamp->generation > 0;
    return GRACEFUL;
}

/* --- propagation, which is a matter of two finalizers --- */

static const char orphan[] = "orphan";
static const char foreground[] = "foregroundDeletion";

/* The finalizer that the dependents need, or NULL. What the request says overrides what the object
 * has, which overrides what is usual for the kind. */
static const char *propagation_finalizer(const Call *c, const Json *object)
{
    switch (c->request->propagation) {
    case PROPAGATION_ORPHAN:
        return orphan;
    case PROPAGATION_FOREGROUND:
        return foreground;
    case PROPAGATION_BACKGROUND:
        return NULL;
    case PROPAGATION_DEFAULT:
        break;
    }
    if (meta_has_finalizer(object, orphan))
        return orphan;
    if (meta_has_finalizer(object, foreground))
        return foreground;
    return c->resource->traits.orphans ? orphan : NULL;
}

/* The finalizers that the object leaves with. */
static void settle_finalizers(Call *c, Leaving *leaving)
{
    const Json *finalizers = json_find(leaving->before, ".metadata.finalizers"), *each;
    const char *wanted =
        c->resource->traits.has_no_dependents ? NULL : propagation_finalizer(c, leaving->before);
    bool has_orphan = meta_has_finalizer(leaving->before, orphan);
    bool has_foreground = meta_has_finalizer(leaving->before, foreground);
    Draft *list = draft_array(c->arena);

    leaving->finalizers = finalizers;
    leaving->has_finalizers = json_count(finalizers) > 0;
    if (has_orphan == (wanted == orphan) && has_foreground == (wanted == foreground))
        return;
    json_each(each, finalizers)
        if (!str_eq(json_text(each), orphan) && !str_eq(json_text(each), foreground))
            draft_push_json(list, each);
    if (wanted)
        draft_push_str(list, wanted);
    leaving->is_settled = true;
    leaving->finalizers = json_seal(c->arena, list);
    leaving->has_finalizers = draft_count(list) > 0;
}

/* --- the steps --- */

/* What cannot go yet is marked: it is to go now, but for its finalizers. */
static void mark(Call *c, Stamp *stamp)
{
    int64_t when_ns = 0;
    bool later = stamp->deleted && timestamp_parse(stamp->deleted, &when_ns) && when_ns > c->now_ns;

    if (!stamp->deleted)
        stamp->generation += stamp->generation > 0;
    if (!stamp->deleted || later)
        stamp->deleted = c->now;
    stamp->has_grace = true;
    stamp->grace_seconds = 0;
}

static Err *write_leaving(Call *c, const Leaving *leaving, const Json **ret)
{
    const Json *after = object_with_inner(
        c->arena, leaving->before, (MemberPath){"metadata", "finalizers"}, leaving->finalizers);
    const Json *stamped = object_stamped(c->arena, after, &leaving->stamp);

    *ret = stamped;
    if (c->request->dry_run)
        return OK;
    if (object_same(leaving->before, stamped)) {
        *ret = leaving->before;
        return OK;
    }
    return storage_write(c, leaving->before, after, leaving->stamp, ret);
}

static Err *answer_gone(Call *c, const Json *object)
{
    const Kind *kind = c->resource->traits.kind;
    Draft *details = refusal_details(c->arena, kind->group, kind->plural, meta_name(object));

    c->status = 200;
    c->body = object;
    if (c->resource->traits.deletion_shows)
        return OK;
    draft_set(details, str("uid", meta_uid(object)));
    c->body = json_seal(c->arena,
        draft(c->arena,
            str("kind", "Status"),
            str("apiVersion", "v1"),
            sub("metadata", draft_object(c->arena)),
            str("status", "Success"),
            sub("details", details)));
    return OK;
}

static Err *answer_going(Call *c, const Json *object)
{
    c->status = 200;
    c->body = object;
    return OK;
}

/* What the real server shows when it would have taken the last finalizer off, had it been in
 * earnest: an object of nothing but its kind. */
static Err *answer_hollow(Call *c)
{
    return answer_going(c,
        json_seal(c->arena,
            draft(c->arena,
                str("kind", c->resource->traits.kind->name),
                str("apiVersion", c->resource->api_version),
                sub("metadata", draft_object(c->arena)))));
}

Err *deletion_begin(Call *c, const Json *before)
{
    Leaving leaving = {.before = before, .stamp = object_stamp(before)};
    Manner manner = manner_of(c, &leaving);
    const Json *object = before;

    if (manner == PENDING)
        return answer_going(c, before);
    settle_finalizers(c, &leaving);
    if (manner == AT_ONCE && leaving.has_finalizers)
        mark(c, &leaving.stamp);
    if (manner == GRACEFUL || leaving.has_finalizers)
        TRY(write_leaving(c, &leaving, &object));
    if (leaving.has_finalizers || (manner == GRACEFUL && leaving.stamp.grace_seconds > 0))
        return answer_going(c, object);
    if (manner == AT_ONCE && leaving.is_settled && c->request->dry_run)
        return answer_hollow(c);
    /* The real server has lost the version it was asked for by the time it would need it. */
    if (manner == AT_ONCE && leaving.is_settled && c->request->resource_version)
        return refuse_precondition(c, "ResourceVersion", "", meta_resource_version(before));
    if (c->request->dry_run)
        return answer_gone(c, object);
    object = storage_delete(c, object);
    TRY(definition_deleted(c, object));
    return answer_gone(c, object);
}

/* --- the verb --- */

Err *deletion_check(Call *c, const Json *object)
{
    const char *kind = c->resource->traits.kind->name;
    const char *uid = c->request->uid, *version = c->request->resource_version;

    if (uid && !str_eq(uid, meta_uid(object)))
        return refuse_conflict(c,
            kind,
            "the UID in the precondition (%s) does not match the UID in record (%s). The object "
            "might have been deleted and then recreated",
            uid,
            meta_uid(object));
    if (version && !str_eq(version, meta_resource_version(object)))
        return refuse_conflict(c,
            kind,
            "the ResourceVersion in the precondition (%s) does not match the ResourceVersion in "
            "record (%s). The object might have been modified",
            version,
            meta_resource_version(object));
    return OK;
}

/* A namespace is emptied before it goes, by whoever plays its controller. */
static Err *terminate_namespace(Call *c, const Json *namespace)
{
    Stamp stamp = object_stamp(namespace);
    const Json *after = json_merge(c->arena,
        namespace,
        json_seal(c->arena, draft(c->arena, obj("status", str("phase", "Terminating")))));

    if (stamp.deleted)
        return answer_going(c, namespace);
    stamp.deleted = c->now;
    if (c->request->dry_run)
        return answer_going(c, object_stamped(c->arena, after, &stamp));
    TRY(storage_write(c, namespace, after, stamp, &after));
    return answer_going(c, after);
}

static bool is_immortal(const char *namespace)
{
    return str_eq(namespace, "default") || str_eq(namespace, "kube-system")
        || str_eq(namespace, "kube-public");
}

Err *call_delete(Call *c)
{
    const Json *before = call_find(c);
    const Kind *kind = c->resource->traits.kind;

    if (c->request->subresource)
        return refuse_method(c);
    if (kind == kind_namespace && is_immortal(c->request->key.name))
        return refuse_forbidden(c, c->request->key.name, "this namespace may not be deleted", NULL);
    if (!before)
        return refuse_not_found(c);
    TRY(deletion_check(c, before));
    if (kind == kind_namespace && json_count(json_find(before, ".spec.finalizers")) > 0)
        return terminate_namespace(c, before);
    if (kind == kind_crd)
        return definition_delete(c, before);
    return deletion_begin(c, before);
}
