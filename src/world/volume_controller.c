/* persistent-volume-binder: binds claims to volumes, with a provisioner of its own.
 *
 * A binding is four writes, always in this order: the volume names the claim, the volume is Bound,
 * the claim names the volume, the claim is Bound. Each sync does the first that is missing. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/quantity.h"
#include "kube/status.h"
#include "world/controller.h"
#include "world/mounts.h"
#include "world/object.h"

#include <string.h>

#define BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define BOUND_BY       "pv.kubernetes.io/bound-by-controller"
#define PROVISIONED_BY "pv.kubernetes.io/provisioned-by"
#define PROVISIONER    "volumes.world.local"
#define VOLUME_ERRAND  "volume "

enum { RESYNC_MS = 15000 };

typedef struct VolumeController {
    Controller base;
    const VolumeClass *classes;
    int64_t provision_max_ms;
} VolumeController;

static const Kind *const kinds[] = {kind_pvc, kind_pv, kind_pod, NULL};

/* --- what is seen --- */

static const char *tag_of_free(Arena *a, const char *class)
{
    return str_format(a, "free volumes of %s", class ? class : "");
}

static const char *tag_of_reserved(Arena *a, const char *namespace, const char *name)
{
    return str_format(a, "volumes for %s/%s", namespace, name);
}

static const char *tag_of_waiting(Arena *a, const char *class)
{
    return str_format(a, "claims that wait for %s", class ? class : "");
}

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    const Json *reference = json_find(object, ".spec.claimRef");

    if (kind_eq(kind, kind_pod))
        mounts_tag(a, object, ret);
    if (kind_eq(kind, kind_pvc) && !meta_annotation(object, BIND_COMPLETED))
        view_tag(ret, tag_of_waiting(a, json_str(object, ".spec.storageClassName")));
    if (!kind_eq(kind, kind_pv))
        return;
    view_tag(ret,
        reference
            ? tag_of_reserved(a, json_str(reference, ".namespace"), json_str(reference, ".name"))
            : tag_of_free(a, json_str(object, ".spec.storageClassName")));
}

static int64_t lateness(Controller *c)
{
    int64_t max = ((VolumeController *)(void *)c)->provision_max_ms;

    return max > 0 ? (int64_t)rng_below(c->options.rng, (uint64_t)max + 1) : 0;
}

static void want_volume(Controller *c, Arena *a, const char *name, int64_t due_ms)
{
    if (!str_empty(name))
        controller_want(c, str_format(a, VOLUME_ERRAND "%s", name), due_ms);
}

static void notice_claim(Controller *c, const Change *change)
{
    const Json *claim = change->after ? change->after : change->before;
    ViewList volumes = view_tagged(c->view,
        change->arena,
        tag_of_reserved(change->arena, change->key.namespace, change->key.name));

    if (change->after)
        controller_want_key(c, change->key, change->now_ms + (change->before ? 0 : lateness(c)));
    want_volume(c, change->arena, json_str(claim, ".spec.volumeName"), change->now_ms);
    for (size_t i = 0; i < volumes.count; i++)
        want_volume(c, change->arena, meta_name(volumes.items[i]), change->now_ms);
}

/* A claim that waits is not woken by a volume that would do: it looks again every so often. */
static void notice_free_volume(Controller *c, const Change *change)
{
    ViewList claims = view_tagged(c->view,
        change->arena,
        tag_of_waiting(change->arena, json_str(change->after, ".spec.storageClassName")));

    for (size_t i = 0; i < claims.count; i++)
        controller_want_key(c,
            meta_key(claims.items[i]),
            change->now_ms + (int64_t)rng_below(c->options.rng, RESYNC_MS));
}

static void notice_volume(Controller *c, const Change *change)
{
    const Json *volume = change->after ? change->after : change->before;
    const Json *reference = json_find(volume, ".spec.claimRef");

    want_volume(c, change->arena, change->key.name, change->now_ms);
    if (reference)
        controller_want_key(c,
            (Key){json_str(reference, ".namespace"), json_str(reference, ".name")},
            change->now_ms);
    else if (change->after)
        notice_free_volume(c, change);
}

