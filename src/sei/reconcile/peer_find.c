/* The peers of one node: the members of the groups that it asks for, as they are called. */
#include "sei/reconcile/peer_find.h"

#include "base/draft.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Entries that are being collected. */
typedef struct Found {
    PeerIndex *index;
    Arena *arena;
    Map *before; /* by address; opened when it is first needed */
    const Json *was;
    const char **entries;
    size_t count, max;
    PeersFound *ret;
} Found;

static const char *address_in(const char *entry)
{
    const char *at = entry ? strchr(entry, '@') : NULL;

    return at ? at + 1 : NULL;
}

/* The entry that a node had before, by its address, or NULL. */
static const char *kept(Found *f, const char *address)
{
    const Json *entry;

    if (!f->before) {
        f->before = map_open(json_count(f->was) + 1);
        json_each(entry, f->was) {
            const char *key = address_in(json_text(entry));
            if (key && !map_put(f->before, key, (void *)json_text(entry)))
                BUG("a map that was made for them is full");
        }
    }
    return map_find(f->before, address);
}

static void add(Found *f, const char *entry)
{
    if (f->count == f->max) {
        size_t max = f->max ? f->max * 2 : 64;
        const char **more = arena_array(f->arena, const char *, max);
        for (size_t i = 0; i < f->count; i++)
            more[i] = f->entries[i];
        f->entries = more;
        f->max = max;
    }
    f->entries[f->count++] = entry;
}

static void add_member(Found *f, const PeerNode *node)
{
    const char *address = node->address.text;
    const char *entry = !address ? NULL
        : node->id[0]            ? str_format(f->arena, "%s@%s", node->id, address)
                                 : kept(f, address);

    f->ret->matched++;
    if (entry)
        add(f, entry);
    else if (!f->ret->silent || (!f->ret->silent_why && node->failure.text)) {
        f->ret->silent = str_copy(f->arena, node->key);
        f->ret->silent_why = node->failure.text ? str_copy(f->arena, node->failure.text) : NULL;
    }
}

static void add_group(Found *f, const PeerGroup *group, const PeerNode *asker)
{
    PeerCursor cursor = {0};
    PeerNode *node;

    while ((node = peer_group_next_member(f->index, group, &cursor)))
        if (node != asker)
            add_member(f, node);
}

static int compare_entries(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Sorted, each once, and no more than fits. */
static void order(Found *f)
{
    size_t count = 0, size = 0;

    if (f->count) /* an array of none has no place */
        qsort(f->entries, f->count, sizeof *f->entries, compare_entries);
    for (size_t i = 0; i < f->count && size < PEERS_TEXT_MAX; i++) {
        if (count && str_eq(f->entries[count - 1], f->entries[i]))
            continue;
        f->entries[count++] = f->entries[i];
        size += strlen(f->entries[i]) + 3; /* quotes and comma */
    }
    f->count = count;
}

static bool is_as_before(const Found *f)
{
    const Json *entry;
    size_t i = 0;

    json_each(entry, f->was)
        if (i == f->count || !str_eq(json_text(entry), f->entries[i++]))
            return false;
    return i == f->count;
}

static const Json *list_of(const Found *f)
{
    Draft *list = draft_array(f->arena);

    for (size_t i = 0; i < f->count; i++)
        draft_push_str(list, f->entries[i]);
    return f->count ? json_seal(f->arena, list) : NULL;
}

static uint64_t digest_of(const Json *list)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    const Json *entry;

    json_each(entry, list)
        for (const char *text = json_text(entry); text && *text; text++)
            sum = (sum ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return sum;
}

bool peer_is_settled(const PeerNode *node, const Json *before)
{
    if (json_count(before) == 0 || node->resolved_digest != digest_of(before))
        return false;
    for (size_t i = 0; i < node->ask_count; i++)
        if (node->asks[i].seen != node->asks[i].group->version)
            return false;
    return true;
}

PeersFound peer_find(PeerIndex *x, Arena *a, PeerNode *node, const Json *before)
{
    PeersFound found = {.is_known = true};
    Found f = {.index = x, .arena = a, .was = before, .ret = &found};

    for (size_t i = 0; i < node->ask_count; i++) {
        add_group(&f, node->asks[i].group, node);
        node->asks[i].seen = node->asks[i].group->version;
    }
    map_close(f.before);
    order(&f);
    found.resolved = is_as_before(&f) ? before : list_of(&f);
    node->resolved_digest = digest_of(found.resolved);
    return found;
}
