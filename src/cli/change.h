/* Change: how verbs write. A verb says which merge patch of spec or annotations it wants; here are
 * the dry run, the lock, the warning about Git, and what is said afterwards. */
#ifndef CLI_CHANGE_H
#define CLI_CHANGE_H

#include "base/draft.h"
#include "cli/target.h"

/* As whom the API server knows what is written here (managedFields). */
#define CHANGE_MANAGER "kubectl-sei"

typedef struct Change {
    Draft *patch;        /* a merge patch of the object; NULL: there is nothing to do */
    bool is_locked;      /* refused when the object has changed since it was seen, and made anew */
    const char *warning; /* to stderr before anything is sent, once; or NULL */
    const char *risk;    /* what a person must agree to first, as whole lines; or NULL */
    const char *told;    /* what is so now: "is held: ..." */
    const char *next;    /* what to run next, behind the program's name; or NULL */
} Change;

/* Says what is to be written about an object as it is now. ERR_TERMINAL says why not, and what to
 * do instead. */
typedef Err *ChangeMaker(Cli *cli, const Target *target, Change *ret);

/* Carries a verb out on the object that the first argument names. */
int change_run(Cli *cli, ChangeMaker *make);

/* The wall clock as annotations have it. */
const char *change_now(Cli *cli);

#endif
