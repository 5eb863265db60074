/* maintain of a validator: it signs again only when nobody else does, and people are told before.
 */
#include "sei/api/names.h"
#include "tests/cli/maintain_play.h"

#define VALIDATOR(more)                                                                            \
    "{spec: {fullNode: null, validator: {signingKey: {secret: {secretName: 'key'}},"               \
    " nodeKey: {secret: {secretName: 'n'}}}" more "}}"

static const struct {
    const char *name, *line;
    bool fails; /* the command did */
    const char *outcome;
} returns[] = {
    {"a success",
        "maintain n --resume",
        false,
        "node/n: the command succeeded; the node stays paused"},
    {"an abort", "maintain n --abort", true, "node/n: the run stands; the node stays paused"},
};

TEST(maintain_does_not_resume_a_validator_while_another_one_has_its_key)
{
    each_case(i, returns) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, VALIDATOR(""))->fails = returns[i].fails;
        given_node(t, "b", VALIDATOR(""));

        then_int(type(t, MAINTAIN), EXIT_UNHEALTHY);
        then_int(type(t, returns[i].line), EXIT_UNHEALTHY);
        then_talked(t, returns[i].outcome);
        then_talked(t, "error: node/n would sign with Secret key, as node/b does");
        then_talked(t, "next: kubectl sei pause node/n    lets it stay paused");
        then_true(is_marked(&s) && is_paused(&s));
        drop(&s, kind_seinode, "b");
        then_int(type(t, returns[i].line), EXIT_FINE);
        then_true(!is_marked(&s) && !is_paused(&s));
        then_int(s.starts, 1);
    }
}

TEST(a_validator_that_stays_paused_may_share_its_key_with_a_running_one)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, VALIDATOR(", paused: true"));
    given_node(t, "b", VALIDATOR(""));

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_true(!is_marked(&s) && is_paused(&s));
}

static const struct {
    const char *name, *manager;
    const char *before, *after; /* what the manager applies as spec: first, and under the mark */
} taken_back[] = {
    {"Git says that it is not paused", "kustomize-controller", NULL, "{paused: false}"},
    {"Git said so before", "argocd-controller", "{paused: false}", "{paused: false}"},
    {"its fleet is unpaused", FLEET_MANAGER, "{paused: true}", "{}"},
};

/* A run that stands: the pod of its Job does not start. */
static Stage *given_run(Terminal *t, Stage *s, size_t i)
{
    stage(t, s, VALIDATOR(""))->starts_bad = true;
    if (str_eq(taken_back[i].manager, FLEET_MANAGER))
        given_patch(t, kind_seinode, "n", NULL, of_fleet(t, given_fleet(t, "f", "{}")));
    given_node(t, "b", VALIDATOR(""));
    if (taken_back[i].before)
        apply_spec(t, taken_back[i].manager, taken_back[i].before);
    then_int(type(t, "maintain n --timeout 20s --image tool:1"), EXIT_TIMED_OUT);
    return s;
}

TEST(a_pause_that_is_reverted_during_maintenance_starts_no_second_signer)
{
    each_case(i, taken_back) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        given_run(t, &s, i);
        apply_spec(t, taken_back[i].manager, taken_back[i].after);
        then_true(!is_paused(&s));

        s.starts_bad = false;
        then_int(type(t, "maintain n --resume"), EXIT_UNHEALTHY);
        then_talked(t, "warning: node/n is a validator, and signs again when the command has");
        then_talked(t, "error: node/n would sign with Secret key, as node/b does");
        then_true(is_marked(&s) && !find(&s, kind_pod, "n-0"));
        then_int(type(t, "maintain n --abort"), EXIT_UNHEALTHY);
        then_talked(t, "warning: node/n is a validator, and signs again when the run is given up");
        then_true(is_marked(&s) && !find(&s, kind_pod, "n-0"));
        drop(&s, kind_seinode, "b");
        then_int(type(t, "maintain n --resume"), EXIT_FINE);
        then_said(t, "the command succeeded; the node is unpaused");
        then_true(!is_marked(&s) && !is_paused(&s));
    }
}

