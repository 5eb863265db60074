/* The sidecar's HTTP: paths, methods, codes and bodies, through the proxy. */
#include "tests/test.h"
#include "tests/world/sidecar_rig.h"

#define JSON "application/json"
#define TEXT "text/plain; charset=utf-8"

static const struct {
    const char *name, *method, *target, *body;
    int status;
    const char *type, *answer;
} fresh_cases[] = {
    {"a fresh process is not healthy", "GET", "/v0/healthz", .status = 503, .answer = ""},
    {"startupz is healthz", "GET", "/v0/startupz", .status = 503, .answer = ""},
    {"it lives", "GET", "/v0/livez", .status = 200, .answer = ""},
    {"status", "GET", "/v0/status", NULL, 200, JSON, "{\"status\":\"Initializing\"}\n"},
    {"no node key",
        "GET",
        "/v0/node-id",
        NULL,
        500,
        JSON,
        "{\"error\":\"node_key.json not found: node identity not generated yet\"}\n"},
    {"no tasks", "GET", "/v0/tasks", NULL, 200, JSON, "[]\n"},
    {"no such task", "GET", "/v0/tasks/" ID1, NULL, 404, JSON, "{\"error\":\"task not found\"}\n"},
    {"a task id need not be a UUID to be asked for",
        "GET",
        "/v0/tasks/x",
        NULL,
        404,
        JSON,
        "{\"error\":\"task not found\"}\n"},
    {"nothing to delete",
        "DELETE",
        "/v0/tasks/" ID1,
        NULL,
        404,
        JSON,
        "{\"error\":\"task not found\"}\n"},
    {"an unknown path is plain text",
        "GET",
        "/v0/nothing",
        NULL,
        404,
        TEXT,
        "404 page not found\n"},
    {"a path below a task", "GET", "/v0/tasks/a/b", NULL, 404, TEXT, "404 page not found\n"},
    {"a wrong method", "PUT", "/v0/tasks", NULL, 405, TEXT, "Method Not Allowed\n"},
    {"a wrong method of a task", "POST", "/v0/tasks/" ID1, NULL, 405, TEXT, "Method Not Allowed\n"},
    {"a wrong method of a page", "POST", "/v0/status", NULL, 405, TEXT, "Method Not Allowed\n"},
    {"HEAD has no body", "HEAD", "/v0/status", NULL, 200, JSON, ""},
    {"a post",
        "POST",
        "/v0/tasks",
        "{\"id\":\"" ID1 "\",\"type\":\"mark-ready\"}",
        201,
        JSON,
        "{\"id\":\"" ID1 "\"}\n"},
    {"member names in any case, and something behind",
        "POST",
        "/v0/tasks",
        "{\"ID\":\"" ID1 "\",\"Type\":\"mark-ready\",\"more\":1} trash",
        201,
        JSON,
        "{\"id\":\"" ID1 "\"}\n"},
    {"no JSON", "POST", "/v0/tasks", "{", 400, JSON, "{\"error\":\"invalid request body\"}\n"},
    {"nothing", "POST", "/v0/tasks", NULL, 400, JSON, "{\"error\":\"invalid request body\"}\n"},
    {"parameters that are no object",
        "POST",
        "/v0/tasks",
        "{\"type\":\"mark-ready\",\"params\":[]}",
        400,
        JSON,
        "{\"error\":\"invalid request body\"}\n"},
    {"a type that is no string",
        "POST",
        "/v0/tasks",
        "{\"type\":1}",
        400,
        JSON,
        "{\"error\":\"invalid request body\"}\n"},
    {"no type",
        "POST",
        "/v0/tasks",
        "{\"id\":\"" ID1 "\"}",
        400,
        JSON,
        "{\"error\":\"type is required\"}\n"},
    {"an unknown type",
        "POST",
        "/v0/tasks",
        "{\"type\":\"state-size\"}",
        400,
        JSON,
        "{\"error\":\"unknown task type: state-size\"}\n"},
    {"a bad id",
        "POST",
        "/v0/tasks",
        "{\"id\":\"<x>\",\"type\":\"mark-ready\"}",
        400,
        JSON,
        "{\"error\":\"task ID must be a valid UUID: \\\"\\u003cx\\u003e\\\"\"}\n"},
    {"an id with urn:uuid:",
        "POST",
        "/v0/tasks",
        "{\"id\":\"urn:uuid:" ID1 "\",\"type\":\"mark-ready\"}",
        201,
        JSON,
        "{\"id\":\"urn:uuid:" ID1 "\"}\n"},
    {"an id in braces",
        "POST",
        "/v0/tasks",
        "{\"id\":\"{" ID1 "}\",\"type\":\"mark-ready\"}",
        201,
        JSON,
        "{\"id\":\"{" ID1 "}\"}\n"},
    {"an id without dashes",
        "POST",
        "/v0/tasks",
        "{\"id\":\"11111111111141118111111111111111\",\"type\":\"mark-ready\"}",
        201,
        JSON,
        "{\"id\":\"11111111111141118111111111111111\"}\n"},
};

