/* Completion: what a shell may offer for the word that is being typed. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/command.h"

enum { OFFERS_MAX = 2000 };

typedef struct Offer {
    const char *word;
    const char *about; /* or NULL */
} Offer;

typedef struct Offers {
    Offer items[OFFERS_MAX];
    size_t count;
    bool wants_files; /* nothing of ours: names of files are meant */
} Offers;

/* The offers for the last of the words, the others being those before it. Names of objects are
 * asked of the cluster that the words lead to; one that does not answer has none. */
void completion_find(Cli *cli, const Words *words, Offers *ret);

#endif
