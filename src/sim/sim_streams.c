/* The Streams port in virtual time: lists and watches as bytes that come in pieces.
 *
 * Lines of a watch leave the server's machine as soon as they are there and wait in the stream's
 * own buffer, the network; when they arrive, and in which pieces, is left to chance. A sink is
 * called from within poll only, so a stopped or slow process lets bytes pile up, until the server
 * loses patience and cuts the connection. */
#include "base/str.h"
#include "sim/sim_transport.h"

enum {
    STREAMS_MAX = 1024,
    STREAM_ARENA_MAX = 1 << 20,
    BACKLOG_MAX = 64 << 20,
};

typedef struct SimStreams {
    Streams port; /* first, so that the port is this */
    SimTransport *transport;
    Arena *home;
    SimGuest guest;
    Link live;
    Link idle;
    size_t count; /* of streams ever made */
    StreamId last_id;
    Strand *poller; /* who sleeps in poll, or NULL */
    bool woken;
    bool delivers; /* sinks are being called */
} SimStreams;

typedef struct SimStream {
    Link link;
    SimStreams *owner;
    Arena *arena; /* of the request and of `why` */
    StreamId id;
    StreamSink *sink; /* NULL: cancelled */
    Request request;
    PortFault fault;
    uint64_t number;
    Turn turn;
    int64_t deadline_ms; /* when the client gives up; INT64_MAX for never */
    int64_t ends_ms;     /* when the server ends a watch */
    ServerWatch *watch;
    Buf out;         /* on its way */
    int64_t arrived; /* bytes that the sink has had */
    int status;
    int64_t retry_after_ms;
    Err *why;      /* of an end that is not in order */
    bool answered; /* the request has reached the server */
    bool headed;   /* the sink knows the status */
    bool is_whole; /* nothing is added to `out` any more */
    bool is_ready; /* its turn has come: the next poll delivers */
    bool is_over;  /* the sink has heard the end, or was cancelled */
} SimStream;

static World *world_of(const SimStream *s)
{
    return sim_world(s->owner->transport->sim);
}

static void plan(SimStream *s, int64_t due_ms)
{
    int64_t due = due_ms < s->deadline_ms ? due_ms : s->deadline_ms;

    if (due != INT64_MAX)
        agenda_hasten(world_agenda(world_of(s)), &s->turn, due);
}

static void plan_arrival(SimStream *s, int64_t now_ms)
{
    Sim *sim = s->owner->transport->sim;

    plan(s, now_ms + (s->watch ? sim_lag_ms(sim) : sim_latency_ms(sim)));
}

static void break_off(SimStream *s, const char *what)
{
    if (!s->why)
        s->why = err_retry(s->arena, "world %s", what);
    s->is_whole = true;
}

/* --- at the server --- */

static void append(SimStream *s, Bytes bytes)
{
    if (!buf_append(&s->out, bytes.data, bytes.len))
        break_off(s, "does not wait for a reader that is so slow");
}

/* Takes over what the server's watch has. */
static void pull(SimStream *s, int64_t now_ms)
{
    Arena *a = sim_scratch(s->owner->transport->sim);
    size_t before = s->out.len;
    Bytes line;
    bool ended = false;

    while (s->watch && !s->is_whole && server_next_event(s->watch, a, &line, &ended)) {
        append(s, line);
        s->is_whole = s->is_whole || ended;
    }
    s->is_whole = s->is_whole || ended;
    arena_reset(a);
    if (s->headed && (s->out.len > before || ended))
        plan_arrival(s, now_ms);
}

static void refuse(SimStream *s, Arena *a, const Answer *answer)
{
    s->status = answer->status;
    s->retry_after_ms = answer->retry_after_ms;
    append(s, json_write(a, answer->body));
    s->is_whole = true;
}

static void carry_out(SimStream *s, Arena *a, int64_t now_ms)
{
    SimTransport *t = s->owner->transport;
    Server *server = world_server(sim_world(t->sim));
    Answer answer = {0};

    if (s->fault.kind == PORT_REFUSED || s->fault.kind == PORT_DISGUISED) {
        answer = port_refusal(a, &s->fault);
    } else if (s->request.verb == VERB_WATCH) {
        s->watch = server_open_watch(server, a, &s->request, &answer);
        s->status = 200;
        if (s->request.timeout_seconds > 0)
            s->ends_ms = now_ms + s->request.timeout_seconds * 1000;
    } else {
        server_call(server, a, t->user, &s->request, &answer);
    }
    if (!s->watch)
        refuse(s, a, &answer);
}

