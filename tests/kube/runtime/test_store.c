/* Store: the rules of versions, lists that never invent a delete, snapshots that outlive their
 * replacement. The last test holds it against a naive model. */
#include "base/rng.h"
#include "kube/meta.h"
#include "kube/runtime/store.h"
#include "tests/test.h"

static const char *const pod_paths[] = {".spec.nodeName", ".status.phase", NULL};
static const Kind pod_kind = {
    .group = "",
    .version = "v1",
    .plural = "pods",
    .name = "Pod",
    .namespaced = true,
    .projection = pod_paths,
};
static const Kind whole_kind = {
    .group = "sei.io",
    .version = "v1alpha1",
    .plural = "nodes",
    .name = "SeiNode",
    .namespaced = true,
};

/* A guard that knows whether it is held, and how often it was. */
typedef struct CountingGuard {
    Guard port;
    int held, times;
} CountingGuard;

static void count_enter(Guard *self)
{
    CountingGuard *g = (CountingGuard *)self;
    then_int(g->held++, 0);
    g->times++;
}

static void count_leave(Guard *self)
{
    then_int(((CountingGuard *)self)->held--, 1);
}

typedef struct World {
    Arena *arena;
    CountingGuard guard;
    StoreOptions options;
    Store *store;
    char removed[256]; /* by the last list: names, each with a space behind it */
} World;

static void given_store(World *w, size_t objects_max)
{
    *w = (World){.arena = arena_open(64 << 20), .guard = {.port = {count_enter, count_leave}}};
    w->options = (StoreOptions){
        .kind = &pod_kind,
        .index_label = "app",
        .objects_max = objects_max,
        .slab = slab_open(),
        .guard = &w->guard.port,
    };
    w->store = store_open(&w->options);
}

static void close_world(World *w)
{
    arena_close(w->arena);
    store_close(w->store);
    /* Whatever was freed twice, or not at all, shows here. */
    then_int(slab_count(w->options.slab), 0);
    slab_close(w->options.slab);
}

#define SCOPED_STORE __attribute__((cleanup(close_world))) World

typedef struct Pod {
    const char *name, *uid, *version, *owner, *app, *phase;
} Pod;

static StoreItem pod(World *w, Pod p)
{
    const char *owner = !p.owner
        ? ""
        : str_format(w->arena, "ownerReferences: [{uid: '%s', controller: true}],", p.owner);
    const char *label = !p.app ? "" : str_format(w->arena, "labels: {app: '%s'},", p.app);
    const Json *object = json_fixture(w->arena,
        str_format(w->arena,
            "{metadata: {namespace: 'default', name: '%s', uid: '%s', %s %s"
            " resourceVersion: '%s'}, status: {phase: '%s'}}",
            p.name,
            p.uid ? p.uid : "u1",
            owner,
            label,
            p.version,
            p.phase ? p.phase : "Running"));
    StoreItem item;
    then_ok(store_project(w->arena, &w->options, object, &item));
    return item;
}

static StoreChange put(World *w, Pod p)
{
    StoreItem item = pod(w, p);
    return store_put(w->store, &item);
}

static StoreChange take_out(World *w, Pod p)
{
    StoreItem item = pod(w, p);
    return store_remove(w->store, &item);
}

static StoreChange list_put(World *w, Pod p)
{
    StoreItem item = pod(w, p);
    return store_list_put(w->store, &item);
}

static void on_removed(void *self, StoreChange change, const StoreItem *item)
{
    World *w = self;
    size_t len = strlen(w->removed);
    then_int(change, STORE_REMOVED);
    then_str(item->key.namespace, "default");
    then_true(strstr(item->bytes.data, item->key.name) != NULL);
    snprintf(w->removed + len, sizeof w->removed - len, "%s ", item->key.name);
}

static void list_end(World *w, const char *version)
{
    w->removed[0] = '\0';
    store_list_end(w->store, version, on_removed, w);
}

/* What is stored under a name, parsed; NULL for nothing. */
static const Json *stored(World *w, const char *name)
{
    Bytes bytes;
    const Json *object;
    if (!store_pin(w->store, w->arena, (Key){"default", name}, &bytes))
        return NULL;
    then_ok(json_parse(w->arena, bytes, &object));
    return object;
}

