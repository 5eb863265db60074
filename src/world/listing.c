/* Listing: pages of a kind's objects in the order of their keys, all as they were at the version of
 * the first page. What changed since then is undone from the history while walking.
 *
 * A page is a row of records first. What a caller within the process gets is made of them as one
 * value; who sends a page gets their texts one by one, as a list of everything is a hundred times
 * larger as a value than as records. */
#include "base/str.h"
#include "world/call.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/reviews.h"
#include "world/selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MIN = 64 };

/* Where a page begins: behind a key, at a version. */
typedef struct Page {
    uint64_t version;
    const char *behind; /* NULL: at the beginning */
    bool inconsistent;  /* whatever the version is by now */
} Page;

/* What an object was at the version of the page, for those that changed since. */
typedef struct Undo {
    const char *key;
    Record *record; /* NULL: it was not there */
    size_t order;
} Undo;

/* A walk over the objects as they were. */
typedef struct Walk {
    const ShelfPlace *place;
    const Undo *undo, *undo_end;
} Walk;

/* --- tokens: "version.key", and "-1.key" for a list that need not be consistent --- */

static Err *read_token(Call *c, Page *ret)
{
    const char *token = c->request->continue_key;
    const char *dot = strchr(token, '.');
    int64_t version;

    if (!dot || !dot[1] || !str_to_int(str_slice(c->arena, token, (size_t)(dot - token)), &version))
        return refuse_bad_request(
            c, "invalid continue token: continue key is not valid: it is not of this server");
    *ret = (Page){
        .version = version < 0 ? c->server->version : (uint64_t)version,
        .behind = dot + 1,
        .inconsistent = version < 0,
    };
    return OK;
}

static Err *read_page(Call *c, Page *ret)
{
    *ret = (Page){.version = c->server->version};
    if (str_empty(c->request->continue_key))
        return OK;
    TRY(read_token(c, ret));
    if (!history_reaches(c->server->history, &c->resource->trail, ret->version))
        return refuse_expired(c, str_format(c->arena, "-1.%s", ret->behind));
    return OK;
}

/* --- walking --- */

static int compare_undos(const void *left, const void *right)
{
    const Undo *a = left, *b = right;
    int order = strcmp(a->key, b->key);

    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* Of each key that changed after the version, the state before its first change; sorted. */
static size_t collect_undos(Call *c, uint64_t version, Undo **ret)
{
    const History *history = c->server->history;
    uint64_t first = history_after(history, &c->resource->trail, version);
    size_t count = 0, kept = 0;
    Undo *undos;

    for (const Change *at = history_at(history, first); at; at = history_at(history, at->next))
        count++;
    undos = *ret = arena_array(c->arena, Undo, count);
    count = 0;
    for (const Change *at = history_at(history, first); at; at = history_at(history, at->next)) {
        undos[count] = (Undo){record_key(at->before ? at->before : at->after), at->before, count};
        count++;
    }
    qsort(undos, count, sizeof *undos, compare_undos);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(undos[i].key, undos[kept - 1].key) != 0)
            undos[kept++] = undos[i];
    return kept;
}

/* Before everything that is behind the page's key, or in the selection's namespace. */
static Walk walk_from(Call *c, const Page *page, const Selection *selection)
{
    const char *from = page->behind ? page->behind : selection->namespace;
    Undo *undos;
    size_t count = collect_undos(c, page->version, &undos);
    Walk walk = {.undo = undos, .undo_end = undos + count};

    if (from && !page->behind)
        from = str_format(c->arena, "%s/", from);
    walk.place = shelf_seek(c->resource->shelf, from);
    while (from && walk.undo < walk.undo_end && strcmp(walk.undo->key, from) < 0)
        walk.undo++;
    if (page->behind && walk.place && str_eq(record_key(shelf_record(walk.place)), from))
        walk.place = shelf_next(walk.place);
    if (page->behind && walk.undo < walk.undo_end && str_eq(walk.undo->key, from))
        walk.undo++;
    return walk;
}

static int walk_order(const Record *here, const Undo *undo)
{
    if (!undo)
        return -1;
    return here ? strcmp(record_key(here), undo->key) : 1;
}

