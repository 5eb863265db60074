/* Run: finds the command and its flags, wherever they stand among each other: kubectl passes on
 * "kubectl sei -n x get" as it was typed. */
#include "cli/run.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/help.h"

#include <string.h>

const char *run_program_name(Arena *a, const char *called_by)
{
    static const char prefix[] = "kubectl-";
    const char *slash = strrchr(called_by ? called_by : "", '/');
    const char *name = slash ? slash + 1 : called_by;

    if (str_empty(name))
        name = "kubectl-sei";
    if (!str_has_prefix(name, prefix))
        return name;
    return str_format(a, "kubectl %s", name + strlen(prefix));
}

static int misused(Cli *cli, const char *what)
{
    const char *command = cli->command && cli->command->topic ? cli->command->name : "";

    output_talk(cli,
        "error: %s\nhint: see `%s%s%s --help`\n",
        what,
        cli->program,
        *command ? " " : "",
        command);
    return EXIT_MISUSED;
}

/* Commands of two words whose first this is. */
static const char *members_of(Arena *a, const char *word)
{
    const char *names = NULL, *start = str_format(a, "%s ", word);

    for (const Command *c = commands; c->name; c++)
        if (str_has_prefix(c->name, start))
            names = names ? str_format(a, "%s, %s", names, c->name + strlen(start))
                          : c->name + strlen(start);
    return names;
}

static int no_command(Cli *cli, const Words *words)
{
    const char *members = members_of(cli->arena, words->items[0]);

    if (!members)
        return misused(cli, str_format(cli->arena, "there is no command %s", words->items[0]));
    return misused(cli,
        words->count > 1
            ? str_format(cli->arena,
                  "there is no command %s %s: there are %s",
                  words->items[0],
                  words->items[1],
                  members)
            : str_format(cli->arena, "%s what? there are %s", words->items[0], members));
}

/* How many arguments there are to be, in words; NULL: as many as there are. */
static const char *wrong_count(Arena *a, const Command *c, size_t count)
{
    if (count >= c->args_min && count <= c->args_max)
        return NULL;
    if (c->args_max == 0)
        return str_format(a, "%s takes no arguments", c->name);
    return str_format(a,
        "%s takes %s%s, and %zu %s given",
        c->name,
        c->args,
        count < c->args_min ? "" : " alone",
        count,
        count == 1 ? "was" : "were");
}

/* The name of the command is found first, with every flag understood; then the flags are read again
 * as that command understands them. */
static int run_command(Cli *cli, const Words *given, const Words *plain)
{
    size_t used = 0;
    Words words;
    const Command *c = command_find(plain->items, plain->count, &used);

    if (!c && cli->flags.help && plain->count == 1 && help_group(cli, plain->items[0]))
        return EXIT_FINE;
    if (!c)
        return no_command(cli, plain);
    cli->command = c;
    if (cli->flags.help) {
        help_command(cli, c);
        return EXIT_FINE;
    }
    if (c->run == complete_command) {
        cli->args = given->items + used;
        cli->arg_count = given->count - used;
        return c->run(cli);
    }
    const Err *err = flags_parse(cli->arena, given, c->flag_groups, &cli->flags, &words);
    const char *wrong = wrong_count(cli->arena, c, words.count - used);
    if (err || wrong)
        return misused(cli, err ? err_text(cli->arena, err) : wrong);
    cli->args = words.items + used;
    cli->arg_count = words.count - used;
    return c->run(cli);
}

static void set_color(Cli *cli)
{
    if (str_eq(cli->flags.color, "always"))
        cli->out->color = true;
    if (str_eq(cli->flags.color, "never"))
        cli->out->color = false;
}

int run_words(Cli *cli, int count, char *const *words)
{
    Words given = {.items = arena_array(cli->arena, const char *, count + 1)}, plain;

    cli->program = run_program_name(cli->arena, count > 0 ? words[0] : NULL);
    for (int i = 1; i < count; i++)
        given.items[given.count++] = words[i];

    /* What a shell asks is completed word by word, and none of it is ours to understand. */
    bool is_completion = given.count > 0 && str_eq(given.items[0], "__complete");
    const Err *err = is_completion ? OK : flags_parse(cli->arena, &given, ~0U, &cli->flags, &plain);
    if (is_completion) {
        flags_init(&cli->flags);
        plain = given;
    }
    /* "help get" is "get --help". */
    if (plain.count > 0 && str_eq(plain.items[0], "help")) {
        cli->flags.help = true;
        plain.items++;
        plain.count--;
    }
    set_color(cli);
    if (plain.count == 0 && (cli->flags.help || given.count == 0)) {
        help_program(cli);
        return EXIT_FINE;
    }
    if (plain.count == 0)
        return misused(cli, err ? err_text(cli->arena, err) : "no command was given");
    int code = run_command(cli, &given, &plain);
    connection_close(cli);
    return code;
}