static const char *phase(World *w, const char *name)
{
    return json_str(stored(w, name), ".status.phase");
}

/* --- what is kept of an object */

TEST(a_projection_keeps_its_paths_and_the_metadata_of_every_object)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    const Json *object = json_fixture(w.arena,
        "{metadata: {name: 'a', namespace: 'default', uid: 'u1', resourceVersion: '7',"
        "   generation: 3, deletionTimestamp: 'now', creationTimestamp: 'then', selfLink: 'x',"
        "   labels: {app: 'web', 'a.b/c': 'd'}, finalizers: ['f'],"
        "   ownerReferences: [{uid: 'o1', kind: 'X'}, {uid: 'o2', controller: true}],"
        "   annotations: {keep: 'me', 'kubectl.kubernetes.io/last-applied-configuration': '{}'},"
        "   managedFields: [{manager: 'm'}]},"
        " spec: {nodeName: 'n1', containers: [{image: 'i'}]}, status: {phase: 'Running', x: 1}}");
    StoreItem item;
    const Json *kept;
    then_ok(store_project(w.arena, &w.options, object, &item));
    then_ok(json_parse(w.arena, item.bytes, &kept));
    then_json(kept,
        "{apiVersion: 'v1', kind: 'Pod',"
        " metadata: {name: 'a', namespace: 'default', uid: 'u1', resourceVersion: '7',"
        "   generation: 3, deletionTimestamp: 'now', labels: {app: 'web', 'a.b/c': 'd'},"
        "   finalizers: ['f'], annotations: {keep: 'me'},"
        "   ownerReferences: [{uid: 'o1', kind: 'X'}, {uid: 'o2', controller: true}]},"
        " spec: {nodeName: 'n1'}, status: {phase: 'Running'}}");
    then_str(item.uid, "u1");
    then_str(item.version, "7");
    then_str(item.owner_uid, "o2");
    then_str(item.index_value, "web");
    then_true(item.deleting);
}

TEST(a_kind_without_a_projection_keeps_everything_but_managed_fields)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    w.options.kind = &whole_kind;
    w.options.index_label = NULL;
    const Json *object = json_fixture(w.arena,
        "{metadata: {name: 'a', resourceVersion: '7', creationTimestamp: 'then',"
        "   managedFields: [{manager: 'm'}]}, spec: {deep: {er: [1, {x: 2}]}}, other: true}");
    StoreItem item;
    const Json *kept;
    then_ok(store_project(w.arena, &w.options, object, &item));
    then_ok(json_parse(w.arena, item.bytes, &kept));
    then_json(kept,
        "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"
        " metadata: {name: 'a', resourceVersion: '7', creationTimestamp: 'then'},"
        " spec: {deep: {er: [1, {x: 2}]}}, other: true}");
    then_str(item.index_value, NULL);
    then_str(item.owner_uid, NULL);
    then_true(!item.deleting);
}

TEST(a_list_and_a_watch_store_the_same_bytes)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    StoreItem watched, listed;
    then_ok(store_project(w.arena,
        &w.options,
        json_fixture(w.arena,
            "{kind: 'Pod', apiVersion: 'v1', status: {phase: 'Running'},"
            " metadata: {resourceVersion: '7', name: 'a'}}"),
        &watched));
    then_ok(store_project(w.arena,
        &w.options,
        json_fixture(
            w.arena, "{metadata: {name: 'a', resourceVersion: '7'}, status: {phase: 'Running'}}"),
        &listed));
    then_true(bytes_equal(watched.bytes, listed.bytes));
}

/* The hash that the store keeps of an object that `manager` applied. */
static const char *stored_hash(World *w, const char *manager)
{
    StoreItem item;
    const Json *kept;
    const Json *object = json_fixture(w->arena,
        str_format(w->arena,
            "{metadata: {name: 'a', resourceVersion: '7', managedFields: ["
            " {manager: '%s', operation: 'Apply', fieldsType: 'FieldsV1',"
            "  fieldsV1: {'f:status': {'f:phase': {}}}}]}, status: {phase: 'Running'}}",
            manager));
    then_ok(store_project(w->arena, &w->options, object, &item));
    then_ok(json_parse(w->arena, item.bytes, &kept));
    return meta_owned_hash(kept);
}