static void notice_pod(Controller *c, const Change *change)
{
    const Json *volumes = json_find(change->after, ".spec.volumes"), *volume;

    if (change->before)
        return;
    json_each(volume, volumes) {
        const char *claim = json_str(volume, ".persistentVolumeClaim.claimName");
        if (claim)
            controller_want_key(
                c, (Key){change->key.namespace, claim}, change->now_ms + lateness(c));
    }
}

static void notice(Controller *c, const Change *change)
{
    if (kind_eq(change->kind, kind_pvc))
        notice_claim(c, change);
    else if (kind_eq(change->kind, kind_pv))
        notice_volume(c, change);
    else
        notice_pod(c, change);
}

/* --- which volume --- */

static bool is_named_by(const Json *volume, const Json *claim)
{
    const Json *reference = json_find(volume, ".spec.claimRef");
    const char *uid = json_str(reference, ".uid");

    return str_eq(json_str(reference, ".name"), meta_name(claim))
        && str_eq(json_str(reference, ".namespace"), meta_namespace(claim))
        && (str_empty(uid) || str_eq(uid, meta_uid(claim)));
}

static Quantity quantity(Arena *a, const char *text)
{
    Quantity q = {.nanos = 0};

    return text && !quantity_parse(a, text, &q) ? q : (Quantity){.nanos = 0};
}

static Quantity size_of(Arena *a, const Json *volume)
{
    return quantity(a, json_str(volume, ".spec.capacity.storage"));
}

static bool has_modes(const Json *volume, const Json *claim)
{
    const Json *wanted = json_find(claim, ".spec.accessModes"), *mode;
    const Json *modes = json_find(volume, ".spec.accessModes"), *each;

    json_each(mode, wanted) {
        bool found = false;
        json_each(each, modes)
            found = found || json_equal(each, mode);
        if (!found)
            return false;
    }
    return true;
}

static const char *mode_of(const Json *object)
{
    const char *mode = json_str(object, ".spec.volumeMode");

    return mode ? mode : "Filesystem";
}

static bool satisfies(Arena *a, const Json *volume, const Json *claim)
{
    const char *class = json_str(volume, ".spec.storageClassName");
    const char *wanted_class = json_str(claim, ".spec.storageClassName");
    Quantity wanted = quantity(a, json_str(claim, ".spec.resources.requests.storage"));

    return !meta_deleting(volume) && quantity_compare(size_of(a, volume), wanted) >= 0
        && str_eq(class ? class : "", wanted_class ? wanted_class : "")
        && str_eq(mode_of(volume), mode_of(claim)) && has_modes(volume, claim);
}

/* One that is reserved for the claim; else, unless the class waits, the smallest that will do. */
static const Json *find_volume(const Sync *s, const Json *claim, bool waits)
{
    Arena *a = s->arena;
    const View *view = s->controller->view;
    ViewList list =
        view_tagged(view, a, tag_of_reserved(a, meta_namespace(claim), meta_name(claim)));
    const Json *best = NULL;

    for (size_t i = 0; i < list.count; i++)
        if (is_named_by(list.items[i], claim) && satisfies(a, list.items[i], claim))
            return list.items[i];
    if (waits)
        return NULL;
    list = view_tagged(view, a, tag_of_free(a, json_str(claim, ".spec.storageClassName")));
    for (size_t i = 0; i < list.count; i++)
        if (satisfies(a, list.items[i], claim)
            && (!best || quantity_compare(size_of(a, list.items[i]), size_of(a, best)) < 0))
            best = list.items[i];
    return best;
}

/* --- writes --- */

static Err *set_claim_phase(Sync *s, const Json *claim, const char *phase, const Json *volume)
{
    Draft *status = draft(s->arena,
        str("phase", phase),
        draft_json("accessModes", json_find(volume, ".spec.accessModes")),
        draft_json("capacity", json_find(volume, ".spec.capacity")));

    if (str_eq(json_str(claim, ".status.phase"), phase))
        return OK;
    return sync_update(s,
        kind_pvc,
        claim,
        object_with(s->arena, claim, "status", json_seal(s->arena, status)),
        "status");
}

static Err *set_volume_phase(Sync *s, const Json *volume, const char *phase)
{
    if (str_eq(json_str(volume, ".status.phase"), phase))
        return OK;
    return sync_update(s,
        kind_pv,
        volume,
        object_with_inner(
            s->arena, volume, (MemberPath){"status", "phase"}, object_text(s->arena, phase)),
        "status");
}

