/* Help: the pages that are made from the tables of commands and flags: --help, the man page and
 * docs/KUBECTL_SEI.md. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

/* --help of the whole program, and of one command. */
void help_program(Cli *cli);
void help_command(Cli *cli, const Command *command);

/* --help of a first word that several commands have; false when none has it. */
bool help_group(Cli *cli, const char *word);

/* The line that a wrong command line is answered with. */
const char *help_usage(Arena *a, const char *program, const Command *command);

#endif