TEST(the_owned_hash_is_stored_only_for_objects_that_we_applied)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    then_str(stored_hash(&w, "us"), NULL);
    w.options.manager = "us";
    then_true(stored_hash(&w, "us") != NULL);
    then_str(stored_hash(&w, "them"), NULL);
}

/* Whether the store says that our apply owns the replicas, when `owner` does. */
static bool stored_owns_replicas(World *w, const char *owner, const char *subresource)
{
    StoreItem item;
    const Json *kept;
    const Json *object = json_fixture(w->arena,
        str_format(w->arena,
            "{metadata: {name: 'a', resourceVersion: '7', managedFields: ["
            " {manager: '%s', operation: 'Apply', subresource: '%s', fieldsType: 'FieldsV1',"
            "  fieldsV1: {'f:spec': {'f:replicas': {}}}}]}, spec: {replicas: 0}}",
            owner,
            subresource));
    then_ok(store_project(w->arena, &w->options, object, &item));
    then_ok(json_parse(w->arena, item.bytes, &kept));
    then_int(meta_applied_replicas(object, "us"), str_eq(owner, "us") && str_empty(subresource));
    return meta_owns_replicas(kept);
}

TEST(the_ownership_of_replicas_is_stored_only_for_objects_that_we_applied)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    then_true(!stored_owns_replicas(&w, "us", ""));
    w.options.manager = "us";
    then_true(stored_owns_replicas(&w, "us", ""));
    then_true(!stored_owns_replicas(&w, "kubectl", ""));
    then_true(!stored_owns_replicas(&w, "us", "scale"));
}

/* An object of which we applied a label, in a version and with a status. */
static const Json *applied_object(World *w, const char *version, const char *label)
{
    return json_fixture(w->arena,
        str_format(w->arena,
            "{metadata: {name: 'a', resourceVersion: '%s', labels: {l: '%s'}, managedFields: ["
            " {manager: 'us', operation: 'Apply', time: '%s', fieldsV1: {'f:metadata':"
            "  {'f:labels': {'f:l': {}}}, 'f:spec': {'f:replicas': {}}}}]},"
            " status: {phase: '%s'}}",
            version,
            label,
            version,
            version));
}

TEST(the_owned_hash_is_computed_again_when_it_may_have_changed)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    w.options.manager = "us";
    StoreItem first, same, other;
    const Json *object = applied_object(&w, "8", "x");

    then_ok(store_project(w.arena, &w.options, applied_object(&w, "7", "x"), &first));
    then_int(store_put(w.store, &first), STORE_ADDED);
    StoreOwned known = store_owned(w.store, first.key);
    then_str(known.hash, first.owned.hash);
    then_true(known.replicas);

    known.hash = "believed"; /* shows who was asked */
    then_ok(store_project_after(w.arena, &w.options, &known, object, &same));
    then_str(same.owned.hash, "believed");
    then_true(same.owned.replicas);
    then_ok(store_project_after(w.arena, &w.options, &known, applied_object(&w, "8", "y"), &other));
    then_true(other.owned.hash != NULL && !str_eq(other.owned.hash, first.owned.hash)
        && !str_eq(other.owned.hash, "believed"));
    then_str(store_owned(w.store, (Key){.name = "nobody"}).hash, NULL);
}

TEST(a_cached_owned_hash_does_not_change_the_stored_object)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    w.options.manager = "us";
    StoreItem first, after, anew;
    const Json *object = applied_object(&w, "8", "x");

    then_ok(store_project(w.arena, &w.options, applied_object(&w, "7", "x"), &first));
    then_ok(store_project_after(w.arena, &w.options, &first.owned, object, &after));
    then_ok(store_project(w.arena, &w.options, object, &anew));
    then_true(bytes_equal(after.bytes, anew.bytes));
}

