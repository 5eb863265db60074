/* validate-signing-key: the Secret with the key that signs blocks is there and has its shape.
 * Whether the key is a good one, only the chain can say. */
#include "sei/api/names.h"
#include "sei/task/kinds.h"
#include "sei/task/secret_check.h"

static const KeyFile signing_key = {
    .words =
        {
            .condition = COND_SIGNING_KEY,
            .validated = REASON_SIGNING_KEY_VALIDATED,
            .not_ready = REASON_SIGNING_KEY_NOT_READY,
            .invalid = REASON_SIGNING_KEY_INVALID,
        },
    .file = KEY_FILE_SIGNING,
    .texts =
        (const char *const[]){
            ".address",
            ".pub_key.type",
            ".pub_key.value",
            ".priv_key.type",
            ".priv_key.value",
            NULL,
        },
};

static Err *validate_signing_key(Ctx *c, TaskRun *run)
{
    return key_file_validate(c, run, &signing_key);
}

const TaskKind task_validate_signing_key = {
    .type = TASK_VALIDATE_SIGNING_KEY, .step = validate_signing_key};
