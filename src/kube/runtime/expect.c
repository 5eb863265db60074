/* Expect: each write that has not been seen is a record in four lists: of its object, of the
 * reconcile that made it, of its cache in the order of versions, and of all in the order of their
 * deadlines. So a version that arrives costs only as much as the writes it settles. */
#include "kube/runtime/expect.h"

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/tag.h"

#include <assert.h>
#include <string.h>

enum { VERSION_SIZE = 128 };

typedef enum Awaited { AWAITED_VERSION, AWAITED_GONE, AWAITED_READ } Awaited;

/* An object, or a reconcile, that has writes. */
typedef struct Party {
    Link writes;
    Link woken; /* of a reconcile that is to be woken */
    int number; /* cache or controller */
    bool is_content;
    Key key; /* its strings stand behind the tag */
    size_t size;
    char tag[];
} Party;

typedef struct Write {
    Link of_object, of_writer;
    Link by_version; /* in Expect.versions of its cache */
    Link by_due;     /* in Expect.pending, or .overdue, or .late */
    Party *object, *writer;
    int64_t due_ms;
    Awaited awaited;
    bool is_late; /* settled by a live read alone, or by the watch after all */
    size_t size;
    char text[]; /* version or UID */
} Write;

struct Expect {
    Slab *slab;
    Map *objects, *writers; /* Party by tag */
    Link pending;           /* the earliest deadline first */
    Link overdue;           /* late, and the writer was not told */
    Link late;              /* and it was */
    Link woken;             /* reconciles whose last write was seen */
    Link versions[EXPECT_CACHES_MAX];
    char reached[EXPECT_CACHES_MAX][VERSION_SIZE];
    size_t max, pending_count, count;
};

/* --- parties */

static Party *find_party(const Map *parties, int number, Key key)
{
    char tag[TAG_SIZE];
    return tag_write(number, key, tag) ? map_find(parties, tag) : NULL;
}

static const char *pack(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    const char *packed = memcpy(*at, text, size);
    *at += size;
    return packed;
}

static bool can_be_tagged(int number, Key key)
{
    char tag[TAG_SIZE];
    return tag_write(number, key, tag);
}

static Party *ensure_party(Slab *slab, Map *parties, int number, Key key)
{
    Party *p = find_party(parties, number, key);
    if (p)
        return p;

    char tag[TAG_SIZE];
    tag_write(number, key, tag);
    const char *namespace = key.namespace ? key.namespace : "";
    size_t size = sizeof *p + strlen(tag) + strlen(namespace) + strlen(key.name) + 3;
    p = slab_alloc(slab, size);
    *p = (Party){.number = number, .size = size};
    link_init(&p->writes);
    link_init(&p->woken);
    char *at = p->tag;
    pack(&at, tag);
    p->key.namespace = pack(&at, namespace);
    p->key.name = pack(&at, key.name);
    if (!map_put(parties, p->tag, p))
        BUG("nobody collects the reconciles that are to be woken");
    return p;
}

static void forget_party(Slab *slab, Map *parties, Party *p)
{
    map_remove(parties, p->tag);
    link_remove(&p->woken);
    slab_free(slab, p, p->size);
}

/* --- writes */

static void forget_write(Expect *e, Write *w)
{
    if (!w->is_late)
        e->pending_count--;
    e->count--;
    link_remove(&w->of_object);
    link_remove(&w->of_writer);
    link_remove(&w->by_version);
    link_remove(&w->by_due);
    if (link_is_alone(&w->object->writes))
        forget_party(e->slab, e->objects, w->object);
    if (link_is_alone(&w->writer->writes) && link_is_alone(&w->writer->woken))
        link_insert_before(&e->woken, &w->writer->woken);
    slab_free(e->slab, w, w->size);
}

static void make_late(Expect *e, Write *w)
{
    w->is_late = true;
    e->pending_count--;
    link_remove(&w->by_due);
    link_insert_before(&e->overdue, &w->by_due);
}

