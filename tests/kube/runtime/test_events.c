/* Events recorded about a few objects, and what would be sent about them. */
#include "base/rng.h"
#include "kube/runtime/events.h"
#include "kube/status.h"
#include "tests/test.h"

static const char node[] = "{apiVersion: 'sei.io/v1', kind: 'SeiNode', metadata: {name: 'n',"
                           " namespace: 'ns', uid: 'u', resourceVersion: '7', labels: {a: 'b'}}}";

typedef struct World {
    Arena *arena;
    Events *events;
    SeededRng rng;
    int64_t now_ms;
} World;

static World *world_new(EventsOptions options)
{
    Arena *arena = arena_open(64 << 20);
    World *w = arena_new(arena, World);
    w->arena = arena;
    rng_seed(&w->rng, 1);
    options.rng = &w->rng.port;
    options.instance = options.instance ? options.instance : "operator-0";
    w->events = events_open(&options);
    return w;
}

static void world_close(World *w)
{
    events_close(w->events);
    arena_close(w->arena);
}

/* An event about an object that differs from the node by a merge patch. */
static void record(World *w, const char *patch, EventNote note)
{
    const Json *object = json_fixture(w->arena, node);
    if (patch)
        object = json_merge(w->arena, object, json_fixture(w->arena, patch));
    note.regarding = object;
    note.controller = note.controller ? note.controller : "sei.io/node";
    note.reason = note.reason ? note.reason : "Replaced";
    events_record(
        w->events, &note, w->now_ms, INT64_C(1700000000) * 1000000000 + w->now_ms * 1000000);
}

static void record_note(World *w, const char *note)
{
    record(w, NULL, (EventNote){.note = note});
}

static Request due(World *w)
{
    Request request;
    int64_t next;
    then_true(events_step(w->events, w->arena, w->now_ms, &request, &next));
    then_true(kind_eq(request.kind, kind_event));
    return request;
}

static int64_t next_call(World *w)
{
    Request request;
    int64_t next = 0;
    then_true(!events_step(w->events, w->arena, w->now_ms, &request, &next));
    return next;
}

static void succeed(World *w)
{
    events_answer(w->events, OK, NULL, w->now_ms);
}

static void refuse(World *w, const Request *request, int status, const char *reason)
{
    const Json *body = json_fixture(w->arena,
        str_format(w->arena, "{kind: 'Status', reason: '%s', details: {name: 'x'}}", reason));
    Answer answer = {.status = status, .body = body};
    events_answer(w->events, status_err(w->arena, request, &answer), NULL, w->now_ms);
}

/* Sends what is due, all of it with success; how many requests that were. */
static unsigned drain(World *w)
{
    Request request;
    int64_t next;
    unsigned count = 0;
    while (events_step(w->events, w->arena, w->now_ms, &request, &next)) {
        succeed(w);
        count++;
    }
    return count;
}

TEST(a_recorded_event_is_created_with_its_fields)
{
    World *w = world_new((EventsOptions){0});
    w->now_ms = 1;
    record(w, NULL, (EventNote){.type = "Warning", .action = "Replace", .note = "pod n-0 is old"});
    then_int(events_counts(w->events).pending, 1);
    Request request = due(w);

    then_int(request.verb, VERB_CREATE);
    then_true(request.deadline_ms > 0);
    then_str(request.key.namespace, "ns");
    then_true(str_has_prefix(request.key.name, "n.") && strlen(request.key.name) == 2 + 16);
    then_json(request.body,
        str_format(w->arena,
            "{apiVersion: 'events.k8s.io/v1', kind: 'Event',"
            " metadata: {namespace: 'ns', name: '%s'},"
            " eventTime: '2023-11-14T22:13:20.001000Z', type: 'Warning', reason: 'Replaced',"
            " action: 'Replace', note: 'pod n-0 is old',"
            " reportingController: 'sei.io/node', reportingInstance: 'operator-0',"
            " regarding: {apiVersion: 'sei.io/v1', kind: 'SeiNode', namespace: 'ns', name: 'n',"
            "  uid: 'u', resourceVersion: '7'}}",
            request.key.name));
    then_true(next_call(w) == INT64_MAX);
    succeed(w);
    then_int(events_counts(w->events).sent, 1);
    then_int(events_counts(w->events).pending, 0);
    then_true(next_call(w) == INT64_MAX);
    world_close(w);
}

