/* Host: the one file that has threads. It runs the steps of machine.h until a signal or a fault
 * ends them. */
#ifndef KUBE_RUNTIME_HOST_H
#define KUBE_RUNTIME_HOST_H

#include "kube/guard.h"

#include <stdbool.h>

/* A guard that is a mutex. */
Guard *host_open_guard(void);

/* Gives it back; a guard of another make is left alone. */
void host_close_guard(Guard *g);

/* Runs something that waits, such as a question to a resolver, in a thread of its own that nobody
 * waits for; it may outlive everything but the process. False when there is no such thread. */
bool host_run_aside(void *(*run)(void *self), void *self);

#endif
