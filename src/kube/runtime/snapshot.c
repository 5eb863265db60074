/* Snapshot: packs an item so that caches of many objects cost little more than their bytes. The
 * namespace is not kept by itself: it stands between the slashes of the tag. */
#include "kube/runtime/snapshot.h"

#include "base/err.h"
#include "base/str.h"
#include "kube/runtime/tag.h"

#include <assert.h>
#include <string.h>

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static uint16_t pack(Snapshot *s, size_t *at, const char *text)
{
    if (!text)
        return 0;
    size_t place = *at, size = strlen(text) + 1;
    memcpy(s->text + place, text, size);
    *at += size;
    assert(place <= UINT16_MAX);
    return (uint16_t)place;
}

Snapshot *snapshot_new(Slab *slab, const StoreItem *item)
{
    char tag[TAG_SIZE];
    if (!tag_write(0, item->key, tag))
        BUG("an item that store_project has not made");
    size_t texts = text_size(tag) + text_size(item->uid) + text_size(item->version)
        + text_size(item->owner_uid) + text_size(item->index_value) + text_size(item->owned.hash);
    assert(item->bytes.len < UINT32_MAX - texts);

    Snapshot *s = slab_alloc(slab, sizeof *s + texts + item->bytes.len + 1);
    *s = (Snapshot){
        .references = 1,
        .bytes_at = (uint32_t)texts,
        .bytes_len = (uint32_t)item->bytes.len,
        .deleting = item->deleting,
        .owns_replicas = item->owned.replicas,
        .owned_source = item->owned.source,
    };
    link_init(&s->all);
    link_init(&s->owned);
    link_init(&s->indexed);
    size_t at = 0;
    pack(s, &at, tag);
    s->uid_at = pack(s, &at, item->uid);
    s->version_at = pack(s, &at, item->version);
    s->owner_at = pack(s, &at, item->owner_uid);
    s->index_at = pack(s, &at, item->index_value);
    s->owned_at = pack(s, &at, item->owned.hash);
    memcpy(s->text + at, item->bytes.data, item->bytes.len);
    s->text[at + item->bytes.len] = '\0';
    return s;
}

void snapshot_drop(Slab *slab, Snapshot *snapshot)
{
    assert(snapshot->references > 0);
    if (--snapshot->references == 0)
        slab_free(slab, snapshot, snapshot_size(snapshot));
}

size_t snapshot_size(const Snapshot *snapshot)
{
    return sizeof *snapshot + snapshot->bytes_at + snapshot->bytes_len + 1;
}

const char *snapshot_text(const Snapshot *snapshot, uint16_t place)
{
    return place ? snapshot->text + place : NULL;
}

Bytes snapshot_bytes(const Snapshot *snapshot)
{
    return (Bytes){.data = snapshot->text + snapshot->bytes_at, .len = snapshot->bytes_len};
}

StoreOwned snapshot_owned(const Snapshot *snapshot)
{
    return (StoreOwned){
        .source = snapshot->owned_source,
        .hash = snapshot_text(snapshot, snapshot->owned_at),
        .replicas = snapshot->owns_replicas,
    };
}

/* The namespace in the tag "0/namespace/name"; *ret_len is its length. */
static const char *namespace_of(const Snapshot *snapshot, size_t *ret_len)
{
    const char *namespace = strchr(snapshot->text, '/') + 1;
    *ret_len = (size_t)(strchr(namespace, '/') - namespace);
    return namespace;
}

StoreItem snapshot_item(const Snapshot *snapshot, char namespace[STORE_TEXT_MAX + 1])
{
    size_t len;
    const char *text = namespace_of(snapshot, &len);
    assert(len <= STORE_TEXT_MAX);
    memcpy(namespace, text, len);
    namespace[len] = '\0';
    return (StoreItem){
        .bytes = snapshot_bytes(snapshot),
        .key = {.namespace = namespace, .name = text + len + 1},
        .uid = snapshot_text(snapshot, snapshot->uid_at),
        .version = snapshot_text(snapshot, snapshot->version_at),
        .owner_uid = snapshot_text(snapshot, snapshot->owner_at),
        .index_value = snapshot_text(snapshot, snapshot->index_at),
        .deleting = snapshot->deleting,
        .owned = snapshot_owned(snapshot),
    };
}

bool snapshot_is_in(const Snapshot *snapshot, const char *namespace)
{
    size_t len;
    const char *text = namespace_of(snapshot, &len);
    return !namespace || (strlen(namespace) == len && memcmp(text, namespace, len) == 0);
}
