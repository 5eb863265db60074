/* The tasks that not every version of the sidecar has. All others are in each version from the
 * oldest one that is served. */
#include "sei/sidecar/task_versions.h"

#include "base/str.h"

#include <stddef.h>

enum { OLDEST_SERVED = 50 }; /* the N of v0.0.N */

static const struct {
    const char *type;
    int last; /* the N of v0.0.N */
} removed_tasks[] = {
    {"discover-peers", 56},
};

bool task_type_is_refused(const char *error)
{
    return error && str_has_prefix(error, "unknown task type");
}

const char *task_versions_text(Arena *a, const char *type)
{
    for (size_t i = 0; i < sizeof removed_tasks / sizeof removed_tasks[0]; i++)
        if (str_eq(removed_tasks[i].type, type))
            return str_format(a, "v0.0.%d to v0.0.%d", OLDEST_SERVED, removed_tasks[i].last);
    return str_format(a, "v0.0.%d and later", OLDEST_SERVED);
}
