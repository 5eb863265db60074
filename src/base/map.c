/* Map: entries side by side, and a table of their places found by hash.
 *
 * Keys come from users of the cluster, so the hash is SipHash with a key drawn per map: nobody can
 * choose names that collide. Taking an entry out moves the last one into its place, and walks go
 * from the last to the first: so removing what a walk has just given disturbs nothing. */
#include "base/map.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/siphash.h"
#include "base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 16 };

typedef struct Entry {
    const char *key;
    void *value;
    uint64_t hash;
} Entry;

struct Map {
    Entry *entries;
    size_t count;
    size_t max;
    uint32_t *slots;   /* 1 + the place of an entry, or 0; at most half are taken */
    size_t slot_count; /* a power of two, or 0 */
    uint64_t secret[2];
};

static uint64_t hash_of(const Map *m, const char *key)
{
    return siphash(m->secret, key, strlen(key));
}

Map *map_open(size_t max)
{
    assert(max < UINT32_MAX / 4);
    Map *m = memory_new_zeroed(1, sizeof *m);
    Rng *chance = rng_system();
    m->max = max;
    m->secret[0] = chance->next(chance);
    m->secret[1] = chance->next(chance);
    return m;
}

void map_close(Map *m)
{
    if (!m)
        return;
    free(m->entries);
    free(m->slots);
    free(m);
}

/* The slot of a key: the one that leads to it, or the empty one where it would go. */
static size_t slot_of(const Map *m, const char *key, uint64_t hash)
{
    size_t slot = hash & (m->slot_count - 1);
    for (;; slot = (slot + 1) & (m->slot_count - 1)) {
        if (m->slots[slot] == 0)
            return slot;
        const Entry *entry = &m->entries[m->slots[slot] - 1];
        if (entry->hash == hash && str_eq(entry->key, key))
            return slot;
    }
}

static void grow(Map *m)
{
    size_t slot_count = m->slot_count ? m->slot_count * 2 : SLOTS_MIN;

    free(m->slots);
    m->slots = memory_new_zeroed(slot_count, sizeof *m->slots);
    m->slot_count = slot_count;
    m->entries = memory_resize(m->entries, slot_count / 2 * sizeof *m->entries);
    for (size_t i = 0; i < m->count; i++)
        m->slots[slot_of(m, m->entries[i].key, m->entries[i].hash)] = (uint32_t)i + 1;
}

void *map_find(const Map *m, const char *key)
{
    if (m->count == 0)
        return NULL;
    uint32_t place = m->slots[slot_of(m, key, hash_of(m, key))];
    return place ? m->entries[place - 1].value : NULL;
}

bool map_put(Map *m, const char *key, void *value)
{
    assert(value);
    if (m->count == m->slot_count / 2 && m->count < m->max)
        grow(m);
    if (m->max == 0)
        return false;
    uint64_t hash = hash_of(m, key);
    uint32_t *place = &m->slots[slot_of(m, key, hash)];
    if (*place == 0) {
        if (m->count == m->max)
            return false;
        *place = (uint32_t)++m->count;
    }
    m->entries[*place - 1] = (Entry){.key = key, .value = value, .hash = hash};
    return true;
}

/* Empties a slot, and moves up those behind it that were pushed away from where they belong. */
static void empty_slot(Map *m, size_t hole)
{
    size_t mask = m->slot_count - 1;

    for (size_t slot = (hole + 1) & mask; m->slots[slot] != 0; slot = (slot + 1) & mask) {
        size_t home = m->entries[m->slots[slot] - 1].hash & mask;
        if (((slot - home) & mask) >= ((slot - hole) & mask)) {
            m->slots[hole] = m->slots[slot];
            hole = slot;
        }
    }
    m->slots[hole] = 0;
}

void *map_remove(Map *m, const char *key)
{
    if (m->count == 0)
        return NULL;
    size_t slot = slot_of(m, key, hash_of(m, key));
    uint32_t place = m->slots[slot];
    if (place == 0)
        return NULL;
    void *value = m->entries[place - 1].value;
    empty_slot(m, slot);

    const Entry *last = &m->entries[m->count - 1];
    if (place != m->count) {
        m->slots[slot_of(m, last->key, last->hash)] = place;
        m->entries[place - 1] = *last;
    }
    m->count--;
    return value;
}

size_t map_count(const Map *m)
{
    return m->count;
}

void *map_next(const Map *m, size_t *cursor)
{
    /* The cursor is 1 + the place of the entry just given, or 0 before the first. */
    size_t left = *cursor ? *cursor - 1 : m->count;
    if (left > m->count)
        left = m->count;
    if (left == 0) {
        *cursor = 1;
        return NULL;
    }
    *cursor = left;
    return m->entries[left - 1].value;
}
