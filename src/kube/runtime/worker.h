/* Worker: reconciles one key after another. */
#ifndef KUBE_RUNTIME_WORKER_H
#define KUBE_RUNTIME_WORKER_H

#include "kube/manager.h"

#include <stdbool.h>

typedef struct Worker Worker;

/* A worker with an Api and an arena of its own. */
Worker *worker_open(Manager *m);
void worker_close(Worker *w);

/* Takes the next key and reconciles it. False when there was nothing to do. */
bool worker_step(Worker *w);

#endif
