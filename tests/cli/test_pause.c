/* pause and unpause: what they ask before, and what they refuse. What they write is in
 * test_rollout.c, and what they are to a run in test_maintain.c. */
#include "sei/api/kinds.h"
#include "tests/cli/cast.h"

#define SIGNS_WITH(secret)                                                                         \
    "validator: {signingKey: {secret: {secretName: '" secret "'}},"                                \
    " nodeKey: {secret: {secretName: 'n'}}}"
#define STOPPED                                                                                    \
    "status: {conditions: [{type: 'Paused', status: 'True', reason: 'Paused', message: '',"        \
    " lastTransitionTime: '2026-01-01T00:00:00Z'}]}"

static const struct {
    const char *name, *other;
    bool has_pod;
    const char *refusal; /* NULL: none */
} twins[] = {
    {"no other node", "{}", false, NULL},
    {"one with another key", "{spec: {fullNode: null, " SIGNS_WITH("other") "}}", false, NULL},
    {"one that runs",
        "{spec: {fullNode: null, " SIGNS_WITH("key") "}}",
        true,
        "as node/b does, which is not stopped: pause that one"},
    {"one that waits for the key itself",
        "{spec: {fullNode: null, " SIGNS_WITH(
            "key") "}, status: {conditions: [{type: 'Stalled',"
                   " status: 'True', reason: 'SigningKeyInUse', message: '',"
                   " lastTransitionTime: '2026-01-01T00:00:00Z'}]}}",
        false,
        "as node/b is to as soon as the key is free: pause that one"},
    {"one that is to be paused",
        "{spec: {paused: true, fullNode: null, " SIGNS_WITH("key") "}}",
        false,
        "as node/b does, which is not stopped: pause that one"},
    {"one that is paused and has a pod",
        "{spec: {paused: true, fullNode: null, " SIGNS_WITH("key") "}, " STOPPED "}",
        true,
        "as node/b does, which is not stopped: pause that one"},
    {"one that is stopped",
        "{spec: {paused: true, fullNode: null, " SIGNS_WITH("key") "}, " STOPPED "}",
        false,
        NULL},
};

TEST(unpause_refuses_a_validator_while_another_one_has_its_key)
{
    each_case(i, twins) {
        SCOPED_TERMINAL t = terminal_open();
        given_node(t, "a", "{spec: {paused: true, fullNode: null, " SIGNS_WITH("key") "}}");
        given_node(t, "b", twins[i].other);
        if (twins[i].has_pod)
            given(t,
                kind_pod,
                "{metadata: {name: 'b-0'}, spec: {containers: [{name: 'seid',"
                " image: 'x'}]}}");

        int code = type(t, "unpause node/a");
        then_int(code, twins[i].refusal ? EXIT_MISUSED : EXIT_FINE);
        then_int(t->writes, twins[i].refusal ? 0 : 1);
        then_talked(t,
            twins[i].refusal ? "error: node/a would sign with Secret key, as node/b "
                             : "warning: node/a is a validator: make sure that its key signs "
                               "nowhere else, in no other cluster either");
        if (twins[i].refusal)
            then_talked(t, twins[i].refusal);
    }
}

TEST(unpause_accepts_a_fleet_of_validators_that_shares_keys_only_with_its_own_nodes)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t,
        "a",
        "{spec: {paused: true, replicas: 1, template: {spec: {fullNode: null, " SIGNS_WITH(
            "key") "}}}}");
    given_node(t,
        "a-0",
        "{metadata: {labels: {'sei.io/nodedeployment': 'a'}},"
        " spec: {fullNode: null, " SIGNS_WITH("key") "}}");
    given_node(t, "b", "{spec: {fullNode: null, " SIGNS_WITH("key") "}}");

    then_int(type(t, "unpause fleet/a"), EXIT_MISUSED);
    then_talked(t, "fleet/a would sign with Secret key, as node/b does");
    given_patch(t, kind_seinode, "b", NULL, "{spec: {paused: true}}");
    given_patch(t, kind_seinode, "b", "status", "{" STOPPED "}");
    then_int(type(t, "unpause fleet/a"), EXIT_FINE);
    then_talked(t,
        "warning: the nodes of fleet/a are validators: make sure that none of their keys signs "
        "elsewhere, in no other cluster either; two that sign are slashed and jailed for good");
}

