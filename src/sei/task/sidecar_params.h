/* SidecarParams: what stands in status.plan, as it goes over the wire to a sidecar.
 *
 * The reference stores its parameters with the names of its Go fields ("TargetHeight") and reads
 * them whatever their case: so do we, and both operators can carry on with a plan of the other. */
#ifndef SEI_TASK_SIDECAR_PARAMS_H
#define SEI_TASK_SIDECAR_PARAMS_H

#include "base/json.h"
#include "sei/api/task_type.h"

/* The params for the wire; *ret NULL: none are sent. ERR_TERMINAL for what no sidecar would accept.
 */
Err *sidecar_params(Arena *a, TaskType type, const Json *stored, const Json **ret) MUST_CHECK;

#endif