TEST(precomputed_projection_paths_keep_the_same_fields)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    StoreItem anew, before;
    const Json *object = applied_object(&w, "7", "x");

    then_ok(store_project(w.arena, &w.options, object, &anew));
    w.options.kept = store_paths(w.arena, w.options.kind);
    then_ok(store_project(w.arena, &w.options, object, &before));
    then_true(bytes_equal(before.bytes, anew.bytes));
    then_true(store_paths(w.arena, &whole_kind) == NULL);
}

static const char *long_text(Arena *a, size_t len)
{
    char *text = arena_alloc(a, len + 1);
    memset(text, '7', len);
    return text;
}

static const struct {
    const char *name, *object;
    Want want;
} refused[] = {
    {"no metadata", "{}", TERMINAL("without a name")},
    {"metadata of another type", "{metadata: [1]}", TERMINAL("without a name")},
    {"no name", "{metadata: {resourceVersion: '1'}}", TERMINAL("without a name")},
    {"a name with a slash", "{metadata: {name: 'a/b'}}", TERMINAL("without a name")},
    {"no version", "{metadata: {name: 'a'}}", TERMINAL("a has no resourceVersion")},
    {"an empty version",
        "{metadata: {name: 'a', resourceVersion: ''}}",
        TERMINAL("has no resourceVersion")},
    {"a number for a version",
        "{metadata: {name: 'a', resourceVersion: 7}}",
        TERMINAL("has no resourceVersion")},
    {"a key that stands twice",
        "{metadata: {name: 'a', resourceVersion: '1'}, spec: 1, spec: 2}",
        OKAY},
};

TEST(an_object_that_no_api_server_sends_is_refused)
{
    each_case(i, refused) {
        SCOPED_STORE w;
        given_store(&w, 0);
        StoreItem item;
        then_err(
            store_project(w.arena, &w.options, json_fixture(w.arena, refused[i].object), &item),
            refused[i].want);
        w.options.kind = &whole_kind;
        then_err(
            store_project(w.arena, &w.options, json_fixture(w.arena, refused[i].object), &item),
            refused[i].want);
    }
}

TEST(metadata_texts_of_253_bytes_are_kept_and_longer_ones_are_refused)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    for (size_t len = 253; len <= 254; len++) {
        const char *text = long_text(w.arena, len);
        const Json *object = json_fixture(w.arena,
            str_format(w.arena, "{metadata: {name: 'a', uid: '%s', resourceVersion: '7'}}", text));
        StoreItem item;
        then_err(store_project(w.arena, &w.options, object, &item),
            len == 253 ? OKAY : TERMINAL("more than 253 bytes"));
        if (len == 253)
            then_int(store_put(w.store, &item), STORE_ADDED);
    }
}

TEST(an_object_that_is_too_large_for_the_arena_is_refused)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    w.options.kind = &whole_kind;
    SCOPED_ARENA small = arena_open(20000);
    const Json *object = json_fixture(w.arena,
        str_format(w.arena,
            "{metadata: {name: 'a', resourceVersion: '7'}, data: '%s'}",
            long_text(w.arena, 40000)));
    StoreItem item;
    then_err(store_project(small, &w.options, object, &item), TERMINAL("limit"));
}

/* --- the rules of versions */

TEST(the_store_ignores_an_event_with_an_older_version)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    then_str(store_version(w.store), "");
    then_int(put(&w, (Pod){"a", .version = "10", .phase = "Pending"}), STORE_ADDED);
    size_t bytes = store_bytes(w.store);
    then_true(bytes > 0);
    then_int(put(&w, (Pod){"a", .version = "12", .phase = "Running"}), STORE_MODIFIED);
    then_int(put(&w, (Pod){"a", .version = "12", .phase = "Running"}), STORE_UNCHANGED);
    then_int(store_bytes(w.store), bytes);
    then_int(put(&w, (Pod){"a", .version = "9", .phase = "Pending"}), STORE_UNCHANGED);
    then_str(phase(&w, "a"), "Running");
    then_str(store_version(w.store), "12");
    then_int(store_count(w.store), 1);
}

