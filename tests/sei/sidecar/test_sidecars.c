/* The rules of the conversation with one sidecar, each a sentence. */
#include "tests/sei/sidecar/street.h"

#define A "aaaaaaaa-0000-4000-8000-000000000001"
#define B "bbbbbbbb-0000-4000-8000-000000000002"
#define C "cccccccc-0000-4000-8000-000000000003"

#define POST    "POST /v0/tasks"
#define GET(id) "GET /v0/tasks/" id
#define HEALTH  "GET /v0/healthz"

#define TASK(id, status) "{\"id\":\"" id "\",\"type\":\"t\",\"status\":\"" status "\",\"run\":1}"
#define TAKEN(id)        "{\"id\":\"" id "\"}"
#define NOT_FOUND        "{\"error\":\"task not found\"}"

static const SidecarTarget rpc = {
    .node = {"sei", "rpc-0"},
    .pod_uid = "pod-1",
    .pod_ip = "10.0.0.1",
    .host = "rpc-0-0.rpc-0.sei.svc.cluster.local:8443",
    .bearer = "token-1",
};

static SidecarNews want(Street *s, SidecarTarget target, SidecarJob job)
{
    SidecarNews news = {0};

    if (!job.type)
        job.type = "config-apply";
    sidecar_task(s->port, s->arena, &target, &job, &news);
    street_step(s);
    return news;
}

static SidecarNews want_a(Street *s)
{
    return want(s, rpc, (SidecarJob){.id = A});
}

static SidecarProbe probe(Street *s, SidecarTarget target)
{
    SidecarProbe result = {0};

    sidecar_probe(s->port, s->arena, &target, &result);
    street_step(s);
    return result;
}

static void then_state(SidecarNews news, SidecarState state, const char *message)
{
    then_int(news.state, state);
    if (!message)
        then_str(news.message, NULL);
    else
        then_true(news.message && strstr(news.message, message));
}

/* --- the way of a task -------------------------------------------------------------------------
 */

TEST(a_task_is_posted_once_and_then_polled_until_it_has_ended)
{
    SCOPED_STREET s = street_open();

    then_state(want_a(s), SIDECAR_ASKED, NULL);
    then_str(street_sent(s), POST);
    then_int(s->hurries, 1);
    street_answer(s, 201, TAKEN(A));
    SidecarNews news = want_a(s);
    then_state(news, SIDECAR_RUNNING, NULL);
    then_true(news.submitted);
    then_int(street_wakes(s), 1);

    street_pass(s, SIDECAR_QUICK_POLL_MS);
    then_str(street_sent(s), GET(A));
    street_answer(s, 200, TASK(A, "running"));
    then_int(street_wakes(s), 0); /* nothing new */
    street_pass(s, 2 * SIDECAR_QUICK_POLL_MS);
    then_str(street_sent(s), GET(A));
    street_answer(s, 200, TASK(A, "completed"));
    then_state(want_a(s), SIDECAR_COMPLETED, NULL);
    then_int(street_wakes(s), 1);
    then_str(s->woken, "sei/rpc-0");

    street_pass(s, 3600000);
    then_str(street_sent(s), "");
    then_int(s->calls, 3);
}

TEST(the_result_of_a_task_is_returned_until_another_task_is_requested)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    then_str(want_a(s).result, NULL);
    street_pass(s, SIDECAR_QUICK_POLL_MS);
    street_answer(s, 200, "{\"id\":\"" A "\",\"status\":\"completed\",\"result\":{\"n\":1}}");
    then_str(want_a(s).result, "{\"n\":1}");
    then_str(want_a(s).result, "{\"n\":1}");
    then_str(want(s, rpc, (SidecarJob){.id = B, .type = "mark-ready"}).result, NULL);
}

TEST(a_sidecar_request_carries_address_and_host_and_token_and_body)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {
        .id = A, .type = "config-apply", .params = json_fixture(s->arena, "{mode: 'full'}")};

    want(s, rpc, job);
    const OpenCall *call = street_call(s, NULL);
    then_str(call->ip, "10.0.0.1:8443");
    then_str(call->host, "rpc-0-0.rpc-0.sei.svc.cluster.local:8443");
    then_str(call->bearer, "token-1");
    then_str(
        call->body, "{\"id\":\"" A "\",\"type\":\"config-apply\",\"params\":{\"mode\":\"full\"}}");
    then_int(call->deadline_ms, SIDECAR_DEADLINE_MS);
}

