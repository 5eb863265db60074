/* Run: from the words of a command line to an exit code. All of the program but its descriptors. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/command.h"

/* Carries out a command line; words[0] is the name that the program was called by. `cli` has clock,
 * output and source, or a transport, filled in, and an arena; the rest is found here. The
 * connection is closed when it ends. */
int run_words(Cli *cli, int count, char *const *words);

/* "kubectl sei" for ".../kubectl-sei": what people type to get here. */
const char *run_program_name(Arena *a, const char *called_by);

#endif