TEST(events_about_cluster_scoped_objects_are_created_in_namespace_default)
{
    World *w = world_new((EventsOptions){0});
    record(w, "{metadata: {namespace: null}}", (EventNote){0});
    Request request = due(w);
    then_str(request.key.namespace, "default");
    then_str(json_str(request.body, ".metadata.namespace"), "default");
    then_true(!json_find(request.body, ".regarding.namespace"));
    world_close(w);
}

TEST(repeated_events_are_merged_into_one_series)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "again");
    const char *name = due(w).key.name;
    succeed(w);

    w->now_ms = 5000;
    record_note(w, "again");
    Request first = due(w);
    then_int(first.verb, VERB_MERGE_PATCH);
    then_str(first.key.name, name);
    then_json(first.body, "{series: {count: 2, lastObservedTime: '2023-11-14T22:13:25.000000Z'}}");
    succeed(w);

    for (w->now_ms = 6000; w->now_ms < 9000; w->now_ms += 1000)
        record_note(w, "again");
    then_int(next_call(w), 65000);
    w->now_ms = 65000;
    then_json(due(w).body, "{series: {count: 5, lastObservedTime: '2023-11-14T22:13:28.000000Z'}}");
    succeed(w);
    w->now_ms = next_call(w);
    then_int(w->now_ms, 125000);
    then_true(next_call(w) == INT64_MAX);
    then_int(events_counts(w->events).sent, 3);
    world_close(w);
}

TEST(a_new_event_is_created_with_the_count_it_has_when_it_is_sent)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "again");
    record_note(w, "again");
    then_json(json_find(due(w).body, ".series"),
        "{count: 2, lastObservedTime: '2023-11-14T22:13:20.000000Z'}");
    record_note(w, "again");
    succeed(w);
    Request patch = due(w);
    then_int(patch.verb, VERB_MERGE_PATCH);
    then_int(json_int(patch.body, ".series.count", 0), 3);
    world_close(w);
}

TEST(an_event_series_ends_after_ten_minutes_without_a_repetition)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "again");
    const char *name = due(w).key.name;
    succeed(w);
    w->now_ms = 599999;
    record_note(w, "again");
    then_int(due(w).verb, VERB_MERGE_PATCH);
    succeed(w);

    w->now_ms += 600000;
    record_note(w, "again");
    Request request = due(w);
    then_int(request.verb, VERB_CREATE);
    then_true(!str_eq(request.key.name, name));
    then_true(!json_find(request.body, ".series"));
    world_close(w);
}

TEST(only_equal_events_form_a_series)
{
    static const struct {
        const char *name, *patch;
        EventNote note;
        Verb want;
    } cases[] = {
        {"the same", .want = VERB_MERGE_PATCH},
        {"a newer version of the object",
            "{metadata: {resourceVersion: '8'}}",
            .want = VERB_MERGE_PATCH},
        {"another type", .note = {.type = "Warning"}, .want = VERB_CREATE},
        {"another reason", .note = {.reason = "Other"}, .want = VERB_CREATE},
        {"another action", .note = {.action = "Other"}, .want = VERB_CREATE},
        {"another note", .note = {.note = "other"}, .want = VERB_CREATE},
        {"another controller", .note = {.controller = "sei.io/other"}, .want = VERB_CREATE},
        {"another object", "{metadata: {name: 'm'}}", .want = VERB_CREATE},
        {"another namespace", "{metadata: {namespace: 'm'}}", .want = VERB_CREATE},
        {"another kind", "{kind: 'Pod'}", .want = VERB_CREATE},
        {"an object of the same name", "{metadata: {uid: 'v'}}", .want = VERB_CREATE},
    };
    each_case(i, cases) {
        World *w = world_new((EventsOptions){0});
        record(w, NULL, (EventNote){0});
        then_int(drain(w), 1);
        record(w, cases[i].patch, cases[i].note);
        then_int(due(w).verb, cases[i].want);
        world_close(w);
    }
}

