/* The Api port in virtual time.
 *
 * A call is a flight: out to the server, and back with the answer. The caller's strand sleeps
 * meanwhile. A flight that has left does not depend on its caller: a process that was stopped, has
 * given up waiting or has died does not take its request back, and the server carries it out when
 * it arrives. Only then is the request copied; as long as the caller waits, it lives in the
 * caller's memory, and so does the answer. */
#include "base/str.h"
#include "sim/sim_transport.h"

#include <assert.h>

enum {
    DEADLINE_MS = 30000, /* the client's own */
    FLIGHT_ARENA_MAX = 64 << 20,
};

typedef struct SimApi {
    Api port; /* first, so that the port is this */
    SimTransport *transport;
    Arena *home;
} SimApi;

typedef enum FlightStage { FLIGHT_OUT, FLIGHT_BACK, FLIGHT_DONE } FlightStage;

typedef struct Flight {
    Arena *home; /* holds the flight, and the request of one that nobody waits for */
    Sim *sim;
    SimGuest guest; /* so that one in the air is closed with the simulation */
    Turn turn;
    FlightStage stage;
    const char *user;
    uint64_t number;
    Strand *caller; /* NULL: nobody waits */
    Arena *arena;   /* of the caller; else home */
    Request request;
    PortFault fault;
    Answer answer;
} Flight;

/* --- a flight --- */

static void close_flight(void *self)
{
    Flight *f = self;

    agenda_cancel(world_agenda(sim_world(f->sim)), &f->turn);
    sim_leave(&f->guest);
    arena_close(f->home);
}

static void carry_out(Flight *f)
{
    Server *server = world_server(sim_world(f->sim));
    const char *who = f->caller ? f->caller->name : "nobody waits";

    if (f->fault.kind != PORT_REFUSED)
        server_call(server, f->arena, f->user, &f->request, &f->answer);
    if (f->fault.kind == PORT_REFUSED || f->fault.kind == PORT_DISGUISED)
        f->answer = port_refusal(f->arena, &f->fault);
    trace_line(sim_trace(f->sim), who, "#%llu %d", (unsigned long long)f->number, f->answer.status);
}

static void land(Flight *f, int64_t now_ms)
{
    World *w = sim_world(f->sim);

    carry_out(f);
    f->stage = FLIGHT_BACK;
    world_notice(w);
    if (!f->caller)
        close_flight(f);
    else if (f->fault.kind == PORT_CRASH_AFTER)
        process_kill(f->caller->process); /* the caller, on its way out, lets go of the flight */
    else if (f->fault.kind != PORT_SILENT)
        agenda_plan(world_agenda(w), &f->turn, now_ms + sim_latency_ms(f->sim));
}

static void take_turn(void *self, int64_t now_ms)
{
    Flight *f = self;

    if (f->stage == FLIGHT_OUT) {
        land(f, now_ms);
        return;
    }
    f->stage = FLIGHT_DONE;
    strand_wake(f->caller);
}

static Flight *open_flight(SimApi *api, Arena *a, const PortCall *call, PortFault fault)
{
    Sim *sim = api->transport->sim;
    Arena *home = arena_open(FLIGHT_ARENA_MAX);
    Flight *f = arena_new(home, Flight);
    int64_t way = sim_latency_ms(sim) + (fault.kind == PORT_LATE ? fault.delay_ms : 0);

    *f = (Flight){
        .home = home,
        .sim = sim,
        .guest = {.self = f, .close = close_flight},
        .turn = {.take = take_turn, .self = f},
        .user = api->transport->user,
        .number = call->number,
        .caller = api->transport->process->running,
        .arena = a,
        .request = *call->request,
        .fault = fault,
    };
    sim_join(sim, &f->guest);
    World *w = sim_world(sim);
    agenda_plan(world_agenda(w), &f->turn, world_now_ms(w) + way);
    return f;
}

/* The caller goes on without the answer. */
static void abandon(Flight *f)
{
    if (f->stage != FLIGHT_OUT) {
        close_flight(f);
        return;
    }
    f->request = sim_request_copy(f->home, &f->request);
    f->caller = NULL;
    f->arena = f->home;
}

/* --- a call --- */

static Err *err_broken(Arena *a, const Request *request, bool sent, const char *what)
{
    Err *err = err_retry(a, "world %s", what);

    err->outcome_unknown = sent && request_is_write(request);
    return err_wrap(a, err, "%s", request_text(a, request));
}

/* Waits until the flight is back, the deadline has passed, or the process is dead. */
static void await(Strand *s, const Flight *f, int64_t deadline_ms)
{
    World *w = s->process->world;

    while (f->stage != FLIGHT_DONE && !s->process->killed && world_now_ms(w) < deadline_ms)
        strand_wait(s, deadline_ms);
}

static Err *fly(SimApi *api, Arena *a, const PortCall *call, PortFault fault, Answer *ret)
{
    Process *p = api->transport->process;
    const Request *request = call->request;
    int64_t patience = request->deadline_ms ? request->deadline_ms : DEADLINE_MS;
    int64_t deadline = world_now_ms(p->world) + patience;
    Flight *f = open_flight(api, a, call, fault);

    if (fault.kind == PORT_CRASH_SENT)
        process_kill(p);
    await(p->running, f, deadline);
    if (p->killed || f->stage != FLIGHT_DONE) {
        abandon(f);
        return p->killed ? sim_err_dead(a) : err_broken(a, request, true, "did not answer in time");
    }
    *ret = f->answer;
    close_flight(f);
    if (fault.kind == PORT_LOST || fault.kind == PORT_CUT)
        return err_broken(a, request, true, "closed the connection without an answer");
    return OK;
}

static Err *call(Api *port, Arena *a, const Request *request, const Json **ret)
{
    SimApi *api = (SimApi *)port;
    SimTransport *t = api->transport;
    Process *p = t->process;
    PortCall outgoing = {.request = request};
    const char *url;
    Answer answer = {0};

    assert(p->running && request->verb != VERB_WATCH);
    TRY(request_url(a, request, &url)); /* what the client would not send is not sent here */
    if (sim_lingers(t->sim))
        strand_wait(p->running, world_now_ms(p->world) + sim_latency_ms(t->sim));
    if (p->killed)
        return sim_err_dead(a);
    PortFault fault = sim_judge(t->sim, p->running, &outgoing);
    if (fault.kind == PORT_CRASH_BEFORE) {
        process_kill(p);
        return sim_err_dead(a);
    }
    if (fault.kind == PORT_UNSENT) {
        strand_wait(p->running, world_now_ms(p->world) + sim_latency_ms(t->sim));
        return err_broken(a, request, false, "refused the connection");
    }
    TRY(fly(api, a, &outgoing, fault, &answer));
    TRY(status_err(a, request, &answer));
    if (ret)
        *ret = answer.body;
    return OK;
}

Api *sim_api_open(Transport *self)
{
    Arena *home = arena_open(sizeof(SimApi));
    SimApi *api = arena_new(home, SimApi);

    *api = (SimApi){.port = {.call = call}, .transport = (SimTransport *)self, .home = home};
    return &api->port;
}

void sim_api_close(Transport *self, Api *port)
{
    (void)self;
    if (port)
        arena_close(((SimApi *)port)->home);
}
