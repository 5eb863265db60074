/* Storage: every write is one version more, one record, one change in the history; of Events with
 * two faces one record and one change on each. */
#include "world/storage.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/event_keeping.h"
#include "world/refusal.h"

static void tell(Call *c, const Json *before, const Json *after)
{
    if (c->server->wrote)
        c->server->wrote(c->server->wrote_self, c->user, c->request, before, after);
}

/* What is to be put on a shelf. */
typedef struct Put {
    const Json *object;
    Bytes text; /* of the object */
    bool is_new;
} Put;

Packer *storage_packer(Server *s, Resource *r)
{
    if (s->packing && !r->packer)
        r->packer = packer_open(s->slab, s->packing);
    return r->packer;
}

static Record *record_of(Call *c, Resource *r, const Put *what)
{
    const Json *object = what->object;
    Key key = meta_key(object);
    const Json *glance = json_project(c->arena, object, r->glance);

    return record_new(c->server->slab,
        &(RecordText){
            .key = call_key(c->arena, key.namespace, key.name),
            .version = c->server->version,
            .text = what->text,
            .glance = json_write(c->arena, glance),
            .is_new = what->is_new,
            .packer = storage_packer(c->server, r),
        });
}

/* Under the version that the server has now. */
static void put(Call *c, Resource *r, const Put *what)
{
    Record *record = record_of(c, r, what);

    r->changed = c->server->version;
    history_add(c->server->history,
        &(Change){
            .version = c->server->version,
            .trail = &r->trail,
            .before = what->is_new ? NULL : shelf_find(r->shelf, record_key(record)),
            .after = record,
        });
    shelf_put(r->shelf, record);
}

static void take(Call *c, Resource *r, const char *key)
{
    Record *record = shelf_take(r->shelf, key);

    if (!record)
        BUG("an object that is to be deleted is not there");
    r->changed = c->server->version;
    history_add(c->server->history,
        &(Change){.version = c->server->version, .trail = &r->trail, .before = record});
    record_drop(c->server->slab, record);
}

Err *storage_write(Call *c, const Json *before, const Json *after, Stamp stamp, const Json **ret)
{
    Server *s = c->server;
    Resource *face = event_face(s, c->resource);
    Put what = {.is_new = !before};

    stamp.version = s->version + 1;
    what.object = object_stamped(c->arena, after, &stamp);
    what.text = json_write(c->arena, what.object);
    if (what.text.len > SERVER_OBJECT_BYTES_MAX)
        return refuse_plain(c, 500, NULL, "etcdserver: request is too large");
    if (!before && s->object_count == s->objects_max)
        return refuse_plain(c, 500, NULL, "etcdserver: mvcc: database space exceeded");

    s->version++;
    s->object_count += !before;
    put(c, c->resource, &what);
    *ret = what.object;
    if (face) {
        what.object = event_shown(c->arena, face, what.object);
        what.text = json_write(c->arena, what.object);
        put(c, face, &what);
    }
    tell(c, before, *ret);
    event_sweep(c);
    return OK;
}

const Json *storage_delete(Call *c, const Json *before)
{
    Server *s = c->server;
    Resource *face = event_face(s, c->resource);
    Key key = meta_key(before);
    const char *text = call_key(c->arena, key.namespace, key.name);
    Stamp stamp;

    s->version++;
    s->object_count--;
    take(c, c->resource, text);
    if (face)
        take(c, face, text);
    tell(c, before, NULL);
    stamp = object_stamp(before);
    stamp.version = s->version;
    return object_stamped(c->arena, before, &stamp);
}
