/* MaintainTell: what a maintenance run says: what it does and waits for, and how it ended. */
#ifndef CLI_MAINTAIN_TELL_H
#define CLI_MAINTAIN_TELL_H

#include "cli/maintain_look.h"

/* The step in words that a person follows; NULL: nothing that he needs to know. */
const char *maintain_text(Cli *cli, const MaintainLook *look, MaintainStep step);

/* Says how it ended, and gives the exit code. Only for a step that ends. */
int maintain_end(Cli *cli, const MaintainRun *run, const MaintainLook *look, MaintainStep step);

/* Keeps how it ends, once the node is given back: whatever goes wrong then changes nothing of it.
 */
void maintain_note_return(Cli *cli, MaintainRun *run, const MaintainLook *look);

/* The same as maintain_end, of a run that was noted so and that cannot be looked at any more. */
int maintain_end_unseen(Cli *cli, const MaintainRun *run, const char *why);

/* How to go on with a run that stands; nothing when there is none. */
void maintain_talk_of_standing(Cli *cli, const MaintainRun *run);

/* What is left of a run whose node is gone. */
void maintain_talk_of_remains(Cli *cli, const MaintainRun *run, const MaintainLook *look);

#endif
