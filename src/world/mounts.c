/* Mounts of claims. Only volumes that name a claim count; ephemeral ones make claims of their own.
 */
#include "world/mounts.h"

#include "base/str.h"
#include "kube/meta.h"

static const char *tag_of(Arena *a, const char *namespace, const char *claim)
{
    return str_format(a, "mounts of %s/%s", namespace, claim);
}

static const char *claim_of(const Json *volume)
{
    return json_str(volume, ".persistentVolumeClaim.claimName");
}

void mounts_tag(Arena *a, const Json *pod, ViewTags *ret)
{
    const Json *volumes = json_find(pod, ".spec.volumes"), *volume;

    json_each(volume, volumes)
        if (claim_of(volume))
            view_tag(ret, tag_of(a, meta_namespace(pod), claim_of(volume)));
}

ViewList mounts_of(const View *v, Arena *a, Key claim)
{
    return view_tagged(v, a, tag_of(a, claim.namespace, claim.name));
}

bool mounts_claim(const Json *pod, const char *claim)
{
    const Json *volumes = json_find(pod, ".spec.volumes"), *volume;

    json_each(volume, volumes)
        if (str_eq(claim_of(volume), claim))
            return true;
    return false;
}
