/* EventTeller: a ring of what was said lately, found by its text. */
#include "world/event_teller.h"

#include "base/draft.h"
#include "base/map.h"
#include "base/sha256.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/timestamp.h"

#include <stdio.h>
#include <string.h>

enum { NAMESPACE_SIZE = 64, NAME_SIZE = 272, NS_PER_S = 1000000000 };

/* One Event that was posted. */
typedef struct Told {
    char text[SHA256_HEX_SIZE]; /* of everything that makes it the same */
    char namespace[NAMESPACE_SIZE], name[NAME_SIZE];
    int64_t count;
} Told;

/* How much may still be said about one object. */
typedef struct Breath {
    char uid[SHA256_HEX_SIZE];
    int64_t left;
    int64_t since_ns;
} Breath;

struct EventTeller {
    Slab *slab;
    Clock *clock;
    Told told[TELLER_MEMORY];
    Breath breaths[TELLER_MEMORY];
    Map *by_text, *by_uid;
    size_t next_told, next_breath;
    uint64_t posted;
};

EventTeller *event_teller_open(Clock *clock)
{
    Slab *slab = slab_open();
    EventTeller *t = slab_alloc(slab, sizeof *t);

    memset(t, 0, sizeof *t);
    t->slab = slab;
    t->clock = clock;
    t->by_text = map_open(TELLER_MEMORY);
    t->by_uid = map_open(TELLER_MEMORY);
    return t;
}

void event_teller_close(EventTeller *t)
{
    if (!t)
        return;
    map_close(t->by_text);
    map_close(t->by_uid);
    slab_close(t->slab);
}

/* --- how often --- */

static Breath *breath_of(EventTeller *t, const EventSaid *said, int64_t now_ns)
{
    char uid[SHA256_HEX_SIZE];
    Breath *b;

    sha256_hex(bytes_of(said->uid ? said->uid : ""), uid);
    b = map_find(t->by_uid, uid);
    if (b)
        return b;
    b = &t->breaths[t->next_breath++ % TELLER_MEMORY];
    if (b->uid[0])
        map_remove(t->by_uid, b->uid);
    *b = (Breath){.left = TELLER_BURST, .since_ns = now_ns};
    memcpy(b->uid, uid, sizeof uid);
    if (!map_put(t->by_uid, b->uid, b))
        BUG("a ring of breaths is larger than its map");
    return b;
}

static bool may_say(EventTeller *t, const EventSaid *said, int64_t now_ns)
{
    Breath *b = breath_of(t, said, now_ns);
    int64_t refill = (now_ns - b->since_ns) / ((int64_t)TELLER_REFILL_S * NS_PER_S);

    if (refill > 0) {
        b->left = b->left + refill < TELLER_BURST ? b->left + refill : TELLER_BURST;
        b->since_ns = now_ns;
    }
    if (b->left == 0)
        return false;
    b->left--;
    return true;
}

/* --- posting --- */

static const char *home_of(const EventSaid *said)
{
    return str_empty(said->key.namespace) ? "default" : said->key.namespace;
}

static void text_of(Arena *a, const EventSaid *said, char ret[SHA256_HEX_SIZE])
{
    sha256_hex(bytes_of(str_format(a,
                   "%s\n%s\n%s\n%s\n%s\n%s",
                   said->component,
                   said->host ? said->host : "",
                   said->uid ? said->uid : "",
                   said->part ? said->part : "",
                   said->reason,
                   said->message)),
        ret);
}

static Err *count_again(const Told *told, Arena *a, Api *api, const char *now)
{
    Request patch = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_core_event,
        .key = {told->namespace, told->name},
        .body = json_seal(a, draft(a, num("count", told->count + 1), str("lastTimestamp", now))),
    };

    return api_call(api, a, &patch, NULL);
}

static const Json *event_object(Arena *a, const EventSaid *said, const char *name, const char *now)
{
    char version[KIND_API_VERSION_SIZE];

    kind_api_version(said->kind, version);
    return json_copy(a,
        json_seal(a,
            draft(a,
                str("apiVersion", "v1"),
                str("kind", "Event"),
                obj("metadata", str("name", name), str("namespace", home_of(said))),
                obj("involvedObject",
                    str("apiVersion", version),
                    str("kind", said->kind->name),
                    str("name", said->key.name),
                    str("namespace", said->key.namespace),
                    str("uid", said->uid),
                    str("fieldPath", said->part)),
                str("type", said->is_warning ? "Warning" : "Normal"),
                str("reason", said->reason),
                str("message", str_cut(a, said->message, TELLER_MESSAGE_MAX)),
                obj("source", str("component", said->component), str("host", said->host)),
                str("reportingComponent", said->component),
                str("reportingInstance", said->host ? said->host : ""),
                str("firstTimestamp", now),
                str("lastTimestamp", now),
                num("count", 1))));
}

static void remember(EventTeller *t, const char *text, const Json *event)
{
    Told *told = map_remove(t->by_text, text);

    if (!told) {
        told = &t->told[t->next_told++ % TELLER_MEMORY];
        if (told->text[0])
            map_remove(t->by_text, told->text);
    }
    *told = (Told){.count = 1};
    memcpy(told->text, text, sizeof told->text);
    snprintf(told->namespace, sizeof told->namespace, "%s", json_str(event, ".metadata.namespace"));
    snprintf(told->name, sizeof told->name, "%s", json_str(event, ".metadata.name"));
    if (!map_put(t->by_text, told->text, told))
        BUG("a ring of what was told is larger than its map");
}

void event_tell(EventTeller *t, Arena *a, Api *api, const EventSaid *said)
{
    char text[SHA256_HEX_SIZE], now[TIMESTAMP_SIZE];
    int64_t now_ns = t ? t->clock->wall_ns(t->clock) : 0;
    const char *name;
    Told *told;

    if (!t || !may_say(t, said, now_ns))
        return;
    timestamp_format(now_ns, now);
    text_of(a, said, text);
    told = map_find(t->by_text, text);
    if (told && !count_again(told, a, api, now)) {
        told->count++;
        return;
    }
    /* The name is the moment, made different from others of the same one. */
    name = str_format(
        a, "%s.%llx", said->key.name, (unsigned long long)now_ns + (unsigned long long)t->posted++);
    const Json *event = event_object(a, said, name, now);
    Request create = {
        .verb = VERB_CREATE, .kind = kind_core_event, .key = {home_of(said), name}, .body = event};
    if (!api_call(api, a, &create, NULL))
        remember(t, text, event);
}
