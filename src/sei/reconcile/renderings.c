/* A table from node to one rendering, kept as the text of one JSON object with the hash of what it
 * was made from; and a line of all of them, the one that was asked for last at its end. Beside the
 * hash stands the version of the node that was last found to have it: of a version that was seen
 * before nothing is hashed. */
#include "sei/reconcile/renderings.h"

#include "base/draft.h"
#include "base/link.h"
#include "base/map.h"
#include "base/sha256.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/key.h"
#include "kube/meta.h"

#include <stdio.h>
#include <string.h>

enum { VERSION_SIZE = 512 };

struct Renderings {
    Slab *slab;
    Map *map;
    Link line;
    uint64_t made;
};

/* What a rendering is made from. */
typedef struct Source {
    char hash[SHA256_HEX_SIZE];
    char version[VERSION_SIZE]; /* "": of none that can be told */
} Source;

typedef struct Rendering {
    Link place;
    size_t size, bytes_at, bytes_len;
    Source made_from;
    char node[]; /* and behind it the bytes */
} Rendering;

Renderings *renderings_open(void)
{
    Slab *slab = slab_open();
    Renderings *r = slab_alloc(slab, sizeof *r);

    *r = (Renderings){.slab = slab, .map = map_open(RENDERINGS_MAX)};
    link_init(&r->line);
    return r;
}

void renderings_close(Renderings *r)
{
    if (!r)
        return;
    map_close(r->map);
    slab_close(r->slab);
}

/* --- what it is made from ----------------------------------------------------------------------
 */

/* The version of the node, and what else the subject has; "" when that cannot be told. */
static void write_version(const Subject *s, char ret[static VERSION_SIZE])
{
    const Json *object = s->node->object;
    const char *uid = meta_uid(object), *version = meta_resource_version(object);
    const char *const words[] = {s->chain_id, s->claim, s->restarted_at};
    int len = snprintf(ret,
        VERSION_SIZE,
        "%s %s %d %d %d %d",
        uid ? uid : "",
        version ? version : "",
        (int)s->node->status.phase,
        (int)s->mode,
        (int)s->imported,
        (int)s->replicas);

    for (size_t i = 0; i < sizeof words / sizeof *words && len < VERSION_SIZE; i++)
        len += snprintf(ret + len,
            (size_t)(VERSION_SIZE - len),
            words[i] ? " \"%s\"" : " none",
            words[i] ? words[i] : "");
    if (!uid || !version || len >= VERSION_SIZE)
        ret[0] = '\0';
}

/* The node as far as it is rendered: without its status, of which the subject has what counts, and
 * without what the cache notes of an object, so that it is the same when the server has just
 * answered with it. */
static Err *bare_object(Arena *a, const Subject *s, const Json **ret)
{
    const Json *without;

    TRY(json_parse(a,
        bytes_of("{\"" META_OWNED_HASH_MEMBER "\":null,\"" META_OWNS_REPLICAS_MEMBER "\":null,"
                 "\"status\":null,"
                 "\"metadata\":{\"resourceVersion\":null,\"managedFields\":null}}"),
        &without));
    *ret = json_merge(a, s->node->object, without);
    return OK;
}

static const Subject *bare_subject(Arena *a, const Subject *s, const Json *object)
{
    Subject *bare = arena_new(a, Subject);
    SeiNode *node = arena_new(a, SeiNode);

    *node = *s->node;
    node->object = object;
    node->status = (NodeStatus){.phase = s->node->status.phase};
    *bare = *s;
    bare->node = node;
    return bare;
}

/* Everything that a bare subject has, as a hash. A text that is not there has no member. */
static void write_source(Arena *a, const Subject *s, const Json *object, char ret[SHA256_HEX_SIZE])
{
    const Json *source = json_seal(a,
        draft(a,
            draft_json("node", object),
            num("phase", s->node->status.phase),
            str("chainId", s->chain_id),
            num("mode", s->mode),
            str("claim", s->claim),
            flag("imported", s->imported),
            str("restartedAt", s->restarted_at),
            num("replicas", s->replicas)));

    sha256_hex(json_write(a, source), ret);
}

/* --- as text -----------------------------------------------------------------------------------
 */

static Bytes encode(Arena *a, const Wanted *w)
{
    return json_write(a,
        json_seal(a,
            draft(a,
                draft_json("statefulset", w->statefulset),
                draft_json("service", w->service),
                draft_json("proxyConfig", w->proxy_config),
                draft_json("volume", w->volume),
                str("claim", w->claim),
                str("image", w->image),
                str("templateHash", w->template_hash),
                str("configHash", w->config_hash),
                draft_json("bootstrapJob", w->bootstrap_job),
                draft_json("bootstrapService", w->bootstrap_service),
                str("bootstrapHash", w->bootstrap_hash),
                str("statefulsetOwned", w->statefulset_owned),
                str("serviceOwned", w->service_owned),
                str("proxyConfigOwned", w->proxy_config_owned))));
}

