/* Storage: every write is one version more, one record, one change in the history. */
#include "world/storage.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/refusal.h"

static void tell(Call *c, const Json *before, const Json *after)
{
    if (c->server->wrote)
        c->server->wrote(c->server->wrote_self, c->user, c->request, before, after);
}

static Record *record_of(Call *c, const Json *object, Bytes text, bool is_new)
{
    Key key = meta_key(object);
    const Json *glance = json_project(c->arena, object, c->resource->glance);

    return record_new(c->server->slab,
        &(RecordText){
            .key = call_key(c->arena, key.namespace, key.name),
            .version = c->server->version,
            .text = text,
            .glance = json_write(c->arena, glance),
            .is_new = is_new,
        });
}

Err *storage_write(Call *c, const Json *before, const Json *after, Stamp stamp, const Json **ret)
{
    Server *s = c->server;
    const Json *object;
    Record *record, *replaced;
    Bytes text;

    stamp.version = s->version + 1;
    object = object_stamped(c->arena, after, &stamp);
    text = json_write(c->arena, object);
    if (text.len > SERVER_OBJECT_BYTES_MAX)
        return refuse_plain(c, 500, NULL, "etcdserver: request is too large");
    if (!before && s->object_count == s->objects_max)
        return refuse_plain(c, 500, NULL, "etcdserver: mvcc: database space exceeded");

    c->resource->changed = ++s->version;
    s->object_count += !before;
    record = record_of(c, object, text, !before);
    replaced = before ? shelf_find(c->resource->shelf, record_key(record)) : NULL;
    history_add(s->history,
        &(Change){
            .version = s->version,
            .trail = &c->resource->trail,
            .before = replaced,
            .after = record,
        });
    shelf_put(c->resource->shelf, record);
    tell(c, before, object);
    *ret = object;
    return OK;
}

const Json *storage_delete(Call *c, const Json *before)
{
    Server *s = c->server;
    Key key = meta_key(before);
    Record *record = shelf_take(c->resource->shelf, call_key(c->arena, key.namespace, key.name));
    Stamp stamp;

    if (!record)
        BUG("an object that is to be deleted is not there");
    c->resource->changed = ++s->version;
    s->object_count--;
    history_add(s->history,
        &(Change){.version = s->version, .trail = &c->resource->trail, .before = record});
    record_drop(s->slab, record);
    tell(c, before, NULL);
    stamp = object_stamp(before);
    stamp.version = s->version;
    return object_stamped(c->arena, before, &stamp);
}
