/* Events: series of equal events, of which each is one Event object on the server.
 *
 * A series is in one place at a time: ready (something is to be sent), sending (the one request
 * under way), quiet (it was told about a moment ago; further repetitions wait and are told
 * together), or resting. New series cost a token of the object they are about; repetitions cost
 * nothing, since quiet bounds what they can send. What surprises: an Event is created with the
 * count that it has by then, so that a flood while the server is away arrives as one object. */
#include "kube/runtime/events.h"

#include "base/draft.h"
#include "base/link.h"
#include "base/map.h"
#include "base/sha256.h"
#include "base/slab.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/runtime/budget.h"
#include "kube/status.h"
#include "kube/timestamp.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    PENDING_MAX = 1024,
    SERIES_MAX = 4096,
    SERIES_ENDS_MS = 600000, /* after so long without a repetition */
    QUIET_MS = 60000,
    TOKEN_MS = 300000, /* one new event about an object in so long */
    TOKENS_MAX = 25,
    TRIES_MAX = 3,
    RETRY_MS = 1000,
    RETRY_AFTER_MAX_MS = 30000,
    DEADLINE_MS = 5000,
    NOTE_MAX = 1024, /* this and the next are the server's own limits */
    WORD_MAX = 128,
    NAME_MAX = 253,
    SUFFIX_DIGITS = 16,
};

typedef enum Place { RESTING, READY, SENDING, QUIET } Place;

typedef enum Text {
    API_VERSION,
    KIND,
    NAMESPACE,
    NAME,
    UID,
    RESOURCE_VERSION,
    CONTROLLER,
    TYPE,
    REASON,
    ACTION,
    NOTE,
    TEXTS,
} Text;

typedef struct Series {
    char key[SHA256_HEX_SIZE];
    Link age;  /* in Events.series */
    Link line; /* in Events.ready or Events.quiet */
    Place place;
    size_t size;
    bool created;
    unsigned tries;
    int64_t seen_ms, quiet_until_ms;
    int64_t first_ns, last_ns;
    int64_t count, telling, told; /* occurrences; in the request under way; known to the server */
    char suffix[SUFFIX_DIGITS + 1];
    const char *text[TEXTS]; /* NULL where absent; behind the struct */
} Series;

struct Events {
    Arena *own, *scratch;
    Slab *slab;
    EventsOptions options;
    Map *by_key;
    Link series;       /* the one seen longest ago first */
    Link ready, quiet; /* the one that is due first, first */
    Budget *budget;    /* of new series, by object */
    size_t ready_count;
    Series *sending;
    int64_t not_before_ms; /* after a failure */
    uint64_t sent, dropped;
};

Events *events_open(const EventsOptions *options)
{
    Arena *own = arena_open(1 << 16);
    Events *e = arena_new(own, Events);
    assert(options->rng);

    e->own = own;
    e->scratch = arena_open(1 << 20);
    e->slab = slab_open();
    e->options = *options;
    const char *instance = str_empty(options->instance) ? "unknown" : options->instance;
    e->options.instance = str_copy(own, str_cut(own, instance, WORD_MAX));
    e->options.pending_max = options->pending_max ? options->pending_max : PENDING_MAX;
    e->options.series_max = options->series_max ? options->series_max : SERIES_MAX;
    if (e->options.series_max < 2) /* the one that is being sent cannot make room */
        e->options.series_max = 2;
    e->by_key = map_open(e->options.series_max);
    e->budget = budget_open(&(BudgetOptions){
        .keys_max = e->options.series_max,
        .burst = TOKENS_MAX,
        .refill_ms = TOKEN_MS,
    });
    e->not_before_ms = INT64_MIN;
    link_init(&e->series);
    link_init(&e->ready);
    link_init(&e->quiet);
    return e;
}

void events_close(Events *e)
{
    if (!e)
        return;
    map_close(e->by_key);
    budget_close(e->budget);
    slab_close(e->slab);
    arena_close(e->scratch);
    arena_close(e->own);
}

