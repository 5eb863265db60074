/* MaintainJob: the Job of a maintenance run. */
#ifndef CLI_MAINTAIN_JOB_H
#define CLI_MAINTAIN_JOB_H

#include "sei/api/maintenance.h"

#define MAINTAIN_CONTAINER "maintain"

/* The claim that the pods of a node's StatefulSet have their data on; NULL: none. */
const char *maintain_claim(const Json *statefulset);

/* The Job, suspended: one pod, no second try, with the volume where seid has it, as the user and in
 * the places that the StatefulSet's pods have. NULL when the StatefulSet has no seid with data. */
const Json *maintain_job(
    Arena *a, const Json *node, const Json *statefulset, const Maintenance *run);

/* What the kubelet says of the container that runs the command, which need not be the only one;
 * NULL: nothing. */
const Json *maintain_container(const Json *pod);

#endif