TEST(an_object_with_the_same_name_and_another_uid_replaces_the_old_one)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", "u1", "10"});
    then_str(store_uid(w.store, (Key){"default", "a"}), "u1");
    then_int(put(&w, (Pod){"a", "u2", "12"}), STORE_REPLACED);
    then_int(put(&w, (Pod){"a", "u1", "11"}), STORE_UNCHANGED);
    then_str(store_uid(w.store, (Key){"default", "a"}), "u2");
    then_str(store_uid(w.store, (Key){"default", "b"}), NULL);
}

TEST(a_removal_applies_only_to_an_object_that_is_not_newer)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10"});
    then_int(take_out(&w, (Pod){"a", .version = "9"}), STORE_UNCHANGED);
    then_int(take_out(&w, (Pod){"a", .version = "13"}), STORE_REMOVED);
    then_int(take_out(&w, (Pod){"a", .version = "13"}), STORE_UNCHANGED);
    then_str(phase(&w, "a"), NULL);
    then_str(store_version(w.store), "13");
    then_int(store_count(w.store), 0);
    then_int(store_bytes(w.store), 0);
}

TEST(an_object_that_loses_the_indexed_label_is_removed_from_the_index)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10", .app = "web", .owner = "o"});
    then_int(take_out(&w, (Pod){"a", .version = "11", .app = NULL}), STORE_REMOVED);
    StoreSelection found;
    store_pin_owned(w.store, w.arena, "o", &found);
    then_int(found.count, 0);
}

TEST(an_old_event_does_not_restore_a_removed_object)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10"});
    take_out(&w, (Pod){"a", .version = "11"});
    then_int(put(&w, (Pod){"a", .version = "10"}), STORE_UNCHANGED);
    then_int(store_count(w.store), 0);
    then_int(put(&w, (Pod){"a", "u2", "12"}), STORE_ADDED);
}

TEST(a_bookmark_moves_the_version_only_forward)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    store_reach(w.store, "100");
    then_str(store_version(w.store), "100");
    store_reach(w.store, "99");
    then_str(store_version(w.store), "100");
    store_reach(w.store, "1000");
    then_str(store_version(w.store), "1000");
    then_true(!store_is_synced(w.store));
}

/* --- lists */

TEST(a_list_replaces_the_stored_objects)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"same", .version = "10"});
    put(&w, (Pod){"newer", .version = "11"});
    put(&w, (Pod){"gone", .version = "12"});
    put(&w, (Pod){"reborn", "u1", "13"});

    store_list_begin(w.store);
    then_int(list_put(&w, (Pod){"same", .version = "10"}), STORE_UNCHANGED);
    then_int(list_put(&w, (Pod){"newer", .version = "21"}), STORE_MODIFIED);
    then_int(list_put(&w, (Pod){"reborn", "u2", "22"}), STORE_REPLACED);
    then_int(list_put(&w, (Pod){"fresh", .version = "23"}), STORE_ADDED);
    then_true(!store_is_synced(w.store));
    then_int(store_count(w.store), 5);
    list_end(&w, "30");

    then_str(w.removed, "gone ");
    then_int(store_count(w.store), 4);
    then_str(store_version(w.store), "30");
    then_true(store_is_synced(w.store));
    then_int(store_steps_back(w.store), 0);
}

TEST(a_list_that_is_aborted_deletes_nothing)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10"});
    put(&w, (Pod){"b", .version = "11"});
    store_list_begin(w.store);
    list_put(&w, (Pod){"b", .version = "21"});
    list_put(&w, (Pod){"c", .version = "22"});
    store_list_abort(w.store);

    then_int(store_count(w.store), 3);
    then_true(!store_is_synced(w.store));
    then_str(store_version(w.store), "11");

    store_list_begin(w.store);
    list_put(&w, (Pod){"a", .version = "10"});
    store_list_begin(w.store);
    list_put(&w, (Pod){"b", .version = "21"});
    list_put(&w, (Pod){"c", .version = "22"});
    list_end(&w, "30");
    then_str(w.removed, "a ");
}

