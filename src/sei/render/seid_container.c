/* The chain's own program: once to lay out an empty home, then to run.
 *
 * The pod starts seid before its node is set up: the script holds it back until the sidecar says
 * that everything is in place. The image has neither curl nor wget, but bash can open a socket. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/pod.h"

static const char init_script[] =
    "set -e;"
    " if [ ! -f \"$HOME/config/genesis.json\" ];"
    " then seid init %s --chain-id %s --home \"$HOME\" --overwrite; fi;"
    " mkdir -p \"$HOME/tmp\"";

#define WAIT_FOR_SIDECAR                                                                           \
    "up() ( exec 3<>/dev/tcp/localhost/%d || exit 1;"                                              \
    " printf 'GET /v0/healthz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3;"                     \
    " IFS= read -r l <&3; [[ $l == *' 200'* ]] );"                                                 \
    " while ! up 2>/dev/null; do sleep 5; done;"

static const char run_script[] = WAIT_FOR_SIDECAR " exec seid start --home \"$HOME\"";

/* At its height seid signals itself and ends with 0, 143 or, during its start, 130: all are
 * success. If the container is told to end before, it is no success, whatever seid makes of it: the
 * Job would count as done. */
static const char bootstrap_script[] =
    WAIT_FOR_SIDECAR " trap 't=143; kill -TERM $!' TERM;"
                     " seid start --home \"$HOME\" --halt-height %lld & wait $!; s=$?;"
                     " while [ \"$t\" ] && kill -0 $! 2>/dev/null; do wait $!; done;"
                     " case $s in 130|143) s=0;; esac; exit ${t:-$s}";

Draft *render_seid_init(Arena *a, const Subject *s, const char *image)
{
    return draft(a,
        str("name", CONTAINER_INIT),
        str("image", image),
        strs("command", "/bin/sh", "-c", str_format(a, init_script, s->chain_id, s->chain_id)),
        list("env", render_variable(a, "HOME", DATA_DIR)),
        list("volumeMounts", render_mount(a, VOLUME_DATA, DATA_DIR)),
        sub("securityContext", render_security(a, ROOT_WRITABLE)));
}

static Draft *seid_ports(Arena *a)
{
    Draft *ports = draft_array(a);

    for (const NodePort *port = node_ports; port->name; port++)
        draft_push(ports, render_port(a, port->name, port->number));
    return ports;
}

static Draft *seid_mounts(Arena *a, const Subject *s)
{
    Draft *mounts = draft_array(a);

    draft_push(mounts, render_mount(a, VOLUME_DATA, DATA_DIR));
    render_seid_key_mounts(a, s, mounts);
    return mounts;
}

static Draft *seid_variables(Arena *a)
{
    Draft *variables = draft_array(a);

    draft_push(variables, render_variable(a, "HOME", DATA_DIR));
    draft_push(variables, render_variable(a, "TMPDIR", DATA_DIR "/tmp"));
    return variables;
}

static Draft *seid_resources(Arena *a, const Subject *s)
{
    Platform platform = render_platform(s);

    return draft(a, obj("requests", str("cpu", platform.cpu), str("memory", platform.memory)));
}

Draft *render_bootstrap_seid(Arena *a, const Subject *s)
{
    const NodeSpec *spec = &s->node->spec;

    return draft(a,
        str("name", CONTAINER_SEID),
        str("image", spec->snapshot.bootstrap_image),
        strs("command", "/bin/bash", "-c"),
        strs("args",
            str_format(
                a, bootstrap_script, (int)spec->sidecar_port, (long long)spec->snapshot.s3_height)),
        sub("env", seid_variables(a)),
        sub("resources", seid_resources(a, s)),
        list("volumeMounts", render_mount(a, VOLUME_DATA, DATA_DIR)),
        sub("securityContext", render_security(a, ROOT_WRITABLE)));
}

Draft *render_seid(Arena *a, const Subject *s)
{
    return draft(a,
        str("name", CONTAINER_SEID),
        str("image", s->node->spec.image),
        strs("command", "/bin/bash", "-c"),
        strs("args", str_format(a, run_script, (int)s->node->spec.sidecar_port)),
        sub("env", seid_variables(a)),
        sub("ports", seid_ports(a)),
        sub("resources", seid_resources(a, s)),
        sub("volumeMounts", seid_mounts(a, s)),
        /* Setting up may take days: whoever waits for the sidecar is not to be killed. */
        sub("startupProbe",
            render_http_probe(a,
                "/v0/healthz",
                PROXY_PORT,
                (ProbeTimes){.delay = 5, .period = 5, .failures = 86400})),
        sub("readinessProbe",
            render_http_probe(a,
                "/lag_status",
                RPC_PORT,
                (ProbeTimes){.delay = 30, .period = 10, .failures = 3, .timeout = 5})),
        sub("securityContext", render_security(a, ROOT_WRITABLE)));
}
