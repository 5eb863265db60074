/* Nametag: one word, and a time. A sidecar that has no key yet says so with a 500: that is asked
 * again like everything else that is no answer, with growing pauses. */
#include "sei/sidecar/nametag.h"

#include <stdio.h>

void nametag_want(Nametag *t, const ChatPorts *p)
{
    if (!t->is_wanted)
        t->due_ms = p->now_ms;
    t->is_wanted = true;
}

void nametag_move(Nametag *t, const ChatPorts *p)
{
    *t = (Nametag){.is_wanted = t->is_wanted, .due_ms = p->now_ms};
}

void nametag_renew(Nametag *t, const ChatPorts *p)
{
    if (!nametag_needs_token(t))
        return;
    t->is_renewed = true;
    t->due_ms = p->now_ms;
}

int64_t nametag_due_ms(const Nametag *t)
{
    return t->is_wanted && !t->id[0] ? t->due_ms : INT64_MAX;
}

void nametag_hear(Nametag *t, const ChatPorts *p, const Reading *reading)
{
    if (reading->kind == READING_NAMED) {
        snprintf(t->id, sizeof t->id, "%s", reading->node_id);
        t->is_refused = t->is_renewed = false;
        t->backoff_ms = 0;
        return;
    }
    t->is_refused = reading->kind == READING_UNAUTHORIZED;
    t->is_renewed = t->is_renewed && t->is_refused;
    t->due_ms = p->now_ms + backoff_next_ms(&t->backoff_ms, p->rng);
}

bool nametag_needs_token(const Nametag *t)
{
    return t->is_refused && !t->is_renewed;
}
