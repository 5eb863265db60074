/* Templates of before: as the golden file says, and good for what they are kept for. */
#include "sei/render/fleet_revision.h"

#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "sei/render/child_node.h"
#include "tests/sei/fleets.h"
#include "tests/sei/golden.h"
#include "tests/sei/nodes.h"

enum { ARENA_MAX = 8 << 20 };

#define EVERYTHING                                                                                 \
    "{spec: {template: {metadata: {labels: {'sei.io/revision': 'mine', a: 'b'},"                   \
    "  annotations: {note: 'n', 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z'}},"    \
    " spec: {peers: [{label: {selector: {'sei.io/chain': 'pacific-1'}}}],"                         \
    "  overrides: {'p2p.x': '1'}, sidecar: {image: 's:1', port: 7000}}}}}"

static const char *hash_of(Arena *a, const Fleet *fleet)
{
    const char *hash = NULL;

    then_ok(fleet_revision(a, fleet->spec.template, &hash));
    return hash;
}

static const Json *kept(Arena *a, const Fleet *fleet)
{
    return render_fleet_revision(a, fleet, hash_of(a, fleet));
}

TEST(a_stored_fleet_template_equals_its_golden_file)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    then_golden(a, kept(a, sample_fleet(a, EVERYTHING)), "children/revision.json");
}

TEST(a_stored_template_never_has_the_labels_of_a_node)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Fleet *fleet =
        sample_fleet(a, "{spec: {template: {metadata: {labels: {'sei.io/node': 'rpc-0'}}}}}");

    then_json(json_find(kept(a, fleet), ".metadata.labels"), "{'sei.io/nodedeployment': 'rpc'}");
}

/* What a child has of a revision is the same, whether the template is still there or kept. */
TEST(a_child_made_from_a_stored_template_equals_the_child_of_the_original_template)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Fleet *then = sample_fleet(a, EVERYTHING);
    const Fleet *now = sample_fleet(a,
        "{metadata: {generation: 9}, spec: {template: {metadata: {labels: {a: 'b'},"
        " annotations: {note: 'n'}}, spec: {image: 'new:2', overrides: {'p2p.x': '1'},"
        " peers: [{label: {selector: {'sei.io/chain': 'pacific-1'}}}]}}}}");
    const Json *template = render_template_of(a, hash_of(a, then), kept(a, then));

    then_true(json_equal(
        render_child_node(a, now, sample_settings(), &(ChildSource){.revision = template}),
        render_child_node(a, then, sample_settings(), &(ChildSource){0})));
}

static const struct {
    const char *name, *change; /* of what was kept */
    bool is_ours;
} cases[] = {
    {"as it was kept", "{}", true},
    {"with labels and annotations of other managers", "{metadata: {labels: {x: 'y'}}}", true},
    {"of another image", "{data: {spec: {image: 'other:1'}}}", false},
    {"without a template", "{data: null}", false},
    {"with a template that cannot be read", "{data: {spec: {image: 5}}}", false},
};

TEST(a_stored_template_is_read_back_unchanged_or_not_at_all)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Fleet *fleet = sample_fleet(a, EVERYTHING);
        const Json *found = json_merge(a, kept(a, fleet), json_fixture(a, cases[i].change));
        const Json *template = render_template_of(a, hash_of(a, fleet), found);

        then_true(template == (cases[i].is_ours ? json_find(found, ".data") : NULL));
    }
}
