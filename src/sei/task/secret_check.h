/* SecretCheck: what the three tasks share that look at a validator's Secrets.
 *
 * A Secret is read live and by its name, never listed, watched or kept, into memory that is
 * overwritten once it has been looked at. What comes out is whether it will do, in words that name
 * the Secret and the place in it, and never what stands there. */
#ifndef SEI_TASK_SECRET_CHECK_H
#define SEI_TASK_SECRET_CHECK_H

#include "sei/api/condition.h"
#include "sei/task/task.h"

/* Says of a Secret's data, still in base64, whether it will do. `secret` is what messages call it;
 * `self` is the caller's. ERR_TERMINAL when it will not. */
typedef Err *SecretJudge(Arena *a, const char *secret, const Json *data, const void *self);

/* Reads the Secret of that name in the node's namespace and has it judged. ERR_WAIT for one that
 * does not exist, cannot be read or is being deleted: run->look_again_ms is set then. */
Err *secret_look(
    Ctx *c, TaskRun *run, const char *name, SecretJudge *judge, const void *self) MUST_CHECK;

/* What is said about one kind of key. */
typedef struct KeyWords {
    const char *condition;
    Reason validated, not_ready, invalid;
} KeyWords;

/* Sets the condition by what came of looking, and gives that back. `found` is the message when all
 * is well. */
Err *secret_tell(
    Ctx *c, TaskRun *run, const KeyWords *words, const char *found, Err *err) MUST_CHECK;

/* A key that is a file of JSON: its name in the Secret, and the paths at which it must have a text
 * that is not empty, ended by NULL. */
typedef struct KeyFile {
    KeyWords words;
    const char *file;
    const char *const *texts;
} KeyFile;

/* All of a task that validates such a key: the Secret is named by the task's params. */
Err *key_file_validate(Ctx *c, TaskRun *run, const KeyFile *key) MUST_CHECK;

/* node_key_id.c: the node id of the key in the Secret of spec.validator.nodeKey. ERR_WAIT, with
 * run->look_again_ms set, for one that is not there or holds no ed25519 key. */
Err *task_node_key_id(Ctx *c, TaskRun *run, char ret[SIDECAR_NODE_ID_SIZE]) MUST_CHECK;

#endif
