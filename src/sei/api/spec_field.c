/* The rows, and what is derived from them alone. Hashes are API: a row may be added, but key and
 * group of a row never change. */
#include "sei/api/spec_field.h"

#include "base/str.h"
#include "sei/api/node_status.h"

#include <string.h>

#define AT(member) offsetof(NodeSpec, member)

/* Blocks of modes. An archive never begins from a snapshot, and only two modes make any. */
#define VALIDATOR       (1u << MODE_VALIDATOR)
#define REPLAYER        (1u << MODE_REPLAYER)
#define FROM_SNAPSHOT   (1u << MODE_FULL | REPLAYER | VALIDATOR)
#define MAKES_SNAPSHOTS (1u << MODE_FULL | 1u << MODE_ARCHIVE)

/* `paused` comes first: it counts also for a node whose other fields cannot be read. The ceremony
 * finds the peers of its validators, and writes them down. */
// clang-format off
const SpecField spec_fields[] = {
    {".paused", 0, SPEC_SWITCH, AT(paused),
        .effect = SPEC_LIVE, .origin = SPEC_FROM_FLEET},
    {".chainId", 0, SPEC_TEXT, AT(chain_id),
        .effect = SPEC_IDENTITY, .origin = SPEC_FROM_FLEET, .required = true},
    {".image", 0, SPEC_TEXT, AT(image),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .key = "image", .required = true},
    {".peers", 0, SPEC_ARRAY, AT(peers),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_FLEET, .key = "peers",
        .not_if = AT(ceremony.is_set)},
    {".overrides", 0, SPEC_OBJECT, AT(overrides),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .key = "overrides"},
    {".podLabels", 0, SPEC_OBJECT, AT(pod_labels),
        .effect = SPEC_LIVE, .origin = SPEC_FROM_FLEET},
    {".sidecar.image", 0, SPEC_TEXT, AT(sidecar_image),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .key = "sidecarImage",
        .may_blank = true},
    {".sidecar.port", 0, SPEC_NUMBER, AT(sidecar_port),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .key = "sidecarPort"},
    {".sidecar.resources", 0, SPEC_OBJECT, AT(sidecar_resources),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .key = "sidecarResources"},
    {".dataVolume.import.pvcName", 0, SPEC_TEXT, AT(import_claim),
        .effect = SPEC_IDENTITY, .origin = SPEC_FROM_TEMPLATE, .key = "import",
        .may_blank = true},
    {".externalAddress", 0, SPEC_TEXT, AT(external_address),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_FLEET, .key = "externalAddress",
        .may_blank = true},

    {".signingKey", VALIDATOR, SPEC_IS_THERE, AT(signing_key.is_set),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION},
    {".signingKey.secret.secretName", VALIDATOR, SPEC_TEXT, AT(signing_key.secret),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .group = "keys",
        .key = "signingKey", .may_blank = true},
    {".nodeKey", VALIDATOR, SPEC_IS_THERE, AT(node_key.is_set),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION},
    {".nodeKey.secret.secretName", VALIDATOR, SPEC_TEXT, AT(node_key.secret),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .group = "keys", .key = "nodeKey",
        .may_blank = true},
    {".operatorKeyring", VALIDATOR, SPEC_IS_THERE, AT(keyring.is_set),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION},
    {".operatorKeyring.secret.secretName", VALIDATOR, SPEC_TEXT, AT(keyring.secret),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .group = "keys", .key = "keyring",
        .may_blank = true},
    {".operatorKeyring.secret.keyName", VALIDATOR, SPEC_TEXT, AT(keyring.key_name),
        .effect = SPEC_FIRST_INIT, .origin = SPEC_FROM_REVISION, .key = "keyName"},
    {".operatorKeyring.secret.passphraseSecretRef.secretName", VALIDATOR, SPEC_TEXT,
        AT(keyring.passphrase),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .group = "keys",
        .key = "passphrase", .may_blank = true},
    {".operatorKeyring.secret.passphraseSecretRef.key", VALIDATOR, SPEC_TEXT,
        AT(keyring.passphrase_key),
        .effect = SPEC_TEMPLATE, .origin = SPEC_FROM_REVISION, .group = "keys",
        .key = "passphraseKey", .may_blank = true},
    {".genesisCeremony", VALIDATOR, SPEC_IS_THERE, AT(ceremony.is_set),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_FLEET, .group = "validator",
        .key = "ceremony"},
    {".genesisCeremony.chainId", VALIDATOR, SPEC_TEXT, AT(ceremony.chain_id),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_FLEET, .group = "validator",
        .key = "chainId"},
    {".genesisCeremony.stakingAmount", VALIDATOR, SPEC_TEXT, AT(ceremony.staking_amount),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_FLEET, .group = "validator",
        .key = "stakingAmount"},
    {".genesisCeremony.accountBalance", VALIDATOR, SPEC_TEXT, AT(ceremony.account_balance),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_FLEET, .group = "validator",
        .key = "accountBalance"},
    {".genesisCeremony.index", VALIDATOR, SPEC_NOT_KEPT, 0,
        .effect = SPEC_UNUSED, .origin = SPEC_FROM_FLEET},

    {".snapshot", FROM_SNAPSHOT, SPEC_IS_BLOCK, AT(snapshot.is_set),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE},
    {".snapshot.s3", FROM_SNAPSHOT, SPEC_IS_BLOCK, AT(snapshot.has_s3),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE},
    {".snapshot.s3.targetHeight", FROM_SNAPSHOT, SPEC_NUMBER, AT(snapshot.s3_height),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshot", .key = "s3",
        .only_if = AT(snapshot.has_s3)},
    {".snapshot.stateSync", FROM_SNAPSHOT, SPEC_IS_BLOCK, AT(snapshot.state_sync),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshot",
        .key = "stateSync"},
    {".snapshot.trustPeriod", FROM_SNAPSHOT, SPEC_TEXT, AT(snapshot.trust_period),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshot",
        .key = "trustPeriod", .may_blank = true},
    {".snapshot.backfillBlocks", FROM_SNAPSHOT, SPEC_NUMBER, AT(snapshot.backfill_blocks),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshot",
        .key = "backfillBlocks"},
    {".snapshot.bootstrapImage", FROM_SNAPSHOT, SPEC_TEXT, AT(snapshot.bootstrap_image),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshot",
        .key = "bootstrapImage", .may_blank = true},

    {".snapshotGeneration", MAKES_SNAPSHOTS, SPEC_IS_BLOCK, AT(generates.is_set),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE},
    {".snapshotGeneration.tendermint", MAKES_SNAPSHOTS, SPEC_IS_BLOCK,
        AT(generates.has_tendermint),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE},
    {".snapshotGeneration.tendermint.publish", MAKES_SNAPSHOTS, SPEC_IS_BLOCK,
        AT(generates.publish),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshotGeneration",
        .key = "publish"},
    {".snapshotGeneration.tendermint.keepRecent", MAKES_SNAPSHOTS, SPEC_NUMBER,
        AT(generates.keep_recent),
        .effect = SPEC_BOOTSTRAP, .origin = SPEC_FROM_TEMPLATE, .group = "snapshotGeneration",
        .key = "keepRecent", .only_if = AT(generates.has_tendermint)},

    {".resultExport.shadowResult.canonicalRpc", REPLAYER, SPEC_NOT_KEPT, 0,
        .effect = SPEC_UNUSED, .origin = SPEC_FROM_TEMPLATE},
    {0},
};
// clang-format on

