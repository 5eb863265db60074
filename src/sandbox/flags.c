/* Flags: a command, and "--name value" or "--name=value". */
#include "sandbox/flags.h"

#include "base/str.h"
#include "player/flag_table.h"
#include "sandbox/ctl.h"
#include "sandbox/tempo.h"
#include "world/kubelet.h"

#include <stddef.h>

enum { NETWORK_MAX = 255, PORT_MAX = 65535, PORT_DEFAULT = 7443 };

#define USAGE      "sei-sandbox up [flags], or sei-sandbox ctl COMMAND"
#define AT(member) .offset = offsetof(Flags, member)

static const FlagRow rows[] = {
    {"--port",
        "P",
        "where the API server listens on 127.0.0.1; 0 picks a free port",
        FLAG_NUMBER,
        AT(port),
        .max = PORT_MAX,
        .fallback = PORT_DEFAULT},
    {"--kubeconfig",
        "FILE",
        "where up writes how to reach it, sei-sandbox.kubeconfig if not said; for ctl how to "
        "reach it, else $KUBECONFIG",
        FLAG_TEXT,
        AT(kubeconfig)},
    {"--state",
        "DIR",
        "a folder in which everything outlasts the sandbox, the volumes of pods too; made when it\n"
        "        is not there",
        FLAG_TEXT,
        AT(state)},
    {"--nodes",
        "N",
        "machines that pods run on",
        FLAG_NUMBER,
        AT(nodes),
        .min = 1,
        .max = KUBELET_NODES_MAX,
        .fallback = 3},
    {"--speed",
        "X",
        "how many times faster than ours the time of pods and controllers runs",
        FLAG_NUMBER,
        AT(speed),
        .min = 1,
        .max = TEMPO_SPEED_MAX,
        .fallback = 1},
    {"--network",
        "N",
        "pods get addresses in 127.N.0.0/16",
        FLAG_NUMBER,
        AT(network),
        .min = 1,
        .max = NETWORK_MAX,
        .fallback = 200},
    {"--help", NULL, "say this and end", FLAG_SWITCH, AT(help)},
    {0},
};

/* What stands behind ctl is not ours to read. */
static Err *read_ctl(Arena *a, const FlagWords *all, Flags *ret)
{
    ret->words = all->words + all->at;
    ret->word_count = all->count - all->at;
    return ret->word_count > 0 ? OK : err_terminal(a, "ctl wants to know what: see --help");
}

Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret)
{
    FlagWords all = {.words = words, .count = count, .at = 1};

    *ret = (Flags){0};
    flag_table_reset(rows, ret);
    TRY(flag_table_read(a, rows, &all, ret));
    if (all.at < count)
        ret->command = words[all.at++];
    TRY(flag_table_read(a, rows, &all, ret));
    if (ret->help)
        return OK;
    if (!ret->command)
        return err_terminal(a, "a command is missing: it is written " USAGE);
    if (str_eq(ret->command, "ctl"))
        return read_ctl(a, &all, ret);
    if (!str_eq(ret->command, "up"))
        return err_terminal(a, "there is no command %s: it is written " USAGE, ret->command);
    if (all.at < count)
        return err_terminal(
            a, "nothing stands behind the flags, found %s: see --help", words[all.at]);
    return OK;
}

static void must(bool fits)
{
    if (!fits)
        BUG("the help of the sandbox is too long");
}

void flags_help(Buf *ret)
{
    must(buf_format(ret,
        "sei-sandbox: a Kubernetes in one process: API server, controllers, machines, pods and\n"
        "their sidecars, on loopback, for kubectl and for an unchanged sei-operator.\n\n"
        "Usage:\n"
        "  sei-sandbox up [flags]             run until SIGTERM or SIGINT\n"
        "  sei-sandbox ctl [flags] COMMAND    tell one that runs\n\n"
        "Flags:\n"));
    flag_table_help(rows, ret);
    must(buf_format(ret, "\nCommands of ctl (a POD is NAMESPACE/NAME):\n"));
    ctl_help(ret);
    must(buf_format(ret,
        "\nExamples:\n"
        "  sei-sandbox up --speed 5 &\n"
        "  export KUBECONFIG=sei-sandbox.kubeconfig\n"
        "  kubectl apply -f deploy/crds\n"
        "  sei-sandbox ctl bad-image v6.6.0\n"
        "\nup ends with 0 when told to, ctl when it was obeyed; with 2 when they cannot.\n"));
}
