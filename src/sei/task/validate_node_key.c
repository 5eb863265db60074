/* validate-node-key: the Secret with the key that names a node to its peers is there and has its
 * shape. */
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/secret_check.h"

static const KeyFile node_key = {
    .words =
        {
            .condition = COND_NODE_KEY,
            .validated = REASON_NODE_KEY_VALIDATED,
            .not_ready = REASON_NODE_KEY_NOT_READY,
            .invalid = REASON_NODE_KEY_INVALID,
        },
    .file = KEY_FILE_NODE,
    .texts = (const char *const[]){".priv_key.type", ".priv_key.value", NULL},
};

static Err *validate_node_key(Ctx *c, TaskRun *run)
{
    return key_file_validate(c, run, &node_key);
}

const TaskKind task_validate_node_key = {.type = TASK_VALIDATE_NODE_KEY, .step = validate_node_key};