TEST(an_ipv6_address_of_a_sidecar_is_written_in_brackets)
{
    SCOPED_STREET s = street_open();
    SidecarTarget target = rpc;

    target.pod_ip = "fd00::7";
    want(s, target, (SidecarJob){.id = A});
    then_str(street_call(s, NULL)->ip, "[fd00::7]:8443");
}

TEST(polls_of_a_running_task_slow_down_to_five_seconds)
{
    static const int64_t pauses[] = {250, 500, 1000, 2000, 4000, 5000, 5000};
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    street_sent(s);
    for (size_t i = 0; i < array_count(pauses); i++) {
        street_pass(s, pauses[i] - 1);
        then_str(street_sent(s), "");
        street_pass(s, 1);
        then_str(street_sent(s), GET(A));
        street_answer(s, 200, TASK(A, "running"));
    }
}

TEST(a_task_that_was_submitted_before_is_polled_and_not_posted_again)
{
    SCOPED_STREET s = street_open();

    want(s, rpc, (SidecarJob){.id = A, .submitted = true});
    then_str(street_sent(s), GET(A));
    street_answer(s, 200, TASK(A, "completed"));
    then_state(want_a(s), SIDECAR_COMPLETED, NULL);
    then_int(s->calls, 1);
}

TEST(a_failed_task_reports_its_cause_and_is_posted_again_only_for_the_next_attempt)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 250);
    street_answer(s,
        200,
        "{\"id\":\"" A "\",\"status\":\"failed\",\"run\":1,\"error\":\"S3: access denied\"}");
    then_state(want_a(s), SIDECAR_FAILED, "S3: access denied");
    street_pass(s, 600000);
    then_str(street_sent(s), POST ", " GET(A));

    then_state(want(s, rpc, (SidecarJob){.id = A, .attempt = 1}), SIDECAR_ASKED, NULL);
    then_str(street_sent(s), POST);
    street_answer(s, 201, TAKEN(A));
    then_state(want(s, rpc, (SidecarJob){.id = A, .attempt = 1}), SIDECAR_RUNNING, NULL);
}

TEST(the_failure_of_an_earlier_attempt_is_not_reported_twice)
{
    SCOPED_STREET s = street_open();
    SidecarJob again = {.id = A, .attempt = 1};

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 250);
    street_answer(s, 200, TASK(A, "failed"));
    want(s, rpc, again);
    street_silence(s, true); /* nobody knows whether the second attempt arrived */
    street_sent(s);
    street_pass(s, 2000);
    then_str(street_sent(s), GET(A));
    street_answer(s, 200, TASK(A, "failed")); /* still the first run */
    then_str(street_sent(s), POST);
    then_state(want(s, rpc, again), SIDECAR_ASKED, NULL);
}

TEST(a_task_that_never_ends_is_complete_once_it_is_submitted)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .type = "snapshot-upload", .submit_and_go = true};

    want(s, rpc, job);
    street_answer(s, 201, TAKEN(A));
    then_state(want(s, rpc, job), SIDECAR_COMPLETED, NULL);
    street_pass(s, 60000);
    then_int(s->calls, 1);
}

TEST(a_task_that_never_ends_is_submitted_again_if_it_failed)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .type = "snapshot-upload", .submit_and_go = true};

    want(s, rpc, job);
    street_silence(s, true); /* it may be there, or not */
    street_pass(s, 2000);
    street_sent(s);
    street_answer(s, 200, "{\"id\":\"" A "\",\"status\":\"failed\",\"run\":1}");
    then_str(street_sent(s), POST);
    street_answer(s, 201, TAKEN(A));
    then_state(want(s, rpc, job), SIDECAR_COMPLETED, NULL);
}

TEST(another_task_does_not_wait_for_a_task_that_never_ends)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = B, .type = "snapshot-upload", .submit_and_go = true};

    want(s, rpc, job);
    street_silence(s, true); /* it may be there, or not */
    want(s, rpc, job);
    street_sent(s);
    want_a(s);
    street_pass(s, 2000);
    then_str(street_sent(s), POST);
    then_true(strstr(street_call(s, NULL)->body, A));
}

/* --- when nobody knows -------------------------------------------------------------------------
 */

TEST(a_post_with_an_unknown_outcome_is_polled_before_it_is_repeated)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_silence(s, true);
    then_state(want_a(s), SIDECAR_UNREACHABLE, "gone");
    street_sent(s);
    street_pass(s, 2000);
    then_str(street_sent(s), GET(A));
    street_answer(s, 200, TASK(A, "running"));
    then_state(want_a(s), SIDECAR_RUNNING, NULL);
}

