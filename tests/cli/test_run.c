/* The command line as a whole: which command it is, and how it ends. */
#include "tests/cli/terminal.h"

static const struct {
    const char *name, *called_by, *want;
} programs[] = {
    {"by kubectl", "/usr/local/bin/kubectl-sei", "kubectl sei"},
    {"by its own name", "kubectl-sei", "kubectl sei"},
    {"by another", "./sei", "sei"},
    {"by none", NULL, "kubectl sei"},
};

TEST(the_program_name_in_messages_is_the_one_that_the_user_typed)
{
    each_case(i, programs) {
        SCOPED_ARENA a = arena_open(1 << 20);
        then_str(run_program_name(a, programs[i].called_by), programs[i].want);
    }
}

static const struct {
    const char *name, *line;
    int code;
    const char *said, *talked;
} lines[] = {
    {"nothing at all", "", EXIT_FINE, "Usage:\n  kubectl sei COMMAND", ""},
    {"help", "--help", EXIT_FINE, "Usage:\n  kubectl sei COMMAND", ""},
    {"help of a command", "version --help", EXIT_FINE, "Usage:\n  kubectl sei version", ""},
    {"help before a command", "-h version", EXIT_FINE, "Usage:\n  kubectl sei version", ""},
    {"help in a word", "help version", EXIT_FINE, "Usage:\n  kubectl sei version", ""},
    {"help of all in a word", "help", EXIT_FINE, "Usage:\n  kubectl sei COMMAND", ""},
    {"help of a first word", "rollout --help", EXIT_FINE, "  rollout undo  ", ""},
    {"help of nothing", "fly --help", EXIT_MISUSED, "", "there is no command fly"},
    {"a first word alone", "rollout", EXIT_MISUSED, "", "rollout what? there are status, hold"},
    {"a wrong second word", "rollout fly", EXIT_MISUSED, "", "there is no command rollout fly"},
    {"too few words",
        "set image a",
        EXIT_MISUSED,
        "",
        "set image takes NAME IMAGE, and 1 was given"},
    {"a command that there is not", "fly", EXIT_MISUSED, "", "there is no command fly"},
    {"a flag alone", "--color=never", EXIT_MISUSED, "", "no command was given"},
    {"a wrong flag alone", "--colour", EXIT_MISUSED, "", "there is no flag --colour"},
    {"a flag of other commands", "version -A", EXIT_MISUSED, "", "-A has no meaning here"},
    {"too many words", "version x", EXIT_MISUSED, "", "version takes no arguments"},
    {"where help is", "version x", EXIT_MISUSED, "", "see `kubectl sei version --help`"},
    {"a version", "version --client", EXIT_FINE, "client    ", ""},
    {"a flag before the command", "-o json version --client", EXIT_FINE, "\"client\": ", ""},
};

TEST(a_command_line_is_accepted_or_refused_with_the_cause)
{
    SCOPED_TERMINAL t = terminal_open();

    each_case(i, lines) {
        then_int(type(t, lines[i].line), lines[i].code);
        then_said(t, lines[i].said);
        then_talked(t, lines[i].talked);
        then_true(*lines[i].said || t->said.len == 0);
        then_true(*lines[i].talked || t->talked.len == 0);
    }
}

TEST(the_color_flag_decides_about_colours)
{
    SCOPED_TERMINAL t = terminal_open();

    then_int(type(t, "version --client --color=always"), EXIT_FINE);
    then_true(t->out.color);
    then_int(type(t, "version --client --color=never"), EXIT_FINE);
    then_true(!t->out.color);
}

TEST(every_command_has_what_its_help_needs)
{
    for (const Command *c = commands; c->name; c++) {
        size_t used;
        const char *words[] = {c->name, NULL};
        then_true(c->run && c->about && c->args && c->args_min <= c->args_max);
        then_true(strchr(c->name, ' ') || command_find(words, 1, &used) == c);
        then_true(!c->topic || (c->about[0] >= 'a' && c->about[0] <= 'z'));
        then_true(c->about[strlen(c->about) - 1] != '.');
    }
}
