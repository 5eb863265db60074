/* What is said about a fleet. A story is a moment after the other (see land.h), each stored; +N
 * lets so many seconds pass. */
#include "sei/plan/fleet_conditions.h"

#include "sei/plan/fleet_sums.h"
#include "tests/sei/plan/land.h"

#define STRATEGY(text)     "{spec: {updateStrategy: {" text "}}}"
#define PAUSED             "{spec: {paused: true}}"
#define PAUSED_TRUE        "{type: 'Paused', status: 'True', reason: 'Paused'}"
#define WAS_PAUSED         "{status: {conditions: [" PAUSED_TRUE "]}}"
#define GENESIS            "{spec: {genesis: {chainId: 'pacific-1'}}}"
#define TROUBLE            "cannot pull image seid:B: not found"
#define IS_OF(chain, mode) "{identity: {chainId: '" chain "', mode: '" mode "'}}"
#define SAYS(type, status, reason)                                                                 \
    "{conditions: [{type: '" type "', status: '" status "', reason: '" reason                      \
    "', message: '" TROUBLE "'}]}"
#define STALLED_AND_DRIFTING                                                                       \
    "{conditions: [{type: 'Stalled', status: 'True', reason: 'DataVolumeTerminating',"             \
    " message: 'm'}, {type: 'UpToDate', status: 'False', reason: 'SpecDrift', message: 'm'}]}"

/* One moment: "+30 B Aa Aa Bs". The counts and conditions come with it. */
static void live(Land *l, const char *moment, const FleetProgress *progress)
{
    if (*moment == '+') {
        l->now_s += strtoll(moment + 1, NULL, 10);
        moment = strchr(moment, ' ') + 1;
    }
    land_ask(l, moment[0], moment[1] ? moment + 2 : "");
    plan_fleet_sums(l->a, &l->snapshot, l->d);
    plan_fleet_conditions(l->a, &l->snapshot, l->d, progress, &l->d->status);
    l->status = fleet_status_encode(l->a, &l->d->status);
}

/* A whole story; what was found besides holds at its end. */
static void live_all(Land *l, const char *story, const FleetProgress *progress)
{
    const FleetProgress none = {0};

    for (const char *end; (end = strstr(story, " / ")); story = end + 3)
        live(l, str_format(l->a, "%.*s", (int)(end - story), story), &none);
    live(l, story, progress);
}

static const char *cond_text(const Land *l, const char *type)
{
    const Cond *cond = conds_find(&l->d->status.conds, type);

    return cond ? str_format(l->a, "%s/%s", cond->status, cond->reason) : "absent";
}

