/* Who may read the metrics: what the API server is asked, how often, and what its answers become.
 */
#include "operator/door.h"

#include "tests/test.h"

typedef struct Gate {
    Transport transport; /* first, so that the port is this */
    Api api;
    Arena *arena;
    ManualClock clock;
    Door *door;
    const char *token_answer, *access_answer; /* NULL: no answer */
    const char *asked;                        /* the last questions */
    int questions;
} Gate;

static Gate *gate_of(Api *api)
{
    return (Gate *)(void *)((char *)api - offsetof(Gate, api));
}

static Err *answer(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Gate *g = gate_of(self);
    bool is_token = str_eq(request->kind->plural, "tokenreviews");
    const char *said = is_token ? g->token_answer : g->access_answer;

    then_int(request->verb, VERB_CREATE);
    then_true(request->deadline_ms > 0);
    g->questions++;
    g->asked = json_write(g->arena, request->body).data;
    if (!said)
        return err_retry(a, "no answer");
    *ret = json_fixture(a, said);
    return OK;
}

static Api *open_api(Transport *self)
{
    return &((Gate *)(void *)self)->api;
}

static void close_api(Transport *self, Api *api)
{
    (void)self, (void)api;
}

#define USER                                                                                       \
    "{status: {authenticated: true, user: {username: 'scraper', uid: 'u-1', groups: ['g'],"        \
    " extra: {a: ['b']}}}}"
#define YES "{status: {allowed: true}}"
#define NO  "{status: {allowed: false}}"

static Gate *gate_open(void)
{
    Arena *a = arena_open(4 << 20);
    Gate *g = arena_new(a, Gate);

    g->arena = a;
    g->transport = (Transport){.open_api = open_api, .close_api = close_api};
    g->api.call = answer;
    g->token_answer = USER;
    g->access_answer = YES;
    clock_manual_init(&g->clock, 1000000000, 0);
    g->door = door_open(&(DoorOptions){.transport = &g->transport, .clock = &g->clock.port});
    return g;
}

static void gate_close(Gate **g)
{
    door_close((*g)->door);
    arena_close((*g)->arena);
}

#define SCOPED_GATE __attribute__((cleanup(gate_close))) Gate *

/* The status for whoever comes with a token. */
static int knock(Gate *g, const char *path, const char *token)
{
    Reply reply = {.body = {.ceiling = 4096}};
    bool is_admitted = door_admit(g->door, path, token, &reply);

    then_true(is_admitted == (reply.body.len == 0));
    then_true(!token || is_admitted || !strstr(reply.body.data, token));
    buf_close(&reply.body);
    return is_admitted ? 200 : reply.status;
}

static const struct {
    const char *name, *bearer, *token, *access;
    int status, questions;
} cases[] = {
    {"with the permission", "secret-1", USER, YES, 200, 2},
    {"without the permission", "secret-1", USER, NO, 403, 2},
    {"a token of no user", "secret-1", "{status: {authenticated: false}}", YES, 401, 1},
    {"a user without a name", "secret-1", "{status: {authenticated: true, user: {}}}", YES, 401, 1},
    {"an answer that says nothing", "secret-1", "{}", YES, 401, 1},
    {"an access review without a verdict", "secret-1", USER, "{}", 403, 2},
    {"no token", NULL, USER, YES, 401, 0},
    {"no answer about the token", "secret-1", NULL, YES, 503, 1},
    {"an access review without an answer", "secret-1", USER, NULL, 503, 2},
};

TEST(only_a_user_with_the_permission_can_read_metrics)
{
    each_case(i, cases) {
        SCOPED_GATE g = gate_open();

        g->token_answer = cases[i].token;
        g->access_answer = cases[i].access;
        then_int(knock(g, "/metrics", cases[i].bearer), cases[i].status);
        then_int(g->questions, cases[i].questions);
    }
}

