/* Reflector: whatever happens to its connections, the feed learns what happened, in order, and
 * never a delete that did not happen. What servers say that they should not is in
 * test_reflector_hostile.c. */
#include "tests/kube/runtime/reflector_world.h"

/* --- the good days */

TEST(the_reflector_lists_in_pages_and_then_watches)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){.namespace = "n", .labels = "app=x", .fields = "status.phase=Y"});
    then_str(w.server.url,
        "/api/v1/namespaces/n/pods?labelSelector=app%3Dx&fieldSelector=status.phase%3DY&limit=250");
    then_true(w.server.request.deadline_ms > 0);
    answer_whole(&w, 200, first_page);
    then_str(w.server.request.continue_key, "token");
    then_true(!health(&w).watching);
    answer_whole(&w, 200, last_page);
    then_str(said(&w), "begin a@3 b@7 c@9 end@10 ");

    then_watches_from(&w, "10");
    then_str(w.server.request.labels, "app=x");
    then_str(w.server.request.fields, "status.phase=Y");
    then_str(w.server.request.key.namespace, "n");
    then_true(w.server.request.bookmarks);
    then_true(w.server.request.timeout_seconds >= 300 && w.server.request.timeout_seconds <= 600);
    then_true(w.server.request.deadline_ms > w.server.request.timeout_seconds * 1000);
    then_true(!health(&w).watching);
    answer_head(&w, 200);
    w.now = 2000;
    step(&w);
    then_true(health(&w).watching);
    then_int(health(&w).since_ms, 2000);

    answer(&w, stream);
    then_str(said(&w), "+d@11 +a@12 ^15 -b@16 ");
    ReflectorHealth h = health(&w);
    then_int(h.lists, 1);
    then_int(h.watches, 1);
    then_int(h.events, 4);
    then_int(h.bytes, strlen(first_page) + strlen(last_page) + strlen(stream));
    then_int(h.failures, 0);
    then_str(h.last_error, NULL);
}

TEST(watches_get_different_timeouts)
{
    int64_t least = INT64_MAX, most = 0;
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    for (int i = 0; i < 50; i++) {
        int64_t seconds = w.server.request.timeout_seconds;
        least = seconds < least ? seconds : least;
        most = seconds > most ? seconds : most;
        w.now += 300000;
        fake_end(&w.server, OK);
        step(&w);
        answer_head(&w, 200);
    }
    then_true(most - least > 100);
}

/* A whole answer in order, cut at two places. */
static void answer_cut(World *w, const char *text, size_t first, size_t second)
{
    size_t len = strlen(text);
    first = first < len ? first : len;
    second = second < first ? first : second < len ? second : len;
    answer_head(w, 200);
    fake_bytes(&w->server, text, first);
    fake_bytes(&w->server, text + first, second - first);
    fake_bytes(&w->server, text + second, len - second);
    fake_end(&w->server, OK);
    step(w);
}

TEST(the_feed_gets_the_same_calls_wherever_the_session_is_split)
{
    size_t longest = strlen(first_page) > strlen(stream) ? strlen(first_page) : strlen(stream);
    for (size_t cut = 0; cut <= longest; cut++) {
        SCOPED_WORLD w;
        given(&w, (ReflectorOptions){0});
        answer_cut(&w, first_page, cut, cut + 1);
        answer_cut(&w, last_page, cut, cut + 3);
        answer_cut(&w, stream, cut, cut + 2);
        then_str(said(&w), "begin a@3 b@7 c@9 end@10 +d@11 +a@12 ^15 -b@16 ");
        then_watches_from(&w, "16");
    }
}

TEST(a_list_and_a_watch_can_arrive_byte_by_byte)
{
    SCOPED_WORLD w;
    static const char *const answers[] = {first_page, last_page, stream};
    given(&w, (ReflectorOptions){0});
    for (size_t i = 0; i < array_count(answers); i++) {
        answer_head(&w, 200);
        for (const char *at = answers[i]; *at; at++) {
            fake_bytes(&w.server, at, 1);
            step(&w);
        }
        fake_end(&w.server, OK);
        step(&w);
    }
    then_str(said(&w), "begin a@3 b@7 c@9 end@10 +d@11 +a@12 ^15 -b@16 ");
}

