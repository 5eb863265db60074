/* The cluster as reconcilers see it: two caches of ConfigMaps (sources and copies) and one of Pods.
 */
#include "kube/meta.h"
#include "kube/status.h"
#include "tests/kube/runtime/rig.h"

static const Watch watches[] = {
    {kind_configmap, .labels = "source"},
    {kind_configmap, .labels = "copy", .index = "copy"},
    {kind_pod, .namespace = "ns"},
    {0},
};

#define LABEL(key, value) ", labels: {'" key "': '" value "'}"

static const char source_1[] = CONFIGMAP("x", "u1", "1", LABEL("source", "1"));
static const char source_9[] = CONFIGMAP("x", "u1", "9", LABEL("source", "1"));
static const Key x = {.namespace = "ns", .name = "x"};

/* A rig whose caches have been listed at version 5. */
static Rig *open_synced(void)
{
    Rig *r = rig_open(watches);

    rig_list(r, 0, "5", "[]");
    rig_list(r, 1, "5", "[]");
    rig_list(r, 2, "5", "[]");
    rig_put(r, 0, CONFIGMAP("x", "u1", "6", LABEL("source", "1")));
    return r;
}

static Err *find_x(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    const Json *found = NULL;

    (void)ret;
    TRY(kube_find(c, kind_configmap, key, &found));
    r->reconciled[0] = found ? meta_resource_version(found) : "none";
    return OK;
}

static const char *found_x(Rig *r)
{
    then_ok(rig_reconcile(r, x, find_x));
    return r->reconciled[0];
}

static Err *patch_x(Ctx *c, Key key, Reconciled *ret)
{
    const Json *seen = json_fixture(c->arena, source_1);

    (void)key, (void)ret;
    return kube_merge_patch(
        c, kind_configmap, seen, json_fixture(c->arena, "{data: {a: 'b'}}"), NULL);
}

static Err *delete_x(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return kube_delete(c, kind_configmap, json_fixture(c->arena, source_1), (DeleteOptions){0});
}

static const Err lost_reply = {
    .class = ERR_RETRY, .message = "connection reset", .outcome_unknown = true};

TEST(a_cached_object_is_found_without_a_request)
{
    SCOPED_RIG r = open_synced();

    then_str(found_x(r), "6");
    then_str(rig_requests(r), "");
}

TEST(an_object_that_is_in_no_cache_is_reported_as_absent)
{
    SCOPED_RIG r = open_synced();

    then_ok(rig_reconcile(r, (Key){"ns", "y"}, find_x));
    then_str(r->reconciled[0], "none");
}

static Err *find_secret(Ctx *c, Key key, Reconciled *ret)
{
    const Json *found;

    (void)ret;
    return kube_find(c, kind_secret, key, &found);
}

TEST(reading_a_kind_that_is_not_watched_is_an_error_and_not_an_absence)
{
    SCOPED_RIG r = open_synced();

    then_err(rig_reconcile(r, x, find_secret), TERMINAL("no controller watches secrets"));
}

TEST(a_read_after_our_own_write_waits_for_the_watch_event)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    then_err(rig_reconcile(r, x, find_x), WAIT("configmaps ns/x has not come back"));

    rig_put(r, 0, source_9);
    then_str(found_x(r), "9");
}

TEST(a_bookmark_past_our_write_ends_the_wait_for_it)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    rig_reach(r, 0, "10");
    then_str(found_x(r), "6");
}

TEST(a_bookmark_before_our_write_does_not_end_the_wait_for_it)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    rig_reach(r, 0, "8");
    then_err(rig_reconcile(r, x, find_x), WAIT("has not come back"));
}

TEST(a_write_whose_watch_event_came_first_is_not_awaited)
{
    SCOPED_RIG r = open_synced();

    rig_put(r, 0, source_9);
    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    then_str(found_x(r), "9");
}

