/* A table from fleet to what it was when its children were looked at, and to which version of each
 * child was found right. What is noted of another fleet of that name, or of the same one before an
 * edit, goes as soon as something is noted of this one. */
#include "sei/reconcile/likenesses.h"

#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"

#include <stdio.h>
#include <string.h>

enum { FLEET_TEXT_SIZE = 320, CHILD_TEXT_SIZE = 80 };

struct Likenesses {
    Slab *slab;
    Map *map;
};

typedef struct Entry {
    char fleet[FLEET_TEXT_SIZE];
    char print[SHA256_HEX_SIZE];
    char children[FLEET_REPLICAS_MAX][CHILD_TEXT_SIZE]; /* by ordinal; "" for none */
} Entry;

Likenesses *likenesses_open(void)
{
    Slab *slab = slab_open();
    Likenesses *l = slab_alloc(slab, sizeof *l);

    *l = (Likenesses){.slab = slab, .map = map_open(LIKENESSES_MAX)};
    return l;
}

void likenesses_close(Likenesses *l)
{
    if (!l)
        return;
    map_close(l->map);
    slab_close(l->slab);
}

Err *likenesses_source(Arena *a, const Fleet *fleet, LikenessSource *ret)
{
    const Json *without;

    TRY(json_parse(
        a, bytes_of("{\"status\":null,\"metadata\":{\"resourceVersion\":null}}"), &without));
    ret->fleet = *fleet;
    ret->fleet.status = (FleetStatus){0};
    ret->fleet.object = json_merge(a, fleet->object, without);
    sha256_hex(json_write(a, ret->fleet.object), ret->print);
    return OK;
}

static const char *fleet_text(Key key, char text[static FLEET_TEXT_SIZE])
{
    snprintf(text, FLEET_TEXT_SIZE, "%s/%s", key.namespace, key.name);
    return text;
}

/* False for one that no note can be made of. */
static bool child_text(int64_t ordinal, const Json *child, char text[static CHILD_TEXT_SIZE])
{
    const char *uid = meta_uid(child), *version = meta_resource_version(child);

    if (ordinal < 0 || ordinal >= FLEET_REPLICAS_MAX || !uid || !version)
        return false;
    return snprintf(text, CHILD_TEXT_SIZE, "%s %s", uid, version) < CHILD_TEXT_SIZE;
}

bool likenesses_has(
    const Likenesses *l, const LikenessSource *of, int64_t ordinal, const Json *child)
{
    char fleet[FLEET_TEXT_SIZE], text[CHILD_TEXT_SIZE];
    const Entry *entry = map_find(l->map, fleet_text(of->fleet.key, fleet));

    return entry && child_text(ordinal, child, text) && strcmp(entry->print, of->print) == 0
        && strcmp(entry->children[ordinal], text) == 0;
}

static Entry *begin(Likenesses *l, const char *fleet)
{
    Entry *entry = slab_alloc(l->slab, sizeof *entry);

    *entry = (Entry){0};
    memcpy(entry->fleet, fleet, strlen(fleet) + 1);
    if (map_put(l->map, entry->fleet, entry))
        return entry;
    slab_free(l->slab, entry, sizeof *entry);
    return NULL;
}

void likenesses_note(Likenesses *l, const LikenessSource *of, int64_t ordinal, const Json *child)
{
    char fleet[FLEET_TEXT_SIZE], text[CHILD_TEXT_SIZE];

    if (!child_text(ordinal, child, text))
        return;
    Entry *entry = map_find(l->map, fleet_text(of->fleet.key, fleet));
    if (!entry)
        entry = begin(l, fleet);
    if (!entry)
        return;
    if (strcmp(entry->print, of->print) != 0) {
        memset(entry->children, 0, sizeof entry->children);
        memcpy(entry->print, of->print, sizeof entry->print);
    }
    memcpy(entry->children[ordinal], text, sizeof text);
}

void likenesses_forget(Likenesses *l, Key fleet)
{
    char text[FLEET_TEXT_SIZE];
    Entry *entry = map_remove(l->map, fleet_text(fleet, text));

    if (entry)
        slab_free(l->slab, entry, sizeof *entry);
}