TEST(a_watch_that_ends_in_order_is_resumed_at_once)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    answer(&w, EVENT("ADDED", OBJECT("d", "11")) BOOKMARK("15"));
    fake_end(&w.server, OK);
    step(&w);
    then_watches_from(&w, "15");
    then_int(health(&w).lists, 1);
    then_int(health(&w).failures, 0);
    then_true(!health(&w).watching);
}

TEST(a_watch_without_events_that_ends_in_order_is_resumed_at_once)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    w.now += 50000;
    fake_end(&w.server, OK);
    step(&w);
    then_watches_from(&w, "10");
    then_int(health(&w).failures, 0);
}

TEST(a_watch_that_ends_immediately_is_resumed_with_growing_delays)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    int64_t waited = 0;
    for (int i = 0; i < 10; i++) {
        fake_end(&w.server, OK);
        step(&w);
        waited = wait_for_next(&w);
        then_watches_from(&w, "10");
        answer_head(&w, 200);
    }
    then_true(waited >= 800 && waited <= 1000);
    then_true(strstr(health(&w).last_error, "as soon as it had begun") != NULL);
}

/* --- streams that break off */

TEST(a_list_that_is_cut_anywhere_deletes_nothing)
{
    size_t len = strlen(last_page);
    for (size_t cut = 0; cut + 2 < len; cut++) {
        for (int in_order = 0; in_order < 2; in_order++) {
            SCOPED_WORLD w;
            given(&w, (ReflectorOptions){0});
            answer_whole(&w, 200, first_page);
            answer_head(&w, 200);
            fake_bytes(&w.server, last_page, cut);
            fake_end(&w.server, in_order ? OK : err_retry(w.arena, "connection reset"));
            step(&w);
            then_int(w.feed.list_ends, 0);
            then_int(w.feed.removals, 0);
            then_true(health(&w).failures == 1);

            wait_for_next(&w);
            if (in_order) {
                then_str(said(&w), "begin a@3 b@7 abort ");
                then_lists_from_the_start(&w);
                answer_whole(&w, 200, first_page);
            } else {
                then_str(said(&w), "begin a@3 b@7 ");
                then_str(w.server.request.continue_key, "token");
            }
            answer_whole(&w, 200, last_page);
            then_int(w.feed.list_ends, 1);
            then_watches_from(&w, "10");
        }
    }
}

TEST(a_watch_that_is_cut_anywhere_resumes_after_its_last_complete_event)
{
    static const struct {
        size_t len;
        const char *said, *version;
    } *known,
        events[] = {
            {0, "", "10"},
            {sizeof(EVENT("ADDED", OBJECT("d", "11"))) - 1, "+d@11 ", "11"},
            {sizeof(EVENT("ADDED", OBJECT("d", "11")) EVENT("MODIFIED", OBJECT("a", "12"))) - 1,
                "+d@11 +a@12 ",
                "12"},
            {sizeof(EVENT("ADDED", OBJECT("d", "11")) EVENT("MODIFIED", OBJECT("a", "12"))
                     BOOKMARK("15"))
                    - 1,
                "+d@11 +a@12 ^15 ",
                "15"},
            {sizeof stream - 1, "+d@11 +a@12 ^15 -b@16 ", "16"},
        };
    for (size_t cut = 0; cut < sizeof stream; cut++) {
        for (int in_order = 0; in_order < 2; in_order++) {
            SCOPED_WORLD w;
            given_watch(&w, (ReflectorOptions){0});
            for (known = events; known + 1 < events + array_count(events) && known[1].len <= cut;)
                known++;
            fake_bytes(&w.server, stream, cut);
            w.now += 2000;
            fake_end(&w.server, in_order ? OK : err_retry(w.arena, "connection reset"));
            step(&w);
            then_str(said(&w), known->said);
            bool whole = in_order && known->len == cut;
            then_int(health(&w).failures, !whole);
            if (!whole)
                then_true(wait_for_next(&w) <= 50);
            then_watches_from(&w, known->version);
            then_int(health(&w).lists, 1);
        }
    }
}