TEST(a_new_sidecar_answers_each_request_with_its_status)
{
    each_case(i, fresh_cases) {
        SidecarRig r;
        rig_open(&r, "pacific-1");
        SidecarAnswer got =
            rig_ask(&r, fresh_cases[i].method, fresh_cases[i].target, fresh_cases[i].body);
        then_int(got.status, fresh_cases[i].status);
        then_str(got.content_type, fresh_cases[i].type);
        then_str(rig_body(&r, &got), fresh_cases[i].answer);
        rig_close(&r);
    }
}

TEST(a_405_answer_lists_the_allowed_methods)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    then_str(rig_ask(&r, "PUT", "/v0/tasks", NULL).allow, "GET, HEAD, POST");
    then_str(rig_ask(&r, "PUT", "/v0/tasks/x", NULL).allow, "DELETE, GET, HEAD");
    then_str(rig_ask(&r, "PUT", "/v0/livez", NULL).allow, "GET, HEAD");
    rig_close(&r);
}

TEST(a_posted_task_without_an_id_gets_one)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    SidecarAnswer posted =
        rig_ask(&r, "POST", "/v0/tasks", "{\"type\":\"mark-ready\",\"id\":\"\"}");
    const char *id = json_str(rig_json(&r, &posted), ".id");
    then_int(posted.status, 201);
    then_int(strlen(id), 36);
    then_str(json_str(rig_get(&r, id), ".status"), "running");
    rig_close(&r);
}

TEST(a_task_result_has_the_fields_of_its_state)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    clock_manual_advance_ms(&r.clock, 120);
    rig_post(&r, ID1, "config-patch", "{\"files\":{\"b\":{},\"a.toml\":{\"x\":\"<&>\"}}}");
    SidecarAnswer got = rig_ask(&r, "GET", "/v0/tasks/" ID1, NULL);
    then_str(rig_body(&r, &got),
        "{\"id\":\"" ID1 "\",\"type\":\"config-patch\",\"status\":\"running\",\"run\":1,"
        "\"params\":{\"files\":{\"a.toml\":{\"x\":\"\\u003c\\u0026\\u003e\"},\"b\":{}}},"
        "\"submittedAt\":\"2026-01-01T00:00:00.12Z\"}\n");
    rig_run(&r, 1000);
    const Json *done = rig_get(&r, ID1);
    then_str(json_str(done, ".status"), "completed");
    then_true(json_str(done, ".completedAt") != NULL);
    then_true(!json_member(done, "error") && !json_member(done, "result"));
    rig_close(&r);
}

TEST(a_task_list_has_the_newest_first_and_at_most_a_hundred)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    for (int i = 0; i < 120; i++) {
        rig_post(&r, str_format(r.arena, "00000000-0000-4000-8000-%012d", i), "mark-ready", NULL);
        rig_run(&r, 1000);
    }
    SidecarAnswer got = rig_ask(&r, "GET", "/v0/tasks", NULL);
    const Json *list = rig_json(&r, &got);
    then_int(json_count(list), 100);
    then_str(json_str(list, "[0].id"), "00000000-0000-4000-8000-000000000119");
    then_str(json_str(list, "[99].id"), "00000000-0000-4000-8000-000000000020");
    rig_close(&r);
}

