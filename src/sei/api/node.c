/* The spec of a node, and the whole object. The schema has checked most of it at admission, but not
 * the range of numbers, and nothing of what was stored under another schema: so every value is
 * looked at, and an error says where it stands. */
#include "sei/api/node.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_status.h"
#include "sei/api/spec_check.h"
#include "sei/api/spec_field.h"

enum { PORT_MAX = 65535 };

#define KEYRING_KEY_DEFAULT "node_admin"

const Kind kind_seinode[1] = {{"sei.io", "v1alpha1", "seinodes", "SeiNode", .namespaced = true}};
const Kind kind_seinodedeployment[1] = {
    {"sei.io", "v1alpha1", "seinodedeployments", "SeiNodeDeployment", .namespaced = true}};

/* --- modes */

static const struct {
    const char *text, *role, *config;
} modes[] = {
    [MODE_NONE] = {NULL, NULL, NULL},
    [MODE_FULL] = {"fullNode", "node", "full"},
    [MODE_ARCHIVE] = {"archive", "archive", "archive"},
    [MODE_REPLAYER] = {"replayer", "replayer", "full"},
    [MODE_VALIDATOR] = {"validator", "validator", "validator"},
};

enum { MODES = sizeof modes / sizeof modes[0] };

const char *node_mode_text(NodeMode mode)
{
    return modes[mode].text;
}

NodeMode node_mode_parse(const char *text)
{
    for (int mode = MODE_FULL; mode < MODES; mode++)
        if (str_eq(modes[mode].text, text))
            return (NodeMode)mode;
    return MODE_NONE;
}

const char *node_role_text(NodeMode mode)
{
    return modes[mode].role;
}

const char *node_config_mode_text(NodeMode mode)
{
    return modes[mode].config;
}

/* --- the spec */

/* Whatever it is: what makes no sense there is refused by name, and not taken for absent. */
static bool has_member(const Json *block, const char *name)
{
    const Json *member = json_member(block, name);

    return member && json_type(member) != JSON_NULL;
}

static Err *decode_mode(Arena *a, NodeMode mode, const Json *block, NodeSpec *ret)
{
    ret->mode_count++;
    if (ret->mode != MODE_NONE)
        return OK;
    ret->mode = mode;
    if (json_type(block) != JSON_OBJECT)
        return err_terminal(a, ": expected an object");
    if (mode == MODE_VALIDATOR)
        ret->validator = block;
    if (mode == MODE_REPLAYER)
        ret->result_export_is_empty = has_member(block, "resultExport")
            && json_type(json_find(block, ".resultExport.shadowResult")) != JSON_OBJECT;
    TRY(spec_fields_decode(a, block, mode, ret));
    if (ret->keyring.is_set && str_empty(ret->keyring.key_name))
        ret->keyring.key_name = KEYRING_KEY_DEFAULT;
    return spec_check_range(
        a, ".snapshotGeneration.tendermint.keepRecent", ret->generates.keep_recent, 0, INT32_MAX);
}

static Err *decode_modes(Arena *a, const Json *spec, NodeSpec *ret)
{
    for (int mode = MODE_FULL; mode < MODES; mode++) {
        const Json *block = json_member(spec, modes[mode].text);
        const char *path = str_format(a, ".spec.%s", modes[mode].text);
        if (block && json_type(block) != JSON_NULL)
            TRY(node_err_below(a, path, decode_mode(a, (NodeMode)mode, block, ret)));
    }
    return OK;
}

static Err *check_spec(Arena *a, const Json *object, const NodeSpec *spec)
{
    if (!*spec->chain_id)
        return err_terminal(a, ".spec.chainId is empty");
    if (!*spec->image)
        return err_terminal(a, ".spec.image is empty");
    if (json_find(object, ".spec.dataVolume.import") && !spec->import_claim)
        return err_terminal(a, ".spec.dataVolume.import.pvcName is missing");
    TRY(spec_check_range(a, ".spec.sidecar.port", spec->sidecar_port, 0, PORT_MAX));
    TRY(spec_check_texts(a, ".spec.overrides", spec->overrides));
    return spec_check_texts(a, ".spec.podLabels", spec->pod_labels);
}

Err *node_spec_decode(Arena *a, const Json *object, NodeSpec *ret)
{
    *ret = (NodeSpec){.sidecar_port = SIDECAR_PORT_DEFAULT};
    Err *err = spec_fields_decode(a, json_find(object, ".spec"), MODE_NONE, ret);
    TRY(node_err_below(a, ".spec", err));
    TRY(check_spec(a, object, ret));
    if (ret->sidecar_port == 0)
        ret->sidecar_port = SIDECAR_PORT_DEFAULT;
    return decode_modes(a, json_find(object, ".spec"), ret);
}

/* --- the object */

static const char *wish(const Json *object, const char *annotation)
{
    const char *text = meta_annotation(object, annotation);
    return str_empty(text) ? NULL : text;
}

bool node_has_bootstrap(const NodeSpec *spec)
{
    const SnapshotSource *snapshot = &spec->snapshot;

    return !str_empty(snapshot->bootstrap_image) && snapshot->has_s3 && snapshot->s3_height > 0
        && spec->mode != MODE_ARCHIVE && !spec->ceremony.is_set;
}

Err *node_decode(Arena *a, const Json *object, SeiNode *ret)
{
    *ret = (SeiNode){
        .object = object,
        .key = meta_key(object),
        .uid = meta_uid(object),
        .generation = meta_generation(object),
        .deleting = meta_deleting(object),
        .wishes = {.restarted_at = wish(object, ANNOTATION_RESTARTED_AT),
            .retry = wish(object, ANNOTATION_RETRY),
            .adopt_volume = wish(object, ANNOTATION_ADOPT_VOLUME),
            .allow_new_volume = wish(object, ANNOTATION_ALLOW_NEW_VOLUME),
            .volume_policy = wish(object, ANNOTATION_VOLUME_POLICY)},
        .released_spec = wish(object, ANNOTATION_RELEASED_SPEC),
    };
    Err *status = node_status_decode(a, object, &ret->status);
    Err *spec = node_spec_decode(a, object, &ret->spec);
    ret->in_maintenance = maintenance_is_marked(object);
    maintenance_decode(a, object, &ret->maintenance);
    ret->spec.paused = ret->spec.paused || ret->in_maintenance;
    return status ? status : spec;
}
