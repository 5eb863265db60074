/* What happens to nodes, and what follows for the groups that they are in. */
#include "sei/reconcile/peers.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/reconcile/peer_find.h"
#include "sei/reconcile/peer_index.h"

#include <string.h>

enum { SCRATCH_MAX = 1 << 16 };

typedef enum FillState { FILL_NONE, FILL_BEGUN, FILL_DONE } FillState;

struct Peers {
    Slab *slab;
    FillState fill;
    PeerIndex index; /* from FILL_BEGUN on */
};

Peers *peers_open(void)
{
    Slab *slab = slab_open();
    Peers *p = slab_alloc(slab, sizeof *p);

    *p = (Peers){.slab = slab};
    return p;
}

void peers_close(Peers *p)
{
    if (!p)
        return;
    if (p->index.slab)
        peer_index_close(&p->index);
    slab_close(p->slab);
}

/* --- groups that have changed ------------------------------------------------------------------
 */

static void touch(Peers *p, PeerGroup *group, int64_t now_ms)
{
    bool is_calm = !group->told_ms || now_ms - group->told_ms > PEERS_CALM_MS;
    int64_t longer = group->pause_ms * 2;

    if (group->entry.place)
        return;
    group->pause_ms = is_calm || longer < PEERS_PAUSE_MS ? PEERS_PAUSE_MS
        : longer < PEERS_PAUSE_MAX_MS                    ? longer
                                                         : PEERS_PAUSE_MAX_MS;
    timetable_set(&p->index.due, &group->entry, now_ms + group->pause_ms);
}

static void touch_groups_of(Peers *p, const PeerNode *node, int64_t now_ms)
{
    PeerCursor cursor = {0};
    PeerGroup *group;

    while ((group = peer_node_next_group(&p->index, node, &cursor)))
        touch(p, group, now_ms);
}

/* Its members hear that somebody wants to know them. */
static void call_members(Peers *p, PeerGroup *group, int64_t now_ms)
{
    group->asks_members = true;
    timetable_set(&p->index.due, &group->entry, now_ms);
}

/* --- nodes -------------------------------------------------------------------------------------
 */

/* It stands in a list with commas, behind an @. */
static bool is_address(const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~' || strchr(",@\"\\", text[i]))
            return false;
    return len > 0 && len <= PEERS_ADDRESS_MAX;
}

/* NULL when it has one that is none. */
static const char *address_of(Arena *a, const Json *node)
{
    const char *external = json_str(node, ".spec.externalAddress");
    const char *address = str_empty(external) ? name_p2p_address(a, meta_key(node)) : external;

    return is_address(address) ? address : NULL;
}

/* True when others reach it elsewhere from now on. */
static bool describe(Peers *p, PeerNode *node, const Json *object)
{
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const char *address = address_of(a, object);
    bool is_other = !str_eq(node->address.text, address);

    slab_text_set(p->index.slab, &node->address, address);
    return is_other;
}

static void dress(Peers *p, PeerNode *node, const Json *object, int64_t now_ms)
{
    const Json *labels = json_find(object, ".metadata.labels");
    bool is_other = !peer_node_wears(node, labels);

    if (is_other) {
        touch_groups_of(p, node, now_ms); /* those that it leaves */
        peer_node_wear(&p->index, node, labels);
    }
    if (describe(p, node, object) || is_other)
        touch_groups_of(p, node, now_ms);
}

static void ask(Peers *p, PeerNode *node, const Json *asks, int64_t now_ms)
{
    if (!peer_node_ask(&p->index, node, asks))
        return;
    node->resolved_digest = 0;
    for (size_t i = 0; i < node->ask_count; i++) {
        PeerGroup *group = node->asks[i].group;
        /* The first asks all others, the second asks the first. */
        if (group->subscriber_count <= 2)
            call_members(p, group, now_ms);
    }
}

void peers_note(Peers *p, const Json *object, const Json *asks, int64_t now_ms)
{
    PeerNode *node = p->fill == FILL_NONE ? NULL : peer_node_meet(&p->index, meta_key(object));

    if (!node)
        return;
    node->is_gone = false;
    dress(p, node, object, now_ms);
    ask(p, node, asks, now_ms);
}

void peers_forget(Peers *p, Key key, int64_t now_ms)
{
    PeerNode *node = p->fill == FILL_NONE ? NULL : peer_node_find(&p->index, key);

    if (node) {
        touch_groups_of(p, node, now_ms);
        peer_node_remove(&p->index, node);
    }
    /* Whoever fills the index may have seen it just before. */
    node = p->fill == FILL_BEGUN ? peer_node_meet(&p->index, key) : NULL;
    if (node)
        node->is_gone = true;
}

bool peers_want_name(Peers *p, Key key, const char *pod_uid)
{
    PeerNode *node = p->fill == FILL_NONE ? NULL : peer_node_find(&p->index, key);
    PeerCursor cursor = {0};
    PeerGroup *group;

    if (!node || (node->id[0] && str_eq(node->pod_uid.text, pod_uid)))
        return false;
    while ((group = peer_node_next_group(&p->index, node, &cursor)))
        if (peer_group_is_asked_by_others(group, node))
            return true;
    return false;
}

static bool failed_before(const PeerNode *node, const char *pod_uid)
{
    return node->failure.text && str_eq(node->failed_uid.text, pod_uid);
}

int64_t peers_name_pause_ms(Peers *p, Key key, const char *pod_uid, int64_t now_ms)
{
    const PeerNode *node = p->fill == FILL_NONE ? NULL : peer_node_find(&p->index, key);

    if (!node || !failed_before(node, pod_uid) || node->ask_at_ms <= now_ms)
        return 0;
    return node->ask_at_ms - now_ms;
}

