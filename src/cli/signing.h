/* Signing: what is to be known before a validator runs again: whoever starts it while its key signs
 * elsewhere has two that sign, which is slashed, and jailed for good. What can be seen from here is
 * the namespace, because Secrets reach no further; other clusters are for a person to know. */
#ifndef CLI_SIGNING_H
#define CLI_SIGNING_H

#include "cli/target.h"

/* A validator, or a fleet of them. */
bool signing_is_validator(const Json *object);

/* Another SeiNode of the namespace that signs with the Secret of this node or fleet and is not seen
 * to be stopped, in words: "node/b would sign with Secret k, as node/a does, ..."; NULL: there is
 * none, or nobody may look. */
Err *signing_find_twin(Cli *cli, const Target *target, const char **ret_words) MUST_CHECK;

#endif
