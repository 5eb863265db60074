/* The Service of a bootstrap stage: it gives the Job's pod the name that the node's own pod will
 * have, and has itself the name that the node's own Service will have. It selects the Job's pod
 * alone. */
#include "sei/api/names.h"
#include "sei/render/pod.h"

Draft *render_bootstrap_service(Arena *a, const Subject *s)
{
    return draft(a,
        str("apiVersion", "v1"),
        str("kind", "Service"),
        sub("metadata", render_bootstrap_metadata(a, s, s->node->key.name)),
        obj("spec",
            str("clusterIP", "None"),
            sub("selector", render_bootstrap_labels(a, s)),
            flag("publishNotReadyAddresses", true), /* its sidecar is asked before it is ready */
            list("ports", render_service_port(a, "api", PROXY_PORT, NULL))));
}
