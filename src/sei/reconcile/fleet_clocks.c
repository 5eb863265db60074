/* A table from fleet to the times when its states were first seen. A fleet at rest has no row. */
#include "sei/reconcile/fleet_clocks.h"

#include "base/map.h"
#include "base/slab.h"

#include <stdio.h>
#include <string.h>

enum { KEY_TEXT_SIZE = 320, NOT_SEEN = -1 }; /* 63 + 1 + 253 and the NUL */

struct FleetClocks {
    Slab *slab;
    Map *map;
};

typedef struct Row {
    int64_t progress_at_ms; /* FleetDecision.progress_at_ms; 0: no deadline runs */
    int64_t progress_seen_ms, down_seen_ms;
    size_t size;
    char key[];
} Row;

FleetClocks *fleet_clocks_open(void)
{
    Slab *slab = slab_open();
    FleetClocks *t = slab_alloc(slab, sizeof *t);

    *t = (FleetClocks){.slab = slab, .map = map_open(FLEET_CLOCKS_MAX)};
    return t;
}

void fleet_clocks_close(FleetClocks *t)
{
    if (!t)
        return;
    map_close(t->map);
    slab_close(t->slab);
}

static void write_key(Key fleet, char ret[KEY_TEXT_SIZE])
{
    snprintf(ret, KEY_TEXT_SIZE, "%s/%s", fleet.namespace, fleet.name);
}

FleetSeen fleet_clocks_read(FleetClocks *t, Key fleet, int64_t mono_ms)
{
    char key[KEY_TEXT_SIZE];

    write_key(fleet, key);
    const Row *row = map_find(t->map, key);
    if (!row)
        return (FleetSeen){0};
    return (FleetSeen){
        .progress_at_ms = row->progress_at_ms,
        .progress_ms = row->progress_at_ms ? mono_ms - row->progress_seen_ms : 0,
        .all_down_ms = row->down_seen_ms == NOT_SEEN ? 0 : mono_ms - row->down_seen_ms,
    };
}

void fleet_clocks_forget(FleetClocks *t, Key fleet)
{
    char key[KEY_TEXT_SIZE];

    write_key(fleet, key);
    Row *row = map_remove(t->map, key);
    if (row)
        slab_free(t->slab, row, row->size);
}

/* NULL: there is no room. */
static Row *find_or_add(FleetClocks *t, Key fleet)
{
    char key[KEY_TEXT_SIZE];

    write_key(fleet, key);
    Row *row = map_find(t->map, key);
    if (row)
        return row;
    size_t size = sizeof *row + strlen(key) + 1;
    row = slab_alloc(t->slab, size);
    *row = (Row){.down_seen_ms = NOT_SEEN, .size = size};
    memcpy(row->key, key, size - sizeof *row);
    if (map_put(t->map, row->key, row))
        return row;
    slab_free(t->slab, row, size);
    return NULL;
}

void fleet_clocks_note(FleetClocks *t, Key fleet, const FleetDecision *decision, int64_t mono_ms)
{
    if (!decision->progress_at_ms && !decision->batch.all_down) {
        fleet_clocks_forget(t, fleet);
        return;
    }
    Row *row = find_or_add(t, fleet);
    if (!row)
        return;
    if (row->progress_at_ms != decision->progress_at_ms)
        row->progress_seen_ms = mono_ms;
    row->progress_at_ms = decision->progress_at_ms;
    if (!decision->batch.all_down)
        row->down_seen_ms = NOT_SEEN;
    else if (row->down_seen_ms == NOT_SEEN)
        row->down_seen_ms = mono_ms;
}