TEST(a_flood_of_events_about_one_object_is_limited)
{
    World *w = world_new((EventsOptions){0});
    for (int i = 0; i < 30; i++)
        record_note(w, str_format(w->arena, "%d", i));
    then_int(events_counts(w->events).dropped, 5);
    then_int(drain(w), 25);

    record(w, "{metadata: {name: 'm'}}", (EventNote){0});
    then_int(drain(w), 1);
    record_note(w, "3");
    then_int(drain(w), 1); /* a repetition is no new event */

    w->now_ms = 300000;
    record_note(w, "x");
    record_note(w, "y");
    then_int(drain(w), 1);
    then_int(events_counts(w->events).dropped, 6);
    world_close(w);
}

TEST(the_oldest_pending_events_are_dropped_when_there_are_too_many)
{
    World *w = world_new((EventsOptions){.pending_max = 3});
    for (int i = 0; i < 5; i++)
        record_note(w, str_format(w->arena, "%d", i));
    then_int(events_counts(w->events).pending, 3);
    then_int(events_counts(w->events).dropped, 2);
    then_str(json_str(due(w).body, ".note"), "2");
    succeed(w);
    then_int(drain(w), 2);

    record_note(w, "0"); /* what was never told begins anew */
    Request request = due(w);
    then_int(request.verb, VERB_CREATE);
    then_true(!json_find(request.body, ".series"));
    world_close(w);
}

TEST(a_dropped_repetition_is_counted_with_the_next_one)
{
    World *w = world_new((EventsOptions){.pending_max = 1});
    record_note(w, "again");
    then_int(drain(w), 1);
    record_note(w, "again");
    record_note(w, "other");
    then_int(events_counts(w->events).dropped, 1);
    then_int(drain(w), 1);
    record_note(w, "again");
    Request request = due(w);
    then_int(request.verb, VERB_MERGE_PATCH);
    then_int(json_int(request.body, ".series.count", 0), 3);
    world_close(w);
}

TEST(the_least_recently_seen_event_series_is_evicted)
{
    World *w = world_new((EventsOptions){.series_max = 2});
    record_note(w, "a");
    record_note(w, "b");
    then_int(drain(w), 2);
    record_note(w, "a");
    then_int(drain(w), 1);
    record_note(w, "c"); /* in the place of b */
    then_int(drain(w), 1);
    then_int(events_counts(w->events).dropped, 0);
    record_note(w, "b"); /* in the place of a */
    record_note(w, "d"); /* in the place of c */
    record_note(w, "e"); /* in the place of b, of which nobody was told */
    then_int(events_counts(w->events).dropped, 1);
    then_int(drain(w), 2);
    world_close(w);
}

TEST(an_event_series_that_is_being_sent_is_never_evicted)
{
    World *w = world_new((EventsOptions){.series_max = 1});
    record_note(w, "a");
    due(w);
    record_note(w, "b");
    record_note(w, "c"); /* in the place of b, though a is older */
    succeed(w);
    then_str(json_str(due(w).body, ".note"), "c");
    succeed(w);
    record_note(w, "a");
    then_int(due(w).verb, VERB_MERGE_PATCH);
    world_close(w);
}

TEST(an_event_is_sent_at_most_three_times)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "first");
    record_note(w, "second");
    Request request = due(w);
    const char *name = request.key.name;
    refuse(w, &request, 500, "InternalError");
    then_int(next_call(w), 1000);
    w->now_ms = 1000;
    request = due(w);
    then_str(request.key.name, name);
    refuse(w, &request, 500, "InternalError");
    then_int(next_call(w), 3000);
    w->now_ms = 3000;
    request = due(w);
    refuse(w, &request, 500, "InternalError");

    then_int(events_counts(w->events).dropped, 1);
    then_str(json_str(due(w).body, ".note"), "second");
    succeed(w);
    then_int(events_counts(w->events).sent, 1);
    then_int(events_counts(w->events).pending, 0);
    world_close(w);
}

