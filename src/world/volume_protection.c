/* pvc-protection-controller, and its brother for volumes: claims and volumes that are in use do not
 * go.
 *
 * Any pod that has a node and mounts a claim holds it, also one that is over: only pods without a
 * node and pods that are gone do not. So the real one has it (podUsesPVC). */
#include "base/str.h"
#include "kube/meta.h"
#include "world/claim.h"
#include "world/controller.h"
#include "world/mounts.h"

#include <string.h>

#define CLAIM_FINALIZER  "kubernetes.io/pvc-protection"
#define VOLUME_FINALIZER "kubernetes.io/pv-protection"
#define VOLUME_ERRAND    "volume "

static const Kind *const kinds[] = {kind_pvc, kind_pv, kind_pod, NULL};

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    if (kind_eq(kind, kind_pod))
        mounts_tag(a, object, ret);
}

/* --- noticing --- */

static bool needs_attention(const Json *object, const char *finalizer)
{
    return object && meta_deleting(object) == meta_has_finalizer(object, finalizer);
}

static void want_claims(Controller *c, const Change *change, const Json *pod)
{
    const Json *volumes = json_find(pod, ".spec.volumes"), *volume;

    json_each(volume, volumes) {
        const char *claim = json_str(volume, ".persistentVolumeClaim.claimName");
        if (claim)
            controller_want_key(c, (Key){change->key.namespace, claim}, change->now_ms);
    }
}

/* Only a pod that is gone, or that was never given a node, can set a claim free. */
static void notice_pod(Controller *c, const Change *change)
{
    bool is_gone = !str_eq(meta_uid(change->before), meta_uid(change->after));

    if (change->before && is_gone)
        want_claims(c, change, change->before);
    if (change->after && str_empty(json_str(change->after, ".spec.nodeName")))
        want_claims(c, change, change->after);
}

static void notice(Controller *c, const Change *change)
{
    if (kind_eq(change->kind, kind_pod))
        notice_pod(c, change);
    else if (kind_eq(change->kind, kind_pvc) && needs_attention(change->after, CLAIM_FINALIZER))
        controller_want_key(c, change->key, change->now_ms);
    else if (kind_eq(change->kind, kind_pv) && needs_attention(change->after, VOLUME_FINALIZER))
        controller_want(
            c, str_format(change->arena, VOLUME_ERRAND "%s", change->key.name), change->now_ms);
}

/* --- claims --- */

static bool holds(const Json *pod, const char *claim)
{
    return !str_empty(json_str(pod, ".spec.nodeName")) && mounts_claim(pod, claim);
}

/* What was seen is enough to keep a claim, but not to let it go: then the server is asked. */
static Err *is_held(Sync *s, Key claim, bool *ret)
{
    ViewList seen = mounts_of(s->controller->view, s->arena, claim);
    Request list = {.verb = VERB_LIST, .kind = kind_pod, .key.namespace = claim.namespace};
    const Json *answer, *pods, *pod;

    *ret = true;
    for (size_t i = 0; i < seen.count; i++)
        if (holds(seen.items[i], claim.name))
            return OK;
    TRY(api_call(s->api, s->arena, &list, &answer));
    pods = json_find(answer, ".items");
    json_each(pod, pods)
        if (holds(pod, claim.name))
            return OK;
    *ret = false;
    return OK;
}

static Err *sync_claim(Sync *s, Key key)
{
    const Json *claim = view_find(s->controller->view, s->arena, kind_pvc, key);
    bool held = false;

    if (!needs_attention(claim, CLAIM_FINALIZER))
        return OK;
    if (!meta_deleting(claim))
        return sync_update(
            s, kind_pvc, claim, claim_with_finalizer(s->arena, claim, CLAIM_FINALIZER), NULL);
    TRY(is_held(s, key, &held));
    if (held)
        return OK;
    return sync_update(
        s, kind_pvc, claim, claim_without_finalizer(s->arena, claim, CLAIM_FINALIZER), NULL);
}

/* --- volumes --- */

static Err *sync_volume(Sync *s, const char *name)
{
    const Json *volume = view_find(s->controller->view, s->arena, kind_pv, (Key){NULL, name});
    const Json *wanted;

    if (!needs_attention(volume, VOLUME_FINALIZER))
        return OK;
    if (!meta_deleting(volume))
        wanted = claim_with_finalizer(s->arena, volume, VOLUME_FINALIZER);
    else if (!str_eq(json_str(volume, ".status.phase"), "Bound"))
        wanted = claim_without_finalizer(s->arena, volume, VOLUME_FINALIZER);
    else
        return OK;
    return sync_update(s, kind_pv, volume, wanted, NULL);
}

static Err *sync(Sync *s)
{
    if (str_has_prefix(s->errand, VOLUME_ERRAND))
        return sync_volume(s, s->errand + strlen(VOLUME_ERRAND));
    return sync_claim(s, key_parse(s->arena, s->errand));
}

Actor *volume_protection_open(const ControllerOptions *options)
{
    static const ControllerTraits traits = {
        .name = "pvc-protection-controller",
        .kinds = kinds,
        .tag = tag,
        .size = sizeof(Controller),
        .notice = notice,
        .sync = sync,
    };

    return &controller_open(&traits, options)->actor;
}
