/* Reflector: refusals, nonsense, giants, and a server that does anything. */
#include "tests/kube/runtime/reflector_world.h"

/* --- refusals */

static const struct {
    const char *name;
    int status;
    int64_t retry_after_ms, least, most;
    const char *body, *phrase;
} refusals[] = {
    {"unauthorized", 401, 0, 800, 1000, "", "credentials"},
    {"forbidden",
        403,
        0,
        800,
        1000,
        "{\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\",\"message\":\"no list for "
        "you\"}",
        "no list for you (403 Forbidden)"},
    {"not served", 404, 0, 800, 1000, "404 page not found", "404"},
    {"too many requests", 429, 0, 400, 500, "", "429"},
    {"too many requests, with a wish", 429, 7000, 7000, 7000, "", "429"},
    {"an absurd wish", 503, 86400000, 60000, 60000, "", "503"},
    {"internal error", 500, 0, 400, 500, "{not json", "500"},
    {"unavailable", 503, 0, 400, 500, "", "503"},
    {"a redirect", 302, 0, 400, 500, "", "302"},
    {"a bad request", 400, 0, 400, 500, "", "400"},
    {"no content", 204, 0, 400, 500, "", "answered 204, not 200"},
    {"part of the content", 206, 0, 400, 500, "", "answered 206, not 200"},
};

TEST(a_refused_list_is_retried_after_a_delay)
{
    each_case(i, refusals) {
        SCOPED_WORLD w;
        given(&w, (ReflectorOptions){0});
        fake_head(&w.server, refusals[i].status, refusals[i].retry_after_ms);
        answer(&w, refusals[i].body);
        fake_end(&w.server, OK);
        step(&w);
        then_true(strstr(health(&w).last_error, refusals[i].phrase) != NULL);
        int64_t waited = wait_for_next(&w);
        then_true(waited >= refusals[i].least && waited <= refusals[i].most);
        then_lists_from_the_start(&w);
        then_str(said(&w), "");
    }
}

TEST(a_refused_watch_resumes_and_never_lists)
{
    each_case(i, refusals) {
        SCOPED_WORLD w;
        given(&w, (ReflectorOptions){0});
        answer_whole(&w, 200, empty_page);
        for (int round = 0; round < 20; round++) {
            fake_head(&w.server, refusals[i].status, refusals[i].retry_after_ms);
            answer(&w, refusals[i].body);
            fake_end(&w.server, OK);
            step(&w);
            int64_t waited = wait_for_next(&w);
            then_true(round > 0 || (waited >= refusals[i].least && waited <= refusals[i].most));
            then_watches_from(&w, "10");
        }
        then_true(!health(&w).watching);
        then_int(health(&w).failures, 20);
    }
}

TEST(another_kind_of_error_starts_again_with_a_short_delay)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    for (int i = 0; i < 10; i++) {
        lose_connection(&w);
        wait_for_next(&w);
    }
    answer_whole(&w, 503, "");
    then_true(wait_for_next(&w) <= 500);
}

TEST(only_the_beginning_of_a_long_error_message_is_kept)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_head(&w, 500);
    char *filler = arena_alloc(w.arena, 100000);
    memset(filler, 'x', 100000);
    for (int i = 0; i < 1000; i++)
        fake_bytes(&w.server, filler, 100000);
    fake_end(&w.server, OK);
    step(&w);
    then_int(health(&w).bytes, 100000000);
    then_true(strstr(health(&w).last_error, "(500)") != NULL);
}

TEST(a_watch_request_that_cannot_be_sent_is_reported)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    w.server.refuse = "no such thing";
    lose_connection(&w);
    w.now = w.next;
    step(&w);
    then_str(health(&w).last_error, "watching pods: no such thing");
    then_true(w.next - w.now >= 400 && w.next - w.now <= 500);
    w.server.refuse = NULL;
    wait_for_next(&w);
    then_watches_from(&w, "10");
}

/* --- nonsense */

static const struct {
    const char *name, *body;
} not_lists[] = {
    {"nothing", ""},
    {"a web page", "<html></html>"},
    {"a Status of success", "{\"kind\":\"Status\",\"status\":\"Success\"}"},
    {"a list of another kind",
        "{\"kind\":\"NodeList\",\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[]}"},
    {"no items", "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"5\"}}"},
    {"no version", "{\"kind\":\"PodList\",\"metadata\":{},\"items\":[]}"},
    {"a broken item behind good ones", PAGE("5", "", OBJECT("a", "1") "," OBJECT("b", "2") ",{}")},
};

