/* What governance tasks do: one transaction per task id, signed once. The signed bytes stay on the
 * volume for ever, so a second run of an id sends the same transaction and never another one. */
#include "world/sidecar_tasks.h"

#include "base/draft.h"
#include "base/sha256.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MEMO_MAX = 256, TAG_LEN = 45 /* of " taskID=" and a UUID */ };

static bool is_signed(const Volume *v, const char *id)
{
    for (size_t i = 0; i < v->tx_count; i++)
        if (str_eq(v->tx_ids[i], id))
            return true;
    return false;
}

static void keep_signed(TaskTurn *t)
{
    Volume *v = t->sidecar->volume;

    if (is_signed(v, t->run->id))
        return;
    if (v->tx_count == VOLUME_TX_MAX)
        t->error = "save tx marker: database or disk is full (13)";
    else
        snprintf(v->tx_ids[v->tx_count++], TX_ID_SIZE, "%s", t->run->id);
}

static const char *check_inputs(TaskTurn *t)
{
    const Sidecar *s = t->sidecar;
    const char *memo = json_str(t->params, ".memo");
    const char *fees = json_str(t->params, ".fees");
    const char *chain_id = json_str(t->params, ".chainId");

    if (!s->has_keyring)
        return "keyring not configured: set SEI_KEYRING_BACKEND";
    if (memo && (strstr(memo, "taskID=") || strlen(memo) > MEMO_MAX - TAG_LEN))
        return "invalid memo";
    if (!str_has_suffix(fees, "usei"))
        return str_format(t->arena, "fees must be in usei: %s", fees);
    if (!str_eq(chain_id, s->chain_id))
        return str_format(
            t->arena, "chainId %s does not match this node's chain %s", chain_id, s->chain_id);
    if (!seid_serves(s->seid))
        return "querying node status: connection refused";
    return NULL;
}

static void report(TaskTurn *t, const char *inclusion, int64_t proposal)
{
    char hash[SHA256_HEX_SIZE];
    bool is_included = str_has_prefix(inclusion, "committed");

    sha256_hex(bytes_of(t->run->id), hash);
    t->result = draft(t->arena,
        str("txHash", str_copy(t->arena, hash)),
        draft_num_if(is_included, "height", seid_height(t->sidecar->seid, t->now_ms)),
        draft_num_if(proposal > 0, "proposalId", proposal),
        str("inclusionStatus", inclusion));
}

static void send(TaskTurn *t, int64_t proposal)
{
    t->error = check_inputs(t);
    if (!t->error)
        keep_signed(t);
    if (!t->error)
        report(t, "committed_ok", proposal);
}

void act_gov_vote(TaskTurn *t)
{
    static const char *const options[] = {"yes", "no", "abstain", "no_with_veto", "no-with-veto"};
    const char *option = json_str(t->params, ".option");

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcasecmp(option, options[i]) == 0) {
            send(t, 0);
            return;
        }
    t->error = str_format(t->arena, "invalid vote option: %s", option);
}

void act_gov_submit(TaskTurn *t)
{
    if (!str_has_suffix(json_str(t->params, ".initialDeposit"), "usei"))
        t->error = "initialDeposit must be in usei";
    else
        send(t, 1 + seid_height(t->sidecar->seid, t->now_ms));
}

/* A scripted failure that is called after an inclusion status has a result, as the real ones. */
void spoil_gov(TaskTurn *t)
{
    static const char *const statuses[] = {"pending", "unverifiable", "committed_failed"};

    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (str_eq(t->error, statuses[i])) {
            keep_signed(t);
            report(t, statuses[i], 0);
        }
}
