/* OperatorArgs: a command line as people write it. */
#include "cli/operator_args.h"

#include "base/str.h"
#include "tests/test.h"

static const struct {
    const char *name, *args, *want;
} flags[] = {
    {"none", "[]", NULL},
    {"joined", "['--a=1', '--ab=2']", "1"},
    {"in two words", "['--a', '1', '--b']", "1"},
    {"whatever it looks like", "['--a', '--b']", "--b"},
    {"the last of two", "['--a=1', '--a', '2']", "2"},
    {"one that is the value of another", "['--b', '--c', '--a=1']", "1"},
    {"without its value", "['--a']", NULL},
    {"with the namespace of the pod", "['--a=$(POD_NAMESPACE),x,$(POD_NAMESPACE)']", "sei,x,sei"},
};

TEST(an_operator_flag_is_read_from_container_arguments_as_the_operator_reads_it)
{
    each_case(i, flags) {
        SCOPED_ARENA a = arena_open(1 << 16);
        OperatorArgs told = {json_fixture(a, flags[i].args), "sei"};

        then_str(operator_args_flag(a, told, "a"), flags[i].want);
    }
}

static const struct {
    const char *name, *args;
    bool want;
} switches[] = {
    {"none", "['--b']", false},
    {"alone", "['--a', 'false']", true},
    {"set", "['--a=1']", true},
    {"taken back", "['--a', '--a=false']", false},
};

TEST(a_boolean_operator_flag_needs_no_value)
{
    each_case(i, switches) {
        SCOPED_ARENA a = arena_open(1 << 16);
        OperatorArgs told = {json_fixture(a, switches[i].args), "sei"};

        then_int(operator_args_is_on(a, told, "a"), switches[i].want);
    }
}

TEST(the_watched_namespaces_are_the_same_from_a_pod_and_from_a_deployment)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    static const char spec[] = "{containers: [{args: ['--watch-namespaces=x, $(POD_NAMESPACE)']}]}";
    const Json *pod =
        json_fixture(a, str_format(a, "{metadata: {namespace: 'n'}, spec: %s}", spec));
    const Json *deployment = json_fixture(
        a, str_format(a, "{metadata: {namespace: 'n'}, spec: {template: {spec: %s}}}", spec));
    OperatorArgs told[] = {operator_args_of_pod(pod), operator_args_of_deployment(deployment)};

    for (size_t i = 0; i < array_count(told); i++) {
        Watched watched = operator_args_watched(a, told[i]);
        then_int(watched.count, 2);
        then_true(watched_names(&watched, "x") && watched_names(&watched, "n"));
        then_true(!watched_names(&watched, "y"));
    }
}
