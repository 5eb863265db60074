/* Task types: rows of the list in the header. */
#include "sei/api/task_type.h"

#include "base/err.h"
#include "base/str.h"

enum { MINUTE_MS = 60000, HOUR_MS = 60 * MINUTE_MS };

typedef struct TaskRow {
    const char *spelling;
    int retries;
    bool is_sidecar;
} TaskRow;

static const TaskRow rows[TASK_ALL_COUNT] = {
#define X(name, spelling, retries, sidecar) [TASK_##name] = {spelling, retries, sidecar},
    TASK_TYPES(X) FLEET_TASK_TYPES(X)
#undef X
};

static const TaskRow *row_of(TaskType type)
{
    if ((unsigned)type >= TASK_ALL_COUNT || type == TASK_TYPE_COUNT)
        BUG("a task type out of its range");
    return &rows[type];
}

const char *task_type_text(TaskType type)
{
    return row_of(type)->spelling;
}

TaskType task_type_parse(const char *text)
{
    for (int type = TASK_UNKNOWN + 1; type < TASK_ALL_COUNT; type++)
        if (rows[type].spelling && str_eq(rows[type].spelling, text))
            return (TaskType)type;
    return TASK_UNKNOWN;
}

bool task_type_is_of_fleet(TaskType type)
{
    return type > TASK_TYPE_COUNT;
}

int task_type_retries(TaskType type)
{
    return row_of(type)->retries;
}

bool task_type_is_sidecar(TaskType type)
{
    return row_of(type)->is_sidecar;
}

bool task_type_never_ends(TaskType type)
{
    return type == TASK_SNAPSHOT_UPLOAD;
}

int64_t task_type_overdue_ms(TaskType type)
{
    if (!task_type_is_sidecar(type) || task_type_never_ends(type))
        return 0;
    switch (type) {
    case TASK_SNAPSHOT_RESTORE: /* terabytes */
        return 12 * HOUR_MS;
    case TASK_ASSEMBLE_GENESIS:
        return HOUR_MS;
    default:
        return 15 * MINUTE_MS;
    }
}

bool task_type_needs_remote(TaskType type)
{
    switch (type) {
    case TASK_SNAPSHOT_RESTORE:
    case TASK_CONFIGURE_GENESIS:
    case TASK_CONFIGURE_STATE_SYNC:
    case TASK_UPLOAD_GENESIS_ARTIFACTS:
    case TASK_SET_GENESIS_PEERS:
        return true;
    default:
        return false;
    }
}

bool task_type_is_once_per_volume(TaskType type)
{
    switch (type) {
    case TASK_SNAPSHOT_RESTORE:
    case TASK_CONFIGURE_GENESIS:
    case TASK_CONFIGURE_STATE_SYNC:
    case TASK_GENERATE_IDENTITY:
    case TASK_GENERATE_GENTX:
    case TASK_UPLOAD_GENESIS_ARTIFACTS:
        return true;
    default:
        return false;
    }
}

bool task_type_is_stored_first(TaskType type)
{
    return type == TASK_AWAIT_BOOTSTRAP_COMPLETE || type == TASK_TEARDOWN_BOOTSTRAP;
}
