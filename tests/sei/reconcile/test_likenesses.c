/* A child that was found right is not looked at again, until it or what it is made from changes. */
#include "sei/reconcile/likenesses.h"

#include "kube/hash.h"
#include "tests/sei/reconcile/children.h"

static LikenessSource *source_of(Arena *a, const char *patch)
{
    LikenessSource *source = arena_new(a, LikenessSource);

    then_ok(likenesses_source(a, sample_fleet(a, patch), source));
    return source;
}

static const Json *child_of(Arena *a, const char *uid, const char *version)
{
    return json_fixture(a,
        str_format(a,
            "{metadata: {name: 'rpc-0', namespace: 'sei', uid: '%s', resourceVersion: '%s',"
            " labels: {'sei.io/revision': '3'}}, spec: {chainId: 'pacific-1', image: 'own:1',"
            " externalAddress: 'a:1', fullNode: {}}}",
            uid,
            version));
}

static const char *rendered(Arena *a, const Fleet *fleet)
{
    const Json *child = child_of(a, "u", "1");
    ChildSource source = {.child = child, .revision = child};

    return json_write(a, render_child_node(a, fleet, sample_settings(), &source)).data;
}

/* --- what a finding is about */

TEST(every_change_that_affects_a_child_changes_its_cache_key)
{
    static const struct {
        const char *name, *patch;
    } edits[] = {
        {"labels of the template", TEMPLATE("metadata: {labels: {a: 'b'}}")},
        {"annotations of the template", TEMPLATE("metadata: {annotations: {a: 'b'}}")},
        {"peers", TEMPLATE("spec: {peers: [{static: {addresses: ['a@b:1']}}]}")},
        {"overrides", TEMPLATE("spec: {overrides: {a: '1'}}")},
        {"labels of pods", TEMPLATE("spec: {podLabels: {a: 'b'}}")},
        {"a block of the mode", TEMPLATE("spec: {fullNode: {snapshot: {stateSync: {}}}}")},
        {"a pause", "{spec: {paused: true}}"},
        {"what becomes of the nodes", "{spec: {deletionPolicy: 'Retain'}}"},
        {"networking", "{spec: {networking: {tcp: {}}}}"},
        {"networking that was let go",
            "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}}}"},
        {"another fleet of its name", "{metadata: {uid: 'another'}}"},
    };
    SCOPED_ARENA a = arena_open(64 << 20);
    const Fleet *before = sample_fleet(a, NULL);

    each_case(i, edits) {
        const Fleet *after = sample_fleet(a, edits[i].patch);
        const LikenessSource *source = source_of(a, edits[i].patch);
        then_true(!str_eq(rendered(a, before), rendered(a, after)));
        then_str(rendered(a, &source->fleet), rendered(a, after));
        then_true(!str_eq(source->print, source_of(a, NULL)->print));
    }
}

TEST(a_status_change_of_the_fleet_does_not_change_the_cache_key_of_its_children)
{
    static const char patch[] =
        "{metadata: {resourceVersion: '99'}, status: {replicas: 3, completeRevision: 'r'}}";
    SCOPED_ARENA a = arena_open(64 << 20);

    then_str(source_of(a, patch)->print, source_of(a, NULL)->print);
    then_str(rendered(a, &source_of(a, patch)->fleet), rendered(a, sample_fleet(a, patch)));
}

/* --- findings */

TEST(a_cached_match_applies_to_one_version_of_one_child_of_one_fleet)
{
    static const struct {
        const char *name, *fleet, *uid, *version;
        int64_t ordinal;
        bool is_known;
    } cases[] = {
        {"the same", NULL, "u", "1", 0, true},
        {"a newer version", NULL, "u", "2", 0, false},
        {"another of its name", NULL, "u2", "1", 0, false},
        {"another ordinal", NULL, "u", "1", 1, false},
        {"an edited fleet", "{spec: {paused: true}}", "u", "1", 0, false},
        {"another fleet", "{metadata: {name: 'other'}}", "u", "1", 0, false},
        {"an ordinal beyond all", NULL, "u", "1", FLEET_REPLICAS_MAX, false},
        {"an ordinal that is none", NULL, "u", "1", -1, false},
    };
    SCOPED_ARENA a = arena_open(64 << 20);

    each_case(i, cases) {
        Likenesses *l = likenesses_open();
        likenesses_note(l, source_of(a, NULL), 0, child_of(a, "u", "1"));
        bool known = likenesses_has(l,
            source_of(a, cases[i].fleet),
            cases[i].ordinal,
            child_of(a, cases[i].uid, cases[i].version));
        then_int(known, cases[i].is_known);
        likenesses_close(l);
    }
}