static Err *forbid_lists(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    Err *err = err_terminal(a, "you may not list seinodes");

    if (request->verb != VERB_LIST)
        return t->api->call(t->api, a, request, ret);
    err->status = 403;
    err->reason = "Forbidden";
    return err;
}

TEST(unpause_without_permission_to_look_for_key_conflicts_warns_and_continues)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "a", "{spec: {paused: true, fullNode: null, " SIGNS_WITH("key") "}}");
    t->faulty.call = forbid_lists;

    then_int(type(t, "unpause node/a"), EXIT_FINE);
    then_talked(t, "warning: node/a is a validator");
}

TEST(a_node_that_was_paused_with_its_fleet_is_unpaused_with_it)
{
    SCOPED_TERMINAL t = terminal_open();
    const Json *fleet = given_fleet(t, "f", "{spec: {paused: true}}");
    given_node(t, "f-0", "{spec: {paused: true}}");
    given_patch(t, kind_seinode, "f-0", NULL, of_fleet(t, fleet));

    then_int(type(t, "unpause node/f-0"), EXIT_MISUSED);
    then_talked(t,
        "node/f-0 is paused with fleet/f, which would pause it again: `kubectl sei "
        "unpause fleet/f`");
    then_int(t->writes, 0);
    then_int(type(t, "unpause fleet/f"), EXIT_FINE);
    then_int(type(t, "unpause node/f-0"), EXIT_FINE);
}

static const struct {
    const char *name, *line, *told, *next;
} answers[] = {
    {"a node is to stop",
        "pause node/n",
        "node/n is to pause: its pod is asked to stop, and has when status shows no pod\n",
        "next: kubectl sei status node/n\n"},
    {"once more",
        "pause node/n",
        "node/n was asked to pause before: its pod has stopped when status shows no pod\n",
        "next: kubectl sei status node/n\n"},
    {"it is to run",
        "unpause node/n",
        "node/n is unpaused: its pod is asked to run again\n",
        "next: kubectl sei status node/n\n"},
    {"a fleet is to stop",
        "pause fleet/f --yes",
        "fleet/f is to pause: the pods of all its nodes are asked to stop, and a node's has when "
        "its status shows no pod\n",
        "next: kubectl sei status fleet/f\n"},
    {"once more",
        "pause fleet/f",
        "fleet/f was asked to pause before: the pod of a node has stopped when its status shows no "
        "pod\n",
        "next: kubectl sei status fleet/f\n"},
    {"they are to run",
        "unpause fleet/f",
        "fleet/f is unpaused: the pods of its nodes are asked to run again\n",
        "next: kubectl sei status fleet/f\n"},
};

/* The pod runs through all of it: nobody is here who would stop it. */
TEST(pause_and_unpause_report_a_request_and_not_its_completion)
{
    SCOPED_TERMINAL t = terminal_open();
    given_node(t, "n", "{}");
    given_fleet(t, "f", "{}");
    given(
        t, kind_pod, "{metadata: {name: 'n-0'}, spec: {containers: [{name: 'seid', image: 'x'}]}}");

    each_case(i, answers) {
        then_int(type(t, answers[i].line), EXIT_FINE);
        then_str(said(t), answers[i].told);
        then_str(talked(t), answers[i].next);
    }
}

/* --- what a person confirms --- */

#define RISK                                                                                       \
    "Pausing fleet/f stops the pods of all 3 nodes; 2 available now. Volumes are kept.\n"          \
    "To stop only a rollout, and no pod: kubectl sei rollout hold fleet/f\n"

