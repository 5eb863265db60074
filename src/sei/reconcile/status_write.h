/* StatusWrite: the one place where a status is written: a merge patch of what differs, locked to
 * the version that was read. When that version has passed, somebody wrote meanwhile: if the status
 * is still what we read, only the rest of the object has changed and the patch is as good as
 * before; else everything must be looked at again. */
#ifndef SEI_RECONCILE_STATUS_WRITE_H
#define SEI_RECONCILE_STATUS_WRITE_H

#include "kube/kube.h"

typedef struct StatusWrite {
    const Kind *kind;
    const Json *object;  /* as it was read */
    const Json *status;  /* the whole, as it becomes */
    const Json *written; /* out: the object as the write has left it; NULL: nothing was written */
    bool contested;      /* out: given up, because of another writer of the status */
} StatusWrite;

/* Writes where the status differs from the one that was read. */
Err *status_write(Ctx *c, StatusWrite *w) MUST_CHECK;

#endif