static const struct {
    const char *name, *story, *type, *want, *message, *patch;
    const char *sick;
    size_t replicas;
    FleetProgress progress;
} cases[] = {
    {"Ready: all are there, available and on the target",
        "A Aa Aa Aa",
        COND_READY,
        "True/AllReplicasReady",
        "all 3 nodes"},
    /* O-3, O-4: Running nodes whose pods are dead */
    {"Ready: nodes that run and do not serve",
        "A Aa Aa Aa / A As Aa Ah",
        COND_READY,
        "False/NodesNotAvailable",
        "1 of 3 nodes are available; not available: rpc-0, rpc-2"},
    {"Ready: a node that has been down for long is quoted",
        "A Aa Ah",
        COND_READY,
        "False/NodesNotAvailable",
        "not available: rpc-1 (" TROUBLE ")",
        .sick = SAYS("Ready", "False", "PodNotReady")},
    {"Ready: a new fleet", "A An An", COND_READY, "False/Initializing", "0 of 2"},
    {"Ready: no node exists yet",
        "A",
        COND_READY,
        "False/Initializing",
        "0 of 3 nodes are available; 3 are yet to be made",
        .replicas = 3},
    {"Ready: one is missing",
        "A Aa -- Aa",
        COND_READY,
        "False/Initializing",
        "1 are yet to be made"},
    {"Ready: an edit", "A Aa Aa / B Aa Aa", COND_READY, "False/RollingOut", "rpc-0, rpc-1"},
    {"Ready: an edit that is held",
        "A Aa Aa / B Aa Aa",
        COND_READY,
        "False/Held",
        "rpc-0, rpc-1",
        STRATEGY("hold: true")},
    {"Ready: below the partition nodes are as they should be",
        "A Aa Aa / B Aa Ba",
        COND_READY,
        "True/AllReplicasReady",
        NULL,
        STRATEGY("partition: 1")},
    {"Ready: paused", "A Aa Aa", COND_READY, "False/Paused", NULL, PAUSED},
    {"Ready: a paused node is named",
        "A Aa Ap",
        COND_READY,
        "False/NodesNotAvailable",
        "rpc-1 (paused)"},
    {"Ready: a node that was scaled by hand is not called paused",
        "A Aa Ap",
        COND_READY,
        "False/NodesNotAvailable",
        "rpc-1 (scaled to 0 by hand)",
        .sick = SAYS("Ready", "False", "ScaledByHand")},
    {"Ready: more than asked for are going",
        "A Aa Aa Aa",
        COND_READY,
        "True/AllReplicasReady",
        NULL,
        .replicas = 2},
    {"Ready: rolled back is not what was asked for",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs / B Aa Aa",
        COND_READY,
        "False/Stalled",
        NULL,
        STRATEGY("onFailure: 'Rollback'")},
    {"Ready: nodes of another chain than the template",
        "A Aa Au",
        COND_READY,
        "False/Stalled",
        NULL,
        .sick = IS_OF("atlantic-2", "fullNode")},
    {"Ready: a rollout that is refused",
        "A Aa Aa / B Aa Bi",
        COND_READY,
        "False/RollingOut",
        "only a person can go on with rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "IdentityChanged")},
    {"Ready: a node that needs a person, while its pod differs from its spec",
        "A Aa Au",
        COND_READY,
        "False/Stalled",
        NULL,
        .sick = STALLED_AND_DRIFTING},
    {"Stalled: a node that needs a person is not waited for although its pod differs",
        "A Aa Au",
        COND_STALLED,
        "True/NodesStalled",
        "rpc-1",
        .sick = STALLED_AND_DRIFTING},
    {"Stalled: a node whose image cannot be pulled",
        "A Aa Ah",
        COND_STALLED,
        "True/NodesStalled",
        "rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "ImagePullFailed")},
    {"Stalled: not while a rollout may still replace the pod of such a node",
        "A Aa Aa / B Aa Bh",
        COND_STALLED,
        "False/NotStalled",
        NULL,
        .sick = SAYS("Stalled", "True", "ImagePullFailed")},
    {"Stalled: such a rollout still comes to its deadline",
        "A Aa Aa / B Aa Aa / B Aa Bh / +1801 B Aa Bh",
        COND_STALLED,
        "True/ProgressDeadlineExceeded",
        "not available: rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "ImagePullFailed")},
    {"Reconciling: nothing to do", "A Aa Aa", COND_RECONCILING, "False/Settled", "nothing is left"},
    {"Reconciling: a rollout",
        "A Aa Aa / B Aa Aa",
        COND_RECONCILING,
        "True/Progressing",
        "a rollout is under way"},
    {"Reconciling: what it waits for, once that is reported",
        "A Aa Aa / B Aa Bs",
        COND_RECONCILING,
        "True/Progressing",
        "waits for rpc-1",
        .progress = {.waits = true, .waiting = "waits for rpc-1"}},
    {"Reconciling: a wait that is not reported yet",
        "A Aa Aa",
        COND_RECONCILING,
        "True/Progressing",
        NULL,
        .progress = {.waits = true}},
    {"Reconciling: nodes are being made", "A Aa --", COND_RECONCILING, "True/Progressing", "made"},
    {"Reconciling: nodes are going",
        "A Aa Aa Aa",
        COND_RECONCILING,
        "True/Progressing",
        "beyond the replicas",
        .replicas = 2},
    {"Reconciling: an unready node is waited for",
        "A Aa As",
        COND_RECONCILING,
        "True/Progressing",
        "yet to be available"},
    {"Reconciling: a pod that is yet to follow is waited for",
        "A Aa Au",
        COND_RECONCILING,
        "True/Progressing",
        NULL,
        .sick = SAYS("UpToDate", "False", "PlatformDrift")},
    {"Reconciling: a node that was written in this moment is waited for",
        "A Aa Aa",
        COND_RECONCILING,
        "True/Progressing",
        NULL,
        .progress = {.child_written = true}},
    {"Reconciling: a node that speaks of an older spec is waited for",
        "A Aa Au",
        COND_RECONCILING,
        "True/Progressing",
        NULL,
        .sick = "{observedGeneration: 99}"},
    {"Reconciling: a node that a user paused is not waited for",
        "A Aa Ap",
        COND_RECONCILING,
        "False/Settled"},
    {"Reconciling: paused", "A Aa As", COND_RECONCILING, "False/Settled", "paused", PAUSED},
    {"Reconciling: on hold nothing moves",
        "A Aa Aa / B Aa Aa",
        COND_RECONCILING,
        "False/Settled",
        "updateStrategy.hold",
        STRATEGY("hold: true")},
    {"Reconciling: a genesis ceremony runs",
        "A An An",
        COND_RECONCILING,
        "True/Progressing",
        "found",
        GENESIS},
    {"Stalled: nothing needs a person", "A Aa Aa", COND_STALLED, "False/NotStalled"},
    {"Stalled: a foreign node has the name of a child",
        "A Aa --",
        COND_STALLED,
        "True/ForeignObject",
        "rpc-1 is not ours",
        .progress = {.waits = true, .waiting = "rpc-1 is not ours", .reason = "ForeignObject"}},
    /* O-6: a rollout that never gets anywhere */
    {"Stalled: a rollout without progress",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs",
        COND_STALLED,
        "True/ProgressDeadlineExceeded",
        "made no progress for 1800 s and is held; edit the template"},
    {"Stalled: not before a node can count as available at all",
        "A Aa / B Aa / B Bu / +40 B Bu",
        COND_STALLED,
        "False/NotStalled",
        NULL,
        STRATEGY("minReadySeconds: 60, progressDeadlineSeconds: 30")},
    {"Stalled: a rollout in which a node could not be written",
        "A Aa Aa / B Aa Aa / B Aa Aa / +1801 B Aa Aa",
        COND_STALLED,
        "True/ProgressDeadlineExceeded",
        "could not be written: rpc-1"},
    {"Stalled: a rollout that was rolled back",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs / B Aa Aa",
        COND_STALLED,
        "True/ProgressDeadlineExceeded",
        "was rolled back",
        STRATEGY("onFailure: 'Rollback'")},
    {"Stalled: nodes that have failed, when nothing else is left",
        "A Aa Af",
        COND_STALLED,
        "True/NodesStalled",
        "rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "PlanFailed")},
    {"Reconciling: a rollout that only a person can go on with",
        "A Aa Aa / B Aa Bi",
        COND_RECONCILING,
        "True/AwaitsPerson",
        "only a person",
        .sick = SAYS("Stalled", "True", "IdentityChanged"),
        .progress = {.waiting = "only a person can go on with rpc-1", .reason = "AwaitsPerson"}},
    {"Stalled: a node that needs a person",
        "A Aa Ah",
        COND_STALLED,
        "True/NodesStalled",
        "rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "DataVolumeMissing")},
    {"Stalled: a node that serves and refuses what it is asked for",
        "A Aa Ai",
        COND_STALLED,
        "True/NodesStalled",
        "rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "InvalidSpec")},
    {"Stalled: a rollout that is refused until its deadline",
        "A Aa Aa / B Aa Aa / B Aa Bi / +1801 B Aa Bi",
        COND_STALLED,
        "True/ProgressDeadlineExceeded",
        "only a person can go on with rpc-1 (" TROUBLE ")",
        .sick = SAYS("Stalled", "True", "IdentityChanged")},
    {"Stalled: nodes of another chain than the template",
        "A Aa Au Au",
        COND_STALLED,
        "True/IdentityChanged",
        "asks for chain pacific-1, and rpc-1, rpc-2 are of chain atlantic-2",
        .sick = IS_OF("atlantic-2", "fullNode")},
    {"Stalled: a node of another mode than the template",
        "A Aa Au",
        COND_STALLED,
        "True/IdentityChanged",
        "asks for mode fullNode, and rpc-1 is of mode archive",
        .sick = IS_OF("pacific-1", "archive")},
    {"Stalled: also while nodes are missing, and a rollout was under way",
        "A Aa Aa Aa / B Aa Au --",
        COND_STALLED,
        "True/IdentityChanged",
        "no node is made beside them; take the edit back, or create another SeiNodeDeployment",
        .sick = IS_OF("atlantic-2", "fullNode")},
    {"Stalled: not for one of another chain that is beyond the replicas",
        "A Aa Au",
        COND_STALLED,
        "False/NotStalled",
        .sick = IS_OF("atlantic-2", "fullNode"),
        .replicas = 1},
    {"Stalled: not while other nodes are being updated",
        "A As Af / A As Af",
        COND_STALLED,
        "False/NotStalled"},
    {"Stalled: every node has failed",
        "A Af Af",
        COND_STALLED,
        "True/NodesStalled",
        "rpc-0, rpc-1"},
    {"Stalled: a ceremony that cannot be",
        "A An An",
        COND_STALLED,
        "True/InvalidSpec",
        "sei1 is no address",
        GENESIS,
        .progress = {.founding = {"False",
                         FLEET_REASON_CEREMONY_INVALID,
                         "accounts[0]: sei1 is no address"}}},
    {"Stalled: a ceremony that failed",
        "A An An",
        COND_STALLED,
        "True/CeremonyFailed",
        "took too long",
        GENESIS,
        .progress = {.founding = {"False", FLEET_REASON_CEREMONY_ENDED, "took too long"}}},
    {"UpToDate: yes", "A Aa Aa", COND_UP_TO_DATE, "True/UpToDate"},
    {"UpToDate: a pause in the template is no pause",
        "A Aa Aa",
        COND_UP_TO_DATE,
        "True/UpToDate",
        "spec.template.spec.paused is ignored: to stop the nodes set spec.paused of the fleet",
        "{spec: {template: {spec: {paused: true}}}}"},
    {"UpToDate: no node exists", "A", COND_UP_TO_DATE, "Unknown/NotObserved", NULL, .replicas = 2},
    {"UpToDate: refused",
        "A Aa Ai",
        COND_UP_TO_DATE,
        "False/NodeDrift",
        "they refuse what the template asks for: rpc-1"},
    {"UpToDate: of another chain",
        "A Aa Au",
        COND_UP_TO_DATE,
        "False/IdentityChanged",
        "asks for chain pacific-1, and rpc-1 is of chain atlantic-2",
        .sick = IS_OF("atlantic-2", "fullNode")},
    {"UpToDate: a rollout",
        "A Aa Aa Aa / B Aa Aa Bs",
        COND_UP_TO_DATE,
        "False/RolloutPending",
        "yet to be updated: rpc-0, rpc-1"},
    {"UpToDate: held",
        "A Aa Aa / B Aa Aa",
        COND_UP_TO_DATE,
        "False/Held",
        "rpc-0, rpc-1",
        STRATEGY("hold: true")},
    {"UpToDate: paused", "A Aa Aa / B Aa Aa", COND_UP_TO_DATE, "False/Paused", "rpc-0", PAUSED},
    {"UpToDate: a canary",
        "A Aa Aa Aa / B Aa Aa Ba",
        COND_UP_TO_DATE,
        "False/Partition",
        "kept as they are: rpc-0, rpc-1",
        STRATEGY("partition: 2")},
    {"UpToDate: a paused node was left out",
        "A Aa Aa / B Ba Ap",
        COND_UP_TO_DATE,
        "False/NodesSkipped",
        "rpc-1"},
    {"UpToDate: the template failed",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs",
        COND_UP_TO_DATE,
        "False/RolloutFailed",
        "no progress"},
    {"UpToDate: pods are yet to follow",
        "A Aa Au",
        COND_UP_TO_DATE,
        "False/NodeDrift",
        "yet to follow: rpc-1",
        .sick = SAYS("UpToDate", "False", "PlatformDrift")},
    {"Available: enough",
        "A Aa Aa As",
        COND_AVAILABLE,
        "True/MinimumReplicasAvailable",
        "2 of 3 nodes are available, and 2 are needed"},
    {"Available: too few",
        "A Aa As As",
        COND_AVAILABLE,
        "False/MinimumReplicasUnavailable",
        "1 of 3"},
    {"Available: not on the strength of a node that is going",
        "A As As Aa",
        COND_AVAILABLE,
        "False/MinimumReplicasUnavailable",
        "0 of 2",
        .replicas = 2},
    {"Available: at least one node is needed",
        "A As As",
        COND_AVAILABLE,
        "False/MinimumReplicasUnavailable",
        "1 are needed",
        STRATEGY("maxUnavailable: '100%'")},
    {"Paused: yes", "A Aa", COND_PAUSED, "True/Paused", NULL, PAUSED},
    {"Paused: no", "A Aa", COND_PAUSED, "False/NotPaused"},
    {"Paused: no longer", "A Ap", COND_PAUSED, "False/NotPaused", NULL, WAS_PAUSED},
    {"Paused: until every node could be resumed",
        "A Ap",
        COND_PAUSED,
        "True/Paused",
        "yet to be resumed",
        WAS_PAUSED,
        .progress = {.child_unwritten = true}},
    {"Paused: a node that could not be resumed for too long is no longer awaited",
        "A Ap",
        COND_PAUSED,
        "False/NotPaused",
        NULL,
        "{status: {resumingSince: '2001-01-01T00:00:00Z', conditions: [" PAUSED_TRUE "]}}",
        .progress = {.child_unwritten = true, .reason = "ForeignObject"}},
    {"Paused: how long a fleet was Stalled before does not count",
        "A Ap",
        COND_PAUSED,
        "True/Paused",
        "yet to be resumed",
        "{status: {conditions: [" PAUSED_TRUE
        ", {type: 'Stalled', status: 'True', reason: 'ForeignObject',"
        " lastTransitionTime: '2001-01-01T00:00:00Z'}]}}",
        .progress = {.child_unwritten = true, .reason = "ForeignObject"}},
    {"NodesReady: yes", "A Aa As", COND_NODES_READY, "True/AllNodesReady", "2/2"},
    {"NodesReady: more than asked for",
        "A Aa Aa Aa",
        COND_NODES_READY,
        "True/AllNodesReady",
        "2/2",
        .replicas = 2},
    {"NodesReady: one failed",
        "A Aa Af An",
        COND_NODES_READY,
        "False/NodesFailed",
        "1/3 nodes are Running, 1 failed, 1 pending or initializing"},
    {"NodesReady: beginning", "A Aa An --", COND_NODES_READY, "False/NodesInitializing", "1/3"},
    {"PlanInProgress: never", "A Aa", COND_PLAN, "False/NotStarted"},
    {"PlanInProgress: yes", "A Aa / B Aa", COND_PLAN, "True/PlanStarted", "plan plan-2"},
    {"PlanInProgress: complete", "A Aa / B Aa / B Ba", COND_PLAN, "False/PlanComplete", "plan-2"},
    {"PlanInProgress: failed, and going back",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs",
        COND_PLAN,
        "True/PlanStarted",
        NULL,
        STRATEGY("onFailure: 'Rollback'")},
    {"RolloutInProgress: never", "A Aa", COND_ROLLOUT, "False/NotStarted"},
    {"RolloutInProgress: complete",
        "A Aa / B Aa / B Ba / B Ba",
        COND_ROLLOUT,
        "False/RolloutComplete"},
    {"RolloutInProgress: the deadline stays visible",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs / +60 B Aa Bs",
        COND_ROLLOUT,
        "False/ProgressDeadlineExceeded",
        "for 1800 s, and held"},
    {"RolloutInProgress: and goes when it comes to its end after all",
        "A Aa / B Aa / B Bs / +1801 B Bs / B Ba",
        COND_ROLLOUT,
        "False/RolloutComplete"},
    {"RolloutInProgress: on the way back",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs",
        COND_ROLLOUT,
        "True/RollingBack",
        "go back to revision",
        STRATEGY("onFailure: 'Rollback'")},
    {"RolloutInProgress: back",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs / B Aa Aa",
        COND_ROLLOUT,
        "False/RolloutFailed",
        "back on revision",
        STRATEGY("onFailure: 'Rollback'")},
    {"GenesisCeremonyComplete: no genesis", "A Aa", COND_GENESIS_COMPLETE, "False/NotApplicable"},
    {"GenesisCeremonyComplete: ahead",
        "A An --",
        COND_GENESIS_COMPLETE,
        "False/NotStarted",
        NULL,
        GENESIS},
    {"GenesisCeremonyComplete: as reported",
        "A An An",
        COND_GENESIS_COMPLETE,
        "False/Failed",
        "took too long",
        GENESIS,
        .progress = {.founding = {"False", FLEET_REASON_CEREMONY_ENDED, "took too long"}}},
    {"GenesisCeremonyComplete: permanently",
        "A Aa",
        COND_GENESIS_COMPLETE,
        "True/Complete",
        NULL,
        "{status: {conditions: [{type: 'GenesisCeremonyComplete', status: 'True',"
        " reason: 'Complete', message: 'm'}]}}",
        .progress = {.founding = {"False", FLEET_REASON_CEREMONY, "again"}}},
    {"NetworkingReady: nothing is asked for", "A Aa", COND_NETWORKING, "False/NetworkingDisabled"},
    {"NetworkingReady: nothing is known yet",
        "A Aa",
        COND_NETWORKING,
        "Unknown/NotObserved",
        NULL,
        "{spec: {networking: {http: {}}}}"},
    {"NetworkingReady: as reported",
        "A Aa",
        COND_NETWORKING,
        "False/DNSPending",
        "rpc-evm.example",
        .progress = {.networking = {"False", FLEET_REASON_DNS_PENDING, "rpc-evm.example"}}},
};

TEST(each_situation_of_a_fleet_gives_its_condition_and_message)
{
    each_case(i, cases) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, cases[i].patch);

        l.sick = cases[i].sick;
        l.replicas = cases[i].replicas;
        if (cases[i].patch)
            l.status = json_find(sample_fleet_object(a, cases[i].patch), ".status");
        if (!l.status)
            l.status = json_fixture(a, "{}");
        live_all(&l, cases[i].story, &cases[i].progress);
        then_str(cond_text(&l, cases[i].type), cases[i].want);
        const char *message = conds_find(&l.d->status.conds, cases[i].type)->message;
        if (cases[i].message && !strstr(message, cases[i].message))
            then_str(message, cases[i].message);
    }
}

static const struct {
    const char *name, *story, *want, *patch;
} states[] = {
    {"a fleet that serves", "A Aa Aa", "AllReplicasReady"},
    {"a fleet with a node that does not serve", "A Aa Ah", "NodesNotAvailable"},
    {"a new fleet", "A An An", "Initializing"},
    {"a fleet in a rollout", "A Aa Aa / B Aa Aa", "RollingOut"},
    {"a paused fleet", "A Aa Aa", "Paused", PAUSED},
    {"a fleet whose nodes have all failed", "A Af Af", "NodesStalled"},
    {"a fleet whose rollout came to its deadline",
        "A Aa Aa / B Aa Aa / B Aa Bs / +1801 B Aa Bs",
        "ProgressDeadlineExceeded"},
};

TEST(the_state_of_a_fleet_is_its_most_important_reason)
{
    each_case(i, states) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, states[i].patch);

        live_all(&l, states[i].story, &(FleetProgress){0});
        then_str(l.d->status.state, states[i].want);
    }
}

/* The reference's own words, for those who read them. */
TEST(the_rollout_condition_names_the_old_and_the_new_template_hash)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    live_all(&l, "A Aa Aa", &(FleetProgress){0});
    const char *from = fleet_template_hash(a, &l.fleet->spec);
    live_all(&l, "B Aa Aa", &(FleetProgress){0});
    const char *to = fleet_template_hash(a, &l.fleet->spec);
    const Cond *rollout = conds_find(&l.d->status.conds, COND_ROLLOUT);
    then_str(cond_text(&l, COND_ROLLOUT), "True/TemplateChanged");
    then_true(strstr(rollout->message, from) && strstr(rollout->message, to));
}

TEST(adopted_nodes_are_named_with_the_fields_in_which_they_differ)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    l.status = json_fixture(a, "{templateHash: '0123456789abcdef'}");
    live_all(&l, "D Aa Da", &(FleetProgress){0});
    then_str(cond_text(&l, COND_UP_TO_DATE), "False/AdoptedDrift");
    const char *message = conds_find(&l.d->status.conds, COND_UP_TO_DATE)->message;
    then_str(message,
        "taken over as they were, and rolled with the next edit of the template: rpc-0; they "
        "differ in sidecar.port (7000 -> 7001)");
    then_str(cond_text(&l, COND_READY), "True/AllReplicasReady");
}