/* The next object as it was, or NULL at the end. */
static Record *walk_next(Walk *walk)
{
    for (;;) {
        Record *here = walk->place ? shelf_record(walk->place) : NULL;
        const Undo *undo = walk->undo < walk->undo_end ? walk->undo : NULL;
        int order = walk_order(here, undo);
        if (!here && !undo)
            return NULL;
        if (order <= 0)
            walk->place = shelf_next(walk->place);
        if (order >= 0)
            walk->undo++;
        if (order < 0)
            return here;
        if (undo->record)
            return undo->record;
    }
}

/* --- a page --- */

typedef struct Listed {
    Record **records; /* in the call's arena; not held */
    int64_t count, room, remaining;
    uint64_t version;
    bool is_plain;
} Listed;

static void add(Call *c, Listed *to, Record *r)
{
    if (to->count == to->room) {
        Record **records = arena_array(c->arena, Record *, to->room ? 2 * to->room : LISTED_MIN);
        if (to->count > 0)
            memcpy(records, to->records, (size_t)to->count * sizeof(Record *));
        to->records = records;
        to->room = to->room ? 2 * to->room : LISTED_MIN;
    }
    to->records[to->count++] = r;
}

static bool is_first_page(const Call *c)
{
    return str_empty(c->request->continue_key);
}

/* Pods are found by their node: those of other nodes are not even passed on the way. */
static bool is_on_the_way(Call *c, const Selection *selection, const Record *r)
{
    static const char path[] = ".spec.nodeName";
    Arena *scratch = c->server->scratch;
    const char *node = is_first_page(c) && selection->fields && c->resource->traits.kind == kind_pod
        ? selector_value_of(selection->fields, path)
        : NULL;

    if (!node)
        return true;
    arena_reset(scratch);
    const char *own = json_str(record_glance(scratch, r), path);
    return str_eq(own ? own : "", node);
}

/* With selectors, a page is followed by another when anything follows, selected or not; but one
 * object that is selected by its name is read alone, unless this goes on from another page. */
static void fill(Call *c, Walk *walk, const Selection *selection, Listed *ret)
{
    int64_t limit = c->request->limit > 0 ? c->request->limit : INT64_MAX;
    bool by_name = is_first_page(c) && selection->fields
        && selector_value_of(selection->fields, ".metadata.name");
    Record *record;

    while ((record = walk_next(walk))) {
        if (!selection_reaches(selection, record) || (by_name && ret->count == limit))
            break;
        if (!is_on_the_way(c, selection, record))
            continue;
        if (ret->count == limit) {
            ret->remaining++;
            if (!selection_is_plain(selection))
                break;
            continue;
        }
        if (!selection_picks(selection, c->server->scratch, record))
            continue;
        add(c, ret, record);
    }
}

static Err *read_list(Call *c, Listed *ret)
{
    Selection selection;
    Walk walk;
    Page page;

    *ret = (Listed){0};
    TRY(selection_read(c, c->arena, &selection));
    TRY(read_page(c, &page));
    walk = walk_from(c, &page, &selection);
    ret->version = page.version;
    ret->is_plain = selection_is_plain(&selection);
    fill(c, &walk, &selection, ret);
    return OK;
}

/* --- the answer as a value --- */

/* In lists, objects of built-in kinds do not say what they are. */
static const Json *unnamed(Call *c, const Json *object)
{
    if (c->resource->traits.is_custom)
        return object;
    object = object_with(c->arena, object, "kind", NULL);
    return object_with(c->arena, object, "apiVersion", NULL);
}

static Draft *list_metadata(Call *c, const Listed *all)
{
    Draft *metadata =
        draft(c->arena, str("resourceVersion", str_format(c->arena, "%" PRIu64, all->version)));

    if (all->remaining > 0)
        draft_set(metadata,
            str("continue",
                str_format(c->arena,
                    "%" PRIu64 ".%s",
                    all->version,
                    record_key(all->records[all->count - 1]))));
    else if (c->resource->traits.is_custom)
        draft_set(metadata, str("continue", ""));
    if (all->remaining > 0 && all->is_plain)
        draft_set(metadata, num("remainingItemCount", all->remaining));
    return metadata;
}

