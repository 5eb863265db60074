/* Look: what the commands that show one object have in common: they read around it for at most
 * --request-timeout (five seconds), make a view of what came, and print that as -o says. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "cli/command.h"
#include "cli/page.h"

/* Sees what a word names. Errors are those of the object itself: what is missing around it is in
 * the Sight. */
Err *look_at(Cli *cli, const char *word, const Json **ret_sight) MUST_CHECK;

/* The same, and how far it is on its chain, which only seid knows. */
Err *look_at_chain(Cli *cli, const char *word, const Json **ret_sight) MUST_CHECK;

/* Prints a view and gives the exit code back: `code`, or that of an answer which is not whole
 * because time was up. */
int look_show(Cli *cli, const Json *view, ExitCode code);

/* How wide and long what is written may be: as the terminal tells (0: it does not), else as
 * $COLUMNS asks for (NULL: it is not set); where there is no terminal, without an end. */
void look_measure(Output *out, int columns, int lines, const char *asked);

/* The terminal that a page is for. */
PageStyle look_style(const Cli *cli);

#endif
