/* MaintainOpen: what a command line asks of `maintain`, and what a person should know before. */
#ifndef CLI_MAINTAIN_OPEN_H
#define CLI_MAINTAIN_OPEN_H

#include "cli/maintain_look.h"

/* Connects, finds the node, and warns of what comes with the wish. *ret_wanted is the mark of a run
 * that begins, else left as it is. ERR_TERMINAL where the wish makes no sense. */
Err *maintain_open(Cli *cli, MaintainRun *run, Maintenance *ret_wanted) MUST_CHECK;

#endif
