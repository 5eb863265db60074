/* A table from object to the time when its wait began. When the table is full a wait is told at
 * once. */
#include "sei/reconcile/waits.h"

#include "base/map.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { KEY_TEXT_SIZE = 320 }; /* 63 + 1 + 253 and the NUL */

struct Waits {
    Slab *slab;
    Map *map;
};

typedef struct Wait {
    int64_t since_ms;
    uint64_t reason; /* a hash: whether it is still the same is all that counts */
    size_t size;
    char key[];
} Wait;

Waits *waits_open(void)
{
    Slab *slab = slab_open();
    Waits *w = slab_alloc(slab, sizeof *w);

    *w = (Waits){.slab = slab, .map = map_open(WAITS_MAX)};
    return w;
}

void waits_close(Waits *w)
{
    if (!w)
        return;
    map_close(w->map);
    slab_close(w->slab);
}

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static Wait *begin(Waits *w, const char *key, int64_t now_ms)
{
    size_t size = sizeof(Wait) + strlen(key) + 1;
    Wait *wait = slab_alloc(w->slab, size);

    *wait = (Wait){.since_ms = now_ms, .size = size};
    memcpy(wait->key, key, size - sizeof *wait);
    if (map_put(w->map, wait->key, wait))
        return wait;
    slab_free(w->slab, wait, size);
    return NULL;
}

static void end(Waits *w, const char *key)
{
    Wait *wait = map_remove(w->map, key);

    if (wait)
        slab_free(w->slab, wait, wait->size);
}

int64_t waits_note(Waits *w, Key about, const char *reason, int64_t now_ms)
{
    char text[KEY_TEXT_SIZE];

    snprintf(text, sizeof text, "%s/%s", about.namespace, about.name);
    if (!reason) {
        end(w, text);
        return 0;
    }
    Wait *wait = map_find(w->map, text);
    if (!wait)
        wait = begin(w, text, now_ms);
    if (wait && wait->reason != hash_of(reason)) {
        wait->reason = hash_of(reason);
        wait->since_ms = now_ms;
    }
    int64_t lasted = wait ? now_ms - wait->since_ms : WAIT_TOLD_AFTER_MS;
    return lasted < WAIT_TOLD_AFTER_MS ? WAIT_TOLD_AFTER_MS - lasted : 0;
}