TEST(a_lost_connection_is_retried_at_least_every_second)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    int64_t ceiling = 50;
    for (int i = 0; i < 20; i++) {
        lose_connection(&w);
        int64_t waited = wait_for_next(&w);
        then_true(waited <= ceiling && waited >= ceiling * 4 / 5);
        ceiling = ceiling * 2 < 1000 ? ceiling * 2 : 1000;
        then_watches_from(&w, "10");
    }
    then_int(health(&w).failures, 20);
    then_str(health(&w).last_error, "watching pods: connection reset");
    then_int(health(&w).lists, 1);
}

TEST(a_watch_event_resets_the_failure_count)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    for (int i = 0; i < 10; i++) {
        lose_connection(&w);
        wait_for_next(&w);
    }
    answer_head(&w, 200);
    step(&w);
    then_int(health(&w).failures, 10);
    answer(&w, BOOKMARK("11"));
    step(&w);
    then_int(health(&w).failures, 0);
    lose_connection(&w);
    then_true(wait_for_next(&w) <= 50);
}

TEST(a_watch_that_lives_for_ten_seconds_resets_the_failure_count)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    lose_connection(&w);
    wait_for_next(&w);
    answer_head(&w, 200);
    step(&w);
    then_int(health(&w).failures, 1);
    then_int(w.next - w.now, 10000);
    w.now = w.next;
    step(&w);
    then_int(health(&w).failures, 0);
    then_str(health(&w).last_error, NULL);
}

TEST(a_watch_without_a_response_header_does_not_reset_the_failure_count)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    lose_connection(&w);
    wait_for_next(&w);
    w.now += 10000;
    step(&w);
    then_int(health(&w).failures, 1);
    then_true(w.next > w.now);
}

TEST(a_silent_watch_is_cancelled_and_resumed)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){.silence_ms = 5000});
    then_int(w.next, w.now + 5000);
    w.now += 4000;
    answer(&w, "{\"ty");
    step(&w);
    then_int(w.next, w.now + 5000);
    w.now += 4999;
    step(&w);
    then_int(w.server.cancelled, 0);
    w.now++;
    step(&w);
    then_int(w.server.cancelled, 1);
    then_true(!health(&w).watching);
    then_true(wait_for_next(&w) <= 50);
    then_watches_from(&w, "10");
    answer_head(&w, 200);
    answer(&w, BOOKMARK("12"));
    then_str(said(&w), "^12 ");
}

TEST(a_list_that_never_arrives_is_cancelled)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    then_true(w.next >= w.now + 60000);
    w.now = w.next;
    step(&w);
    then_int(w.server.cancelled, 1);
    wait_for_next(&w);
    then_lists_from_the_start(&w);
}

TEST(a_list_page_is_retried_five_times_after_transient_errors)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 200, first_page);
    for (int i = 0; i < 4; i++) {
        if (i % 2)
            answer_whole(&w, 503, "busy");
        else
            lose_connection(&w);
        wait_for_next(&w);
        then_str(w.server.request.continue_key, "token");
    }
    lose_connection(&w);
    wait_for_next(&w);
    then_lists_from_the_start(&w);
    then_str(said(&w), "begin a@3 b@7 abort ");
    then_int(health(&w).lists, 2);
}

TEST(every_list_page_has_its_own_five_attempts)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    for (int page = 0; page < 3; page++) {
        for (int i = 0; i < 4; i++) {
            lose_connection(&w);
            wait_for_next(&w);
        }
        answer_whole(&w,
            200,
            str_format(w.arena,
                "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"10\","
                "\"continue\":\"token-%d\"},\"items\":[]}",
                page));
        then_str(w.server.request.continue_key, str_format(w.arena, "token-%d", page));
    }
    then_int(health(&w).lists, 5);
    then_str(said(&w), "begin ");
}

/* --- 410 at every place */

TEST(a_list_that_gets_410_starts_again)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 410, EXPIRED);
    then_true(wait_for_next(&w) <= 50);
    then_lists_from_the_start(&w);
    then_str(said(&w), "");
}

