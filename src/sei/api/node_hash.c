/* Hashes of what a spec asks for. Each field stands here by name, so that a new field of the spec
 * is a decision: does it feed the pod template, only a new set-up, or neither. */
#include "sei/api/node_hash.h"

#include "base/str.h"
#include "kube/hash.h"
#include "kube/timestamp.h"
#include "sei/api/names.h"

const char *node_chain_id(const SeiNode *node)
{
    const char *recorded = node->status.identity.chain_id;
    return recorded ? recorded : node->spec.chain_id;
}

NodeMode node_mode(const SeiNode *node)
{
    return node->status.identity.chain_id ? node->status.identity.mode : node->spec.mode;
}

const char *node_claim(Arena *a, const SeiNode *node)
{
    if (node->status.volume.uid)
        return node->status.volume.name;
    return node->spec.import_claim ? node->spec.import_claim : name_data_volume(a, node->key.name);
}

const char *node_restarted_at(const SeiNode *node)
{
    const char *honoured = node->status.restarted_at, *asked = node->wishes.restarted_at;
    int64_t honoured_ns, asked_ns;

    if (!honoured || !asked)
        return honoured ? honoured : asked;
    if (timestamp_parse(honoured, &honoured_ns) && timestamp_parse(asked, &asked_ns))
        return asked_ns > honoured_ns ? asked : honoured;
    return asked;
}

/* What is absent and what is empty ask for the same. */
static const Json *unless_empty(const Json *container)
{
    return json_count(container) ? container : NULL;
}

/* The Secrets that pods of validators mount. */
static Draft *key_inputs(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;

    if (node_mode(node) != MODE_VALIDATOR)
        return NULL;
    return draft(a,
        str("signingKey", spec->signing_key.secret),
        str("nodeKey", spec->node_key.secret),
        str("keyring", spec->keyring.secret),
        str("passphrase", spec->keyring.passphrase),
        str("passphraseKey", spec->keyring.passphrase_key));
}

static Draft *template_inputs(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;

    return draft(a,
        str("chainId", node_chain_id(node)),
        str("mode", node_mode_text(node_mode(node))),
        str("claim", node_claim(a, node)),
        str("image", spec->image),
        str("sidecarImage", spec->sidecar_image),
        num("sidecarPort", spec->sidecar_port),
        draft_json("sidecarResources", unless_empty(spec->sidecar_resources)),
        sub("keys", key_inputs(a, node)),
        str("restartedAt", node_restarted_at(node)));
}

static Draft *snapshot_inputs(Arena *a, const SnapshotSource *snapshot)
{
    if (!snapshot->is_set)
        return NULL;
    return draft(a,
        draft_num_if(snapshot->has_s3, "s3", snapshot->s3_height),
        draft_flag_if("stateSync", snapshot->state_sync),
        str("trustPeriod", snapshot->trust_period),
        num("backfillBlocks", snapshot->backfill_blocks),
        str("bootstrapImage", snapshot->bootstrap_image));
}

static Draft *generation_inputs(Arena *a, const SnapshotGeneration *generates)
{
    if (!generates->is_set)
        return NULL;
    return draft(a,
        draft_num_if(generates->has_tendermint, "keepRecent", generates->keep_recent),
        draft_flag_if("publish", generates->publish));
}

/* With what a chain is founded. The place of a validator among the founders (index) is for whoever
 * brings them together. */
static Draft *founding_inputs(Arena *a, const SeiNode *node)
{
    const NodeSpec *spec = &node->spec;

    if (node_mode(node) != MODE_VALIDATOR)
        return NULL;
    return draft(a,
        draft_flag_if("ceremony", spec->ceremony.is_set),
        str("chainId", spec->ceremony.chain_id),
        str("stakingAmount", spec->ceremony.staking_amount),
        str("accountBalance", spec->ceremony.account_balance));
}

const char *node_spec_hash(Arena *a, const SeiNode *node)
{
    return hash_json(a, json_seal(a, template_inputs(a, node)));
}

/* What only an init reads, after `first`. Founders find each other by their ceremony, which then
 * writes their peers down: nobody reads those. */
static const char *setup_hash(Arena *a, const SeiNode *node, Draft *first)
{
    const NodeSpec *spec = &node->spec;
    Draft *inputs = draft(a,
        sub("template", first),
        sub("snapshot", snapshot_inputs(a, &spec->snapshot)),
        sub("snapshotGeneration", generation_inputs(a, &spec->generates)),
        draft_json("overrides", unless_empty(spec->overrides)),
        draft_json("peers", spec->ceremony.is_set ? NULL : unless_empty(spec->peers)),
        str("externalAddress", spec->external_address),
        sub("validator", founding_inputs(a, node)));

    return hash_json(a, json_seal(a, inputs));
}

const char *node_init_hash(Arena *a, const SeiNode *node)
{
    Draft *inputs = template_inputs(a, node);

    /* What leaves nothing behind that could drift: an import, also of the name that ours would
     * have, and which key of a ring is looked for. */
    if (!node->status.identity.chain_id) {
        draft_set(inputs, str("import", node->spec.import_claim));
        draft_set(inputs, str("keyName", node->spec.keyring.key_name));
    }
    return setup_hash(a, node, inputs);
}

const char *node_setup_hash(Arena *a, const SeiNode *node)
{
    return setup_hash(a, node, NULL);
}
