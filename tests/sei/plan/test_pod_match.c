/* How a pod stands to the wanted template. */
#include "tests/sei/plan/given.h"

#define REVISION(r) "{metadata: {labels: {'controller-revision-hash': '" r "'}}}"

static const struct {
    const char *name;
    Given given;
    PodMatch match;
} cases[] = {
    {"no pod", {.pod = GONE}, POD_MISSING},
    {"one that is terminating", {.pod = "{metadata: {deletionTimestamp: '" NOW "'}}"}, POD_MISSING},
    {"made from what is wanted", {0}, POD_CURRENT},
    {"made from something else",
        {.pod = "{metadata: {annotations: {'sei.io/template-hash': 'x'}}}"},
        POD_STALE},
    {"of another revision", {.pod = REVISION("a-0")}, POD_UNCLEAR},
    {"of another revision that differs in metadata",
        {.pod = REVISION("a-0"), .hand_edit = EDIT_METADATA_ONLY},
        POD_CURRENT},
    {"of another revision that was edited by hand",
        {.pod = REVISION("a-0"), .hand_edit = EDIT_TEMPLATE},
        POD_STALE},
    {"of another revision than one that is not observed yet",
        {.pod = REVISION("a-0"), .statefulset = "{metadata: {generation: 2}}"},
        POD_CURRENT},
    {"without a StatefulSet", {.pod = REVISION("a-0"), .statefulset = GONE}, POD_CURRENT},
    {"another operator's", {.pod = "{metadata: {annotations: null}}"}, POD_ADOPTED},
    {"another operator's of another image",
        {.pod = "{metadata: {annotations: null}}", .node = "{spec: {image: 'sei:2'}}"},
        POD_STALE},
    {"another operator's that the template moved away from",
        {.pod = "{metadata: {annotations: null}}",
            .node = "{status: {adopted: {podUID: 'pod-uid', templateHash: 'x'}}}"},
        POD_STALE},
    {"another operator's, with a record of another pod",
        {.pod = "{metadata: {annotations: null}}",
            .node = "{status: {adopted: {podUID: 'pod-0', templateHash: 'x'}}}"},
        POD_ADOPTED},
};

TEST(each_combination_of_pod_and_template_gives_its_match_state)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(4 << 20);

        then_int(plan_pod_match(&given(a, &cases[i].given)->s), cases[i].match);
    }
}
