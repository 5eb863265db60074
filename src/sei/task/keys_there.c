/* Whether a validator's pod could start: the Secrets that it mounts are there, each with the key
 * that is named of it. (The passphrase is a variable, not a volume: where that is missing the pod
 * starts as far as it can, and its status says why it stops there.) */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/api/node_hash.h"
#include "sei/task/secret_check.h"

/* `self` is the name of the file that is mounted; NULL: whatever there is. */
static Err *judge_file(Arena *a, const char *secret, const Json *data, const void *self)
{
    if (!self || json_member(data, self))
        return OK;
    return err_wait(a, "Secret %s has no %s", secret, (const char *)self);
}

Err *task_keys_are_there(Ctx *c, TaskRun *run)
{
    const NodeSpec *spec = &run->node->spec;
    const struct {
        const char *secret, *file;
    } mounted[] = {
        {spec->signing_key.secret, KEY_FILE_SIGNING},
        {spec->node_key.secret, KEY_FILE_NODE},
        {spec->keyring.secret, NULL},
    };

    if (node_mode(run->node) != MODE_VALIDATOR)
        return OK;
    for (size_t i = 0; i < sizeof mounted / sizeof mounted[0]; i++)
        if (mounted[i].secret)
            TRY(secret_look(c, run, mounted[i].secret, judge_file, mounted[i].file));
    return OK;
}