/* The request reaches the server. */
static void land(SimStream *s, int64_t now_ms)
{
    SimTransport *t = s->owner->transport;
    Arena *a = sim_scratch(t->sim);

    s->answered = true;
    carry_out(s, a, now_ms);
    arena_reset(a);
    trace_line(
        sim_trace(t->sim), t->process->name, "#%llu %d", (unsigned long long)s->number, s->status);
    if (s->fault.kind == PORT_LOST)
        break_off(s, "closed the connection without an answer");
    pull(s, now_ms);
    if (s->fault.kind == PORT_CRASH_AFTER)
        process_kill(t->process);
    else
        plan_arrival(s, now_ms);
}

static void take_turn(void *self, int64_t now_ms)
{
    SimStream *s = self;

    if (now_ms >= s->deadline_ms)
        break_off(s, "did not end its answer in time");
    else if (!s->answered && !s->why) {
        land(s, now_ms);
        return;
    }
    s->is_ready = true;
    if (s->owner->poller)
        strand_wake(s->owner->poller);
}

static void notice(void *self, int64_t now_ms)
{
    SimStreams *all = self;

    for (Link *link = all->live.next; link != &all->live; link = link->next) {
        SimStream *s = link_owner(SimStream, link, link);
        if (s->watch)
            pull(s, now_ms);
    }
}

/* --- at the sink --- */

/* How many of the waiting bytes arrive now: mostly all, sometimes a part. */
static size_t piece_of(const SimStream *s)
{
    Rng *rng = sim_rng(s->owner->transport->sim);
    bool bounded = s->fault.kind == PORT_SILENT || s->fault.kind == PORT_CUT;
    size_t len = s->out.len;

    if (len > 1 && rng_below(rng, 4) == 0)
        len = 1 + (size_t)rng_below(rng, len);
    if (bounded && s->arrived + (int64_t)len > s->fault.bytes)
        len = (size_t)(s->fault.bytes > s->arrived ? s->fault.bytes - s->arrived : 0);
    return len;
}

static void deliver_bytes(SimStream *s)
{
    size_t len = piece_of(s);

    s->arrived += (int64_t)len;
    if (len > 0)
        s->sink->on_bytes(s->sink, s->out.data, len);
    buf_consume(&s->out, len);
}

/* The connection has come to the byte where the judge lets it fail. */
static bool is_struck(const SimStream *s, PortFaultKind kind)
{
    return s->fault.kind == kind && s->headed && s->arrived >= s->fault.bytes;
}

static void deliver_end(SimStream *s)
{
    StreamSink *sink = s->sink;

    s->is_over = true;
    s->sink = NULL;
    sink->on_end(sink, s->why);
}

static void deliver(SimStream *s, int64_t now_ms)
{
    s->is_ready = false;
    if (s->why) {
        deliver_end(s);
        return;
    }
    if (!s->headed)
        s->sink->on_head(s->sink, s->status, s->retry_after_ms);
    s->headed = true;
    if (s->sink)
        deliver_bytes(s);
    if (!s->sink)
        return;
    if (is_struck(s, PORT_SILENT)) {
        plan(s, INT64_MAX);
        return;
    }
    if (is_struck(s, PORT_CUT))
        break_off(s, "broke the connection");
    if (s->why || (s->out.len == 0 && (s->is_whole || now_ms >= s->ends_ms)))
        deliver_end(s);
    else if (s->out.len > 0)
        plan_arrival(s, now_ms);
    else
        plan(s, s->ends_ms);
}

/* --- streams come and go --- */

static void retire(SimStream *s)
{
    agenda_cancel(world_agenda(world_of(s)), &s->turn);
    if (s->watch)
        server_close_watch(s->watch);
    buf_close(&s->out);
    arena_reset(s->arena);
    link_remove(&s->link);
    link_insert_before(&s->owner->idle, &s->link);
    *s = (SimStream){.link = s->link, .owner = s->owner, .arena = s->arena, .is_over = true};
}

static SimStream *take_stream(SimStreams *all)
{
    SimStream *s;

    if (!link_is_alone(&all->idle)) {
        s = link_owner(SimStream, link, all->idle.next);
        link_remove(&s->link);
        return s;
    }
    if (all->count == STREAMS_MAX)
        return NULL;
    all->count++;
    s = arena_new(all->home, SimStream);
    link_init(&s->link);
    s->owner = all;
    s->arena = arena_open(STREAM_ARENA_MAX);
    return s;
}

static void depart(SimStream *s, const PortCall *call)
{
    World *w = world_of(s);
    int64_t now = world_now_ms(w), patience = s->request.deadline_ms;
    int64_t way = sim_latency_ms(s->owner->transport->sim);

    s->number = call->number;
    s->turn = (Turn){.take = take_turn, .self = s};
    s->out.ceiling = BACKLOG_MAX;
    s->ends_ms = INT64_MAX;
    s->deadline_ms = patience > 0 ? now + patience : INT64_MAX;
    if (s->fault.kind == PORT_UNSENT)
        break_off(s, "refused the connection");
    plan(s, now + way + (s->fault.kind == PORT_LATE ? s->fault.delay_ms : 0));
}

