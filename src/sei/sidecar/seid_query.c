/* SeidQuery: a chain that was named stays known while the pod is silent later: genesis.json does
 * not change under a running process. */
#include "sei/sidecar/seid_query.h"

#include "base/str.h"
#include "sei/sidecar/pod_url.h"
#include "sei/sidecar/request_backoff.h"

#include <string.h>

enum { INTERVAL_JITTER_PERCENT = 10 };

SeidQuery *seid_query_make(Slab *slab, const char *key)
{
    size_t len = strlen(key);
    SeidQuery *q = slab_alloc(slab, sizeof *q + len + 1);

    memset(q, 0, sizeof *q);
    memcpy(q->key, key, len + 1);
    return q;
}

void seid_query_close(SeidQuery *q, Slab *slab)
{
    slab_text_set(slab, &q->pod_uid, NULL);
    slab_text_set(slab, &q->pod_ip, NULL);
    slab_text_set(slab, &q->chain_id, NULL);
    slab_text_set(slab, &q->trouble, NULL);
    slab_free(slab, q, sizeof *q + strlen(q->key) + 1);
}

static void ask_at_once(SeidQuery *q, const SeidPorts *p)
{
    q->due_ms = p->now_ms;
    q->backoff_ms = 0;
}

void seid_query_locate(SeidQuery *q, const SeidPorts *p, const SeidTarget *target)
{
    const char *ip = pod_address(target->pod_ip);
    bool is_other = !str_eq(q->pod_uid.text, target->pod_uid) || !str_eq(q->pod_ip.text, ip);
    bool has_become_ready = target->is_pod_ready && !q->is_pod_ready;

    if (is_other) {
        slab_text_set(p->slab, &q->pod_uid, target->pod_uid);
        slab_text_set(p->slab, &q->pod_ip, ip);
        slab_text_set(p->slab, &q->chain_id, NULL);
        slab_text_set(p->slab, &q->trouble, NULL);
        q->is_stale = q->flight != NULL;
    }
    if (has_become_ready)
        slab_text_set(p->slab, &q->trouble, NULL); /* what was said while it started */
    if (is_other || (has_become_ready && !q->chain_id.text))
        ask_at_once(q, p);
    q->is_pod_ready = target->is_pod_ready;
}

int64_t seid_query_due_ms(const SeidQuery *q)
{
    return q->flight || q->is_forgotten || !q->pod_ip.text ? INT64_MAX : q->due_ms;
}

bool seid_query_is_suspect(const SeidQuery *q)
{
    return q->backoff_ms > 0;
}

bool seid_query_hear(SeidQuery *q, const SeidPorts *p, const SeidStatus *status)
{
    bool is_other_chain = status->chain_id && !str_eq(q->chain_id.text, status->chain_id);
    bool is_first_trouble = status->trouble && !q->trouble.text;

    slab_text_set(p->slab, &q->trouble, status->trouble);
    if (status->chain_id) {
        slab_text_set(p->slab, &q->chain_id, status->chain_id);
        q->backoff_ms = 0;
        q->due_ms = p->now_ms + rng_jitter(p->rng, SEID_INTERVAL_MS, INTERVAL_JITTER_PERCENT);
    } else {
        q->due_ms = p->now_ms + backoff_next_ms(&q->backoff_ms, p->rng);
    }
    /* Later ones alternate: refused, no answer, 503. The next reconcile shows the latest. */
    return is_other_chain || (q->is_pod_ready && !q->chain_id.text && is_first_trouble);
}