TEST(a_list_page_that_gets_410_starts_the_list_again)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 200, first_page);
    answer_whole(&w, 410, EXPIRED);
    then_str(said(&w), "begin a@3 b@7 abort ");
    then_true(wait_for_next(&w) <= 50);
    then_lists_from_the_start(&w);
    answer_whole(&w, 200, first_page);
    answer_whole(&w, 200, last_page);
    then_str(said(&w), "begin a@3 b@7 c@9 end@10 ");
}

TEST(a_watch_that_gets_410_lists_again)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 200, empty_page);
    answer_whole(&w, 410, EXPIRED);
    then_true(wait_for_next(&w) <= 50);
    then_lists_from_the_start(&w);
    then_str(said(&w), "begin end@10 ");
    answer_whole(&w, 200, PAGE("90", "", OBJECT("a", "80")));
    then_str(said(&w), "begin a@80 end@90 ");
    then_watches_from(&w, "90");
}

TEST(a_watch_that_expires_after_any_event_lists_again)
{
    static const char *const before[] = {
        "", EVENT("ADDED", OBJECT("d", "11")), BOOKMARK("15"), EVENT("DELETED", OBJECT("b", "16"))};
    static const char *const errors[] = {
        EVENT("ERROR", EXPIRED),
        EVENT("ERROR", "{\"kind\":\"Status\",\"reason\":\"Gone\",\"code\":410}"),
        EVENT("ERROR", "{\"kind\":\"Status\",\"reason\":\"Expired\"}"),
    };
    for (size_t i = 0; i < array_count(before); i++)
        for (size_t j = 0; j < array_count(errors); j++) {
            SCOPED_WORLD w;
            given_watch(&w, (ReflectorOptions){0});
            answer(&w, before[i]);
            answer(&w, errors[j]);
            answer(&w, EVENT("DELETED", OBJECT("never", "99")));
            step(&w);
            then_int(w.server.cancelled, 1);
            then_true(strstr(said(&w), "never") == NULL);
            then_true(wait_for_next(&w) <= 50);
            then_lists_from_the_start(&w);
        }
}

TEST(a_server_that_expires_every_watch_is_retried_with_growing_delays)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    int64_t waited = 0;
    for (int i = 0; i < 12; i++) {
        answer_whole(&w, 200, empty_page);
        answer_whole(&w, 410, EXPIRED);
        waited = wait_for_next(&w);
    }
    then_true(waited >= 8000 && waited <= 10000);
}

TEST(a_bookmark_with_an_older_version_causes_a_new_list)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    answer(&w, BOOKMARK("20") BOOKMARK("20"));
    then_str(said(&w), "^20 ^20 ");
    answer(&w, BOOKMARK("19"));
    step(&w);
    then_str(said(&w), "");
    then_true(strstr(health(&w).last_error, "behind the 20 that was seen") != NULL);
    wait_for_next(&w);
    then_lists_from_the_start(&w);
    answer_whole(&w, 200, PAGE("19", "", ""));
    then_str(said(&w), "begin end@19 ");
    then_watches_from(&w, "19");
}

/* --- orders from outside */

TEST(a_dropped_watch_is_resumed_at_once)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){0});
    answer(&w, BOOKMARK("12"));
    answer(&w, "{\"half");
    reflector_drop(w.reflector, w.now);
    then_int(w.server.cancelled, 1);
    then_true(!health(&w).watching);
    step(&w);
    then_watches_from(&w, "12");
    answer_head(&w, 200);
    answer(&w, BOOKMARK("13"));
    then_str(said(&w), "^12 ^13 ");
    then_int(health(&w).lists, 1);
}

TEST(dropping_a_watch_does_not_affect_lists_and_backoffs)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    reflector_drop(w.reflector, w.now);
    then_int(w.server.cancelled, 0);
    lose_connection(&w);
    int64_t next = w.next;
    reflector_drop(w.reflector, w.now);
    step(&w);
    then_int(w.next, next);
}

TEST(a_list_can_be_requested_at_any_time)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 200, first_page);
    reflector_relist(w.reflector, w.now);
    then_str(said(&w), "begin a@3 b@7 abort ");
    step(&w);
    then_lists_from_the_start(&w);
    answer_whole(&w, 200, last_page);
    answer_head(&w, 200);
    step(&w);
    then_true(health(&w).watching);

    reflector_relist(w.reflector, w.now);
    then_true(!health(&w).watching);
    step(&w);
    then_lists_from_the_start(&w);
    lose_connection(&w);
    reflector_relist(w.reflector, w.now);
    step(&w);
    then_lists_from_the_start(&w);
}

