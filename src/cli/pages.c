/* Pages: the man page and the reference page, out of the tables. They are written for people who
 * call the program as kubectl's plugin, whatever the file is called. */
#include "base/str.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/version.h"

#include <string.h>

#define PROGRAM "kubectl sei"

/* --- man */

/* Text for roff: a backslash, and a dot or quote at the beginning of a line, mean something. */
static const char *roff(Arena *a, const char *text)
{
    const char *safe = "";

    while (*text) {
        size_t len = strcspn(text, "\\-");
        safe = str_format(a, "%s%.*s", safe, (int)len, text);
        text += len;
        if (*text)
            safe = str_format(a, "%s%s", safe, *text == '-' ? "\\-" : "\\e");
        text += *text != '\0';
    }
    return *safe == '.' || *safe == '\'' ? str_format(a, "\\&%s", safe) : safe;
}

static void man_flags(Cli *cli, unsigned groups)
{
    for (const FlagRow *row = flag_rows; row->name; row++) {
        if (!(row->group & groups))
            continue;
        output_say(cli, ".TP\n.B ");
        if (row->letter)
            output_say(cli, "\\-%c, ", row->letter);
        output_say(cli, "\\-\\-%s", roff(cli->arena, row->name));
        if (row->value)
            output_say(cli, " \\fI%s\\fR", row->value);
        output_say(cli, "\n%s.\n", roff(cli->arena, row->about));
    }
}

static void man_one(Cli *cli, const Command *c)
{
    Arena *a = cli->arena;

    output_say(cli, ".SS %s\n", roff(a, help_usage(a, PROGRAM, c)));
    output_say(cli, "%c%s.\n", c->about[0] - 'a' + 'A', roff(a, c->about + 1));
    if (c->more)
        output_say(cli, ".PP\n%s\n", roff(a, c->more));
}

int man_command(Cli *cli)
{
    output_say(cli,
        ".\\\" Made by kubectl-sei __man.\n"
        ".TH KUBECTL\\-SEI 1 \"\" \"kubectl-sei %s\" \"Sei on Kubernetes\"\n"
        ".SH NAME\nkubectl\\-sei \\- looks after Sei nodes and fleets of them\n"
        ".SH SYNOPSIS\n.B kubectl sei\n\\fICOMMAND\\fR [\\fIflags\\fR]\n"
        ".SH COMMANDS\n",
        CLI_VERSION);
    for (const Command *c = commands; c->name; c++)
        if (c->topic)
            man_one(cli, c);
    output_say(cli, ".SH FLAGS\nNot every command has all of them: its \\-\\-help says which.\n");
    man_flags(cli, ~0U);
    output_say(cli, ".SH EXIT STATUS\n");
    for (const ExitCodeRow *row = exit_code_rows; row->meaning; row++)
        output_say(cli, ".TP\n.B %d\n%s.\n", (int)row->code, roff(cli->arena, row->meaning));
    output_say(cli, ".SH SEE ALSO\n.BR kubectl (1)\n");
    return EXIT_FINE;
}

/* --- reference */

static void reference_examples(Cli *cli, const char *examples)
{
    output_say(cli, "\n```sh\n");
    while (*examples) {
        size_t len = strcspn(examples, "\n");
        output_say(cli, PROGRAM " %.*s\n", (int)len, examples);
        examples += len + (examples[len] == '\n');
    }
    output_say(cli, "```\n");
}

/* "`-n`, `--namespace`" of what a command has beyond what all have. */
static void reference_flags(Cli *cli, const Command *c)
{
    unsigned own = c->flag_groups & ~(unsigned)(FLAGS_CONNECTION | FLAGS_ALWAYS);
    const char *separator = "\nFlags: ";

    for (const FlagRow *row = flag_rows; row->name; row++) {
        if (!(row->group & own))
            continue;
        output_say(cli, "%s", separator);
        if (row->letter)
            output_say(cli, "`-%c`, ", row->letter);
        output_say(cli, "`--%s`", row->name);
        separator = "; ";
    }
    if (own)
        output_say(cli, ".\n");
}

static void reference_one(Cli *cli, const Command *c)
{
    Arena *a = cli->arena;

    output_say(cli, "\n### %s\n\n", c->name);
    output_say(cli, "`%s`: %s.\n", help_usage(a, PROGRAM, c), c->about);
    if (c->more)
        output_say(cli, "\n%s\n", c->more);
    if (c->examples)
        reference_examples(cli, c->examples);
    reference_flags(cli, c);
}

static void reference_table(Cli *cli)
{
    output_say(cli,
        "\n## Flags\n\nEach command has those of its own above, all that ask a cluster have those "
        "of the connection, and all\nhave `--color` and `--help`.\n\n"
        "| Flag | Default | Meaning |\n| --- | --- | --- |\n");
    for (const FlagRow *row = flag_rows; row->name; row++) {
        const char *letter = row->letter ? str_format(cli->arena, "`-%c`, ", row->letter) : "";
        const char *fallback = *row->fallback && !str_eq(row->fallback, "false")
            ? str_format(cli->arena, "`%s`", row->fallback)
            : "";
        output_say(cli,
            "| %s`--%s%s%s` | %s | %s |\n",
            letter,
            row->name,
            row->value ? " " : "",
            row->value ? row->value : "",
            fallback,
            row->about);
    }
}

int reference_command(Cli *cli)
{
    const char *topic = NULL;

    output_say(cli,
        "<!-- Made by `kubectl-sei __reference` from src/cli/commands.c and flags.c: edit there. "
        "-->\n\n# kubectl sei\n\n"
        "A plugin of kubectl: with `kubectl-sei` in the `PATH`, `kubectl sei` is a command. `NAME` "
        "is that of a node\nor a fleet; `node/NAME` and `fleet/NAME` say which. Verbs write `spec` "
        "and annotations, as any person\ncould; the operator does the rest.\n");
    for (const Command *c = commands; c->name; c++) {
        if (!c->topic)
            continue;
        if (!str_eq(c->topic, topic))
            output_say(cli, "\n## %s\n", c->topic);
        topic = c->topic;
        reference_one(cli, c);
    }
    reference_table(cli);
    output_say(cli, "\n## Exit codes\n\n| Code | Meaning |\n| --- | --- |\n");
    for (const ExitCodeRow *row = exit_code_rows; row->meaning; row++)
        output_say(cli, "| %d | %s |\n", (int)row->code, row->meaning);
    return EXIT_FINE;
}
