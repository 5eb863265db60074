/* MaintainFleet: what a run takes from the fleet of the node. */
#ifndef CLI_MAINTAIN_FLEET_H
#define CLI_MAINTAIN_FLEET_H

#include "cli/target.h"

/* The fleet of a node, and who of it is down beside the node. */
typedef struct MaintainFleet {
    const char *name;     /* NULL: the node has none, or nobody may look */
    int64_t budget;       /* how many may be down at once */
    int64_t others;       /* that are */
    const char *names;    /* of the first few of these */
    bool node_is_down;    /* it serves nobody as it is: a run takes none away */
    bool budget_is_known; /* of a fleet that cannot be read it is not */
} MaintainFleet;

/* Reads the fleet and its nodes. What may not be read is left open. */
Err *maintain_fleet_read(Cli *cli, const Json *node, MaintainFleet *ret) MUST_CHECK;

/* ERR_TERMINAL when the run would take down one more than the fleet allows. */
Err *maintain_fleet_check(Cli *cli, const Json *node, const MaintainFleet *fleet) MUST_CHECK;

/* What a person should know before. */
void maintain_fleet_warn(Cli *cli, const Json *node, const MaintainFleet *fleet);

#endif
