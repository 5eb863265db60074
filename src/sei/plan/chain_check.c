/* ChainCheck: the stall outlives a restart of the operator, which begins without an answer. */
#include "sei/plan/chain_check.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"

static bool is_checked(const NodeSnapshot *s, const NodeIdentity *identity)
{
    return identity->chain_unverified && s->settings->chain_facts;
}

bool plan_awaits_chain(const NodeSnapshot *s, const NodeIdentity *identity)
{
    return is_checked(s, identity) && !str_eq(s->seid_chain, identity->chain_id);
}

/* Its data may have been replaced. */
static bool is_newer_pod(const Planning *p, const Cond *stalled)
{
    int64_t created_ns, stalled_ns;

    return timestamp_parse(json_str(p->pod, ".metadata.creationTimestamp"), &created_ns)
        && timestamp_parse(stalled->last_transition_time, &stalled_ns) && created_ns > stalled_ns;
}

/* The message of this stall that is stored: the operator may have restarted since. */
static const char *stored_message(const Planning *p)
{
    const Cond *stalled = conds_find(&p->node->status.conds, COND_STALLED);
    bool is_stored = stalled && str_eq(stalled->status, "True")
        && str_eq(stalled->reason, reason_text(REASON_WRONG_CHAIN)) && !is_newer_pod(p, stalled);

    return is_stored ? stalled->message : NULL;
}

static const char *way_out(const Planning *p)
{
    const NodeVolume *volume = &p->status->volume;
    const char *name = p->node->key.name;

    if (volume->imported)
        return str_format(p->a,
            "delete SeiNode %s (the imported PersistentVolumeClaim %s stays) and create it again "
            "with the chainId of that volume, or import another volume",
            name,
            volume->name);
    return str_format(p->a,
        "if its data is not needed, delete SeiNode %s and PersistentVolumeClaim %s, then create "
        "the SeiNode again (a fleet creates its nodes again itself)",
        name,
        volume->name ? volume->name : p->s->wanted->claim);
}

void plan_tell_wrong_chain(Planning *p)
{
    const NodeIdentity *identity = &p->status->identity;
    const char *chain = p->s->seid_chain, *message = stored_message(p);

    if (p->status->phase != PHASE_RUNNING || p->node->spec.paused || !is_checked(p->s, identity))
        return;
    if (chain && !str_eq(chain, identity->chain_id))
        message = str_format(p->a,
            "seid in pod %s runs chain %s, but the node was initialized for chain %s: "
            "genesis.json on its data volume is of another chain; %s",
            p->pod ? meta_name(p->pod) : "of the node",
            chain,
            identity->chain_id,
            way_out(p));
    else if (chain)
        return;
    if (message)
        plan_stall(p, REASON_WRONG_CHAIN, message);
}