TEST(a_post_that_certainly_did_not_arrive_is_repeated)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_silence(s, false);
    street_sent(s);
    street_pass(s, 2000);
    then_str(street_sent(s), POST);
}

TEST(a_task_is_posted_again_after_two_json_404_answers_and_not_after_one)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .submitted = true};

    want(s, rpc, job);
    street_answer(s, 404, NOT_FOUND);
    then_state(want(s, rpc, job), SIDECAR_ASKED, NULL);
    street_sent(s);
    street_pass(s, SIDECAR_POLL_MS - 1);
    then_str(street_sent(s), "");
    street_pass(s, 1);
    then_str(street_sent(s), GET(A));
    street_answer(s, 404, NOT_FOUND);
    then_str(street_sent(s), POST);
}

TEST(a_task_that_is_only_awaited_is_never_posted_again)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .submitted = true, .only_awaited = true};

    want(s, rpc, job);
    street_answer(s, 404, NOT_FOUND);
    street_pass(s, SIDECAR_POLL_MS);
    street_answer(s, 404, NOT_FOUND);
    then_state(want(s, rpc, job), SIDECAR_FAILED, "it is not known to the sidecar");
    street_pass(s, 3600000);
    then_str(street_sent(s), GET(A) ", " GET(A));
}

TEST(a_task_that_is_only_awaited_is_not_posted_for_a_counted_retry)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 250);
    street_answer(s, 200, "{\"id\":\"" A "\",\"status\":\"failed\",\"run\":1,\"error\":\"no\"}");
    then_state(want_a(s), SIDECAR_FAILED, "no");
    then_str(street_sent(s), POST ", " GET(A));

    SidecarJob job = {.id = A, .attempt = 1, .only_awaited = true};
    then_state(want(s, rpc, job), SIDECAR_FAILED, "no");
    then_str(street_sent(s), "");
}

TEST(a_task_that_is_only_awaited_is_not_posted_even_if_it_was_never_submitted)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .only_awaited = true};

    want(s, rpc, job);
    street_answer(s, 404, NOT_FOUND);
    street_pass(s, SIDECAR_POLL_MS);
    street_answer(s, 404, NOT_FOUND);
    then_state(want(s, rpc, job), SIDECAR_FAILED, "it is not known to the sidecar");
    then_str(street_sent(s), GET(A) ", " GET(A));
}

TEST(a_single_404_between_two_good_answers_is_ignored)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .submitted = true};

    want(s, rpc, job);
    street_answer(s, 404, NOT_FOUND);
    street_pass(s, SIDECAR_POLL_MS);
    street_answer(s, 200, TASK(A, "running"));
    street_pass(s, SIDECAR_POLL_MS);
    street_sent(s);
    street_answer(s, 404, NOT_FOUND);
    street_pass(s, SIDECAR_POLL_MS - 1);
    then_str(street_sent(s), "");
}

/* --- answers that are not believed -------------------------------------------------------------
 */

static const struct {
    const char *name;
    bool asked; /* a GET; else the POST */
    int status;
    const char *body;
    SidecarState state;
    const char *message, *next; /* sent within the next two seconds */
} answers[] = {
    {"another task's POST", false, 201, TAKEN(B), SIDECAR_UNREACHABLE, "another task", GET(A)},
    {"a POST without a body", false, 201, "", SIDECAR_UNREACHABLE, "no JSON object", GET(A)},
    {"accepted", false, 202, TAKEN(A), SIDECAR_RUNNING, NULL, GET(A)},
    {"a bad request",
        false,
        400,
        "{\"error\":\"invalid request body\"}",
        SIDECAR_REFUSED,
        "invalid request body",
        ""},
    {"an unknown type",
        false,
        400,
        "{\"error\":\"unknown task type: x\"}",
        SIDECAR_REFUSED,
        "unknown task type: x",
        ""},
    {"a full disk",
        false,
        400,
        "{\"error\":\"persist task: disk full\"}",
        SIDECAR_UNREACHABLE,
        "cannot store the task: persist task: disk full",
        POST},
    {"a bad proxy", false, 400, "Bad Request", SIDECAR_UNREACHABLE, "400", GET(A)},
    {"401 of a POST", false, 401, "Unauthorized", SIDECAR_UNAUTHORIZED, "401", POST},
    {"403 of a POST", false, 403, "Forbidden (user=x)", SIDECAR_UNAUTHORIZED, "403", POST},
    {"404 of a POST", false, 404, "404 page not found", SIDECAR_UNREACHABLE, "404", GET(A)},
    {"429", false, 429, "slow down", SIDECAR_UNREACHABLE, "429", GET(A)},
    {"500 of a POST", false, 500, "Authorization error", SIDECAR_UNREACHABLE, "500", GET(A)},
    {"502 of a POST", false, 502, "", SIDECAR_UNREACHABLE, "502", GET(A)},
    {"another task", true, 200, TASK(B, "completed"), SIDECAR_UNREACHABLE, "another task", GET(A)},
    {"broken JSON", true, 200, "{\"id\":\"" A "\",\"sta", SIDECAR_UNREACHABLE, "no task", GET(A)},
    {"a list", true, 200, "[]", SIDECAR_UNREACHABLE, "no task", GET(A)},
    {"a page", true, 200, "<html>welcome</html>", SIDECAR_UNREACHABLE, "no task", GET(A)},
    {"no status", true, 200, TAKEN(A), SIDECAR_UNREACHABLE, "unknown status", GET(A)},
    {"a new status", true, 200, TASK(A, "paused"), SIDECAR_UNREACHABLE, "unknown status", GET(A)},
    {"404 in plain text", true, 404, "404 page not found", SIDECAR_UNREACHABLE, "404", GET(A)},
    {"404 without an error", true, 404, "{}", SIDECAR_UNREACHABLE, "404", GET(A)},
    {"401 of a GET", true, 401, "Unauthorized", SIDECAR_UNAUTHORIZED, "401", GET(A)},
    {"502 of a GET", true, 502, "", SIDECAR_UNREACHABLE, "502", GET(A)},
};

