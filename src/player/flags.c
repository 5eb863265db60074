/* Flags: "--name value" or "--name=value". */
#include "player/flags.h"

#include "base/str.h"
#include "world/kubelet.h"
#include "world/order.h"

#include <stddef.h>
#include <string.h>

enum { NETWORK_MAX = 255, SPEED_MAX = 1000 };

typedef enum FlagType { FLAG_TEXT, FLAG_NUMBER, FLAG_SWITCH } FlagType;

typedef struct FlagRow {
    const char *name, *value, *about;
    FlagType type;
    size_t offset; /* of the value in Flags */
    int64_t min, max, fallback;
} FlagRow;

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
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* --- reading */

static const FlagRow *find_row(const char *word, size_t len)
{
    if (len == strlen("-h") && strncmp(word, "-h", len) == 0)
        return find_row("--help", strlen("--help"));
    for (size_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == len && strncmp(rows[i].name, word, len) == 0)
            return &rows[i];
    return NULL;
}

static Err *set(Arena *a, const FlagRow *row, const char *text, Flags *ret)
{
    void *value = (char *)ret + row->offset;
    int64_t number;

    if (!text)
        return err_terminal(a, "%s has no value: it wants %s", row->name, row->value);
    if (row->type == FLAG_TEXT) {
        *(const char **)value = text;
        return OK;
    }
    if (!str_to_int(text, &number) || number < row->min || number > row->max)
        return err_terminal(a,
            "%s: expected a number from %lld to %lld, found %s",
            row->name,
            (long long)row->min,
            (long long)row->max,
            text);
    *(int64_t *)value = number;
    return OK;
}

Err *flags_parse(Arena *a, int count, char *const *words, Flags *ret)
{
    *ret = (Flags){0};
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].type == FLAG_NUMBER)
            *(int64_t *)(void *)((char *)ret + rows[i].offset) = rows[i].fallback;
    for (int i = 1; i < count; i++) {
        size_t len = strcspn(words[i], "=");
        const FlagRow *row = find_row(words[i], len);
        if (!row)
            return err_terminal(a, "there is no flag %s: see --help", str_slice(a, words[i], len));
        if (row->type == FLAG_SWITCH)
            *(bool *)((char *)ret + row->offset) = true;
        else if (words[i][len] == '=')
            TRY(set(a, row, words[i] + len + 1, ret));
        else
            TRY(set(a, row, ++i < count ? words[i] : NULL, ret));
    }
    return OK;
}

/* --- saying */

static void must(bool fits)
{
    if (!fits)
        BUG("the help of the player is too long");
}

static void say_row(const FlagRow *row, Buf *ret)
{
    must(buf_format(ret,
        "  %s%s%s\n        %s",
        row->name,
        row->value ? " " : "",
        row->value ? row->value : "",
        row->about));
    must(row->type == FLAG_NUMBER ? buf_format(ret, " (default %lld)\n", (long long)row->fallback)
                                  : buf_format(ret, "\n"));
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
    for (size_t i = 0; i < ROWS; i++)
        say_row(&rows[i], ret);
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
