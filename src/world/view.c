/* View: a map from identity to entry, and one from tag to a list of members. A member is one
 * object's place in one tag; the members of an object hang together, so that a changed object can
 * leave all its tags without being parsed again. */
#include "world/view.h"

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/packing.h"

#include <stdio.h>
#include <string.h>

enum {
    OBJECTS_MAX = 200000,
    VERSION_SIZE = 24,
    UID_SIZE = 64,
    KINDS_MAX = 64,
    PACKING_MAX = 16 << 20
};

typedef struct Member Member;

typedef struct Entry {
    const Kind *kind;
    Member *members;
    size_t size;   /* of the whole piece */
    Packed object; /* in text, behind the identity */
    bool deleting;
    char version[VERSION_SIZE], uid[UID_SIZE];
    char text[]; /* the identity, and the object's bytes */
} Entry;

typedef struct Tag {
    Link members;
    size_t count, size;
    char text[];
} Tag;

struct Member {
    Link link; /* in the tag */
    Tag *tag;
    Entry *entry;
    Member *next; /* of the entry */
};

struct View {
    ViewOptions options;
    Slab *slab;
    Map *entries; /* by identity */
    Map *tags;    /* by text */
    Arena *packing;
    struct {
        const Kind *kind;
        Packer *packer;
    } packers[KINDS_MAX];
    size_t packer_count;
};

static const char *const metadata_paths[] = {
    ".apiVersion",
    ".kind",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.uid",
    ".metadata.resourceVersion",
    ".metadata.generation",
    ".metadata.creationTimestamp",
    ".metadata.deletionTimestamp",
    ".metadata.deletionGracePeriodSeconds",
    ".metadata.labels",
    ".metadata.annotations",
    ".metadata.ownerReferences",
    ".metadata.finalizers",
    NULL,
};

static const char *const all_paths[] = {
    ".apiVersion",
    ".kind",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.uid",
    ".metadata.resourceVersion",
    ".metadata.generation",
    ".metadata.creationTimestamp",
    ".metadata.deletionTimestamp",
    ".metadata.deletionGracePeriodSeconds",
    ".metadata.labels",
    ".metadata.annotations",
    ".metadata.ownerReferences",
    ".metadata.finalizers",
    ".spec",
    ".status",
    ".data",
    ".revision",
    ".rules",
    ".aggregationRule",
    NULL,
};

void view_tag(ViewTags *tags, const char *text)
{
    if (!text || tags->count == VIEW_TAGS_MAX)
        return;
    for (size_t i = 0; i < tags->count; i++)
        if (str_eq(tags->texts[i], text))
            return;
    tags->texts[tags->count++] = text;
}

const char *view_identity(const Kind *kind, Key key, char ret[VIEW_IDENTITY_SIZE])
{
    snprintf(ret,
        VIEW_IDENTITY_SIZE,
        "%s.%s/%s/%s",
        kind->plural,
        kind->group,
        key.namespace ? key.namespace : "",
        key.name ? key.name : "");
    return ret;
}

View *view_open(const ViewOptions *options)
{
    Slab *slab = slab_open();
    View *v = slab_alloc(slab, sizeof *v);

    *v = (View){.options = *options, .slab = slab};
    if (v->options.objects_max == 0)
        v->options.objects_max = OBJECTS_MAX;
    v->entries = map_open(v->options.objects_max);
    v->tags = map_open(v->options.objects_max * VIEW_TAGS_MAX);
    v->packing = options->is_compact ? arena_open(PACKING_MAX) : NULL;
    return v;
}

void view_close(View *v)
{
    if (!v)
        return;
    map_close(v->entries);
    map_close(v->tags);
    arena_close(v->packing);
    slab_close(v->slab);
}

/* --- tags --- */

static Tag *tag_of(View *v, const char *text)
{
    Tag *tag = map_find(v->tags, text);
    size_t size = sizeof *tag + strlen(text) + 1;

    if (tag)
        return tag;
    tag = slab_alloc(v->slab, size);
    *tag = (Tag){.size = size};
    memcpy(tag->text, text, strlen(text) + 1);
    link_init(&tag->members);
    if (!map_put(v->tags, tag->text, tag))
        BUG("a view has more tags than its objects can have");
    return tag;
}

static void join(View *v, Entry *entry, const char *text)
{
    Member *member = slab_alloc(v->slab, sizeof *member);

    *member = (Member){.tag = tag_of(v, text), .entry = entry, .next = entry->members};
    entry->members = member;
    link_init(&member->link);
    link_insert_before(&member->tag->members, &member->link);
    member->tag->count++;
}

