/* Watches: where they begin, what a change is to them, bookmarks, and how they end. */
#include "tests/world/desk.h"

typedef struct Watch {
    Desk *desk;
    ServerWatch *watch;
    Answer answer;
    bool ended;
} Watch;

static Watch watch(Desk *d, Request request)
{
    Watch w = {.desk = d};

    request.verb = VERB_WATCH;
    if (!request.kind)
        request.kind = kind_configmap;
    w.watch = server_open_watch(d->server, d->arena, &request, &w.answer);
    return w;
}

/* A watch from now on. */
static Watch watch_on(Desk *d, Request request)
{
    request.resource_version = str_format(d->arena, "%d", (int)server_version(d->server));
    return watch(d, request);
}

static void watch_close(Watch *w)
{
    server_close_watch(w->watch);
}

#define SCOPED_WATCH __attribute__((cleanup(watch_close))) Watch

/* The next event, or NULL. */
static const Json *next(Watch *w)
{
    const Json *event;
    Bytes line;

    if (!server_next_event(w->watch, w->desk->arena, &line, &w->ended))
        return NULL;
    then_true(line.len > 0 && line.data[line.len - 1] == '\n');
    then_ok(json_parse(w->desk->arena, line, &event));
    return event;
}

/* All that come now: "ADDED a 3, MODIFIED a 4". */
static const char *events_of(Watch *w)
{
    const char *all = "";
    const Json *event;

    while (!w->ended && (event = next(w)))
        all = str_format(w->desk->arena,
            "%s%s%s %s%s%s",
            all,
            *all ? ", " : "",
            json_str(event, ".type"),
            meta_name(json_find(event, ".object")) ? meta_name(json_find(event, ".object")) : "",
            meta_name(json_find(event, ".object")) ? " " : "",
            version_of(json_find(event, ".object")));
    return all;
}

/* A server begins with two namespaces, at version 2. */
TEST(a_watch_delivers_every_change_in_order)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH w = watch_on(d, (Request){0});

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    create(d, kind_secret, "{metadata: {name: 's'}}");
    merge(d, kind_configmap, "a", "{data: {x: 'y'}}");
    merge(d, kind_configmap, "a", "{data: {x: 'y'}}"); /* changes nothing */
    delete (d, kind_configmap, "a");

    then_int(w.answer.status, 200);
    then_str(events_of(&w), "ADDED a 3, MODIFIED a 5, DELETED a 6");
    then_true(next(&w) == NULL);
    create(d, kind_configmap, "{metadata: {name: 'b'}}");
    then_str(events_of(&w), "ADDED b 7");
}

TEST(the_watch_event_of_a_deletion_has_the_last_state_of_the_object)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'a'}, data: {x: 'y'}}");
    SCOPED_WATCH w = watch_on(d, (Request){0});
    delete (d, kind_configmap, "a");
    const Json *event = next(&w);
    then_str(json_str(event, ".type"), "DELETED");
    then_str(json_str(event, ".object.data.x"), "y");
    then_str(json_str(event, ".object.kind"), "ConfigMap");
}

static const struct {
    const char *name, *version, *want;
} starts[] = {
    {"without a version: what is there, then what comes", NULL, "ADDED a 5, ADDED b 4, ADDED c 6"},
    {"from any version", "0", "ADDED a 5, ADDED b 4, ADDED c 6"},
    {"from a version: what came after", "3", "ADDED b 4, MODIFIED a 5, ADDED c 6"},
    {"from the newest", "5", "ADDED c 6"},
    {"from the future", "99", "ADDED c 6"},
};

TEST(a_watch_starts_at_the_requested_resource_version)
{
    each_case(i, starts) {
        SCOPED_DESK d = desk_open();

        create(d, kind_configmap, "{metadata: {name: 'a'}}");
        create(d, kind_configmap, "{metadata: {name: 'b'}}");
        merge(d, kind_configmap, "a", "{data: {x: 'y'}}");
        SCOPED_WATCH w = watch(d, (Request){.resource_version = starts[i].version});
        create(d, kind_configmap, "{metadata: {name: 'c'}}");

        then_str(events_of(&w), starts[i].want);
    }
}

