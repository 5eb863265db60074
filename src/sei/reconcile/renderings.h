/* Renderings: what nodes were last rendered to. A node is looked at some thirty times in a rollout,
 * and all but a few times it is rendered from what it was rendered from before.
 *
 * A rendering is found by everything that it was made from: the node without its status, its
 * version and who manages which of its fields, and the subject. The renderers are given that and
 * nothing else, so what is found is what they would give. Settings do not change as long as the
 * operator runs. In memory only: who forgets it renders again. */
#ifndef SEI_RECONCILE_RENDERINGS_H
#define SEI_RECONCILE_RENDERINGS_H

#include "kube/guard.h"
#include "sei/render/render.h"

#include <stdint.h>

typedef struct Renderings Renderings;

enum { RENDERINGS_MAX = 128 }; /* nodes, some 8 KB each; who was not asked for longest goes */

Renderings *renderings_open(void);
void renderings_close(Renderings *r);

/* As render_node. Takes the guard. */
Err *renderings_ask(
    Renderings *r, Guard *guard, Arena *a, const Subject *subject, Wanted *ret) MUST_CHECK;

/* How many were made so far: all others were remembered. The guard is held, here and below. */
uint64_t renderings_made(const Renderings *r);

/* The node is gone. */
void renderings_forget(Renderings *r, Key node);

#endif
