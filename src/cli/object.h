/* Object: what commands show of one as it is, and what they call it. */
#ifndef CLI_OBJECT_H
#define CLI_OBJECT_H

#include "base/json.h"
#include "kube/kind.h"

#include <stdbool.h>

/* The object without managedFields, which kubectl leaves out, too. */
const Json *object_for_people(Arena *a, const Json *object);

/* "seinodedeployment.sei.io/a": as `kubectl -o name` names it. */
const char *object_full_name(Arena *a, const Kind *kind, const Json *object);

/* The status and the reason of a condition; NULL when it is not there. */
const char *object_condition(const Json *object, const char *type);
const char *object_reason(const Json *object, const char *type);
const char *object_message(const Json *object, const char *type);

/* Who has set spec.paused by server-side apply, `but` left out: whoever does that says so on
 * purpose, also where the value was there already. NULL: nobody. */
const char *object_pause_applier(const Json *object, const char *but);

/* This manager has set it so. */
bool object_pause_is_applied_by(const Json *object, const char *manager);

#endif
