/* Purpose: what a task prepares the data volume for, and what that rules out later. */
#ifndef SEI_PLAN_PURPOSE_H
#define SEI_PLAN_PURPOSE_H

#include "sei/plan/parts.h"

/* What a task of a type prepares the volume for, as the spec asks; NULL for types that
 * can be done again on the same volume. */
const char *plan_purpose(const Planning *p, TaskType type);

/* What a stored task prepares or has prepared the volume for. If it is not recorded: by the labels
 * of the node's objects; NULL if the task may have failed. */
const char *plan_recorded_purpose(const Planning *p, const PlannedTask *task);

/* `done` is what `wanted` asks for: same params, same purpose. */
bool plan_is_same_work(const Planning *p, const PlannedTask *done, const PlannedTask *wanted);

/* The task has succeeded, and the sidecar does it once per volume. */
bool plan_is_on_volume(const PlannedTask *task);

/* What `old` did once per volume and `next` wants done in another way, as a sentence; or NULL.
 * Of one and the same plan: what it awaited has prepared the volume in another way. */
const char *plan_volume_conflict(const Planning *p, const Plan *old, const Plan *next);

#endif