TEST(a_sent_event_resets_its_number_of_attempts)
{
    World *w = world_new((EventsOptions){0});
    for (int i = 0; i < 3; i++) {
        record_note(w, "a");
        w->now_ms += 100000;
        Request request = due(w);
        refuse(w, &request, 500, "InternalError");
        w->now_ms += 1000;
        then_int(drain(w), 1);
    }
    then_int(events_counts(w->events).dropped, 0);
    world_close(w);
}

TEST(sending_an_event_waits_as_long_as_the_server_asks_within_bounds)
{
    static const struct {
        const char *name;
        int64_t asked_ms, want_ms;
    } cases[] = {
        {"less than we would", 10, 1000},
        {"more than we would", 7000, 7000},
        {"an hour", 3600000, 30000},
    };
    each_case(i, cases) {
        World *w = world_new((EventsOptions){0});
        record_note(w, "a");
        due(w);
        Err *err = err_retry(w->arena, "too many");
        err->retry_after_ms = cases[i].asked_ms;
        events_answer(w->events, err, NULL, w->now_ms);
        then_int(next_call(w), cases[i].want_ms);
        world_close(w);
    }
}

TEST(an_invalid_event_is_not_sent_again)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "a");
    Request request = due(w);
    refuse(w, &request, 422, "Invalid");
    then_true(next_call(w) == INT64_MAX);
    then_int(events_counts(w->events).dropped, 1);
    world_close(w);
}

TEST(a_failed_event_is_dropped_when_too_many_are_pending)
{
    World *w = world_new((EventsOptions){.pending_max = 2});
    record_note(w, "a");
    Request request = due(w);
    record_note(w, "b");
    record_note(w, "c");
    refuse(w, &request, 500, "InternalError");
    then_int(events_counts(w->events).dropped, 1);
    w->now_ms = 1000;
    then_str(json_str(due(w).body, ".note"), "b");
    world_close(w);
}

TEST(an_event_that_already_exists_counts_as_created)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "a");
    due(w);
    events_answer(w->events, err_retry(w->arena, "no answer"), NULL, w->now_ms);
    w->now_ms = 1000;
    Request request = due(w);
    refuse(w, &request, 409, "AlreadyExists");
    then_int(events_counts(w->events).sent, 1);
    record_note(w, "a");
    then_int(due(w).verb, VERB_MERGE_PATCH);
    world_close(w);
}

TEST(an_event_series_that_was_deleted_is_created_again)
{
    World *w = world_new((EventsOptions){0});
    record_note(w, "a");
    then_int(drain(w), 1);
    record_note(w, "a");
    Request patch = due(w);
    then_int(patch.verb, VERB_MERGE_PATCH);
    refuse(w, &patch, 404, "NotFound");
    Request create = due(w);
    then_int(create.verb, VERB_CREATE);
    then_int(json_int(create.body, ".series.count", 0), 2);
    succeed(w);
    then_int(events_counts(w->events).dropped, 0);
    world_close(w);
}

TEST(event_names_fit_the_limits_of_the_api_server)
{
    char longest[254] = "", dotted[254] = "", want_longest[238] = "", want_dotted[238] = "";
    memset(longest, 'a', 253);
    memset(want_longest, 'a', 236);
    memset(dotted, 'b', 253);
    dotted[235] = '.';
    memset(want_dotted, 'b', 235);
    const struct {
        const char *name, *object, *want;
    } cases[] = {
        {"an ordinary name", "node-0.pool", "node-0.pool."},
        {"a name that is no DNS subdomain", "system:Node", "system-node."},
        {"edges", ":.-a-:", "a."},
        {"dots and dashes that may not meet", "a:.b-.C", "a--b--c."},
        {"nothing left", "::", "event."},
        {"the longest", longest, want_longest},
        {"the longest, cut at a dot", dotted, want_dotted},
    };
    each_case(i, cases) {
        World *w = world_new((EventsOptions){0});
        record(
            w, str_format(w->arena, "{metadata: {name: '%s'}}", cases[i].object), (EventNote){0});
        Request request = due(w);
        size_t len = strlen(cases[i].want) + (str_has_suffix(cases[i].want, ".") ? 0 : 1);
        then_true(str_has_prefix(request.key.name, cases[i].want));
        then_int(strlen(request.key.name), len + 16);
        then_true(strlen(request.key.name) <= 253);
        then_str(json_str(request.body, ".regarding.name"), cases[i].object);
        world_close(w);
    }
}