/* --- decoding --- */

static bool is_of_mode(const SpecField *field, NodeMode mode)
{
    return mode == MODE_NONE ? field->modes == 0 : (field->modes & 1u << mode) != 0;
}

static void *place(const SpecField *field, const NodeSpec *spec)
{
    return (char *)spec + field->offset;
}

static Err *decode_value(Arena *a, const Json *object, const SpecField *field, NodeSpec *spec)
{
    static const JsonFieldType types[] = {
        [SPEC_TEXT] = JSON_FIELD_STR,
        [SPEC_NUMBER] = JSON_FIELD_INT,
        [SPEC_SWITCH] = JSON_FIELD_BOOL,
        [SPEC_OBJECT] = JSON_FIELD_OBJECT,
        [SPEC_ARRAY] = JSON_FIELD_ARRAY,
    };
    const JsonField fields[] = {
        {field->path, types[field->form], field->offset, field->required}, {0}};
    const char **text = place(field, spec);

    TRY(json_decode(a, object, fields, spec));
    if (field->may_blank && str_empty(*text))
        *text = NULL;
    return OK;
}

static Err *decode_field(Arena *a, const Json *object, const SpecField *field, NodeSpec *spec)
{
    JsonType found;

    switch (field->form) {
    case SPEC_IS_BLOCK:
        *(bool *)place(field, spec) = json_type(json_find(object, field->path)) == JSON_OBJECT;
        return OK;
    case SPEC_IS_THERE: /* what makes no sense there is refused by name, not taken for absent */
        found = json_type(json_find(object, field->path));
        *(bool *)place(field, spec) = found != JSON_ABSENT && found != JSON_NULL;
        return OK;
    case SPEC_NOT_KEPT:
        return OK;
    default:
        return decode_value(a, object, field, spec);
    }
}

