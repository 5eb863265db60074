/* The spec of a node, and the whole object. The schema has checked most of it at admission, but not
 * the range of numbers, and nothing of what was stored under another schema: so every value is
 * looked at, and an error says where it stands. */
#include "sei/api/node.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/node_status.h"
#include "sei/api/spec_check.h"

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

/* People write "" where they mean nothing. */
static void empty_to_null(const char **text)
{
    if (str_empty(*text))
        *text = NULL;
}

static Err *decode_snapshot(Arena *a, const Json *mode, SnapshotSource *ret)
{
    static const JsonField fields[] = {
        {".snapshot.s3.targetHeight",
            JSON_FIELD_INT,
            offsetof(SnapshotSource, s3_height),
            .required = false},
        {".snapshot.trustPeriod",
            JSON_FIELD_STR,
            offsetof(SnapshotSource, trust_period),
            .required = false},
        {".snapshot.backfillBlocks",
            JSON_FIELD_INT,
            offsetof(SnapshotSource, backfill_blocks),
            .required = false},
        {".snapshot.bootstrapImage",
            JSON_FIELD_STR,
            offsetof(SnapshotSource, bootstrap_image),
            .required = false},
        {0},
    };
    const Json *snapshot = json_find(mode, ".snapshot");

    ret->is_set = json_type(snapshot) == JSON_OBJECT;
    ret->has_s3 = json_type(json_find(snapshot, ".s3")) == JSON_OBJECT;
    ret->state_sync = json_type(json_find(snapshot, ".stateSync")) == JSON_OBJECT;
    TRY(json_decode(a, mode, fields, ret));
    empty_to_null(&ret->trust_period);
    empty_to_null(&ret->bootstrap_image);
    return OK;
}

static Err *decode_generation(Arena *a, const Json *mode, SnapshotGeneration *ret)
{
    static const JsonField fields[] = {
        {".snapshotGeneration.tendermint.keepRecent",
            JSON_FIELD_INT,
            offsetof(SnapshotGeneration, keep_recent),
            .required = false},
        {0},
    };
    const Json *generation = json_find(mode, ".snapshotGeneration");
    const Json *tendermint = json_find(generation, ".tendermint");

    ret->is_set = json_type(generation) == JSON_OBJECT;
    ret->has_tendermint = json_type(tendermint) == JSON_OBJECT;
    ret->publish = json_type(json_find(tendermint, ".publish")) == JSON_OBJECT;
    TRY(json_decode(a, mode, fields, ret));
    return spec_check_range(a, fields[0].path, ret->keep_recent, 0, INT32_MAX);
}

/* Whatever it is: what makes no sense there is refused by name, and not taken for absent. */
static bool has_member(const Json *block, const char *name)
{
    const Json *member = json_member(block, name);

    return member && json_type(member) != JSON_NULL;
}

static Err *decode_keys(Arena *a, const Json *block, NodeSpec *ret)
{
    static const JsonField fields[] = {
        {".signingKey.secret.secretName",
            JSON_FIELD_STR,
            offsetof(NodeSpec, signing_key.secret),
            .required = false},
        {".nodeKey.secret.secretName",
            JSON_FIELD_STR,
            offsetof(NodeSpec, node_key.secret),
            .required = false},
        {".operatorKeyring.secret.secretName",
            JSON_FIELD_STR,
            offsetof(NodeSpec, keyring.secret),
            .required = false},
        {".operatorKeyring.secret.keyName",
            JSON_FIELD_STR,
            offsetof(NodeSpec, keyring.key_name),
            .required = false},
        {".operatorKeyring.secret.passphraseSecretRef.secretName",
            JSON_FIELD_STR,
            offsetof(NodeSpec, keyring.passphrase),
            .required = false},
        {".operatorKeyring.secret.passphraseSecretRef.key",
            JSON_FIELD_STR,
            offsetof(NodeSpec, keyring.passphrase_key),
            .required = false},
        {0},
    };

    ret->signing_key.is_set = has_member(block, "signingKey");
    ret->node_key.is_set = has_member(block, "nodeKey");
    ret->keyring.is_set = has_member(block, "operatorKeyring");
    TRY(json_decode(a, block, fields, ret));
    empty_to_null(&ret->signing_key.secret);
    empty_to_null(&ret->node_key.secret);
    empty_to_null(&ret->keyring.secret);
    empty_to_null(&ret->keyring.passphrase);
    empty_to_null(&ret->keyring.passphrase_key);
    if (ret->keyring.is_set && str_empty(ret->keyring.key_name))
        ret->keyring.key_name = KEYRING_KEY_DEFAULT;
    return OK;
}