TEST(a_read_that_waits_too_long_for_the_watch_reads_live)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    rig_requests(r);
    clock_manual_advance_ms(&r->clock, EXPECT_DEADLINE_MS + 1);

    rig_answer(r, CONFIGMAP("x", "u1", "12", LABEL("source", "1")));
    then_str(found_x(r), "12");
    then_str(rig_requests(r), "get configmaps ns/x");
    then_err(rig_reconcile(r, x, find_x), WAIT("has not come back"));
    rig_put(r, 0, CONFIGMAP("x", "u1", "12", LABEL("source", "1")));
    then_str(found_x(r), "12");
}

static Err *find_and_select(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    const Selector *selector;
    const Json *found = NULL;
    Objects objects;

    TRY(kube_find(c, kind_configmap, key, &found));
    TRY(find_x(c, key, ret)); /* a second look in the same reconcile */
    TRY(selector_parse(c->arena, "source", &selector));
    TRY(kube_select(c, kind_configmap, NULL, selector, &objects));
    then_int(objects.count, 1);
    then_str(meta_resource_version(objects.items[0]), meta_resource_version(found));
    then_str(r->reconciled[0], meta_resource_version(found));
    return OK;
}

TEST(a_late_watch_does_not_stop_a_reconcile_that_reads_twice)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    clock_manual_advance_ms(&r->clock, EXPECT_DEADLINE_MS + 1);
    rig_requests(r);
    rig_answer(r, CONFIGMAP("x", "u1", "12", LABEL("source", "1")));
    then_ok(rig_reconcile(r, x, find_and_select));
    then_str(r->reconciled[0], "12");
    then_str(rig_requests(r), "get configmaps ns/x");
}

TEST(an_object_that_a_live_read_misses_is_awaited_until_the_cache_misses_it_as_well)
{
    SCOPED_RIG r = open_synced();

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, delete_x), RETRY("connection reset"));
    then_str(found_x(r), "none"); /* 404 */
    then_err(rig_reconcile(r, x, find_x), WAIT("has not come back"));
    rig_remove(r, 0, source_9);
    then_str(found_x(r), "none");
}

TEST(after_a_write_of_unknown_outcome_the_object_is_read_live_before_the_next_write)
{
    SCOPED_RIG r = open_synced();

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, source_9);
    rig_answer(r, CONFIGMAP("x", "u1", "10", LABEL("source", "1")));
    then_ok(rig_reconcile(r, x, patch_x));
    then_str(rig_requests(r), "patch configmaps ns/x, get configmaps ns/x, patch configmaps ns/x");
}

static Err *get_x(Ctx *c, Key key, Reconciled *ret)
{
    const Json *found;

    (void)ret;
    return kube_get_if_any(c, kind_configmap, key, &found);
}

TEST(an_explicit_live_read_settles_a_write_of_unknown_outcome)
{
    SCOPED_RIG r = open_synced();

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, get_x));
    rig_answer(r, CONFIGMAP("x", "u1", "10", LABEL("source", "1")));
    then_ok(rig_reconcile(r, x, patch_x));
    then_str(rig_requests(r), "patch configmaps ns/x, get configmaps ns/x, patch configmaps ns/x");
}

TEST(after_a_write_of_unknown_outcome_the_object_is_read_live)
{
    SCOPED_RIG r = open_synced();

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, source_9);
    then_str(found_x(r), "9");
}

static Key copy_key(Ctx *c, int number)
{
    return (Key){"ns", str_format(c->arena, "c%d", number)};
}

/* As many objects as a reconcile can keep live reads of, and one more. */
static Err *create_too_many(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    for (int i = 0; i <= LIVE_READS_MAX; i++) {
        const Json *object = json_fixture(c->arena,
            str_format(c->arena,
                "{apiVersion: 'v1', kind: 'ConfigMap',"
                " metadata: {namespace: 'ns', name: '%s', labels: {copy: 'a'}}}",
                copy_key(c, i).name));
        then_err(kube_create(c, kind_configmap, object, NULL), RETRY("connection reset"));
    }
    return OK;
}

static Err *find_too_many(Ctx *c, Key key, Reconciled *ret)
{
    const Json *found;

    (void)key, (void)ret;
    for (int i = 0; i <= LIVE_READS_MAX; i++)
        TRY(kube_find(c, kind_configmap, copy_key(c, i), &found));
    return OK;
}

