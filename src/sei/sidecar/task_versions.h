/* TaskVersions: which versions of the sidecar have which task. For messages only: the operator asks
 * a sidecar what it can do, and never guesses from the tag of its image. */
#ifndef SEI_SIDECAR_TASK_VERSIONS_H
#define SEI_SIDECAR_TASK_VERSIONS_H

#include "base/arena.h"

#include <stdbool.h>

/* The error text of a 400 says that this sidecar does not have the task. */
bool task_type_is_refused(const char *error);

/* "v0.0.50 to v0.0.56", "v0.0.50 and later". */
const char *task_versions_text(Arena *a, const char *type);

#endif
