/* HeldLog: the log lines that arise while the guard is held.
 *
 * Writing a line can block: a pipe that is not read is one cause. Under the guard that would stop
 * every thread, the one that renews the lease included. So these lines are kept, with the time at
 * which they arose, and a thread that does not hold the guard writes them. Beyond HELD_LOG_MAX
 * bytes lines are lost, and a line says how many. */
#ifndef KUBE_RUNTIME_HELD_LOG_H
#define KUBE_RUNTIME_HELD_LOG_H

#include "base/bytes.h"
#include "base/log.h"
#include "kube/guard.h"

enum { HELD_LOG_MAX = 64 << 10 };

typedef struct HeldLog {
    LogSink sink; /* first, so that the sink is this */
    Log log;      /* to be used under the guard */
    Log to;       /* where the lines go in the end */
    Buf lines;
    int64_t lost;
} HeldLog;

/* Opens it; the lines go where those of `to` go. */
void held_log_open(HeldLog *h, const Log *to);
void held_log_close(HeldLog *h);

/* Writes what was kept. The guard is not held by the caller. */
void held_log_write(HeldLog *h, Guard *guard);

#endif
