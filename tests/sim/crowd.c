/* Crowd: pods by the claims, or the keys, that they mount. */
#include "tests/sim/crowd.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"

#include <stdio.h>

static const char *claim_of(const Json *volume)
{
    return json_str(volume, ".persistentVolumeClaim.claimName");
}

static const char *key_of(const Json *volume)
{
    return str_eq(json_str(volume, ".name"), VOLUME_SIGNING_KEY)
        ? json_str(volume, ".secret.secretName")
        : NULL;
}

static const char *place_of(const Crowd *c, const Json *pod)
{
    const Json *volume;

    json_each(volume, json_find(pod, ".spec.volumes")) {
        const char *place = c->of_keys ? key_of(volume) : claim_of(volume);
        if (place)
            return place;
    }
    return NULL;
}

static bool is_guest(const Crowd *c, const Json *pod)
{
    return pod && place_of(c, pod) && !pod_is_finished(pod);
}

static void come(Crowd *c, const Json *pod)
{
    if (c->count == CROWD_PODS_MAX)
        return;
    Guest *guest = &c->guests[c->count++];
    snprintf(guest->pod, sizeof guest->pod, "%s", meta_uid(pod));
    snprintf(guest->place, sizeof guest->place, "%s/%s", meta_namespace(pod), place_of(c, pod));
    for (size_t i = 0; i + 1 < c->count && !c->found[0]; i++)
        if (str_eq(c->guests[i].place, guest->place))
            snprintf(c->found,
                sizeof c->found,
                "pod %s came to %s %s before another had ended",
                meta_name(pod),
                c->of_keys ? "signing key" : "volume",
                guest->place);
}

static void go(Crowd *c, const Json *pod)
{
    for (size_t i = 0; i < c->count; i++)
        if (str_eq(c->guests[i].pod, meta_uid(pod))) {
            c->guests[i] = c->guests[--c->count];
            return;
        }
}

void crowd_see(Crowd *c, const Json *before, const Json *after)
{
    bool was = is_guest(c, before), is = is_guest(c, after);

    if (!was && is)
        come(c, after);
    else if (was && !is)
        go(c, before);
}
