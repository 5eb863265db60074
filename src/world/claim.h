/* Claim: whose an object is. How controllers find what is theirs, take in strays that their
 * selector matches, let go of what it matches no more; and the owner references and finalizers that
 * say so.
 *
 * In a view an object stands below its controller, or, without one, among the strays of its
 * namespace. */
#ifndef WORLD_CLAIM_H
#define WORLD_CLAIM_H

#include "world/controller.h"

/* --- tags --- */

/* Tags an object with its controller, or as a stray. */
void claim_tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret);

/* Objects of a kind that an owner controls, and the strays of its namespace, behind each other. */
ViewList claim_candidates(const View *v, Arena *a, const Kind *kind, const Json *owner);

/* Wants the errand "namespace/name" of the controllers of kind `owner` that a change touches:
 * before and after it. True when the object is a stray now, which touches whoever selects it. */
bool claim_notice(Controller *c, const Change *change, const Kind *owner, int64_t due_ms);

/* --- claiming --- */

typedef struct Claim {
    const Kind *owner_kind;
    const Json *owner;
    const Kind *kind;      /* of what is claimed */
    const char *finalizer; /* that comes with being adopted and goes with being released, or NULL */
} Claim;

/* Whether a candidate is the owner's. Adopts it when it is a stray that matches and nothing is
 * being deleted, after asking the server whether the owner is still there; releases what does not
 * match. Either is the write of this sync. */
Err *claim_object(
    Sync *s, const Claim *claim, const Json *object, bool matches, bool *ret_mine) MUST_CHECK;

/* --- objects put together anew --- */

/* Without the owner references to these UIDs (ended by NULL). */
const Json *claim_without_owners(Arena *a, const Json *object, const char *const *uids);

/* With and without a finalizer. */
const Json *claim_with_finalizer(Arena *a, const Json *object, const char *finalizer);
const Json *claim_without_finalizer(Arena *a, const Json *object, const char *finalizer);

#endif
