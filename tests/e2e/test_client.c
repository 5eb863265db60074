/* Every verb of kube.h against a real server, and what each answer means. */
#include "kube/meta.h"
#include "kube/selector.h"
#include "kube/status.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"

/* One test's own namespace, and a client of the admin. */
typedef struct Desk {
    Controlplane *cp;
    Live *live;
    Ctx *c;
    const char *namespace;
} Desk;

static Desk desk_open(Arena *a, const char *namespace)
{
    Desk d = {.cp = scene_begin(controlplane_shared()), .namespace = namespace};

    scene_make_namespaces(d.cp, a, PROCESS_ARGS(namespace));
    d.live = live_open(a, controlplane_admin(d.cp));
    d.c = &d.live->ctx;
    return d;
}

static Key key_in(const Desk *d, const char *name)
{
    return (Key){.namespace = d->namespace, .name = name};
}

static const Json *configmap(Arena *a, const Desk *d, const char *name, const char *value)
{
    return json_fixture(a,
        str_format(a,
            "{apiVersion: 'v1', kind: 'ConfigMap',"
            " metadata: {name: '%s', namespace: '%s', labels: {set: 'ours'}}, data: {key: '%s'}}",
            name,
            d->namespace,
            value));
}

static const Json *create(Arena *a, const Desk *d, const char *name)
{
    const Json *made = NULL;

    then_ok(kube_create(d->c, kind_configmap, configmap(a, d, name, "one"), &made));
    then_true(meta_uid(made) != NULL);
    return made;
}

TEST(an_object_is_created_once_and_read_back)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "read");
    const Json *made = create(a, &d, "thing"), *got = NULL, *none = made;

    then_ok(kube_get(d.c, kind_configmap, key_in(&d, "thing"), &got));
    then_str(meta_uid(got), meta_uid(made));
    then_str(json_str(got, ".data.key"), "one");
    Err *again = kube_create(d.c, kind_configmap, configmap(a, &d, "thing", "two"), NULL);
    then_err(again, RETRY("already exists"));
    then_true(status_is_already_exists(again));
    then_true(status_is_not_found(kube_get(d.c, kind_configmap, key_in(&d, "nothing"), &got)));
    then_ok(kube_get_if_any(d.c, kind_configmap, key_in(&d, "nothing"), &none));
    then_true(none == NULL);
    live_close(d.live);
}

TEST(a_list_is_read_in_pages_and_by_selector)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "pages");
    int64_t mark = scene_mark(d.cp);
    Objects found = {0};

    for (int i = 0; i < 5; i++)
        create(a, &d, str_format(a, "page-%d", i));
    Request list = {
        .verb = VERB_LIST,
        .kind = kind_configmap,
        .key = {.namespace = "pages"},
        .labels = "set in (ours,theirs),!absent",
        .limit = 2,
    };
    then_ok(kube_list(d.c, &list, &found));
    then_int(found.count, 5);
    then_str(meta_name(found.items[4]), "page-4");
    AuditLog log = scene_audit(d.cp, a, mark);
    then_int(audit_count(&log, &(AuditLine){.verb = "list", .namespace = "pages", .code = 200}), 3);

    list.fields = "metadata.name=page-3";
    then_ok(kube_list(d.c, &list, &found));
    then_int(found.count, 1);
    then_str(meta_name(found.items[0]), "page-3");
    list.labels = "set=theirs";
    then_ok(kube_list(d.c, &list, &found));
    then_int(found.count, 0);
    live_close(d.live);
}

TEST(an_apply_respects_other_field_managers_unless_forced)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "apply");
    const Json *got = NULL;

    then_ok(kube_apply(
        d.c, kind_configmap, configmap(a, &d, "shared", "one"), (ApplyOptions){"first"}, &got));
    const char *version = meta_resource_version(got);
    then_ok(kube_apply(
        d.c, kind_configmap, configmap(a, &d, "shared", "one"), (ApplyOptions){"first"}, &got));
    then_str(meta_resource_version(got), version);

    Err *conflict = kube_apply(
        d.c, kind_configmap, configmap(a, &d, "shared", "two"), (ApplyOptions){"second"}, NULL);
    then_err(conflict, RETRY("conflict"));
    then_true(status_is_conflict(conflict));
    then_ok(kube_apply(d.c,
        kind_configmap,
        configmap(a, &d, "shared", "two"),
        (ApplyOptions){"second", .force = true},
        &got));
    then_str(json_str(got, ".data.key"), "two");
    live_close(d.live);
}

TEST(an_apply_that_names_a_uid_never_creates_an_object)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "uid");
    const Json *object = json_fixture(a,
        "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'gone', namespace: 'uid',"
        " uid: '11111111-2222-4333-8444-555555555555'}, data: {key: 'x'}}");
    const Json *got = object;

    Err *err = kube_apply(d.c, kind_configmap, object, (ApplyOptions){"first", true}, NULL);
    then_true(err != OK);
    then_true(err_has_status(err, 409));
    then_ok(kube_get_if_any(d.c, kind_configmap, key_in(&d, "gone"), &got));
    then_true(got == NULL);
    live_close(d.live);
}

