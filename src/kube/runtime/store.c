/* Store: a map from tag to snapshot, and two more from owner and label value to the first of a
 * circle of snapshots. The keys of all three stand in the snapshots, so a replaced snapshot must
 * leave every map before its memory goes. A list marks what it names; its end sweeps the rest. */
#include "kube/runtime/store.h"

#include "base/err.h"
#include "base/link.h"
#include "base/map.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/snapshot.h"
#include "kube/runtime/tag.h"

#include <assert.h>
#include <string.h>

enum { OBJECTS_MAX = 1000000 };

/* One of the two indexes: snapshots of one text in a circle. */
typedef struct Index {
    Map *first;     /* the first snapshot of each circle, by the text that they share */
    size_t link_at; /* where in a Snapshot the link of this index is */
    size_t text_at; /* and where the place of its text is */
} Index;

struct Store {
    StoreOptions options;
    Map *snapshots; /* by tag */
    Link all;
    Index by_owner, by_label;
    size_t bytes;
    uint32_t list;          /* counts lists */
    bool is_listing;        /* between begin and end */
    bool list_stepped_back; /* the list at hand is older than what was seen */
    bool is_synced;
    unsigned steps_back;
    char version[STORE_TEXT_MAX + 1]; /* reached */
};

/* --- an index */

static Link *index_link(const Index *index, const Snapshot *snapshot)
{
    return (Link *)(void *)((char *)snapshot + index->link_at);
}

static Snapshot *index_owner(const Index *index, Link *link)
{
    return (Snapshot *)(void *)((char *)link - index->link_at);
}

static const char *index_text(const Index *index, const Snapshot *snapshot)
{
    uint16_t place;
    memcpy(&place, (const char *)snapshot + index->text_at, sizeof place);
    return snapshot_text(snapshot, place);
}

static void index_set_first(Index *index, Snapshot *snapshot)
{
    if (!map_put(index->first, index_text(index, snapshot), snapshot))
        BUG("an index has more entries than the store has objects");
}

static void index_join(Index *index, Snapshot *snapshot)
{
    const char *text = index_text(index, snapshot);
    if (!text)
        return;
    const Snapshot *first = map_find(index->first, text);
    if (first)
        link_insert_before(index_link(index, first), index_link(index, snapshot));
    else
        index_set_first(index, snapshot);
}

static void index_leave(Index *index, Snapshot *snapshot)
{
    const char *text = index_text(index, snapshot);
    if (!text)
        return;
    Link *link = index_link(index, snapshot), *next = link->next;
    link_remove(link);
    if (next == link)
        map_remove(index->first, text);
    else if (map_find(index->first, text) == snapshot)
        index_set_first(index, index_owner(index, next));
}

/* A newer snapshot of the same object takes the place of the old one where their texts agree. */
static void index_swap(Index *index, Snapshot *old, Snapshot *snapshot)
{
    const char *was = index_text(index, old), *is = index_text(index, snapshot);
    if (!is || !str_eq(was, is)) {
        index_leave(index, old);
        index_join(index, snapshot);
        return;
    }
    link_replace(index_link(index, old), index_link(index, snapshot));
    if (map_find(index->first, is) == old)
        index_set_first(index, snapshot);
}

/* --- snapshots */

static Snapshot *find(const Store *s, Key key)
{
    char tag[TAG_SIZE];
    return tag_write(0, key, tag) ? map_find(s->snapshots, tag) : NULL;
}

static const char *version_of(const Snapshot *snapshot)
{
    return snapshot_text(snapshot, snapshot->version_at);
}

static void enter(Store *s, Snapshot *snapshot)
{
    snapshot->store = s;
    snapshot->list = s->list;
    s->bytes += snapshot_size(snapshot);
    if (!map_put(s->snapshots, snapshot->text, snapshot))
        BUG("the store has more objects than it may");
}

static void add(Store *s, Snapshot *snapshot)
{
    enter(s, snapshot);
    link_insert_before(&s->all, &snapshot->all);
    index_join(&s->by_owner, snapshot);
    index_join(&s->by_label, snapshot);
}

static void replace(Store *s, Snapshot *old, Snapshot *snapshot)
{
    enter(s, snapshot);
    link_replace(&old->all, &snapshot->all);
    index_swap(&s->by_owner, old, snapshot);
    index_swap(&s->by_label, old, snapshot);
    s->bytes -= snapshot_size(old);
    snapshot_drop(s->options.slab, old);
}

