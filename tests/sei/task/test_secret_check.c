/* Looking at Secrets: by name and live, again while there is hope, and keeping nothing. */
#include "sei/task/secret_check.h"
#include "tests/sei/task/keys.h"

static Err *judge_nothing(Arena *a, const char *secret, const Json *data, const void *self)
{
    (void)a, (void)secret, (void)data, (void)self;
    return OK;
}

static Err *judge_by_refusing(Arena *a, const char *secret, const Json *data, const void *self)
{
    return err_terminal(a, "%s of %s: %s", (const char *)self, secret, data ? "data" : "none");
}

TEST(a_secret_is_read_by_its_name_in_the_namespace_of_the_node)
{
    SCOPED_WORLD w = world_of(NULL);
    given_secret(w, "signing", "x", KEY_WORD);
    given_params(w, "{namespace: 'elsewhere'}");

    then_ok(secret_look(&w->ctx, &w->run, "signing", judge_nothing, NULL));

    then_str(w->said, "get secrets signing");
    then_int(w->run.look_again_ms, 0);
}

TEST(what_the_judge_says_outlives_what_it_saw)
{
    SCOPED_WORLD w = world_of(NULL);
    given_secret(w, "signing", "x", KEY_WORD);

    Err *err = secret_look(&w->ctx, &w->run, "signing", judge_by_refusing, "shape");

    then_err(err, TERMINAL("shape of sei/signing: data"));
}

TEST(a_secret_on_its_way_out_is_waited_for)
{
    SCOPED_WORLD w = world_of(NULL);
    given(w,
        kind_secret,
        "{metadata: {name: 'signing', namespace: 'sei', finalizers: ['t.io/x']}}",
        NULL);
    deleted(w, kind_secret, "signing");

    then_err(secret_look(&w->ctx, &w->run, "signing", judge_nothing, NULL),
        WAIT("Secret sei/signing is being deleted"));

    then_int(w->run.look_again_ms, 5000);
}

TEST(a_secret_that_cannot_be_read_is_waited_for)
{
    static const struct {
        const char *name;
        int status;
        const char *message;
    } refusals[] = {
        {"no right", 403, "secrets is forbidden"},
        {"a server in trouble", 500, "etcd is on fire"},
        {"a request that is not understood", 400, "what"},
    };

    each_case(i, refusals) {
        SCOPED_WORLD w = world_of(NULL);
        w->refusal.verb = VERB_GET;
        w->refusal.status = refusals[i].status;
        w->refusal.message = refusals[i].message;

        Err *err = secret_look(&w->ctx, &w->run, "signing", judge_nothing, NULL);

        then_err(err, WAIT("Secret sei/signing cannot be read"));
        then_true(strstr(err_text(w->arena, err), refusals[i].message) != NULL);
        then_int(w->run.look_again_ms, 5000);
    }
}

TEST(a_connection_that_breaks_is_waited_for)
{
    SCOPED_WORLD w = world_of(NULL);
    w->fault_at = 1;
    w->fault = FAULT_BEFORE;

    then_err(secret_look(&w->ctx, &w->run, "signing", judge_nothing, NULL), WAIT("no answer"));
}

TEST(a_condition_keeps_its_time_while_its_status_stays)
{
    static const KeyWords words = {
        COND_NODE_KEY,
        REASON_NODE_KEY_VALIDATED,
        REASON_NODE_KEY_NOT_READY,
        REASON_NODE_KEY_INVALID,
    };
    SCOPED_WORLD w = world_of(NULL);
    Err *late = err_wait(w->arena, "it is late"), *wrong = err_terminal(w->arena, "it is wrong");

    then_true(secret_tell(&w->ctx, &w->run, &words, "found", late) == late);
    const Cond *cond = conds_find(&w->status.conds, COND_NODE_KEY);
    const char *since = cond->last_transition_time;
    then_str(cond->message, "it is late");

    w->clock.wall_ns += 60 * (int64_t)1000000000;
    then_true(secret_tell(&w->ctx, &w->run, &words, "found", wrong) == wrong);
    then_str(cond->last_transition_time, since);
    then_str(cond->reason, "NodeKeyInvalid");

    then_ok(secret_tell(&w->ctx, &w->run, &words, "found", OK));
    then_str(cond->last_transition_time, "2026-01-01T00:01:00Z");
    then_str(cond->message, "found");
}