TEST(a_deleted_task_is_cancelled_and_removed)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "mark-ready", NULL);
    then_int(rig_ask(&r, "DELETE", "/v0/tasks/" ID1, NULL).status, 204);
    rig_run(&r, 60000);
    then_int(rig_ask(&r, "GET", "/v0/tasks/" ID1, NULL).status, 404);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 503);
    rig_close(&r);
}

TEST(the_node_id_follows_from_the_volume)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "generate-identity", "{\"chainId\":\"pacific-1\",\"moniker\":\"m\"}");
    rig_run(&r, 10000);
    SidecarAnswer got = rig_ask(&r, "GET", "/v0/node-id", NULL);
    then_int(got.status, 200);
    then_int(strlen(json_str(rig_json(&r, &got), ".nodeId")), 40);
    rig_close(&r);
}

/* --- the proxy */

static SidecarVerdict review(void *self, SidecarReview *review)
{
    snprintf(review->user, sizeof review->user, "system:serviceaccount:ops:sei");
    *(SidecarReview *)self = *review;
    if (str_eq(review->token, "stranger"))
        return VERDICT_DENIED;
    if (str_eq(review->token, "trouble"))
        return VERDICT_ERROR;
    return str_eq(review->token, "good") ? VERDICT_ALLOWED : VERDICT_UNAUTHENTICATED;
}

static const struct {
    const char *name, *token, *target;
    int status;
    const char *answer;
} proxy_cases[] = {
    {"a good token", "good", "/v0/status", 200, "{\"status\":\"Initializing\"}\n"},
    {"no token", NULL, "/v0/status", 401, "Unauthorized\n"},
    {"a bad token", "bad", "/v0/status", 401, "Unauthorized\n"},
    {"no token for what is ignored", NULL, "/v0/healthz", 503, ""},
    {"no token for what is ignored, with a query", NULL, "/v0/livez?verbose=1", 200, ""},
    {"no token for an unknown path", NULL, "/x", 401, "Unauthorized\n"},
    {"a user without the permission",
        "stranger",
        "/v0/tasks",
        403,
        "Forbidden (user=system:serviceaccount:ops:sei, verb=get, resource=seinodetasks, "
        "subresource=)\n"},
    {"an API server that does not answer",
        "trouble",
        "/v0/tasks",
        500,
        "Authorization error (the API server could not be asked)\n"},
};

TEST(the_simulated_proxy_checks_the_token_and_the_permission)
{
    each_case(i, proxy_cases) {
        SidecarRig r;
        SidecarReview seen = {0};
        SidecarAnswer got;
        rig_open(&r, "pacific-1");
        r.proxy.reviewer = review;
        r.proxy.reviewer_self = &seen;
        sidecar_answer(&r.sidecar,
            &r.proxy,
            r.arena,
            &(SidecarRequest){
                .method = "GET", .target = proxy_cases[i].target, .token = proxy_cases[i].token},
            &got);
        then_int(got.status, proxy_cases[i].status);
        then_str(rig_body(&r, &got), proxy_cases[i].answer);
        rig_close(&r);
    }
}

TEST(the_proxy_reviews_access_with_its_audience_and_the_verb_of_the_method)
{
    static const struct {
        const char *name, *method, *verb;
    } cases[] = {{"GET", "GET", "get"}, {"POST", "POST", "create"}, {"DELETE", "DELETE", "delete"}};
    each_case(i, cases) {
        SidecarRig r;
        SidecarReview seen = {0};
        SidecarAnswer got;
        rig_open(&r, "pacific-1");
        r.proxy.reviewer = review;
        r.proxy.reviewer_self = &seen;
        r.proxy.audiences = "sei-sidecar.sei";
        SidecarRequest request = {
            .method = cases[i].method, .target = "/v0/tasks", .token = "good"};
        sidecar_answer(&r.sidecar, &r.proxy, r.arena, &request, &got);
        then_str(seen.verb, cases[i].verb);
        then_str(seen.audiences, "sei-sidecar.sei");
        then_str(seen.namespace, "sei");
        then_str(seen.name, "rpc-0");
        rig_close(&r);
    }
}

