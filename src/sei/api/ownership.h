/* Ownership: whose object it is. Planner and tasks judge by this alone, for nodes and for fleets.
 */
#ifndef SEI_API_OWNERSHIP_H
#define SEI_API_OWNERSHIP_H

#include "base/json.h"
#include "kube/kind.h"

#include <stdbool.h>

typedef enum Standing {
    STANDING_OURS,     /* its controller has the owner's UID */
    STANDING_PREVIOUS, /* its controller is an earlier owner of this name */
    STANDING_NOBODYS,  /* it has no controller */
    STANDING_FOREIGN,
} Standing;

/* `owner` is an object of `kind`. */
Standing ownership_standing(const Json *owner, const Kind *kind, const Json *object);

/* An object without a controller may be adopted if it has exactly the selector of the wanted one:
 * a server-side apply would keep other labels of the selector, and the object would then select no
 * pod. If the wanted object has no selector, the label must name the owner. */
bool ownership_is_adoptable(
    const Json *owner, const char *label, const Json *object, const Json *wanted);

#endif