static void make_room(Expect *e)
{
    if (e->pending_count >= e->max)
        make_late(e, link_owner(Write, by_due, e->pending.next));
    if (e->count >= 2 * e->max) {
        Link *oldest = link_is_alone(&e->late) ? e->overdue.next : e->late.next;
        forget_write(e, link_owner(Write, by_due, oldest));
    }
}

static Write *find_write(const Expect *e, ExpectTarget target)
{
    const Party *object = find_party(e->objects, target.cache, target.key);
    const Party *writer = find_party(e->writers, target.by.controller, target.by.key);
    if (!object || !writer)
        return NULL;
    for (Link *l = object->writes.next; l != &object->writes; l = l->next) {
        Write *w = link_owner(Write, of_object, l);
        if (w->writer == writer)
            return w;
    }
    return NULL;
}

/* Versions and deadlines mostly ascend, so a place is found near the end. */
static void insert_by_version(Link *versions, Write *w)
{
    Link *place = versions;
    while (place->previous != versions
        && meta_version_compare(link_owner(Write, by_version, place->previous)->text, w->text) > 0)
        place = place->previous;
    link_insert_before(place, &w->by_version);
}

static void insert_by_due(Link *pending, Write *w)
{
    Link *place = pending;
    while (place->previous != pending
        && link_owner(Write, by_due, place->previous)->due_ms > w->due_ms)
        place = place->previous;
    link_insert_before(place, &w->by_due);
}

static void add_write(
    Expect *e, ExpectTarget target, Awaited awaited, const char *text, int64_t due_ms)
{
    Party *writer = ensure_party(e->slab, e->writers, target.by.controller, target.by.key);
    Party *object = ensure_party(e->slab, e->objects, target.cache, target.key);
    size_t size = sizeof(Write) + strlen(text) + 1;
    Write *w = slab_alloc(e->slab, size);
    *w = (Write){
        .object = object,
        .writer = writer,
        .due_ms = due_ms,
        .awaited = awaited,
        .is_late = awaited == AWAITED_READ,
        .size = size,
    };
    memcpy(w->text, text, strlen(text) + 1);
    link_init(&w->of_object);
    link_init(&w->of_writer);
    link_init(&w->by_version);
    link_init(&w->by_due);
    link_remove(&writer->woken);
    link_insert_before(&object->writes, &w->of_object);
    link_insert_before(&writer->writes, &w->of_writer);
    if (awaited == AWAITED_VERSION)
        insert_by_version(&e->versions[target.cache], w);
    if (w->is_late)
        link_insert_before(&e->late, &w->by_due);
    else
        insert_by_due(&e->pending, w);
    e->pending_count += !w->is_late;
    e->count++;
}

static void remember(
    Expect *e, ExpectTarget target, Awaited awaited, const char *text, int64_t now_ms)
{
    if (!can_be_tagged(target.cache, target.key)
        || !can_be_tagged(target.by.controller, target.by.key))
        return;
    Write *old = find_write(e, target);
    if (old && old->awaited == AWAITED_READ)
        return;
    if (old)
        forget_write(e, old);
    make_room(e);
    add_write(e, target, awaited, text, now_ms + EXPECT_DEADLINE_MS);
}

/* --- the machine */

Expect *expect_open(size_t max)
{
    Slab *slab = slab_open();
    Expect *e = slab_alloc(slab, sizeof *e);

    *e = (Expect){.slab = slab, .max = max ? max : 1};
    e->objects = map_open(2 * e->max);
    e->writers = map_open(4 * e->max);
    link_init(&e->pending);
    link_init(&e->overdue);
    link_init(&e->late);
    link_init(&e->woken);
    for (size_t cache = 0; cache < EXPECT_CACHES_MAX; cache++)
        link_init(&e->versions[cache]);
    return e;
}

void expect_close(Expect *e)
{
    if (!e)
        return;
    map_close(e->objects);
    map_close(e->writers);
    slab_close(e->slab);
}