TEST(an_edit_or_the_deletion_of_a_fleet_removes_its_cached_matches)
{
    SCOPED_ARENA a = arena_open(64 << 20);
    Likenesses *l = likenesses_open();
    const LikenessSource *before = source_of(a, NULL),
                         *after = source_of(a, "{spec: {paused: true}}");
    const Json *child = child_of(a, "u", "1");

    likenesses_note(l, before, 0, child);
    likenesses_note(l, before, 1, child);
    likenesses_note(l, after, 1, child);
    then_true(!likenesses_has(l, before, 1, child));
    then_true(likenesses_has(l, after, 1, child));
    then_true(!likenesses_has(l, after, 0, child));
    likenesses_forget(l, before->fleet.key);
    likenesses_forget(l, before->fleet.key);
    then_true(!likenesses_has(l, after, 1, child));
    likenesses_close(l);
}

/* --- in a pass */

/* A child as a cache would show it. */
static const Json *as_cached(TaskWorld *w, const Json *child)
{
    Draft *hash =
        draft(w->arena, str(META_OWNED_HASH_MEMBER, hash_owned(w->arena, child, FLEET_MANAGER)));

    return json_merge(w->arena, child, json_seal(w->arena, hash));
}

/* One more look of a fleet at its only child, which was read with `patch` applied; what it asked of
 * the server. */
static const char *look_at_trimmed(
    TaskWorld *w, App *app, const char *fleet, const Json *child, const Json *patch)
{
    FleetPass *p = pass_of(w);
    SeiNode *node = arena_new(w->arena, SeiNode);
    const Json *read = json_merge(w->arena, as_cached(w, child), patch);

    then_ok(node_decode(w->arena, read, node));
    p->app = app;
    p->fleet = *sample_fleet(w->arena, fleet);
    p->children[0].node = node;
    p->snapshot.count = 1;
    p->scale.remove = -1;
    w->said = NULL;
    then_ok(keep_children(p));
    return w->said;
}

static const char *look_at(TaskWorld *w, App *app, const char *fleet, const Json *child)
{
    return look_at_trimmed(w, app, fleet, child, json_fixture(w->arena, "{}"));
}

TEST(a_child_with_a_cached_match_is_corrected_when_it_or_its_fleet_changes)
{
    SCOPED_WORLD w = world_of(NULL);
    App app = {
        .guard = guard_none(), .settings = sample_settings(), .likenesses = likenesses_open()};
    given_definition(w, crd_seinode);
    const Json *child = apply(w, NULL);

    then_str(look_at(w, &app, NULL, child), NULL);
    then_str(look_at(w, &app, NULL, child), NULL);
    const Json *edited = patched_by(w, "kubectl", "{metadata: {labels: {'sei.io/chain': 'x'}}}");
    then_str(look_at(w, &app, NULL, edited), "apply seinodes rpc-0");
    const Json *right = stored(w, kind_seinode, "rpc-0");
    then_str(look_at(w, &app, NULL, right), NULL);
    then_str(
        look_at(w, &app, TEMPLATE("spec: {overrides: {a: '1'}}"), right), "apply seinodes rpc-0");
    likenesses_close(app.likenesses);
}

/* find_members leaves the overrides out of a child that is too large. They belong to the template.
 */
TEST(a_child_that_was_read_without_its_overrides_keeps_them)
{
    static const char fleet[] = TEMPLATE("spec: {overrides: {a: '1'}}");
    SCOPED_WORLD w = world_of(NULL);
    App app = {
        .guard = guard_none(), .settings = sample_settings(), .likenesses = likenesses_open()};
    const Json *without = json_fixture(w->arena, "{spec: {overrides: null}}");
    given_definition(w, crd_seinode);

    then_str(look_at_trimmed(w, &app, fleet, apply(w, fleet), without), NULL);
    const Json *edited = patched_by(w, "kubectl", "{metadata: {labels: {'sei.io/chain': 'x'}}}");
    then_str(look_at_trimmed(w, &app, fleet, edited, without), "apply seinodes rpc-0");
    then_json(json_find(stored(w, kind_seinode, "rpc-0"), ".spec.overrides"), "{a: '1'}");
    likenesses_close(app.likenesses);
}
