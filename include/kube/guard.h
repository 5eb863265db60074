/* Guard: a port. Stands between threads that share a machine: enter, touch, leave; never across
 * I/O. A mutex in the host, nothing at all in the simulator, where only one party runs at a time.
 */
#ifndef KUBE_GUARD_H
#define KUBE_GUARD_H

typedef struct Guard Guard;

struct Guard {
    void (*enter)(Guard *self);
    void (*leave)(Guard *self);
};

/* Not reentrant. */
void guard_enter(Guard *g);
void guard_leave(Guard *g);

/* A guard that guards nothing. */
Guard *guard_none(void);

#endif
