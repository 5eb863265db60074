/* Completion: what a shell is offered. */
#include "tests/cli/cast.h"

static const struct {
    const char *name, *line, *want;
} cases[] = {
    {"the beginning of a command",
        "__complete ver",
        "version\tsay the version of this program, of the server and of the operator\n:4\n"},
    {"a command of two words", "__complete ro", "rollout\n:4\n"},
    {"its second word",
        "__complete rollout pro",
        "promote\tupdate the nodes below the partition, too\n:4\n"},
    {"no such command", "__complete fly x", ":4\n"},
    {"no hidden command", "__complete __", ":4\n"},
    {"a kind", "__complete get f", "fleets\tSeiNodeDeployments\n:4\n"},
    {"names behind it", "__complete get nodes ''", "fleet-a\tfleet\nnode-b\tnode\n:4\n"},
    {"a name", "__complete pause n", "node-b\tnode\n:4\n"},
    {"a fleet alone", "__complete rollout hold ''", "fleet-a\tfleet\n:4\n"},
    {"no third argument", "__complete rollout hold fleet-a ''", ":4\n"},
    {"flags before", "__complete -n default pause n", "node-b\tnode\n:4\n"},
    {"another namespace", "__complete pause -n other ''", ":4\n"},
    {"an image", "__complete set image fleet-a ''", ":4\n"},
    {"a reason", "__complete explain DataVolumeM", "DataVolumeMissing\n:4\n"},
    {"a task", "__complete explain replace", "replace-pod\n:4\n"},
    {"a shell", "__complete completion z", "zsh\n:4\n"},
    {"a choice", "__complete get -o y", "yaml\n:4\n"},
    {"a choice behind =", "__complete get --color=a", "--color=auto\n--color=always\n:4\n"},
    {"a namespace", "__complete get -n def", "default\n:4\n"},
    {"a file", "__complete --kubeconfig ''", ":0\n"},
    {"a flag of the command",
        "__complete pause --dry",
        "--dry-run\tclient shows the patch and sends nothing, server lets the API server check it "
        "and keep nothing, none does it\n:4\n"},
    {"no flag of others", "__complete get --dry", ":4\n"},
};

TEST(completion_offers_the_words_that_can_follow)
{
    SCOPED_TERMINAL t = terminal_open();
    given_fleet(t, "fleet-a", "{}");
    given_node(t, "node-b", "{}");

    each_case(i, cases) {
        then_int(type(t, cases[i].line), EXIT_FINE);
        then_str(said(t), cases[i].want);
        then_str(talked(t), "");
    }
}

TEST(completion_offers_no_names_if_the_cluster_does_not_answer)
{
    SCOPED_TERMINAL t = terminal_open();
    t->fault = err_retry(t->arena, "connection refused");

    then_int(type(t, "__complete pause ''"), EXIT_FINE);
    then_str(said(t), ":4\n");
    then_str(talked(t), "");
}

TEST(each_shell_has_a_completion_script)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "completion bash"), EXIT_FINE);
    then_said(t, "complete -o default -F _kubectl_sei kubectl-sei\n");
    then_int(type(t, "completion zsh"), EXIT_FINE);
    then_said(t, "#compdef kubectl-sei\n");
    then_int(type(t, "completion fish"), EXIT_FINE);
    then_said(t, "complete -c kubectl-sei");
    then_int(type(t, "completion tcsh"), EXIT_MISUSED);
    then_talked(t, "there is one for bash, zsh and fish");
}
