/* FleetAdmission: what a mutating admission policy or webhook changes in a child on its way to the
 * store, such as an image that is pulled through another registry. What was stored is what the node
 * may follow. What was asked for stands beside it in an annotation of the child, so that the child
 * still counts as on the template. */
#ifndef SEI_API_FLEET_ADMISSION_H
#define SEI_API_FLEET_ADMISSION_H

#include "sei/api/node.h"

/* The annotations of a child that was stored otherwise than it was asked for, as a merge patch of
 * the wanted object. NULL: nothing differs for which a pod is replaced, or one of the two cannot be
 * read.
 */
const Json *fleet_admission_notes(Arena *a, const Json *wanted, const Json *stored);

/* What was asked for of the child, as a merge patch of fleet_spec_inputs. NULL: what is stored, or
 * the spec was edited since. */
const Json *fleet_admission_asked(Arena *a, const SeiNode *child);

/* "spec.image: wanted a:1, stored b/a:1"; or NULL. */
const char *fleet_admission_text(Arena *a, const SeiNode *child);

#endif
