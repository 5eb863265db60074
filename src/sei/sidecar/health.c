/* Health: one word, and a time. */
#include "sei/sidecar/health.h"

#include "sei/sidecar/sidecars.h"

enum { HEALTH_JITTER_PERCENT = 10 };

int64_t health_due_ms(const Health *h)
{
    return h->is_wanted && !h->is_held ? h->due_ms : INT64_MAX;
}

void health_want(Health *h, const ChatPorts *p)
{
    if (!h->is_wanted)
        h->due_ms = p->now_ms;
    h->is_wanted = true;
}

void health_move(Health *h, const ChatPorts *p)
{
    h->health = PROBE_UNKNOWN;
    h->backoff_ms = 0;
    h->due_ms = p->now_ms;
    slab_text_set(p->slab, &h->message, NULL);
}

/* The first pause is a part of the whole, so that nodes which began together part. */
static int64_t pause_ms(Health *h, Rng *rng)
{
    bool is_first = !h->is_spread;

    h->is_spread = true;
    return is_first ? 1 + (int64_t)rng_below(rng, SIDECAR_HEALTH_MS)
                    : rng_jitter(rng, SIDECAR_HEALTH_MS, HEALTH_JITTER_PERCENT);
}

void health_hear(Health *h, const ChatPorts *p, const Reading *reading)
{
    bool is_known = reading->kind == READING_READY || reading->kind == READING_NOT_READY;

    h->health = !is_known                ? PROBE_UNREACHABLE
        : reading->kind == READING_READY ? PROBE_READY
                                         : PROBE_NOT_READY;
    slab_text_set(p->slab, &h->message, is_known ? NULL : reading->message);
    h->due_ms =
        p->now_ms + (is_known ? pause_ms(h, p->rng) : backoff_next_ms(&h->backoff_ms, p->rng));
    if (is_known)
        h->backoff_ms = 0;
}