/* Places. */

static void place(Events *e, Series *s, Place to)
{
    e->ready_count -= s->place == READY;
    e->ready_count += to == READY;
    s->place = to;
    link_remove(&s->line);
    if (to == READY)
        link_insert_before(&e->ready, &s->line);
    if (to == QUIET)
        link_insert_before(&e->quiet, &s->line);
}

static void forget(Events *e, Series *s)
{
    place(e, s, RESTING);
    link_remove(&s->age);
    map_remove(e->by_key, s->key);
    slab_free(e->slab, s, s->size);
}

/* Gives up what a series had to say. One that the server knows goes on: the next repetition tells
 * the whole count. */
static void drop(Events *e, Series *s)
{
    e->dropped++;
    s->tries = 0;
    if (s->created)
        place(e, s, RESTING);
    else
        forget(e, s);
}

static void make_ready(Events *e, Series *s)
{
    place(e, s, READY);
    if (e->ready_count > e->options.pending_max)
        drop(e, link_owner(Series, line, e->ready.next));
}

/* A series whose request failed stays the first. */
static void make_ready_again(Events *e, Series *s)
{
    place(e, s, READY);
    link_remove(&s->line);
    link_insert_before(e->ready.next, &s->line);
    if (e->ready_count > e->options.pending_max)
        drop(e, s);
}

/* Taking in. */

static void read_note(Events *e, const EventNote *note, const char *text[TEXTS])
{
    Arena *a = e->scratch;
    const char *reason = str_empty(note->reason) ? "Unspecified" : note->reason;

    text[API_VERSION] = json_str(note->regarding, ".apiVersion");
    text[KIND] = json_str(note->regarding, ".kind");
    text[NAMESPACE] = meta_namespace(note->regarding);
    text[NAME] = meta_name(note->regarding);
    text[UID] = meta_uid(note->regarding);
    text[RESOURCE_VERSION] = meta_resource_version(note->regarding);
    text[CONTROLLER] = note->controller;
    text[TYPE] = str_eq(note->type, "Warning") ? "Warning" : "Normal";
    text[REASON] = str_cut(a, reason, WORD_MAX);
    text[ACTION] = str_cut(a, str_empty(note->action) ? reason : note->action, WORD_MAX);
    text[NOTE] = str_cut(a, note->note, NOTE_MAX);
}

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static void hash_object(Arena *a, const char *const *text, char key[SHA256_HEX_SIZE])
{
    const char *all = str_format(a,
        "%s\n%s\n%s\n%s\n%s",
        or_nothing(text[API_VERSION]),
        or_nothing(text[KIND]),
        or_nothing(text[NAMESPACE]),
        or_nothing(text[NAME]),
        or_nothing(text[UID]));
    sha256_hex(bytes_of(all), key);
}

static void hash_series(
    Arena *a, const char *object_key, const char *const *text, char key[SHA256_HEX_SIZE])
{
    const char *all = str_format(a,
        "%s\n%s\n%s\n%s\n%s\n%s",
        object_key,
        or_nothing(text[CONTROLLER]),
        text[TYPE],
        text[REASON],
        text[ACTION],
        or_nothing(text[NOTE]));
    sha256_hex(bytes_of(all), key);
}

static bool is_over(const Series *s, int64_t now_ms)
{
    bool rests = s->place == RESTING || (s->place == QUIET && s->count == s->told);
    return rests && now_ms - s->seen_ms >= SERIES_ENDS_MS;
}

/* Makes room for one more: those that are over go, and if need be the one seen longest ago. */
static void make_room(Events *e, int64_t now_ms)
{
    while (!link_is_alone(&e->series)) {
        Series *oldest = link_owner(Series, age, e->series.next);
        if (!is_over(oldest, now_ms))
            break;
        forget(e, oldest);
    }
    if (map_count(e->by_key) < e->options.series_max)
        return;
    Link *at = e->series.next;
    if (link_owner(Series, age, at) == e->sending)
        at = at->next;
    Series *oldest = link_owner(Series, age, at);
    e->dropped += oldest->count > oldest->told;
    forget(e, oldest);
}