TEST(an_object_that_enters_or_leaves_the_selection_is_added_or_deleted_in_the_watch)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH w = watch_on(d, (Request){.labels = "on=yes"});

    create(d, kind_configmap, "{metadata: {name: 'a'}, data: {at: 'first'}}");
    merge(d, kind_configmap, "a", "{metadata: {labels: {on: 'yes'}}}");
    merge(d, kind_configmap, "a", "{data: {at: 'on'}}");
    merge(d, kind_configmap, "a", "{metadata: {labels: {on: 'no'}}, data: {at: 'off'}}");
    merge(d, kind_configmap, "a", "{data: {at: 'last'}}");
    delete (d, kind_configmap, "a");

    then_str(json_str(next(&w), ".type"), "ADDED");
    then_str(json_str(next(&w), ".type"), "MODIFIED");
    const Json *left = next(&w);
    then_str(json_str(left, ".type"), "DELETED");
    then_str(json_str(left, ".object.data.at"), "on"); /* as it was while it was selected */
    then_str(json_str(left, ".object.metadata.resourceVersion"), "6");
    then_true(next(&w) == NULL);
}

TEST(a_watch_selects_by_namespace_and_fields)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH in_namespace = watch_on(d, (Request){.key.namespace = "kube-system"});
    SCOPED_WATCH in_another = watch_on(d, (Request){.key.namespace = "kube"});
    SCOPED_WATCH of_name = watch_on(d, (Request){.fields = "metadata.name=b"});

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    create(d, kind_configmap, "{metadata: {name: 'b'}}");
    ask_body(d,
        (Request){.verb = VERB_CREATE, .kind = kind_configmap, .key.namespace = "kube-system"},
        "{metadata: {name: 'k'}}");

    then_str(events_of(&in_namespace), "ADDED k 5");
    then_str(events_of(&in_another), "");
    then_str(events_of(&of_name), "ADDED b 4");
}

TEST(two_watches_deliver_the_same_events_independently)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH early = watch_on(d, (Request){0});
    SCOPED_WATCH late = watch_on(d, (Request){0});

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    then_str(events_of(&early), "ADDED a 3");
    create(d, kind_configmap, "{metadata: {name: 'b'}}");
    then_str(events_of(&late), "ADDED a 3, ADDED b 4");
    then_str(events_of(&early), "ADDED b 4");
}

TEST(a_watch_that_is_closed_early_releases_its_records)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    create(d, kind_configmap, "{metadata: {name: 'b'}}");
    SCOPED_WATCH w = watch(d, (Request){0});
    then_str(meta_name(json_find(next(&w), ".object")), "a");
    delete (d, kind_configmap, "b");
}

TEST(bookmarks_follow_the_events_that_they_cover)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH asked = watch_on(d, (Request){.bookmarks = true});
    SCOPED_WATCH not_asked = watch_on(d, (Request){0});

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    create(d, kind_secret, "{metadata: {name: 's'}}");
    server_bookmark(d->server);
    create(d, kind_configmap, "{metadata: {name: 'b'}}");

    then_str(events_of(&asked), "ADDED a 3, BOOKMARK 4, ADDED b 5");
    then_str(events_of(&not_asked), "ADDED a 3, ADDED b 5");
    server_bookmark(d->server);
    const Json *bookmark = next(&asked);
    then_str(json_str(bookmark, ".object.kind"), "ConfigMap");
    then_true(next(&asked) == NULL);
}

TEST(a_bookmark_ends_the_initial_list_of_a_watch)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    SCOPED_WATCH asked = watch(d, (Request){.bookmarks = true});
    SCOPED_WATCH not_asked = watch(d, (Request){0});
    create(d, kind_configmap, "{metadata: {name: 'b'}}");

    then_str(events_of(&not_asked), "ADDED a 3, ADDED b 4");
    then_str(json_str(next(&asked), ".object.metadata.name"), "a");
    then_json(next(&asked),
        "{type: 'BOOKMARK', object: {kind: 'ConfigMap', apiVersion: 'v1', metadata:"
        " {resourceVersion: '3', annotations: {'k8s.io/initial-events-end': 'true'}}}}");
    then_str(events_of(&asked), "ADDED b 4");
}

/* --- too old, too long, gone --- */

static void then_too_old(Watch *w, const char *message)
{
    const Json *event = next(w);

    then_str(json_str(event, ".type"), "ERROR");
    then_str(json_str(event, ".object.reason"), "Expired");
    then_int(json_int(event, ".object.code", 0), 410);
    then_str(json_str(event, ".object.message"), message);
    then_true(w->ended);
    then_true(next(w) == NULL);
}