static void check_cache(int cache)
{
    assert(cache >= 0 && cache < EXPECT_CACHES_MAX);
}

void expect_version(Expect *e, ExpectTarget target, const char *version, int64_t now_ms)
{
    check_cache(target.cache);
    if (meta_version_compare(version, e->reached[target.cache]) > 0) {
        remember(e, target, AWAITED_VERSION, version, now_ms);
        return;
    }
    Write *old = find_write(e, target);
    if (old && old->awaited != AWAITED_READ)
        forget_write(e, old);
}

void expect_gone(Expect *e, ExpectTarget target, const char *uid, int64_t now_ms)
{
    check_cache(target.cache);
    remember(e, target, AWAITED_GONE, uid, now_ms);
}

void expect_unknown(Expect *e, ExpectTarget target, int64_t now_ms)
{
    check_cache(target.cache);
    remember(e, target, AWAITED_READ, "", now_ms);
}

static ExpectState state_of(const Write *w, int64_t now_ms)
{
    return w->is_late || w->due_ms <= now_ms ? EXPECT_READ_LIVE : EXPECT_PENDING;
}

ExpectState expect_state(const Expect *e, int cache, Key key, int64_t now_ms)
{
    check_cache(cache);
    const Party *object = find_party(e->objects, cache, key);
    ExpectState worst = EXPECT_NOTHING;
    if (!object)
        return worst;
    for (Link *l = object->writes.next; l != &object->writes; l = l->next) {
        ExpectState state = state_of(link_owner(Write, of_object, l), now_ms);
        worst = state > worst ? state : worst;
    }
    return worst;
}

ExpectState expect_state_by(const Expect *e, int cache, QueueKey by, int64_t now_ms, Key *ret_key)
{
    check_cache(cache);
    const Party *writer = find_party(e->writers, by.controller, by.key);
    ExpectState worst = EXPECT_NOTHING;
    if (!writer)
        return worst;
    for (Link *l = writer->writes.next; l != &writer->writes; l = l->next) {
        Write *w = link_owner(Write, of_writer, l);
        ExpectState state = w->object->number == cache ? state_of(w, now_ms) : EXPECT_NOTHING;
        if (state > worst && ret_key)
            *ret_key = w->object->key;
        worst = state > worst ? state : worst;
    }
    return worst;
}

static QueueKey queue_key_of(const Party *writer)
{
    return (QueueKey){.controller = writer->number, .key = writer->key};
}

static void wake(Expect *e, ExpectWoken *woken, void *self)
{
    while (!link_is_alone(&e->woken)) {
        Party *writer = link_owner(Party, woken, e->woken.next);
        if (!writer->is_content)
            woken(self, queue_key_of(writer));
        forget_party(e->slab, e->writers, writer);
    }
}

static void set_content(Expect *e, QueueKey by, bool is_content)
{
    Party *writer = find_party(e->writers, by.controller, by.key);

    if (writer)
        writer->is_content = is_content;
}

void expect_content(Expect *e, QueueKey by)
{
    set_content(e, by, true);
}

void expect_heed(Expect *e, QueueKey by)
{
    set_content(e, by, false);
}

bool expect_author(const Expect *e, ExpectTarget seen, const char *version, QueueKey *ret)
{
    check_cache(seen.cache);
    const Party *object = find_party(e->objects, seen.cache, seen.key);

    for (Link *l = object ? object->writes.next : NULL; l && l != &object->writes; l = l->next) {
        const Write *w = link_owner(Write, of_object, l);
        if (w->awaited == AWAITED_VERSION && str_eq(w->text, version)) {
            *ret = queue_key_of(w->writer);
            return true;
        }
    }
    return false;
}

