/* Hold: what keeps a change of the spec from the pods: spec.updateStrategy.hold of a fleet, and
 * spec.paused of a fleet or a node. A change is stored all the same, so the plugin warns. */
#ifndef CLI_HOLD_H
#define CLI_HOLD_H

#include "cli/target.h"

/* A fleet with spec.updateStrategy.hold; false of every node. */
bool hold_is_set(const Json *object);

/* "fleet/a is held (...): no node is updated until `kubectl sei rollout resume fleet/a`", or that
 * it is paused; NULL when the pods follow a change of the spec. */
const char *hold_warning(Cli *cli, const Target *target);

/* What to type after a change, as Change.next: what ends the hold, or `otherwise` and the target.
 * After a change of what is paused it is `status`: to unpause is another decision. */
const char *hold_next(Cli *cli, const Target *target, const char *otherwise);

#endif
