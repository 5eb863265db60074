/* Who counts as stopped by a change of the platform. */
#include "sei/reconcile/permits.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

#define READY(status) "conditions: [{type: 'Ready', status: '" status "', reason: 'R'}]"
#define PLAN(kind, cause, phase)                                                                   \
    "plan: {id: 'p', kind: '" kind "', cause: '" cause "', phase: '" phase "', tasks: []}"
#define ENDED(kind, cause) "{id: 'p', kind: '" kind "', cause: '" cause "', result: 'Complete'}"

static const struct {
    const char *name, *node;
    bool holds;
} cases[] = {
    {"a node that the platform updates",
        "{status: {phase: 'Running', " PLAN("node-update", "platform", "Active") "}}",
        true},
    {"not one that its own spec updates",
        "{status: {phase: 'Running', " PLAN("node-update", "spec", "Active") "}}",
        false},
    {"one that was updated and is not ready yet",
        "{status: {phase: 'Running', " READY("False") ", " PLAN("node-update", "platform",
            "Complete") ", history: [" ENDED("node-update", "platform") "]}}",
        true},
    {"also when another plan has come after it",
        "{status: {phase: 'Running', " READY("False") ", " PLAN("mark-ready-reapply",
            "the sidecar is not ready", "Active") ", history: [" ENDED("node-update",
            "platform") ", " ENDED("repair", "Service is missing") "]}}",
        true},
    {"not one that is ready again",
        "{status: {phase: 'Running', " READY("True") ", history: [" ENDED(
            "node-update", "platform") "]}}",
        false},
    {"not one whose last update was its own",
        "{status: {phase: 'Running', " READY("False") ", history: [" ENDED(
            "node-update", "platform") ", " ENDED("node-update", "spec") "]}}",
        false},
    {"not one that is paused",
        "{spec: {paused: true}, status: {phase: 'Running', " READY("False") ", history: [" ENDED(
            "node-update", "platform") "]}}",
        false},
};

TEST(a_permit_is_held_until_the_node_is_ready_again)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(1 << 20);
        SeiNode node = sample_node(a, cases[i].node);

        then_int(permits_is_holder(&node), cases[i].holds);
    }
}