static void see_gone(Expect *e, ExpectTarget seen, const char *uid)
{
    check_cache(seen.cache);
    Party *object = find_party(e->objects, seen.cache, seen.key);
    Link *l = object ? object->writes.next : NULL;
    size_t left = 0;

    /* The party goes with its last write, so the walk counts instead of looking for its end. */
    for (Link *each = l; object && each != &object->writes; each = each->next)
        left++;
    for (; left > 0; left--) {
        Write *w = link_owner(Write, of_object, l);
        l = l->next;
        if (w->awaited == AWAITED_GONE && (!uid || str_eq(w->text, uid)))
            forget_write(e, w);
    }
}

void expect_see_object(Expect *e, ExpectTarget seen, const char *uid, bool deleting)
{
    if (deleting)
        see_gone(e, seen, uid);
}

void expect_see_removed(Expect *e, ExpectTarget seen, const char *uid)
{
    see_gone(e, seen, uid);
}

void expect_see_version(Expect *e, int cache, const char *version, ExpectWoken *woken, void *self)
{
    check_cache(cache);
    size_t len = strlen(version);
    Link *versions = &e->versions[cache];

    if (len < VERSION_SIZE && meta_version_compare(version, e->reached[cache]) > 0)
        memcpy(e->reached[cache], version, len + 1);
    while (!link_is_alone(versions)) {
        Write *w = link_owner(Write, by_version, versions->next);
        if (meta_version_compare(w->text, version) > 0)
            break;
        forget_write(e, w);
    }
    wake(e, woken, self);
}

static Write *find_doubt(const Expect *e, int cache, Key key, int64_t now_ms)
{
    const Party *object = find_party(e->objects, cache, key);

    for (Link *l = object ? object->writes.next : NULL; l && l != &object->writes; l = l->next) {
        Write *w = link_owner(Write, of_object, l);
        if (state_of(w, now_ms) == EXPECT_READ_LIVE)
            return w;
    }
    return NULL;
}

static bool is_same_writer(QueueKey left, QueueKey right)
{
    return left.controller == right.controller && key_eq(left.key, right.key);
}

void expect_settle(Expect *e, ExpectTarget target, ExpectRead read, int64_t now_ms)
{
    check_cache(target.cache);
    Write *w;
    while ((w = find_doubt(e, target.cache, target.key, now_ms))) {
        /* The writer's party outlives its write: it waits to be woken. */
        ExpectTarget other = {target.cache, target.key, queue_key_of(w->writer)};
        forget_write(e, w);
        if (is_same_writer(other.by, target.by))
            continue;
        if (read.version)
            expect_version(e, other, read.version, now_ms);
        else if (read.gone)
            expect_gone(e, other, read.gone, now_ms);
    }
}

static void drop_from(Expect *e, Link *writes, int cache)
{
    Link *next;
    for (Link *l = writes->next; l != writes; l = next) {
        Write *w = link_owner(Write, by_due, l);
        next = l->next;
        if (w->object->number == cache)
            forget_write(e, w);
    }
}

void expect_drop(Expect *e, int cache)
{
    check_cache(cache);
    drop_from(e, &e->pending, cache);
    drop_from(e, &e->overdue, cache);
    drop_from(e, &e->late, cache);
    e->reached[cache][0] = '\0';
}

int64_t expect_next_due(const Expect *e)
{
    if (!link_is_alone(&e->overdue) || !link_is_alone(&e->woken))
        return 0;
    if (link_is_alone(&e->pending))
        return INT64_MAX;
    return link_owner(Write, by_due, e->pending.next)->due_ms;
}

void expect_step(Expect *e, int64_t now_ms, ExpectWoken *woken, void *self)
{
    while (!link_is_alone(&e->pending)) {
        Write *w = link_owner(Write, by_due, e->pending.next);
        if (w->due_ms > now_ms)
            break;
        make_late(e, w);
    }
    while (!link_is_alone(&e->overdue)) {
        Write *w = link_owner(Write, by_due, e->overdue.next);
        link_remove(&w->by_due);
        link_insert_before(&e->late, &w->by_due);
        woken(self, queue_key_of(w->writer));
    }
    wake(e, woken, self);
}

size_t expect_count(const Expect *e)
{
    return e->count;
}