TEST(an_empty_list_removes_every_object_once_it_has_ended)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10"});
    put(&w, (Pod){"b", .version = "11"});
    store_list_begin(w.store);
    then_int(store_count(w.store), 2);
    list_end(&w, "30");
    then_str(w.removed, "a b ");
    then_int(store_count(w.store), 0);
}

TEST(a_list_that_is_older_than_the_store_is_applied_and_reported_as_a_step_back)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "100", .phase = "Running"});
    store_reach(w.store, "200");
    store_list_begin(w.store);
    then_int(list_put(&w, (Pod){"a", .version = "50", .phase = "Pending"}), STORE_MODIFIED);
    then_int(store_steps_back(w.store), 1);
    list_end(&w, "60");
    then_int(store_steps_back(w.store), 1);
    then_str(store_version(w.store), "60");
    then_str(phase(&w, "a"), "Pending");
    then_int(put(&w, (Pod){"a", .version = "61", .phase = "Running"}), STORE_MODIFIED);
}

TEST(an_older_list_without_older_objects_is_reported_when_it_ends)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10"});
    store_reach(w.store, "200");
    store_list_begin(w.store);
    then_int(list_put(&w, (Pod){"a", .version = "10"}), STORE_UNCHANGED);
    then_int(store_steps_back(w.store), 0);
    list_end(&w, "199");
    then_int(store_steps_back(w.store), 1);

    store_list_begin(w.store);
    list_put(&w, (Pod){"a", .version = "10"});
    list_end(&w, "199");
    then_int(store_steps_back(w.store), 1);

    store_list_begin(w.store);
    list_end(&w, "150");
    then_int(store_steps_back(w.store), 2);
}

TEST(a_listed_object_of_the_same_version_with_other_content_replaces_the_stored_one)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "10", .phase = "Running"});
    store_list_begin(w.store);
    then_int(list_put(&w, (Pod){"a", .version = "10", .phase = "Failed"}), STORE_MODIFIED);
    list_end(&w, "10");
    then_str(phase(&w, "a"), "Failed");
}

TEST(a_full_store_accepts_changes_but_no_new_objects)
{
    SCOPED_STORE w;
    given_store(&w, 2);
    put(&w, (Pod){"a", .version = "10"});
    put(&w, (Pod){"b", .version = "11"});
    then_int(put(&w, (Pod){"c", .version = "12"}), STORE_FULL);
    then_str(store_version(w.store), "12");
    then_int(put(&w, (Pod){"a", .version = "13", .phase = "Failed"}), STORE_MODIFIED);
    take_out(&w, (Pod){"b", .version = "14"});
    then_int(put(&w, (Pod){"c", .version = "15"}), STORE_ADDED);
    store_list_begin(w.store);
    then_int(list_put(&w, (Pod){"d", .version = "16"}), STORE_FULL);
    store_list_abort(w.store);
}

TEST(a_watch_event_between_the_pages_of_a_list_is_a_bug)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    StoreItem item = pod(&w, (Pod){"a", .version = "10"});
    then_bug("is_listing", store_list_put(w.store, &item));
    then_bug("is_listing", store_list_end(w.store, "1", on_removed, &w));
    store_list_begin(w.store);
    then_bug("is_listing", store_put(w.store, &item));
    then_bug("is_listing", store_remove(w.store, &item));
    then_bug("is_listing", store_reach(w.store, "1"));
    store_list_abort(w.store);
}

/* --- readers */

TEST(a_pinned_snapshot_stays_valid_after_its_replacement_and_its_removal)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    Arena *reader = arena_open(1 << 20);
    Bytes before, after;
    put(&w, (Pod){"a", .version = "10", .phase = "Pending"});
    then_true(store_pin(w.store, reader, (Key){"default", "a"}, &before));
    put(&w, (Pod){"a", .version = "11", .phase = "Running"});
    then_true(store_pin(w.store, reader, (Key){"default", "a"}, &after));
    take_out(&w, (Pod){"a", .version = "12"});

    const Json *object;
    then_ok(json_parse(reader, before, &object));
    then_str(json_str(object, ".status.phase"), "Pending");
    then_ok(json_parse(reader, after, &object));
    then_str(json_str(object, ".status.phase"), "Running");
    then_int(w.guard.times, 0);
    arena_close(reader);
    then_int(w.guard.times, 2);
    then_int(w.guard.held, 0);
}