int64_t peers_name_failed(Peers *p, Key key, const char *pod_uid, const char *why, int64_t now_ms)
{
    PeerNode *node = p->fill == FILL_NONE ? NULL : peer_node_find(&p->index, key);

    if (!node)
        return PEERS_ASK_PAUSE_MAX_MS;
    int64_t pause_ms = failed_before(node, pod_uid) ? node->ask_pause_ms * 2 : PEERS_ASK_PAUSE_MS;
    bool is_news = !str_eq(node->failure.text, why);
    slab_text_set(p->index.slab, &node->failed_uid, pod_uid);
    slab_text_set(p->index.slab, &node->failure, why);
    node->ask_pause_ms = pause_ms < PEERS_ASK_PAUSE_MAX_MS ? pause_ms : PEERS_ASK_PAUSE_MAX_MS;
    node->ask_at_ms = now_ms + node->ask_pause_ms;
    if (is_news)
        touch_groups_of(p, node, now_ms);
    return node->ask_pause_ms;
}

void peers_name(Peers *p, Key key, const char *pod_uid, const char *node_id, int64_t now_ms)
{
    PeerNode *node = p->fill == FILL_NONE ? NULL : peer_node_find(&p->index, key);

    if (!node || strlen(node_id) >= sizeof node->id)
        return;
    slab_text_set(p->index.slab, &node->pod_uid, pod_uid);
    slab_text_set(p->index.slab, &node->failed_uid, NULL);
    slab_text_set(p->index.slab, &node->failure, NULL);
    if (str_eq(node->id, node_id))
        return;
    memcpy(node->id, node_id, strlen(node_id) + 1);
    touch_groups_of(p, node, now_ms);
}

/* --- filling -----------------------------------------------------------------------------------
 */

bool peers_must_be_filled(Peers *p)
{
    if (p->fill != FILL_NONE)
        return false;
    peer_index_init(&p->index);
    p->fill = FILL_BEGUN;
    return true;
}

void peers_see(Peers *p, const Json *object)
{
    PeerNode *known = peer_node_find(&p->index, meta_key(object));

    if (known || meta_deleting(object))
        return;
    PeerNode *node = peer_node_meet(&p->index, meta_key(object));
    if (!node)
        return;
    peer_node_wear(&p->index, node, json_find(object, ".metadata.labels"));
    describe(p, node, object);
}

void peers_filled(Peers *p, bool is_whole, int64_t now_ms)
{
    size_t cursor = 0;
    PeerNode *node;
    PeerGroup *group;

    p->fill = is_whole ? FILL_DONE : FILL_NONE;
    if (!is_whole) { /* what is in it would be taken for newer than what is seen next time */
        peer_index_close(&p->index);
        p->index = (PeerIndex){0};
        return;
    }
    while ((node = map_next(p->index.nodes, &cursor)))
        if (node->is_gone)
            peer_node_remove(&p->index, node);
    cursor = 0;
    while ((group = map_next(p->index.groups, &cursor)))
        call_members(p, group, now_ms);
}

/* --- the answer --------------------------------------------------------------------------------
 */

PeersFound peers_resolve(Peers *p, Arena *a, Key key, const Json *before)
{
    PeerNode *node = p->fill == FILL_DONE ? peer_node_find(&p->index, key) : NULL;

    if (!node || peer_is_settled(node, before))
        return (PeersFound){.is_known = node != NULL, .resolved = before};
    return peer_find(&p->index, a, node, before);
}

/* --- telling -----------------------------------------------------------------------------------
 */

int64_t peers_due_ms(const Peers *p)
{
    const TimetableEntry *first = p->index.slab ? timetable_first(&p->index.due) : NULL;

    return first ? first->due_ms : INT64_MAX;
}

/* Those that have not said what they are called are told that somebody wants to know. */
static size_t add_nameless(Peers *p, Arena *a, const PeerGroup *group, Key **keys, size_t count)
{
    PeerCursor cursor = {0};
    PeerNode *node;
    size_t nameless = 0;

    while ((node = peer_group_next_member(&p->index, group, &cursor)))
        nameless += !node->id[0];
    Key *more = arena_array(a, Key, count + nameless + 1);
    memcpy(more, *keys, count * sizeof *more);
    cursor = (PeerCursor){0};
    while ((node = peer_group_next_member(&p->index, group, &cursor)))
        if (!node->id[0])
            more[count++] = key_parse(a, node->key);
    *keys = more;
    return count;
}

size_t peers_take_due(Peers *p, Arena *a, int64_t now_ms, Key **ret)
{
    size_t count = 0;

    if (peers_due_ms(p) > now_ms)
        return 0;
    PeerGroup *group = link_owner(PeerGroup, entry, timetable_first(&p->index.due));
    timetable_set(&p->index.due, &group->entry, INT64_MAX);
    peer_group_hang(group); /* all who are told look at its members */
    group->version++;
    group->told_ms = now_ms;
    Key *keys = arena_array(a, Key, group->subscriber_count);
    for (Link *l = group->subscribers.next; l != &group->subscribers; l = l->next)
        keys[count++] = key_parse(a, link_owner(PeerSubscription, in_group, l)->node->key);
    p->index.work += count;
    if (group->asks_members)
        count = add_nameless(p, a, group, &keys, count);
    group->asks_members = false;
    *ret = keys;
    return count;
}

PeersFigures peers_figures(const Peers *p)
{
    if (!p->index.slab)
        return (PeersFigures){0};
    return (PeersFigures){
        .nodes = map_count(p->index.nodes),
        .groups = map_count(p->index.groups),
        .work = p->index.work,
    };
}