TEST(closing_the_reflector_during_a_list_aborts_the_list)
{
    World w;
    given(&w, (ReflectorOptions){0});
    answer_whole(&w, 200, first_page);
    then_true(w.feed.is_listing);
    close_world(&w);
    reflector_close(NULL);
}

/* --- a kind that the server may not know */

static const char no_such_kind[] = "404 page not found\n";
static const char no_right[] = "{\"kind\":\"Status\",\"code\":403,\"reason\":\"Forbidden\"}";

TEST(a_missing_optional_kind_counts_as_a_kind_without_objects)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){.optional = true});
    answer_whole(&w, 404, no_such_kind);
    then_str(said(&w), "begin end@ ");
    then_true(health(&w).absent);
    then_int(health(&w).failures, 0);

    then_int(wait_for_next(&w), 30000);
    then_lists_from_the_start(&w);
    answer_whole(&w, 404, no_such_kind);
    then_int(wait_for_next(&w), 30000);
    answer_whole(&w, 200, empty_page);
    then_watches_from(&w, "10");
    then_true(!health(&w).absent);
}

TEST(an_optional_kind_that_is_removed_loses_its_cached_objects)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){.optional = true});
    said(&w);
    w.now += 50000;
    fake_end(&w.server, OK);
    step(&w);
    then_watches_from(&w, "10");
    answer_whole(&w, 404, no_such_kind);
    then_str(said(&w), "begin end@10 ");
    then_true(health(&w).absent);
    wait_for_next(&w);
    then_lists_from_the_start(&w);
}

/* A role that is older than the operator. */
TEST(an_optional_kind_that_was_never_readable_counts_as_a_kind_without_objects)
{
    SCOPED_WORLD w;
    given(&w, (ReflectorOptions){.optional = true});
    answer_whole(&w, 403, no_right);
    then_str(said(&w), "begin end@ ");
    then_true(health(&w).absent && health(&w).forbidden);
    then_int(health(&w).failures, 0);

    then_int(wait_for_next(&w), 30000);
    then_lists_from_the_start(&w);
    answer_whole(&w, 404, no_such_kind);
    then_true(health(&w).absent && !health(&w).forbidden);
    then_int(wait_for_next(&w), 30000);
    answer_whole(&w, 403, no_right);
    then_int(wait_for_next(&w), 30000);
    answer_whole(&w, 200, empty_page);
    then_watches_from(&w, "10");
    then_true(!health(&w).absent && !health(&w).forbidden);
}

/* What was seen is there, whoever may see it. */
TEST(a_revoked_permission_does_not_delete_cached_objects)
{
    SCOPED_WORLD w;
    given_watch(&w, (ReflectorOptions){.optional = true});
    said(&w);
    w.now += 50000;
    fake_end(&w.server, OK);
    step(&w);
    answer_whole(&w, 403, no_right);
    then_str(said(&w), "");
    then_true(!health(&w).absent && !health(&w).forbidden);
    then_int(health(&w).failures, 1);
}

TEST(a_missing_required_kind_is_awaited)
{
    static const int statuses[] = {403, 404};
    for (size_t i = 0; i < array_count(statuses); i++) {
        SCOPED_WORLD w;
        given(&w, (ReflectorOptions){0});
        answer_whole(&w, statuses[i], "no");
        then_str(said(&w), "");
        then_true(!health(&w).absent);
        then_int(health(&w).failures, 1);
    }
}

TEST(a_refused_request_does_not_mean_that_the_kind_is_missing)
{
    static const int statuses[] = {401, 429, 500, 503};
    for (size_t i = 0; i < array_count(statuses); i++) {
        SCOPED_WORLD w;
        given(&w, (ReflectorOptions){.optional = true});
        answer_whole(&w, statuses[i], "no");
        then_str(said(&w), "");
        then_true(!health(&w).absent);
    }
}
