/* Asked: what a spec asks of its pod, as far as a pod shows it: the image of seid; image, port and
 * resources of the sidecar; labels, Secrets of keys, and a restart on request.
 *
 * It is read from the two objects alone, without a line of the operator's, so that it can judge
 * what the operator says. A field that the spec leaves out asks for nothing: what stands for it
 * then is the operator's choice. Of a pod that another operator made only seid's image is judged:
 * such a pod is taken over as it is, and left alone until a restart suits. */
#ifndef TESTS_SIM_ASKED_H
#define TESTS_SIM_ASKED_H

#include "base/json.h"

#include <stdbool.h>

/* What a node asks for: {"seid": "seid:v2", "label team": "blue"}. `template` is an object with
 * spec and metadata: a node, or the template of a fleet. */
const Json *asked_of(Arena *a, const Json *template);

/* What a pod shows, under the same names. */
const Json *asked_shown(Arena *a, const Json *pod);

/* Everything that is asked for is shown. */
bool asked_is_shown(const Json *asked, const Json *shown);

#endif