static Err *find_last(Ctx *c, Key key, Reconciled *ret)
{
    const Json *found;

    (void)key, (void)ret;
    return kube_find(c, kind_configmap, copy_key(c, LIVE_READS_MAX), &found);
}

TEST(a_live_read_that_cannot_be_stored_leaves_the_outcome_of_the_write_unknown)
{
    SCOPED_RIG r = open_synced();

    for (int i = 0; i <= LIVE_READS_MAX; i++)
        rig_fail(r, lost_reply);
    then_ok(rig_reconcile(r, x, create_too_many));
    then_err(rig_reconcile(r, x, find_too_many), RETRY("too many writes"));
    rig_requests(r);
    then_ok(rig_reconcile(r, x, find_last));
    then_str(rig_requests(r), "get configmaps ns/c16");
}

/* --- what a live read looks like --- */

static const char *const kept[] = {".metadata.name", ".metadata.resourceVersion", NULL};
static const Kind projected[1] = {
    {"", "v1", "configmaps", "ConfigMap", .namespaced = true, .projection = kept}};
static const Watch projecting[] = {{projected, .labels = "source", .manager = "us"}, {0}};

static const char source_of_us[] =
    "{apiVersion: 'v1', kind: 'ConfigMap', data: {a: 'b', c: 'd'}, metadata: {namespace: 'ns',"
    " name: 'x', uid: 'u1', resourceVersion: '9', labels: {source: '1'}, managedFields: [{manager:"
    " 'us', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1',"
    " fieldsV1: {'f:data': {'f:a': {}}}}]}}";

static Err *write_x(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    const Json *found = NULL;

    (void)ret;
    TRY(kube_find(c, kind_configmap, key, &found));
    r->reconciled[0] = str_copy(r->arena, json_write(c->arena, found).data);
    return OK;
}

/* Whoever compares it with what was rendered must not be able to tell which of the two it is. */
TEST(a_live_read_has_the_same_form_as_the_cached_object)
{
    SCOPED_RIG r = rig_open(projecting);

    rig_list(r, 0, "5", "[]");
    rig_put(r, 0, source_of_us);
    then_ok(rig_reconcile(r, x, write_x));
    const char *cached = r->reconciled[0];
    then_true(strstr(cached, META_OWNED_HASH_MEMBER) != NULL);
    then_true(!strstr(cached, "managedFields") && !strstr(cached, "\"data\""));

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, source_of_us);
    then_ok(rig_reconcile(r, x, write_x));
    then_str(r->reconciled[0], cached);
    then_str(rig_requests(r), "patch configmaps ns/x, get configmaps ns/x");
}

static Err *write_x_twice(Ctx *c, Key key, Reconciled *ret)
{
    TRY(write_x(c, key, ret));
    return write_x(c, key, ret);
}

static Err *write_selected(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    const Selector *sources;
    Objects found;

    TRY(write_x(c, key, ret));
    TRY(selector_parse(c->arena, "source", &sources));
    TRY(kube_select(c, kind_configmap, NULL, sources, &found));
    r->reconciled[0] = found.count == 1
        ? str_copy(r->arena, json_write(c->arena, found.items[0]).data)
        : "not one";
    return OK;
}

TEST(an_object_that_was_read_live_is_the_same_in_every_later_read_of_the_reconcile)
{
    static const struct {
        const char *name;
        RigReconcile *read;
    } reads[] = {
        {"found again", write_x_twice},
        {"selected", write_selected},
    };

    each_case(i, reads) {
        SCOPED_RIG r = rig_open(projecting);

        rig_list(r, 0, "5", "[]");
        rig_put(r, 0, source_of_us);
        then_ok(rig_reconcile(r, x, write_x));
        const char *cached = r->reconciled[0];
        rig_fail(r, lost_reply);
        then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
        rig_answer(r, source_of_us);
        then_ok(rig_reconcile(r, x, reads[i].read));
        then_str(r->reconciled[0], cached);
        then_str(rig_requests(r), "patch configmaps ns/x, get configmaps ns/x");
    }
}

/* Two caches of one kind, each of which knows its objects by a manager of its own. */
static const Watch of_two_managers[] = {
    {kind_configmap, .labels = "other"},
    {kind_configmap, .labels = "!other", .manager = "us"},
    {0},
};