TEST(a_sidecar_answer_is_used_only_if_it_is_complete_and_about_the_task)
{
    each_case(i, answers) {
        SCOPED_STREET s = street_open();
        SidecarJob job = {.id = A, .submitted = answers[i].asked};

        want(s, rpc, job);
        street_sent(s);
        street_answer(s, answers[i].status, answers[i].body);
        then_state(want(s, rpc, job), answers[i].state, answers[i].message);
        then_int(street_wakes(s), 1);
        street_pass(s, 2000);
        then_str(street_sent(s), answers[i].next);
    }
}

TEST(an_unchanged_sidecar_error_enqueues_nothing_and_is_polled_with_growing_delays)
{
    SCOPED_STREET s = street_open();

    want(s, rpc, (SidecarJob){.id = A, .submitted = true});
    for (int64_t spent = 0; spent < 600000; spent += 1000) {
        if (street_call(s, NULL))
            street_answer(s, 503, "no");
        street_pass(s, 1000);
    }
    then_int(street_wakes(s), 1);
    then_true(s->calls >= 600 / 36 && s->calls <= 5 + 600 / 24); /* 1, 2, 4, 8, 16, 30, 30, ... */
}

TEST(a_sidecar_error_that_becomes_another_one_enqueues_the_node)
{
    SCOPED_STREET s = street_open();

    want(s, rpc, (SidecarJob){.id = A, .submitted = true});
    street_answer(s, 502, "");
    then_int(street_wakes(s), 1);
    street_pass(s, 2000);
    street_answer(s, 500, "");
    then_int(street_wakes(s), 1);
    then_state(want(s, rpc, (SidecarJob){.id = A, .submitted = true}), SIDECAR_UNREACHABLE, "500");
}

/* --- tokens ------------------------------------------------------------------------------------
 */

TEST(a_refused_token_is_replaced_at_once_and_later_ones_with_delays)
{
    SCOPED_STREET s = street_open();
    SidecarTarget target = rpc;

    want_a(s);
    street_answer(s, 401, "Unauthorized");
    street_sent(s);
    target.bearer = "token-2";
    then_state(want(s, target, (SidecarJob){.id = A}), SIDECAR_ASKED, NULL);
    then_str(street_sent(s), POST);
    then_str(street_call(s, NULL)->bearer, "token-2");
    street_answer(s, 401, "Unauthorized");
    then_int(street_wakes(s), 2);
    target.bearer = "token-3";
    then_state(want(s, target, (SidecarJob){.id = A}), SIDECAR_UNAUTHORIZED, "401");
    then_str(street_sent(s), "");
    street_pass(s, 3000);
    then_str(street_sent(s), POST);
    then_str(street_call(s, NULL)->bearer, "token-3");
    street_answer(s, 401, "Unauthorized");
    then_int(street_wakes(s), 0);
}

