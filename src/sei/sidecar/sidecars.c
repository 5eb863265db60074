/* Sidecars: the machine: neighbours, flights to them, and who is next.
 *
 *     worker ──► wants (guard) ─┐                         ┌─► wake the node, if the news changed
 *                               ▼                         │
 *     attendant: step ──► whoever is due ──► http ──► on_end (guard)
 *
 * The guard is never held across a call of Http or of the waker. Everything that a call needs is
 * therefore copied first: a worker may move the neighbour to another pod meanwhile. */
#include "sei/sidecar/sidecars.h"

#include "base/str.h"
#include "kube/request.h"
#include "sei/api/names.h"
#include "sei/sidecar/neighbour.h"
#include "sei/sidecar/pod_url.h"

#include <stdio.h>
#include <string.h>

enum { SIDECARS_ARENA_MAX = 1 << 20, SCRATCH_MAX = 64 << 20 };

/* One exchange. */
struct Flight {
    HttpSink sink; /* first, so that the sink is this */
    Sidecars *owner;
    Neighbour *neighbour; /* NULL: free */
    HttpId http;
    Errand errand;
    char id[CHAT_ID_SIZE]; /* of the task that it is about */
    bool is_suspect;
};

struct Sidecars {
    Sidecar port; /* first, so that the port is this */
    Attendant attendant;
    SidecarsOptions options;
    Guard *guard;
    Waker *waker; /* NULL: not bound yet */
    Arena *home;
    Arena *scratch; /* of the attendant's thread alone */

    /* Under the guard. */
    Slab *slab;
    Bearers bearers;
    Map *by_key;
    Timetable timetable;
    Link parked; /* neighbours that did not answer, and wait for others of their kind */
    Flight flights[SIDECARS_FLIGHTS_MAX];
    int suspects; /* of the flights */
    SidecarsFigures figures;
};

static ChatPorts ports_of(const Sidecars *s)
{
    return (ChatPorts){
        .slab = s->slab,
        .rng = s->options.rng,
        .now_ms = clock_mono_ms(s->options.clock),
    };
}

/* --- neighbours come and go --------------------------------------------------------------------
 */

/* Puts a neighbour where it belongs after something has changed. */
static void plan(Sidecars *s, Neighbour *n)
{
    int64_t due;
    const char *id;

    link_remove(&n->parked);
    neighbour_errand(n, &due, &id);
    if (n->flight)
        due = n->is_stale ? 0 : INT64_MAX; /* to be cancelled before anything else */
    timetable_set(&s->timetable, &n->entry, due);
}

static void discard(Sidecars *s, Neighbour *n)
{
    timetable_set(&s->timetable, &n->entry, INT64_MAX);
    link_remove(&n->parked);
    map_remove(s->by_key, n->key);
    neighbour_close(n, s->slab, &s->bearers);
    s->figures.nodes = map_count(s->by_key);
}

/* The neighbour of a node, made at its first mention; NULL when there are too many. */
static Neighbour *meet(Sidecars *s, Arena *a, Key node)
{
    const char *key = key_text(a, node);
    Neighbour *n = map_find(s->by_key, key);

    if (!n) {
        n = neighbour_make(s->slab, key);
        if (!map_put(s->by_key, n->key, n)) {
            neighbour_close(n, s->slab, &s->bearers);
            return NULL;
        }
        s->figures.nodes = map_count(s->by_key);
    }
    n->is_forgotten = false;
    return n;
}

/* --- the port: what workers want ---------------------------------------------------------------
 */

static int64_t first_due(const Sidecars *s)
{
    const TimetableEntry *first = timetable_first(&s->timetable);

    return first ? first->due_ms : INT64_MAX;
}

/* Leaves the guard, and wakes the attendant's thread when somebody is due before it would look. */
static void leave(Sidecars *s, int64_t first_before)
{
    bool is_earlier = first_due(s) < first_before;

    guard_leave(s->guard);
    if (is_earlier)
        http_wake(s->options.http);
}

static void tell_news(Arena *a, const Chat *chat, SidecarNews *ret)
{
    *ret = (SidecarNews){
        .state = chat->state,
        .submitted = chat->submitted,
        .message = str_copy(a, chat->message.text),
        .result = str_copy(a, chat->result.text),
    };
}

