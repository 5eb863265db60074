/* maintain of a validator: it signs again only when nobody else does, and people are told before.
 */
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

TEST(a_validator_is_not_given_back_beside_one_with_its_key)
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

TEST(a_validator_that_stays_paused_may_have_a_twin)
{
    SCOPED_TERMINAL t = terminal_open();
    Stage s;
    stage(t, &s, VALIDATOR(", paused: true"));
    given_node(t, "b", VALIDATOR(""));

    then_int(type(t, MAINTAIN), EXIT_FINE);
    then_true(!is_marked(&s) && is_paused(&s));
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

TEST(who_starts_a_validator_is_warned_before)
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

TEST(a_run_that_stands_says_what_giving_it_up_does)
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