static Draft *reference_to(Arena *a, const Json *claim)
{
    return draft(a,
        str("apiVersion", "v1"),
        str("kind", "PersistentVolumeClaim"),
        str("name", meta_name(claim)),
        str("namespace", meta_namespace(claim)),
        str("uid", meta_uid(claim)),
        str("resourceVersion", meta_resource_version(claim)));
}

static Err *bind_volume(Sync *s, const Json *volume, const Json *claim)
{
    Arena *a = s->arena;
    const char *by = is_named_by(volume, claim) ? NULL : "yes";

    if (str_eq(json_str(volume, ".spec.claimRef.uid"), meta_uid(claim)))
        return set_volume_phase(s, volume, "Bound");
    return sync_update(s,
        kind_pv,
        volume,
        json_merge(a,
            volume,
            json_seal(a,
                draft(a,
                    obj("metadata", obj("annotations", str(BOUND_BY, by))),
                    obj("spec", sub("claimRef", reference_to(a, claim)))))),
        NULL);
}

static Err *bind_claim(Sync *s, const Json *volume, const Json *claim)
{
    Arena *a = s->arena;
    const char *by = str_empty(json_str(claim, ".spec.volumeName")) ? "yes" : NULL;

    if (meta_annotation(claim, BIND_COMPLETED) && !by)
        return set_claim_phase(s, claim, "Bound", volume);
    return sync_update(s,
        kind_pvc,
        claim,
        json_merge(a,
            claim,
            json_seal(a,
                draft(a,
                    obj("metadata",
                        obj("annotations", str(BIND_COMPLETED, "yes"), str(BOUND_BY, by))),
                    obj("spec", str("volumeName", meta_name(volume)))))),
        NULL);
}

static Err *bind(Sync *s, const Json *volume, const Json *claim)
{
    TRY(bind_volume(s, volume, claim));
    return s->wrote ? OK : bind_claim(s, volume, claim);
}

/* --- making volumes --- */

static const VolumeClass *find_class(const Sync *s, const char *name)
{
    const VolumeClass *class = ((const VolumeController *)(void *)s->controller)->classes;

    for (; class && class->name; class ++)
        if (!name || str_eq(class->name, name))
            return class;
    return NULL;
}

static Err *provision(Sync *s, const VolumeClass *class, const Json *claim)
{
    Arena *a = s->arena;
    const char *name = str_format(a, "pvc-%s", meta_uid(claim));
    Draft *volume = draft(a,
        str("apiVersion", "v1"),
        str("kind", "PersistentVolume"),
        obj("metadata", str("name", name), obj("annotations", str(PROVISIONED_BY, PROVISIONER))),
        obj("spec",
            obj("capacity", str("storage", json_str(claim, ".spec.resources.requests.storage"))),
            draft_json("accessModes", json_find(claim, ".spec.accessModes")),
            sub("claimRef", reference_to(a, claim)),
            str("persistentVolumeReclaimPolicy", class->retains ? "Retain" : "Delete"),
            str("storageClassName", class->name),
            str("volumeMode", mode_of(claim)),
            obj("csi", str("driver", PROVISIONER), str("volumeHandle", name))));

    return sync_write(s,
        (Request){
            .verb = VERB_CREATE, .kind = kind_pv, .key.name = name, .body = json_seal(a, volume)},
        NULL);
}

static Err *assign_default_class(Sync *s, const Json *claim)
{
    const VolumeClass *class = find_class(s, NULL);

    if (!class || json_find(claim, ".spec.storageClassName"))
        return OK;
    return sync_update(s,
        kind_pvc,
        claim,
        object_with_inner(s->arena,
            claim,
            (MemberPath){"spec", "storageClassName"},
            object_text(s->arena, class->name)),
        NULL);
}

/* --- claims --- */

