/* A desk without sockets: requests as values, answers as values. */
#include "sandbox/desk.h"

#include "base/draft.h"
#include "tests/test.h"

typedef struct Counter {
    Arena *arena;
    const Cast *cast;
    World *world;
    Tempo *tempo;
    Desk *desk;
} Counter;

static Counter open_counter(void)
{
    Counter c = {.arena = arena_open(256 << 20)};
    Cast *cast = arena_new(c.arena, Cast);

    Tempo *tempo = arena_new(c.arena, Tempo);

    *tempo = (Tempo){.speed = 10};
    cast_open(&(CastOptions){.seed = 1, .nodes = 1, .network = 200}, cast);
    c.tempo = tempo;
    c.cast = cast;
    c.world = cast->world;
    c.desk =
        desk_new(c.arena, &(DeskOptions){.cast = cast, .admin_token = "secret", .tempo = tempo});
    return c;
}

static void close_counter(Counter *c)
{
    world_close(c->world);
    arena_close(c->arena);
}

#define SCOPED_COUNTER __attribute__((cleanup(close_counter))) Counter

/* A list comes as a stream that ends by itself: here it becomes the body. One that waits stays. */
static void read_list(Counter *c, HallAnswer *answer)
{
    const char *body = "";
    Bytes piece;

    if (answer->stream->next(answer->stream, &piece) != HALL_PIECE)
        return;
    do
        body = str_format(c->arena, "%s%.*s", body, (int)piece.len, piece.data);
    while (answer->stream->next(answer->stream, &piece) == HALL_PIECE);
    answer->stream->close(answer->stream);
    answer->stream = NULL;
    answer->body = bytes_of(body);
}

static HallAnswer ask(Counter *c, HallRequest in)
{
    HallAnswer answer = {0};

    in.method = in.method ? in.method : "GET";
    in.accept = "";
    in.if_none_match = "";
    in.as_user = in.as_user ? in.as_user : "";
    in.user_agent = "test/1";
    in.content_type = in.content_type ? in.content_type : "application/json";
    desk_handle(c->desk, c->arena, &in, &answer);
    if (answer.stream && !strstr(in.target, "watch="))
        read_list(c, &answer);
    return answer;
}

static const Json *json_of(Counter *c, const HallAnswer *answer)
{
    const Json *body = NULL;

    then_str(answer->content_type, "application/json");
    then_ok(json_parse(c->arena, answer->body, &body));
    return body;
}

static HallAnswer create_config(Counter *c, const char *name)
{
    return ask(c,
        (HallRequest){.method = "POST",
            .target = "/api/v1/namespaces/default/configmaps",
            .bearer = "secret",
            .body = bytes_of(str_format(
                c->arena, "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"a\":\"b\"}}}", name))});
}

TEST(each_user_gets_an_answer_according_to_token_and_permissions)
{
    static const struct {
        const char *name, *target, *bearer;
        int status;
        const char *message;
    } cases[] = {
        {"the administrator may", "/api/v1/pods", "secret", 200},
        {"an unknown token", "/api/v1/pods", "secret2", 401, "Unauthorized"},
        {"half a token", "/api/v1/pods", "secre", 401, "Unauthorized"},
        {"an anonymous user may not list",
            "/api/v1/pods",
            NULL,
            403,
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API "
            "group \"\" at the cluster scope"},
        {"nor look at one",
            "/apis/apps/v1/namespaces/a/statefulsets/s/status",
            NULL,
            403,
            "statefulsets.apps \"s\" is forbidden: User \"system:anonymous\" cannot get resource "
            "\"statefulsets/status\" in API group \"apps\" in the namespace \"a\""},
        {"nor at a path",
            "/metrics",
            NULL,
            403,
            "forbidden: User \"system:anonymous\" cannot get path \"/metrics\""},
        {"every user may read the version", "/version", NULL, 200},
    };

    each_case(i, cases) {
        SCOPED_COUNTER c = open_counter();
        HallAnswer answer =
            ask(&c, (HallRequest){.target = cases[i].target, .bearer = cases[i].bearer});
        then_int(answer.status, cases[i].status);
        then_str(json_str(json_of(&c, &answer), ".message"), cases[i].message);
    }
}

