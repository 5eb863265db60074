/* Emptying: what an apply cannot do alone.
 *
 * When an apply has an object empty of which its manager alone owned the members, the server takes
 * them away and is left with null, which the schema of a custom object then refuses: {a: {b: 1}}
 * can never become {a: {}}. */
#ifndef SRC_KUBE_CORE_EMPTYING_H
#define SRC_KUBE_CORE_EMPTYING_H

#include "base/json.h"

/* The JSON patch after which the same apply works: empties of the object that was seen what is
 * empty in `applied` and what the server's refusal says it has made null of. It fits only while
 * that is as it was seen. NULL when the refusal is about something else. */
const Json *emptying_patch(Arena *a, const Json *seen, const Json *applied, const char *refusal);

#endif
