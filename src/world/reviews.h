/* Reviews: the kinds that are asked and never stored: who has this token, may they do that, who am
 * I, what may I. The caller of server_call_as is "I". */
#ifndef WORLD_REVIEWS_H
#define WORLD_REVIEWS_H

#include "world/call.h"

/* Row by row these kinds, for discovery; NULL behind the last. They have no verb but create. */
const Kind *review_kind(size_t row);

/* Whether a kind is one of them. */
bool review_is(const Kind *kind);

/* Answers one. */
Err *call_review(Call *c) MUST_CHECK;

#endif