TEST(an_invalid_list_deletes_no_object)
{
    each_case(i, not_lists) {
        SCOPED_WORLD w;
        given_watch(&w, (ReflectorOptions){0});
        reflector_relist(w.reflector, w.now);
        step(&w);
        for (int round = 0; round < 3; round++) {
            answer_whole(&w, 200, not_lists[i].body);
            then_str(said(&w), "");
            wait_for_next(&w);
            then_lists_from_the_start(&w);
        }
        then_int(health(&w).failures, 3);
        answer_whole(&w, 200, last_page);
        then_str(said(&w), "begin c@9 end@10 ");
    }
}

static const struct {
    const char *name, *line;
} not_events[] = {
    {"garbage", "\x01\x02\xff\n"},
    {"half an event", "{\"type\":\"ADDED\",\"object\":\n"},
    {"a web page", "<html>\n"},
    {"a number", "42\n"},
    {"an event without type", "{\"object\":" OBJECT("x", "9") "}\n"},
    {"an event without object", "{\"type\":\"DELETED\"}\n"},
    {"a delete of something without name",
        EVENT("DELETED", "{\"metadata\":{\"resourceVersion\":\"9\"}}")},
    {"a change of something without version",
        EVENT("MODIFIED", "{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"}}")},
    {"a bookmark without version", EVENT("BOOKMARK", "{}")},
    {"an error nobody explains", EVENT("ERROR", "{}")},
    {"a NUL", "{\"type\":\"ADD\\u0000ED\",\"object\":{}}\n"},
};

TEST(a_broken_watch_resumes_and_finally_lists_again)
{
    each_case(i, not_events) {
        SCOPED_WORLD w;
        given_watch(&w, (ReflectorOptions){0});
        answer(&w, BOOKMARK("12"));
        for (int round = 1; round <= 5; round++) {
            const char *late = EVENT("ADDED", OBJECT("late", "99"));
            answer(&w, str_format(w.arena, "%s%s", not_events[i].line, late));
            answer(&w, late);
            step(&w);
            then_int(w.server.cancelled, round);
            then_true(strstr(said(&w), "late") == NULL);
            wait_for_next(&w);
            if (round < 5) {
                then_watches_from(&w, "12");
                answer_head(&w, 200);
            }
        }
        then_lists_from_the_start(&w);
        answer_whole(&w, 200, PAGE("90", "", ""));
        then_watches_from(&w, "90");
        then_int(w.feed.removals, 0);
    }
}

TEST(broken_events_with_progress_in_between_never_cause_a_list)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    for (int round = 0; round < 20; round++) {
        answer(&w,
            str_format(w.arena,
                "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%d\"}}}\n",
                100 + round));
        answer(&w, "garbage\n");
        step(&w);
        then_true(wait_for_next(&w) <= 500);
        then_watches_from(&w, str_format(w.arena, "%d", 100 + round));
        answer_head(&w, 200);
    }
    then_int(health(&w).lists, 1);
}

TEST(a_watch_error_of_a_busy_server_waits_as_the_server_asks)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    answer(&w,
        EVENT("ERROR",
            "{\"kind\":\"Status\",\"code\":429,\"message\":\"slow down\","
            "\"details\":{\"retryAfterSeconds\":4}}"));
    step(&w);
    then_true(strstr(health(&w).last_error, "slow down") != NULL);
    then_int(wait_for_next(&w), 4000);
    then_watches_from(&w, "10");
}

TEST(unknown_watch_events_are_counted_and_ignored)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    answer(&w, EVENT("RENAMED", "{}") "\n\n" EVENT("ADDED", OBJECT("d", "11")));
    then_str(said(&w), "+d@11 ");
    then_int(health(&w).ignored, 1);
    then_int(health(&w).events, 2);
}

TEST(old_and_repeated_events_are_passed_on_to_the_store)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    answer(&w, EVENT("ADDED", OBJECT("d", "14")) EVENT("ADDED", OBJECT("d", "14")));
    answer(&w, EVENT("MODIFIED", OBJECT("e", "12")));
    then_str(said(&w), "+d@14 +d@14 +e@12 ");
    lose_connection(&w);
    wait_for_next(&w);
    then_watches_from(&w, "14");
}

