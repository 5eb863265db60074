/* Likenesses: which children were found to be what their fleet wants of them. A fleet looks at all
 * of its nodes whenever one of them changes, and would render and hash all the others once more.
 *
 * A finding is about one version of one child and about the fleet as it was then, without its
 * status and its version: about all that a child is rendered from. In memory only: who forgets it
 * looks again. */
#ifndef SEI_RECONCILE_LIKENESSES_H
#define SEI_RECONCILE_LIKENESSES_H

#include "base/sha256.h"
#include "sei/api/fleet.h"

typedef struct Likenesses Likenesses;

enum { LIKENESSES_MAX = 1000 }; /* fleets, 8 KB each; those of one that has no room are looked at */

Likenesses *likenesses_open(void);
void likenesses_close(Likenesses *l);

/* The fleet as its children are made from it: what is left out is not there for the renderers. */
typedef struct LikenessSource {
    Fleet fleet;
    char print[SHA256_HEX_SIZE]; /* the hash of all of it */
} LikenessSource;
Err *likenesses_source(Arena *a, const Fleet *fleet, LikenessSource *ret) MUST_CHECK;

/* Whether this child was found right, and that it was. The guard is held, here and below. */
bool likenesses_has(
    const Likenesses *l, const LikenessSource *of, int64_t ordinal, const Json *child);
void likenesses_note(Likenesses *l, const LikenessSource *of, int64_t ordinal, const Json *child);

/* The fleet is gone. */
void likenesses_forget(Likenesses *l, Key fleet);

#endif
