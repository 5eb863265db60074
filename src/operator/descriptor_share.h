/* DescriptorShare: the file descriptors of the process, shared out at its start.
 *
 * Connections to sidecars or seids that are silent must not take those of the API server: a healthy
 * node would not be updated then. So what watches, workers and the pages need is set aside first,
 * then a fixed number for seids, and sidecars get the rest. */
#ifndef OPERATOR_DESCRIPTOR_SHARE_H
#define OPERATOR_DESCRIPTOR_SHARE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct DescriptorShare {
    int64_t limit;   /* of the process */
    int workers;     /* that reconcile: as many as are asked for, or fewer */
    int namespaces;  /* that are watched one by one; 1 when all are watched together */
    int page_guests; /* connections of each page, metrics and health */
    int sidecars;    /* that are asked at once */
    int seids;       /* that are asked at once */
    int sockets;     /* to sidecars and seids, with those that are kept open */
    bool is_short;   /* for all sidecars that could be asked at once */
} DescriptorShare;

/* Raises the soft limit of the process to its hard limit, and gives what may be open then. */
int64_t descriptors_raise(void);

/* Shares out `limit`; its first three members are given, the others are filled. With too few
 * descriptors there are fewer seids and workers, then fewer guests, then fewer sidecars.
 * ERR_TERMINAL when they are not enough for one worker, one guest of each page, two sidecars and
 * two seids. */
Err *descriptors_share(Arena *a, DescriptorShare *share) MUST_CHECK;

#endif
