/* Every task type has its task, and says so itself. */
#include "sei/task/task.h"
#include "tests/test.h"

TEST(every_type_that_is_known_has_a_task)
{
    for (int type = TASK_UNKNOWN + 1; type < TASK_TYPE_COUNT; type++) {
        const TaskKind *kind = task_find((TaskType)type);
        then_true(kind != NULL);
        then_int(kind->type, type);
        then_true(kind->step != NULL);
    }
}

TEST(an_unknown_type_has_none)
{
    then_true(task_find(TASK_UNKNOWN) == NULL);
}