static const char *names_of(World *w, StoreSelection found)
{
    const char *names = "";
    for (size_t i = 0; i < found.count; i++) {
        const Json *object;
        then_ok(json_parse(w->arena, found.items[i], &object));
        names = str_format(w->arena, "%s%s ", names, meta_name(object));
    }
    return names;
}

static const char *owned(World *w, const char *uid)
{
    StoreSelection found;
    store_pin_owned(w->store, w->arena, uid, &found);
    return names_of(w, found);
}

static const char *candidates(World *w, const char *namespace, const char *selector)
{
    const Selector *parsed = NULL;
    StoreSelection found;
    if (selector)
        then_ok(selector_parse(w->arena, selector, &parsed));
    store_pin_candidates(w->store, w->arena, namespace, parsed, &found);
    return names_of(w, found);
}

TEST(stored_objects_are_found_by_their_owner)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "1", .owner = "o1"});
    put(&w, (Pod){"b", .version = "2", .owner = "o2"});
    put(&w, (Pod){"c", .version = "3", .owner = "o1"});
    put(&w, (Pod){"d", .version = "4"});
    put(&w, (Pod){"e", .version = "5", .owner = "o1"});
    then_str(owned(&w, "o1"), "a c e ");
    then_str(owned(&w, "o2"), "b ");
    then_str(owned(&w, "o3"), "");
    then_str(owned(&w, NULL), "");

    put(&w, (Pod){"a", .version = "6", .owner = "o1", .phase = "Failed"});
    then_str(owned(&w, "o1"), "a c e ");
    put(&w, (Pod){"a", .version = "7", .owner = "o2"});
    then_str(owned(&w, "o1"), "c e ");
    then_str(owned(&w, "o2"), "b a ");
    put(&w, (Pod){"b", .version = "8"});
    then_str(owned(&w, "o2"), "a ");
    take_out(&w, (Pod){"c", .version = "9"});
    take_out(&w, (Pod){"e", .version = "10"});
    then_str(owned(&w, "o1"), "");
}

TEST(stored_objects_are_found_by_selector_and_namespace)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"a", .version = "1", .app = "web"});
    put(&w, (Pod){"b", .version = "2", .app = "db"});
    put(&w, (Pod){"c", .version = "3", .app = "web"});
    put(&w, (Pod){"d", .version = "4"});
    then_str(candidates(&w, NULL, "app=web"), "a c ");
    then_str(candidates(&w, "default", "app in (web)"), "a c ");
    then_str(candidates(&w, "other", "app=web"), "");
    then_str(candidates(&w, "defaul", "app=web"), "");
    then_str(candidates(&w, NULL, "app=none"), "");
    then_str(candidates(&w, NULL, "app!=web"), "a b c d ");
    then_str(candidates(&w, NULL, "other=x"), "a b c d ");
    then_str(candidates(&w, "default", NULL), "a b c d ");
    then_str(candidates(&w, "other", NULL), "");
    put(&w, (Pod){"a", .version = "5", .app = "db"});
    then_str(candidates(&w, NULL, "app=web"), "c ");
    then_str(candidates(&w, NULL, "app=db"), "b a ");
}

static void collect(void *self, Key key)
{
    World *w = self;
    size_t len = strlen(w->removed);
    then_str(key.namespace, "default");
    snprintf(w->removed + len, sizeof w->removed - len, "%s ", key.name);
}

TEST(stored_keys_are_visited_in_the_order_in_which_they_were_added)
{
    SCOPED_STORE w;
    given_store(&w, 0);
    put(&w, (Pod){"z", .version = "1"});
    put(&w, (Pod){"a", .version = "2"});
    put(&w, (Pod){"m", .version = "3"});
    put(&w, (Pod){"z", .version = "4", .phase = "Failed"});
    store_each_key(w.store, collect, &w);
    then_str(w.removed, "z a m ");
    store_close(NULL);
}

