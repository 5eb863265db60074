/* PodLog: what a container has written to its log.
 *
 * Nothing is written down as it happens: a log is made when somebody reads it, from what the pod's
 * machine knows, as the height of a node is. So a thousand nodes that nobody looks at log for
 * nothing, and what is read fits what they did. It never has parameters of tasks, tokens or keys in
 * it. */
#ifndef WORLD_POD_LOG_H
#define WORLD_POD_LOG_H

#include "base/bytes.h"
#include "world/pod.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POD_LOG_LINES_MAX = 1000 }; /* older ones are gone, as a log that was rotated */

typedef struct PodLogQuery {
    const Container *container;
    bool previous;              /* of the run before */
    bool timestamps;            /* before each line */
    int64_t after_ms, until_ms; /* wall clock: later than the first, not than the second */
    size_t lines_max;           /* the last so many; at most POD_LOG_LINES_MAX */
} PodLogQuery;

/* The lines of that time, each with its newline; empty when there are none. */
Bytes pod_log(const Pod *p, Arena *a, const PodLogQuery *query);

#endif
