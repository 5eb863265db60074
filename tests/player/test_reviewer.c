/* Who a token is, and what they may. */
#include "player/reviewer.h"

#include "tests/test.h"

typedef struct Desk {
    Api port;
    Arena *arena;
    ManualClock clock;
    Reviewer *reviewer;
    const char *token_answer, *access_answer; /* NULL: 503 */
    const Json *token_body, *access_body;
    int calls;
} Desk;

static Err *call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Desk *d = (Desk *)(void *)self;
    bool is_token = str_eq(request->kind->plural, "tokenreviews");
    const char *answer = is_token ? d->token_answer : d->access_answer;

    d->calls++;
    then_int(request->verb, VERB_CREATE);
    *(is_token ? &d->token_body : &d->access_body) = json_copy(d->arena, request->body);
    if (!answer)
        return err_retry(a, "no answer");
    *ret = json_fixture(a, answer);
    return OK;
}

static void desk_open(Desk *d)
{
    *d = (Desk){.port = {call}, .arena = arena_open(16 << 20)};
    clock_manual_init(&d->clock, 0, 0);
    d->reviewer = reviewer_open(&d->port, &d->clock.port);
}

static void desk_close(Desk *d)
{
    reviewer_close(d->reviewer);
    arena_close(d->arena);
}

static const char known[] =
    "{status: {authenticated: true, user: {username: 'op', uid: 'u', groups: ['g']}}}";

static const struct {
    const char *name, *token, *access;
    SidecarVerdict verdict;
} cases[] = {
    {"a user with the permission", known, "{status: {allowed: true}}", VERDICT_ALLOWED},
    {"a user without the permission", known, "{status: {allowed: false}}", VERDICT_DENIED},
    {"nobody", "{status: {error: 'x'}}", NULL, VERDICT_UNAUTHENTICATED},
    {"a server that knows no tokens now", NULL, NULL, VERDICT_UNAUTHENTICATED},
    {"a server that cannot answer access reviews", known, NULL, VERDICT_ERROR},
};

TEST(the_reviewer_checks_the_token_and_then_the_permission)
{
    each_case(i, cases) {
        Desk d;
        SidecarReview review = {.token = "secret",
            .audiences = "a,b",
            .verb = "create",
            .namespace = "sei",
            .name = "rpc"};
        desk_open(&d);
        d.token_answer = cases[i].token;
        d.access_answer = cases[i].access;
        then_int(reviewer_ask(d.reviewer, &review), cases[i].verdict);
        then_json(json_find(d.token_body, ".spec"), "{token: 'secret', audiences: ['a', 'b']}");
        if (cases[i].token == known) {
            then_str(review.user, "op");
            then_json(json_find(d.access_body, ".spec"),
                "{user: 'op', uid: 'u', groups: ['g'], resourceAttributes: {group: 'sei.io',"
                " resource: 'seinodetasks', verb: 'create', namespace: 'sei', name: 'rpc'}}");
        }
        desk_close(&d);
    }
}

TEST(a_granted_access_is_cached_for_a_time_and_a_denied_one_is_not)
{
    Desk d;
    SidecarReview yes = {.token = "t", .verb = "get", .namespace = "n", .name = "x"};
    SidecarReview other = {.token = "t", .verb = "create", .namespace = "n", .name = "x"};
    desk_open(&d);
    d.token_answer = known;
    d.access_answer = "{status: {allowed: true}}";
    then_int(reviewer_ask(d.reviewer, &yes), VERDICT_ALLOWED);
    memset(yes.user, 0, sizeof yes.user);
    then_int(reviewer_ask(d.reviewer, &yes), VERDICT_ALLOWED);
    then_str(yes.user, "op");
    then_int(d.calls, 2);
    then_true(!json_member(json_find(d.token_body, ".spec"), "audiences"));
    d.access_answer = "{status: {allowed: false}}";
    then_int(reviewer_ask(d.reviewer, &other), VERDICT_DENIED);
    then_int(reviewer_ask(d.reviewer, &other), VERDICT_DENIED);
    then_int(d.calls, 6);
    clock_manual_advance_ms(&d.clock, REVIEWER_KEEPS_MS + 1);
    then_int(reviewer_ask(d.reviewer, &yes), VERDICT_DENIED);
    desk_close(&d);
}
