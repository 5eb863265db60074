/* Descriptors: whether the process runs short of file descriptors, looked at by a thread of the
 * host. A shortage is counted, and reported at most once a minute. */
#ifndef KUBE_RUNTIME_DESCRIPTORS_H
#define KUBE_RUNTIME_DESCRIPTORS_H

#include "kube/manager.h"

#include <stdint.h>

enum {
    DESCRIPTORS_SPARE = 8, /* fewer that are free are a shortage */
    DESCRIPTORS_LOOK_MS = 5000,
    DESCRIPTORS_REPORT_MS = 60000,
};

typedef struct DescriptorsUse {
    int64_t open, limit;
} DescriptorsUse;

/* What is open, and what may be. Where no more can be opened at all, as many as may be. */
DescriptorsUse descriptors_use(void);

typedef struct DescriptorsLook {
    int64_t due_ms, report_due_ms; /* 0: at once */
} DescriptorsLook;

/* Looks when it is time to. The guard is not held by the caller. */
void descriptors_look(DescriptorsLook *l, Manager *m);

#endif