TEST(requests_to_a_pod_through_the_proxy_need_a_permission)
{
    static const struct {
        const char *name, *method, *target, *bearer;
        int status;
        const char *message;
    } cases[] = {
        {"no such pod",
            "GET",
            "/api/v1/namespaces/default/pods/p:26657/proxy/status",
            "secret",
            404,
            "pods \"p\" not found"},
        {"no permission",
            "GET",
            "/api/v1/namespaces/default/pods/p:26657/proxy/status",
            NULL,
            403,
            "pods \"p:26657\" is forbidden: User \"system:anonymous\" cannot get resource "
            "\"pods/proxy\" in API group \"\" in the namespace \"default\""},
        {"not to be changed",
            "POST",
            "/api/v1/namespaces/default/pods/p:26657/proxy/status",
            "secret",
            405,
            "a pod is only asked here, with GET"},
    };
    SCOPED_COUNTER c = open_counter();

    each_case(i, cases) {
        HallAnswer answer = ask(&c,
            (HallRequest){
                .method = cases[i].method, .target = cases[i].target, .bearer = cases[i].bearer});
        then_int(answer.status, cases[i].status);
        then_str(json_str(json_of(&c, &answer), ".message"), cases[i].message);
    }
}

TEST(health_and_version_pages_are_plain_text)
{
    static const struct {
        const char *name, *target, *body;
        int status;
    } cases[] = {
        {"alive", "/livez", "ok", 200},
        {"ready", "/readyz?verbose=1", "ok", 200},
        {"healthy", "/healthz", "ok", 200},
        {"none", "/nothing", "404 page not found\n", 404},
        {"an unknown group", "/apis/none/v1/things", "404 page not found\n", 404},
        {"no URL", "/%zz", "400 Bad Request", 400},
    };

    each_case(i, cases) {
        SCOPED_COUNTER c = open_counter();
        HallAnswer answer = ask(&c, (HallRequest){.target = cases[i].target, .bearer = "secret"});
        then_int(answer.status, cases[i].status);
        then_str(str_slice(c.arena, answer.body.data, answer.body.len), cases[i].body);
    }
}

static const char accounts[] = "/api/v1/namespaces/default/serviceaccounts";

/* A new account, and a token of it. */
static const char *make_account(Counter *c, const char *name)
{
    HallRequest post = {.method = "POST", .target = accounts, .bearer = "secret"};

    post.body = bytes_of(str_format(c->arena, "{\"metadata\":{\"name\":\"%s\"}}", name));
    then_int(ask(c, post).status, 201);
    post.target = str_format(c->arena, "%s/%s/token", accounts, name);
    post.body = bytes_of(
        "{\"kind\":\"TokenRequest\",\"apiVersion\":\"authentication.k8s.io/v1\",\"spec\":{}}");
    HallAnswer token = ask(c, post);
    then_int(token.status, 201);
    return json_str(json_of(c, &token), ".status.token");
}

TEST(a_service_account_is_recognized_by_its_token)
{
    enum { NAME_MAX_LEN = 253 };
    char longest[NAME_MAX_LEN + 1] = "";
    const struct {
        const char *name, *account;
    } cases[] = {{"with a short name", "op"}, {"with the longest name", longest}};

    memset(longest, 'a', NAME_MAX_LEN);
    each_case(i, cases) {
        SCOPED_COUNTER c = open_counter();
        const char *bearer = make_account(&c, cases[i].account);
        HallAnswer pods = ask(&c, (HallRequest){.target = "/api/v1/pods", .bearer = bearer});
        then_str(json_str(json_of(&c, &pods), ".message"),
            str_format(c.arena,
                "pods is forbidden: User \"system:serviceaccount:default:%s\" cannot list resource "
                "\"pods\" in API group \"\" at the cluster scope",
                cases[i].account));
        then_int(ask(&c, (HallRequest){.target = "/api", .bearer = bearer}).status, 200);
        ask(&c,
            (HallRequest){.method = "DELETE",
                .target = str_format(c.arena, "%s/%s", accounts, cases[i].account),
                .bearer = "secret"});
        then_int(ask(&c, (HallRequest){.target = "/api/v1/pods", .bearer = bearer}).status, 401);
    }
}