TEST(a_live_read_has_the_form_of_the_cache_that_holds_the_object)
{
    SCOPED_RIG r = rig_open(of_two_managers);

    rig_list(r, 0, "5", "[]");
    rig_list(r, 1, "5", "[]");
    rig_put(r, 1, source_of_us);
    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, source_of_us);
    then_ok(rig_reconcile(r, x, write_x));
    then_true(strstr(r->reconciled[0], META_OWNED_HASH_MEMBER) != NULL);
}

TEST(a_delete_is_awaited_until_the_object_is_gone_from_the_cache)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, "{kind: 'Status', status: 'Success', details: {uid: 'u1'}}");
    then_ok(rig_reconcile(r, x, delete_x));
    then_str(r->sent[0].uid, "u1");
    then_err(rig_reconcile(r, x, find_x), WAIT("has not come back"));

    rig_remove(r, 0, source_9);
    then_str(found_x(r), "none");
}

TEST(a_delete_counts_as_seen_once_the_object_has_a_deletion_timestamp)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, "{kind: 'Status', status: 'Success'}");
    then_ok(rig_reconcile(r, x, delete_x));
    rig_put(r, 0, CONFIGMAP("x", "u1", "9", LABEL("source", "1") ", deletionTimestamp: 'now'"));
    then_str(found_x(r), "9");
}

TEST(a_delete_whose_watch_event_came_first_is_not_awaited)
{
    SCOPED_RIG r = open_synced();

    rig_remove(r, 0, source_9);
    rig_answer(r, "{kind: 'Status', status: 'Success'}");
    then_ok(rig_reconcile(r, x, delete_x));
    then_str(found_x(r), "none");
}

static Err *unlabel_x(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return kube_merge_patch(c,
        kind_configmap,
        json_fixture(c->arena, source_1),
        json_fixture(c->arena, "{metadata: {labels: {source: null}}}"),
        NULL);
}

TEST(a_write_that_removes_an_object_from_the_selection_is_awaited)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, CONFIGMAP("x", "u1", "9", ""));
    then_ok(rig_reconcile(r, x, unlabel_x));
    then_err(rig_reconcile(r, x, find_x), WAIT("has not come back"));
    rig_remove(r, 0, CONFIGMAP("x", "u1", "9", ""));
    then_str(found_x(r), "none");
}

static Err *create_copy(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return kube_create(c,
        kind_configmap,
        json_fixture(c->arena, "{metadata: {namespace: 'ns', name: 'c1', labels: {copy: 'a'}}}"),
        NULL);
}

static const char copy_9[] = CONFIGMAP("c1", "u2", "9", LABEL("copy", "a"));
static const Key c1 = {.namespace = "ns", .name = "c1"};

static Err *delete_copy(Ctx *c, Key key, Reconciled *ret)
{
    (void)key, (void)ret;
    return kube_delete(c, kind_configmap, json_fixture(c->arena, copy_9), (DeleteOptions){0});
}

TEST(a_delete_of_an_object_that_the_cache_has_not_seen_yet_is_awaited)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, copy_9);
    then_ok(rig_reconcile(r, c1, create_copy));
    rig_answer(r, "{kind: 'Status', status: 'Success', details: {uid: 'u2'}}");
    then_ok(rig_reconcile(r, c1, delete_copy));

    rig_put(r, 1, copy_9); /* the creation; DELETED is still under way */
    then_err(rig_reconcile(r, c1, find_x), WAIT("has not come back"));
    rig_remove(r, 1, CONFIGMAP("c1", "u2", "10", LABEL("copy", "a")));
    then_ok(rig_reconcile(r, c1, find_x));
    then_str(r->reconciled[0], "none");
}

TEST(an_empty_200_answer_to_a_live_read_is_not_an_absence)
{
    SCOPED_RIG r = open_synced();

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, NULL);
    then_err(rig_reconcile(r, x, find_x), RETRY("the answer is no object"));
}

/* --- selections --------------------------------------------------------------------------------
 */

