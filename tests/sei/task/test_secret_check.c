/* Looking at Secrets: by name and live, again while there is hope, and keeping nothing. */
#include "sei/task/secret_check.h"
#include "tests/sei/task/keys.h"
#include "tests/sei/task/one_answer.h"

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

TEST(the_verdict_on_a_secret_contains_nothing_of_its_value)
{
    SCOPED_WORLD w = world_of(NULL);
    given_secret(w, "signing", "x", KEY_WORD);

    Err *err = secret_look(&w->ctx, &w->run, "signing", judge_by_refusing, "shape");

    then_err(err, TERMINAL("shape of sei/signing: data"));
}

TEST(a_secret_that_is_being_deleted_is_awaited)
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

TEST(a_secret_that_the_api_server_refuses_to_show_is_awaited)
{
    static const struct {
        const char *name;
        int status;
        const char *message;
    } refusals[] = {
        {"no permission", 403, "secrets is forbidden"},
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

TEST(a_broken_connection_while_reading_a_secret_is_awaited)
{
    SCOPED_WORLD w = world_of(NULL);
    w->fault_at = 1;
    w->fault = FAULT_BEFORE;

    then_err(secret_look(&w->ctx, &w->run, "signing", judge_nothing, NULL), WAIT("no answer"));
}

TEST(a_key_condition_keeps_its_transition_time_while_its_status_is_the_same)
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

/* --- what no key is --- */

enum { MEGABYTE = 1 << 20, KEY_FILE_MAX = 64 << 10 };

/* So many of a piece, in base64. */
static const char *many(Arena *a, const char *piece, size_t count)
{
    size_t len = strlen(piece);
    char *text = arena_alloc(a, len * count + 1);

    for (size_t i = 0; i < count; i++)
        memcpy(text + i * len, piece, len);
    return text;
}

/* Pieces are three bytes in base64, so that they can be put together. */
static const struct {
    const char *name;
    const char *piece;
    size_t count;
    const char *message;
} no_keys[] = {
    {"a megabyte", "cm9z", MEGABYTE / 3, "is larger than any key"},
    {"a byte too many", "cm9z", KEY_FILE_MAX / 4 + 1, "is larger than any key"},
    {"as much text as can be", "cm9z", KEY_FILE_MAX / 4, "is not JSON"},
    {"nothing but open brackets", "W1tb", KEY_FILE_MAX / 4, "is not JSON"},
    {"nothing but open objects", "eyJ4", KEY_FILE_MAX / 4, "is not JSON"},
    {"nothing but zeros", "AAAA", KEY_FILE_MAX / 4, "is not JSON"},
    {"nothing that is UTF-8", "////", KEY_FILE_MAX / 4, "is not JSON"},
    {"nothing but spaces", "ICAg", KEY_FILE_MAX / 4, "is not JSON"},
    {"one number", "MTIz", 1, "has no address"},
    {"an empty object", "e30K", 1, "has no address"},
    {"a text with a zero in it", "IgAi", 1, "is not JSON"},
    {"half a group", "cm9", 1, "is not base64"},
    {"another alphabet", "cm9_", 1, "is not base64"},
    {"much that is no base64", "cm-z", KEY_FILE_MAX / 4, "is not base64"},
    {"padding within", "cg==cg==", 1, "is not base64"},
};

TEST(no_verdict_on_a_malformed_key_repeats_the_value)
{
    each_case(i, no_keys) {
        SCOPED_ARENA a = arena_open((size_t)64 << 20);
        const Json *secret = json_seal(a,
            draft(a,
                obj("metadata", str("name", "s")),
                obj("data",
                    str("priv_validator_key.json", many(a, no_keys[i].piece, no_keys[i].count)))));
        OneAnswer *o = one_answer_of(a, secret, "{secretName: 's'}");

        Err *err = one_answer_run(o, TASK_VALIDATE_SIGNING_KEY);

        then_true(err_is(err, ERR_TERMINAL));
        then_str(err_text(a, err),
            str_format(a, "priv_validator_key.json of Secret sei/s %s", no_keys[i].message));
    }
}

static const struct {
    const char *name, *answer;
    Want want;
} no_secrets[] = {
    {"no object", "[]", WAIT("Secret sei/s cannot be read: get secrets sei/s: the answer is no")},
    {"an object without a name", "{data: {x: 'rosebud'}}", WAIT("the answer is no object")},
    {"a Secret without data", "{metadata: {name: 's'}}", TERMINAL("has no priv_validator")},
    {"data that is a text", "{metadata: {name: 's'}, data: 'rosebud'}", TERMINAL("has no priv_")},
    {"data that is a list", "{metadata: {name: 's'}, data: ['rosebud']}", TERMINAL("has no priv_")},
    {"a value that is a number",
        "{metadata: {name: 's'}, data: {'priv_validator_key.json': 7}}",
        TERMINAL("has no priv_validator_key.json")},
    {"a value that is an object",
        "{metadata: {name: 's'}, data: {'priv_validator_key.json': {rosebud: 'rosebud'}}}",
        TERMINAL("has no priv_validator_key.json")},
};

TEST(no_error_about_an_unreadable_secret_repeats_the_answer_of_the_server)
{
    each_case(i, no_secrets) {
        SCOPED_ARENA a = arena_open(1 << 20);
        OneAnswer *o = one_answer_of(a, json_fixture(a, no_secrets[i].answer), "{secretName: 's'}");

        Err *err = one_answer_run(o, TASK_VALIDATE_SIGNING_KEY);

        then_err(err, no_secrets[i].want);
        then_true(!strstr(err_text(a, err), KEY_WORD));
    }
}