/* O-32: there is a Ready to wait for, from the first write on. */
TEST(the_first_status_of_a_fleet_has_every_condition_for_the_current_generation)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, "{metadata: {generation: 7}}");

    l.replicas = 3;
    live_all(&l, "A", &(FleetProgress){0});
    then_int(l.d->status.conds.count, array_count(land_types));
    then_int(l.d->status.observed_generation, 7);
    for (size_t i = 0; i < array_count(land_types); i++)
        then_int(conds_find(&l.d->status.conds, land_types[i])->observed_generation, 7);
}

TEST(a_fleet_spec_that_cannot_be_decoded_is_reported_and_the_status_is_kept)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Fleet *fleet = sample_fleet(a,
        "{status: {phase: 'Ready', conditions: [{type: 'NodesReady', status: 'True',"
        " reason: 'AllNodesReady', message: '3/3', lastTransitionTime: '2026-01-01T00:00:00Z'}]}}");
    FleetSnapshot s = {.fleet = fleet, .now = "2026-01-02T03:04:05Z"};
    FleetDecision *d = arena_new(a, FleetDecision);
    FleetProgress progress = {.waits = true, .waiting = "spec.x: no", .reason = "InvalidSpec"};
    Land l = {.a = a, .d = d};

    d->status = fleet->status;
    plan_fleet_conditions(a, &s, d, &progress, &d->status);
    then_str(cond_text(&l, COND_STALLED), "True/InvalidSpec");
    then_str(conds_find(&d->status.conds, COND_STALLED)->message, "spec.x: no");
    then_str(cond_text(&l, COND_READY), "False/Stalled");
    then_str(cond_text(&l, COND_RECONCILING), "False/Settled");
    then_str(cond_text(&l, COND_AVAILABLE), "Unknown/NotObserved");
    then_str(cond_text(&l, COND_UP_TO_DATE), "Unknown/NotObserved");
    const Cond *nodes = conds_find(&d->status.conds, COND_NODES_READY);
    then_str(nodes->status, "True"); /* nobody has counted them anew */
    then_str(nodes->message, "3/3");
    then_str(nodes->last_transition_time, "2026-01-01T00:00:00Z");
}

