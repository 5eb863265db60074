/* Events with two faces, which are forgotten after an hour. */
#include "tests/world/desk.h"
#include "world/call.h"

static Desk *desk_of_events(void)
{
    Desk *d = desk_open();

    server_close(d->server);
    d->server = server_open(
        &(ServerOptions){.clock = &d->clock.port, .rng = &d->rng.port, .keeps_events = true});
    return d;
}

#define CORE                                                                                       \
    "{metadata: {name: 'e'}, involvedObject: {kind: 'Pod', name: 'p', namespace: 'default'},"      \
    " reason: 'R', message: 'm', type: 'Normal', count: 2, source: {component: 'kubelet'},"        \
    " firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:00:01Z'}"
#define OWN                                                                                        \
    "{metadata: {name: 'e'}, regarding: {kind: 'SeiNode', name: 'n', namespace: 'default'},"       \
    " reason: 'R', note: 'm', type: 'Warning', series: {count: 3,"                                 \
    "  lastObservedTime: '2026-01-01T00:00:02.000000Z'}, " EVENT_PARTS "}"

TEST(a_core_event_is_also_served_by_the_events_group)
{
    SCOPED_DESK d = desk_of_events();
    const Json *made = create(d, kind_core_event, CORE), *got;
    then_status(d, 201);
    got = get(d, kind_event, "e");
    then_status(d, 200);
    then_str(json_str(got, ".apiVersion"), "events.k8s.io/v1");
    then_str(json_str(got, ".regarding.name"), "p");
    then_str(json_str(got, ".note"), "m");
    then_int(json_int(got, ".deprecatedCount", 0), 2);
    then_str(json_str(got, ".deprecatedSource.component"), "kubelet");
    then_str(json_str(got, ".deprecatedLastTimestamp"), "2026-01-01T00:00:01Z");
    then_str(meta_uid(got), meta_uid(made));
    then_str(version_of(got), version_of(made));
    then_true(!json_find(got, ".involvedObject") && !json_find(got, ".message"));
}

TEST(an_event_of_the_events_group_is_also_served_by_the_core_group)
{
    SCOPED_DESK d = desk_of_events();
    create(d, kind_event, OWN);
    then_status(d, 201);
    const Json *got = get(d, kind_core_event, "e");
    then_str(json_str(got, ".apiVersion"), "v1");
    then_str(json_str(got, ".involvedObject.name"), "n");
    then_str(json_str(got, ".message"), "m");
    then_str(json_str(got, ".reportingComponent"), "t.io/t");
    then_int(json_int(got, ".series.count", 0), 3);
    then_json(json_find(got, ".firstTimestamp"), "null");
}

TEST(watches_of_both_groups_see_changes_and_deletions_of_an_event)
{
    SCOPED_DESK d = desk_of_events();
    Request watch = {.verb = VERB_WATCH, .kind = kind_event, .key.namespace = "default"};
    create(d, kind_core_event, CORE);
    watch.resource_version = version_of(d->answer.body);
    ServerWatch *w = server_open_watch(d->server, d->arena, &watch, &d->answer);
    merge(d, kind_core_event, "e", "{count: 3}");
    then_status(d, 200);
    then_int(json_int(get(d, kind_event, "e"), ".deprecatedCount", 0), 3);
    delete (d, kind_event, "e");
    then_status(d, 200);
    get(d, kind_core_event, "e");
    then_status(d, 404);
    Bytes line;
    bool ended;
    then_true(server_next_event(w, d->arena, &line, &ended));
    test_phrase(line.data, "\"MODIFIED\"", __FILE__, __LINE__);
    then_true(server_next_event(w, d->arena, &line, &ended));
    test_phrase(line.data, "\"DELETED\"", __FILE__, __LINE__);
    then_true(!server_next_event(w, d->arena, &line, &ended));
    server_close_watch(w);
}

TEST(the_name_of_an_event_is_taken_in_both_groups)
{
    SCOPED_DESK d = desk_of_events();
    create(d, kind_core_event, CORE);
    create(d, kind_event, OWN);
    then_refused(d, 409, "already exists");
}

/* Any write makes the server look. */
static void touch(Desk *d)
{
    merge(d, kind_namespace, "default", "{metadata: {labels: {a: 'b'}}}");
    merge(d, kind_namespace, "default", "{metadata: {labels: {a: null}}}");
    then_status(d, 200);
}

TEST(an_event_is_deleted_an_hour_after_its_last_write)
{
    SCOPED_DESK d = desk_of_events();
    create(d, kind_core_event, CORE);
    for (int minute = 0; minute < 59; minute++) {
        clock_manual_advance_ms(&d->clock, 60000);
        touch(d);
        if (minute == 30)
            merge(d, kind_core_event, "e", "{count: 3}");
    }
    get(d, kind_event, "e");
    then_status(d, 200);
    for (int minute = 0; minute < 29; minute++) {
        clock_manual_advance_ms(&d->clock, 60000);
        touch(d);
    }
    get(d, kind_event, "e");
    then_status(d, 200);
    for (int minute = 0; minute < 5; minute++) {
        clock_manual_advance_ms(&d->clock, 60000);
        touch(d);
    }
    get(d, kind_event, "e");
    then_status(d, 404);
}

TEST(a_server_that_was_stopped_for_long_deletes_all_old_events)
{
    SCOPED_DESK d = desk_of_events();
    create(d, kind_core_event, CORE);
    clock_manual_advance_ms(&d->clock, 3 * 3600 * 1000);
    create(d,
        kind_core_event,
        "{metadata: {name: 'new'}, involvedObject: {namespace: 'default'}, reason: 'R'}");
    then_status(d, 201);
    get(d, kind_core_event, "e");
    then_status(d, 404);
    get(d, kind_core_event, "new");
    then_status(d, 200);
}

TEST(the_oldest_events_are_deleted_when_there_are_too_many)
{
    SCOPED_DESK d = desk_of_events();
    for (int i = 0; i <= SERVER_EVENTS_MAX; i++) {
        SCOPED_ARENA a = arena_open(1 << 20);
        Answer answer;
        Request request = {.verb = VERB_CREATE,
            .kind = kind_core_event,
            .key.namespace = "default",
            .body = json_fixture(a,
                str_format(
                    a, "{metadata: {name: 'e%d'}, involvedObject: {namespace: 'default'}}", i))};
        server_call(d->server, a, "tester", &request, &answer);
        then_int(answer.status, 201);
    }
    get(d, kind_core_event, "e0");
    then_status(d, 404);
    get(d, kind_event, str_format(d->arena, "e%d", SERVER_EVENTS_MAX));
    then_status(d, 200);
    get(d, kind_core_event, "e2000");
    then_status(d, 200);
}

TEST(a_server_without_event_sharing_keeps_the_groups_separate)
{
    SCOPED_DESK d = desk_open();
    create(d, kind_core_event, CORE);
    get(d, kind_event, "e");
    then_status(d, 404);
}