static void leave_all(View *v, Entry *entry)
{
    while (entry->members) {
        Member *member = entry->members;
        Tag *tag = member->tag;
        entry->members = member->next;
        link_remove(&member->link);
        slab_free(v->slab, member, sizeof *member);
        if (--tag->count > 0)
            continue;
        map_remove(v->tags, tag->text);
        slab_free(v->slab, tag, tag->size);
    }
}

/* --- entries --- */

static void forget(View *v, Entry *entry)
{
    leave_all(v, entry);
    map_remove(v->entries, entry->text);
    model_drop(v->slab, entry->object.model);
    slab_free(v->slab, entry, entry->size);
}

static void copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

/* The one of a kind; NULL when nothing is packed, or there are too many kinds. */
static Packer *packer_of(View *v, const Kind *kind)
{
    size_t i = 0;

    while (i < v->packer_count && !kind_eq(v->packers[i].kind, kind))
        i++;
    if (!v->packing || i == KINDS_MAX)
        return NULL;
    if (i == v->packer_count) {
        v->packers[v->packer_count].kind = kind;
        v->packers[v->packer_count++].packer = packer_open(v->slab, v->packing);
    }
    return v->packers[i].packer;
}

static Entry *keep(View *v, const Sight *sight, const char *identity, Bytes object)
{
    Packed packed = packer_pack(packer_of(v, sight->kind), object);
    size_t identity_size = strlen(identity) + 1;
    size_t size = sizeof(Entry) + identity_size + packed.bytes.len;
    Entry *entry = slab_alloc(v->slab, size);

    *entry = (Entry){
        .kind = sight->kind,
        .size = size,
        .object = packed,
        .deleting = meta_deleting(sight->object),
    };
    copy_text(entry->version, sizeof entry->version, meta_resource_version(sight->object));
    copy_text(entry->uid, sizeof entry->uid, meta_uid(sight->object));
    memcpy(entry->text, identity, identity_size);
    entry->object.bytes.data =
        memcpy(entry->text + identity_size, packed.bytes.data, packed.bytes.len);
    if (!map_put(v->entries, entry->text, entry))
        BUG("an actor sees more objects than it may");
    return entry;
}

void view_see(View *v, Arena *a, const Sight *sight)
{
    char identity[VIEW_IDENTITY_SIZE];
    Entry *entry = map_find(v->entries, view_identity(sight->kind, sight->key, identity));
    ViewTags tags = {.count = 0};

    if (entry)
        forget(v, entry);
    if (!sight->object)
        return;
    const char *const *paths = v->options.metadata_only ? metadata_paths : all_paths;
    entry = keep(v, sight, identity, json_write(a, json_project(a, sight->object, paths)));
    if (v->options.tag)
        v->options.tag(a, sight->kind, sight->object, &tags);
    for (size_t i = 0; i < tags.count; i++)
        join(v, entry, tags.texts[i]);
}

/* --- reading --- */

static const Json *parsed(Arena *a, const Entry *entry)
{
    const Json *object;

    if (json_parse(a, packed_text(&entry->object, a, entry->object.len), &object))
        BUG("a view cannot read what it wrote");
    return object;
}

const Json *view_find(const View *v, Arena *a, const Kind *kind, Key key)
{
    char identity[VIEW_IDENTITY_SIZE];
    const Entry *entry = map_find(v->entries, view_identity(kind, key, identity));

    return entry ? parsed(a, entry) : NULL;
}

ViewList view_tagged(const View *v, Arena *a, const char *text)
{
    const Tag *tag = map_find(v->tags, text);
    ViewList list = {.count = 0};

    if (!tag)
        return list;
    list.items = arena_array(a, const Json *, tag->count);
    list.kinds = arena_array(a, const Kind *, tag->count);
    for (const Link *link = tag->members.next; link != &tag->members; link = link->next) {
        const Entry *entry = link_owner(Member, link, link)->entry;
        list.kinds[list.count] = entry->kind;
        list.items[list.count++] = parsed(a, entry);
    }
    return list;
}

size_t view_count_tagged(const View *v, const char *text)
{
    const Tag *tag = map_find(v->tags, text);

    return tag ? tag->count : 0;
}

bool view_glance(const View *v, const char *identity, ViewGlance *ret)
{
    const Entry *entry = map_find(v->entries, identity);

    if (!entry)
        return false;
    *ret = (ViewGlance){.uid = entry->uid, .version = entry->version, .deleting = entry->deleting};
    return true;
}