TEST(the_access_review_for_metrics_contains_all_user_attributes)
{
    SCOPED_GATE g = gate_open();

    then_int(knock(g, "/metrics", "secret-1"), 200);
    const Json *asked;
    then_ok(json_parse(g->arena, bytes_of(g->asked), &asked));
    then_json(json_find(asked, ".spec"),
        "{user: 'scraper', groups: ['g'], uid: 'u-1', extra: {a: ['b']},"
        " nonResourceAttributes: {path: '/metrics', verb: 'get'}}");
}

TEST(a_granted_metrics_access_is_cached_for_a_minute_and_a_denied_one_for_ten_seconds)
{
    SCOPED_GATE g = gate_open();

    then_int(knock(g, "/metrics", "secret-1"), 200);
    g->access_answer = NO;
    clock_manual_advance_ms(&g->clock, DOOR_ADMITTED_MS - 1);
    then_int(knock(g, "/metrics", "secret-1"), 200);
    clock_manual_advance_ms(&g->clock, 1);
    then_int(knock(g, "/metrics", "secret-1"), 403);
    g->access_answer = YES;
    clock_manual_advance_ms(&g->clock, DOOR_REFUSED_MS - 1);
    then_int(knock(g, "/metrics", "secret-1"), 403);
    clock_manual_advance_ms(&g->clock, 1);
    then_int(knock(g, "/metrics", "secret-1"), 200);
    then_int(g->questions, 6);
}

TEST(a_cached_metrics_access_applies_to_one_token_and_one_path)
{
    SCOPED_GATE g = gate_open();

    then_int(knock(g, "/metrics", "secret-1"), 200);
    g->access_answer = NO;
    then_int(knock(g, "/metrics", "secret-2"), 403);
    then_int(knock(g, "/other", "secret-1"), 403);
    then_int(knock(g, "/metrics", "secret-1"), 200);
}

TEST(a_failed_metrics_access_review_is_not_cached)
{
    SCOPED_GATE g = gate_open();

    g->token_answer = NULL;
    then_int(knock(g, "/metrics", "secret-1"), 503);
    g->token_answer = USER;
    then_int(knock(g, "/metrics", "secret-1"), 200);
}

TEST(a_client_that_tries_many_tokens_is_slowed_down_and_a_known_client_is_not)
{
    SCOPED_GATE g = gate_open();

    then_int(knock(g, "/metrics", "known"), 200);
    g->token_answer = "{status: {authenticated: false}}";
    int refused = 0;
    for (int i = 0; i < 1000; i++)
        refused += knock(g, "/metrics", str_format(g->arena, "try-%d", i)) == 429;
    then_int(refused, 1000 - (DOOR_REVIEWS_MAX - 1));
    then_int(g->questions, 2 + DOOR_REVIEWS_MAX - 1);
    then_int(knock(g, "/metrics", "known"), 200);
    clock_manual_advance_ms(&g->clock, 1000);
    then_int(knock(g, "/metrics", "try-again"), 401);
}

/* More tokens than there is room for, at the highest rate, for longer than a yes is remembered. */
TEST(a_client_that_tries_many_tokens_does_not_lock_out_a_known_client)
{
    SCOPED_GATE g = gate_open();

    then_int(knock(g, "/metrics", "known"), 200);
    for (int second = 0; second < 300; second++) {
        g->token_answer = "{status: {authenticated: false}}";
        for (int i = 0; i < DOOR_REVIEWS_MAX + 1; i++)
            knock(g, "/metrics", str_format(g->arena, "try-%d-%d", second, i));
        g->token_answer = USER;
        then_int(knock(g, "/metrics", "known"), 200);
        clock_manual_advance_ms(&g->clock, 1000);
    }
}

TEST(the_cache_of_metrics_access_is_limited)
{
    SCOPED_GATE g = gate_open();

    for (int i = 0; i < 3 * DOOR_MEMORY; i++) {
        then_int(knock(g, "/metrics", str_format(g->arena, "t-%d", i)), 200);
        clock_manual_advance_ms(&g->clock, 200);
    }
    g->access_answer = NO;
    then_int(knock(g, "/metrics", "t-0"), 403); /* forgotten, and asked about again */
}
