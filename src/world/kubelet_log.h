/* KubeletLog: pods/log: one container's log as somebody reads it, once or for as long as it runs.
 */
#ifndef WORLD_KUBELET_LOG_H
#define WORLD_KUBELET_LOG_H

#include "kube/status.h"
#include "world/kubelet.h"

/* What is asked for. The zero value is the whole log of the only container. */
typedef struct KubeletLogQuery {
    Key pod;
    const char *container; /* NULL or "": the only one */
    bool follow, previous, timestamps;
    bool has_tail, has_since, has_limit;
    int64_t tail_lines, since_seconds, limit_bytes;
} KubeletLogQuery;

typedef struct KubeletLog KubeletLog;

/* NULL with the answer of the real server when there is no such log: 400, 404, 422. The pod is
 * looked for in the kubelet: one that it has not seen yet has no log. All logs are closed before
 * the kubelet is. */
KubeletLog *kubelet_open_log(
    Kubelet *k, Arena *a, const KubeletLogQuery *query, Answer *ret_refusal);
void kubelet_close_log(KubeletLog *l);

/* The next lines, in the arena; false when there are none now. The log has ended when it was read
 * through, or, followed, when its container has ended and everything was given. Ask again when time
 * has passed: a node makes a few lines a second. */
bool kubelet_next_log(KubeletLog *l, Arena *a, Bytes *ret, bool *ret_ended);

#endif