/* --- the model: an array of what should be there */

enum { MODEL_PODS = 8, MODEL_ROUNDS = 4000 };

typedef struct ModelPod {
    int version; /* 0: not there */
    int uid, owner;
    bool named; /* by the list at hand */
} ModelPod;

TEST(the_store_behaves_like_its_model_in_random_play)
{
    static const char *const names[MODEL_PODS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    SeededRng rng;
    rng_seed(&rng, 5);
    World w;
    given_store(&w, 0);
    Arena *pins = arena_open(1 << 20);
    ModelPod model[MODEL_PODS] = {0};
    int reached = 0;
    bool listing = false;

    for (int round = 1; round <= MODEL_ROUNDS; round++) {
        arena_reset(w.arena);
        int i = (int)rng_below(&rng.port, MODEL_PODS);
        ModelPod *m = &model[i];
        ModelPod p = {
            .version = 1000 + round + (int)rng_below(&rng.port, 20) - 15,
            .uid = (int)rng_below(&rng.port, 4) ? m->uid : round,
            .owner = (int)rng_below(&rng.port, 3),
            .named = true,
        };
        Pod asked = {
            .name = names[i],
            .uid = str_format(w.arena, "u%d", p.uid),
            .version = str_format(w.arena, "%d", p.version),
            .owner = p.owner ? str_format(w.arena, "o%d", p.owner) : NULL,
        };
        unsigned chance = (unsigned)rng_below(&rng.port, 100);
        if (listing && chance < 85) {
            StoreChange change = list_put(&w, asked);
            bool same_uid = m->version && m->uid == p.uid;
            bool same = same_uid && m->version == p.version && m->owner == p.owner;
            then_int(change,
                !m->version    ? STORE_ADDED
                    : same     ? STORE_UNCHANGED
                    : same_uid ? STORE_MODIFIED
                               : STORE_REPLACED);
            *m = p;
        } else if (listing && chance < 92) {
            store_list_abort(w.store);
            listing = false;
        } else if (listing) {
            reached = 1000 + round;
            list_end(&w, str_format(w.arena, "%d", reached));
            for (int j = 0; j < MODEL_PODS; j++)
                model[j].version = model[j].named ? model[j].version : 0;
            listing = false;
        } else if (chance < 5) {
            store_list_begin(w.store);
            listing = true;
            for (int j = 0; j < MODEL_PODS; j++)
                model[j].named = false;
        } else if (chance < 70) {
            StoreChange change = put(&w, asked);
            if (p.version >= (m->version ? m->version : reached)) {
                then_true(change != STORE_FULL && change != STORE_REMOVED);
                *m = p;
                reached = p.version > reached ? p.version : reached;
            } else {
                then_int(change, STORE_UNCHANGED);
            }
        } else {
            bool newer = p.version >= m->version;
            then_int(take_out(&w, asked), m->version && newer ? STORE_REMOVED : STORE_UNCHANGED);
            if (newer) {
                m->version = 0;
                reached = p.version > reached ? p.version : reached;
            }
        }
        Bytes bytes;
        store_pin(w.store, pins, (Key){"default", names[i]}, &bytes);
        if (rng_below(&rng.port, 20) == 0)
            arena_reset(pins);

        size_t count = 0, of_owner[3] = {0};
        for (int j = 0; j < MODEL_PODS; j++) {
            count += model[j].version > 0;
            of_owner[model[j].owner] += model[j].version > 0;
            then_str(store_uid(w.store, (Key){"default", names[j]}),
                model[j].version ? str_format(w.arena, "u%d", model[j].uid) : NULL);
        }
        then_int(store_count(w.store), count);
        for (int owner = 1; owner < 3; owner++) {
            StoreSelection found;
            store_pin_owned(w.store, w.arena, str_format(w.arena, "o%d", owner), &found);
            then_int(found.count, of_owner[owner]);
        }
    }
    if (listing)
        store_list_abort(w.store);
    arena_close(pins);
    close_world(&w);
}