TEST(a_request_body_that_is_too_large_is_refused_with_the_message_of_the_server)
{
    SCOPED_COUNTER c = open_counter();
    HallAnswer answer = ask(&c,
        (HallRequest){.method = "POST", .target = "/x", .bearer = "secret", .is_too_large = true});

    then_int(answer.status, 413);
    then_str(
        json_str(json_of(&c, &answer), ".message"), "Request entity too large: limit is 3145728");
}

TEST(a_watch_request_returns_a_stream_of_lines)
{
    SCOPED_COUNTER c = open_counter();
    HallAnswer answer = ask(&c,
        (HallRequest){.target = "/api/v1/configmaps?watch=1&resourceVersion=2&timeoutSeconds=5",
            .bearer = "secret"});
    HallStream *stream = answer.stream;
    Bytes line;

    then_true(stream != NULL);
    then_int(stream->next(stream, &line), HALL_NOTHING);
    create_config(&c, "x");
    then_int(stream->next(stream, &line), HALL_PIECE);
    then_true(str_has_prefix(line.data, "{\"type\":\"ADDED\",\"object\":{"));
    then_int(line.data[line.len - 1], '\n');
    then_int(stream->next(stream, &line), HALL_NOTHING);
    world_run_until(c.world, world_now_ms(c.world) + 49999); /* five seconds of its client */
    then_int(stream->next(stream, &line), HALL_NOTHING);
    world_run_until(c.world, world_now_ms(c.world) + 1);
    then_int(stream->next(stream, &line), HALL_END);
    stream->close(stream);
}

TEST(an_invalid_watch_request_is_refused)
{
    SCOPED_COUNTER c = open_counter();
    HallAnswer answer = ask(&c,
        (HallRequest){
            .target = "/api/v1/configmaps?watch=1&labelSelector=%3D%3D", .bearer = "secret"});

    then_true(!answer.stream);
    then_int(answer.status, 400);
}

TEST(a_collection_delete_deletes_the_selected_objects)
{
    SCOPED_COUNTER c = open_counter();
    const char *all = "/api/v1/namespaces/default/configmaps";

    create_config(&c, "x");
    create_config(&c, "y");
    then_int(ask(&c,
                 (HallRequest){.method = "DELETE",
                     .target = str_format(c.arena, "%s?labelSelector=a%%3Dnone", all),
                     .bearer = "secret"})
                 .status,
        200);
    HallAnswer left = ask(&c, (HallRequest){.target = all, .bearer = "secret"});
    then_int(json_count(json_find(json_of(&c, &left), ".items")), 2);
    HallAnswer swept = ask(&c,
        (HallRequest){.method = "DELETE",
            .target = str_format(c.arena, "%s?labelSelector=a%%3Db", all),
            .bearer = "secret"});
    then_str(json_str(json_of(&c, &swept), ".kind"), "ConfigMapList");
    left = ask(&c, (HallRequest){.target = all, .bearer = "secret"});
    then_int(json_count(json_find(json_of(&c, &left), ".items")), 0);
}

/* --- orders */

static HallAnswer give_order(Counter *c, const char *bearer, const char *line)
{
    return ask(c,
        (HallRequest){.method = "POST",
            .target = "/apis/sandbox.sei.io/v1/orders",
            .bearer = bearer,
            .body = bytes_of(str_format(c->arena, "{\"spec\":{\"line\":\"%s\"}}", line))});
}

#define SLOW_FORM                                                                                  \
    "the order is written: slow MS (every answer and every start takes so much longer, at most "   \
    "30000; 0: no more)"
#define SPEED_FORM                                                                                 \
    "the order is written: speed X (so many times faster than ours the time of pods and "          \
    "controllers runs, 1 to 1000)"