TEST(the_proxy_answers_502_if_the_sidecar_is_down)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    sidecar_end(&r.sidecar);
    then_int(rig_ask(&r, "GET", "/v0/healthz", NULL).status, 502);
    rig_close(&r);
}

/* --- misbehaviour */

static const struct {
    const char *name;
    SidecarTemper temper;
    SidecarFate fate;
    int status;
    const char *answer; /* its beginning */
} temper_cases[] = {
    {"hanging", TEMPER_HANGING, FATE_HANGS, 0, ""},
    {"failing", TEMPER_FAILING, FATE_ANSWERED, 503, "upstream"},
    {"malformed", TEMPER_MALFORMED, FATE_ANSWERED, 200, "{\"id\":\"0"},
    {"huge", TEMPER_HUGE, FATE_ANSWERED, 200, "   "},
    {"wedged reads as not found", TEMPER_WEDGED, FATE_ANSWERED, 404, "{\"error\":"},
    {"lying answers for another",
        TEMPER_LYING,
        FATE_ANSWERED,
        200,
        "{\"id\":\"00000000-0000-4000-8000-000000000bad\""},
    {"slow is right in the end", TEMPER_SLOW, FATE_ANSWERED, 200, "{\"id\":\"" ID1 "\""},
};

TEST(a_sidecar_misbehaves_as_its_fault_command_says)
{
    each_case(i, temper_cases) {
        SidecarRig r;
        rig_open(&r, "pacific-1");
        rig_post(&r, ID1, "snapshot-upload", NULL);
        r.script.temper = temper_cases[i].temper;
        r.script.delay_ms = 9000;
        SidecarAnswer got = rig_ask(&r, "GET", "/v0/tasks/" ID1, NULL);
        then_int(got.fate, temper_cases[i].fate);
        then_int(got.status, temper_cases[i].status);
        then_true(str_has_prefix(rig_body(&r, &got), temper_cases[i].answer));
        then_int(got.delay_ms, temper_cases[i].temper == TEMPER_SLOW ? 9000 : 0);
        rig_close(&r);
    }
}

TEST(a_sidecar_with_a_blocked_store_lists_and_accepts_no_tasks)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    rig_post(&r, ID1, "snapshot-upload", NULL);
    r.script.temper = TEMPER_WEDGED;
    SidecarAnswer list = rig_ask(&r, "GET", "/v0/tasks", NULL);
    SidecarAnswer live = rig_ask(&r, "GET", "/v0/livez?verbose=1", NULL);
    SidecarAnswer gone = rig_ask(&r, "DELETE", "/v0/tasks/" ID1, NULL);
    SidecarAnswer post = rig_ask(&r, "POST", "/v0/tasks", "{\"type\":\"mark-ready\"}");
    then_str(rig_body(&r, &list), "[]\n");
    then_int(live.status, 503);
    then_true(live.body.len > 0);
    then_int(rig_ask(&r, "GET", "/v0/livez", NULL).body.len, 0);
    then_int(gone.status, 503);
    then_int(gone.retry_after_s, 1);
    then_int(post.status, 400);
    then_true(strstr(rig_body(&r, &post), "persist task: ") != NULL);
    rig_close(&r);
}

TEST(a_task_body_above_the_size_limit_is_refused)
{
    SidecarRig r;
    rig_open(&r, "pacific-1");
    char *body = arena_alloc(r.arena, (1 << 20) + 64);
    memset(body, ' ', (1 << 20) + 32);
    memcpy(body, "{\"type\":\"mark-ready\"", 20);
    body[(1 << 20) + 31] = '}';
    then_int(rig_ask(&r, "POST", "/v0/tasks", body).status, 400);
    rig_close(&r);
}