TEST(without_a_token_only_the_health_of_a_sidecar_is_requested)
{
    SCOPED_STREET s = street_open();
    SidecarTarget target = rpc;

    target.bearer = NULL;
    want(s, target, (SidecarJob){.id = A});
    probe(s, target);
    then_str(street_sent(s), HEALTH);
    street_answer(s, 200, "");
    want(s, rpc, (SidecarJob){.id = A});
    then_str(street_sent(s), POST);
    probe(s, target); /* without one: the one before is kept */
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 250);
    then_str(street_call(s, NULL)->bearer, "token-1");
}

/* --- one task at a time ------------------------------------------------------------------------
 */

TEST(a_second_task_waits_until_the_previous_task_has_ended)
{
    static const char *const ends[] = {TASK(A, "completed"), TASK(A, "failed")};

    for (size_t i = 0; i < array_count(ends); i++) {
        SCOPED_STREET s = street_open();
        want_a(s);
        street_answer(s, 201, TAKEN(A));
        street_sent(s);
        then_state(want(s, rpc, (SidecarJob){.id = B}), SIDECAR_ASKED, NULL);
        then_str(street_sent(s), GET(A));
        street_answer(s, 200, TASK(A, "running"));
        then_state(want(s, rpc, (SidecarJob){.id = B}), SIDECAR_ASKED, "still at work");
        street_pass(s, 1000);
        then_str(street_sent(s), GET(A));
        street_answer(s, 200, ends[i]);
        then_str(street_sent(s), POST);
        then_true(strstr(street_call(s, NULL)->body, B));
    }
}

TEST(a_second_task_waits_until_the_previous_task_was_unknown_twice)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    want(s, rpc, (SidecarJob){.id = B});
    street_answer(s, 404, NOT_FOUND);
    street_sent(s);
    street_pass(s, SIDECAR_POLL_MS);
    then_str(street_sent(s), GET(A));
    street_answer(s, 404, NOT_FOUND);
    then_str(street_sent(s), POST);
}

TEST(a_task_that_is_superseded_while_it_is_posted_still_blocks_the_next_task)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    want(s, rpc, (SidecarJob){.id = B});
    then_str(street_sent(s), POST);
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 500);
    then_str(street_sent(s), GET(A));
    want(s, rpc, (SidecarJob){.id = C}); /* B was never handed over */
    street_answer(s, 200, TASK(A, "completed"));
    then_str(street_sent(s), POST);
    then_true(strstr(street_call(s, NULL)->body, C));
}

TEST(a_task_whose_post_was_refused_does_not_block_the_next_task)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    want(s, rpc, (SidecarJob){.id = B});
    street_sent(s);
    street_answer(s, 400, "{\"error\":\"type is required\"}");
    then_str(street_sent(s), POST);
    then_true(strstr(street_call(s, NULL)->body, B));
}

TEST(a_task_whose_post_never_arrived_does_not_block_the_next_task)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    want(s, rpc, (SidecarJob){.id = B});
    street_silence(s, false);
    street_sent(s);
    street_pass(s, 2000);
    then_str(street_sent(s), POST);
    then_true(strstr(street_call(s, NULL)->body, B));
}

TEST(a_task_that_was_never_submitted_is_superseded_at_once)
{
    SCOPED_STREET s = street_open();
    SidecarTarget target = rpc;

    target.bearer = NULL;
    want(s, target, (SidecarJob){.id = A});
    want(s, rpc, (SidecarJob){.id = B});
    then_str(street_sent(s), POST);
    then_true(strstr(street_call(s, NULL)->body, B));
}

TEST(a_return_to_the_running_task_polls_it_and_does_not_post_it)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    want(s, rpc, (SidecarJob){.id = B});
    street_sent(s);
    want_a(s);
    street_answer(s, 200, TASK(A, "completed"));
    then_state(want_a(s), SIDECAR_COMPLETED, NULL);
    street_pass(s, 60000);
    then_str(street_sent(s), "");
}

TEST(a_running_task_is_remembered_while_no_task_is_requested)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    sidecar_rest(s->port, rpc.node);
    street_sent(s);
    street_pass(s, 60000);
    then_str(street_sent(s), "");
    street_wakes(s);
    want(s, rpc, (SidecarJob){.id = B});
    then_str(street_sent(s), GET(A));
}

TEST(a_running_task_is_remembered_across_pods_of_the_same_volume)
{
    SCOPED_STREET s = street_open();
    SidecarTarget next = rpc;

    want_a(s);
    street_answer(s, 201, TAKEN(A));
    next.pod_uid = "pod-2";
    street_sent(s);
    want(s, next, (SidecarJob){.id = B});
    then_str(street_sent(s), GET(A));
}

