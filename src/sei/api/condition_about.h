/* ConditionAbout: what every condition and every reason means to a person, and what to do about it.
 * docs/CONDITIONS.md is made of this.
 *
 * A new row of REASONS or FLEET_REASONS, or a new condition, that has no sentence here does not
 * compile. */
#ifndef SEI_API_CONDITION_ABOUT_H
#define SEI_API_CONDITION_ABOUT_H

#include "sei/api/condition.h"

/* What is to be known before a validator runs again. */
#define SIGNS_NOWHERE_ELSE                                                                         \
    "its key signs nowhere else, in no other cluster either, because two that sign are slashed "   \
    "and jailed for good"

/* What the condition says that the reason stands on, in sentences. */
const char *condition_about(Reason reason);

/* When the reason is given, as a clause: "the spec cannot be carried out". */
const char *reason_when(Reason reason);

/* What a person does about it, in sentences; NULL: nothing. */
const char *reason_advice(Reason reason);

/* What is to be known before that, of validators, in a sentence; NULL: nothing. */
const char *reason_caution(Reason reason);

#endif
