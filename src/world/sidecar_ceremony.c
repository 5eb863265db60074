/* What the tasks of a genesis ceremony do: nodes meet in a bucket. Two traps of the real ones are
 * kept: generate-gentx and the assembly cannot be run again after failing half way. */
#include "world/sidecar_tasks.h"

#include "base/draft.h"
#include "base/sha256.h"
#include "base/str.h"

static const char *bucket_key(TaskTurn *t, const char *rest)
{
    return str_format(t->arena, "%s/%s", t->sidecar->chain_id, rest);
}

static const char *missing(TaskTurn *t, const char *key)
{
    return str_format(
        t->arena, "%s: S3: object \"%s\" not found in s3://genesis", t->run->task->type, key);
}

static bool put(TaskTurn *t, const char *key, const char *value)
{
    if (outside_put(t->sidecar->outside, key, value))
        return true;
    t->error = str_format(t->arena, "%s: S3: S3 error 507 on %s", t->run->task->type, key);
    return false;
}

void act_configure_genesis(TaskTurn *t)
{
    Volume *v = t->sidecar->volume;
    const Chain *chain = outside_chain(t->sidecar->outside, t->sidecar->chain_id);
    const char *wanted = json_str(t->params, ".expectedGenesisHash");
    const char *key = bucket_key(t, "genesis.json");
    const char *hash = outside_find(t->sidecar->outside, key);

    if (chain->has_genesis) {
        volume_write_genesis(v, t->sidecar->chain_id);
        v->files |= FILE_STAKING;
        return;
    }
    if (!hash) {
        t->error = missing(t, key);
        return;
    }
    if (!str_empty(wanted) && !str_eq(wanted, hash)) {
        v->files &= ~(unsigned)FILE_GENESIS;
        t->error = str_format(
            t->arena, "configure-genesis: verify-hash: got %s, expected %s", hash, wanted);
        return;
    }
    volume_write_genesis(v, t->sidecar->chain_id);
    v->files |= FILE_STAKING;
}

void act_generate_identity(TaskTurn *t)
{
    Volume *v = t->sidecar->volume;

    v->files |= FILE_NODE_KEY | FILE_CONFIG;
    if (!volume_has(v, FILE_GENESIS))
        volume_write_genesis(v, json_str(t->params, ".chainId"));
}

void act_generate_gentx(TaskTurn *t)
{
    Volume *v = t->sidecar->volume;

    if (volume_has(v, FILE_GENTX_KEY)) {
        t->error = "keys add: public key already exists in keybase";
        return;
    }
    v->files |= FILE_GENTX_KEY;
    if (!volume_has(v, FILE_STAKING))
        t->error = "task handler panicked: runtime error: invalid memory address or nil pointer "
                   "dereference";
    else
        v->files |= FILE_GENTX;
}

void spoil_gentx(TaskTurn *t)
{
    t->sidecar->volume->files |= FILE_GENTX_KEY;
}

void act_upload_genesis_artifacts(TaskTurn *t)
{
    char id[NODE_ID_SIZE];
    const char *name = json_str(t->params, ".nodeName");

    if (!volume_has(t->sidecar->volume, FILE_GENTX)) {
        t->error = "upload-genesis-artifacts: read-gentx: no gentx file in config/gentx";
        return;
    }
    volume_node_id(t->sidecar->volume, id);
    if (put(t, bucket_key(t, str_format(t->arena, "%s/gentx.json", name)), id))
        put(t, bucket_key(t, str_format(t->arena, "%s/identity.json", name)), id);
}

void act_set_genesis_peers(TaskTurn *t)
{
    const char *key = bucket_key(t, "peers.json");

    if (!outside_find(t->sidecar->outside, key))
        t->error = missing(t, key);
    else
        t->sidecar->volume->has_peers = true;
}

/* True when every node has uploaded what the assembly needs. */
static bool has_all_gentxs(TaskTurn *t)
{
    const Json *node;

    json_each(node, json_find(t->params, ".nodes")) {
        const char *name = json_str(node, ".name");
        const char *key = bucket_key(t, str_format(t->arena, "%s/gentx.json", name ? name : ""));
        if (!outside_find(t->sidecar->outside, key)) {
            t->error = missing(t, key);
            return false;
        }
    }
    return true;
}

void spoil_assembly(TaskTurn *t)
{
    if (json_count(json_find(t->params, ".accounts")) > 0)
        t->sidecar->volume->files |= FILE_ACCOUNTS;
}

void act_assemble_genesis(TaskTurn *t)
{
    char hash[SHA256_HEX_SIZE];

    if (!has_all_gentxs(t))
        return;
    if (volume_has(t->sidecar->volume, FILE_ACCOUNTS)) {
        t->error = "assemble-genesis: add-accounts: address collides with an existing genesis "
                   "account";
        return;
    }
    spoil_assembly(t);
    sha256_hex(json_canonical(t->arena, t->params), hash);
    if (put(t, bucket_key(t, "genesis.json"), hash) && put(t, bucket_key(t, "peers.json"), "[]"))
        t->result = draft(t->arena, str("genesisHash", str_copy(t->arena, hash)));
}

void act_discover_peers(TaskTurn *t)
{
    t->sidecar->volume->files |= FILE_CONFIG;
    t->sidecar->volume->has_peers = true;
}