static void want_task(
    Sidecar *self, Arena *a, const SidecarTarget *target, const SidecarJob *job, SidecarNews *ret)
{
    Sidecars *s = (Sidecars *)self;

    guard_enter(s->guard);
    ChatPorts p = ports_of(s);
    int64_t before = first_due(s);
    Neighbour *n = meet(s, a, target->node);
    if (!n) {
        *ret = (SidecarNews){SIDECAR_UNREACHABLE, .message = "there are too many nodes"};
    } else {
        neighbour_locate(n, &p, &s->bearers, target);
        if (chat_want(&n->chat, &p, a, job))
            tell_news(a, &n->chat, ret);
        else
            *ret = (SidecarNews){
                SIDECAR_REFUSED, .message = "its id is none, or its parameters are too large"};
        plan(s, n);
    }
    leave(s, before);
}

static void want_probe(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarProbe *ret)
{
    Sidecars *s = (Sidecars *)self;

    *ret = (SidecarProbe){.health = PROBE_UNKNOWN};
    guard_enter(s->guard);
    ChatPorts p = ports_of(s);
    int64_t before = first_due(s);
    Neighbour *n = meet(s, a, target->node);
    if (n) {
        neighbour_locate(n, &p, &s->bearers, target);
        neighbour_want_health(n, &p, target->awaits_gate);
        ret->health = n->health.health;
        ret->message = str_copy(a, n->health.message.text);
        plan(s, n);
    }
    leave(s, before);
}

static void want_name(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarName *ret)
{
    Sidecars *s = (Sidecars *)self;

    *ret = (SidecarName){0};
    guard_enter(s->guard);
    ChatPorts p = ports_of(s);
    int64_t before = first_due(s);
    Neighbour *n = meet(s, a, target->node);
    if (n) {
        neighbour_locate(n, &p, &s->bearers, target);
        nametag_want(&n->nametag, &p);
        memcpy(ret->node_id, n->nametag.id, sizeof ret->node_id);
        ret->needs_token = nametag_needs_token(&n->nametag);
        plan(s, n);
    }
    leave(s, before);
}

static Neighbour *find(Sidecars *s, Key node)
{
    SCOPED_ARENA a = arena_open(1 << 10);

    return map_find(s->by_key, key_text(a, node));
}

static void want_rest(Sidecar *self, Key node)
{
    Sidecars *s = (Sidecars *)self;

    guard_enter(s->guard);
    ChatPorts p = ports_of(s);
    Neighbour *n = find(s, node);
    if (n) {
        chat_rest(&n->chat, &p);
        plan(s, n);
    }
    guard_leave(s->guard);
}

static void want_nothing(Sidecar *self, Key node)
{
    Sidecars *s = (Sidecars *)self;

    guard_enter(s->guard);
    Neighbour *n = find(s, node);
    bool flies = n && n->flight;
    if (flies) { /* only the attendant's thread may cancel */
        ChatPorts p = ports_of(s);
        n->is_forgotten = n->is_stale = true;
        chat_close(&n->chat, s->slab);
        n->chat = (Chat){0};
        health_move(&n->health, &p);
        n->health.is_wanted = false;
        n->nametag = (Nametag){0};
        plan(s, n);
    } else if (n) {
        discard(s, n);
    }
    guard_leave(s->guard);
    if (flies)
        http_wake(s->options.http);
}

/* --- flights -----------------------------------------------------------------------------------
 */

/* What changes the mind of whoever asks. */
typedef struct News {
    SidecarState state;
    bool submitted;
    ProbeHealth health;
    bool is_named, needs_token;
    uint64_t messages; /* a digest: the texts change under it */
} News;

