/* Children of the reference on the real API server: taken over without a change, and from then on
 * the template alone decides, also when it takes the last thing out of an object. */
#include "kube/hash.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/reconcile/fleet_takeover.h"
#include "sei/reconcile/fleet_write.h"
#include "sei/render/child_node.h"
#include "tests/crds/crds.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"
#include "tests/sei/nodes.h"

#define NS        "takeover"
#define REFERENCE "manager"
#define RICH                                                                                       \
    "{metadata: {labels: {team: 'infra', tier: 'gold'}, annotations: {note: 'n'}},"                \
    " spec: {chainId: 'pacific-1', image: 'seid:v1', overrides: {'p2p.x': '1', 'p2p.y': '2'},"     \
    "  sidecar: {image: 's:1', port: 7000, resources: {limits: {cpu: '1'}}},"                      \
    "  peers: [{static: {addresses: ['a@b:1']}}], fullNode: {snapshot: {stateSync: {}}}}}"

typedef struct Scenery {
    Arena *a;
    Live *live;
    FleetPass *pass;
    const Json *fleet;
} Scenery;

static const Json *write_as(Scenery *s, Verb verb, const char *manager, const Json *body)
{
    Request request = {
        .verb = verb,
        .kind = kind_seinode,
        .key = {NS, "rpc-0"},
        .body = body,
        .manager = manager,
        .force = verb == VERB_APPLY,
    };
    const Json *stored;

    then_ok(kube_call(&s->live->ctx, &request, &stored));
    return stored;
}

static const Json *patched_by(Scenery *s, const char *manager, const char *patch)
{
    return write_as(s, VERB_MERGE_PATCH, manager, json_fixture(s->a, patch));
}

static bool is_served(Controlplane *cp, Arena *a, const Kind *kind)
{
    return scene_has(cp, str_format(a, "/apis/sei.io/v1alpha1/namespaces/" NS "/%s", kind->plural));
}

/* Both kinds, and a fleet that nobody looks after. */
static Scenery given_fleet(Arena *a)
{
    static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};
    Controlplane *cp = scene_begin(controlplane_shared());
    Scenery s = {.a = a, .live = live_open(a, controlplane_admin(cp))};
    ApplyOptions options = {.manager = "test", .force = true};

    scene_namespaces(cp, a, NS);
    for (size_t i = 0; i < array_count(kinds); i++) {
        then_ok(kube_apply(&s.live->ctx, kind_crd, crd_load(a, kinds[i]), options, NULL));
        eventually(is_served(cp, a, kinds[i]));
    }
    kubectl(cp, a, "delete", "seinodes,seinodedeployments", "--all", "-n", NS);
    const Json *object = json_merge(a,
        crd_minimal(a, crd_seinodedeployment),
        json_fixture(a, "{metadata: {name: 'rpc', namespace: '" NS "'}}"));
    then_ok(kube_create(&s.live->ctx, kind_seinodedeployment, object, &s.fleet));
    s.pass = arena_new(a, FleetPass);
    s.pass->c = &s.live->ctx;
    return s;
}

/* The child of ordinal 0 as a fleet of this template wants it. */
static const Json *wanted(Scenery *s, const Json *template)
{
    Fleet *fleet = arena_new(s->a, Fleet);
    Draft *spec = draft(s->a, obj("spec", draft_json("template", template)));

    then_ok(fleet_decode(s->a,
        json_merge(s->a,
            json_merge(s->a, s->fleet, json_fixture(s->a, "{spec: {template: null}}")),
            json_seal(s->a, spec)),
        fleet));
    return render_child_node(s->a, fleet, sample_settings(), &(ChildSource){0});
}

static const Json *given_child(Scenery *s)
{
    const Json *made = wanted(s, json_fixture(s->a, RICH));

    write_as(s,
        VERB_CREATE,
        REFERENCE,
        json_merge(s->a, made, json_fixture(s->a, "{spec: {image: 'old'}}")));
    patched_by(
        s, REFERENCE, "{metadata: {finalizers: ['example.io/f']}, spec: {image: 'seid:v1'}}");
    return patched_by(s,
        "kubectl-edit",
        "{metadata: {labels: {theirs: 'l'}, annotations: {theirs: 'a'}}, spec: {paused: true}}");
}

static void end(Scenery *s)
{
    patched_by(s, "test", "{metadata: {finalizers: null}}");
    live_close(s->live);
}

static const Json *without_books(Scenery *s, const Json *object)
{
    return json_merge(s->a,
        object,
        json_fixture(s->a, "{metadata: {managedFields: null, resourceVersion: null}}"));
}

TEST(a_child_is_taken_over_without_a_change)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Scenery s = given_fleet(a);
    const Json *child = given_child(&s), *want = wanted(&s, json_fixture(a, RICH)), *taken;

    then_ok(take_over_child(s.pass, child, want, &taken));

    then_true(json_equal(without_books(&s, taken), without_books(&s, child)));
    then_str(hash_owned(a, taken, FLEET_MANAGER), hash_owned_of_rendered(a, want));
    const Json *applied = write_as(&s, VERB_APPLY, FLEET_MANAGER, want);
    then_true(json_equal(without_books(&s, applied), without_books(&s, child)));
    then_int(meta_generation(applied), meta_generation(child));
    end(&s);
}

static const struct {
    const char *name, *edit; /* of the template */
    const char *path, *left; /* what becomes of this in the child */
} edits[] = {
    {"a label", "{metadata: {labels: {tier: null}}}", ".metadata.labels.tier", NULL},
    {"the last annotation", "{metadata: {annotations: null}}", ".metadata.annotations.note", NULL},
    {"an override", "{spec: {overrides: {'p2p.y': null}}}", ".spec.overrides['p2p.y']", NULL},
    {"all overrides", "{spec: {overrides: null}}", ".spec.overrides", NULL},
    {"the sidecar", "{spec: {sidecar: null}}", ".spec.sidecar", NULL},
    {"its resources", "{spec: {sidecar: {resources: null}}}", ".spec.sidecar.resources", NULL},
    {"peers", "{spec: {peers: null}}", ".spec.peers", NULL},
    {"the snapshot", "{spec: {fullNode: {snapshot: null}}}", ".spec.fullNode", "{}"},
    {"each override",
        "{spec: {overrides: {'p2p.x': null, 'p2p.y': null}}}",
        ".spec.overrides",
        "{}"},
};

TEST(a_field_that_the_template_loses_is_removed_from_the_child)
{
    each_case(i, edits) {
        SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
        Scenery s = given_fleet(a);
        const Json *before = json_fixture(a, RICH);
        const Json *after = json_merge(a, before, json_fixture(a, edits[i].edit)), *now;
        Key key = {NS, "rpc-0"};

        then_ok(write_child(s.pass, given_child(&s), wanted(&s, before), false));
        then_ok(kube_get(&s.live->ctx, kind_seinode, key, &now));
        then_ok(write_child(s.pass, now, wanted(&s, after), true));

        then_ok(kube_get(&s.live->ctx, kind_seinode, key, &now));
        if (edits[i].left)
            then_json(json_find(now, edits[i].path), edits[i].left);
        else
            then_true(json_find(now, edits[i].path) == NULL);
        then_str(hash_owned(a, now, FLEET_MANAGER), hash_owned_of_rendered(a, wanted(&s, after)));
        then_str(meta_label(now, "theirs"), "l");
        then_str(meta_annotation(now, "theirs"), "a");
        then_true(json_bool(now, ".spec.paused", false));
        then_true(meta_has_finalizer(now, "example.io/f"));
        end(&s);
    }
}