static const Json *list_of(Call *c, const Listed *all, Draft *items)
{
    return json_seal(c->arena,
        draft(c->arena,
            str("kind", str_format(c->arena, "%sList", c->resource->traits.kind->name)),
            str("apiVersion", c->resource->api_version),
            sub("metadata", list_metadata(c, all)),
            sub("items", items)));
}

Err *call_list(Call *c)
{
    Draft *items = draft_array(c->arena);
    Listed all;

    TRY(read_list(c, &all));
    for (int64_t i = 0; i < all.count; i++)
        draft_push_json(items, unnamed(c, record_object(c->arena, all.records[i])));
    c->status = 200;
    c->body = list_of(c, &all, items);
    return OK;
}

/* --- the answer as a row of texts --- */

struct ServerList {
    Server *server;
    Record **records; /* those that are not given yet are held */
    size_t count, given;
    const char *head; /* everything before the items; NULL: it was given */
    Bytes title;      /* what every item begins with, and is not to */
    bool is_over;
};

static ServerList *hold(Call *c, const Listed *all)
{
    static const char end[] = "]}";
    ServerList *l = arena_new(c->arena, ServerList);
    Bytes empty = json_write(c->arena, list_of(c, all, draft_array(c->arena)));

    *l = (ServerList){
        .server = c->server,
        .records = all->records,
        .count = (size_t)all->count,
        .head = str_slice(c->arena, empty.data, empty.len - (sizeof end - 1)),
    };
    if (!c->resource->traits.is_custom)
        l->title = bytes_of(str_format(c->arena,
            "{\"kind\":\"%s\",\"apiVersion\":\"%s\",",
            c->resource->traits.kind->name,
            c->resource->api_version));
    for (size_t i = 0; i < l->count; i++)
        record_hold(l->records[i]);
    return l;
}

/* One that is not stored cannot be listed. */
static Err *refuse_kind(Call *c)
{
    return review_is(c->request->kind) ? call_review(c) : refuse_path(c);
}

ServerList *server_open_list(Server *s, Arena *a, const Request *request, Answer *ret)
{
    Call c = {.server = s, .arena = a, .request = request, .status = 404};
    Listed all = {0};

    c.resource = server_resource(s, request->kind);
    if (c.resource ? read_list(&c, &all) : refuse_kind(&c)) {
        *ret = (Answer){.status = c.status, .body = c.body};
        return NULL;
    }
    *ret = (Answer){.status = 200};
    return hold(&c, &all);
}

/* An object is stored with its title first, so that it can be left out without a look at the rest.
 */
static Bytes item_text(const ServerList *l, Arena *a, const Record *r)
{
    Bytes text = record_text(a, r), title = l->title;

    if (title.len == 0)
        return text;
    if (text.len < title.len || memcmp(text.data, title.data, title.len) != 0)
        BUG("an object is stored without its kind and version in front");
    char *bare = arena_alloc(a, text.len - title.len + 1);
    bare[0] = '{';
    memcpy(bare + 1, text.data + title.len, text.len - title.len);
    return (Bytes){bare, text.len - title.len + 1};
}

bool server_next_listed(ServerList *l, Arena *a, Bytes *ret)
{
    if (l->head) {
        *ret = bytes_of(l->head);
        l->head = NULL;
    } else if (l->given < l->count) {
        Record *r = l->records[l->given];
        Bytes item = item_text(l, a, r);
        char *piece = arena_alloc(a, item.len + 1);
        piece[0] = ',';
        memcpy(piece + 1, item.data, item.len);
        bool is_first = l->given++ == 0;
        *ret = (Bytes){piece + is_first, item.len + !is_first};
        record_drop(l->server->slab, r);
    } else if (!l->is_over) {
        *ret = bytes_of("]}");
        l->is_over = true;
    } else {
        return false;
    }
    return true;
}

Record *server_take_listed(ServerList *l)
{
    return l->given < l->count ? l->records[l->given++] : NULL;
}

void server_close_list(ServerList *l)
{
    for (; l && l->given < l->count; l->given++)
        record_drop(l->server->slab, l->records[l->given]);
}