static void take_out(Store *s, Snapshot *snapshot)
{
    map_remove(s->snapshots, snapshot->text);
    link_remove(&snapshot->all);
    index_leave(&s->by_owner, snapshot);
    index_leave(&s->by_label, snapshot);
    s->bytes -= snapshot_size(snapshot);
    snapshot_drop(s->options.slab, snapshot);
}

static StoreChange put(Store *s, const StoreItem *item)
{
    Snapshot *old = find(s, item->key);
    if (!old) {
        if (map_count(s->snapshots) >= s->options.objects_max)
            return STORE_FULL;
        add(s, snapshot_new(s->options.slab, item));
        return STORE_ADDED;
    }

    if (bytes_equal(snapshot_bytes(old), item->bytes)) {
        old->list = s->list;
        return STORE_UNCHANGED;
    }
    bool same_uid = str_eq(snapshot_text(old, old->uid_at), item->uid);
    replace(s, old, snapshot_new(s->options.slab, item));
    return same_uid ? STORE_MODIFIED : STORE_REPLACED;
}

/* --- the store */

Store *store_open(const StoreOptions *options)
{
    Store *s = slab_alloc(options->slab, sizeof *s);
    *s = (Store){
        .options = *options,
        .by_owner = {.link_at = offsetof(Snapshot, owned), .text_at = offsetof(Snapshot, owner_at)},
        .by_label = {.link_at = offsetof(Snapshot, indexed),
            .text_at = offsetof(Snapshot, index_at)},
    };
    if (s->options.objects_max == 0)
        s->options.objects_max = OBJECTS_MAX;
    s->snapshots = map_open(s->options.objects_max);
    s->by_owner.first = map_open(s->options.objects_max);
    s->by_label.first = map_open(s->options.objects_max);
    link_init(&s->all);
    return s;
}

void store_close(Store *s)
{
    if (!s)
        return;
    while (!link_is_alone(&s->all))
        take_out(s, link_owner(Snapshot, all, s->all.next));
    map_close(s->snapshots);
    map_close(s->by_owner.first);
    map_close(s->by_label.first);
    slab_free(s->options.slab, s, sizeof *s);
}

static void set_version(Store *s, const char *version)
{
    size_t len = strlen(version);
    assert(len <= STORE_TEXT_MAX);
    memcpy(s->version, version, len + 1);
}

static void advance(Store *s, const char *version)
{
    if (meta_version_compare(version, s->version) > 0)
        set_version(s, version);
}

StoreChange store_put(Store *s, const StoreItem *item)
{
    assert(!s->is_listing);
    const Snapshot *old = find(s, item->key);
    const char *newest = old ? version_of(old) : s->version;
    if (meta_version_compare(item->version, newest) < 0)
        return STORE_UNCHANGED;
    advance(s, item->version);
    return put(s, item);
}

StoreChange store_remove(Store *s, const StoreItem *item)
{
    assert(!s->is_listing);
    Snapshot *old = find(s, item->key);
    if (old && meta_version_compare(item->version, version_of(old)) < 0)
        return STORE_UNCHANGED;
    advance(s, item->version);
    if (!old)
        return STORE_UNCHANGED;
    take_out(s, old);
    return STORE_REMOVED;
}

void store_reach(Store *s, const char *version)
{
    assert(!s->is_listing);
    advance(s, version);
}

static void step_back(Store *s)
{
    s->steps_back += !s->list_stepped_back;
    s->list_stepped_back = true;
}

void store_list_begin(Store *s)
{
    s->list++;
    s->is_listing = true;
    s->list_stepped_back = false;
}

StoreChange store_list_put(Store *s, const StoreItem *item)
{
    assert(s->is_listing);
    const Snapshot *old = find(s, item->key);
    if (old && meta_version_compare(item->version, version_of(old)) < 0)
        step_back(s);
    return put(s, item);
}

void store_list_keep(Store *s, Key key)
{
    assert(s->is_listing);
    Snapshot *old = find(s, key);
    if (old)
        old->list = s->list;
}

void store_list_end(Store *s, const char *version, StoreChanged *removed, void *self)
{
    assert(s->is_listing);
    Link *next;
    for (Link *l = s->all.next; l != &s->all; l = next) {
        Snapshot *snapshot = link_owner(Snapshot, all, l);
        next = l->next;
        if (snapshot->list == s->list)
            continue;
        char namespace[STORE_TEXT_MAX + 1];
        StoreItem item = snapshot_item(snapshot, namespace);
        removed(self, STORE_REMOVED, &item);
        take_out(s, snapshot);
    }
    if (meta_version_compare(version, s->version) < 0)
        step_back(s);
    set_version(s, version);
    s->is_listing = false;
    s->is_synced = true;
}