/* --- giants */

/* An event around an object of so many bytes. */
static const char *giant_event(World *w, size_t size, const char *version)
{
    char *filler = arena_alloc(w->arena, size + 1);
    memset(filler, 'x', size);
    return str_format(w->arena,
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"giant\",\"namespace\":\"n\","
        "\"resourceVersion\":\"%s\"},\"data\":\"%s\"}}\n",
        version,
        filler);
}

TEST(an_object_of_three_megabytes_is_accepted_in_chunks)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    const char *event = giant_event(&w, 3 << 20, "11");
    size_t len = strlen(event);
    for (size_t at = 0; at < len; at += 16384)
        fake_bytes(&w.server, event + at, len - at < 16384 ? len - at : 16384);
    then_str(said(&w), "+giant@11 ");
}

TEST(an_event_beyond_the_size_limit_causes_a_new_list)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){.event_max = 1000});
    const char *event = giant_event(&w, 2000, "11");
    for (int round = 0; round < 5; round++) {
        answer(&w, EVENT("ADDED", OBJECT("small", "10")));
        answer(&w, event);
        step(&w);
        then_true(strstr(health(&w).last_error, "more than 1000 bytes") != NULL);
        wait_for_next(&w);
        if (round < 4)
            answer_head(&w, 200);
    }
    then_lists_from_the_start(&w);
}

static const char *deep(World *w, size_t depth)
{
    char *text = arena_alloc(w->arena, 2 * depth + 1);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

TEST(ten_thousand_levels_of_nesting_are_refused_in_lists_and_watches)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w,
        200,
        str_format(w.arena,
            "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[%s]}",
            deep(&w, 10000)));
    then_str(said(&w), "");
    then_int(health(&w).failures, 1);
    wait_for_next(&w);
    answer_whole(&w, 200, empty_page);
    answer_head(&w, 200);
    answer(
        &w, str_format(w.arena, "{\"type\":\"ADDED\",\"object\":{\"x\":%s}}\n", deep(&w, 10000)));
    step(&w);
    then_int(health(&w).failures, 2);
    then_str(said(&w), "begin end@10 ");
}

/* 17 MiB of an array that never ends. */
static void answer_too_much(World *w)
{
    char *filler = arena_alloc(w->arena, 1 << 20);
    memset(filler, ' ', 1 << 20);
    answer_head(w, 200);
    for (int i = 0; i < 17; i++)
        fake_bytes(&w->server, filler, 1 << 20);
    step(w);
}

TEST(a_page_that_is_too_large_makes_pages_smaller_until_they_fit)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){.page_limit = 10});
    then_int(w.server.request.limit, 10);
    answer_whole(&w, 200, first_page);
    answer_too_much(&w);
    then_str(said(&w), "begin a@3 b@7 abort ");
    then_int(w.server.request.limit, 5);
    then_lists_from_the_start(&w);
    answer_too_much(&w);
    then_int(w.server.request.limit, 2);
    answer_too_much(&w);
    then_int(w.server.request.limit, 1);
    answer_too_much(&w);
    then_true(strstr(health(&w).last_error, "a page of more than") != NULL);
    wait_for_next(&w);
    then_int(w.server.request.limit, 1);
    answer_whole(&w, 200, last_page);
    then_str(said(&w), "begin c@9 end@10 ");

    reflector_relist(w.reflector, w.now);
    step(&w);
    then_int(w.server.request.limit, 2);
}

/* The client ends the stream before this side has counted too many bytes. */
static void end_too_large(World *w)
{
    Err *why = err_terminal(w->arena, "its body is larger than 16777216 bytes");

    why->reason = STREAM_TOO_LARGE;
    answer_head(w, 200);
    fake_end(&w->server, why);
    step(w);
}

TEST(a_page_that_the_client_refuses_as_too_large_makes_pages_smaller)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){.page_limit = 10});
    answer_whole(&w, 200, first_page);
    end_too_large(&w);
    then_str(said(&w), "begin a@3 b@7 abort ");
    then_int(w.server.request.limit, 5);
    then_lists_from_the_start(&w);
    end_too_large(&w);
    then_int(w.server.request.limit, 2);
    answer_whole(&w, 200, last_page);
    then_str(said(&w), "begin c@9 end@10 ");
}

