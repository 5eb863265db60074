/* Tokens of the world's server, and what a sidecar's proxy learns from them. */
#include "world/token.h"

#include "tests/test.h"

typedef struct Bank {
    Arena *arena;
    World *world;
    Api *api;
} Bank;

static void bank_open(Bank *b)
{
    b->arena = arena_open(16 << 20);
    b->world = world_open(&(WorldOptions){.seed = 1});
    b->api = world_api(b->world, "person");
    Request create = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {"default", "op"},
        .body = json_fixture(b->arena,
            "{apiVersion: 'v1', kind: 'ServiceAccount',"
            " metadata: {name: 'op', namespace: 'default'}}")};
    then_ok(api_call(b->api, b->arena, &create, NULL));
}

static void bank_close(Bank *b)
{
    world_close(b->world);
    arena_close(b->arena);
}

static const char *token(Bank *b, const char *spec)
{
    const Json *got = NULL;
    Request create = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {"default", "op"},
        .subresource = "token",
        .body = json_fixture(b->arena,
            str_format(b->arena,
                "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: %s}",
                spec))};
    then_ok(api_call(b->api, b->arena, &create, &got));
    return json_str(got, ".status.token");
}

static const struct {
    const char *name, *spec, *audiences;
    SidecarVerdict verdict;
} cases[] = {
    {"for the server's own audience", "{}", NULL, VERDICT_ALLOWED},
    {"for a sidecar", "{audiences: ['sei-sidecar.sei']}", "sei-sidecar.sei", VERDICT_ALLOWED},
    {"for a sidecar among others",
        "{audiences: ['x', 'sei-sidecar.sei']}",
        "y,sei-sidecar.sei",
        VERDICT_ALLOWED},
    {"for another sidecar",
        "{audiences: ['sei-sidecar.a']}",
        "sei-sidecar.b",
        VERDICT_UNAUTHENTICATED},
    {"for the server, given to a sidecar", "{}", "sei-sidecar.sei", VERDICT_UNAUTHENTICATED},
    {"for a sidecar, given to the server",
        "{audiences: ['sei-sidecar.sei']}",
        NULL,
        VERDICT_UNAUTHENTICATED},
    {"an audience with strange signs", "{audiences: ['a/b%,c']}", "a/b%", VERDICT_ALLOWED},
};

TEST(a_token_is_good_for_its_audience)
{
    each_case(i, cases) {
        Bank b;
        bank_open(&b);
        SidecarReview review = {
            .token = token(&b, cases[i].spec), .audiences = cases[i].audiences, .verb = "get"};
        then_int(token_review(b.world, &review), cases[i].verdict);
        if (cases[i].verdict == VERDICT_ALLOWED)
            then_str(review.user, "system:serviceaccount:default:op");
        bank_close(&b);
    }
}

TEST(a_token_ends_with_its_time_and_with_its_account)
{
    Bank b;
    bank_open(&b);
    SidecarReview review = {.token = token(&b, "{expirationSeconds: 600}")};
    SidecarReview later = {.token = token(&b, "{expirationSeconds: 7200}")};
    then_true(!str_eq(review.token, later.token));
    world_run_until(b.world, 599000);
    then_int(token_review(b.world, &review), VERDICT_ALLOWED);
    world_run_until(b.world, 601000);
    then_int(token_review(b.world, &review), VERDICT_UNAUTHENTICATED);
    then_int(token_review(b.world, &later), VERDICT_ALLOWED);
    Request delete = {.verb = VERB_DELETE, .kind = kind_serviceaccount, .key = {"default", "op"}};
    then_ok(api_call(b.api, b.arena, &delete, NULL));
    then_int(token_review(b.world, &later), VERDICT_UNAUTHENTICATED);
    bank_close(&b);
}

TEST(what_is_no_token_is_nobodys)
{
    static const struct {
        const char *name, *token;
    } bad[] = {
        {"nothing", ""},
        {"a word", "secret"},
        {"too few parts", "default/op/u/9999999999999999999/a"},
        {"too many parts", "default/op/u/99/a/b/c"},
        {"an empty part", "default//u/99/a/b"},
        {"no time", "default/op/u/soon/https%3A%2F%2Fkubernetes.default.svc/b"},
        {"another account's UID",
            "default/op/u/9000000000000000000/https%3A%2F%2Fkubernetes.default.svc/b"},
    };
    each_case(i, bad) {
        Bank b;
        bank_open(&b);
        SidecarReview review = {.token = bad[i].token};
        then_int(token_review(b.world, &review), VERDICT_UNAUTHENTICATED);
        bank_close(&b);
    }
}
