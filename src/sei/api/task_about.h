/* TaskAbout: what every task does, what it waits for and what ends its plan, for people.
 * docs/TASKS.md is made of this.
 *
 * A new row of TASK_TYPES or FLEET_TASK_TYPES that has no sentences here does not compile. */
#ifndef SEI_API_TASK_ABOUT_H
#define SEI_API_TASK_ABOUT_H

#include "sei/api/task_type.h"

typedef struct TaskAbout {
    const char *does;
    const char *waits; /* while what, as a clause; NULL: for nothing */
    const char *fails; /* what ends the plan, as a clause; NULL: nothing */
} TaskAbout;

/* BUG for TASK_UNKNOWN. */
const TaskAbout *task_about(TaskType type);

#endif
