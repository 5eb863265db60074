/* Secrets of a validator for tests of tasks, and what must never be heard of them. */
#ifndef TESTS_SEI_TASK_KEYS_H
#define TESTS_SEI_TASK_KEYS_H

#include "tests/sei/world.h"

/* Stands in every Secret below, and nowhere else. */
#define KEY_WORD "rosebud"

#define SIGNING_KEY                                                                                \
    "{\"address\":\"1F\",\"pub_key\":{\"type\":\"t/Pub\",\"value\":\"cA==\"},"                     \
    "\"priv_key\":{\"type\":\"t/Priv\",\"value\":\"" KEY_WORD "\"}}"
#define NODE_KEY "{\"priv_key\":{\"type\":\"t/Priv\",\"value\":\"" KEY_WORD "\"}}"

/* A Secret with one value, given as plain text. */
static inline void given_secret(TaskWorld *w, const char *name, const char *file, const char *value)
{
    Arena *a = w->arena;
    const Json *secret = json_seal(a,
        draft(a,
            obj("metadata", str("name", name), str("namespace", "sei")),
            obj("stringData", str(file, value))));

    given(w, kind_secret, json_write(a, secret).data, NULL);
}

/* What the task will find in its params. */
static inline void given_params(TaskWorld *w, const char *json5)
{
    w->run.task->params = json_fixture(w->arena, json5);
}

/* No value of a Secret stands in what was said, told or stored. */
static inline void then_nothing_leaks(TaskWorld *w, const Err *err)
{
    const char *status = json_write(w->arena, node_status_encode(w->arena, &w->status)).data;

    then_true(!strstr(err_text(w->arena, err), KEY_WORD));
    then_true(!strstr(status, KEY_WORD));
    then_true(!w->said || !strstr(w->said, KEY_WORD));
}

/* The condition says what came of it; the class of the error, whether to look again. */
static inline void then_told(TaskWorld *w, const char *type, const char *stem, const Err *err)
{
    const char *word = !err ? "Validated" : err_is(err, ERR_TERMINAL) ? "Invalid" : "NotReady";
    const Cond *cond = conds_find(&w->status.conds, type);

    then_true(cond != NULL);
    then_str(cond->status, err ? "False" : "True");
    then_str(cond->reason, str_format(w->arena, "%s%s", stem, word));
    then_true(!str_empty(cond->message));
    if (err)
        then_str(cond->message, err_text(w->arena, err));
    then_int(cond->observed_generation, w->node.generation);
    then_int(w->run.look_again_ms, err_is(err, ERR_WAIT) ? 5000 : 0);
    then_nothing_leaks(w, err);
}

#endif
