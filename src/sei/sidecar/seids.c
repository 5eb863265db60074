/* Seids: queries, the requests under way, and what is asked next. The guard is never held across a
 * call of Http or of the waker. */
#include "sei/sidecar/seids.h"

#include "base/link.h"
#include "base/map.h"
#include "base/slab.h"
#include "base/str.h"
#include "sei/api/ports.h"
#include "sei/sidecar/pod_url.h"
#include "sei/sidecar/seid_query.h"

enum { SEIDS_ARENA_MAX = 2 << 20, SCRATCH_MAX = 16 << 20 };

/* A request under way. */
struct SeidFlight {
    HttpSink sink; /* first, so that the sink is this */
    Seids *owner;
    SeidQuery *query; /* NULL: free */
    HttpId http;
    bool is_suspect;
};

struct Seids {
    Attendant attendant;
    SeidsOptions options;
    Guard *guard;
    Waker *waker; /* NULL: not bound yet */
    Arena *home;
    Arena *scratch; /* of the attendant's thread alone */

    /* Under the guard. */
    Slab *slab;
    Map *by_key;
    Timetable answering, suspect; /* by what the last request of each query brought */
    SeidFlight flights[SEIDS_FLIGHTS_MAX];
    int suspects; /* of the flights */
    SeidsFigures figures;
};

static SeidPorts ports_of(const Seids *s)
{
    return (SeidPorts){
        .slab = s->slab,
        .rng = s->options.rng,
        .now_ms = clock_mono_ms(s->options.clock),
    };
}

/* --- queries come and go */

/* Puts a query where it belongs after something has changed. */
static void plan(Seids *s, SeidQuery *q)
{
    Timetable *timetable = seid_query_is_suspect(q) ? &s->suspect : &s->answering;

    if (q->timetable && q->timetable != timetable)
        timetable_set(q->timetable, &q->entry, INT64_MAX);
    q->timetable = timetable;
    timetable_set(timetable, &q->entry, seid_query_due_ms(q));
}

static void discard(Seids *s, SeidQuery *q)
{
    if (q->timetable)
        timetable_set(q->timetable, &q->entry, INT64_MAX);
    map_remove(s->by_key, q->key);
    seid_query_close(q, s->slab);
    s->figures.nodes = map_count(s->by_key);
}

/* The query of a node, made at its first mention; NULL when there are too many. */
static SeidQuery *meet(Seids *s, const char *key)
{
    SeidQuery *q = map_find(s->by_key, key);

    if (!q) {
        q = seid_query_make(s->slab, key);
        if (!map_put(s->by_key, q->key, q)) {
            seid_query_close(q, s->slab);
            return NULL;
        }
        s->figures.nodes = map_count(s->by_key);
    }
    q->is_forgotten = false;
    return q;
}

/* --- when the next one is asked */

static int64_t first_due_ms(const Timetable *t)
{
    const TimetableEntry *first = timetable_first(t);

    return first ? first->due_ms : INT64_MAX;
}

static bool may_ask_suspects(const Seids *s)
{
    return s->suspects < (s->options.flights_max + 1) / 2;
}

/* When the next request may begin; INT64_MAX: not before one has ended. */
static int64_t next_ms(const Seids *s)
{
    int64_t answering_ms = first_due_ms(&s->answering);
    int64_t suspect_ms = may_ask_suspects(s) ? first_due_ms(&s->suspect) : INT64_MAX;

    if (s->figures.in_flight == s->options.flights_max)
        return INT64_MAX;
    return answering_ms < suspect_ms ? answering_ms : suspect_ms;
}

/* --- what workers want */

void seids_ask(Seids *s, Arena *a, const SeidTarget *target, SeidAnswer *ret)
{
    const char *key = key_text(a, target->node);
    bool is_earlier = false;

    *ret = (SeidAnswer){.trouble = "the operator asks too many nodes already"};
    guard_enter(s->guard);
    SeidPorts p = ports_of(s);
    int64_t before_ms = next_ms(s);
    SeidQuery *q = meet(s, key);
    if (q) {
        seid_query_locate(q, &p, target);
        plan(s, q);
        is_earlier = next_ms(s) < before_ms;
        *ret = (SeidAnswer){
            .chain_id = str_copy(a, q->chain_id.text),
            .trouble = str_copy(a, q->trouble.text),
        };
    }
    guard_leave(s->guard);
    if (is_earlier)
        http_wake(s->options.http);
}

void seids_forget(Seids *s, Key node)
{
    SCOPED_ARENA a = arena_open(1 << 12);

    guard_enter(s->guard);
    SeidQuery *q = map_find(s->by_key, key_text(a, node));
    if (q && q->flight) {
        q->is_forgotten = true;
        plan(s, q);
    } else if (q) {
        discard(s, q);
    }
    guard_leave(s->guard);
}

/* --- requests */

static SeidFlight *free_flight(Seids *s)
{
    for (int i = 0; i < s->options.flights_max; i++)
        if (!s->flights[i].query)
            return &s->flights[i];
    return NULL;
}