static Err *select_copies(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    const Selector *selector;
    Objects objects;
    const char *names = "";

    (void)key, (void)ret;
    TRY(selector_parse(c->arena, "copy=a", &selector));
    TRY(kube_select(c, kind_configmap, NULL, selector, &objects));
    for (size_t i = 0; i < objects.count; i++)
        names = str_format(r->arena, "%s%s ", names, meta_name(objects.items[i]));
    r->reconciled[0] = names;
    return OK;
}

TEST(a_selection_contains_the_matching_objects_of_every_cache_of_the_kind)
{
    SCOPED_RIG r = open_synced();

    rig_put(r, 1, CONFIGMAP("c1", "u2", "7", LABEL("copy", "a")));
    rig_put(r, 1, CONFIGMAP("c2", "u3", "8", LABEL("copy", "b")));
    then_ok(rig_reconcile(r, x, select_copies));
    then_str(r->reconciled[0], "c1 ");
}

typedef struct NamesSeen {
    Walker port; /* first, so that the port is this */
    Arena *arena;
    const char *names;
} NamesSeen;

static void see_name(Walker *self, const Json *object)
{
    NamesSeen *seen = (NamesSeen *)self;

    seen->names = str_format(seen->arena, "%s%s ", seen->names, meta_name(object));
}

static Err *walk_configmaps(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    NamesSeen seen = {.port = {see_name}, .arena = r->arena, .names = ""};

    (void)key, (void)ret;
    TRY(kube_walk(c, kind_configmap, &seen.port));
    r->reconciled[0] = seen.names;
    return OK;
}

TEST(a_walk_visits_every_cached_object_of_the_kind_and_waits_for_no_write)
{
    SCOPED_RIG r = open_synced();

    rig_put(r, 1, CONFIGMAP("c1", "u2", "7", LABEL("copy", "a")));
    rig_put(r, 1, CONFIGMAP("c2", "u3", "8", LABEL("copy", "b")));
    rig_answer(r, CONFIGMAP("c3", "u4", "9", LABEL("copy", "a")));
    then_ok(rig_reconcile(r, x, create_copy));
    then_ok(rig_reconcile(r, x, walk_configmaps));
    then_str(r->reconciled[0], "x c1 c2 ");
}

static Err *walk_another_namespace(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    NamesSeen seen = {
        .port = {.see = see_name, .namespace = "other"}, .arena = r->arena, .names = ""};

    (void)key, (void)ret;
    TRY(kube_walk(c, kind_configmap, &seen.port));
    r->reconciled[0] = seen.names;
    return OK;
}

TEST(a_walk_of_a_namespace_visits_only_its_objects)
{
    SCOPED_RIG r = open_synced();

    rig_put(r, 1, CONFIGMAP("c1", "u2", "7", LABEL("copy", "a")));
    then_ok(rig_reconcile(r, x, walk_another_namespace));
    then_str(r->reconciled[0], "");
}

static Err *walk_nothing(Ctx *c, Key key, Reconciled *ret)
{
    Walker nobody = {see_name};

    (void)key, (void)ret;
    return kube_walk(c, kind_lease, &nobody);
}

TEST(a_walk_over_a_kind_that_is_not_watched_is_refused)
{
    SCOPED_RIG r = open_synced();

    then_err(rig_reconcile(r, x, walk_nothing), TERMINAL("leases"));
}

TEST(a_selection_waits_for_the_writes_of_its_own_key)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, CONFIGMAP("c1", "u2", "9", LABEL("copy", "a")));
    then_ok(rig_reconcile(r, x, create_copy));
    then_err(rig_reconcile(r, x, select_copies), WAIT("ns/c1 has not come back"));
    rig_put(r, 1, CONFIGMAP("c1", "u2", "9", LABEL("copy", "a")));
    then_ok(rig_reconcile(r, x, select_copies));
    then_str(r->reconciled[0], "c1 ");
}

TEST(a_selection_does_not_wait_for_the_writes_of_another_key)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, CONFIGMAP("c1", "u2", "9", LABEL("copy", "a")));
    then_ok(rig_reconcile(r, x, create_copy));
    then_ok(rig_reconcile(r, (Key){"ns", "other"}, select_copies));
}

