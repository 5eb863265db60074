/* Revisions of a StatefulSet: ControllerRevisions, each the pod template at one time. Names are the
 * ones that kube-controller-manager gives: the same FNV hash over the same bytes. */
#ifndef WORLD_STATEFULSET_REVISION_H
#define WORLD_STATEFULSET_REVISION_H

#include "base/json.h"
#include "world/view.h"

#include <stdint.h>

/* The data of a revision of the set as it is: a patch that puts its template back. */
const Json *statefulset_revision_data(Arena *a, const Json *set);

/* The pod template that a revision holds. */
const Json *statefulset_revision_template(const Json *revision);

/* The hash of revision data, with the count of collisions. */
const char *statefulset_revision_hash(Arena *a, const Json *data, int64_t collisions);

/* A new revision of the set, owned by it. Its name counts all collisions, but its hash label only
 * those that were known before it was tried for the first time. */
typedef struct StatefulSetRevision {
    const Json *data;
    int64_t number, collisions, known_collisions;
} StatefulSetRevision;
const Json *statefulset_revision_new(Arena *a, const Json *set, StatefulSetRevision revision);

/* Orders revisions by number, then age, then name. */
void statefulset_revision_sort(ViewList *revisions);

#endif
