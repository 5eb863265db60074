/* Looking at Secrets: see secret_check.h.
 *
 * The surprising thing: the answer of the server lives in an arena of its own, so that it can be
 * overwritten at once; the reconcile's arena would keep it until the end. That works because no
 * cache holds Secrets: of a kind that is cached the runtime may remember what was read live. */
#include "sei/task/secret_check.h"

#include "base/base64.h"
#include "base/str.h"
#include "kube/kube.h"
#include "kube/meta.h"
#include "kube/timestamp.h"

#include <string.h>

enum {
    SECRET_ARENA_MAX = 16 << 20, /* a Secret has at most 1 MiB, of many small values perhaps */
    KEY_FILE_MAX = 64 << 10,     /* in base64; a key has less than 1 KiB */
};

/* --- one Secret --- */

static Err *read_secret(Ctx *c, Key key, const Json **ret)
{
    Arena *a = c->arena;
    const char *name = key_text(a, key);
    Err *err = kube_get_if_any(c, kind_secret, key, ret);

    if (err) {
        Err *wait = err_wait(a, "Secret %s cannot be read: %s", name, err_text(a, err));
        wait->retry_after_ms = err->retry_after_ms;
        return wait;
    }
    if (!*ret)
        return err_wait(a, "Secret %s does not exist: create it", name);
    if (meta_deleting(*ret))
        return err_wait(a, "Secret %s is being deleted: create it again when it is gone", name);
    return OK;
}

Err *secret_look(Ctx *c, TaskRun *run, const char *name, SecretJudge *judge, const void *self)
{
    Key key = {.namespace = run->node->key.namespace, .name = name};
    SCOPED_ARENA secrets = arena_open(SECRET_ARENA_MAX);
    Ctx inside = *c;
    const Json *secret = NULL;

    arena_keep_secret(secrets);
    inside.arena = secrets;
    Err *err = read_secret(&inside, key, &secret);
    if (!err)
        err = judge(secrets, key_text(secrets, key), json_find(secret, ".data"), self);
    if (err_is(err, ERR_WAIT))
        run->look_again_ms =
            err->retry_after_ms > TASK_LOOK_MS ? err->retry_after_ms : TASK_LOOK_MS;
    return err_copy(c->arena, err);
}

/* --- what is said about it --- */

Err *secret_tell(Ctx *c, TaskRun *run, const KeyWords *words, const char *found, Err *err)
{
    char *now = arena_alloc(c->arena, TIMESTAMP_SIZE);
    Reason reason = !err            ? words->validated
        : err_is(err, ERR_TERMINAL) ? words->invalid
                                    : words->not_ready;
    Cond cond = {
        .type = words->condition,
        .status = err ? "False" : "True",
        .reason = reason_text(reason),
        .message = err ? err_text(c->arena, err) : found,
        .observed_generation = run->node->generation,
    };

    timestamp_format(c->clock->wall_ns(c->clock), now);
    conds_set(c->arena, &run->status->conds, &cond, now);
    return err;
}

/* --- a key that is a file of JSON --- */

static Err *parse_file(
    Arena *a, const char *secret, const char *file, const char *encoded, const Json **ret)
{
    Bytes text;

    if (base64_decode(a, encoded, &text))
        return err_terminal(a, "%s of Secret %s is not base64", file, secret);
    /* Where it stops being JSON would say something about what it is. */
    if (json_parse(a, text, ret))
        return err_terminal(a, "%s of Secret %s is not JSON", file, secret);
    return OK;
}

static Err *judge_file(Arena *a, const char *secret, const Json *data, const void *self)
{
    const KeyFile *key = self;
    const char *encoded = json_text(json_member(data, key->file));
    const Json *value;

    if (str_empty(encoded))
        return err_terminal(a, "Secret %s has no %s, or an empty one", secret, key->file);
    if (strlen(encoded) > KEY_FILE_MAX)
        return err_terminal(a, "%s of Secret %s is larger than any key", key->file, secret);
    TRY(parse_file(a, secret, key->file, encoded, &value));
    for (const char *const *path = key->texts; *path; path++)
        if (str_empty(json_str(value, *path)))
            return err_terminal(a, "%s of Secret %s has no %s", key->file, secret, *path + 1);
    return OK;
}

static Err *validate(Ctx *c, TaskRun *run, const KeyFile *key, const char *name)
{
    if (str_empty(name))
        return err_terminal(c->arena, "the task names no Secret: its params have no secretName");
    return secret_look(c, run, name, judge_file, key);
}

Err *key_file_validate(Ctx *c, TaskRun *run, const KeyFile *key)
{
    const char *name = json_str(run->task->params, ".secretName");
    const char *found = str_format(c->arena,
        "Secret %s has a %s of the right shape",
        key_text(c->arena, (Key){run->node->key.namespace, name ? name : ""}),
        key->file);

    return secret_tell(c, run, &key->words, found, validate(c, run, key, name));
}
