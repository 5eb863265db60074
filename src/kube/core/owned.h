/* Owned: what of an object is ours, brought into one form with what we applied. */
#ifndef SRC_KUBE_CORE_OWNED_H
#define SRC_KUBE_CORE_OWNED_H

#include "base/json.h"

/* The form of an object as far as `manager` owns it by server-side apply. NULL when there is no
 * such entry in metadata.managedFields, or one that is hostile. */
const Json *owned_part(Arena *a, const Json *object, const char *manager);

/* Paths that change with every event, and of which owned_part reads nothing. NULL ends them. */
extern const char *const owned_passes_by[];

/* The same form of what was rendered to be applied. */
const Json *owned_part_of_rendered(Arena *a, const Json *rendered);

#endif