TEST(a_merge_patch_with_an_old_resource_version_is_a_conflict)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "merge");
    const Json *seen = create(a, &d, "patched"), *now = NULL;

    then_ok(kube_merge_patch(
        d.c, kind_configmap, seen, json_fixture(a, "{data: {key: 'two', more: 'x'}}"), &now));
    then_json(json_find(now, ".data"), "{key: 'two', more: 'x'}");
    Err *stale = kube_merge_patch(
        d.c, kind_configmap, seen, json_fixture(a, "{data: {key: 'three'}}"), NULL);
    then_err(stale, RETRY("the object has been modified"));
    then_true(status_is_conflict(stale));
    then_ok(
        kube_merge_patch(d.c, kind_configmap, now, json_fixture(a, "{data: {more: null}}"), &now));
    then_json(json_find(now, ".data"), "{key: 'two'}");
    live_close(d.live);
}

TEST(a_json_patch_whose_test_fails_changes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "json");
    const Json *seen = create(a, &d, "patched"), *now = NULL;

    Err *err = kube_json_patch(d.c,
        kind_configmap,
        meta_key(seen),
        json_fixture(a,
            "[{op: 'test', path: '/data/key', value: 'other'},"
            " {op: 'replace', path: '/data/key', value: 'two'}]"),
        NULL);
    then_true(err_has_status(err, 422) && err_is(err, ERR_RETRY));
    then_ok(kube_json_patch(d.c,
        kind_configmap,
        meta_key(seen),
        json_fixture(a,
            "[{op: 'test', path: '/data/key', value: 'one'},"
            " {op: 'add', path: '/metadata/annotations', value: {}},"
            " {op: 'add', path: '/metadata/annotations/example.io~1b', value: 'two'}]"),
        &now));
    then_str(meta_annotation(now, "example.io/b"), "two");
    then_str(json_str(now, ".data.key"), "one");
    live_close(d.live);
}

TEST(finalizer_patches_hold_an_object_and_release_it)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "finalizer");
    const Json *seen = create(a, &d, "held"), *now = NULL;

    then_ok(kube_json_patch(d.c,
        kind_configmap,
        meta_key(seen),
        meta_add_finalizer_patch(a, seen, "example.io/hold"),
        &now));
    then_true(meta_has_finalizer(now, "example.io/hold"));
    Err *twice = kube_json_patch(d.c,
        kind_configmap,
        meta_key(seen),
        meta_add_finalizer_patch(a, seen, "example.io/hold"),
        NULL);
    then_true(err_is(twice, ERR_RETRY));
    then_ok(kube_delete(d.c, kind_configmap, now, (DeleteOptions){0}));
    then_ok(kube_get(d.c, kind_configmap, meta_key(seen), &now));
    then_true(meta_deleting(now));
    then_ok(kube_json_patch(d.c,
        kind_configmap,
        meta_key(seen),
        meta_remove_finalizer_patch(a, now, "example.io/hold"),
        NULL));
    then_ok(kube_get_if_any(d.c, kind_configmap, meta_key(seen), &now));
    then_true(now == NULL);
    live_close(d.live);
}

TEST(a_status_patch_changes_only_the_status)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "status");
    const Json *disk = json_fixture(a,
        "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'disk',"
        " namespace: 'status'}, spec: {accessModes: ['ReadWriteOnce'], storageClassName: 'none',"
        " resources: {requests: {storage: '1Gi'}}}}");
    const Json *seen = NULL, *now = NULL;

    then_ok(kube_create(d.c, kind_pvc, disk, &seen));
    then_ok(kube_get(d.c, kind_pvc, key_in(&d, "disk"), &seen));
    then_ok(kube_patch_status(d.c,
        kind_pvc,
        seen,
        json_fixture(a, "{spec: {storageClassName: 'other'}, status: {phase: 'Lost'}}"),
        &now));
    then_str(json_str(now, ".status.phase"), "Lost");
    then_str(json_str(now, ".spec.storageClassName"), "none");
    Err *stale =
        kube_patch_status(d.c, kind_pvc, seen, json_fixture(a, "{status: {phase: 'Bound'}}"), NULL);
    then_true(status_is_conflict(stale));
    live_close(d.live);
}

