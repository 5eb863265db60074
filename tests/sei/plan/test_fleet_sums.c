/* A fleet in numbers. A node is a letter for its phase, R F I, and one for how it is. */
#include "sei/plan/fleet_sums.h"

#include "tests/sei/fleets.h"
#include "tests/sei/plan/fleets.h"

enum { ARENA_MAX = 8 << 20 };

#define PLAN_OF(tasks) "plan: {id: 'p', phase: 'Active', tasks: [" tasks "]}"
#define ROLLING                                                                                    \
    "rollout: {targetHash: 't'}, " PLAN_OF(                                                        \
        "{type: 'update-node-specs', id: 'a', status: 'Pending'}")
#define FOUNDING PLAN_OF("{type: 'assemble-and-upload-genesis', id: 'a', status: 'Pending'}")

static const struct {
    const char *name, *nodes, *patch;
    FleetPhase phase;
    int64_t ready, available, unavailable;
} cases[] = {
    {"all serve", "Ra Ra Ra", "{}", FLEET_READY, 3, 3, 0},
    /* O-3, O-4: ready keeps the reference's meaning, available tells the truth */
    {"running, and none serves", "Rs Rs Rs", "{}", FLEET_READY, 3, 0, 3},
    /* O-33 */
    {"more than asked for", "Ra Ra Ra", "{spec: {replicas: 2}}", FLEET_READY, 3, 3, 0},
    {"fewer than asked for", "Ra Ra", "{spec: {replicas: 3}}", FLEET_INITIALIZING, 2, 2, 0},
    {"none there", "", "{}", FLEET_PENDING, 0, 0, 0},
    {"beginning", "In Ra Ra", "{}", FLEET_INITIALIZING, 2, 2, 1},
    {"one failed", "Ff Ra Ra", "{}", FLEET_DEGRADED, 2, 2, 1},
    {"all failed", "Ff Ff Ff", "{}", FLEET_FAILED, 0, 0, 3},
    {"failed and beginning", "Ff In In", "{}", FLEET_INITIALIZING, 0, 0, 3},
    {"paused", "Rp Rp Rp", "{spec: {paused: true}}", FLEET_PAUSED, 3, 0, 3},
    {"rolling", "Ra Ra Rs", "{status: {" ROLLING "}}", FLEET_UPGRADING, 3, 2, 1},
    {"rolled back", "Ra Ra Ra", "{status: {rollout: {targetHash: 't'}}}", FLEET_READY, 3, 3, 0},
    {"founding", "Ra Ra Ra", "{status: {" FOUNDING "}}", FLEET_INITIALIZING, 3, 3, 0},
    {"being deleted",
        "Ra",
        "{metadata: {deletionTimestamp: '2026-01-02T03:04:05Z'}}",
        FLEET_TERMINATING,
        1,
        1,
        0},
    {"not for long enough",
        "Ru Ra Ra",
        "{spec: {updateStrategy: {minReadySeconds: 30}}}",
        FLEET_READY,
        3,
        2,
        1},
};

typedef struct Sample {
    SeiNode nodes[NODES_MAX];
    FleetChild children[NODES_MAX];
    FleetSnapshot snapshot;
    FleetDecision decision;
} Sample;

static Sample *sums_of(Arena *a, const char *words, const char *patch)
{
    Sample *sample = arena_new(a, Sample);
    size_t count = (strlen(words) + 1) / 3;

    for (size_t i = 0; i < count; i++) {
        char phase = words[3 * i];
        sample->nodes[i].key.name = fleet_child_name(a, "rpc", (int64_t)i);
        sample->nodes[i].status.phase = phase == 'R' ? PHASE_RUNNING
            : phase == 'F'                           ? PHASE_FAILED
                                                     : PHASE_INITIALIZING;
        sample->children[i] = (FleetChild){.node = &sample->nodes[i],
            .revision = i ? "new" : "old",
            .health = node_of(words + 3 * i, i)};
        sample->decision.nodes[i].on_target = i > 0;
    }
    sample->snapshot = (FleetSnapshot){.fleet = sample_fleet(a, patch),
        .revision = "new",
        .children = sample->children,
        .count = count};
    sample->decision.status = sample->snapshot.fleet->status;
    return sample;
}

TEST(the_counts_and_the_phase_of_a_fleet_follow_from_its_nodes)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Sample *sample = sums_of(a, cases[i].nodes, cases[i].patch);
        const FleetStatus *status = &sample->decision.status;

        plan_fleet_sums(a, &sample->snapshot, &sample->decision);
        then_str(fleet_phase_text(status->phase), fleet_phase_text(cases[i].phase));
        then_int(status->counts.replicas, (int64_t)sample->snapshot.count);
        then_int(status->counts.ready, cases[i].ready);
        then_int(status->counts.available, cases[i].available);
        then_int(status->counts.unavailable, cases[i].unavailable);
    }
}

/* O-31: replicas are those that exist, whatever is asked for, and a selector finds their pods. */
TEST(the_status_counts_existing_replicas_and_has_a_selector_for_their_pods)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Sample *sample = sums_of(a, "Ra Ra Ra", "{spec: {replicas: 5}}");
    const FleetStatus *status = &sample->decision.status;

    plan_fleet_sums(a, &sample->snapshot, &sample->decision);
    then_int(status->observed_generation, 3);
    then_int(status->counts.replicas, 3);
    then_str(status->selector, "sei.io/nodedeployment=rpc");
    then_json(status->incumbents, "['rpc-0', 'rpc-1', 'rpc-2']");
    then_int(status->counts.updated, 2);
}

/* After a rollback everybody is on the target, and nobody on what the template asks for. */
TEST(after_a_rollback_no_node_counts_as_updated)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Sample *sample = sums_of(a, "Ra Ra Ra", "{}");

    sample->decision.target_is_complete_revision = true;
    for (size_t i = 0; i < 3; i++) {
        sample->decision.nodes[i].on_target = true;
        sample->children[i].revision = "old";
    }
    plan_fleet_sums(a, &sample->snapshot, &sample->decision);
    then_int(sample->decision.status.counts.updated, 0);
}