void store_list_abort(Store *s)
{
    s->is_listing = false;
}

bool store_is_synced(const Store *s)
{
    return s->is_synced;
}

const char *store_version(const Store *s)
{
    return s->version;
}

unsigned store_steps_back(const Store *s)
{
    return s->steps_back;
}

size_t store_count(const Store *s)
{
    return map_count(s->snapshots);
}

size_t store_bytes(const Store *s)
{
    return s->bytes;
}

/* --- readers */

bool store_is_deleting(const Store *s, Key key)
{
    const Snapshot *snapshot = find(s, key);
    return snapshot && snapshot->deleting;
}

const char *store_uid(const Store *s, Key key)
{
    const Snapshot *snapshot = find(s, key);
    return snapshot ? snapshot_text(snapshot, snapshot->uid_at) : NULL;
}

StoreOwned store_owned(const Store *s, Key key)
{
    const Snapshot *snapshot = find(s, key);
    return snapshot ? snapshot_owned(snapshot) : (StoreOwned){0};
}

/* Snapshots that one arena holds; let go together. */
typedef struct Pinned {
    Store *store;
    Snapshot **snapshots;
    size_t count;
} Pinned;

static void release(void *thing)
{
    const Pinned *p = thing;
    guard_enter(p->store->options.guard);
    for (size_t i = 0; i < p->count; i++)
        snapshot_drop(p->store->options.slab, p->snapshots[i]);
    guard_leave(p->store->options.guard);
}

static Pinned *pin_nothing(Store *s, Arena *a, size_t room)
{
    Pinned *p = arena_new(a, Pinned);
    *p = (Pinned){.store = s, .snapshots = arena_array(a, Snapshot *, room)};
    arena_pin(a, release, p);
    return p;
}

static void pin(Pinned *p, Snapshot *snapshot)
{
    snapshot->references++;
    p->snapshots[p->count++] = snapshot;
}

bool store_pin(Store *s, Arena *a, Key key, Bytes *ret)
{
    Snapshot *snapshot = find(s, key);
    if (!snapshot)
        return false;
    pin(pin_nothing(s, a, 1), snapshot);
    *ret = snapshot_bytes(snapshot);
    return true;
}

/* The bytes of those that are in a namespace; NULL is every one. */
static void give(Arena *a, const Pinned *p, const char *namespace, StoreSelection *ret)
{
    *ret = (StoreSelection){.items = arena_array(a, Bytes, p->count)};
    for (size_t i = 0; i < p->count; i++)
        if (snapshot_is_in(p->snapshots[i], namespace))
            ret->items[ret->count++] = snapshot_bytes(p->snapshots[i]);
}

/* The circle of a text, pinned; empty for NULL and for a text that nobody has. */
static Pinned *pin_circle(Store *s, Arena *a, const Index *index, const char *text)
{
    const Snapshot *first = text ? map_find(index->first, text) : NULL;
    Link *begin = first ? index_link(index, first) : NULL, *l = begin;
    size_t room = 0;

    for (; first && (room == 0 || l != begin); l = l->next)
        room++;
    Pinned *p = pin_nothing(s, a, room);
    for (; p->count < room; l = l->next)
        pin(p, index_owner(index, l));
    return p;
}

static Pinned *pin_all(Store *s, Arena *a)
{
    Pinned *p = pin_nothing(s, a, store_count(s));
    for (Link *l = s->all.next; l != &s->all; l = l->next)
        pin(p, link_owner(Snapshot, all, l));
    return p;
}

void store_pin_owned(Store *s, Arena *a, const char *owner_uid, StoreSelection *ret)
{
    give(a, pin_circle(s, a, &s->by_owner, owner_uid), NULL, ret);
}

void store_pin_candidates(
    Store *s, Arena *a, const char *namespace, const Selector *selector, StoreSelection *ret)
{
    const char *label = s->options.index_label;
    const char *value = label && selector ? selector_value_of(selector, label) : NULL;
    give(a, value ? pin_circle(s, a, &s->by_label, value) : pin_all(s, a), namespace, ret);
}

void store_each_key(const Store *s, void (*visit)(void *self, Key key), void *self)
{
    for (Link *l = s->all.next; l != &s->all; l = l->next) {
        char namespace[STORE_TEXT_MAX + 1];
        visit(self, snapshot_item(link_owner(Snapshot, all, l), namespace).key);
    }
}