TEST(a_promised_pause_stays_after_the_run_whatever_git_applies_meanwhile)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    given_run(t, &s, 0);
    then_int(type(t, "pause node/n"), EXIT_FINE);
    then_said(t, "it stays paused when that ends");
    apply_spec(t, "kustomize-controller", "{paused: false}");

    s.starts_bad = false;
    then_int(type(t, "maintain n --resume"), EXIT_FINE);
    then_said(t, "the command succeeded; the node stays paused, as was asked for");
    then_true(!is_marked(&s) && is_paused(&s) && !find(&s, kind_pod, "n-0"));
}

TEST(a_pause_of_the_fleet_still_belongs_to_the_fleet_after_maintenance)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    given_run(t, &s, 2);
    s.starts_bad = false;
    then_int(type(t, "maintain n --resume"), EXIT_FINE);
    then_true(!is_marked(&s) && is_paused(&s));

    apply_spec(t, FLEET_MANAGER, "{}");
    then_true(!is_paused(&s));
}

TEST(the_next_maintenance_run_notices_that_the_fleet_has_reverted_its_pause)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    given_run(t, &s, 2);
    s.starts_bad = false;
    s.fails = true;
    then_int(type(t, "maintain n --resume"), EXIT_UNHEALTHY);
    apply_spec(t, FLEET_MANAGER, "{}");
    drop(&s, kind_seinode, "b");

    s.fails = false;
    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_said(t, "the command succeeded; the node is unpaused");
    then_true(!is_marked(&s) && !is_paused(&s));
}

static const struct {
    const char *name, *node, *line, *want; /* of stderr */
    const char *never;
} warnings[] = {
    {"a run begins",
        VALIDATOR(""),
        MAINTAIN,
        "never run its key elsewhere meanwhile: it signs again by itself when the command has "
        "succeeded",
        "instead"},
    {"its command failed",
        VALIDATOR(""),
        MAINTAIN,
        "lets the node run, and sign, again",
        "as it was"},
    {"one goes on",
        VALIDATOR(""),
        "maintain n --resume",
        "warning: node/n is a validator, and signs again when the command has succeeded: make sure "
        "that its key signs nowhere else, in no other cluster either, because two that sign are "
        "slashed and jailed for good; \"kubectl sei pause node/n\" lets it stay paused",
        "given up:"},
    {"one is given up",
        VALIDATOR(""),
        "maintain n --abort",
        "warning: node/n is a validator, and signs again when the run is given up: make sure that "
        "its key signs nowhere else, in no other cluster either, because two that sign are slashed "
        "and jailed for good; \"kubectl sei pause node/n\" first lets it stay paused",
        "has succeeded:"},
    {"one that was paused begins",
        VALIDATOR(", paused: true"),
        MAINTAIN,
        "gives the run up; the node stays paused",
        "is a validator"},
    {"one that was paused goes on",
        VALIDATOR(", paused: true"),
        "maintain n --resume",
        "gives the run up; the node stays paused",
        "is a validator"},
    {"no validator",
        "{}",
        "maintain n --resume",
        "lets the node run again as it is",
        "is a validator"},
};

TEST(maintain_warns_before_it_stops_and_starts_a_validator)
{
    each_case(i, warnings) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, warnings[i].node)->fails = true;
        int code = type(t, MAINTAIN);

        then_int(code, EXIT_UNHEALTHY);
        if (!str_eq(warnings[i].line, MAINTAIN))
            type(t, warnings[i].line);
        then_talked(t, warnings[i].want);
        then_true(!strstr(talked(t), warnings[i].never));
    }
}

TEST(maintain_says_what_aborting_an_unfinished_run_does)
{
    static const char *const nodes[] = {VALIDATOR(""), VALIDATOR(", paused: true"), "{}"};
    static const char *const wants[] = {"gives the run up, and the node signs again",
        "gives the run up; the node stays paused",
        "gives the run up, and the node runs again"};

    for (size_t i = 0; i < array_count(nodes); i++) {
        SCOPED_TERMINAL t = terminal_open();
        Stage s;
        stage(t, &s, nodes[i])->is_asleep = true;

        then_int(type(t, "maintain n --image tool:1 --timeout 5s"), EXIT_TIMED_OUT);
        then_talked(t, wants[i]);
    }
}
