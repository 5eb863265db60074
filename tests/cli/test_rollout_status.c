/* rollout status: when it ends, and how. */
#include "tests/cli/cast.h"

#define CONDITION(type, status, reason, message)                                                   \
    "{type: '" type "', status: '" status "', reason: '" reason "', message: '" message            \
    "', lastTransitionTime: '2026-01-01T00:00:00Z'}"

static void given_conditions(Terminal *t, const char *conditions, int updated)
{
    given_patch(t,
        kind_seinodedeployment,
        "a",
        "status",
        str_format(t->arena,
            "{status: {observedGeneration: 1, updatedReplicas: %d, conditions: [%s]}}",
            updated,
            conditions));
}

static const char rolling[] =
    CONDITION("Ready", "False", "RollingOut", "") "," CONDITION("Reconciling", "True",
        "Progressing", "waits for a-2") "," CONDITION("Stalled", "False", "NotStalled", "");
static const char done[] = CONDITION("Ready", "True", "AllReplicasReady", "") "," CONDITION(
    "Reconciling", "False", "Settled", "") "," CONDITION("Stalled", "False", "NotStalled", "");
static const char held[] =
    CONDITION("Ready", "False", "Held", "2 nodes are held back") "," CONDITION(
        "Reconciling", "False", "Settled", "") "," CONDITION("Stalled", "False", "NotStalled", "");
static const char drifting[] =
    CONDITION("Ready", "True", "AllReplicasReady", "") "," CONDITION("Reconciling", "True",
        "Progressing", "waits for the pods of a-0 to follow") "," CONDITION("Stalled", "False",
        "NotStalled", "") "," CONDITION("UpToDate", "False", "NodeDrift", "");
static const char partitioned[] = CONDITION("Ready", "True", "AllReplicasReady", "") "," CONDITION(
    "Reconciling", "False", "Settled", "") "," CONDITION("Stalled", "False", "NotStalled",
    "") "," CONDITION("UpToDate", "False", "Partition", "kept as they are: a-0, a-1");
static const char blocked[] = CONDITION("Ready", "False", "NodesNotAvailable",
    "2 of 3 nodes are available") "," CONDITION("Reconciling", "True", "AwaitsPerson",
    "only a person can go on with a-2") "," CONDITION("Stalled", "False", "NotStalled", "");
static const char stalled[] =
    CONDITION("Ready", "False", "Stalled", "") "," CONDITION("Reconciling", "False", "Settled",
        "") "," CONDITION("Stalled", "True", "ProgressDeadlineExceeded", "a-2 cannot pull");

TEST(rollout_status_of_a_complete_rollout_ends_at_once)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, done, 3);

    then_int(type(t, "rollout status a"), EXIT_FINE);
    then_str(said(t), "fleet/a is rolled out\n");
    then_int(t->naps, 0);
}

#define PARTITION "{spec: {updateStrategy: {type: 'InPlace', partition: 2}}}"
#define HOLD      "{spec: {updateStrategy: {type: 'InPlace', hold: true}}}"

TEST(rollout_status_of_a_partitioned_rollout_says_how_many_nodes_the_partition_holds)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", PARTITION);
    given_conditions(t, partitioned, 1);

    then_int(type(t, "rollout status a"), EXIT_FINE);
    then_str(said(t),
        "fleet/a partitioned rollout complete: 1 of 3 nodes updated, 2 nodes below partition 2 "
        "keep their revision\n");
    then_str(talked(t), "next: kubectl sei rollout promote fleet/a\n");
}

TEST(rollout_status_during_a_rollout_names_the_partition)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", PARTITION);
    given_conditions(t, rolling, 0);

    then_int(type(t, "rollout status a --timeout 1s"), EXIT_TIMED_OUT);
    then_said(t, "0 of 3 updated (partition 2), 3 available: waits for a-2\n");
}

