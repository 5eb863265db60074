/* Provisioner: claims without a volume get one that names them (claimRef), volumes whose claim is
 * gone are deleted. Volumes are named after the claim's UID, so making one twice is harmless. */
#include "player/provisioner.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"

#include <string.h>

enum { RETRY_MS = 1000, CLAIM_MAX = 1 << 20 };

/* One thing to do: a claim that wants a volume, or a volume that wants to go. */
typedef struct Errand {
    Link link;
    Arena *arena;
    const Kind *kind;
    const char *tag; /* kind and key */
    const Json *object;
} Errand;

typedef struct Provisioner {
    Actor actor;
    Slab *slab;
    Map *by_tag;
    Link errands;
    int64_t wait_ms; /* nothing before this */
} Provisioner;

static const Kind *const kinds[] = {kind_pvc, kind_pv, NULL};

static void drop(Provisioner *p, Errand *e)
{
    map_remove(p->by_tag, e->tag);
    link_remove(&e->link);
    arena_close(e->arena);
    slab_free(p->slab, e, sizeof *e);
}

static bool wants_something(const Kind *kind, const Json *object)
{
    if (!object || meta_deleting(object))
        return false;
    if (kind_eq(kind, kind_pvc))
        return str_empty(json_str(object, ".spec.volumeName"));
    return str_eq(json_str(object, ".status.phase"), "Released")
        && str_eq(json_str(object, ".spec.persistentVolumeReclaimPolicy"), "Delete");
}

static void see(Actor *self, const Sight *sight, int64_t now_ms)
{
    Provisioner *p = (Provisioner *)(void *)self;
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *tag = str_format(a, "%s %s", sight->kind->plural, key_text(a, sight->key));
    Errand *e = map_find(p->by_tag, tag);

    (void)now_ms;
    if (e)
        drop(p, e);
    if (!wants_something(sight->kind, sight->object))
        return;
    e = slab_alloc(p->slab, sizeof *e);
    *e = (Errand){.arena = arena_open(CLAIM_MAX), .kind = sight->kind};
    e->tag = str_copy(e->arena, tag);
    e->object = json_copy(e->arena, sight->object);
    link_init(&e->link);
    link_insert_before(&p->errands, &e->link);
    if (!map_put(p->by_tag, e->tag, e))
        drop(p, e);
}

static Draft *claim_reference(Arena *a, const Json *claim)
{
    return draft(a,
        str("apiVersion", "v1"),
        str("kind", "PersistentVolumeClaim"),
        str("namespace", meta_namespace(claim)),
        str("name", meta_name(claim)),
        str("uid", meta_uid(claim)));
}

static Err *make_volume(Arena *a, Api *api, const Json *claim)
{
    const char *name = str_format(a, "pvc-%s", meta_uid(claim));
    const char *class = json_str(claim, ".spec.storageClassName");
    const Json *body = json_seal(a,
        draft(a,
            str("apiVersion", "v1"),
            str("kind", "PersistentVolume"),
            obj("metadata", str("name", name)),
            obj("spec",
                draft_json("capacity", json_find(claim, ".spec.resources.requests")),
                draft_json("accessModes", json_find(claim, ".spec.accessModes")),
                str("persistentVolumeReclaimPolicy", "Delete"),
                str("storageClassName", class ? class : ""),
                sub("claimRef", claim_reference(a, claim)),
                obj("csi", str("driver", "player.sei.io"), str("volumeHandle", name)))));
    Request create = {.verb = VERB_CREATE, .kind = kind_pv, .key = {.name = name}, .body = body};

    return api_call(api, a, &create, NULL);
}

static Err *delete_volume(Arena *a, Api *api, const Json *volume)
{
    Request delete = {.verb = VERB_DELETE,
        .kind = kind_pv,
        .key = {.name = meta_name(volume)},
        .uid = meta_uid(volume)};

    return api_call(api, a, &delete, NULL);
}

static int64_t step(Actor *self, Arena *a, Api *api, int64_t now_ms)
{
    Provisioner *p = (Provisioner *)(void *)self;

    if (link_is_alone(&p->errands))
        return INT64_MAX;
    if (now_ms < p->wait_ms)
        return p->wait_ms;
    Errand *e = link_owner(Errand, link, p->errands.next);
    const Err *err = kind_eq(e->kind, kind_pvc) ? make_volume(a, api, e->object)
                                                : delete_volume(a, api, e->object);
    if (!err || err_has_status(err, 409) || err_has_status(err, 404))
        drop(p, e);
    else
        p->wait_ms = now_ms + RETRY_MS;
    return link_is_alone(&p->errands) ? INT64_MAX : p->wait_ms;
}

static void close_provisioner(Actor *self)
{
    Provisioner *p = (Provisioner *)(void *)self;

    while (!link_is_alone(&p->errands))
        drop(p, link_owner(Errand, link, p->errands.next));
    map_close(p->by_tag);
    slab_close(p->slab);
}

Actor *provisioner_open(void)
{
    Slab *slab = slab_open();
    Provisioner *p = slab_alloc(slab, sizeof *p);

    *p = (Provisioner){
        .actor = {.name = "provisioner",
            .kinds = kinds,
            .see = see,
            .step = step,
            .close = close_provisioner},
        .slab = slab,
        .by_tag = map_open(PROVISIONER_OBJECTS_MAX),
    };
    link_init(&p->errands);
    return &p->actor;
}
