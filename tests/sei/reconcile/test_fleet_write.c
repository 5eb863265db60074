/* Writing a child: once, only when it differs, and also what an apply alone cannot do. */
#include "sei/reconcile/fleet_write.h"

#include "kube/hash.h"
#include "tests/sei/reconcile/children.h"

/* A child that the fleet has made, as a cache would show it. */
static const Json *given_child(TaskWorld *w, const char *fleet)
{
    given_definition(w, crd_seinode);
    const Json *child = apply(w, fleet);
    Draft *hash =
        draft(w->arena, str(META_OWNED_HASH_MEMBER, hash_owned(w->arena, child, FLEET_MANAGER)));

    return json_merge(w->arena, child, json_seal(w->arena, hash));
}

static Err *write_wanted(TaskWorld *w, const Json *child, const char *fleet)
{
    w->said = NULL;
    return write_child(pass_of(w), child, wanted_by(w, fleet), true);
}

TEST(a_child_that_is_already_correct_is_not_written)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, RICH);

    then_ok(write_wanted(w, child, RICH));

    then_str(w->said, NULL);
}

TEST(a_child_that_differs_is_written_once)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, NULL);

    then_ok(write_wanted(w, child, TEMPLATE("spec: {image: 'seid:v2'}")));

    then_str(w->said, "apply seinodes rpc-0");
    then_str(json_str(stored(w, kind_seinode, "rpc-0"), ".spec.image"), "seid:v2");
}

/* What stops its pod was decided by what it was. */
TEST(a_child_that_changed_after_it_was_read_is_not_rolled)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, NULL);
    patched_by(w, "kubectl", "{metadata: {labels: {theirs: 'l'}}}");

    then_err(write_wanted(w, child, TEMPLATE("spec: {image: 'seid:v2'}")),
        WAIT("SeiNode rpc-0 was changed by somebody else at the same time"));
    then_str(
        json_str(stored(w, kind_seinode, "rpc-0"), ".spec.image"), json_str(child, ".spec.image"));
}

TEST(a_child_that_changed_after_it_was_read_still_gets_edits_that_stop_no_pod)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, NULL);
    patched_by(w, "kubectl", "{metadata: {labels: {theirs: 'l'}}}");
    const Json *wanted = wanted_by(w, TEMPLATE("spec: {overrides: {a: '1'}}"));

    then_ok(write_child(pass_of(w), child, wanted, false));

    const Json *written = stored(w, kind_seinode, "rpc-0");
    then_json(json_find(written, ".spec.overrides"), "{a: '1'}");
    then_str(meta_label(written, "theirs"), "l");
}

static const struct {
    const char *name, *template, *addition; /* the template's spec */
    const char *left;                       /* of the sidecar; NULL: none */
} additions[] = {
    {"a sidecar", "image: 'seid:v1'", "{image: 'x'}", NULL},
    {"a member of it",
        "sidecar: {image: 's:1'}",
        "{resources: {limits: {cpu: '1'}}}",
        "{image: 's:1', port: 7777}"},
    {"a member of a member of it",
        "sidecar: {image: 's:1', resources: {limits: {cpu: '1'}}}",
        "{resources: {limits: {memory: '1Gi'}}}",
        "{image: 's:1', port: 7777, resources: {limits: {cpu: '1'}}}"},
};

TEST(a_foreign_addition_to_a_field_that_replaces_pods_is_removed)
{
    each_case(i, additions) {
        SCOPED_WORLD w = world_of(NULL);
        const char *fleet =
            str_format(w->arena, "{spec: {template: {spec: {%s}}}}", additions[i].template);
        const char *addition = str_format(w->arena, "{spec: {sidecar: %s}}", additions[i].addition);
        const Json *child = given_child(w, fleet);
        Draft *hash = draft(w->arena, str(META_OWNED_HASH_MEMBER, meta_owned_hash(child)));

        child = json_merge(w->arena, patched_by(w, "kubectl", addition), json_seal(w->arena, hash));
        then_ok(write_wanted(w, child, fleet));

        then_str(w->said, "patch seinodes rpc-0");
        const Json *left = json_find(stored(w, kind_seinode, "rpc-0"), ".spec.sidecar");
        then_true((left == NULL) == (additions[i].left == NULL));
        if (left)
            then_json(left, additions[i].left);
    }
}

static const struct {
    const char *name, *before, *after; /* the template's spec, beside mode and image */
    const char *path;
} emptied[] = {
    {"the mode's block", "fullNode: {snapshot: {stateSync: {}}}", "fullNode: {}", ".spec.fullNode"},
    {"overrides",
        "fullNode: {}, overrides: {a: '1'}",
        "fullNode: {}, overrides: {}",
        ".spec.overrides"},
    {"both",
        "fullNode: {snapshot: {stateSync: {}}}, overrides: {a: '1'}",
        "fullNode: {}, overrides: {}",
        ".spec.fullNode"},
};

static const char *fleet_of(TaskWorld *w, const char *spec)
{
    return str_format(w->arena, "{spec: {template: {spec: {%s}}}}", spec);
}

/* The server makes null of it, and refuses that. */
TEST(an_object_that_the_template_empties_is_written_as_empty)
{
    each_case(i, emptied) {
        SCOPED_WORLD w = world_of(NULL);
        const Json *child = given_child(w, fleet_of(w, emptied[i].before));
        const char *fleet = fleet_of(w, emptied[i].after);

        then_ok(write_wanted(w, child, fleet));

        const Json *written = stored(w, kind_seinode, "rpc-0");
        then_json(json_find(written, emptied[i].path), "{}");
        then_str(w->said, "apply seinodes rpc-0, patch seinodes rpc-0, apply seinodes rpc-0");
        then_str(hash_owned(w->arena, written, FLEET_MANAGER),
            hash_owned_of_rendered(w->arena, wanted_by(w, fleet)));
        then_int(json_count(json_find(written, ".metadata.managedFields")), 1);
    }
}

TEST(foreign_entries_in_an_emptied_object_are_kept)
{
    SCOPED_WORLD w = world_of(NULL);
    given_child(w, fleet_of(w, "fullNode: {}, overrides: {a: '1'}"));
    const Json *child = patched_by(w, "kubectl", "{spec: {overrides: {theirs: '2'}}}");

    then_ok(write_wanted(w, child, fleet_of(w, "fullNode: {}, overrides: {}")));

    then_json(json_find(stored(w, kind_seinode, "rpc-0"), ".spec.overrides"), "{theirs: '2'}");
}

TEST(an_apply_that_is_refused_for_another_reason_is_reported)
{
    SCOPED_WORLD w = world_of(NULL);
    const Json *child = given_child(w, NULL);
    w->refusal.verb = VERB_APPLY;
    w->refusal.status = 422;
    w->refusal.message = "spec.image: Required value";

    then_err(write_wanted(w, child, TEMPLATE("spec: {image: 'seid:v2'}")),
        TERMINAL("spec.image: Required value"));
    then_str(w->said, "apply seinodes rpc-0");
}
