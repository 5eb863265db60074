/* What a person tells a sandbox, carried out on a server that is only an answer. */
#include "sandbox/ctl.h"

#include "tests/test.h"

enum { SAID_MAX = 1 << 20 };

typedef struct Answering {
    Api port;
    const Json *answer;
} Answering;

static Err *answer(Api *port, Arena *a, const Request *request, const Json **ret)
{
    (void)a, (void)request;
    *ret = ((Answering *)port)->answer;
    return OK;
}

TEST(get_prints_the_answer_of_the_server)
{
    const struct {
        const char *name, *answer, *want;
    } cases[] = {
        {"an object", "{a: 1}", "{\n  \"a\": 1\n}\n"},
        {"plain text", "'ok'", "ok\n"},
    };

    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Answering server = {{answer}, json_fixture(a, cases[i].answer)};
        Buf said = {.ceiling = SAID_MAX};
        Ctl ctl = {.api = &server.port, .said = &said};

        then_ok(ctl_run(&ctl, a, (char *[]){"get", "/x", NULL}, 2));
        then_str(said.data, cases[i].want);
        buf_close(&said);
    }
}

TEST(an_answer_that_is_too_long_to_print_is_reported)
{
    enum { NUMBERS = SAID_MAX / 4 };
    SCOPED_ARENA a = arena_open(64 << 20);
    char *text = arena_alloc(a, 2 * NUMBERS + 1); /* short as it came, long with its indentation */
    Answering server = {{answer}, NULL};
    Buf said = {.ceiling = SAID_MAX};
    Ctl ctl = {.api = &server.port, .said = &said};

    for (size_t i = 0; i < NUMBERS; i++)
        memcpy(text + 2 * i, i == 0 ? "[1" : ",1", 2);
    text[2 * NUMBERS] = ']';
    then_ok(json_parse(a, (Bytes){text, 2 * NUMBERS + 1}, &server.answer));
    then_err(ctl_run(&ctl, a, (char *[]){"get", "/x", NULL}, 2),
        TERMINAL("is longer than 1 MiB: ask for less, as with ?limit=100"));
    then_int(said.len, 0);
    buf_close(&said);
}