TEST(fault_commands_are_carried_out_or_refused_with_their_syntax)
{
    static const struct {
        const char *name, *line, *bearer;
        int status;
        const char *message;
    } cases[] = {
        {"an image goes bad", "bad-image v9", "secret", 201, NULL},
        {"a chain halts", "halt pacific-1 v9", "secret", 201, NULL},
        {"a machine is lost", "lose-node node-1", "secret", 201, NULL},
        {"no such machine",
            "lose-node node-9",
            "secret",
            400,
            "'lose-node node-9': there is no such pod or machine"},
        {"no such order", "dance", "secret", 400, "there is no order 'dance'"},
        {"half an order", "bad-image", "secret", 400, "the order is written: bad-image TEXT"},
        {"half a halt",
            "halt pacific-1",
            "secret",
            400,
            "the order is written: halt CHAIN IMAGE (only a seid whose image has this in its name "
            "goes on)"},
        {"slower than anything", "slow 30001", "secret", 400, SLOW_FORM},
        {"slower by less than nothing", "slow -1", "secret", 400, SLOW_FORM},
        {"slower by no number", "slow x", "secret", 400, SLOW_FORM},
        {"no speed", "speed 0", "secret", 400, SPEED_FORM},
        {"too much of it", "speed 1001", "secret", 400, SPEED_FORM},
        {"by an anonymous user",
            "bad-image v9",
            NULL,
            403,
            "orders.sandbox.sei.io is forbidden: User \"system:anonymous\" cannot create resource "
            "\"orders\" in API group \"sandbox.sei.io\" at the cluster scope"},
    };

    each_case(i, cases) {
        SCOPED_COUNTER c = open_counter();
        world_run_until(c.world, world_now_ms(c.world) + 1000);
        HallAnswer answer = give_order(&c, cases[i].bearer, cases[i].line);
        then_int(answer.status, cases[i].status);
        if (cases[i].message)
            then_str(json_str(json_of(&c, &answer), ".message"), cases[i].message);
    }
}

static void count_obeyed(void *self)
{
    (*(int *)self)++;
}

TEST(fault_commands_change_the_speed_of_the_sandbox_and_reset_it)
{
    SCOPED_COUNTER c = open_counter();
    int obeyed = 0;
    Bytes piece;

    c.desk = desk_new(c.arena,
        &(DeskOptions){.cast = c.cast,
            .admin_token = "secret",
            .tempo = c.tempo,
            .on_obeyed = count_obeyed,
            .self = &obeyed});
    then_int(give_order(&c, "secret", "speed 40").status, 201);
    then_int(c.tempo->speed, 40);
    then_int(give_order(&c, "secret", "slow 30000").status, 201);
    then_int(c.tempo->slow_ms, 30000);
    HallAnswer late = ask(&c, (HallRequest){.target = "/api/v1/pods", .bearer = "secret"});
    then_int(late.body.len, 0);
    then_int(late.stream->next(late.stream, &piece), HALL_NOTHING);
    late.stream->close(late.stream);
    give_order(&c, "secret", "slow 0");
    HallAnswer usual = ask(&c, (HallRequest){.target = "/api/v1/pods", .bearer = "secret"});
    then_true(usual.body.len > 0 && !usual.stream);
    then_int(obeyed, 3);
}

TEST(fault_commands_cannot_be_listed)
{
    SCOPED_COUNTER c = open_counter();
    HallRequest list = {.target = "/apis/sandbox.sei.io/v1/orders", .bearer = "secret"};

    then_int(ask(&c, list).status, 405);
}

TEST(an_impersonated_user_has_only_its_own_permissions)
{
    SCOPED_COUNTER c = open_counter();
    HallAnswer answer = ask(&c,
        (HallRequest){.target = "/api/v1/pods",
            .bearer = "secret",
            .as_user = "system:serviceaccount:default:x"});

    then_str(json_str(json_of(&c, &answer), ".message"),
        "pods is forbidden: User \"system:serviceaccount:default:x\" cannot list resource "
        "\"pods\" in API group \"\" at the cluster scope");
    answer = ask(&c,
        (HallRequest){.target = "/api/v1/pods",
            .bearer = "secret",
            .as_user = "u",
            .as_groups = {"system:masters"}});
    then_int(answer.status, 200);
    answer = ask(&c, (HallRequest){.target = "/version", .as_user = "u"});
    then_str(json_str(json_of(&c, &answer), ".message"),
        "users \"u\" is forbidden: User \"system:anonymous\" cannot impersonate resource "
        "\"users\" in API group \"\" at the cluster scope");
}

