/* The tables and what is linked between them. Labels are kept as long as a node wears one or a
 * group asks for it, groups as long as a node asks for them. */
#include "sei/reconcile/peer_index.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum {
    KEY_TEXT_SIZE = 320, /* 63 + 1 + 253 and the NUL */
    SCRATCH_MAX = 4 << 20,
    HOME_MAX = 1 << 20,
};

void peer_index_init(PeerIndex *x)
{
    Arena *home = arena_open(HOME_MAX);

    *x = (PeerIndex){
        .home = home,
        .slab = slab_open(),
        .nodes = map_open(PEER_NODES_MAX),
        .labels = map_open(PEER_LABELS_MAX),
        .groups = map_open(PEER_GROUPS_MAX),
    };
    timetable_init(&x->due, home, PEER_GROUPS_MAX);
}

void peer_index_close(PeerIndex *x)
{
    map_close(x->nodes);
    map_close(x->labels);
    map_close(x->groups);
    slab_close(x->slab);
    arena_close(x->home);
}

uint64_t peer_digest(uint64_t seed, const char *text)
{
    for (; text && *text; text++)
        seed = (seed ^ (unsigned char)*text) * UINT64_C(1099511628211);
    seed = (seed ^ 0xff) * UINT64_C(1099511628211);
    return seed ? seed : 1;
}

/* --- labels ------------------------------------------------------------------------------------
 */

const char *peer_label_text(Arena *a, const char *namespace, const Json *label)
{
    const char *value = json_text(label), *key = json_key(label);

    if (!value || strlen(namespace) + strlen(key) + strlen(value) > PEER_LABEL_TEXT_MAX)
        return NULL;
    return str_format(a, "%s\n%s=%s", namespace, key, value);
}

PeerLabel *peer_label_hold(PeerIndex *x, const char *text)
{
    PeerLabel *label = map_find(x->labels, text);

    if (!label) {
        size_t len = strlen(text), size = sizeof *label + len + 1;
        label = slab_alloc(x->slab, size);
        *label = (PeerLabel){.size = size};
        memcpy(label->text, text, len + 1);
        link_init(&label->wearers);
        link_init(&label->groups);
        if (!map_put(x->labels, label->text, label)) {
            slab_free(x->slab, label, size);
            return NULL;
        }
    }
    label->holders++;
    return label;
}

void peer_label_drop(PeerIndex *x, PeerLabel *label)
{
    if (--label->holders > 0)
        return;
    map_remove(x->labels, label->text);
    slab_free(x->slab, label, label->size);
}

/* --- nodes -------------------------------------------------------------------------------------
 */

static const char *key_in(char text[KEY_TEXT_SIZE], Key node)
{
    snprintf(text, KEY_TEXT_SIZE, "%s/%s", node.namespace, node.name);
    return text;
}

PeerNode *peer_node_find(const PeerIndex *x, Key node)
{
    char text[KEY_TEXT_SIZE];

    return map_find(x->nodes, key_in(text, node));
}

PeerNode *peer_node_meet(PeerIndex *x, Key node)
{
    char text[KEY_TEXT_SIZE];
    PeerNode *met = map_find(x->nodes, key_in(text, node));

    if (met)
        return met;
    size_t len = strlen(text), size = sizeof *met + len + 1;
    met = slab_alloc(x->slab, size);
    *met = (PeerNode){.size = size};
    memcpy(met->key, text, len + 1);
    if (map_put(x->nodes, met->key, met))
        return met;
    slab_free(x->slab, met, size);
    return NULL;
}

static void take_off(PeerIndex *x, PeerNode *node)
{
    for (size_t i = 0; i < node->wear_count; i++) {
        PeerWearing *w = &node->wears[i];
        link_remove(&w->in_label);
        w->label->wearer_count--;
        peer_label_drop(x, w->label);
    }
    slab_free(x->slab, node->wears, node->wear_max * sizeof *node->wears);
    node->wears = NULL;
    node->wear_count = node->wear_max = 0;
}

