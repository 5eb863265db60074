/* Decoding: the refusals of bodies that the server cannot read. */
#ifndef WORLD_DECODING_H
#define WORLD_DECODING_H

#include "world/call.h"

/* Refuses what cannot be read as the call's kind: 400 of an object that is sent, 422 of one that a
 * patch makes, 500 of one that is applied; and what is too large: 413. */
Err *decoding_check(Call *c, const Json *object) MUST_CHECK;

/* Warns of fields that are unknown or stand twice, or refuses them, if the call asks for that. */
Err *decoding_check_strictly(Call *c, const Json *object) MUST_CHECK;

#endif
