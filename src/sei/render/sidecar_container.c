/* The sidecar that sets a node up and watches over it. It has no probes: the proxy's ask it,
 * through the same door as everybody else. */
#include "base/str.h"
#include "sei/api/names.h"
#include "sei/render/pod.h"

static Draft *sidecar_variables(Arena *a, const Subject *s)
{
    const Settings *p = s->settings;
    const struct {
        const char *name, *value;
    } rows[] = {
        {"SEI_CHAIN_ID", s->chain_id},
        {"SEI_SIDECAR_PORT", str_format(a, "%d", (int)s->node->spec.sidecar_port)},
        {"SEI_HOME", DATA_DIR},
        {"SEI_GENESIS_BUCKET", p->genesis_bucket},
        {"SEI_GENESIS_REGION", p->genesis_region},
        {"SEI_SNAPSHOT_BUCKET", p->snapshot_bucket},
        {"SEI_SNAPSHOT_REGION", p->snapshot_region},
        {"SEI_SIDECAR_AUTHN_MODE", "trusted-header"},
    };
    Draft *variables = draft_array(a);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        draft_push(variables, render_variable(a, rows[i].name, rows[i].value));
    return variables;
}

static Draft *sidecar_mounts(Arena *a)
{
    Draft *mounts = draft_array(a);

    draft_push(mounts, render_mount(a, VOLUME_DATA, DATA_DIR));
    draft_push(mounts, render_mount(a, VOLUME_SIDECAR_TMP, "/tmp"));
    return mounts;
}

/* What differs between the stages; without ports none are named. */
typedef struct SidecarParts {
    Draft *variables, *mounts, *ports;
} SidecarParts;

static Draft *sidecar(Arena *a, const Subject *s, const Json *resources, SidecarParts parts)
{
    const NodeSpec *spec = &s->node->spec;

    return draft(a,
        str("name", CONTAINER_SIDECAR),
        str("image",
            str_empty(spec->sidecar_image) ? s->settings->sidecar_image : spec->sidecar_image),
        str("restartPolicy", "Always"),
        strs("command", "seictl", "serve"),
        sub("env", parts.variables),
        sub("ports", parts.ports),
        draft_json("resources", resources),
        sub("volumeMounts", parts.mounts),
        sub("securityContext", render_security(a, ROOT_READ_ONLY)));
}

Draft *render_sidecar(Arena *a, const Subject *s, const Json *resources)
{
    SidecarParts parts = {sidecar_variables(a, s), sidecar_mounts(a), draft_array(a)};

    render_sidecar_key_variables(a, s, parts.variables);
    if (s->node->spec.generates.publish && s->settings->snapshot_upload_interval)
        draft_push(parts.variables,
            render_variable(
                a, "SEI_SNAPSHOT_UPLOAD_INTERVAL", s->settings->snapshot_upload_interval));
    render_sidecar_key_mounts(a, s, parts.mounts);
    draft_push(parts.ports, render_port(a, "sidecar", s->node->spec.sidecar_port));
    return sidecar(a, s, resources, parts);
}

Draft *render_bootstrap_sidecar(Arena *a, const Subject *s, const Json *resources)
{
    return sidecar(
        a, s, resources, (SidecarParts){sidecar_variables(a, s), sidecar_mounts(a), NULL});
}
