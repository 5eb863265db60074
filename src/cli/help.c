/* Help for people at a terminal. Flags stand on lines of their own, with what they are for below
 * them, as in the other programs of the house. */
#include "cli/help.h"

#include "base/str.h"
#include "cli/exit_codes.h"

#include <string.h>

#define PAGE_INDENT "        "

enum { NAME_COLUMNS = 18 };

const ExitCodeRow exit_code_rows[] = {
    {EXIT_FINE, "all is well"},
    {EXIT_UNHEALTHY, "drift was found, or what was asked about is not well"},
    {EXIT_MISUSED, "the command line or what it asks for makes no sense, or the server refuses it"},
    {EXIT_NOT_FOUND, "there is no such object"},
    {EXIT_FORBIDDEN, "not allowed, or not logged in"},
    {EXIT_TIMED_OUT, "time was over before the answer, or a part of it, had come"},
    {EXIT_UNREACHABLE, "the API server cannot be reached, or fails"},
    {EXIT_FINE, NULL},
};

const char *help_usage(Arena *a, const char *program, const Command *command)
{
    return str_format(a,
        "%s %s%s%s%s",
        program,
        command->name,
        *command->args ? " " : "",
        command->args,
        command->flag_groups ? " [flags]" : "");
}

static void say_flag(Cli *cli, const FlagRow *row)
{
    bool has_default = *row->fallback && !str_eq(row->fallback, "false");

    output_say(cli, "  --%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
    if (row->letter)
        output_say(cli, ", -%c", row->letter);
    output_say(cli, "\n");
    output_wrap(cli,
        PAGE_INDENT,
        has_default ? str_format(cli->arena, "%s (default %s)", row->about, row->fallback)
                    : row->about);
}

static void say_flags(Cli *cli, unsigned groups)
{
    output_say(cli, "\nFlags:\n");
    for (const FlagRow *row = flag_rows; row->name; row++)
        if (row->group & (groups | FLAGS_ALWAYS))
            say_flag(cli, row);
}

static void say_examples(Cli *cli, const char *examples)
{
    output_say(cli, "\nExamples:\n");
    while (*examples) {
        size_t len = strcspn(examples, "\n");
        output_say(cli, "  %s %.*s\n", cli->program, (int)len, examples);
        examples += len + (examples[len] == '\n');
    }
}

static void say_exit_codes(Cli *cli)
{
    output_say(cli, "\nIt ends with 0 when all is well, and else with\n");
    for (const ExitCodeRow *row = exit_code_rows + 1; row->meaning; row++)
        output_say(cli, "  %d  %s\n", (int)row->code, row->meaning);
}

/* The commands of one topic, where `first` is its first. */
static void say_topic(Cli *cli, const Command *first)
{
    output_say(cli, "\n%s:\n", first->topic);
    for (const Command *c = first; c->name; c++)
        if (str_eq(c->topic, first->topic))
            output_say(cli, "  %-*s  %s\n", NAME_COLUMNS, c->name, c->about);
}

static bool is_first_of_topic(const Command *command)
{
    for (const Command *c = commands; c < command; c++)
        if (str_eq(c->topic, command->topic))
            return false;
    return command->topic != NULL;
}

void help_program(Cli *cli)
{
    output_say(cli,
        "%s: looks after Sei nodes and fleets of them.\n\n"
        "Usage:\n  %s COMMAND [flags]\n  %s COMMAND --help\n",
        cli->program,
        cli->program,
        cli->program);
    for (const Command *c = commands; c->name; c++)
        if (is_first_of_topic(c))
            say_topic(cli, c);
    say_examples(
        cli, "get -A\nstatus public-rpc\nset image public-rpc ghcr.io/sei-protocol/sei:v6.4.2");
    output_say(cli, "\nNAME is that of a node or a fleet; node/NAME and fleet/NAME say which.\n");
    say_flags(cli, FLAGS_CONNECTION | FLAGS_NAMESPACE);
    say_exit_codes(cli);
}

bool help_group(Cli *cli, const char *word)
{
    const char *start = str_format(cli->arena, "%s ", word);
    bool is_group = false;

    for (const Command *c = commands; c->name; c++) {
        if (!str_has_prefix(c->name, start))
            continue;
        if (!is_group)
            output_say(cli,
                "%s %s: what to do, in a word more.\n\nUsage:\n  %s %s COMMAND [flags]\n\n",
                cli->program,
                word,
                cli->program,
                word);
        is_group = true;
        output_say(cli, "  %-*s  %s\n", NAME_COLUMNS, c->name, c->about);
    }
    return is_group;
}

void help_command(Cli *cli, const Command *command)
{
    output_say(cli,
        "%s %s: %s.\n\nUsage:\n  %s\n",
        cli->program,
        command->name,
        command->about,
        help_usage(cli->arena, cli->program, command));
    if (command->more) {
        output_say(cli, "\n");
        output_wrap(cli, "", command->more);
    }
    if (command->examples)
        say_examples(cli, command->examples);
    say_flags(cli, command->flag_groups);
    say_exit_codes(cli);
}
