/* TaskFailure: whether a failed sidecar task can succeed when it is submitted again. The sidecar
 * does not send that fact, only free text, so the text decides. */
#ifndef SEI_SIDECAR_TASK_FAILURE_H
#define SEI_SIDECAR_TASK_FAILURE_H

#include <stdbool.h>

/* The error text names a cause that no retry removes: a person must change something first. A text
 * that is not in the table is transient. The sidecar has one text per permanent cause, but S3, DNS
 * and the kernel have many for an outage. */
bool task_failure_is_permanent(const char *error);

#endif