static Err *decode_ceremony(Arena *a, const Json *block, GenesisCeremony *ret)
{
    static const JsonField fields[] = {
        {".genesisCeremony.chainId",
            JSON_FIELD_STR,
            offsetof(GenesisCeremony, chain_id),
            .required = false},
        {".genesisCeremony.stakingAmount",
            JSON_FIELD_STR,
            offsetof(GenesisCeremony, staking_amount),
            .required = false},
        {".genesisCeremony.accountBalance",
            JSON_FIELD_STR,
            offsetof(GenesisCeremony, account_balance),
            .required = false},
        {0},
    };

    ret->is_set = has_member(block, "genesisCeremony");
    return json_decode(a, block, fields, ret);
}

static Err *decode_validator(Arena *a, const Json *block, NodeSpec *ret)
{
    ret->validator = block;
    TRY(decode_keys(a, block, ret));
    return decode_ceremony(a, block, &ret->ceremony);
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
        TRY(decode_validator(a, block, ret));
    if (mode == MODE_REPLAYER)
        ret->result_export_is_empty = has_member(block, "resultExport")
            && json_type(json_find(block, ".resultExport.shadowResult")) != JSON_OBJECT;
    /* An archive never begins from a snapshot, and only these two make any. */
    if (mode != MODE_ARCHIVE)
        TRY(decode_snapshot(a, block, &ret->snapshot));
    if (mode == MODE_FULL || mode == MODE_ARCHIVE)
        TRY(decode_generation(a, block, &ret->generates));
    return OK;
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

/* What is said of a pause holds for a node whose other fields cannot be read, too: it comes first.
 */
static const JsonField spec_fields[] = {
    {".spec.paused", JSON_FIELD_BOOL, offsetof(NodeSpec, paused), .required = false},
    {".spec.chainId", JSON_FIELD_STR, offsetof(NodeSpec, chain_id), .required = true},
    {".spec.image", JSON_FIELD_STR, offsetof(NodeSpec, image), .required = true},
    {".spec.peers", JSON_FIELD_ARRAY, offsetof(NodeSpec, peers), .required = false},
    {".spec.overrides", JSON_FIELD_OBJECT, offsetof(NodeSpec, overrides), .required = false},
    {".spec.podLabels", JSON_FIELD_OBJECT, offsetof(NodeSpec, pod_labels), .required = false},
    {".spec.sidecar.image", JSON_FIELD_STR, offsetof(NodeSpec, sidecar_image), .required = false},
    {".spec.sidecar.port", JSON_FIELD_INT, offsetof(NodeSpec, sidecar_port), .required = false},
    {".spec.sidecar.resources",
        JSON_FIELD_OBJECT,
        offsetof(NodeSpec, sidecar_resources),
        .required = false},
    {".spec.dataVolume.import.pvcName",
        JSON_FIELD_STR,
        offsetof(NodeSpec, import_claim),
        .required = false},
    {".spec.externalAddress",
        JSON_FIELD_STR,
        offsetof(NodeSpec, external_address),
        .required = false},
    {0},
};

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
    TRY(json_decode(a, object, spec_fields, ret));
    empty_to_null(&ret->sidecar_image);
    empty_to_null(&ret->import_claim);
    empty_to_null(&ret->external_address);
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