TEST(a_page_of_too_many_values_makes_pages_smaller)
{
    enum { VALUES = JSON_VALUES_MAX + 10 };
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){.page_limit = 10});
    char *values = arena_alloc(w.arena, 2 * (size_t)VALUES + 1);
    for (size_t i = 0; i < VALUES; i++)
        memcpy(values + 2 * i, "1,", 2);
    values[2 * VALUES - 1] = ']';
    answer_head(&w, 200);
    answer(&w, "[");
    answer(&w, values);
    fake_end(&w.server, OK);
    step(&w);
    then_int(w.server.request.limit, 5);
    then_int(health(&w).failures, 1);
}

TEST(a_list_page_whose_continue_token_repeats_is_refused)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 200, first_page);
    answer_whole(&w, 200, first_page);
    then_true(strstr(health(&w).last_error, "continues with itself") != NULL);
    then_str(said(&w), "begin a@3 b@7 a@3 b@7 abort ");
    wait_for_next(&w);
    then_lists_from_the_start(&w);
}

TEST(an_overlong_continue_token_is_refused)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    char *token = arena_alloc(w.arena, 70001);
    memset(token, 't', 70000);
    answer_whole(&w,
        200,
        str_format(w.arena,
            "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"1\",\"continue\":\"%s\"},"
            "\"items\":[]}",
            token));
    then_true(strstr(health(&w).last_error, "a continue token of more than") != NULL);
    then_str(said(&w), "begin abort ");
}

/* --- chance: a server that does anything */

static void misbehave(World *w, SeededRng *chance)
{
    static const char *const answers[] = {
        first_page,
        last_page,
        empty_page,
        stream,
        EXPIRED,
        EVENT("ERROR", EXPIRED),
        BOOKMARK("17"),
        BOOKMARK("3"),
        "{\"kind\":\"Status\"}",
        "garbage\n",
        "",
    };
    static const int statuses[] = {200, 200, 200, 200, 200, 410, 429, 500, 403, 404, 302};
    const char *text = answers[rng_below(&chance->port, array_count(answers))];
    size_t len = rng_below(&chance->port, 3) ? strlen(text) : rng_below(&chance->port, 400);
    len = len < strlen(text) ? len : strlen(text);

    fake_head(&w->server, statuses[rng_below(&chance->port, array_count(statuses))], 0);
    for (size_t at = 0, taken; at < len; at += taken) {
        taken = 1 + rng_below(&chance->port, 300);
        taken = taken < len - at ? taken : len - at;
        fake_bytes(&w->server, text + at, taken);
    }
    unsigned how = (unsigned)rng_below(&chance->port, 10);
    if (how < 6)
        fake_end(&w->server, OK);
    else if (how < 8)
        fake_end(&w->server, err_retry(w->arena, "connection reset"));
    else
        w->now += (int64_t)rng_below(&chance->port, 100000);
}

TEST(no_server_behaviour_stops_a_reflector)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        SCOPED_WORLD w;
        SeededRng chance;
        rng_seed(&chance, seed);
        given(&w, (ReflectorOptions){0});
        for (int round = 0; round < 60; round++) {
            if (w.server.running)
                misbehave(&w, &chance);
            step(&w);
            if (!w.server.running) {
                then_true(w.next > w.now && w.next <= w.now + 60000);
                w.now = w.next;
                step(&w);
            }
            if (rng_below(&chance.port, 30) == 0)
                reflector_relist(w.reflector, w.now);
            if (rng_below(&chance.port, 30) == 0)
                reflector_drop(w.reflector, w.now);
        }
        /* In the end the server is well again, and the reflector finds out. */
        reflector_relist(w.reflector, w.now);
        step(&w);
        said(&w);
        answer_whole(&w, 200, first_page);
        answer_whole(&w, 200, last_page);
        answer_head(&w, 200);
        answer(&w, stream);
        step(&w);
        then_str(said(&w), "begin a@3 b@7 c@9 end@10 +d@11 +a@12 ^15 -b@16 ");
        then_int(health(&w).failures, 0);
    }
}
