/* Street: the machine of the sidecars between a scripted Http and a clock that stands still until
 * it is moved. Calls pile up until the test answers them. */
#ifndef TESTS_SEI_SIDECAR_STREET_H
#define TESTS_SEI_SIDECAR_STREET_H

#include "base/link.h"
#include "sei/sidecar/sidecars.h"
#include "tests/test.h"

enum { STREET_CALLS_MAX = 4096, STREET_OPEN_MAX = 256 };

/* A call that has no answer yet. */
typedef struct OpenCall {
    HttpId id; /* 0: free */
    HttpSink *sink;
    const char *text; /* "GET /v0/healthz" */
    const char *ip, *host, *bearer, *body;
    int64_t deadline_ms;
} OpenCall;

typedef struct Street {
    Http http; /* first, so that the port is this */
    Waker waker;
    Arena *arena;
    ManualClock clock;
    SeededRng rng;
    Sidecars *machine;
    Sidecar *port;
    OpenCall open[STREET_OPEN_MAX];
    int open_count, open_most;
    const char *sent; /* "POST /v0/tasks, GET ...": since it was last asked for */
    int calls, wakes, hurries, cancels;
    const char *woken;     /* the last one */
    SidecarExchange heard; /* the last exchange that was told to who counts */
    int heards;
    HttpId last_id;
    int64_t next_ms;     /* when the machine wants its next step */
    bool refuses_starts; /* http_start fails */
} Street;

static inline Err *street_start(
    Http *self, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret)
{
    Street *s = (Street *)self;
    const char *at = call->url + strlen("http://");
    const char *path = strchr(at, '/');
    OpenCall *open = s->open;

    s->calls++;
    if (s->refuses_starts)
        return err_retry(a, "no more sockets");
    while (open->id)
        open++;
    then_true(open < s->open + STREET_OPEN_MAX);
    *open = (OpenCall){
        .id = *ret = ++s->last_id,
        .sink = sink,
        .text = str_format(s->arena, "%s %s", call->method, path),
        .ip = str_slice(s->arena, at, (size_t)(path - at)),
        .host = str_copy(s->arena, call->host),
        .bearer = str_copy(s->arena, call->bearer),
        .body = str_slice(s->arena, call->body.data ? call->body.data : "", call->body.len),
        .deadline_ms = call->deadline_ms,
    };
    s->open_count++;
    s->open_most = s->open_count > s->open_most ? s->open_count : s->open_most;
    if (s->sent)
        s->sent = str_format(s->arena, "%s%s%s", s->sent, s->sent[0] ? ", " : "", open->text);
    return OK;
}

static inline void street_cancel(Http *self, HttpId id)
{
    Street *s = (Street *)self;

    for (OpenCall *open = s->open; open < s->open + STREET_OPEN_MAX; open++)
        if (open->id == id && id) {
            open->id = 0;
            s->open_count--;
            s->cancels++;
        }
}

static inline void street_hurry(Http *self)
{
    ((Street *)self)->hurries++;
}

static inline void street_wake(Waker *self, Key key)
{
    Street *s = link_owner(Street, waker, self);

    s->wakes++;
    s->woken = key_text(s->arena, key);
}

static inline void street_hear(void *counter, const SidecarExchange *exchange)
{
    Street *s = counter;

    s->heards++;
    s->heard = *exchange;
    s->heard.node = key_copy(s->arena, exchange->node);
}

/* So many exchanges at once; 0: as many as by default. */
static inline Street *street_open_with(int flights_max)
{
    Arena *arena = arena_open(256 << 20);
    Street *s = arena_new(arena, Street);

    s->arena = arena;
    s->http = (Http){.start = street_start, .cancel = street_cancel, .wake = street_hurry};
    s->waker.wake = street_wake;
    s->sent = "";
    clock_manual_init(&s->clock, 1000000000, 1700000000000000000);
    rng_seed(&s->rng, 6);
    s->machine = sidecars_open(&(SidecarsOptions){
        .http = &s->http,
        .clock = &s->clock.port,
        .rng = &s->rng.port,
        .flights_max = flights_max,
        .controller = "seinode",
        .heard = street_hear,
        .counter = s,
    });
    s->port = sidecars_port(s->machine);
    Attendant *attendant = sidecars_attendant(s->machine);
    attendant->bind(attendant, guard_none(), &s->waker);
    return s;
}

static inline Street *street_open(void)
{
    return street_open_with(0);
}

static inline void street_close(Street **s)
{
    sidecars_close((*s)->machine);
    then_int((*s)->open_count, 0); /* closing cancels what is on its way */
    arena_close((*s)->arena);
}
#define SCOPED_STREET __attribute__((cleanup(street_close))) Street *

static inline int64_t street_now(Street *s)
{
    return clock_mono_ms(&s->clock.port);
}

static inline void street_step(Street *s)
{
    Attendant *attendant = sidecars_attendant(s->machine);

    s->next_ms = attendant->step(attendant);
}

/* Lets time pass, stepping the machine whenever it wants to be. */
static inline void street_pass(Street *s, int64_t ms)
{
    int64_t until = street_now(s) + ms;

    street_step(s);
    while (s->next_ms <= until) {
        int64_t nap = s->next_ms - street_now(s);
        clock_manual_advance_ms(&s->clock, nap > 0 ? nap : 0);
        street_step(s);
    }
    clock_manual_advance_ms(&s->clock, until - street_now(s));
}

/* What was sent since the last time. */
static inline const char *street_sent(Street *s)
{
    const char *sent = s->sent;

    s->sent = "";
    return sent;
}

static inline int street_wakes(Street *s)
{
    int wakes = s->wakes;

    s->wakes = 0;
    return wakes;
}

/* The oldest call to an address ("10.0.0.1"; NULL: to anybody) that waits for its answer. */
static inline OpenCall *street_call(Street *s, const char *ip)
{
    OpenCall *oldest = NULL;

    for (OpenCall *open = s->open; open < s->open + STREET_OPEN_MAX; open++)
        if (open->id && (!ip || str_has_prefix(open->ip, ip)) && (!oldest || open->id < oldest->id))
            oldest = open;
    return oldest;
}

/* The machine has heard it, and has not made its next step. */
static inline void street_hear_end(
    Street *s, OpenCall *call, const HttpAnswer *answer, const Err *why)
{
    HttpSink *sink = call->sink;

    then_true(call->id != 0);
    call->id = 0;
    s->open_count--;
    sink->on_end(sink, answer, why);
}

static inline void street_end(Street *s, OpenCall *call, const HttpAnswer *answer, const Err *why)
{
    street_hear_end(s, call, answer, why);
    street_step(s);
}

/* Answers the oldest call. JSON when the body begins with a brace. */
static inline void street_answer(Street *s, int status, const char *body)
{
    OpenCall *call = street_call(s, NULL);

    then_true(call != NULL);
    street_end(s,
        call,
        &(HttpAnswer){
            .status = status,
            .content_type = !body[0]               ? NULL
                : body[0] == '{' || body[0] == '[' ? "application/json"
                                                   : "text/plain; charset=utf-8",
            .body = bytes_of(body),
        },
        NULL);
}

/* The oldest call gets none. */
static inline void street_silence(Street *s, bool may_have_arrived)
{
    OpenCall *call = street_call(s, NULL);
    Err why = {.class = ERR_RETRY, .message = "gone", .outcome_unknown = may_have_arrived};

    then_true(call != NULL);
    street_end(s, call, NULL, &why);
}

#endif