TEST(a_fleet_that_is_being_deleted_is_not_ready)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);

    live_all(&l, "A Aa Aa", &(FleetProgress){0});
    l.fleet->generation = 4;
    plan_fleet_ending(a, l.fleet, "2026-01-02T03:04:05Z", &l.d->status);
    then_str(cond_text(&l, COND_READY), "False/Deleting");
    then_str(cond_text(&l, COND_RECONCILING), "True/Progressing");
    then_str(cond_text(&l, COND_AVAILABLE), "True/MinimumReplicasAvailable");
    then_int(l.d->status.observed_generation, 4);
    for (size_t i = 0; i < l.d->status.conds.count; i++)
        then_int(l.d->status.conds.items[i].observed_generation, 4);
}

static const struct {
    const char *name, *story, *want, *sick;
    size_t replicas;
    const char *reason, *trouble;
} waits[] = {
    {"nothing", "A Aa Aa", NULL},
    {"a node", "A Aa As", "waits for rpc-1"},
    {"a node that has just gone down is only named",
        "A Aa As",
        "waits for rpc-1",
        SAYS("Ready", "False", "PodNotReady")},
    {"an image that a pod cannot pull is reported at once",
        "A Aa As",
        "waits for rpc-1 (" TROUBLE ")",
        .trouble = TROUBLE},
    {"nodes in their own words",
        "A Ah Ah",
        "waits for rpc-0 (" TROUBLE "), rpc-1 (" TROUBLE ")",
        SAYS("Reconciling", "True", "Progressing")},
    {"not all of many",
        "A As As As As As As As As",
        "waits for rpc-0, rpc-1, rpc-2, rpc-3, rpc-4 and 3 more"},
    {"not for those that need a person",
        "A Aa Ah",
        NULL,
        SAYS("Stalled", "True", "IdentityChanged")},
    {"a person, when a rollout waits for one",
        "A Aa Aa / B Aa Bi",
        "only a person can go on with rpc-1 (" TROUBLE ")",
        SAYS("Stalled", "True", "IdentityChanged"),
        .reason = "AwaitsPerson"},
    {"a user, when as many nodes are paused as may be down",
        "A Aa Aa Ap / B Aa Aa Ap",
        "only a person can go on with rpc-2 (paused)",
        .reason = "AwaitsPerson"},
    {"for one that speaks of an older spec",
        "A Aa Au",
        "waits for a look at rpc-1",
        "{observedGeneration: 99}"},
    {"for nodes to go", "A Aa Aa Aa", "waits for 1 nodes beyond the replicas to go", .replicas = 2},
};

