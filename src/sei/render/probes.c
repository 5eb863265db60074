/* Probes. What is 0 in their times is left to the server's defaults. */
#include "sei/render/pod.h"

static Draft *with_times(Draft *probe, ProbeTimes times)
{
    draft_set(probe, draft_num_if(times.delay > 0, "initialDelaySeconds", times.delay));
    draft_set(probe, draft_num_if(times.period > 0, "periodSeconds", times.period));
    draft_set(probe, draft_num_if(times.failures > 0, "failureThreshold", times.failures));
    draft_set(probe, draft_num_if(times.timeout > 0, "timeoutSeconds", times.timeout));
    return probe;
}

Draft *render_http_probe(Arena *a, const char *path, int port, ProbeTimes times)
{
    return with_times(draft(a, obj("httpGet", str("path", path), num("port", port))), times);
}

Draft *render_tcp_probe(Arena *a, int port, ProbeTimes times)
{
    return with_times(draft(a, obj("tcpSocket", num("port", port))), times);
}
