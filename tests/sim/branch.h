/* Branch: one of many ways in which a play may go on, in a process of its own. What happens in it
 * is gone with it, so a hundred endings share one beginning:
 *
 *     SCOPED_PLAY p = play_open(...);
 *     play_create_node(p, "rpc-0", "{}");
 *     for (int k = 0; k < 100; k++)
 *         then_str(branch(p, ending, &k), NULL);
 *
 * An ending must not assert: it gives its complaint back. */
#ifndef TESTS_SIM_BRANCH_H
#define TESTS_SIM_BRANCH_H

#include "tests/sim/play.h"

/* Goes on with the play; NULL, or what is wrong. */
typedef const char *Ending(Play *p, void *self);

/* What the ending complains of, or how its process died; NULL for nothing. */
const char *branch(Play *p, Ending *ending, void *self);

#endif
