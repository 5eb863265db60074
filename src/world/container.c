/* Container: reading its spec, and what its state means. How it moves is the pod's business. */
#include "world/container.h"

#include "base/str.h"
#include "world/ports.h"

static int64_t port_of(const Json *container, const Json *handler)
{
    const char *name = json_str(handler, ".port");
    const Json *port;

    json_each(port, json_find(container, ".ports"))
        if (name && str_eq(json_str(port, ".name"), name))
            return json_int(port, ".containerPort", 0);
    return json_int(handler, ".port", 0);
}

static ProbeTarget target_of(const Json *container, const Json *probe)
{
    const Json *get = json_find(probe, ".httpGet");
    const Json *tcp = json_find(probe, ".tcpSocket");
    int64_t port = port_of(container, get ? get : tcp);

    if (port == POD_PORT_PROXY)
        return get ? PROBE_PROXY_GET : PROBE_PROXY_OPEN;
    if (port == POD_PORT_RPC && str_eq(json_str(get, ".path"), "/lag_status"))
        return PROBE_LAG;
    if (port == POD_PORT_RPC || port == POD_PORT_P2P)
        return PROBE_SEID_OPEN;
    return port == POD_PORT_EXPORTER ? PROBE_EXPORTER : PROBE_FINE;
}

static Probe decode_probe(Arena *a, const Json *container, const Json *probe)
{
    if (!probe)
        return (Probe){.next_ms = INT64_MAX};
    return (Probe){
        .target = target_of(container, probe),
        .path = str_copy(a, json_str(probe, ".httpGet.path")),
        .delay_ms = json_int(probe, ".initialDelaySeconds", 0) * 1000,
        .period_ms = json_int(probe, ".periodSeconds", 10) * 1000,
        .failures_max = json_int(probe, ".failureThreshold", 3),
        .successes_min = json_int(probe, ".successThreshold", 1),
        .next_ms = INT64_MAX,
    };
}

static ContainerProgram program_of(const char *name)
{
    static const struct {
        const char *name;
        ContainerProgram program;
    } programs[] = {
        {"seid-init", PROGRAM_SEID_INIT},
        {"sei-sidecar", PROGRAM_SIDECAR},
        {"kube-rbac-proxy", PROGRAM_PROXY},
        {"seid", PROGRAM_SEID},
    };

    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (str_eq(name, programs[i].name))
            return programs[i].program;
    return PROGRAM_PLAIN;
}

void container_decode(Arena *a, Container *c, const Json *spec, bool is_init)
{
    const char *name = json_str(spec, ".name"), *image = json_str(spec, ".image");
    bool stays = str_eq(json_str(spec, ".restartPolicy"), "Always");

    *c = (Container){
        .name = name ? str_copy(a, name) : "",
        .image = image ? str_copy(a, image) : "",
        .role = !is_init ? ROLE_MAIN
            : stays      ? ROLE_NATIVE
                         : ROLE_INIT,
        .program = program_of(name),
        .startup = decode_probe(a, spec, json_find(spec, ".startupProbe")),
        .liveness = decode_probe(a, spec, json_find(spec, ".livenessProbe")),
        .readiness = decode_probe(a, spec, json_find(spec, ".readinessProbe")),
        .due_ms = INT64_MAX,
    };
}

bool container_is_running(const Container *c)
{
    return c->state == CONTAINER_RUNNING || c->state == CONTAINER_STOPPING;
}

bool container_is_passed(const Container *c)
{
    if (c->role == ROLE_INIT)
        return c->state == CONTAINER_EXITED && c->end.exit_code == 0;
    return c->is_started;
}

const char *container_waiting_reason(const Container *c, bool is_initialized)
{
    switch (c->state) {
    case CONTAINER_IDLE:
    case CONTAINER_PULLING:
        return is_initialized ? "ContainerCreating" : "PodInitializing";
    case CONTAINER_PULL_FAILED:
        return "ErrImagePull";
    case CONTAINER_PULL_BACKOFF:
        return "ImagePullBackOff";
    case CONTAINER_CRASH_BACKOFF:
        return "CrashLoopBackOff";
    case CONTAINER_RUNNING:
    case CONTAINER_STOPPING:
    case CONTAINER_EXITED:
        return NULL;
    }
    return NULL;
}
