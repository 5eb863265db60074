/* Version: of this program, as the build says it; and which pod is the operator. */
#ifndef CLI_VERSION_H
#define CLI_VERSION_H

#include "cli/command.h"

#ifndef CLI_VERSION
#define CLI_VERSION "unknown"
#endif

/* The pod that holds the Lease of the operator that looks after a namespace (NULL: of any), of
 * several the one whose Lease was renewed last; NULL where that cannot be seen: a right may be
 * missing, or it runs outside of the cluster. *ret_holder is who the Lease says, or NULL. */
const Json *version_operator_pod(Cli *cli, const char *namespace, const char **ret_holder);

#endif
