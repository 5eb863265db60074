/* VolumeImport: a volume that a person brought: looked at, never written, labelled or owned. */
#ifndef SEI_TASK_VOLUME_IMPORT_H
#define SEI_TASK_VOLUME_IMPORT_H

#include "sei/task/task.h"

/* OK when the claim of wanted->claim can carry the node: it is then recorded as imported. ERR_WAIT
 * for what may still come, ERR_TERMINAL for what never will. Sets the condition ImportPVCReady. Two
 * live reads: nothing of it is cached. */
Err *volume_import(Ctx *c, TaskRun *run) MUST_CHECK;

#endif