static const struct {
    const char *name, *line;
    const char *answer; /* NULL: no terminal */
    int code, writes;
    bool is_asked;
    const char *talked;
} confirmations[] = {
    {"yes", "pause fleet/f", "y", EXIT_FINE, 1, true, RISK "next: kubectl sei status fleet/f\n"},
    {"yes in full",
        "pause fleet/f",
        "YES",
        EXIT_FINE,
        1,
        true,
        RISK "next: kubectl sei status fleet/f\n"},
    {"no",
        "pause fleet/f",
        "n",
        EXIT_MISUSED,
        0,
        true,
        RISK "error: fleet/f was not changed: the answer was not yes\n"},
    {"only Enter",
        "pause fleet/f",
        "",
        EXIT_MISUSED,
        0,
        true,
        RISK "error: fleet/f was not changed: the answer was not yes\n"},
    {"no terminal",
        "pause fleet/f",
        NULL,
        EXIT_MISUSED,
        0,
        false,
        RISK
        "error: fleet/f was not changed: there is no terminal to ask at; confirm with --yes\n"},
    {"--yes without a terminal",
        "pause fleet/f --yes",
        NULL,
        EXIT_FINE,
        1,
        false,
        "next: kubectl sei status fleet/f\n"},
    {"--yes at a terminal",
        "pause -y fleet/f",
        "n",
        EXIT_FINE,
        1,
        false,
        "next: kubectl sei status fleet/f\n"},
    {"a dry run",
        "pause fleet/f --dry-run",
        NULL,
        EXIT_FINE,
        0,
        false,
        RISK "fleet/f: this merge patch would be sent; nothing was changed\n"},
    {"a single node",
        "pause node/n",
        NULL,
        EXIT_FINE,
        1,
        false,
        "next: kubectl sei status node/n\n"},
};

TEST(a_user_confirms_before_all_pods_of_a_fleet_stop)
{
    each_case(i, confirmations) {
        SCOPED_TERMINAL t = terminal_open();
        given_fleet(t, "f", "{status: {availableReplicas: 2}}");
        given_node(t, "n", "{}");
        t->answer = confirmations[i].answer;

        then_int(type(t, confirmations[i].line), confirmations[i].code);
        then_int(t->writes, confirmations[i].writes);
        then_str(t->question, confirmations[i].is_asked ? "Continue? [y/N] " : NULL);
        then_str(talked(t), confirmations[i].talked);
    }
}

TEST(pausing_validators_warns_that_the_chain_may_halt)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t,
        "f",
        "{spec: {replicas: 1, template: {spec: {fullNode: null, " SIGNS_WITH(
            "key") "}}},"
                   " status: {replicas: 1, availableReplicas: 1}}");

    then_int(type(t, "pause fleet/f"), EXIT_MISUSED);
    then_talked(t, "Pausing fleet/f stops the pod of its node; 1 available now.");
    then_talked(t,
        "They are validators: the chain halts when those that stop hold a third or more of its "
        "voting power.\n");
}

TEST(a_fleet_that_is_paused_or_empty_is_paused_without_a_question)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "paused", "{spec: {paused: true}}");
    given_fleet(t, "empty", "{status: {replicas: 0}}");

    then_int(type(t, "pause fleet/paused"), EXIT_FINE);
    then_int(type(t, "pause fleet/empty"), EXIT_FINE);
}

static const struct {
    const char *name, *owners; /* of a node that carries the label of a paused fleet */
} not_its_own[] = {
    {"left behind by an earlier fleet of the name", "[]"},
    {"still of the earlier one",
        "[{controller: true, apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', name: 'f',"
        " uid: 'gone'}]"},
    {"an owner of another kind",
        "[{controller: true, apiVersion: 'example.com/v1', kind: 'Other', name: 'f', uid: 'x'}]"},
};

TEST(a_node_that_its_paused_fleet_does_not_own_can_be_unpaused)
{
    each_case(i, not_its_own) {
        SCOPED_TERMINAL t = terminal_open();
        given_fleet(t, "f", "{spec: {paused: true}}");
        given_node(t,
            "f-0",
            str_format(t->arena,
                "{metadata: {labels: {'sei.io/nodedeployment': 'f'}, ownerReferences: %s},"
                " spec: {paused: true}}",
                not_its_own[i].owners));

        then_int(type(t, "unpause node/f-0"), EXIT_FINE);
        then_true(!json_bool(seen(t, kind_seinode, "f-0"), ".spec.paused", true));
    }
}