/* --- pods come and go --------------------------------------------------------------------------
 */

TEST(a_new_pod_is_polled_and_the_request_to_the_old_pod_is_cancelled)
{
    SCOPED_STREET s = street_open();
    SidecarTarget next = rpc;

    want_a(s);
    next.pod_uid = "pod-2";
    next.pod_ip = "10.0.0.2";
    street_sent(s);
    then_state(want(s, next, (SidecarJob){.id = A}), SIDECAR_ASKED, NULL);
    then_int(s->cancels, 1);
    then_str(street_sent(s), GET(A)); /* it may have arrived */
    then_str(street_call(s, NULL)->ip, "10.0.0.2:8443");
}

TEST(a_task_that_the_old_pod_refused_is_submitted_to_the_new_pod)
{
    SCOPED_STREET s = street_open();
    SidecarTarget next = rpc;

    want_a(s);
    street_answer(s, 400, "{\"error\":\"unknown task type: x\"}");
    then_state(want_a(s), SIDECAR_REFUSED, "unknown task type: x");
    next.pod_uid = "pod-2";
    street_sent(s);
    want(s, next, (SidecarJob){.id = A});
    then_str(street_sent(s), POST);
}

TEST(a_failed_task_stays_failed_on_the_next_pod)
{
    SCOPED_STREET s = street_open();
    SidecarTarget next = rpc;

    want(s, rpc, (SidecarJob){.id = A, .submitted = true});
    street_answer(s, 200, TASK(A, "failed"));
    next.pod_uid = "pod-2";
    want(s, next, (SidecarJob){.id = A, .submitted = true});
    street_answer(s, 200, TASK(A, "failed"));
    then_state(want(s, next, (SidecarJob){.id = A, .submitted = true}), SIDECAR_FAILED, NULL);
}

TEST(a_sidecar_without_a_valid_ip_address_is_not_connected_to)
{
    static const char *const addresses[] = {NULL, "", "evil.example/", "10.0.0.1@x"};

    for (size_t i = 0; i < array_count(addresses); i++) {
        SCOPED_STREET s = street_open();
        SidecarTarget target = rpc;
        target.pod_ip = addresses[i];
        want(s, target, (SidecarJob){.id = A});
        probe(s, target);
        street_pass(s, 60000);
        then_int(s->calls, 0);
    }
}

TEST(a_forgotten_node_gets_no_more_sidecar_requests)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    probe(s, rpc);
    then_int(sidecars_figures(s->machine).nodes, 1);
    sidecar_forget(s->port, rpc.node);
    sidecar_forget(s->port, (Key){"sei", "nobody"});
    sidecar_rest(s->port, (Key){"sei", "nobody"});
    street_pass(s, 60000);
    then_int(s->cancels, 1);
    then_int(s->calls, 1);
    then_int(s->wakes, 0);
    then_int(sidecars_figures(s->machine).nodes, 0);
}

TEST(a_node_that_returns_before_its_request_was_cancelled_starts_afresh)
{
    SCOPED_STREET s = street_open();
    SidecarNews news;

    want_a(s);
    street_sent(s);
    sidecar_forget(s->port, rpc.node);
    sidecar_task(s->port, s->arena, &rpc, &(SidecarJob){.id = B, .type = "x"}, &news);
    street_step(s);
    then_int(s->cancels, 1);
    then_str(street_sent(s), POST);
    then_true(strstr(street_call(s, NULL)->body, B));
}

/* --- health ------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    int status; /* 0: silence */
    const char *body;
    int health;
    const char *message;
} healths[] = {
    {"200", 200, "", PROBE_READY},
    {"503", 503, "", PROBE_NOT_READY},
    {"503 of another server", 503, "upstream connect error", PROBE_UNREACHABLE, "503"},
    {"401", 401, "Unauthorized", PROBE_UNREACHABLE, "401"},
    {"502", 502, "", PROBE_UNREACHABLE, "502"},
    {"silence", 0, "", PROBE_UNREACHABLE, "gone"},
};

TEST(a_health_probe_carries_no_token)
{
    SCOPED_STREET s = street_open();

    probe(s, rpc);
    then_str(rpc.bearer, "token-1");
    then_str(street_call(s, NULL)->bearer, NULL);
    then_str(street_sent(s), HEALTH);
}

