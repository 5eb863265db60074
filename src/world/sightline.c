/* Sightline: a list, then a watch, and a queue behind it: of records, because a list is of
 * everything, and of lines of the watch. They are parsed when they are seen. */
#include "world/sightline.h"

#include "base/str.h"
#include "kube/meta.h"
#include "world/call.h"

#include <inttypes.h>
#include <string.h>

enum { LOOK_AGAIN_MS = 1000 };

/* A change on its way. */
typedef struct Late {
    Link link;
    int64_t due_ms;
    Record *listed; /* an object of the list, held; else an event of the watch */
    size_t len;
    char bytes[];
} Late;

void sightline_open(Sightline *l)
{
    link_init(&l->waiting);
    l->watch = NULL;
    l->last_due_ms = INT64_MIN;
    l->tried_ms = INT64_MIN;
}

static Late *first_late(const Sightline *l)
{
    return link_is_alone(&l->waiting) ? NULL : link_owner(Late, link, l->waiting.next);
}

static void drop_first(Sightline *l)
{
    Late *late = first_late(l);

    link_remove(&late->link);
    record_drop(l->server->slab, late->listed);
    slab_free(l->slab, late, sizeof *late + late->len);
}

void sightline_close(Sightline *l)
{
    if (l->watch)
        server_close_watch(l->watch);
    while (first_late(l))
        drop_first(l);
}

static void push(Sightline *l, Record *listed, Bytes line, int64_t now_ms)
{
    int64_t due = now_ms + (int64_t)rng_below(l->rng, (uint64_t)l->lag_max_ms + 1);
    Late *late = slab_alloc(l->slab, sizeof *late + line.len);

    if (due < l->last_due_ms)
        due = l->last_due_ms;
    l->last_due_ms = due;
    late->due_ms = due;
    late->listed = listed;
    late->len = line.len;
    if (line.len > 0)
        memcpy(late->bytes, line.data, line.len);
    link_init(&late->link);
    link_insert_before(&l->waiting, &late->link);
}

/* Lists what is there and opens the watch behind it. */
static void look(Sightline *l, Arena *a, int64_t now_ms)
{
    Answer answer = {0};
    Request request = {.verb = VERB_LIST, .kind = l->kind};
    Record *listed;

    if (l->tried_ms != INT64_MIN && now_ms - l->tried_ms < LOOK_AGAIN_MS)
        return;
    l->tried_ms = now_ms;
    ServerList *list = server_open_list(l->server, a, &request, &answer);
    if (!list)
        return;
    while ((listed = server_take_listed(list)))
        push(l, listed, (Bytes){0}, now_ms);

    request.verb = VERB_WATCH;
    request.resource_version = str_format(a, "%" PRIu64, server_version(l->server));
    l->watch = server_open_watch(l->server, a, &request, &answer);
    if (!l->watch)
        BUG("the server lists a kind that cannot be watched");
}

int64_t sightline_notice(Sightline *l, Arena *a, int64_t now_ms)
{
    Bytes line;
    bool ended = false;

    if (!l->watch)
        look(l, a, now_ms);
    while (l->watch && server_next_event(l->watch, a, &line, &ended)) {
        if (ended)
            BUG("the history was forgotten before an actor saw it: call world_notice, or compact "
                "through world_compact");
        push(l, NULL, line, now_ms);
    }
    if (ended) { /* the kind is served no more */
        server_close_watch(l->watch);
        l->watch = NULL;
    }
    arena_reset(a);
    return sightline_due_ms(l);
}

static const Json *parse(Arena *a, const Late *late)
{
    const Json *value = NULL;

    if (json_parse(a, (Bytes){late->bytes, late->len}, &value))
        BUG("the server gave a line that does not parse");
    return value;
}

bool sightline_next(Sightline *l, Arena *a, int64_t now_ms, Sight *ret)
{
    const Late *late = first_late(l);

    if (!late || late->due_ms > now_ms)
        return false;
    const Json *event = late->listed ? NULL : parse(a, late);
    const Json *object =
        late->listed ? record_object(a, late->listed) : json_find(event, ".object");
    bool gone = str_eq(json_str(event, ".type"), "DELETED");
    *ret = (Sight){.kind = l->kind, .key = meta_key(object), .object = gone ? NULL : object};
    drop_first(l);
    return true;
}

int64_t sightline_due_ms(const Sightline *l)
{
    const Late *late = first_late(l);

    return late ? late->due_ms : INT64_MAX;
}
