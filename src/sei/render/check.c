/* What the API server would refuse is refused here, by the name that it has in the spec: a 422
 * speaks of an object that nobody wrote. And what the server takes but no pod could ever run with.
 */
#include "base/str.h"
#include "kube/core/label.h"
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/pod.h"

#include <string.h>

enum {
    /* Pods are labelled with "<name>-<hash>", the hash having up to ten digits: 63 in all. */
    NAME_MAX_LEN = 52,
    PORT_MAX = 65535,
    SAID_MAX = 80, /* of a bad value, in a message */
};

static const char *said(Arena *a, const char *value)
{
    return str_cut(a, value ? value : "", SAID_MAX);
}

/* A Service's name begins with a letter and has no dots. */
static bool is_service_name(const char *name)
{
    size_t len = strlen(name);

    return len > 0 && name[0] >= 'a' && name[0] <= 'z' && name[len - 1] != '-'
        && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == len;
}

static Err *check_name(Arena *a, const char *name)
{
    if (str_empty(name) || !is_service_name(name))
        return err_terminal(a,
            "metadata.name: \"%s\" cannot name a Service: it must begin with a lower-case letter, "
            "end with a letter or digit, and have only those and \"-\"; create the node under "
            "another name",
            said(a, name));
    if (strlen(name) > NAME_MAX_LEN)
        return err_terminal(a,
            "metadata.name: \"%s\" has %zu characters, and the pods of a StatefulSet can be "
            "labelled with at most %d of them; create the node under a shorter name",
            said(a, name),
            strlen(name),
            NAME_MAX_LEN);
    return OK;
}

/* It also stands in the script of seid-init, so nothing that a shell understands may be in it. */
static Err *check_chain(Arena *a, const char *chain_id)
{
    if (str_empty(chain_id) || !label_is_value(chain_id))
        return err_terminal(a,
            "spec.chainId: \"%s\" cannot be a label: 1 to 63 letters, digits, \"-\", \"_\" or "
            "\".\", beginning and ending with a letter or digit",
            said(a, chain_id));
    return OK;
}

static Err *check_image(Arena *a, const char *path, const char *image)
{
    if (str_empty(image))
        return err_terminal(a, "%s: no image", path);
    for (const char *c = image; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return err_terminal(
                a, "%s: \"%s\" has a space or control character in it", path, said(a, image));
    return OK;
}

static const char *port_taken_by(int64_t port)
{
    if (port == PROXY_PORT)
        return CONTAINER_PROXY;
    if (port == EXPORTER_PORT)
        return CONTAINER_EXPORTER;
    for (const NodePort *taken = node_ports; taken->name; taken++)
        if (port == taken->number)
            return CONTAINER_SEID;
    return NULL;
}

static Err *check_port(Arena *a, int64_t port)
{
    const char *taken_by = port_taken_by(port);

    if (port < 1 || port > PORT_MAX)
        return err_terminal(
            a, "spec.sidecar.port: %lld is not between 1 and %d", (long long)port, PORT_MAX);
    if (taken_by)
        return err_terminal(
            a, "spec.sidecar.port: %lld is taken by %s in the same pod", (long long)port, taken_by);
    return OK;
}

static Err *check_labels(Arena *a, const Json *labels)
{
    const Json *label;

    json_each(label, labels) {
        const char *key = json_key(label), *value = json_text(label);

        if (!label_is_key(key))
            return err_terminal(a, "spec.podLabels: \"%s\" is not a label's key", said(a, key));
        if (!value || !label_is_value(value))
            return err_terminal(a,
                "spec.podLabels['%s']: \"%s\" is not a label's value: at most 63 letters, digits, "
                "\"-\", \"_\" or \".\", beginning and ending with a letter or digit",
                key,
                said(a, value));
    }
    return OK;
}

static Err *check_mode(Arena *a, const Subject *s)
{
    if (s->mode == MODE_NONE)
        return err_terminal(
            a, "spec: one of fullNode, archive, replayer and validator must be set");
    if (s->mode == MODE_VALIDATOR && !s->node->spec.validator)
        return err_terminal(a,
            "spec.validator: the node was set up as a validator, and without this block its keys "
            "are not known; put it back");
    return OK;
}

static Err *check_bootstrap_image(Arena *a, const NodeSpec *spec)
{
    if (!node_has_bootstrap(spec))
        return OK;
    return check_image(a,
        str_format(a, "spec.%s.snapshot.bootstrapImage", node_mode_text(spec->mode)),
        spec->snapshot.bootstrap_image);
}

Err *render_check(Arena *a, const Subject *s)
{
    const NodeSpec *spec = &s->node->spec;

    TRY(check_name(a, s->node->key.name));
    TRY(check_mode(a, s));
    TRY(check_chain(a, s->chain_id));
    TRY(check_image(a, "spec.image", spec->image));
    TRY(check_bootstrap_image(a, spec));
    if (!str_empty(spec->sidecar_image))
        TRY(check_image(a, "spec.sidecar.image", spec->sidecar_image));
    TRY(check_image(a, "SEI_SIDECAR_IMAGE", s->settings->sidecar_image));
    TRY(check_image(a, "SEI_KUBE_RBAC_PROXY_IMAGE", s->settings->proxy_image));
    TRY(check_image(a, "SEI_COSMOS_EXPORTER_IMAGE", s->settings->exporter_image));
    TRY(check_port(a, spec->sidecar_port));
    return check_labels(a, spec->pod_labels);
}
