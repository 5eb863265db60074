/* Patching: the parts of patches that subresources share. */
#ifndef WORLD_PATCHING_H
#define WORLD_PATCHING_H

#include "world/call.h"

/* 415 for a strategic merge patch of a custom kind. */
Err *patching_check_type(Call *c) MUST_CHECK;

/* The document after the call's patch, which is no apply; 400, 422 or 500 when that cannot be. */
Err *patching_patched(Call *c, const Json *doc, const Json **ret) MUST_CHECK;

/* 400 and 422 for an apply whose manager or type is missing or wrong. */
Err *patching_check_apply(Call *c, const char *api_version, const char *kind) MUST_CHECK;

/* The live object after an apply, with its owners; 409 when somebody else's fields are in the way.
 */
Err *patching_applied(Call *c, const Json *live, const Json *applied, const Json **ret) MUST_CHECK;

#endif
