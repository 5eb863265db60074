/* The shelf is a skip list: a sorted list with express lanes, so finding, putting and taking are
 * O(log n), and walking is following one pointer. How many lanes a place is on is decided by a
 * generator of its own that always begins alike: the same requests give the same lists. */
#include "world/shelf.h"

#include <string.h>

enum { LANES_MAX = 18 }; /* a quarter of the places of a lane is on the next: enough for 4^18 */

struct ShelfPlace {
    Record *record;
    uint32_t lanes;
    ShelfPlace *next[];
};

struct Shelf {
    Slab *slab;
    size_t count;
    uint32_t dice;
    ShelfPlace *first[LANES_MAX];
};

/* The links that lead to the place of a key, one per lane: those that an insertion changes. */
typedef struct Way {
    ShelfPlace **link[LANES_MAX];
} Way;

Shelf *shelf_open(Slab *slab)
{
    Shelf *s = slab_alloc(slab, sizeof *s);

    memset(s, 0, sizeof *s);
    s->slab = slab;
    s->dice = 2463534242U;
    return s;
}

static size_t place_size(uint32_t lanes)
{
    return sizeof(ShelfPlace) + lanes * sizeof(ShelfPlace *);
}

void shelf_close(Shelf *s)
{
    if (!s)
        return;
    for (ShelfPlace *place = s->first[0], *next; place; place = next) {
        next = place->next[0];
        record_drop(s->slab, place->record);
        slab_free(s->slab, place, place_size(place->lanes));
    }
    slab_free(s->slab, s, sizeof *s);
}

static bool is_before(const ShelfPlace *place, const char *key)
{
    return place && strcmp(record_key(place->record), key) < 0;
}

static Way way_to(const Shelf *s, const char *key)
{
    ShelfPlace **links = (ShelfPlace **)s->first;
    Way way;

    for (size_t lane = LANES_MAX; lane-- > 0;) {
        while (is_before(links[lane], key))
            links = links[lane]->next;
        way.link[lane] = &links[lane];
    }
    return way;
}

/* The place that a way ends at, when it is that of the key. */
static ShelfPlace *place_at(const Way *way, const char *key)
{
    ShelfPlace *place = *way->link[0];

    return place && strcmp(record_key(place->record), key) == 0 ? place : NULL;
}

const ShelfPlace *shelf_seek(const Shelf *s, const char *key)
{
    ShelfPlace *const *links = s->first;

    if (!key)
        return s->first[0];
    for (size_t lane = LANES_MAX; lane-- > 0;)
        while (is_before(links[lane], key))
            links = links[lane]->next;
    return links[0];
}

Record *shelf_find(const Shelf *s, const char *key)
{
    const ShelfPlace *place = shelf_seek(s, key);

    return place && strcmp(record_key(place->record), key) == 0 ? place->record : NULL;
}

static uint32_t lanes_of_new(Shelf *s)
{
    uint32_t lanes = 1, bits;

    s->dice ^= s->dice << 13;
    s->dice ^= s->dice >> 17;
    s->dice ^= s->dice << 5;
    for (bits = s->dice; lanes < LANES_MAX && (bits & 3) == 0; bits >>= 2)
        lanes++;
    return lanes;
}

void shelf_put(Shelf *s, Record *r)
{
    Way way = way_to(s, record_key(r));
    ShelfPlace *place = place_at(&way, record_key(r));
    uint32_t lanes;

    if (place) {
        record_drop(s->slab, place->record);
        place->record = r;
        return;
    }
    lanes = lanes_of_new(s);
    place = slab_alloc(s->slab, place_size(lanes));
    place->record = r;
    place->lanes = lanes;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        place->next[lane] = *way.link[lane];
        *way.link[lane] = place;
    }
    s->count++;
}

Record *shelf_take(Shelf *s, const char *key)
{
    Way way = way_to(s, key);
    ShelfPlace *place = place_at(&way, key);
    Record *record;

    if (!place)
        return NULL;
    for (uint32_t lane = 0; lane < place->lanes; lane++)
        *way.link[lane] = place->next[lane];
    record = place->record;
    slab_free(s->slab, place, place_size(place->lanes));
    s->count--;
    return record;
}

size_t shelf_count(const Shelf *s)
{
    return s->count;
}

const ShelfPlace *shelf_next(const ShelfPlace *place)
{
    return place->next[0];
}

Record *shelf_record(const ShelfPlace *place)
{
    return place->record;
}