/* The request has ended. True, with the node: that is to be enqueued. */
static bool take_in(Seids *s, SeidFlight *f, const SeidStatus *status, Arena *a, Key *ret)
{
    SeidPorts p = ports_of(s);
    SeidQuery *q = f->query;
    bool has_news = false, is_stale = q->is_stale;

    f->query = NULL;
    q->flight = NULL;
    q->is_stale = false;
    s->figures.in_flight--;
    s->suspects -= f->is_suspect ? 1 : 0;
    if (q->is_forgotten) {
        discard(s, q);
        return false;
    }
    *ret = key_parse(a, q->key);
    if (!is_stale)
        has_news = seid_query_hear(q, &p, status);
    plan(s, q);
    return has_news;
}

static void land(SeidFlight *f, const HttpAnswer *answer, const Err *why)
{
    Seids *s = f->owner;
    SCOPED_ARENA a = arena_open(SCRATCH_MAX);
    SeidStatus status = answer ? seid_status_read(a, answer) : seid_status_of_silence(a, why);
    Key node = {0};

    guard_enter(s->guard);
    bool has_news = take_in(s, f, &status, a, &node);
    guard_leave(s->guard);
    if (has_news && s->waker)
        s->waker->wake(s->waker, node);
}

static void on_end(HttpSink *self, const HttpAnswer *answer, const Err *why)
{
    land((SeidFlight *)self, answer, why);
}

/* --- the attendant */

/* The query that is asked now, or NULL. Those that answered last time go first. */
static SeidQuery *next_query(const Seids *s, int64_t now_ms)
{
    if (next_ms(s) > now_ms)
        return NULL;
    const Timetable *timetable =
        first_due_ms(&s->answering) <= now_ms ? &s->answering : &s->suspect;
    return link_owner(SeidQuery, entry, timetable_first(timetable));
}

/* A copy of everything that the request needs: a worker may move the query meanwhile. */
static HttpCall board(Seids *s, SeidQuery *q, SeidFlight *f)
{
    f->query = q;
    f->is_suspect = seid_query_is_suspect(q);
    q->flight = f;
    s->suspects += f->is_suspect ? 1 : 0;
    s->figures.in_flight++;
    s->figures.requests++;
    plan(s, q);
    return (HttpCall){
        .method = "GET",
        .url = pod_url(s->scratch, q->pod_ip.text, RPC_PORT, "/status"),
        .deadline_ms = SEID_DEADLINE_MS,
        .answer_max = SEID_ANSWER_MAX,
    };
}

static int64_t step(Attendant *self)
{
    Seids *s = link_owner(Seids, attendant, self);

    for (;;) {
        HttpCall call;
        SeidFlight *f = NULL;

        guard_enter(s->guard);
        SeidQuery *q = next_query(s, clock_mono_ms(s->options.clock));
        int64_t next = next_ms(s);
        if (q) {
            f = free_flight(s);
            call = board(s, q, f);
        }
        guard_leave(s->guard);
        if (!q)
            return next;
        Err *err = http_start(s->options.http, s->scratch, &call, &f->sink, &f->http);
        if (err)
            land(f, NULL, err);
        arena_reset(s->scratch);
    }
}

static void bind(Attendant *self, Guard *guard, Waker *waker)
{
    Seids *s = link_owner(Seids, attendant, self);

    s->guard = guard;
    s->waker = waker;
}

/* --- opening and closing */

Seids *seids_open(const SeidsOptions *options)
{
    Arena *home = arena_open(SEIDS_ARENA_MAX);
    Seids *s = arena_new(home, Seids);

    *s = (Seids){
        .attendant = {.http = options->http, .bind = bind, .step = step},
        .options = *options,
        .guard = guard_none(),
        .home = home,
        .scratch = arena_open(SCRATCH_MAX),
        .slab = slab_open(),
        .by_key = map_open(SEIDS_NODES_MAX),
    };
    if (!s->options.flights_max)
        s->options.flights_max = SEIDS_FLIGHTS_MAX;
    timetable_init(&s->answering, home, SEIDS_NODES_MAX);
    timetable_init(&s->suspect, home, SEIDS_NODES_MAX);
    for (size_t i = 0; i < SEIDS_FLIGHTS_MAX; i++)
        s->flights[i] = (SeidFlight){.sink = {.on_end = on_end}, .owner = s};
    return s;
}

void seids_close(Seids *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < SEIDS_FLIGHTS_MAX; i++)
        if (s->flights[i].query)
            http_cancel(s->options.http, s->flights[i].http);
    map_close(s->by_key);
    slab_close(s->slab); /* and with it all queries */
    arena_close(s->scratch);
    arena_close(s->home);
}

Attendant *seids_attendant(Seids *s)
{
    return &s->attendant;
}

SeidsFigures seids_figures(const Seids *s)
{
    guard_enter(s->guard);
    SeidsFigures figures = s->figures;
    guard_leave(s->guard);
    return figures;
}