static Err *decode(Arena *a, Bytes bytes, Wanted *ret)
{
    const Json *w;

    TRY(json_parse_again(a, bytes, &w));
    *ret = (Wanted){
        .statefulset = json_member(w, "statefulset"),
        .service = json_member(w, "service"),
        .proxy_config = json_member(w, "proxyConfig"),
        .volume = json_member(w, "volume"),
        .claim = json_str(w, ".claim"),
        .image = json_str(w, ".image"),
        .template_hash = json_str(w, ".templateHash"),
        .config_hash = json_str(w, ".configHash"),
        .bootstrap_job = json_member(w, "bootstrapJob"),
        .bootstrap_service = json_member(w, "bootstrapService"),
        .bootstrap_hash = json_str(w, ".bootstrapHash"),
        .statefulset_owned = json_str(w, ".statefulsetOwned"),
        .service_owned = json_str(w, ".serviceOwned"),
        .proxy_config_owned = json_str(w, ".proxyConfigOwned"),
    };
    return OK;
}

/* --- the table; the guard is held --------------------------------------------------------------
 */

static void drop(Renderings *r, Rendering *old)
{
    link_remove(&old->place);
    map_remove(r->map, old->node);
    slab_free(r->slab, old, old->size);
}

/* The bytes of a rendering, which is now the one that was asked for last. */
static Bytes take(Renderings *r, Arena *a, Rendering *found)
{
    link_remove(&found->place);
    link_insert_before(&r->line, &found->place);
    char *copy = arena_alloc(a, found->bytes_len + 1);
    memcpy(copy, found->node + found->bytes_at, found->bytes_len + 1);
    return (Bytes){.data = copy, .len = found->bytes_len};
}

static Bytes find_version(Renderings *r, Arena *a, const char *node, const char *version)
{
    Rendering *found = map_find(r->map, node);

    return found && *version && str_eq(found->made_from.version, version) ? take(r, a, found)
                                                                          : (Bytes){0};
}

static Bytes find(Renderings *r, Arena *a, const char *node, const Source *source)
{
    Rendering *found = map_find(r->map, node);

    if (!found || !str_eq(found->made_from.hash, source->hash))
        return (Bytes){0};
    memcpy(found->made_from.version, source->version, VERSION_SIZE);
    return take(r, a, found);
}

static void keep(Renderings *r, const char *node, const Source *source, Bytes bytes)
{
    Rendering *old = map_find(r->map, node);
    size_t node_size = strlen(node) + 1, size = sizeof *old + node_size + bytes.len + 1;

    if (old)
        drop(r, old);
    else if (map_count(r->map) == RENDERINGS_MAX)
        drop(r, link_owner(Rendering, place, r->line.next));
    Rendering *new = slab_alloc(r->slab, size);
    r->made++;
    *new = (Rendering){
        .size = size, .bytes_at = node_size, .bytes_len = bytes.len, .made_from = *source};
    memcpy(new->node, node, node_size);
    memcpy(new->node + node_size, bytes.data, bytes.len);
    new->node[node_size + bytes.len] = '\0';
    link_init(&new->place);
    if (map_put(r->map, new->node, new))
        link_insert_before(&r->line, &new->place);
    else
        slab_free(r->slab, new, size);
}

uint64_t renderings_made(const Renderings *r)
{
    return r->made;
}

void renderings_forget(Renderings *r, Key node)
{
    SCOPED_ARENA a = arena_open(1 << 12);
    Rendering *old = map_find(r->map, key_text(a, node));

    if (old)
        drop(r, old);
}

/* --- asking ------------------------------------------------------------------------------------
 */

Err *renderings_ask(Renderings *r, Guard *guard, Arena *a, const Subject *subject, Wanted *ret)
{
    const char *node = key_text(a, subject->node->key);
    Source *source = arena_new(a, Source);
    const Json *object;

    write_version(subject, source->version);
    guard_enter(guard);
    Bytes known = find_version(r, a, node, source->version);
    guard_leave(guard);
    if (known.data)
        return decode(a, known, ret);
    TRY(bare_object(a, subject, &object));
    write_source(a, subject, object, source->hash);
    guard_enter(guard);
    known = find(r, a, node, source);
    guard_leave(guard);
    if (known.data)
        return decode(a, known, ret);
    TRY(render_node(a, bare_subject(a, subject, object), ret));
    Bytes bytes = encode(a, ret);
    TRY(arena_err(a)); /* what there was no memory for is not to be remembered */
    guard_enter(guard);
    keep(r, node, source, bytes);
    guard_leave(guard);
    return OK;
}