TEST(a_watch_from_before_a_compaction_is_too_old)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    server_compact(d->server);
    SCOPED_WATCH old = watch(d, (Request){.resource_version = "2"});
    SCOPED_WATCH quiet = watch(d, (Request){.kind = kind_secret, .resource_version = "2"});
    SCOPED_WATCH current = watch(d, (Request){.resource_version = "3"});

    then_int(old.answer.status, 200);
    then_too_old(&old, "too old resource version: 2 (3)");
    then_too_old(&quiet, "too old resource version: 2 (3)");
    then_true(next(&current) == NULL);
    then_true(!current.ended);
}

TEST(a_compaction_ends_watches_that_have_not_read_the_compacted_events)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH slow = watch_on(d, (Request){0});
    SCOPED_WATCH quick = watch_on(d, (Request){0});

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    then_str(events_of(&quick), "ADDED a 3");
    server_compact(d->server);
    create(d, kind_configmap, "{metadata: {name: 'b'}}");

    then_too_old(&slow, "too old resource version: 2 (3)");
    then_str(events_of(&quick), "ADDED b 4");
}

TEST(a_watch_that_lags_behind_the_history_ends_with_410)
{
    SCOPED_DESK d = desk_open_with(0, 4);
    SCOPED_WATCH slow = watch_on(d, (Request){0});
    SCOPED_WATCH quick = watch_on(d, (Request){0});

    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    for (int i = 0; i < 10; i++) {
        merge(d, kind_configmap, "a", str_format(d->arena, "{data: {i: '%d'}}", i));
        then_true(next(&quick) != NULL);
    }
    then_too_old(&slow, "too old resource version: 2 (9)");
    then_str(events_of(&quick), "MODIFIED a 13");
}

TEST(a_watch_ends_in_order_at_its_timeout)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH w = watch_on(d, (Request){.timeout_seconds = 60});

    clock_manual_advance_ms(&d->clock, 59999);
    then_true(next(&w) == NULL);
    then_true(!w.ended);
    create(d, kind_configmap, "{metadata: {name: 'a'}}");
    clock_manual_advance_ms(&d->clock, 1);
    then_str(events_of(&w), "ADDED a 3");
    then_true(w.ended);
}

TEST(an_overlong_watch_timeout_never_ends_the_watch)
{
    SCOPED_DESK d = desk_open();
    SCOPED_WATCH w = watch_on(d, (Request){.timeout_seconds = INT64_MAX});

    clock_manual_advance_ms(&d->clock, 60000);
    then_true(next(&w) == NULL);
    then_true(!w.ended);
}

TEST(a_watch_ends_when_its_kind_is_removed)
{
    SCOPED_DESK d = desk_open();

    create(d, kind_crd, widget_crd);
    create(d, kind_widget, "{apiVersion: 'test.io/v1', kind: 'Widget', metadata: {name: 'w'}}");
    SCOPED_WATCH w = watch_on(d, (Request){.kind = kind_widget});
    delete (d, kind_crd, "widgets.test.io");

    then_true(str_has_prefix(events_of(&w), "DELETED w "));
    then_true(w.ended);
}

static const struct {
    const char *name;
    Request request;
    int status;
    const char *phrase;
} refusals[] = {
    {"a version that is none", {.resource_version = "abc"}, 500, "Invalid value: \"abc\""},
    {"a selector that is none", {.labels = "a b"}, 400, "unable to parse requirement"},
    {"a kind that is not served",
        {.kind = kind_widget},
        404,
        "could not find the requested resource"},
};

TEST(an_invalid_watch_request_is_refused)
{
    each_case(i, refusals) {
        SCOPED_DESK d = desk_open();
        Watch w = watch(d, refusals[i].request);

        then_true(w.watch == NULL);
        then_int(w.answer.status, refusals[i].status);
        test_phrase(json_str(w.answer.body, ".message"), refusals[i].phrase, __FILE__, __LINE__);
    }
}

TEST(closing_a_server_before_its_watches_is_a_bug)
{
    Desk *d = desk_open();
    SCOPED_WATCH w = watch(d, (Request){0});

    then_bug("closed before its watches", server_close(d->server));
    watch_close(&w);
    w.watch = NULL;
    desk_close(&d);
}
