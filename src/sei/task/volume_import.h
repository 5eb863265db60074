/* VolumeImport: a volume that a person brought: looked at, never written, labelled or owned. */
#ifndef SEI_TASK_VOLUME_IMPORT_H
#define SEI_TASK_VOLUME_IMPORT_H

#include "sei/task/task.h"

/* OK when the claim of wanted->claim can carry the node and nobody else uses it: it is then
 * recorded as imported. ERR_WAIT for what may still come, ERR_TERMINAL for what never will. Sets
 * the condition ImportPVCReady. Three live reads: nothing of it is cached. */
Err *volume_import(Ctx *c, TaskRun *run) MUST_CHECK;

/* The first half of it: whether the claim can carry the node, with nothing recorded. */
Err *volume_import_look(Ctx *c, const TaskRun *run, const Json **ret) MUST_CHECK;

/* The condition that says what came of the look. */
void volume_import_tell(Ctx *c, const TaskRun *run, const Err *err);

#endif
