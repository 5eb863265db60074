/* Strategic: the merge patch of built-in kinds, which knows what lists are: elements with keys are
 * merged one by one, scalars are put together. Which list is which is what the schema says for
 * apply; the few directives ($patch, $retainKeys, $setElementOrder, $deleteFromPrimitiveList) are
 * Kubernetes' own. */
#ifndef WORLD_STRATEGIC_H
#define WORLD_STRATEGIC_H

#include "base/err.h"
#include "base/json.h"
#include "world/schema_shape.h"

/* `original` with the patch applied, both objects. ERR_TERMINAL with the status and the words that
 * the server refuses the patch with. */
Err *strategic_patched(Arena *a, const Shape *shape, const Json *original, const Json *patch,
    const Json **ret) MUST_CHECK;

#endif