static Err *sync_free_claim(Sync *s, const Json *claim)
{
    const char *name = json_str(claim, ".spec.storageClassName");
    const VolumeClass *class = str_empty(name) ? NULL : find_class(s, name);
    const Json *volume = find_volume(s, claim, class && class->waits_for_consumer);
    bool has_consumer = mounts_of(s->controller->view, s->arena, meta_key(claim)).count > 0;

    if (volume)
        return bind(s, volume, claim);
    TRY(assign_default_class(s, claim));
    if (s->wrote)
        return OK;
    if (class && !meta_deleting(claim) && (!class->waits_for_consumer || has_consumer))
        return provision(s, class, claim);
    return set_claim_phase(s, claim, "Pending", NULL);
}

/* The claim names its volume, or did so once. */
static Err *sync_named_claim(Sync *s, const Json *claim, bool was_bound)
{
    Key key = {.name = json_str(claim, ".spec.volumeName")};
    const Json *volume = view_find(s->controller->view, s->arena, kind_pv, key);
    const char *otherwise = was_bound ? "Lost" : "Pending";
    bool is_free = !json_find(volume, ".spec.claimRef");

    if (!volume && !str_empty(key.name))
        TRY(sync_get(s, kind_pv, key, &volume));
    if (!volume)
        return set_claim_phase(s, claim, otherwise, NULL);
    if (is_named_by(volume, claim)
        || (is_free && (was_bound || satisfies(s->arena, volume, claim))))
        return bind(s, volume, claim);
    return set_claim_phase(s, claim, otherwise, NULL);
}

static Err *sync_claim(Sync *s, Key key)
{
    const Json *claim = view_find(s->controller->view, s->arena, kind_pvc, key);
    bool was_bound = meta_annotation(claim, BIND_COMPLETED) != NULL;

    if (!claim)
        return OK;
    if (!was_bound && str_empty(json_str(claim, ".spec.volumeName")))
        return sync_free_claim(s, claim);
    return sync_named_claim(s, claim, was_bound);
}

/* --- volumes --- */

/* The claim that a volume names, if it is still that one. */
static Err *find_claim(Sync *s, const Json *volume, const Json **ret)
{
    const Json *reference = json_find(volume, ".spec.claimRef");
    Key key = {json_str(reference, ".namespace"), json_str(reference, ".name")};
    const char *uid = json_str(reference, ".uid");

    *ret = view_find(s->controller->view, s->arena, kind_pvc, key);
    if (!str_eq(meta_uid(*ret), uid))
        TRY(sync_get(s, kind_pvc, key, ret));
    if (!str_eq(meta_uid(*ret), uid))
        *ret = NULL;
    return OK;
}

static Err *reclaim(Sync *s, const Json *volume)
{
    const char *policy = json_str(volume, ".spec.persistentVolumeReclaimPolicy");

    TRY(set_volume_phase(s, volume, "Released"));
    if (s->wrote || meta_deleting(volume) || !str_eq(policy, "Delete"))
        return OK;
    return sync_delete(s, kind_pv, volume);
}

static Err *sync_volume(Sync *s, const char *name)
{
    const Json *volume = view_find(s->controller->view, s->arena, kind_pv, (Key){NULL, name});
    const Json *claim;

    if (!volume)
        return OK;
    if (str_empty(json_str(volume, ".spec.claimRef.uid")))
        return set_volume_phase(s, volume, "Available");
    TRY(find_claim(s, volume, &claim));
    if (!claim)
        return reclaim(s, volume);
    const char *bound_to = json_str(claim, ".spec.volumeName");
    if (str_eq(bound_to, name))
        return set_volume_phase(s, volume, "Bound");
    if (!str_empty(bound_to) && meta_annotation(volume, PROVISIONED_BY))
        return reclaim(s, volume);
    return OK;
}

static Err *sync(Sync *s)
{
    if (str_has_prefix(s->errand, VOLUME_ERRAND))
        return sync_volume(s, s->errand + strlen(VOLUME_ERRAND));
    return sync_claim(s, key_parse(s->arena, s->errand));
}

Actor *volume_controller_open(const VolumeControllerOptions *options)
{
    static const ControllerTraits traits = {
        .name = "persistent-volume-binder",
        .kinds = kinds,
        .tag = tag,
        .size = sizeof(VolumeController),
        .notice = notice,
        .sync = sync,
    };
    Controller *c = controller_open(&traits, &options->base);
    VolumeController *v = (VolumeController *)(void *)c;

    v->classes = options->classes;
    v->provision_max_ms = options->provision_max_ms;
    return &c->actor;
}
