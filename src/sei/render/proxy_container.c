/* The proxy in front of the sidecar: asks the API server who calls and whether they may.
 *
 * It accepts only tokens that were made for this namespace's sidecars, so that one that is stolen
 * from a pod opens nothing else. Health and metrics need no token. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

static DraftField proxy_args(Arena *a, const Subject *s)
{
    const char **args = arena_array(a, const char *, 8);

    args[0] = str_format(a, "--insecure-listen-address=0.0.0.0:%d", PROXY_PORT);
    args[1] = str_format(a, "--upstream=http://127.0.0.1:%d/", (int)s->node->spec.sidecar_port);
    args[2] = "--config-file=" PROXY_CONF_DIR "/config.yaml";
    args[3] = "--ignore-paths=/v0/healthz,/v0/startupz,/v0/livez,/v0/metrics";
    args[4] = "--auth-header-fields-enabled=true";
    args[5] = "--v=0";
    args[6] = str_format(
        a, "--auth-token-audiences=%s", name_sidecar_audience(a, s->node->key.namespace));
    return draft_field_strs("args", args);
}

static Draft *config_mount(Arena *a)
{
    Draft *mount = render_mount(a, VOLUME_PROXY_CONFIG, PROXY_CONF_DIR);

    draft_set(mount, flag("readOnly", true));
    return mount;
}

static Draft *probe_if(bool probed, Draft *probe)
{
    return probed ? probe : NULL;
}

static Draft *proxy(Arena *a, const Subject *s, bool probed)
{
    return draft(a,
        str("name", CONTAINER_PROXY),
        str("image", s->settings->proxy_image),
        str("restartPolicy", "Always"),
        proxy_args(a, s),
        list("ports", render_port(a, "api", PROXY_PORT)),
        list("volumeMounts", config_mount(a)),
        sub("startupProbe",
            probe_if(probed,
                render_tcp_probe(
                    a, PROXY_PORT, (ProbeTimes){.delay = 5, .period = 5, .failures = 60}))),
        sub("livenessProbe",
            probe_if(probed,
                render_http_probe(a,
                    "/v0/livez",
                    PROXY_PORT,
                    (ProbeTimes){.delay = 5, .period = 10, .failures = 3}))),
        sub("readinessProbe",
            probe_if(probed,
                render_http_probe(a,
                    "/v0/healthz",
                    PROXY_PORT,
                    (ProbeTimes){.delay = 2, .period = 5, .failures = 6}))),
        sub("securityContext", render_security(a, ROOT_READ_ONLY)));
}

Draft *render_proxy(Arena *a, const Subject *s)
{
    return proxy(a, s, true);
}

/* Health needs no token here either: so it is noticed when a sidecar has forgotten that seid may
 * run. */
Draft *render_bootstrap_proxy(Arena *a, const Subject *s)
{
    return proxy(a, s, false);
}