Err *spec_fields_decode(Arena *a, const Json *object, NodeMode mode, NodeSpec *spec)
{
    for (const SpecField *field = spec_fields; field->path; field++)
        if (is_of_mode(field, mode))
            TRY(decode_field(a, object, field, spec));
    return OK;
}

/* --- hashes --- */

/* A group stands in a hash also when it is empty. */
typedef struct SpecGroup {
    const char *name;
    NodeMode mode;   /* it counts for nodes of this mode alone; MODE_NONE: for all */
    size_t only_if;  /* of a bool in NodeSpec; 0: always */
    unsigned effect; /* of its fields */
} SpecGroup;

static const SpecGroup groups[] = {
    {"keys", MODE_VALIDATOR, 0, SPEC_TEMPLATE},
    {"snapshot", MODE_NONE, AT(snapshot.is_set), SPEC_BOOTSTRAP},
    {"snapshotGeneration", MODE_NONE, AT(generates.is_set), SPEC_BOOTSTRAP},
    {"validator", MODE_VALIDATOR, 0, SPEC_BOOTSTRAP},
};

static bool is_true(const NodeSpec *spec, size_t offset)
{
    return *(const bool *)((const char *)spec + offset);
}

static bool counts(const SpecField *field, const NodeSpec *spec, unsigned effects)
{
    return field->key && (field->effect & effects)
        && (!field->only_if || is_true(spec, field->only_if))
        && (!field->not_if || !is_true(spec, field->not_if));
}

static const Json *unless_empty(const Json *container)
{
    return json_count(container) ? container : NULL;
}

static DraftField input_of(const SpecField *field, const NodeSpec *spec)
{
    const void *value = place(field, spec);

    switch (field->form) {
    case SPEC_TEXT:
        return str(field->key, *(const char *const *)value);
    case SPEC_NUMBER:
        return num(field->key, *(const int64_t *)value);
    case SPEC_OBJECT:
    case SPEC_ARRAY: /* absent and empty ask for the same */
        return draft_json(field->key, unless_empty(*(const Json *const *)value));
    case SPEC_SWITCH:
    case SPEC_IS_BLOCK:
    case SPEC_IS_THERE:
        return draft_flag_if(field->key, *(const bool *)value);
    case SPEC_NOT_KEPT:
        break;
    }
    BUG("a field of the spec that is hashed and not kept");
}

static Draft *group_of(
    Arena *a, const SpecGroup *group, const NodeSpec *spec, NodeMode mode, unsigned effects)
{
    if (!(group->effect & effects) || (group->mode != MODE_NONE && group->mode != mode)
        || (group->only_if && !is_true(spec, group->only_if)))
        return NULL;
    Draft *inputs = draft_object(a);
    for (const SpecField *field = spec_fields; field->path; field++)
        if (str_eq(field->group, group->name) && counts(field, spec, effects))
            draft_set(inputs, input_of(field, spec));
    return inputs;
}

void spec_fields_hash_into(
    Arena *a, Draft *inputs, const NodeSpec *spec, NodeMode mode, unsigned effects)
{
    for (const SpecField *field = spec_fields; field->path; field++)
        if (!field->group && counts(field, spec, effects))
            draft_set(inputs, input_of(field, spec));
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        draft_set(inputs, sub(groups[i].name, group_of(a, &groups[i], spec, mode, effects)));
}

/* --- members --- */

/* "sidecar" of ".sidecar.port". */
static const char *member_of(Arena *a, const SpecField *field)
{
    return str_slice(a, field->path + 1, strcspn(field->path + 1, "."));
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(names[i], name))
            return true;
    return false;
}

const char *const *spec_members(Arena *a, NodeMode mode, SpecOrigin origin)
{
    const char **names = arena_array(a, const char *, sizeof spec_fields / sizeof spec_fields[0]);
    size_t count = 0;

    for (const SpecField *field = spec_fields; field->path; field++) {
        const char *name = member_of(a, field);
        if (is_of_mode(field, mode) && field->origin == origin && !is_listed(names, count, name))
            names[count++] = name;
    }
    return names;
}

const char *spec_path_of_input(Arena *a, const char *key)
{
    for (const SpecField *field = spec_fields; field->path; field++)
        if (field->effect == SPEC_TEMPLATE && !field->group && str_eq(field->key, key))
            return str_format(a, "spec%s", field->path);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (str_eq(groups[i].name, key))
            return str_format(a, "spec.%s", node_mode_text(groups[i].mode));
    return "spec"; /* the mode */
}