static Series *add_series(Events *e, const char *key, const char *const *text)
{
    size_t size = sizeof(Series);
    for (int i = 0; i < TEXTS; i++)
        size += text[i] ? strlen(text[i]) + 1 : 0;

    Series *s = slab_alloc(e->slab, size);
    char *at = (char *)s + sizeof(Series);
    *s = (Series){.size = size};
    memcpy(s->key, key, sizeof s->key);
    snprintf(s->suffix,
        sizeof s->suffix,
        "%016llx",
        (unsigned long long)e->options.rng->next(e->options.rng));
    for (int i = 0; i < TEXTS; i++)
        if (text[i]) {
            s->text[i] = at;
            at = stpcpy(at, text[i]) + 1;
        }
    link_init(&s->age);
    link_init(&s->line);
    if (!map_put(e->by_key, s->key, s))
        BUG("the map of series has no room for one whose place was made");
    return s;
}

void events_record(Events *e, const EventNote *note, int64_t now_ms, int64_t wall_ns)
{
    const char *text[TEXTS];
    char object_key[SHA256_HEX_SIZE], key[SHA256_HEX_SIZE];

    arena_reset(e->scratch);
    read_note(e, note, text);
    hash_object(e->scratch, text, object_key);
    hash_series(e->scratch, object_key, text, key);
    Series *s = map_find(e->by_key, key);
    if (s && is_over(s, now_ms)) {
        forget(e, s);
        s = NULL;
    }
    if (!s) {
        if (str_empty(text[NAME]) || !budget_take(e->budget, object_key, now_ms)) {
            e->dropped++;
            return;
        }
        make_room(e, now_ms);
        s = add_series(e, key, text);
        s->first_ns = wall_ns;
    }
    s->count++;
    s->last_ns = wall_ns;
    s->seen_ms = now_ms;
    link_remove(&s->age);
    link_insert_before(&e->series, &s->age);
    if (s->place == RESTING)
        make_ready(e, s);
}

/* Sending. */

/* The name of the object before a suffix of our own. The server wants a DNS subdomain, which not
 * every name is ("system:node"): in others all but letters and digits becomes a dash. */
static const char *event_name(const Series *s, Arena *a)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t most = NAME_MAX - SUFFIX_DIGITS - 1;
    const char *from = s->text[NAME];
    bool fits = strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789-.") == strlen(from);
    char name[NAME_MAX + 1] = "";
    size_t len = 0;
    for (; *from && len < most; from++) {
        char c = *from >= 'A' && *from <= 'Z' ? (char)(*from - 'A' + 'a') : *from;
        bool letter = strchr(letters, c) != NULL;
        if (letter || len > 0)
            name[len++] = letter || fits ? c : '-';
    }
    while (len > 0 && !strchr(letters, name[len - 1]))
        len--;
    name[len] = '\0';
    return str_format(a, "%s.%s", len ? name : "event", s->suffix);
}

static const char *micro_time(Arena *a, int64_t wall_ns)
{
    char text[TIMESTAMP_SIZE];
    return str_copy(a, timestamp_format_micro(wall_ns, text));
}

static Draft *render_series(const Series *s, Arena *a)
{
    if (s->count < 2) /* the server takes no shorter series */
        return NULL;
    return draft(a, num("count", s->count), str("lastObservedTime", micro_time(a, s->last_ns)));
}

static Draft *render_event(const Events *e, const Series *s, Arena *a, Key key)
{
    return draft(a,
        str("apiVersion", "events.k8s.io/v1"),
        str("kind", "Event"),
        obj("metadata", str("namespace", key.namespace), str("name", key.name)),
        str("eventTime", micro_time(a, s->first_ns)),
        str("reportingController", s->text[CONTROLLER]),
        str("reportingInstance", e->options.instance),
        str("type", s->text[TYPE]),
        str("reason", s->text[REASON]),
        str("action", s->text[ACTION]),
        str("note", s->text[NOTE]),
        obj("regarding",
            str("apiVersion", s->text[API_VERSION]),
            str("kind", s->text[KIND]),
            str("namespace", s->text[NAMESPACE]),
            str("name", s->text[NAME]),
            str("uid", s->text[UID]),
            str("resourceVersion", s->text[RESOURCE_VERSION])),
        sub("series", render_series(s, a)));
}

