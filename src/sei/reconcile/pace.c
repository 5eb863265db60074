/* A table from object to the time until which it is left alone. */
#include "sei/reconcile/pace.h"

#include "base/map.h"
#include "base/slab.h"

#include <stdio.h>
#include <string.h>

enum { OBJECT_TEXT_SIZE = 320 }; /* 63 + 1 + 253 and the NUL */

struct Pace {
    Slab *slab;
    Map *map;
};

typedef struct Rest {
    int64_t until_ms;
    size_t size;
    char object[];
} Rest;

Pace *pace_open(void)
{
    Slab *slab = slab_open();
    Pace *p = slab_alloc(slab, sizeof *p);

    *p = (Pace){.slab = slab, .map = map_open(PACE_MAX)};
    return p;
}

void pace_close(Pace *p)
{
    if (!p)
        return;
    map_close(p->map);
    slab_close(p->slab);
}

static const char *text_of(Key key, char text[static OBJECT_TEXT_SIZE])
{
    snprintf(text, OBJECT_TEXT_SIZE, "%s/%s", key.namespace, key.name);
    return text;
}

static Rest *begin(Pace *p, const char *object)
{
    size_t size = sizeof(Rest) + strlen(object) + 1;
    Rest *rest = slab_alloc(p->slab, size);

    *rest = (Rest){.size = size};
    memcpy(rest->object, object, size - sizeof *rest);
    if (map_put(p->map, rest->object, rest))
        return rest;
    slab_free(p->slab, rest, size);
    return NULL;
}

void pace_note(Pace *p, Key key, int64_t now_ms, int64_t rest_ms)
{
    char text[OBJECT_TEXT_SIZE];
    Rest *rest = map_find(p->map, text_of(key, text));

    if (!rest)
        rest = begin(p, text);
    if (!rest)
        return;
    int64_t left = rest->until_ms > now_ms ? rest->until_ms - now_ms : 0;
    rest->until_ms = now_ms + rest_ms + (left < rest_ms ? left : rest_ms);
}

int64_t pace_left(const Pace *p, Key key, int64_t now_ms)
{
    char text[OBJECT_TEXT_SIZE];
    const Rest *rest = map_find(p->map, text_of(key, text));

    return rest && rest->until_ms > now_ms ? rest->until_ms - now_ms : 0;
}

void pace_forget(Pace *p, Key key)
{
    char text[OBJECT_TEXT_SIZE];
    Rest *rest = map_remove(p->map, text_of(key, text));

    if (rest)
        slab_free(p->slab, rest, rest->size);
}
