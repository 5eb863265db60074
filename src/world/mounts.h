/* Mounts: which pods of a view mount a volume claim. */
#ifndef WORLD_MOUNTS_H
#define WORLD_MOUNTS_H

#include "kube/key.h"
#include "world/view.h"

#include <stdbool.h>

/* Tags a pod with the claims that it mounts. */
void mounts_tag(Arena *a, const Json *pod, ViewTags *ret);

/* The pods that mount a claim. */
ViewList mounts_of(const View *v, Arena *a, Key claim);

/* True when the pod mounts the claim of that name. */
bool mounts_claim(const Json *pod, const char *claim);

#endif
