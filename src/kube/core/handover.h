/* Handover: fields that come under another manager without being written.
 *
 * Whoever takes objects over from a controller that updated them (PUT, merge patch) must not leave
 * its fields in two hands: the server removes what an apply leaves out only when nobody else owns
 * it. */
#ifndef SRC_KUBE_CORE_HANDOVER_H
#define SRC_KUBE_CORE_HANDOVER_H

#include "base/json.h"

#include <stdbool.h>

typedef struct Handover {
    const char *to; /* the manager that applies from now on */
    /* Which updates are to be handed over; asked with entries of metadata.managedFields. */
    bool (*is_from)(const Json *entry);
} Handover;

/* The JSON patch of a live object, with its managedFields, after which `to` owns by apply what is
 * owned by such an update and stands in `applied`, its first apply to come. What does not stand
 * there stays with whom it belongs to. No value of the object changes, and the patch fits only the
 * version that was seen. NULL when there is nothing to hand over, or `to` has applied before. */
const Json *handover_patch(
    Arena *a, const Json *live, const Json *applied, const Handover *handover);

#endif
