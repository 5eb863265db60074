/* Children of a fleet: as the golden files say, and what of them moves when. */
#include "sei/render/child_node.h"

#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "tests/sei/fleets.h"
#include "tests/sei/golden.h"
#include "tests/sei/nodes.h"

enum { ARENA_MAX = 8 << 20 };

#define SPEC(fields) "{spec: {template: {spec: {" fields "}}}}"
#define FOUNDERS                                                                                   \
    "{metadata: {name: 'val'}, spec: {genesis: {chainId: 'new-1', stakingAmount: '5usei',"         \
    " accountBalance: '9usei'}, template: {spec: {chainId: 'new-1', fullNode: null,"               \
    " validator: {snapshot: {stateSync: {}}}, peers: [{static: {addresses: ['a@b:1']}}]}}}}"

static const struct {
    const char *name, *fleet;
    int64_t ordinal;
} cases[] = {
    {"full", "{}", 1},
    {"everything",
        "{spec: {deletionPolicy: 'Retain', networking: {tcp: {}}, paused: true, template: {"
        " metadata: {labels: {'sei.io/revision': 'mine', a: 'label', b: 'label'},"
        "  annotations: {note: 'n', 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z',"
        "   'sei.io/volume-policy': 'Delete'}},"
        " spec: {peers: [{label: {selector: {'sei.io/chain': 'pacific-1'}}}],"
        "  overrides: {'p2p.x': '1'}, podLabels: {b: 'pod', 'sei.io/nodedeployment': 'mine'},"
        "  sidecar: {image: 's:1', port: 7000, resources: {limits: {cpu: '1'}}},"
        "  externalAddress: 'mine:1', paused: false,"
        "  dataVolume: {import: {pvcName: 'v'}},"
        "  fullNode: {snapshot: {s3: {targetHeight: 5}}}}}}}",
        0},
    {"founder", FOUNDERS, 2},
    {"validator",
        SPEC("fullNode: null, validator: {signingKey: {secret: {secretName: 's'}},"
             " nodeKey: {secret: {secretName: 'n'}}}"),
        0},
};

static Settings settings_with_domain(void)
{
    return sample_settings_with(offsetof(Settings, p2p_endpoint_domain), "test.platform.sei.io");
}

static const Json *render(Arena *a, const char *fleet, const ChildSource *source)
{
    Settings settings = settings_with_domain();
    return render_child_node(a, sample_fleet(a, fleet), &settings, source);
}

TEST(rendered_children_equal_their_golden_files)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *child = render(a, cases[i].fleet, &(ChildSource){.ordinal = cases[i].ordinal});
        then_golden(a, child, str_format(a, "children/%s.json", cases[i].name));
    }
}

/* Labels, owner and pod labels of a live example of the reference. */
TEST(a_rendered_child_has_the_labels_and_the_owner_that_the_go_operator_gives_it)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *child = render(a, "{}", &(ChildSource){.ordinal = 1});

    then_json(json_find(child, ".metadata"),
        "{name: 'rpc-1', namespace: 'sei', annotations: {'sei.io/released-spec': "
        "'233ffcc0916481a8'},"
        " labels: {team: 'infra', 'sei.io/nodedeployment': 'rpc',"
        " 'sei.io/nodedeployment-ordinal': '1', 'sei.io/revision': '3',"
        " 'sei.io/chain': 'pacific-1'}, ownerReferences: [{apiVersion: 'sei.io/v1alpha1',"
        " kind: 'SeiNodeDeployment', name: 'rpc', uid: '" FLEET_UID "', controller: true,"
        " blockOwnerDeletion: true}]}");
    then_json(json_find(child, ".spec.podLabels"),
        "{team: 'infra', 'sei.io/nodedeployment': 'rpc', 'sei.io/revision': '3'}");
    then_int(fleet_child_ordinal(a, "rpc", child), 1);
}

TEST(every_rendered_child_decodes_as_a_seinode)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        SeiNode *node = arena_new(a, SeiNode);
        then_ok(node_decode(
            a, render(a, cases[i].fleet, &(ChildSource){.ordinal = cases[i].ordinal}), node));
    }
}

/* --- what moves at once, and what only with a rollout --- */

