/* Outside: a table of chains and a map of objects. An upgrade stops an older seid before its
 * height, and at once where a newer binary has already gone past it. A binary of a later upgrade
 * may run before its time. */
#include "world/outside.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

typedef struct Object {
    size_t size;
    const char *value; /* behind the key */
    char key[];
} Object;

struct Outside {
    Slab *slab;
    Map *objects;
    Chain chains[CHAINS_MAX];
    size_t chain_count;
    OutsideListener *listener; /* or NULL */
    void *listener_self;
};

static const char *const embedded[] = {"pacific-1", "atlantic-2", "arctic-1"};

Outside *outside_open(void)
{
    Slab *slab = slab_open();
    Outside *o = slab_alloc(slab, sizeof *o);

    memset(o, 0, sizeof *o);
    o->slab = slab;
    o->objects = map_open(OUTSIDE_OBJECTS_MAX);
    return o;
}

void outside_close(Outside *o)
{
    if (!o)
        return;
    map_close(o->objects);
    slab_close(o->slab);
}

static bool is_embedded(const char *id)
{
    for (size_t i = 0; i < sizeof embedded / sizeof embedded[0]; i++)
        if (str_eq(id, embedded[i]))
            return true;
    return false;
}

Chain *outside_chain(Outside *o, const char *id)
{
    id = id ? id : "";
    for (size_t i = 0; i < o->chain_count; i++)
        if (str_eq(o->chains[i].id, id))
            return &o->chains[i];
    if (o->chain_count == CHAINS_MAX)
        return &o->chains[CHAINS_MAX - 1];

    Chain *chain = &o->chains[o->chain_count++];
    *chain = (Chain){
        .height = 1000,
        .block_ms = 400,
        .catch_up_per_s = 500,
        .lag_max = 300,
        .snapshot_height = is_embedded(id) ? 900 : 0,
        .has_genesis = is_embedded(id),
    };
    snprintf(chain->id, sizeof chain->id, "%s", id);
    return chain;
}

int64_t chain_head(const Chain *chain, int64_t now_ms)
{
    return chain->height + now_ms / chain->block_ms;
}

int64_t chain_when(const Chain *chain, int64_t height)
{
    if (height <= chain->height)
        return 0;
    int64_t blocks = height - chain->height;
    return blocks > INT64_MAX / chain->block_ms ? INT64_MAX : blocks * chain->block_ms;
}

bool chain_schedule_upgrade(Chain *chain, int64_t height, const char *image)
{
    if (chain->upgrade_count == CHAIN_UPGRADES_MAX)
        return false;
    ChainUpgrade *upgrade = &chain->upgrades[chain->upgrade_count++];
    upgrade->height = height;
    snprintf(upgrade->image, sizeof upgrade->image, "%s", image);
    return true;
}

int64_t chain_limit(const Chain *chain, const char *image, int64_t height)
{
    size_t next = 0; /* the first upgrade that is newer than the image */

    for (size_t i = 0; i < chain->upgrade_count; i++)
        if (strstr(image, chain->upgrades[i].image))
            next = i + 1;
    if (next == chain->upgrade_count)
        return INT64_MAX;
    int64_t last = chain->upgrades[next].height - 1;
    return last > height ? last : height;
}

bool outside_put(Outside *o, const char *key, const char *value)
{
    size_t key_size = strlen(key) + 1, value_size = strlen(value) + 1;
    Object *old = map_find(o->objects, key);
    Object *object = slab_alloc(o->slab, sizeof *object + key_size + value_size);

    object->size = sizeof *object + key_size + value_size;
    memcpy(object->key, key, key_size);
    memcpy(object->key + key_size, value, value_size);
    object->value = object->key + key_size;
    if (!map_put(o->objects, object->key, object)) {
        slab_free(o->slab, object, object->size);
        return false;
    }
    if (o->listener)
        o->listener(o->listener_self, object->key, object->value);
    if (old)
        slab_free(o->slab, old, old->size);
    return true;
}

void outside_listen(Outside *o, OutsideListener *listener, void *self)
{
    o->listener = listener;
    o->listener_self = self;
}

bool outside_next(const Outside *o, size_t *cursor, const char **ret_key, const char **ret_value)
{
    const Object *object = map_next(o->objects, cursor);

    if (!object)
        return false;
    *ret_key = object->key;
    *ret_value = object->value;
    return true;
}

const Chain *outside_next_chain(const Outside *o, size_t *cursor)
{
    return *cursor < o->chain_count ? &o->chains[(*cursor)++] : NULL;
}

const char *outside_find(const Outside *o, const char *key)
{
    const Object *object = map_find(o->objects, key);
    return object ? object->value : NULL;
}
