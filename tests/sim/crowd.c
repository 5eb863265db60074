/* Crowd: pods by the claims that they mount. */
#include "tests/sim/crowd.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"

#include <stdio.h>

static const char *claim_of(const Json *pod)
{
    const Json *volume;

    json_each(volume, json_find(pod, ".spec.volumes")) {
        const char *claim = json_str(volume, ".persistentVolumeClaim.claimName");
        if (claim)
            return claim;
    }
    return NULL;
}

static bool is_guest(const Json *pod)
{
    return pod && claim_of(pod) && !pod_is_finished(pod);
}

static void come(Crowd *c, const Json *pod)
{
    if (c->count == CROWD_PODS_MAX)
        return;
    Guest *guest = &c->guests[c->count++];
    snprintf(guest->pod, sizeof guest->pod, "%s", meta_uid(pod));
    snprintf(guest->claim, sizeof guest->claim, "%s/%s", meta_namespace(pod), claim_of(pod));
    for (size_t i = 0; i + 1 < c->count && !c->found[0]; i++)
        if (str_eq(c->guests[i].claim, guest->claim))
            snprintf(c->found,
                sizeof c->found,
                "pod %s came to volume %s before another had ended",
                meta_name(pod),
                guest->claim);
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
    bool was = is_guest(before), is = is_guest(after);

    if (!was && is)
        come(c, after);
    else if (was && !is)
        go(c, before);
}
