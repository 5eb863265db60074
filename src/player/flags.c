/* Flags: the table. Orders stand in the help, too, but are read from a file, not from here. */
#include "player/flags.h"

#include "player/flag_table.h"
#include "world/kubelet.h"
#include "world/order.h"

#include <stddef.h>

enum { NETWORK_MAX = 255, SPEED_MAX = 1000 };

#define AT(member) .offset = offsetof(Flags, member)

static const FlagRow rows[] = {
    {"--kubeconfig",
        "FILE",
        "how to reach the API server; else $KUBECONFIG, else the pod's account, else\n"
        "        ~/.kube/config",
        FLAG_TEXT,
        AT(kubeconfig)},
    {"--orders",
        "FILE",
        "a file to which lines are appended that tell the player what is to go wrong;\n"
        "        made when it is not there",
        FLAG_TEXT,
        AT(orders)},
    {"--network",
        "N",
        "pods get addresses in 127.N.0.0/16; 0 is 200",
        FLAG_NUMBER,
        AT(network),
        .max = NETWORK_MAX},
    {"--nodes",
        "N",
        "machines that are played; 0 is 3",
        FLAG_NUMBER,
        AT(nodes),
        .max = KUBELET_NODES_MAX},
    {"--seed",
        "N",
        "of chance: the same seed plays the same delays",
        FLAG_NUMBER,
        AT(seed),
        .max = INT64_MAX,
        .fallback = 1},
    {"--speed",
        "N",
        "how many times faster than ours the time of pods runs: probes, delays, stops",
        FLAG_NUMBER,
        AT(speed),
        .min = 1,
        .max = SPEED_MAX,
        .fallback = 1},
    {"--any-token",
        NULL,
        "sidecars believe every token, instead of asking the API server about it",
        FLAG_SWITCH,
        AT(any_token)},
    {"--help", NULL, "say this and end", FLAG_SWITCH, AT(help)},
    {0},
};

Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret)
{
    FlagWords all = {.words = words, .count = count, .at = 1};

    *ret = (Flags){0};
    flag_table_reset(rows, ret);
    TRY(flag_table_read(a, rows, &all, ret));
    if (all.at < count)
        return err_terminal(a, "there is no flag %s: see --help", words[all.at]);
    return OK;
}

static void must(bool fits)
{
    if (!fits)
        BUG("the help of the player is too long");
}

void flags_help(Buf *ret)
{
    const char *form;

    must(buf_format(ret,
        "player: plays the machines of a cluster that has none: schedules, runs and ends pods,\n"
        "makes volumes, and answers for the sidecars, in front of a real API server.\n\n"
        "Usage:\n"
        "  player [flags]   play until SIGTERM or SIGINT\n\n"
        "Flags:\n"));
    flag_table_help(rows, ret);
    must(buf_format(ret, "\nOrders, one a line, POD being namespace/name:\n"));
    for (size_t i = 0; (form = order_form(i)); i++)
        must(buf_format(ret, "  %s\n", form));
    must(buf_format(ret,
        "\nExamples:\n"
        "  player --kubeconfig admin.conf --speed 15\n"
        "  player --orders /tmp/orders &\n"
        "  echo 'temper sei/rpc-0-0 hanging 0' >> /tmp/orders\n"
        "  echo 'bad-image ghcr.io/example/seid:v9' >> /tmp/orders\n"
        "\nWhat pods have on their volumes lives in the process: a player that is started again\n"
        "begins with empty disks. It ends with 0 when told to, and with 2 when it cannot "
        "start.\n"));
}
