/* The pods of a StatefulSet: their names and numbers, what state they are in, and new ones with
 * their volume claims. Pure. */
#ifndef WORLD_STATEFULSET_POD_H
#define WORLD_STATEFULSET_POD_H

#include "base/json.h"
#include "world/view.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of a pod of the set, -1 when its name is none of the set's. */
int64_t statefulset_pod_ordinal(const Json *set, const Json *pod);

/* Orders pods of one set by their numbers, the highest first. */
void statefulset_pod_sort(ViewList *pods);

/* The pod has that phase. An object without a phase is one that is not made yet. */
bool statefulset_pod_is(const Json *pod, const char *phase);
bool statefulset_pod_is_created(const Json *pod);

/* Running and Ready; and for as long as the set's minReadySeconds asks. */
bool statefulset_pod_is_ready(const Json *pod);
bool statefulset_pod_is_available(const Json *set, const Json *pod, int64_t wall_ms);

/* The revision that the pod was made from, or NULL. */
const char *statefulset_pod_revision(const Json *pod);

/* Whether the pod has the label of its name; and the pod with the labels of its identity. */
bool statefulset_pod_has_identity(const Json *pod);
const Json *statefulset_pod_identified(Arena *a, const Json *pod);

/* The volume claim of a template of the set for a number. */
const Json *statefulset_pod_claim(
    Arena *a, const Json *set, const Json *claim_template, int64_t ordinal);

/* A pod of the set to be created, from a revision's template. It has no phase yet. */
typedef struct StatefulSetPod {
    const Json *template;
    const char *revision; /* its name */
    int64_t ordinal;
} StatefulSetPod;
const Json *statefulset_pod_new(Arena *a, const Json *set, StatefulSetPod pod);

#endif
