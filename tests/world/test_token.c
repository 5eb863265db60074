/* Tokens of the world's server, and what a sidecar's proxy learns from them. */
#include "world/token.h"

#include "base/base64.h"
#include "base/draft.h"
#include "tests/test.h"

typedef struct Bank {
    Arena *arena;
    World *world;
    Api *api;
} Bank;

static void create_account(Bank *b, const char *name)
{
    Request create = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {"default", name},
        .body = json_fixture(b->arena,
            str_format(b->arena,
                "{apiVersion: 'v1', kind: 'ServiceAccount',"
                " metadata: {name: '%s', namespace: 'default'}}",
                name))};
    then_ok(api_call(b->api, b->arena, &create, NULL));
}

static void bank_open(Bank *b)
{
    b->arena = arena_open(16 << 20);
    b->world = world_open(&(WorldOptions){.seed = 1});
    b->api = world_api(b->world, "person");
    create_account(b, "op");
}

static void bank_close(Bank *b)
{
    world_close(b->world);
    arena_close(b->arena);
}

static const char *token_of(Bank *b, const char *account, const char *spec)
{
    const Json *got = NULL;
    Request create = {.verb = VERB_CREATE,
        .kind = kind_serviceaccount,
        .key = {"default", account},
        .subresource = "token",
        .body = json_fixture(b->arena,
            str_format(b->arena,
                "{apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: %s}",
                spec))};
    then_ok(api_call(b->api, b->arena, &create, &got));
    return json_str(got, ".status.token");
}

static const char *token(Bank *b, const char *spec)
{
    return token_of(b, "op", spec);
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
    {"an audience with strange signs", "{audiences: ['a/b%.\"c']}", "a/b%.\"c", VERDICT_ALLOWED},
};

TEST(a_token_is_valid_only_for_its_audience)
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

TEST(the_longest_service_account_name_is_returned_by_a_token_review)
{
    enum { NAME_MAX_LEN = 253 };
    char name[NAME_MAX_LEN + 1] = "";
    Bank b;
    bank_open(&b);

    memset(name, 'a', NAME_MAX_LEN);
    create_account(&b, name);
    SidecarReview review = {.token = token_of(&b, name, "{}"), .verb = "get"};
    then_int(token_review(b.world, &review), VERDICT_ALLOWED);
    then_str(review.user, str_format(b.arena, "system:serviceaccount:default:%s", name));
    bank_close(&b);
}

TEST(many_audiences_of_a_token_cost_only_the_memory_of_their_names)
{
    enum { AUDIENCES = 10000 };
    Bank b;
    bank_open(&b);
    SCOPED_ARENA small = arena_open(4 << 20);
    Draft *list = draft_array(b.arena);
    TokenHolder holder;

    for (int i = 0; i < AUDIENCES; i++)
        draft_push_str(list, str_format(b.arena, "a%d", i));
    const char *fault = token_find(
        world_server(b.world), small, token(&b, "{}"), json_seal(b.arena, list), &holder);
    then_ok(arena_err(small));
    then_true(strstr(fault,
                  "token audiences [\"https://kubernetes.default.svc\"] is invalid for the target "
                  "audiences [\"a0\" \"a1\" ")
        != NULL);
    then_str(fault + strlen(fault) - strlen(" \"a9999\"]]"), " \"a9999\"]]");
    fault = token_find(world_server(b.world),
        b.arena,
        token(&b, "{}"),
        json_fixture(b.arena, "[1, 'a\\u0000b']"), /* which are no texts */
        &holder);
    then_true(strstr(fault, "the target audiences [\"\" \"\"]]") != NULL);
    bank_close(&b);
}

TEST(a_token_expires_with_its_time_and_with_its_service_account)
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