#define OLD_CHILD                                                                                  \
    "{metadata: {name: 'rpc-0', uid: 'u', labels: {'sei.io/nodedeployment': 'rpc',"                \
    " 'sei.io/nodedeployment-ordinal': '0', 'sei.io/revision': '2', 'sei.io/chain': 'old-1'}},"    \
    " spec: {chainId: 'old-1', image: 'old:1', fullNode: {}, sidecar: {image: 'old-s:1'},"         \
    " paused: true}}"

static const struct {
    const char *name, *edit, *path;
    bool at_once;
} edits[] = {
    {"image", SPEC("image: 'x'"), ".spec.image", false},
    {"sidecar", SPEC("sidecar: {port: 7001}"), ".spec.sidecar", false},
    {"another mode", SPEC("fullNode: null, archive: {}"), ".spec.archive", false},
    {"restart",
        "{spec: {template: {metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': 'x'}}}}}",
        ".metadata.annotations",
        false},
    {"generation", "{metadata: {generation: 9}}", ".metadata.labels['sei.io/revision']", false},
    {"generation, on the pod",
        "{metadata: {generation: 9}}",
        ".spec.podLabels['sei.io/revision']",
        false},
    {"peers", SPEC("peers: [{static: {addresses: ['x']}}]"), ".spec.peers", true},
    {"overrides", SPEC("overrides: {x: '1'}"), ".spec.overrides", true},
    {"pod labels", SPEC("podLabels: {x: '1'}"), ".spec.podLabels.x", true},
    {"labels", "{spec: {template: {metadata: {labels: {x: '1'}}}}}", ".metadata.labels.x", true},
    {"annotations",
        "{spec: {template: {metadata: {annotations: {x: '1'}}}}}",
        ".metadata.annotations.x",
        true},
    {"snapshot", SPEC("fullNode: {snapshot: {stateSync: {}}}"), ".spec.fullNode.snapshot", true},
    {"volume", SPEC("dataVolume: {import: {pvcName: 'x'}}"), ".spec.dataVolume", true},
    {"policy", "{spec: {deletionPolicy: 'Retain'}}", ".metadata.annotations", true},
    {"networking", "{spec: {networking: {tcp: {}}}}", ".spec.externalAddress", true},
    {"pause of the fleet", "{spec: {paused: true}}", ".spec.paused", true},
};

TEST(a_field_that_replaces_pods_changes_in_a_child_only_when_a_rollout_writes_it)
{
    each_case(i, edits) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *child = json_fixture(a, OLD_CHILD);
        ChildSource waits = {.child = child, .revision = child}, written = {.child = child};
        const Json *before = render(a, "{}", &waits), *after = render(a, edits[i].edit, &waits);
        const Json *rolled = render(a, edits[i].edit, &written);
        const char *path = edits[i].path;

        then_int(!json_equal(json_find(before, path), json_find(after, path)), edits[i].at_once);
        then_true(!json_equal(json_find(before, path), json_find(rolled, path)));
    }
}

TEST(a_child_that_waits_for_its_rollout_keeps_its_revision)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = settings_with_domain();

    each_case(i, edits) {
        const Fleet *fleet = sample_fleet(a, edits[i].edit);
        const Json *child = json_fixture(a, OLD_CHILD);
        const char *before = NULL, *waiting = NULL, *written = NULL, *target = NULL;

        then_ok(fleet_revision(a, child, &before));
        then_ok(fleet_revision(a, fleet->spec.template, &target));
        then_ok(fleet_revision(a,
            render_child_node(
                a, fleet, &settings, &(ChildSource){.child = child, .revision = child}),
            &waiting));
        then_ok(fleet_revision(
            a, render_child_node(a, fleet, &settings, &(ChildSource){.child = child}), &written));
        then_str(waiting, before);
        then_str(written, target);
    }
}

