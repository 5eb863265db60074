/* What admission changes in a child counts as it was asked for, and is named. */
#include "sei/api/fleet_admission.h"

#include "kube/meta.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

enum { ARENA_MAX = 4 << 20 };

/* A child as its fleet wants it, and what admission makes of it. */
static const struct {
    const char *name, *change, *text;
} cases[] = {
    {"nothing is changed", "{}", NULL},
    {"what no pod is replaced for is changed", "{metadata: {labels: {a: 'b'}}}", NULL},
    {"the image is changed",
        "{spec: {image: 'mirror/i:1'}}",
        "spec.image: wanted i:1, stored mirror/i:1"},
    {"the image of the sidecar is changed",
        "{spec: {sidecar: {image: 'mirror/s:1'}}}",
        "spec.sidecar.image: wanted s:1, stored mirror/s:1"},
    {"the port of the sidecar is changed",
        "{spec: {sidecar: {port: 8000}}}",
        "spec.sidecar.port: wanted 7777, stored 8000"},
    {"resources are added",
        "{spec: {sidecar: {resources: {limits: {cpu: '1'}}}}}",
        "spec.sidecar.resources: wanted nothing, stored {\"limits\":{\"cpu\":\"1\"}}"},
    {"both images are changed",
        "{spec: {image: 'mirror/i:1', sidecar: {image: 'mirror/s:1'}}}",
        "spec.image: wanted i:1, stored mirror/i:1; "
        "spec.sidecar.image: wanted s:1, stored mirror/s:1"},
};

#define WANTED                                                                                     \
    "{spec: {image: 'i:1', sidecar: {image: 's:1'}}, metadata: {name: 'rpc-0', ownerReferences:"   \
    " [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'rpc', uid: 'u',"          \
    " controller: true}]}}"

static SeiNode child_of(Arena *a, const Json *wanted, const Json *stored)
{
    const Json *notes = fleet_admission_notes(a, wanted, stored);
    SeiNode child;

    then_ok(node_decode(a, json_merge(a, stored, notes), &child));
    return child;
}

TEST(a_child_that_admission_changed_matches_its_template_and_the_change_is_named)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        const Json *wanted = sample_node(a, WANTED).object;
        const Json *stored = json_merge(a, wanted, json_fixture(a, cases[i].change));
        SeiNode asked, child = child_of(a, wanted, stored);

        then_ok(node_decode(a, wanted, &asked));
        then_str(fleet_admission_text(a, &child), cases[i].text);
        then_true((fleet_admission_asked(a, &child) != NULL) == (cases[i].text != NULL));
        then_str(fleet_child_revision(a, &child, wanted), fleet_child_revision(a, &asked, wanted));
        if (cases[i].text)
            then_true(!fleet_child_is_unreleased(&child));
    }
}

TEST(a_child_that_was_edited_after_admission_changed_it_does_not_match_its_template)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    const Json *wanted = sample_node(a, WANTED).object;
    const Json *stored = json_merge(a, wanted, json_fixture(a, "{spec: {image: 'mirror/i:1'}}"));
    SeiNode asked, edited, child = child_of(a, wanted, stored);
    const Json *by_hand = json_fixture(a, "{spec: {image: 'i:3'}}");

    then_ok(node_decode(a, wanted, &asked));
    then_ok(node_decode(a, json_merge(a, child.object, by_hand), &edited));
    then_str(fleet_admission_text(a, &edited), NULL);
    then_true(fleet_child_is_unreleased(&edited));
    then_true(
        !str_eq(fleet_child_revision(a, &edited, wanted), fleet_child_revision(a, &asked, wanted)));
}