static Err *start(Streams *port, Arena *a, const Request *request, StreamSink *sink, StreamId *ret)
{
    SimStreams *all = (SimStreams *)port;
    SimTransport *t = all->transport;
    PortCall call = {.request = request, .is_stream = true};
    const char *url;

    if (t->process->killed)
        return sim_err_dead(a);
    TRY(request_url(a, request, &url));
    SimStream *s = take_stream(all);
    if (!s)
        return err_terminal(a, "more than %d streams at once", STREAMS_MAX);
    PortFault fault = sim_judge(t->sim, t->process->running, &call);
    *s = (SimStream){.link = s->link, .owner = all, .arena = s->arena, .sink = sink};
    link_insert_before(&all->live, &s->link);
    s->request = sim_request_copy(s->arena, request);
    s->fault = fault;
    s->id = *ret = ++all->last_id;
    if (fault.kind == PORT_CRASH_BEFORE || fault.kind == PORT_CRASH_SENT)
        process_kill(t->process); /* a list or watch that arrives changes nothing */
    else
        depart(s, &call);
    return OK;
}

static void retire_ended(SimStreams *all)
{
    for (Link *link = all->live.next, *next; link != &all->live; link = next) {
        SimStream *s = link_owner(SimStream, link, link);
        next = link->next;
        if (s->is_over)
            retire(s);
    }
}

static void cancel(Streams *port, StreamId id)
{
    SimStreams *all = (SimStreams *)port;

    for (Link *link = all->live.next; link != &all->live; link = link->next) {
        SimStream *s = link_owner(SimStream, link, link);
        if (s->id != id || s->is_over)
            continue;
        s->sink = NULL;
        s->is_over = true;
        break;
    }
    if (!all->delivers)
        retire_ended(all);
}

/* --- poll --- */

static bool deliver_ready(SimStreams *all, int64_t now_ms)
{
    bool happened = false;

    all->delivers = true;
    for (Link *link = all->live.next; link != &all->live; link = link->next) {
        SimStream *s = link_owner(SimStream, link, link);
        if (!s->is_ready || s->is_over)
            continue;
        deliver(s, now_ms);
        happened = true;
    }
    all->delivers = false;
    retire_ended(all);
    return happened;
}

static Err *poll(Streams *port, Arena *a, int64_t timeout_ms)
{
    SimStreams *all = (SimStreams *)port;
    Process *p = all->transport->process;

    if (p->killed)
        return sim_err_dead(a);
    if (!deliver_ready(all, world_now_ms(p->world)) && !all->woken && timeout_ms > 0) {
        all->poller = p->running;
        strand_wait(p->running, world_now_ms(p->world) + timeout_ms);
        all->poller = NULL;
        if (!p->killed)
            deliver_ready(all, world_now_ms(p->world));
    }
    all->woken = false;
    return OK;
}

static void wake(Streams *port)
{
    SimStreams *all = (SimStreams *)port;

    all->woken = true;
    if (all->poller)
        strand_wake(all->poller);
}

bool sim_streams_are_quiet(const Streams *port)
{
    const SimStreams *all = (const SimStreams *)port;

    for (const Link *link = all->live.next; link != &all->live; link = link->next) {
        const SimStream *s = link_owner(SimStream, link, link);
        if (!s->headed || s->out.len > 0 || s->is_whole)
            return false;
    }
    return true;
}

/* --- open and close --- */

Streams *sim_streams_open(Transport *self)
{
    Arena *home = arena_open(STREAMS_MAX * sizeof(SimStream) + sizeof(SimStreams));
    SimStreams *all = arena_new(home, SimStreams);

    *all = (SimStreams){
        .port = {.start = start, .cancel = cancel, .poll = poll, .wake = wake},
        .transport = (SimTransport *)self,
        .home = home,
        .guest = {.self = all, .changed = notice},
    };
    link_init(&all->live);
    link_init(&all->idle);
    sim_join(all->transport->sim, &all->guest);
    return &all->port;
}

void sim_streams_close(Transport *self, Streams *port)
{
    SimStreams *all = (SimStreams *)port;

    (void)self;
    if (!port)
        return;
    sim_leave(&all->guest);
    while (!link_is_alone(&all->live))
        retire(link_owner(SimStream, link, all->live.next));
    while (!link_is_alone(&all->idle)) {
        SimStream *s = link_owner(SimStream, link, all->idle.next);
        link_remove(&s->link);
        arena_close(s->arena);
    }
    arena_close(all->home);
}
