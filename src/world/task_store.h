/* TaskStore: the sidecar's table of tasks, as it stands on a volume: one row per id, newest first.
 *
 * It survives the process and the pod, not the volume. A row is written whole, as the real one's
 * transactions are: a reader sees the old row or the new. */
#ifndef WORLD_TASK_STORE_H
#define WORLD_TASK_STORE_H

#include "base/link.h"
#include "base/slab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TaskStore TaskStore;

enum { TASK_ROWS_MAX = 20000 };

typedef enum RowStatus {
    ROW_RUNNING,
    ROW_COMPLETED,
    ROW_FAILED,
} RowStatus;

/* What is written of a task. Strings are copied when it is put. */
typedef struct TaskRow {
    const char *id;
    const char *type;
    RowStatus status;
    int64_t run;
    int64_t submitted_ns; /* wall clock */
    int64_t completed_ns; /* 0 while it runs */
    const char *params;   /* JSON text, or NULL when none were sent */
    const char *result;   /* the same */
    const char *error;    /* or NULL */
} TaskRow;

/* An empty store whose rows are in the slab, which must outlive it. */
TaskStore *task_store_open(Slab *slab);
void task_store_close(TaskStore *s);

/* The row of an id, or NULL; borrowed until that id is written. */
const TaskRow *task_store_find(const TaskStore *s, const char *id);

/* Writes a row, replacing one of the same id. A new submission (another submitted_ns, or none
 * before) stands first from then on. False when the store is full. */
bool task_store_put(TaskStore *s, const TaskRow *row);

/* Puts a row of another process at the place that its age gives it. False when the store is full.
 */
bool task_store_restore(TaskStore *s, const TaskRow *row);

/* Who is told of every row that is put, or removed (NULL); not of those that are restored. */
typedef void TaskListener(void *self, const char *id, const TaskRow *row);
void task_store_listen(TaskStore *s, TaskListener *listener, void *self);

/* Removes a row; false when there was none. */
bool task_store_remove(TaskStore *s, const char *id);

/* The row after another, from the newest to the oldest; the newest for NULL; NULL at the end. */
const TaskRow *task_store_next(const TaskStore *s, const TaskRow *row);

size_t task_store_count(const TaskStore *s);

/* "running", "completed", "failed". */
const char *task_status_text(RowStatus status);

#endif