TEST(a_delete_removes_only_the_object_that_was_read)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "delete");
    const Json *seen = create(a, &d, "victim"), *now = NULL;
    const Json *other = json_merge(
        a, seen, json_fixture(a, "{metadata: {uid: '11111111-2222-4333-8444-555555555555'}}"));

    then_ok(kube_delete(d.c, kind_configmap, other, (DeleteOptions){0}));
    then_ok(kube_get(d.c, kind_configmap, meta_key(seen), &now));
    then_ok(
        kube_merge_patch(d.c, kind_configmap, seen, json_fixture(a, "{data: {key: 'two'}}"), &now));
    Err *changed = kube_delete(d.c, kind_configmap, seen, (DeleteOptions){.same_version = true});
    then_true(status_is_conflict(changed));
    then_ok(kube_delete(d.c, kind_configmap, now, (DeleteOptions){.same_version = true}));
    then_ok(kube_delete(d.c, kind_configmap, now, (DeleteOptions){0}));
    then_ok(kube_get_if_any(d.c, kind_configmap, meta_key(seen), &now));
    then_true(now == NULL);
    live_close(d.live);
}

TEST(a_delete_decides_what_happens_to_owned_objects)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "owned");
    const Json *owner = create(a, &d, "owner"), *now = NULL;
    Draft *dependent = draft(a,
        str("apiVersion", "v1"),
        str("kind", "ConfigMap"),
        obj("metadata",
            str("name", "dependent"),
            str("namespace", "owned"),
            list("ownerReferences", meta_owner_reference(a, kind_configmap, owner))));

    then_ok(kube_create(d.c, kind_configmap, json_seal(a, dependent), &now));
    then_true(meta_controlled_by(now, owner));
    then_ok(kube_delete(
        d.c, kind_configmap, owner, (DeleteOptions){.propagation = PROPAGATION_FOREGROUND}));
    eventually(!scene_has(d.cp, "/api/v1/namespaces/owned/configmaps/owner"));
    then_true(!scene_has(d.cp, "/api/v1/namespaces/owned/configmaps/dependent"));
    live_close(d.live);
}

TEST(a_dry_run_changes_nothing)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "dry");
    const Json *got = NULL;
    Request create_dry = {
        .verb = VERB_CREATE,
        .kind = kind_configmap,
        .key = key_in(&d, "ghost"),
        .body = configmap(a, &d, "ghost", "boo"),
        .dry_run = true,
    };

    then_ok(kube_call(d.c, &create_dry, &got));
    then_str(json_str(got, ".data.key"), "boo");
    then_ok(kube_get_if_any(d.c, kind_configmap, key_in(&d, "ghost"), &got));
    then_true(got == NULL);
    live_close(d.live);
}

TEST(a_token_is_issued_for_an_audience)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "token");
    const Json *status = NULL;

    kubectl(d.cp, a, "create", "serviceaccount", "robot", "-n", "token");
    then_ok(kube_create_token(d.c,
        key_in(&d, "robot"),
        (TokenOptions){.audience = "sidecar", .expiration_seconds = 600},
        &status));
    then_true(json_str(status, ".token") != NULL);
    then_true(json_str(status, ".expirationTimestamp") != NULL);
    then_true(status_is_not_found(
        kube_create_token(d.c, key_in(&d, "nobody"), (TokenOptions){0}, &status)));
    live_close(d.live);
}

/* A name of 253 bytes; values with every byte that means something in a URL. */
TEST(names_and_values_in_urls_are_escaped)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "escape");
    char name[254];
    const Json *got = NULL;
    Objects found = {0};

    memset(name, 'n', 253);
    name[253] = '\0';
    name[100] = '.';
    create(a, &d, name);
    then_ok(kube_get(d.c, kind_configmap, key_in(&d, name), &got));
    then_str(meta_name(got), name);
    Request list = {
        .verb = VERB_LIST,
        .kind = kind_configmap,
        .key = {.namespace = "escape"},
        .labels = "set=ours,example.io/a_b.c notin (x,y)",
        .fields = str_format(a, "metadata.name=%s", name),
    };
    then_ok(kube_list(d.c, &list, &found));
    then_int(found.count, 1);

    /* The manager's name comes back as it was sent. */
    then_ok(kube_apply(d.c,
        kind_configmap,
        configmap(a, &d, "odd", "x"),
        (ApplyOptions){"a b&c=d/e?f#g+h%i"},
        &got));
    then_str(json_str(got, ".metadata.managedFields[0].manager"), "a b&c=d/e?f#g+h%i");
    then_err(kube_get(d.c, kind_configmap, key_in(&d, "a/b"), &got), TERMINAL("cannot be a name"));
    live_close(d.live);
}

TEST(a_missing_permission_is_distinguished_from_an_absent_object)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Desk d = desk_open(a, "rights");
    const char *config = NULL;
    const Json *got = NULL;

    then_ok(controlplane_kubeconfig(d.cp, a, &(Identity){.user = "nobody"}, &config));
    Live *nobody = live_open(a, config);
    Err *err = kube_get(&nobody->ctx, kind_configmap, key_in(&d, "x"), &got);
    then_true(status_is_forbidden(err));
    then_err(err, RETRY("User \"nobody\" cannot get resource"));
    live_close(nobody);
    live_close(d.live);
}