TEST(a_fleet_reports_which_node_it_waits_for_and_why)
{
    each_case(i, waits) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Land l = land(a, NULL);

        l.sick = waits[i].sick;
        l.replicas = waits[i].replicas;
        l.trouble = waits[i].trouble;
        live_all(&l, waits[i].story, &(FleetProgress){0});
        const char *reason = NULL;
        then_str(plan_fleet_waiting(a, &l.snapshot, l.d, &reason), waits[i].want);
        then_str(reason, waits[i].reason);
    }
}

/* The kubelet finds other words with every try. */
TEST(an_image_pull_error_is_reported_as_new_only_once)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);
    const char *waiting = "waits for rpc-1 (" TROUBLE ")";

    live_all(&l, "A Aa As", &(FleetProgress){.waits = true, .waiting = "waits for rpc-1"});
    live_all(&l, "A Aa As", &(FleetProgress){0});
    then_true(!plan_fleet_trouble_is_new(a, &l.snapshot, waiting));
    l.trouble = TROUBLE;
    live_all(&l, "A Aa As", &(FleetProgress){.waits = true, .waiting = waiting});
    then_true(!plan_fleet_trouble_is_new(a, &l.snapshot, "waits for rpc-1"));
    then_true(plan_fleet_trouble_is_new(a, &l.snapshot, waiting));
    live_all(&l, "A Aa As", &(FleetProgress){0});
    then_true(!plan_fleet_trouble_is_new(a, &l.snapshot, "waits for rpc-1 (other words)"));
}

/* Words of a node may be long, and there may be many. */
TEST(the_message_of_a_fleet_condition_keeps_to_its_maximum_length)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Land l = land(a, NULL);
    char words[4001] = {0};

    memset(words, 'x', sizeof words - 1);
    l.sick = str_format(a,
        "{conditions: [{type: 'Ready', status: 'False', reason: 'PodNotReady', message: '%s'}]}",
        words);
    live_all(&l, "A Ah Ah Ah Ah Ah Ah Ah Ah", &(FleetProgress){0});
    for (size_t i = 0; i < l.d->status.conds.count; i++)
        then_true(strlen(l.d->status.conds.items[i].message) <= 1200);
}