TEST(the_health_of_a_sidecar_follows_the_status_of_healthz)
{
    each_case(i, healths) {
        SCOPED_STREET s = street_open();

        then_int(probe(s, rpc).health, PROBE_UNKNOWN);
        then_str(street_sent(s), HEALTH);
        then_int(street_call(s, NULL)->deadline_ms, SIDECAR_HEALTH_DEADLINE_MS);
        if (healths[i].status)
            street_answer(s, healths[i].status, healths[i].body);
        else
            street_silence(s, true);
        then_int(street_wakes(s), 1);
        then_int(s->heards, 1);
        then_true(s->heard.is_probe);
        then_int(s->heard.health, healths[i].health);
        then_true(s->heard.is_unanswered == (healths[i].health == PROBE_UNREACHABLE));
        then_str(key_text(s->arena, s->heard.node), key_text(s->arena, rpc.node));
        SidecarProbe seen = probe(s, rpc);
        then_int(seen.health, healths[i].health);
        then_true(!healths[i].message || strstr(seen.message, healths[i].message));
    }
}

TEST(the_health_answer_of_an_old_pod_is_ignored)
{
    SCOPED_STREET s = street_open();
    SidecarTarget next = rpc;

    next.pod_uid = "pod-2";
    probe(s, rpc);
    OpenCall old = *street_call(s, NULL);
    SidecarProbe seen;
    sidecar_probe(s->port, s->arena, &next, &seen);
    old.sink->on_end(old.sink, &(HttpAnswer){.status = 200}, NULL);
    then_int(s->heards, 0);
    street_call(s, NULL)->id = 0;
    s->open_count--;
}

TEST(health_is_polled_every_thirty_seconds_and_enqueues_the_node_only_on_a_change)
{
    SCOPED_STREET s = street_open();

    probe(s, rpc);
    for (int64_t spent = 0; spent < 3000000; spent += 100) {
        if (street_call(s, NULL))
            street_answer(s, 200, "");
        street_pass(s, 100);
    }
    then_int(street_wakes(s), 1);
    then_true(s->calls >= 98 && s->calls <= 104);
    while (!street_call(s, NULL))
        street_pass(s, 100);
    street_answer(s, 503, "");
    then_int(street_wakes(s), 1);
}

TEST(the_health_of_a_new_pod_is_requested_at_once)
{
    SCOPED_STREET s = street_open();
    SidecarTarget next = rpc;

    probe(s, rpc);
    street_answer(s, 200, "");
    next.pod_uid = "pod-2";
    street_sent(s);
    then_int(probe(s, next).health, PROBE_UNKNOWN);
    then_str(street_sent(s), HEALTH);
}

TEST(health_is_requested_at_once_after_a_completed_mark_ready_and_after_no_other_task)
{
    static const struct {
        const char *name, *type, *sent;
        int wakes, health;
    } cases[] = {
        {"mark-ready", "mark-ready", HEALTH, 0, PROBE_UNKNOWN},
        {"another", "config-validate", "", 1, PROBE_NOT_READY},
    };

    each_case(i, cases) {
        SCOPED_STREET s = street_open();
        SidecarJob job = {.id = A, .type = cases[i].type};

        probe(s, rpc);
        street_answer(s, 503, "");
        want(s, rpc, job);
        street_answer(s, 201, TAKEN(A));
        street_pass(s, 250);
        street_sent(s);
        street_wakes(s);
        street_answer(s, 200, TASK(A, "completed"));
        then_str(street_sent(s), cases[i].sent);
        then_int(street_wakes(s), cases[i].wakes);
        then_int(probe(s, rpc).health, cases[i].health);
    }
}

TEST(a_gated_sidecar_is_probed_only_after_mark_ready_opened_its_gate)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .type = "mark-ready"};
    SidecarTarget gated = rpc;
    HttpAnswer completed = {200, "application/json", bytes_of(TASK(A, "completed"))};

    gated.awaits_gate = true;
    then_int(probe(s, gated).health, PROBE_UNKNOWN);
    street_pass(s, 60000);
    then_str(street_sent(s), "");
    want(s, gated, job);
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 250);
    street_sent(s);
    street_wakes(s);
    street_hear_end(s, street_call(s, NULL), &completed, NULL);
    then_int(probe(s, gated).health, PROBE_UNKNOWN); /* and is not held back again */
    then_str(street_sent(s), HEALTH);
    street_answer(s, 200, "");
    then_int(street_wakes(s), 1);
    then_int(probe(s, gated).health, PROBE_READY);
}

TEST(a_sidecar_whose_gate_is_no_longer_awaited_is_probed_at_once)
{
    SCOPED_STREET s = street_open();
    SidecarTarget gated = rpc;

    gated.awaits_gate = true;
    probe(s, gated);
    then_str(street_sent(s), "");
    probe(s, rpc);
    then_str(street_sent(s), HEALTH);
}

