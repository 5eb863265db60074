/* Neighbour: four parties that want time (the chat, the health, the name, the silence) and one
 * wire. */
#include "sei/sidecar/neighbour.h"

#include "base/str.h"
#include "sei/sidecar/pod_url.h"

#include <string.h>

Neighbour *neighbour_make(Slab *slab, const char *key)
{
    size_t len = strlen(key);
    Neighbour *n = slab_alloc(slab, sizeof *n + len + 1);

    memset(n, 0, sizeof *n);
    memcpy(n->key, key, len + 1);
    link_init(&n->parked);
    return n;
}

void neighbour_close(Neighbour *n, Slab *slab, Bearers *bearers)
{
    bearers_swap(bearers, &n->bearer, NULL);
    chat_close(&n->chat, slab);
    slab_text_set(slab, &n->health.message, NULL);
    slab_text_set(slab, &n->pod_uid, NULL);
    slab_text_set(slab, &n->pod_ip, NULL);
    slab_text_set(slab, &n->host, NULL);
    slab_free(slab, n, sizeof *n + strlen(n->key) + 1);
}

/* --- where it is -------------------------------------------------------------------------------
 */

static void move(Neighbour *n, const ChatPorts *p)
{
    n->is_stale = n->flight != NULL;
    n->quiet_until_ms = n->backoff_ms = 0;
    n->holds_news = n->gate_was_opened = false;
    chat_move(&n->chat, p);
    health_move(&n->health, p);
    nametag_move(&n->nametag, p);
}

void neighbour_locate(
    Neighbour *n, const ChatPorts *p, Bearers *bearers, const SidecarTarget *target)
{
    const char *ip = pod_address(target->pod_ip);
    bool is_other_pod = !str_eq(n->pod_uid.text, target->pod_uid);
    bool is_other_place = ip && n->pod_ip.text && !str_eq(n->pod_ip.text, ip);
    const Bearer *before = n->bearer;

    slab_text_set(p->slab, &n->pod_uid, target->pod_uid);
    slab_text_set(p->slab, &n->pod_ip, ip);
    slab_text_set(p->slab, &n->host, target->host);
    if (is_other_pod || is_other_place)
        move(n, p);
    if (!target->bearer)
        return;
    bearers_swap(bearers, &n->bearer, target->bearer);
    if (n->bearer == before)
        return;
    chat_renew(&n->chat, p);
    nametag_renew(&n->nametag, p);
}

/* --- when it is asked --------------------------------------------------------------------------
 */

void neighbour_want_health(Neighbour *n, const ChatPorts *p, bool awaits_gate)
{
    health_want(&n->health, p);
    n->health.is_held = awaits_gate && !n->gate_was_opened;
}

static int64_t later(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

Errand neighbour_errand(const Neighbour *n, int64_t *ret_due_ms, const char **ret_id)
{
    Errand errand = n->bearer ? chat_errand(&n->chat, ret_id) : ERRAND_NONE;
    int64_t due = errand ? n->chat.due_ms : INT64_MAX;

    if (health_due_ms(&n->health) < due) {
        errand = ERRAND_HEALTH;
        due = n->health.due_ms;
        *ret_id = NULL;
    }
    if (n->bearer && nametag_due_ms(&n->nametag) < due) {
        errand = ERRAND_NAME;
        due = n->nametag.due_ms;
        *ret_id = NULL;
    }
    if (!n->pod_ip.text || n->is_forgotten)
        errand = ERRAND_NONE;
    *ret_due_ms = errand ? later(due, n->quiet_until_ms) : INT64_MAX;
    return errand;
}

bool neighbour_is_suspect(const Neighbour *n)
{
    return n->backoff_ms > 0;
}

/* --- what it said ------------------------------------------------------------------------------
 */

void neighbour_hear(
    Neighbour *n, const ChatPorts *p, Errand errand, const char *id, const Reading *reading)
{
    if (reading->is_silence) {
        n->quiet_until_ms = p->now_ms + backoff_next_ms(&n->backoff_ms, p->rng);
    } else {
        n->quiet_until_ms = n->backoff_ms = 0;
    }
    if (errand == ERRAND_HEALTH) {
        health_hear(&n->health, p, reading);
        n->holds_news = false;
        return;
    }
    if (errand == ERRAND_NAME) {
        nametag_hear(&n->nametag, p, reading);
        return;
    }
    bool was_ended = n->chat.phase == CHAT_ENDED;
    chat_hear(&n->chat, p, errand, id, reading);
    n->holds_news = errand == ERRAND_SUBMIT && n->chat.is_mark_ready && n->chat.phase == CHAT_POLL;
    bool opened_gate = !was_ended && n->chat.phase == CHAT_ENDED
        && n->chat.state == SIDECAR_COMPLETED && n->chat.is_mark_ready;
    n->gate_was_opened = n->gate_was_opened || opened_gate;
    if (opened_gate && n->health.is_wanted) {
        n->health.is_held = false;
        health_move(&n->health, p); /* what it said before the gate was opened counts no more */
        n->holds_news = true;
    }
}
