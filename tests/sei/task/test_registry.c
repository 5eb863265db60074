/* Every task type has its task, and says so itself. */
#include "sei/task/task.h"
#include "tests/test.h"

TEST(every_known_task_type_is_registered_with_its_implementation)
{
    for (int type = TASK_UNKNOWN + 1; type < TASK_TYPE_COUNT; type++) {
        const TaskKind *kind = task_find((TaskType)type);
        then_true(kind != NULL);
        then_int(kind->type, type);
        then_true(kind->step != NULL);
    }
}

TEST(an_unknown_task_type_is_not_registered)
{
    then_true(task_find(TASK_UNKNOWN) == NULL);
}