TEST(the_gate_of_a_new_pod_is_closed_whatever_the_state_of_the_old_one)
{
    SCOPED_STREET s = street_open();
    SidecarTarget gated = rpc;

    probe(s, rpc);
    street_answer(s, 200, "");
    want(s, rpc, (SidecarJob){.id = A, .type = "mark-ready", .submitted = true});
    street_answer(s, 200, TASK(A, "completed"));
    street_answer(s, 200, "");
    sidecar_rest(s->port, rpc.node);
    street_sent(s);
    gated.pod_uid = "pod-2";
    gated.awaits_gate = true;
    probe(s, gated);
    street_pass(s, 60000);
    then_str(street_sent(s), "");
}

TEST(a_completed_mark_ready_is_reported_together_with_the_resulting_health)
{
    SCOPED_STREET s = street_open();
    SidecarJob job = {.id = A, .type = "mark-ready"};

    probe(s, rpc);
    street_answer(s, 503, "");
    want(s, rpc, job);
    street_answer(s, 201, TAKEN(A));
    street_pass(s, 250);
    street_wakes(s);
    street_answer(s, 200, TASK(A, "completed"));
    street_answer(s, 200, "");
    then_int(street_wakes(s), 1);
    then_int(probe(s, rpc).health, PROBE_READY);
    then_state(want(s, rpc, job), SIDECAR_COMPLETED, NULL);
}

TEST(an_accepted_mark_ready_is_reported_with_its_first_poll)
{
    static const struct {
        const char *name, *type;
        int status;
        const char *body;
        int wakes_at_once, wakes_later;
    } cases[] = {
        {"it has ended", "mark-ready", 200, TASK(A, "completed"), 0, 1},
        {"it is still at work", "mark-ready", 200, TASK(A, "running"), 0, 1},
        {"it cannot be asked", "mark-ready", 500, "", 0, 1},
        {"another task has ended", "config-apply", 200, TASK(A, "completed"), 1, 1},
        {"another task is still at work", "config-apply", 200, TASK(A, "running"), 1, 0},
    };

    each_case(i, cases) {
        SCOPED_STREET s = street_open();
        want(s, rpc, (SidecarJob){.id = A, .type = cases[i].type});
        street_answer(s, 201, TAKEN(A));
        then_int(street_wakes(s), cases[i].wakes_at_once);
        street_pass(s, 250);
        street_answer(s, cases[i].status, cases[i].body);
        then_int(street_wakes(s), cases[i].wakes_later);
    }
}

TEST(a_completed_mark_ready_is_reported_at_once_if_health_is_not_requested)
{
    SCOPED_STREET s = street_open();

    want(s, rpc, (SidecarJob){.id = A, .type = "mark-ready", .submitted = true});
    street_answer(s, 200, TASK(A, "completed"));
    then_int(street_wakes(s), 1);
    then_int(s->calls, 1);
}

/* --- limits and faults -------------------------------------------------------------------------
 */

TEST(a_sidecar_request_that_cannot_be_started_counts_as_an_error)
{
    SCOPED_STREET s = street_open();

    s->refuses_starts = true;
    want_a(s);
    then_state(want_a(s), SIDECAR_UNREACHABLE, "no more sockets");
    then_int(s->calls, 1);
    s->refuses_starts = false;
    street_pass(s, 2000);
    then_str(street_sent(s), POST);
}

TEST(a_task_that_can_never_be_posted_is_refused)
{
    SCOPED_STREET s = street_open();
    char *huge = arena_alloc(s->arena, SIDECAR_BODY_MAX + 1);
    SidecarJob jobs[] = {{.id = ""}, {.id = A A}, {.id = A}};

    memset(huge, 'x', SIDECAR_BODY_MAX);
    jobs[2].params =
        json_fixture(s->arena, str_format(s->arena, "{peers: '%s'}", (const char *)huge));
    for (size_t i = 0; i < array_count(jobs); i++)
        then_state(want(s, rpc, jobs[i]), SIDECAR_REFUSED, "");
    then_int(s->calls, 0);
}

TEST(sidecar_metrics_count_exchanges_and_failures)
{
    SCOPED_STREET s = street_open();

    want_a(s);
    then_int(sidecars_figures(s->machine).in_flight, 1);
    street_answer(s, 502, "");
    then_int(sidecars_figures(s->machine).in_flight, 0);
    then_int(sidecars_figures(s->machine).exchanges, 1);
    then_int(sidecars_figures(s->machine).failures, 1);
}