static Request request_of(const Events *e, const Series *s, Arena *a)
{
    Key key = {
        .namespace = str_empty(s->text[NAMESPACE]) ? "default" : str_copy(a, s->text[NAMESPACE]),
        .name = event_name(s, a),
    };
    Draft *body =
        s->created ? draft(a, sub("series", render_series(s, a))) : render_event(e, s, a, key);
    return (Request){
        .verb = s->created ? VERB_MERGE_PATCH : VERB_CREATE,
        .kind = kind_event,
        .key = key,
        .body = json_copy(a, json_seal(a, body)), /* it may outlive the series */
        .deadline_ms = DEADLINE_MS,
    };
}

static void end_quiet(Events *e, int64_t now_ms)
{
    while (!link_is_alone(&e->quiet)) {
        Series *s = link_owner(Series, line, e->quiet.next);
        if (s->quiet_until_ms > now_ms)
            break;
        place(e, s, RESTING);
        if (s->count > s->told)
            make_ready(e, s);
    }
}

bool events_step(Events *e, Arena *a, int64_t now_ms, Request *ret, int64_t *ret_next)
{
    end_quiet(e, now_ms);
    *ret_next = INT64_MAX;
    if (e->sending)
        return false;
    if (link_is_alone(&e->ready)) {
        if (!link_is_alone(&e->quiet))
            *ret_next = link_owner(Series, line, e->quiet.next)->quiet_until_ms;
        return false;
    }
    if (now_ms < e->not_before_ms) {
        *ret_next = e->not_before_ms;
        return false;
    }

    Series *s = link_owner(Series, line, e->ready.next);
    *ret = request_of(e, s, a);
    s->telling = s->count;
    e->sending = s;
    place(e, s, SENDING);
    return true;
}

static void succeed(Events *e, Series *s, int64_t now_ms)
{
    bool repetition = s->created;
    e->sent++;
    s->created = true;
    s->tries = 0;
    s->told = s->telling;
    if (repetition) {
        s->quiet_until_ms = now_ms + QUIET_MS;
        place(e, s, QUIET);
    } else {
        place(e, s, RESTING);
        if (s->count > s->told)
            make_ready(e, s);
    }
}

static void fail(Events *e, Series *s, const Err *err, int64_t now_ms)
{
    bool vanished = s->created && status_is_not_found(err);
    if (vanished)
        s->created = false;
    if (++s->tries >= TRIES_MAX || err_is(err, ERR_TERMINAL)) {
        drop(e, s);
        return;
    }
    int64_t wait_ms = vanished ? 0 : (int64_t)RETRY_MS << (s->tries - 1);
    int64_t asked_ms =
        err->retry_after_ms < RETRY_AFTER_MAX_MS ? err->retry_after_ms : RETRY_AFTER_MAX_MS;
    e->not_before_ms = now_ms + (asked_ms > wait_ms ? asked_ms : wait_ms);
    make_ready_again(e, s);
}

void events_answer(Events *e, const Err *err, const Json *object, int64_t now_ms)
{
    Series *s = e->sending;
    (void)object;
    if (!s)
        return;
    e->sending = NULL;
    /* When it exists, an earlier try of ours was carried out after all. */
    if (!err || (!s->created && status_is_already_exists(err)))
        succeed(e, s, now_ms);
    else
        fail(e, s, err, now_ms);
}

EventsCounts events_counts(const Events *e)
{
    return (EventsCounts){
        .sent = e->sent,
        .dropped = e->dropped,
        .pending = e->ready_count + (e->sending != NULL),
    };
}