TEST(a_malformed_token_belongs_to_no_user)
{
    static const struct {
        const char *name, *token;
    } bad[] = {
        {"nothing", ""},
        {"a word", "secret"},
        {"two parts", "a.b"},
        {"parts that say nothing", "a.b.c"},
        {"no signature", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."},
        {"four parts", "a.b.c.d"},
        {"dots alone", "..."},
    };
    each_case(i, bad) {
        Bank b;
        bank_open(&b);
        SidecarReview review = {.token = bad[i].token};
        then_int(token_review(b.world, &review), VERDICT_UNAUTHENTICATED);
        bank_close(&b);
    }
}

/* The claims of a token, as anybody can read them. */
static const Json *claims(Bank *b, const char *text)
{
    const char *dot = strchr(text, '.') + 1;
    const Json *got = NULL;
    Bytes bytes;
    then_ok(base64url_decode(b->arena, str_slice(b->arena, dot, strcspn(dot, ".")), &bytes));
    then_ok(json_parse(b->arena, bytes, &got));
    return got;
}

TEST(the_claims_of_a_token_can_be_decoded)
{
    Bank b;
    bank_open(&b);
    const Json *got = claims(&b, token(&b, "{expirationSeconds: 600}"));
    then_str(json_str(got, ".sub"), "system:serviceaccount:default:op");
    then_int(json_int(got, ".exp", 0) - json_int(got, ".iat", 0), 600);
    then_str(json_str(got, ".aud[0]"), "https://kubernetes.default.svc");
    then_str(json_str(got, "['kubernetes.io'].serviceaccount.name"), "op");
    bank_close(&b);
}

TEST(a_modified_token_belongs_to_no_user)
{
    Bank b;
    bank_open(&b);
    const char *good = token(&b, "{}");
    for (size_t i = 0; i < strlen(good); i++) {
        char *changed = (char *)str_copy(b.arena, good);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        SidecarReview review = {.token = changed};
        then_int(token_review(b.world, &review), VERDICT_UNAUTHENTICATED);
    }
    bank_close(&b);
}

TEST(a_token_of_another_server_belongs_to_no_user)
{
    Bank b;
    bank_open(&b);
    World *other = world_open(&(WorldOptions){.seed = 1, .token_key = "another"});
    const char *text = token(&b, "{}");
    TokenHolder holder;
    then_true(token_find(world_server(b.world), b.arena, text, NULL, &holder) == NULL);
    then_str(token_find(world_server(other), b.arena, text, NULL, &holder), "invalid bearer token");
    world_close(other);
    bank_close(&b);
}

static void make(Bank *b, const Kind *kind, const char *json5)
{
    const Json *body = json_fixture(b->arena, json5);
    Request create = {.verb = VERB_CREATE, .kind = kind, .key.namespace = "default", .body = body};
    then_ok(api_call(b->api, b->arena, &create, NULL));
}

TEST(a_bound_token_is_invalid_when_its_object_is_deleted)
{
    static const struct {
        const char *name;
        const Kind *kind;
        const char *object, *reference;
    } bonds[] = {
        {"a Secret",
            kind_secret,
            "{metadata: {name: 'it'}}",
            "{boundObjectRef: {apiVersion: 'v1', kind: 'Secret', name: 'it'}}"},
        {"a Pod",
            kind_pod,
            "{metadata: {name: 'it'}, spec: {serviceAccountName: 'op',"
            " containers: [{name: 'c', image: 'i:1'}]}}",
            "{boundObjectRef: {apiVersion: 'v1', kind: 'Pod', name: 'it'}}"},
    };
    each_case(i, bonds) {
        Bank b;
        bank_open(&b);
        make(&b, bonds[i].kind, bonds[i].object);
        SidecarReview review = {.token = token(&b, bonds[i].reference)};
        then_int(token_review(b.world, &review), VERDICT_ALLOWED);
        Request delete = {.verb = VERB_DELETE, .kind = bonds[i].kind, .key = {"default", "it"}};
        then_ok(api_call(b.api, b.arena, &delete, NULL));
        make(&b, bonds[i].kind, bonds[i].object);
        then_int(token_review(b.world, &review), VERDICT_UNAUTHENTICATED);
        bank_close(&b);
    }
}

TEST(a_proxy_with_access_reviews_accepts_only_users_with_the_permission)
{
    Bank b;
    bank_open(&b);
    SidecarReview review = {
        .token = token(&b, "{}"), .verb = "create", .namespace = "default", .name = "node-0"};
    then_int(token_review_rights(b.world, &review), VERDICT_DENIED);
    make(&b,
        kind_role,
        "{metadata: {name: 'r'},"
        " rules: [{apiGroups: ['sei.io'], resources: ['seinodetasks'], verbs: ['create']}]}");
    make(&b,
        kind_rolebinding,
        "{metadata: {name: 'r'}, roleRef: {kind: 'Role', name: 'r'},"
        " subjects: [{kind: 'ServiceAccount', name: 'op'}]}");
    then_int(token_review_rights(b.world, &review), VERDICT_ALLOWED);
    review.verb = "delete";
    then_int(token_review_rights(b.world, &review), VERDICT_DENIED);
    bank_close(&b);
}
