/* The chain that seid of a new node reports. Seid is asked from the start of its container on, not
 * only when its pod is Ready: on a wrong chain it finds no peers, and its pod never gets Ready. */
#include "sei/reconcile/gather_seid_chain.h"

#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/sidecar/seids.h"

static bool is_asked(const NodePass *p)
{
    const Json *pod = p->snapshot.pod;

    return p->node.status.phase == PHASE_RUNNING && p->node.status.identity.chain_unverified
        && p->app->settings->chain_facts && !p->node.spec.paused && pod && !meta_deleting(pod)
        && !pod_is_finished(pod);
}

void gather_seid_chain(NodePass *p)
{
    NodeSnapshot *s = &p->snapshot;
    SeidAnswer answer;

    if (!is_asked(p)) {
        seids_forget(p->app->seids, p->node.key);
        return;
    }
    SeidTarget target = {
        .node = p->node.key,
        .pod_uid = meta_uid(s->pod),
        .pod_ip = json_str(s->pod, ".status.podIP"),
        .is_pod_ready = pod_is_ready(s->pod),
    };
    seids_ask(p->app->seids, p->c->arena, &target, &answer);
    s->seid_chain = answer.chain_id;
    s->seid_trouble = answer.trouble;
}
