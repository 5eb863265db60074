/* Groups: what nodes ask for. One lives as long as somebody asks for it. */
#include "sei/reconcile/peer_index.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRATCH_MAX = 4 << 20 };

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* What one source asks for. */
typedef struct Wish {
    const char *labels[PEER_SELECTOR_MAX]; /* sorted */
    size_t count;
    const char *text; /* of all of them */
} Wish;

static const char *join(Arena *a, const Wish *wish)
{
    size_t size = wish->count * (PEER_LABEL_TEXT_MAX + 4) + 1, len = 0;
    char *text = arena_alloc(a, size);

    for (size_t i = 0; i < wish->count; i++)
        len += (size_t)snprintf(text + len, size - len, "%s\n\n", wish->labels[i]);
    return text;
}

/* False when it asks for nothing, or for more than is allowed (which plan_check_peers refuses). */
static bool read_wish(Arena *a, const char *own_namespace, const Json *source, Wish *ret)
{
    const Json *selector = json_find(source, ".selector"), *label;
    const char *told = json_str(source, ".namespace");
    const char *namespace = str_empty(told) ? own_namespace : told;

    *ret = (Wish){.text = ""};
    if (json_type(selector) != JSON_OBJECT || json_count(selector) > PEER_SELECTOR_MAX)
        return false;
    json_each(label, selector) {
        const char *text = peer_label_text(a, namespace, label);
        if (!text)
            return false;
        ret->labels[ret->count++] = text;
    }
    qsort(ret->labels, ret->count, sizeof ret->labels[0], compare_texts);
    ret->text = join(a, ret);
    return ret->count > 0;
}

static void close_group(PeerIndex *x, PeerGroup *group)
{
    timetable_set(&x->due, &group->entry, INT64_MAX);
    link_remove(&group->in_label);
    map_remove(x->groups, group->text);
    for (size_t i = 0; i < group->label_count; i++)
        peer_label_drop(x, group->labels[i]);
    slab_free(x->slab, group, group->size);
}

void peer_group_hang(PeerGroup *group)
{
    link_remove(&group->in_label);
    group->hangs_at = group->labels[0];
    for (size_t i = 1; i < group->label_count; i++)
        if (group->labels[i]->wearer_count < group->hangs_at->wearer_count)
            group->hangs_at = group->labels[i];
    link_insert_before(&group->hangs_at->groups, &group->in_label);
}

static PeerGroup *open_group(PeerIndex *x, const Wish *wish)
{
    size_t len = strlen(wish->text), size = sizeof(PeerGroup) + len + 1;
    PeerGroup *group = slab_alloc(x->slab, size);

    *group = (PeerGroup){.size = size, .version = 1};
    memcpy(group->text, wish->text, len + 1);
    link_init(&group->in_label);
    link_init(&group->subscribers);
    bool fits = map_put(x->groups, group->text, group);
    for (size_t i = 0; fits && i < wish->count; i++) {
        PeerLabel *label = peer_label_hold(x, wish->labels[i]);
        fits = label != NULL;
        if (fits)
            group->labels[group->label_count++] = label;
    }
    if (!fits) {
        close_group(x, group);
        return NULL;
    }
    peer_group_hang(group);
    return group;
}

/* --- who asks for whom -------------------------------------------------------------------------
 */

/* What a node asks for. */
typedef struct Asks {
    PeerSubscription *items;
    size_t count, max;
} Asks;

static void ask_no_more(PeerIndex *x, Asks asks)
{
    for (size_t i = 0; i < asks.count; i++) {
        PeerGroup *group = asks.items[i].group;
        link_remove(&asks.items[i].in_group);
        if (--group->subscriber_count == 0)
            close_group(x, group);
    }
    slab_free(x->slab, asks.items, asks.max * sizeof *asks.items);
}

static bool asks_for(const Asks *asks, const PeerGroup *group)
{
    for (size_t i = 0; i < asks->count; i++)
        if (asks->items[i].group == group)
            return true;
    return false;
}

static void ask_for(PeerIndex *x, PeerNode *node, Asks *asks, const Wish *wish)
{
    PeerGroup *group = map_find(x->groups, wish->text);

    if (!group)
        group = open_group(x, wish);
    if (!group || asks_for(asks, group))
        return;
    PeerSubscription *s = &asks->items[asks->count++];
    *s = (PeerSubscription){.group = group, .node = node};
    link_init(&s->in_group);
    link_insert_before(&group->subscribers, &s->in_group);
    group->subscriber_count++;
}

static uint64_t digest_of_wishes(const Wish *wishes, size_t count)
{
    uint64_t sum = 1;

    for (size_t i = 0; i < count; i++)
        sum = peer_digest(sum, wishes[i].text);
    return count ? sum : 0;
}

static size_t read_wishes(Arena *a, const char *namespace, const Json *peers, Wish *ret)
{
    const Json *peer;
    size_t count = 0;

    json_each(peer, peers) {
        const Json *label = json_find(peer, ".label");
        if (label && count < PEER_SOURCES_MAX && read_wish(a, namespace, label, &ret[count]))
            count++;
    }
    return count;
}

bool peer_node_ask(PeerIndex *x, PeerNode *node, const Json *peers)
{
    if (!peers && !node->sources_digest)
        return false;
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    Wish *wishes = arena_array(a, Wish, PEER_SOURCES_MAX);
    size_t count = read_wishes(a, key_parse(a, node->key).namespace, peers, wishes);
    uint64_t now = digest_of_wishes(wishes, count);
    Asks before = {node->asks, node->ask_count, node->ask_max}, asks = {.max = count};

    if (now == node->sources_digest)
        return false;
    asks.items = count ? slab_alloc(x->slab, count * sizeof *asks.items) : NULL;
    for (size_t i = 0; i < count; i++)
        ask_for(x, node, &asks, &wishes[i]);
    ask_no_more(x, before); /* after the new ones: what both ask for stays as it is */
    node->asks = asks.items;
    node->ask_count = asks.count;
    node->ask_max = asks.max;
    node->sources_digest = now;
    return true;
}
