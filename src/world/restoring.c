/* Restoring: what storage.c does for a write, without version, history and listeners of its own. */
#include "world/restoring.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/call.h"
#include "world/definition.h"
#include "world/event_keeping.h"
#include "world/storage.h"

#include <stdio.h>

enum { NUMBERS_PER_BYTE = 250, NUMBERS_PER_NET = 62500, FIRST_NET = 96 };

static void put(Server *s, Arena *a, Resource *r, const Json *object, uint64_t version)
{
    Key key = meta_key(object);
    const char *text = call_key(a, key.namespace, key.name);

    s->object_count += !shelf_find(r->shelf, text);
    r->changed = version > r->changed ? version : r->changed;
    shelf_put(r->shelf,
        record_new(s->slab,
            &(RecordText){
                .key = text,
                .version = version,
                .text = json_write(a, object),
                .glance = json_write(a, json_project(a, object, r->glance)),
                .packer = storage_packer(s, r),
            }));
}

/* Addresses that Services have are not given again. */
static void note_address(Server *s, const Json *service)
{
    const char *address = json_str(service, ".spec.clusterIP");
    unsigned net, high, low;

    if (!address || sscanf(address, "10.%u.%u.%u", &net, &high, &low) != 3 || net < FIRST_NET
        || low < 1)
        return;
    uint64_t number =
        (uint64_t)(net - FIRST_NET) * NUMBERS_PER_NET + (uint64_t)high * NUMBERS_PER_BYTE + low - 1;
    s->addresses = number > s->addresses ? number : s->addresses;
}

bool server_restore(Server *s, Arena *a, const Kind *kind, const Json *object)
{
    Resource *r = server_resource(s, kind);
    const char *text = meta_resource_version(object);
    int64_t version;

    if (!r || str_empty(meta_name(object)) || !str_to_int(text, &version) || version < 1)
        return false;
    if (r->traits.kind == kind_crd && !definition_restore(s, a, object))
        return false;
    if (r->traits.kind == kind_service)
        note_address(s, object);
    put(s, a, r, object, (uint64_t)version);
    Resource *face = event_face(s, r);
    if (face)
        put(s, a, face, event_shown(a, face, object), (uint64_t)version);
    if ((uint64_t)version > s->version)
        s->version = (uint64_t)version;
    return true;
}

void server_restored(Server *s, uint64_t version)
{
    if (version > s->version)
        s->version = version;
    server_compact(s);
}