TEST(event_texts_fit_the_limits_of_the_api_server)
{
    char text[3000] = "";
    memset(text, 'x', sizeof text - 1);
    World *w = world_new((EventsOptions){0});
    record(w, NULL, (EventNote){.type = "Funny", .reason = text, .note = text});
    Request request = due(w);
    then_str(json_str(request.body, ".type"), "Normal");
    then_int(strlen(json_str(request.body, ".reason")), 128);
    then_int(strlen(json_str(request.body, ".action")), 128);
    then_int(strlen(json_str(request.body, ".note")), 1024);
    succeed(w);

    record(w, NULL, (EventNote){.reason = "", .action = ""});
    request = due(w);
    then_str(json_str(request.body, ".reason"), "Unspecified");
    then_str(json_str(request.body, ".action"), "Unspecified");
    then_true(!json_find(request.body, ".note"));
    world_close(w);

    w = world_new((EventsOptions){.instance = ""});
    record_note(w, "a");
    then_str(json_str(due(w).body, ".reportingInstance"), "unknown");
    world_close(w);
}

TEST(an_event_about_an_object_without_a_name_is_dropped)
{
    World *w = world_new((EventsOptions){0});
    record(w, "{metadata: null}", (EventNote){0});
    EventNote nothing = {.reason = "R"};
    events_record(w->events, &nothing, 0, 0);
    then_int(events_counts(w->events).dropped, 2);
    then_true(next_call(w) == INT64_MAX);
    events_answer(w->events, OK, NULL, 0); /* nobody asked */
    then_int(events_counts(w->events).sent, 0);
    world_close(w);
}

/* Whatever comes, nothing grows, and every series ends in one place. */
TEST(the_event_recorder_keeps_its_bounds_with_a_failing_server)
{
    World *w = world_new((EventsOptions){.pending_max = 8, .series_max = 16});
    SCOPED_ARENA a = arena_open(1 << 20);
    const Json *objects[10];
    for (int i = 0; i < 10; i++)
        objects[i] =
            json_fixture(w->arena, str_format(w->arena, "{kind: 'K', metadata: {name: 'o%d'}}", i));
    static const int statuses[] = {200, 200, 200, 404, 409, 422, 429, 500};

    uint64_t answered = 0;
    for (int i = 0; i < 20000; i++) {
        Request request;
        int64_t next;
        arena_reset(a);
        w->now_ms += (int64_t)rng_below(&w->rng.port, rng_below(&w->rng.port, 50) ? 500 : 700000);
        EventNote note = {
            .regarding = objects[rng_below(&w->rng.port, 10)],
            .reason = "R",
            .note = str_format(a, "%d", (int)rng_below(&w->rng.port, 5)),
        };
        events_record(w->events, &note, w->now_ms, w->now_ms * 1000000);
        if (rng_below(&w->rng.port, 3) && events_step(w->events, a, w->now_ms, &request, &next)) {
            int status = statuses[rng_below(&w->rng.port, array_count(statuses))];
            refuse(w, &request, status, status == 409 ? "AlreadyExists" : "NotFound");
            answered += status == 200;
        }
        then_true(events_counts(w->events).pending <= 8);
    }
    then_true(events_counts(w->events).sent >= answered && answered > 100);
    then_true(events_counts(w->events).dropped > 100);
    w->now_ms += 1000000;
    drain(w);
    then_int(events_counts(w->events).pending, 0);
    world_close(w);
}
