/* Labels and owners, and the small objects that are little more than those. */
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

enum { ARENA_MAX = 16 << 20 };

static Subject subject(Arena *a, const char *patch)
{
    SeiNode *node = arena_new(a, SeiNode);

    *node = sample_node(a, patch);
    return subject_of(a, node, sample_settings(), REPLICAS_ONE);
}

static const struct {
    const char *name, *patch, *want;
} labels[] = {
    {"a full node",
        NULL,
        "{'sei.io/node': 'rpc-0', 'sei.io/chain': 'pacific-1', 'sei.io/role': 'node'}"},
    {"an archive",
        "{spec: {fullNode: null, archive: {}}}",
        "{'sei.io/node': 'rpc-0', 'sei.io/chain': 'pacific-1', 'sei.io/role': 'archive'}"},
    {"labels of the spec are added, and ours win",
        "{spec: {podLabels: {team: 'x', 'sei.io/node': 'y', 'sei.io/chain': 'y',"
        " 'sei.io/role': 'y'}}}",
        "{'sei.io/node': 'rpc-0', 'sei.io/chain': 'pacific-1', 'sei.io/role': 'node', team: 'x'}"},
    {"labels of the StatefulSet controller are its own",
        "{spec: {podLabels: {'controller-revision-hash': 'y',"
        " 'statefulset.kubernetes.io/pod-name': 'y', 'apps.kubernetes.io/pod-index': '7'}}}",
        "{'sei.io/node': 'rpc-0', 'sei.io/chain': 'pacific-1', 'sei.io/role': 'node'}"},
};

TEST(operator_labels_override_the_pod_labels_of_the_spec)
{
    each_case(i, labels) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Subject s = subject(a, labels[i].patch);
        then_json(json_seal(a, render_labels(a, &s)), labels[i].want);
        then_json(json_seal(a, render_selector(a, &s)), "{'sei.io/node': 'rpc-0'}");
    }
}

/* O-25: the revision of a fleet moves with every rollout; Service, configuration and volume do not
 * roll. */
TEST(objects_that_outlast_a_rollout_have_no_revision_label)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = subject(a, "{spec: {podLabels: {team: 'x', 'sei.io/revision': '3'}}}");
    const Json *lasting[] = {
        json_seal(a, render_headless_service(a, &s)),
        json_seal(a, render_proxy_config(a, &s)),
        json_seal(a, render_data_volume(a, &s)),
    };

    for (size_t i = 0; i < array_count(lasting); i++) {
        then_str(meta_label(lasting[i], "team"), "x");
        then_str(meta_label(lasting[i], LABEL_FLEET_REVISION), NULL);
    }
    then_str(json_text(json_member(json_seal(a, render_labels(a, &s)), LABEL_FLEET_REVISION)), "3");
}

TEST(rendered_metadata_has_the_owner_reference_of_the_node)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject s = subject(a, NULL);

    then_json(json_seal(a, render_metadata(a, &s, "x")),
        "{name: 'x', namespace: 'sei',"
        " labels: {'sei.io/node': 'rpc-0', 'sei.io/chain': 'pacific-1', 'sei.io/role': 'node'},"
        " ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode', name: 'rpc-0',"
        "  uid: '" SAMPLE_UID "', controller: true, blockOwnerDeletion: true}]}");
}

/* The garbage collector must find nothing to collect. */
TEST(a_retained_volume_has_no_owner_reference)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Subject owned = subject(a, NULL);
    Subject kept = subject(a, "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}");
    const Json *first = json_seal(a, render_data_volume(a, &owned));
    const Json *second = json_seal(a, render_data_volume(a, &kept));

    then_true(meta_controlled_by(first, owned.node->object));
    then_str(meta_annotation(first, ANNOTATION_RETAINED_BY), NULL);
    then_true(!json_find(second, ".metadata.ownerReferences"));
    then_str(meta_annotation(second, ANNOTATION_RETAINED_BY), SAMPLE_UID);
    then_str(meta_label(second, LABEL_NODE), "rpc-0");
    then_true(json_equal(json_find(first, ".spec"), json_find(second, ".spec")));
}

static const struct {
    const char *name, *node, *namespace, *want;
} words[] = {
    {"plain words", "rpc-0", "sei", "    namespace: sei\n    name: rpc-0\n"},
    {"a word for true", "yes", "on", "    namespace: \"on\"\n    name: \"yes\"\n"},
    {"a word for nothing", "null", "sei", "    namespace: sei\n    name: \"null\"\n"},
    {"a number", "rpc", "1e3", "    namespace: \"1e3\"\n    name: rpc\n"},
};

TEST(names_in_the_proxy_configuration_are_rendered_as_strings)
{
    each_case(i, words) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Subject s = subject(a,
            str_format(
                a, "{metadata: {name: '%s', namespace: '%s'}}", words[i].node, words[i].namespace));
        const Json *config = json_seal(a, render_proxy_config(a, &s));
        then_true(str_has_suffix(json_str(config, ".data['config.yaml']"), words[i].want));
    }
}