/* Ready, Reconciling and Stalled say nothing of the hold in the first and the third of these. */
static const struct {
    const char *name, *conditions;
    int code;
    const char *said, *talked;
} holds[] = {
    {"with every node updated",
        done,
        EXIT_FINE,
        "fleet/a is rolled out\n",
        "warning: fleet/a is held (spec.updateStrategy.hold): no node is updated until `kubectl "
        "sei rollout resume fleet/a`\n"},
    {"with nodes that are yet to be updated",
        held,
        EXIT_UNHEALTHY,
        "",
        "fleet/a is held: 2 nodes are held back\nnext: kubectl sei rollout resume fleet/a\n"},
    {"while nodes that were updated come up",
        rolling,
        EXIT_TIMED_OUT,
        "held; 1 of 3 updated, 3 available: waits for a-2\n",
        "error: timed out after 1s waiting for fleet/a, which is held: waits for a-2\n"},
    {"with a drift of the platform",
        drifting,
        EXIT_UNHEALTHY,
        "",
        "fleet/a is held: waits for the pods of a-0 to follow\nnext: kubectl sei rollout resume "
        "fleet/a\n"},
    {"and stalled",
        stalled,
        EXIT_UNHEALTHY,
        "",
        "fleet/a is held and stands still: a-2 cannot pull\nnext: kubectl sei status fleet/a\n"},
};

TEST(rollout_status_of_a_held_fleet_says_so_first)
{
    each_case(i, holds) {
        SCOPED_TERMINAL t = terminal_open();
        given_fleet(t, "a", HOLD);
        given_conditions(t, holds[i].conditions, 1);

        then_int(type(t, "rollout status a --timeout 1s"), holds[i].code);
        then_str(said(t), holds[i].said);
        then_talked(t, holds[i].talked);
    }
}

static void progress(Terminal *t, int naps)
{
    if (naps == 2)
        given_conditions(t, rolling, 2);
    if (naps == 3)
        given_conditions(t, done, 3);
}

TEST(rollout_status_waits_and_prints_each_change)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, rolling, 1);
    t->during = progress;

    then_int(type(t, "rollout status a"), EXIT_FINE);
    then_str(said(t),
        "1 of 3 updated, 3 available: waits for a-2\n"
        "2 of 3 updated, 3 available: waits for a-2\n"
        "fleet/a is rolled out\n");
}

TEST(rollout_status_waits_until_the_spec_is_observed)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, done, 3);
    given_patch(t, kind_seinodedeployment, "a", NULL, "{spec: {replicas: 4}}");

    then_int(type(t, "rollout status a --timeout 3s"), EXIT_TIMED_OUT);
    then_int(t->naps, 3);
    then_str(said(t), "the operator has not read the newest change of the spec yet\n");
    then_talked(t,
        "error: timed out after 3s waiting for fleet/a: the operator has not read the newest "
        "change of the spec yet\n");
}

TEST(rollout_status_ends_with_1_if_a_person_must_act)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, stalled, 1);

    then_int(type(t, "rollout status a"), EXIT_UNHEALTHY);
    then_talked(t, "fleet/a stands still: a-2 cannot pull");
    given_conditions(t, blocked, 1);
    then_int(type(t, "rollout status a"), EXIT_UNHEALTHY);
    then_talked(t, "fleet/a stands still: only a person can go on with a-2");
}

/* --- one node --- */

#define NODE_SAYS(ready, stalled)                                                                  \
    "{status: {observedGeneration: 1, conditions: [" ready                                         \
    "," CONDITION("Reconciling", "False", "Settled", "nothing is left to do") "," stalled "]}}"
#define NOT_STALLED CONDITION("Stalled", "False", "NotStalled", "")

static void given_node_says(Terminal *t, const char *patch)
{
    given_patch(t, kind_seinode, "n", "status", patch);
}

static void come_up(Terminal *t, int naps)
{
    if (naps == 2)
        given_node_says(t,
            NODE_SAYS(
                CONDITION("Ready", "False", "PodNotReady", "the pod is not Ready"), NOT_STALLED));
    if (naps == 4)
        given_node_says(
            t, NODE_SAYS(CONDITION("Ready", "True", "Available", "the pod is Ready"), NOT_STALLED));
}

TEST(rollout_status_waits_for_a_node_whose_pod_may_still_start)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_node_says(
        t, NODE_SAYS(CONDITION("Ready", "False", "PodNotReady", "there is no pod"), NOT_STALLED));
    t->during = come_up;

    then_int(type(t, "rollout status node/n"), EXIT_FINE);
    then_str(said(t), "there is no pod\nthe pod is not Ready\nnode/n is rolled out\n");
    then_int(t->naps, 4);
}