/* To what its fleet writes, and to nothing that it only finds there. */
TEST(a_child_is_released_only_when_the_rollout_writes_it)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *child = json_fixture(a, OLD_CHILD);
    const Json *bears = json_merge(a,
        child,
        json_fixture(
            a, "{metadata: {annotations: {'" ANNOTATION_RELEASED_SPEC "': 'before', x: 'y'}}}"));
    const char *edit =
        "{spec: {template: {metadata: {annotations: {'" ANNOTATION_RELEASED_SPEC "': 'forged'}}}}}";
    SeiNode *node = arena_new(a, SeiNode);

    const Json *waits = render(a, edit, &(ChildSource){.child = child, .revision = child});
    then_str(meta_annotation(waits, ANNOTATION_RELEASED_SPEC), NULL);
    waits = render(a, edit, &(ChildSource){.child = bears, .revision = bears});
    then_str(meta_annotation(waits, ANNOTATION_RELEASED_SPEC), "before");
    then_ok(node_decode(a, render(a, edit, &(ChildSource){.child = bears}), node));
    then_str(node->released_spec, fleet_released_spec(a, &node->spec));
}

TEST(a_rendered_child_never_moves_to_another_chain)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *rolled =
        render(a, SPEC("chainId: 'new-1'"), &(ChildSource){.child = json_fixture(a, OLD_CHILD)});

    then_str(json_str(rolled, ".spec.chainId"), "old-1");
    then_str(meta_label(rolled, LABEL_CHAIN), "old-1");
}

TEST(pausing_one_child_is_not_rendered_by_its_fleet)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *rolled = render(a, "{}", &(ChildSource){.child = json_fixture(a, OLD_CHILD)});

    then_true(json_find(rolled, ".spec.paused") == NULL);
}

TEST(a_restart_that_a_user_requests_for_one_child_is_not_rendered_by_its_fleet)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *child = json_merge(a,
        json_fixture(a, OLD_CHILD),
        json_fixture(a, "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': 'x'}}}"));
    const Json *waits = render(a, "{}", &(ChildSource){.child = child, .revision = child});

    then_true(json_find(waits, ".metadata.annotations") == NULL);
}

/* A child below the partition that was lost comes back as it was. */
TEST(a_child_can_be_rendered_from_an_earlier_template)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *before = json_fixture(a,
        "{metadata: {labels: {'sei.io/revision': '2'}}, spec: {chainId: 'x', image: 'old:1',"
        " fullNode: {}, overrides: {old: '1'}}}");
    const Json *child =
        render(a, SPEC("overrides: {now: '1'}"), &(ChildSource){.revision = before});

    then_str(json_str(child, ".spec.image"), "old:1");
    then_str(json_str(child, ".spec.chainId"), "pacific-1");
    then_str(meta_label(child, LABEL_FLEET_REVISION), "2");
    then_json(json_find(child, ".spec.overrides"), "{now: '1'}");
}

TEST(the_secrets_of_a_validator_wait_for_the_rollout_and_its_other_fields_do_not)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *child = json_fixture(a,
        "{metadata: {name: 'rpc-0'}, spec: {chainId: 'pacific-1', image: 'i',"
        " validator: {signingKey: {secret: {secretName: 'old'}}}}}");
    const char *edit = SPEC("fullNode: null, validator: {snapshot: {stateSync: {}},"
                            " signingKey: {secret: {secretName: 'new'}},"
                            " nodeKey: {secret: {secretName: 'n'}}}");

    then_json(json_find(render(a, edit, &(ChildSource){.child = child, .revision = child}),
                  ".spec.validator"),
        "{snapshot: {stateSync: {}}, signingKey: {secret: {secretName: 'old'}}}");
    then_json(json_find(render(a, edit, &(ChildSource){.child = child}), ".spec.validator"),
        "{snapshot: {stateSync: {}}, signingKey: {secret: {secretName: 'new'}},"
        " nodeKey: {secret: {secretName: 'n'}}}");
}

/* Whoever took the networking over has the name that the child tells its peers. */
TEST(a_child_of_an_orphaned_fleet_keeps_its_external_address)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const char *orphaned = "{metadata: {annotations: {'sei.io/networking-orphaned': 'true'}}}";
    const Json *child = json_merge(
        a, json_fixture(a, OLD_CHILD), json_fixture(a, "{spec: {externalAddress: 'host:1'}}"));
    ChildSource source = {.child = child};

    then_str(json_str(render(a, orphaned, &source), ".spec.externalAddress"), "host:1");
    then_str(json_str(render(a, "{}", &source), ".spec.externalAddress"), NULL);
}
