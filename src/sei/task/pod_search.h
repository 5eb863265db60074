/* PodSearch: the pods of a namespace that mount a volume or a signing key. */
#ifndef SEI_TASK_POD_SEARCH_H
#define SEI_TASK_POD_SEARCH_H

#include "sei/task/task.h"

/* What to look for among the pods of the namespace, and what was found. Pods that have ended do not
 * count. */
typedef struct PodSearch {
    const char *claim, *secret;           /* NULL: not looked for */
    bool own_counts;                      /* the node's own pod counts as a user of the claim */
    bool own_job_is_left_out;             /* the pod of its own bootstrap Job does not */
    const char *claim_user, *secret_user; /* out: the first pod that mounts it, or NULL */
} PodSearch;

/* One live LIST, read page by page: memory does not grow with the namespace. */
Err *task_search_pods(Ctx *c, const TaskRun *run, PodSearch *search) MUST_CHECK;

/* The pod of our StatefulSet, also of one that was deleted and left it behind. */
bool task_is_own_pod(Arena *a, const Json *pod, const SeiNode *node);

/* ERR_WAIT, reason VolumeInUse: the pod uses the volume. It is looked for again. */
Err *task_err_volume_in_use(Ctx *c, TaskRun *run, const char *pod) NEVER_NULL;

#endif