/* Lets the user u do something to ConfigMaps of the namespace default. */
static void grant(Counter *c, const char *verb)
{
    static const char path[] = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/";
    const char *role = str_format(c->arena,
        "{\"metadata\":{\"name\":\"%s\"},\"rules\":[{\"apiGroups\":[\"\"],"
        "\"resources\":[\"configmaps\"],\"verbs\":[\"%s\"]}]}",
        verb,
        verb);
    const char *binding = str_format(c->arena,
        "{\"metadata\":{\"name\":\"%s\"},\"roleRef\":{\"kind\":\"Role\",\"name\":\"%s\","
        "\"apiGroup\":\"rbac.authorization.k8s.io\"},\"subjects\":[{\"kind\":\"User\","
        "\"name\":\"u\",\"apiGroup\":\"rbac.authorization.k8s.io\"}]}",
        verb,
        verb);
    HallRequest post = {.method = "POST", .bearer = "secret"};

    post.target = str_format(c->arena, "%sroles", path);
    post.body = bytes_of(role);
    then_int(ask(c, post).status, 201);
    post.target = str_format(c->arena, "%srolebindings", path);
    post.body = bytes_of(binding);
    then_int(ask(c, post).status, 201);
}

static HallAnswer apply_config(Counter *c, const char *name)
{
    return ask(c,
        (HallRequest){.method = "PATCH",
            .target = str_format(c->arena,
                "/api/v1/namespaces/default/configmaps/%s?fieldManager=m&force=true",
                name),
            .content_type = "application/apply-patch+yaml",
            .bearer = "secret",
            .as_user = "u",
            .body = bytes_of(str_format(c->arena,
                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
                "\"metadata\":{\"name\":\"%s\"},\"data\":{\"k\":\"v\"}}",
                name))});
}

TEST(an_apply_that_creates_an_object_needs_the_permission_to_create)
{
    SCOPED_COUNTER c = open_counter();

    create_config(&c, "there");
    grant(&c, "patch");
    then_int(apply_config(&c, "there").status, 200);
    HallAnswer refused = apply_config(&c, "new");
    then_int(refused.status, 403);
    then_str(json_str(json_of(&c, &refused), ".message"),
        "configmaps \"new\" is forbidden: User \"u\" cannot create resource \"configmaps\" in API "
        "group \"\" in the namespace \"default\"");
    then_int(apply_config(&c, "Not-a-name").status, 422);
    grant(&c, "create");
    then_int(apply_config(&c, "new").status, 201);
}

TEST(a_review_is_answered_and_not_stored)
{
    SCOPED_COUNTER c = open_counter();
    HallAnswer answer = ask(&c,
        (HallRequest){.method = "POST",
            .target = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
            .bearer = "secret",
            .body = bytes_of("{\"kind\":\"SelfSubjectAccessReview\","
                             "\"apiVersion\":\"authorization.k8s.io/v1\",\"spec\":"
                             "{\"resourceAttributes\":{\"verb\":\"get\","
                             "\"resource\":\"pods\"}}}")});

    then_int(answer.status, 201);
    then_true(json_bool(json_of(&c, &answer), ".status.allowed", false));
}

static HallAnswer create_typo(Counter *c, const char *query)
{
    return ask(c,
        (HallRequest){.method = "POST",
            .target =
                str_format(c->arena, "/api/v1/namespaces/default/configmaps?dryRun=All%s", query),
            .bearer = "secret",
            .body = bytes_of("{\"metadata\":{\"name\":\"x\"},\"dta\":{},\"a\\nb\":1}")});
}

TEST(unknown_fields_are_warned_about_or_ignored_or_refused)
{
    SCOPED_COUNTER c = open_counter();

    HallAnswer warned = create_typo(&c, "");
    then_int(warned.status, 201);
    then_str(warned.headers[0].name, "Warning");
    then_str(warned.headers[0].value, "299 - \"unknown field \\\"dta\\\"\"");
    HallAnswer ignored = create_typo(&c, "&fieldValidation=Ignore");
    then_int(ignored.status, 201);
    then_true(!ignored.headers[0].name);
    HallAnswer refused = create_typo(&c, "&fieldValidation=Strict");
    then_int(refused.status, 400);
    then_true(!refused.headers[0].name);
    then_true(strstr(json_str(json_of(&c, &refused), ".message"),
                  "strict decoding error: unknown field \"dta\"")
        != NULL);
}