TEST(rollout_status_waits_for_a_node_whose_pod_does_not_start_until_the_timeout)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_node_says(
        t, NODE_SAYS(CONDITION("Ready", "False", "PodNotReady", "cannot pull"), NOT_STALLED));

    then_int(type(t, "rollout status node/n --timeout 3s"), EXIT_TIMED_OUT);
    then_int(t->naps, 3);
    then_talked(t, "error: timed out after 3s waiting for node/n: cannot pull\n");
    then_int(type(t, "rollout status node/n -o json"), EXIT_FINE);
}

TEST(rollout_status_of_a_paused_fleet_says_so)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{spec: {paused: true}}");
    given_conditions(t,
        CONDITION("Ready", "False", "Paused", "spec.paused is true") "," CONDITION(
            "Reconciling", "False", "Settled", "") "," NOT_STALLED,
        3);

    then_int(type(t, "rollout status a"), EXIT_UNHEALTHY);
    then_str(
        talked(t), "fleet/a is paused: spec.paused is true\nnext: kubectl sei status fleet/a\n");
}

static const struct {
    const char *name, *says, *want;
} persons[] = {
    {"stalled",
        NODE_SAYS(CONDITION("Ready", "False", "Stalled", "see the condition Stalled"),
            CONDITION("Stalled", "True", "DataVolumeMissing", "the claim is gone")),
        "node/n stands still: the claim is gone"},
    {"failed",
        NODE_SAYS(CONDITION("Ready", "False", "Failed", "setting the node up failed"), NOT_STALLED),
        "node/n stands still: setting the node up failed"},
    {"paused",
        NODE_SAYS(CONDITION("Ready", "False", "Paused", "spec.paused is true"), NOT_STALLED),
        "node/n stands still: spec.paused is true"},
    {"in maintenance",
        NODE_SAYS(CONDITION("Ready", "False", "Paused", "maintenance run x by me"), NOT_STALLED),
        "node/n stands still: maintenance run x by me"},
    {"scaled by hand",
        NODE_SAYS(CONDITION("Ready", "False", "ScaledByHand", "somebody scaled"), NOT_STALLED),
        "node/n stands still: somebody scaled"},
    {"scaled by hand while something else is waited for",
        "{status: {observedGeneration: 1, conditions: [" CONDITION(
            "Ready", "False", "ScaledByHand", "somebody scaled") "," CONDITION("Reconciling",
            "True", "Progressing", "a plan is being carried out") "," NOT_STALLED "]}}",
        "node/n stands still: somebody scaled"},
};

TEST(rollout_status_ends_at_once_for_a_node_that_needs_a_person)
{
    each_case(i, persons) {
        SCOPED_TERMINAL t = terminal_open();
        given_node(t, "n", "{}");
        given_node_says(t, persons[i].says);

        then_int(type(t, "rollout status node/n"), EXIT_UNHEALTHY);
        then_talked(t, persons[i].want);
        then_int(t->naps, 0);
    }
}

/* --- the server --- */

static void go_away(Terminal *t, int naps)
{
    t->fault = naps < 4 ? err_retry(t->arena, "connection refused") : OK;
    if (naps == 4)
        given_conditions(t, done, 3);
}

TEST(rollout_status_continues_after_a_short_outage_of_the_server)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, rolling, 1);
    t->during = go_away;

    then_int(type(t, "rollout status a"), EXIT_FINE);
    then_talked(t, "connection refused; trying again");
}

static void go_for_good(Terminal *t, int naps)
{
    (void)naps;
    t->fault = err_retry(t->arena, "connection refused");
}

TEST(rollout_status_ends_after_a_long_outage_of_the_server)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, rolling, 1);
    t->during = go_for_good;

    then_int(type(t, "rollout status a"), EXIT_UNREACHABLE);
    then_int(t->naps, 10);
}

TEST(rollout_status_with_json_output_does_not_wait)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "a", "{}");
    given_conditions(t, rolling, 1);

    then_int(type(t, "rollout status a -o jsonpath={.status.updatedReplicas}"), EXIT_FINE);
    then_str(said(t), "1");
    given_conditions(t, stalled, 1);
    then_int(type(t, "rollout status a -o json"), EXIT_UNHEALTHY);
}