static uint64_t digest(uint64_t seed, const char *text)
{
    for (; text && *text; text++)
        seed = (seed ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return seed * 31 + 7;
}

static News news_of(const Neighbour *n)
{
    bool has_task = n->chat.id[0];

    return (News){
        .state = has_task ? n->chat.state : SIDECAR_ASKED,
        .submitted = has_task && n->chat.submitted,
        .health = n->health.health,
        .is_named = n->nametag.id[0],
        .needs_token = nametag_needs_token(&n->nametag),
        .messages =
            digest(digest(1, has_task ? n->chat.message.text : NULL), n->health.message.text),
    };
}

static bool is_news(const News *left, const News *right)
{
    return left->state != right->state || left->submitted != right->submitted
        || left->health != right->health || left->is_named != right->is_named
        || left->needs_token != right->needs_token || left->messages != right->messages;
}

static Flight *free_flight(Sidecars *s)
{
    for (int i = 0; i < s->options.flights_max; i++)
        if (!s->flights[i].neighbour)
            return &s->flights[i];
    return NULL;
}

/* The flight is over: its neighbour can be asked again, and one that waits for it goes on. */
static Neighbour *come_back(Sidecars *s, Flight *f)
{
    Neighbour *n = f->neighbour;

    f->neighbour = NULL;
    n->flight = NULL;
    n->is_stale = false;
    s->figures.in_flight--;
    if (f->is_suspect) {
        s->suspects--;
        if (!link_is_alone(&s->parked))
            plan(s, link_owner(Neighbour, parked, s->parked.next));
    }
    return n;
}

static Reading read_answer(Arena *a, const Flight *f, const HttpAnswer *answer, const Err *why)
{
    if (why)
        return reading_of_silence(a, why);
    switch (f->errand) {
    case ERRAND_SUBMIT:
        return reading_of_submission(a, f->id, answer);
    case ERRAND_ASK:
        return reading_of_task(a, f->id, answer);
    case ERRAND_NAME:
        return reading_of_name(a, answer);
    default:
        return reading_of_health(a, answer);
    }
}

static void tell_counter(const Sidecars *s, Key node, const Flight *f, const Reading *reading)
{
    bool is_ready = reading->kind == READING_READY, is_unready = reading->kind == READING_NOT_READY;
    bool is_probe = f->errand == ERRAND_HEALTH;
    SidecarExchange exchange = {
        .node = node,
        .is_probe = is_probe,
        .health = is_ready ? PROBE_READY
            : is_unready   ? PROBE_NOT_READY
                           : PROBE_UNREACHABLE,
        .is_unanswered = is_probe ? !is_ready && !is_unready : reading->kind == READING_UNUSABLE,
    };

    if (s->options.heard)
        s->options.heard(s->options.counter, &exchange);
}

/* Tells a neighbour's part what came; true, with the node's key, when its news have changed. */
static bool take_in(Sidecars *s, Flight *f, const Reading *reading, Arena *a, Key *ret)
{
    ChatPorts p = ports_of(s);
    bool is_stale = f->neighbour->is_stale;
    Neighbour *n = come_back(s, f);

    if (reading->kind == READING_UNUSABLE || reading->kind == READING_UNAUTHORIZED)
        s->figures.failures++;
    if (n->is_forgotten) {
        discard(s, n);
        return false;
    }
    *ret = key_parse(a, n->key);
    News before = news_of(n);
    bool was_held = n->holds_news;
    if (!is_stale) {
        neighbour_hear(n, &p, f->errand, f->id, reading);
        tell_counter(s, *ret, f, reading);
    }
    News after = news_of(n);
    plan(s, n);
    return (was_held || is_news(&before, &after)) && !n->holds_news;
}

static void land(Flight *f, const HttpAnswer *answer, const Err *why)
{
    Sidecars *s = f->owner;
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    Key node = {0};
    Reading reading = read_answer(a, f, answer, why);

    guard_enter(s->guard);
    bool has_news = take_in(s, f, &reading, a, &node);
    guard_leave(s->guard);
    if (has_news && s->waker)
        s->waker->wake(s->waker, node);
}

static void on_end(HttpSink *self, const HttpAnswer *answer, const Err *why)
{
    land((Flight *)self, answer, why);
}

/* --- the attendant -----------------------------------------------------------------------------
 */

/* What the attendant's thread does next; everything is its own copy. */
typedef struct Departure {
    HttpId cancelled; /* or */
    Flight *flight;
    HttpCall call;
} Departure;

static HttpCall call_of(Arena *a, const Neighbour *n, Errand errand, const char *id)
{
    const char *base = pod_url(a, n->pod_ip.text, PROXY_PORT, "/v0");
    HttpCall call = {
        .method = errand == ERRAND_SUBMIT ? "POST" : "GET",
        .host = str_copy(a, n->host.text),
        /* Health is open to everybody, and asked of pods that may not be what they seem. */
        .bearer = n->bearer && errand != ERRAND_HEALTH ? str_copy(a, n->bearer->text) : NULL,
        .deadline_ms = errand == ERRAND_HEALTH ? SIDECAR_HEALTH_DEADLINE_MS : SIDECAR_DEADLINE_MS,
        .answer_max = SIDECAR_ANSWER_MAX,
    };

    call.url = errand == ERRAND_HEALTH ? str_format(a, "%s/healthz", base)
        : errand == ERRAND_NAME        ? str_format(a, "%s/node-id", base)
        : errand == ERRAND_SUBMIT      ? str_format(a, "%s/tasks", base)
                                       : str_format(a, "%s/tasks/%s", base, request_escape(a, id));
    if (errand == ERRAND_SUBMIT)
        call.body = bytes_of(str_copy(a, n->chat.body.text));
    return call;
}

static void board(Sidecars *s, Flight *f, Neighbour *n, Departure *ret)
{
    int64_t due;
    const char *id = NULL;
    Errand errand = neighbour_errand(n, &due, &id);

    f->neighbour = n;
    f->errand = errand;
    f->is_suspect = neighbour_is_suspect(n);
    snprintf(f->id, sizeof f->id, "%s", id ? id : "");
    n->flight = f;
    s->suspects += f->is_suspect ? 1 : 0;
    s->figures.in_flight++;
    s->figures.exchanges++;
    *ret = (Departure){.flight = f, .call = call_of(s->scratch, n, errand, id)};
    if (errand != ERRAND_HEALTH)
        chat_sent(&n->chat, errand);
    plan(s, n);
}

/* The next departure that is due; false when there is none. The guard is held. */
static bool next_departure(Sidecars *s, int64_t now_ms, Departure *ret)
{
    for (;;) {
        TimetableEntry *first = timetable_first(&s->timetable);
        if (!first || first->due_ms > now_ms)
            return false;
        Neighbour *n = link_owner(Neighbour, entry, first);
        if (n->flight) {
            *ret = (Departure){.cancelled = n->flight->http};
            come_back(s, n->flight);
            if (n->is_forgotten)
                discard(s, n);
            else
                plan(s, n);
            return true;
        }
        Flight *f = free_flight(s);
        if (!f)
            return false;
        if (!neighbour_is_suspect(n) || s->suspects < s->options.flights_max / 2) {
            board(s, f, n, ret);
            return true;
        }
        timetable_set(&s->timetable, &n->entry, INT64_MAX);
        link_insert_before(&s->parked, &n->parked);
    }
}

static void depart(Sidecars *s, const Departure *d)
{
    if (!d->flight) {
        http_cancel(s->options.http, d->cancelled);
        return;
    }
    Err *err =
        http_start(s->options.http, s->scratch, &d->call, &d->flight->sink, &d->flight->http);
    if (err)
        land(d->flight, NULL, err);
}

static int64_t step(Attendant *self)
{
    Sidecars *s = link_owner(Sidecars, attendant, self);
    Departure departure;

    for (;;) {
        guard_enter(s->guard);
        bool is_due = next_departure(s, clock_mono_ms(s->options.clock), &departure);
        bool is_full = s->figures.in_flight == s->options.flights_max;
        int64_t next = first_due(s);
        guard_leave(s->guard);
        if (!is_due)
            return is_full ? INT64_MAX : next; /* the end of a flight ends the poll */
        depart(s, &departure);
        arena_reset(s->scratch);
    }
}

static void bind(Attendant *self, Guard *guard, Waker *waker)
{
    Sidecars *s = link_owner(Sidecars, attendant, self);

    s->guard = guard;
    s->waker = waker;
}

/* --- opening and closing -----------------------------------------------------------------------
 */

Sidecars *sidecars_open(const SidecarsOptions *options)
{
    Arena *home = arena_open(SIDECARS_ARENA_MAX);
    Sidecars *s = arena_new(home, Sidecars);

    *s = (Sidecars){
        .port = {.task = want_task,
            .probe = want_probe,
            .name = want_name,
            .rest = want_rest,
            .forget = want_nothing},
        .attendant = {.controller = options->controller,
            .http = options->http,
            .bind = bind,
            .step = step},
        .options = *options,
        .guard = guard_none(),
        .home = home,
        .scratch = arena_open(SCRATCH_MAX),
        .slab = slab_open(),
        .by_key = map_open(SIDECARS_NODES_MAX),
    };
    if (!s->options.flights_max)
        s->options.flights_max = SIDECARS_FLIGHTS_MAX;
    s->figures.in_flight_max = s->options.flights_max;
    bearers_init(&s->bearers, s->slab, SIDECARS_NODES_MAX);
    timetable_init(&s->timetable, home, SIDECARS_NODES_MAX);
    link_init(&s->parked);
    for (size_t i = 0; i < SIDECARS_FLIGHTS_MAX; i++)
        s->flights[i] = (Flight){.sink = {.on_end = on_end}, .owner = s};
    return s;
}

void sidecars_close(Sidecars *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < SIDECARS_FLIGHTS_MAX; i++)
        if (s->flights[i].neighbour)
            http_cancel(s->options.http, s->flights[i].http);
    bearers_close(&s->bearers);
    map_close(s->by_key);
    slab_close(s->slab); /* and with it all neighbours */
    arena_close(s->scratch);
    arena_close(s->home);
}

Sidecar *sidecars_port(Sidecars *s)
{
    return &s->port;
}

Attendant *sidecars_attendant(Sidecars *s)
{
    return &s->attendant;
}

SidecarsFigures sidecars_figures(const Sidecars *s)
{
    guard_enter(s->guard);
    SidecarsFigures figures = s->figures;
    guard_leave(s->guard);
    return figures;
}