TEST(a_live_read_for_one_key_leaves_the_expectations_of_other_keys)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, copy_9);
    then_ok(rig_reconcile(r, x, create_copy));
    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, c1, delete_copy), RETRY("connection reset"));
    rig_answer(r, copy_9);
    then_ok(rig_reconcile(r, c1, find_x)); /* reads live */
    then_err(rig_reconcile(r, x, select_copies), WAIT("ns/c1 has not come back"));
}

static Err *select_without_selector(Ctx *c, Key key, Reconciled *ret)
{
    Objects objects;

    (void)key, (void)ret;
    return kube_select(c, kind_configmap, NULL, NULL, &objects);
}

static Err *overdraw_then_patch(Ctx *c, Key key, Reconciled *ret)
{
    arena_alloc(c->arena, 64 << 20);
    return patch_x(c, key, ret);
}

static Err *overdraw_then_find(Ctx *c, Key key, Reconciled *ret)
{
    arena_alloc(c->arena, 64 << 20);
    return find_x(c, key, ret);
}

static Err *overdraw_then_store_status(Ctx *c, Key key, Reconciled *ret)
{
    const Json *seen = json_fixture(c->arena, source_1);

    (void)key, (void)ret;
    arena_alloc(c->arena, 64 << 20);
    return kube_patch_status(
        c, kind_configmap, seen, json_fixture(c->arena, "{status: {a: 'b'}}"), NULL);
}

TEST(a_reconcile_that_exceeds_its_memory_limit_reads_nothing_and_writes_only_a_status)
{
    SCOPED_RIG r = open_synced();

    then_err(rig_reconcile(r, x, overdraw_then_patch), TERMINAL("limit for one piece of work"));
    then_err(rig_reconcile(r, x, overdraw_then_find), TERMINAL("limit for one piece of work"));
    then_str(rig_requests(r), "");
    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, overdraw_then_store_status));
    then_str(rig_requests(r), "patch configmaps ns/x (status)");
}

TEST(a_selection_without_a_selector_is_refused)
{
    SCOPED_RIG r = open_synced();

    then_err(rig_reconcile(r, x, select_without_selector), TERMINAL("empty selector"));
}

static Err *owned_pods(Ctx *c, Key key, Reconciled *ret)
{
    Rig *r = c->app;
    Objects objects;

    (void)key, (void)ret;
    TRY(kube_owned(c, kind_pod, "owner-1", &objects));
    r->reconciled[0] = str_format(r->arena, "%zu", objects.count);
    return OK;
}

TEST(owned_objects_are_those_whose_controller_reference_has_the_uid)
{
    SCOPED_RIG r = open_synced();

    rig_put(r,
        2,
        "{kind: 'Pod', metadata: {namespace: 'ns', name: 'p', uid: 'p1', resourceVersion: '7',"
        " ownerReferences: [{uid: 'owner-1', controller: true, kind: 'X', name: 'x'}]}}");
    rig_put(r,
        2,
        "{kind: 'Pod', metadata: {namespace: 'ns', name: 'q', uid: 'p2', resourceVersion: '8',"
        " ownerReferences: [{uid: 'owner-1', kind: 'X', name: 'x'}]}}");
    then_ok(rig_reconcile(r, x, owned_pods));
    then_str(r->reconciled[0], "1");
}

enum { LARGE_PODS = 16, LARGE_BYTES = 512 << 10 };

static const char *large_pod(Rig *r, int number)
{
    char *filler = arena_alloc(r->arena, LARGE_BYTES + 1);

    memset(filler, 'x', LARGE_BYTES);
    return str_format(r->arena,
        "{kind: 'Pod', metadata: {namespace: 'ns', name: 'p%d', uid: 'p%d', resourceVersion: '7',"
        " ownerReferences: [{uid: 'owner-1', controller: true, kind: 'X', name: 'x'}]},"
        " spec: {filler: '%s'}}",
        number,
        number,
        filler);
}

static Err *owned_pods_metadata(Ctx *c, Key key, Reconciled *ret)
{
    Objects objects;

    (void)key, (void)ret;
    TRY(kube_owned_trimmed(c, kind_pod, "owner-1", kube_metadata_alone, &objects));
    then_int(objects.count, LARGE_PODS);
    then_str(meta_uid(objects.items[3]), "p3");
    then_true(!json_member(objects.items[3], "spec"));
    return OK;
}

