/* The exporter of what the chain says about itself. It dies when nobody serves gRPC, so it waits
 * for that first. */
#include "sei/render/pod.h"

static const char script[] =
    "while ! ( exec 3<>/dev/tcp/localhost/9090 ) 2>/dev/null; do sleep 5; done;"
    " exec /usr/local/bin/sei-cosmos-exporter"
    " --denom usei --denom-coefficient 1000000 --bech-prefix sei --listen-address :9300";

Draft *render_exporter(Arena *a, const Subject *s)
{
    return draft(a,
        str("name", CONTAINER_EXPORTER),
        str("image", s->settings->exporter_image),
        strs("command", "/bin/bash", "-c"),
        strs("args", script),
        list("ports", render_port(a, "cosmos-metrics", EXPORTER_PORT)),
        obj("resources",
            obj("requests", str("cpu", "50m"), str("memory", "64Mi")),
            obj("limits", str("memory", "384Mi"))),
        list("volumeMounts", render_mount(a, VOLUME_SIDECAR_TMP, "/tmp")),
        sub("readinessProbe",
            render_tcp_probe(a, EXPORTER_PORT, (ProbeTimes){.period = 10, .failures = 6})),
        sub("livenessProbe",
            render_tcp_probe(
                a, EXPORTER_PORT, (ProbeTimes){.delay = 600, .period = 10, .failures = 3})),
        sub("securityContext", render_security(a, ROOT_READ_ONLY)));
}
