/* ProbeOutput: what the kubelet last got from the failing probe of a container. Pure.
 *
 * The status of a pod says that a container is not Ready. The answer of its probe stands only in
 * the kubelet's Events of reason Unhealthy, which may be absent: they expire after an hour, and the
 * kubelet drops some of those that it repeats often. Test: tests/sei/api/test_probe_output.c. */
#ifndef SEI_API_PROBE_OUTPUT_H
#define SEI_API_PROBE_OUTPUT_H

#include "base/json.h"

#include <stdint.h>

enum { PROBE_OUTPUT_MAX = 200 }; /* bytes */

/* From when an Event is about the present failure of the container, in ms since 1970: its run, and
 * the failures that made the pod not Ready. 0: unknown. */
int64_t probe_failing_since_ms(const Json *pod, const char *container);

/* The newest output of the container's readiness or startup probe, from the list `events` of the
 * Events about its pod: one line of printable ASCII. NULL: no Event has it. */
const char *probe_output_find(Arena *a, const Json *pod, const char *container, const Json *events);

#endif