TEST(objects_read_as_metadata_need_memory_only_for_the_metadata)
{
    SCOPED_RIG r = open_synced();

    for (int i = 0; i < LARGE_PODS; i++)
        rig_put(r, 2, large_pod(r, i));
    then_ok(rig_reconcile(r, x, owned_pods_metadata));
    then_true(arena_used(r->work) < 64 << 10);
}

static Err *find_in_a_part(Ctx *c, Key key, Reconciled *ret)
{
    SCOPED_ARENA part = arena_open(1 << 20);
    Ctx of_part = *c;

    of_part.arena = part;
    return find_x(&of_part, key, ret);
}

static Err *find_in_a_part_and_again(Ctx *c, Key key, Reconciled *ret)
{
    const Json *found = NULL;

    TRY(find_in_a_part(c, key, ret));
    TRY(kube_find(c, kind_configmap, key, &found));
    then_str(meta_resource_version(found), "9");
    return OK;
}

/* What a part of a reconcile reads in memory of its own outlives that memory. */
TEST(a_live_read_in_a_sub_arena_stays_valid_for_the_whole_reconcile)
{
    SCOPED_RIG r = open_synced();

    rig_fail(r, lost_reply);
    then_err(rig_reconcile(r, x, patch_x), RETRY("connection reset"));
    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, find_in_a_part_and_again));
    then_str(rig_requests(r), "patch configmaps ns/x, get configmaps ns/x");
}

/* --- the fence and the step back ---------------------------------------------------------------
 */

TEST(no_object_is_written_without_the_lease)
{
    SCOPED_RIG r = rig_open_with_lease(watches);

    then_err(rig_reconcile(r, x, delete_x), RETRY("the lease of this process ends in 0 ms"));
    then_str(rig_requests(r), "");
}

TEST(a_write_is_refused_if_the_lease_may_expire_before_it_ends)
{
    SCOPED_RIG r = rig_open_with_lease(watches);

    rig_lead(r); /* 404: there is no lease */
    rig_accept(r);
    rig_lead(r); /* created */
    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));

    clock_manual_advance_ms(&r->clock, 15000 - MANAGER_WRITE_DEADLINE_MS + 1);
    rig_requests(r);
    then_err(rig_reconcile(r, x, patch_x), RETRY("not sent"));
    then_str(rig_requests(r), "");
}

TEST(after_a_step_back_in_time_nothing_is_deleted_until_every_kind_is_listed_and_a_time_has_passed)
{
    SCOPED_RIG r = open_synced();

    rig_list(r, 0, "2", "[]"); /* older than 6 */
    then_err(rig_reconcile(r, x, delete_x), WAIT("went back in time"));
    rig_watch(r);
    clock_manual_advance_ms(&r->clock, MANAGER_DISTRUST_MS);
    then_err(rig_reconcile(r, x, delete_x), WAIT("went back in time"));

    rig_list(r, 1, "6", "[]");
    rig_list(r, 2, "6", "[]");
    rig_watch(r);
    rig_answer(r, "{kind: 'Status', status: 'Success'}");
    then_ok(rig_reconcile(r, x, delete_x));
}

TEST(a_step_back_in_time_counts_from_the_first_list_page_that_shows_it)
{
    SCOPED_RIG r = open_synced();
    Feed *feed = &r->manager->caches[0].feed;

    feed->list_begin(feed);
    feed->list_put(feed, json_fixture(r->arena, source_1)); /* it was at version 6 */
    then_err(rig_reconcile(r, x, delete_x), WAIT("went back in time"));
    feed->list_abort(feed);
    then_err(rig_reconcile(r, x, delete_x), WAIT("went back in time"));
}

TEST(a_step_back_in_time_drops_the_expectations_of_the_cache)
{
    SCOPED_RIG r = open_synced();

    rig_answer(r, source_9);
    then_ok(rig_reconcile(r, x, patch_x));
    rig_list(r, 0, "2", "[]");
    then_str(found_x(r), "none");
}
