/* Late: an answer that keeps its client waiting, as that of a busy server does. Nobody else waits:
 * it is a stream that has nothing until its time has come. */
#ifndef SANDBOX_LATE_H
#define SANDBOX_LATE_H

#include "base/arena.h"
#include "base/clock.h"
#include "kube/serve/hall.h"

/* Makes an answer, with a body or a stream, come when the clock's monotonic time is `due_ms`. In
 * the arena of the answer. */
void late_make(Arena *a, HallAnswer *answer, Clock *clock, int64_t due_ms);

#endif