static void put_on(PeerIndex *x, PeerNode *node, const char *text)
{
    PeerLabel *label = peer_label_hold(x, text);

    if (!label)
        return;
    PeerWearing *w = &node->wears[node->wear_count++];
    *w = (PeerWearing){.label = label, .node = node};
    link_init(&w->in_label);
    link_insert_before(&label->wearers, &w->in_label);
    label->wearer_count++;
}

/* Whatever their order. */
static uint64_t digest_of_labels(const Json *labels)
{
    uint64_t sum = 1;
    const Json *label;

    if (json_type(labels) == JSON_OBJECT)
        json_each(label, labels)
            sum += peer_digest(peer_digest(1, json_key(label)), json_text(label));
    return sum ? sum : 1;
}

bool peer_node_wears(const PeerNode *node, const Json *labels)
{
    return node->labels_digest == digest_of_labels(labels);
}

void peer_node_wear(PeerIndex *x, PeerNode *node, const Json *labels)
{
    size_t count = json_type(labels) == JSON_OBJECT ? json_count(labels) : 0;
    const Json *label;

    take_off(x, node);
    node->labels_digest = digest_of_labels(labels);
    if (count == 0)
        return;
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    const char *namespace = key_parse(a, node->key).namespace;
    node->wears = slab_alloc(x->slab, count * sizeof *node->wears);
    node->wear_max = count;
    json_each(label, labels) {
        const char *text = peer_label_text(a, namespace, label);
        if (text)
            put_on(x, node, text);
    }
}

void peer_node_remove(PeerIndex *x, PeerNode *node)
{
    (void)peer_node_ask(x, node, NULL);
    take_off(x, node);
    map_remove(x->nodes, node->key);
    slab_text_set(x->slab, &node->address, NULL);
    slab_text_set(x->slab, &node->pod_uid, NULL);
    slab_text_set(x->slab, &node->failed_uid, NULL);
    slab_text_set(x->slab, &node->failure, NULL);
    slab_free(x->slab, node, node->size);
}

/* --- who is whose ------------------------------------------------------------------------------
 */

static bool wears(const PeerNode *node, const PeerLabel *label)
{
    for (size_t i = 0; i < node->wear_count; i++)
        if (node->wears[i].label == label)
            return true;
    return false;
}

static bool is_member(PeerIndex *x, const PeerGroup *group, const PeerNode *node)
{
    x->work++;
    for (size_t i = 0; i < group->label_count; i++)
        if (!wears(node, group->labels[i]))
            return false;
    return !node->is_gone;
}

PeerGroup *peer_node_next_group(PeerIndex *x, const PeerNode *node, PeerCursor *cursor)
{
    for (; cursor->wear < node->wear_count; cursor->wear++, cursor->at = NULL) {
        Link *head = &node->wears[cursor->wear].label->groups;
        Link *at = cursor->at ? cursor->at->next : head->next;
        for (; at != head; at = at->next) {
            PeerGroup *group = link_owner(PeerGroup, in_label, at);
            cursor->at = at;
            if (is_member(x, group, node))
                return group;
        }
    }
    return NULL;
}

PeerNode *peer_group_next_member(PeerIndex *x, const PeerGroup *group, PeerCursor *cursor)
{
    Link *head = &group->hangs_at->wearers;
    Link *at = cursor->at ? cursor->at->next : head->next;

    for (; at != head; at = at->next) {
        PeerNode *node = link_owner(PeerWearing, in_label, at)->node;
        cursor->at = at;
        if (is_member(x, group, node))
            return node;
    }
    return NULL;
}

bool peer_group_is_asked_by_others(const PeerGroup *group, const PeerNode *node)
{
    /* A node asks for a group once, so of two subscribers one is another. */
    for (Link *l = group->subscribers.next; l != &group->subscribers; l = l->next)
        if (link_owner(PeerSubscription, in_group, l)->node != node)
            return true;
    return false;
}
