/* Scale: which children of a fleet are to be made, and which one is to go.
 *
 * Missing ones are made all at once. Surplus ones go from the highest ordinal, one at a time: the
 * next when the last is gone, so that somebody who made a mistake can still undo most of it. None
 * is made beside one that is something else than the template would make: a fleet is of one chain.
 */
#ifndef SEI_PLAN_SCALE_H
#define SEI_PLAN_SCALE_H

#include "sei/api/fleet.h"

typedef struct ScaleChild { /* a SeiNode that has the name of a child */
    int64_t ordinal;
    bool leaving; /* being deleted */
    bool foreign; /* not the fleet's: never touched, and in the way */
    bool other;   /* of another chain or mode than the template asks for */
} ScaleChild;

typedef struct Scale {
    int64_t create[FLEET_REPLICAS_MAX]; /* ordinals, the lowest first */
    size_t create_count;
    int64_t remove;  /* the ordinal to be deleted now, or -1 */
    int64_t leaving; /* a surplus ordinal whose end is awaited before the next, or -1 */
    size_t surplus, foreign_count; /* foreign ones in the place of a child */
} Scale;

/* Decides. `replicas` is at most FLEET_REPLICAS_MAX. */
void plan_scale(int64_t replicas, const ScaleChild *children, size_t count, Scale *ret);

#endif
