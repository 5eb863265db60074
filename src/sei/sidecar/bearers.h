/* Bearers: tokens, each kept once however many nodes use it: there are thousands of nodes and a
 * handful of tokens of a kilobyte. Secrets: nothing here prints. */
#ifndef SEI_SIDECAR_BEARERS_H
#define SEI_SIDECAR_BEARERS_H

#include "base/map.h"
#include "base/slab.h"

#include <stddef.h>

enum { BEARER_MAX = 16 << 10 }; /* bytes; a longer one is no token */

/* One token and how many hold it. */
typedef struct Bearer {
    size_t size;
    size_t holders;
    char text[];
} Bearer;

typedef struct Bearers {
    Slab *slab;
    Map *all;
} Bearers;

/* Begins with none, of at most `max` different ones. */
void bearers_init(Bearers *b, Slab *slab, size_t max);
void bearers_close(Bearers *b);

/* Puts `text` in the place of what *held was, either of which may be NULL. */
void bearers_swap(Bearers *b, Bearer **held, const char *text);

#endif
