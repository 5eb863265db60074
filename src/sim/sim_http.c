/* The Http port in virtual time.
 *
 * An exchange is a flight: out to the pod, and back with the answer. A flight that has left does
 * not depend on its sender: who has cancelled, given up waiting or died does not take the request
 * back, and the sidecar carries it out when it arrives. Sinks are called from within poll only. */
#include "sim/sim_http.h"

#include "base/str.h"
#include "sim/sim_transport.h"
#include "world/kubelet.h"

#include <assert.h>
#include <string.h>

enum { FLIGHT_ARENA_MAX = 64 << 20 };

typedef struct SimHttp {
    Http port; /* first, so that the port is this */
    Sim *sim;
    Process *process;
    Arena *home;
    Link flights;
    size_t count;
    HttpId last_id;
    Strand *poller; /* who sleeps in poll, or NULL */
    bool woken;
} SimHttp;

typedef struct Flight {
    Arena *arena; /* holds the flight and what it carries */
    Sim *sim;
    SimGuest guest; /* so that one in the air is closed with the simulation */
    Link link;
    SimHttp *owner; /* NULL: nobody waits for the answer */
    HttpId id;
    HttpSink *sink;
    uint64_t number;
    HttpCall call;
    PortFault fault;
    Turn turn;           /* it lands, and then the answer is back */
    int64_t deadline_ms; /* when the sender gives up */
    bool landed, is_back;
    SidecarAnswer answer;
    Err *why;
} Flight;

/* --- a flight ----------------------------------------------------------------------------------
 */

static void close_flight(void *self)
{
    Flight *f = self;

    agenda_cancel(world_agenda(sim_world(f->sim)), &f->turn);
    sim_leave(&f->guest);
    link_remove(&f->link);
    if (f->owner)
        f->owner->count--;
    arena_close(f->arena);
}

/* The sender goes on without the answer. */
static void abandon(Flight *f)
{
    if (f->landed || f->why) {
        close_flight(f);
        return;
    }
    assert(f->owner);
    f->owner->count--;
    link_remove(&f->link);
    f->owner = NULL;
    f->sink = NULL;
}

static void break_off(Flight *f, bool arrived, const char *what)
{
    f->why = err_retry(f->arena, "%s %s", f->call.url, what);
    f->why->outcome_unknown = arrived;
}

/* Splits "http://address:8443/target"; false when it is another kind of URL. */
static bool locate(Flight *f, PodEndpoint *ret_endpoint, const char **ret_target)
{
    static const char scheme[] = "http://";
    const char *at = f->call.url + strlen(scheme);
    size_t len = strcspn(at, ":/");
    int64_t port = 0;

    if (!str_has_prefix(f->call.url, scheme) || at[len] != ':')
        return false;
    ret_endpoint->address = str_slice(f->arena, at, len);
    at += len + 1;
    len = strcspn(at, "/");
    *ret_target = at[len] ? at + len : "/";
    if (!str_to_int(str_slice(f->arena, at, len), &port) || port < 0 || port > UINT16_MAX)
        return false;
    ret_endpoint->port = (int)port;
    return true;
}

static void ask(Flight *f, int64_t now_ms)
{
    World *w = sim_world(f->sim);
    Kubelet *kubelet = sim_kubelet(f->sim);
    PodEndpoint endpoint;
    const char *target;

    f->answer = (SidecarAnswer){.fate = FATE_REFUSED};
    if (!kubelet || !locate(f, &endpoint, &target))
        return;
    kubelet_ask(kubelet,
        f->arena,
        &endpoint,
        &(SidecarRequest){
            .method = f->call.method,
            .target = target,
            .token = f->call.bearer,
            .body = f->call.body,
            .now_ms = now_ms,
        },
        &f->answer);
    world_wake(w, kubelet_actor(kubelet));
}

static void disguise(Flight *f)
{
    f->answer = (SidecarAnswer){
        .fate = FATE_ANSWERED,
        .status = f->fault.status,
        .content_type = "text/plain; charset=utf-8",
        .body = bytes_of("a policy of the day\n"),
    };
}

static void carry_out(Flight *f, int64_t now_ms)
{
    const char *who = f->owner ? f->owner->process->name : "nobody waits";

    if (f->fault.kind != PORT_REFUSED)
        ask(f, now_ms);
    if (f->fault.kind == PORT_REFUSED || f->fault.kind == PORT_DISGUISED)
        disguise(f);
    trace_line(sim_trace(f->sim),
        who,
        "#%llu %s %d",
        (unsigned long long)f->number,
        f->answer.fate == FATE_ANSWERED      ? "answers"
            : f->answer.fate == FATE_REFUSED ? "is not there"
                                             : "hangs",
        f->answer.status);
}

/* What the sender will see of it. */
static void judge_answer(Flight *f)
{
    if (f->answer.fate == FATE_REFUSED)
        break_off(f, false, "refused the connection");
    else if (f->fault.kind == PORT_LOST || f->fault.kind == PORT_CUT)
        break_off(f, true, "closed the connection without an answer");
    else if (f->answer.body.len > f->call.answer_max)
        break_off(f, true, "answers with more than is allowed");
}

static void plan(Flight *f, int64_t due_ms)
{
    agenda_plan(world_agenda(sim_world(f->sim)),
        &f->turn,
        due_ms < f->deadline_ms || !f->landed ? due_ms : f->deadline_ms);
}

static void land(Flight *f, int64_t now_ms)
{
    f->landed = true;
    carry_out(f, now_ms);
    world_notice(sim_world(f->sim));
    if (!f->owner) {
        close_flight(f);
        return;
    }
    if (f->fault.kind == PORT_CRASH_AFTER) {
        process_kill(f->owner->process); /* closing the port, it lets go of the flight */
        return;
    }
    judge_answer(f);
    bool silent = f->answer.fate == FATE_HANGS || f->fault.kind == PORT_SILENT;
    plan(f,
        silent && !f->why ? f->deadline_ms : now_ms + f->answer.delay_ms + sim_latency_ms(f->sim));
}

static void take_turn(void *self, int64_t now_ms)
{
    Flight *f = self;

    if (!f->landed && !f->why) {
        land(f, now_ms);
        return;
    }
    f->is_back = true;
    if (f->owner && f->owner->poller)
        strand_wake(f->owner->poller);
}

/* --- the port ----------------------------------------------------------------------------------
 */

static void depart(Flight *f)
{
    int64_t now = world_now_ms(sim_world(f->sim));

    f->turn = (Turn){.take = take_turn, .self = f};
    f->deadline_ms = now + f->call.deadline_ms;
    if (f->fault.kind == PORT_UNSENT)
        break_off(f, false, "refused the connection");
    plan(f, now + sim_latency_ms(f->sim) + (f->fault.kind == PORT_LATE ? f->fault.delay_ms : 0));
}

static HttpCall copy_call(Arena *a, const HttpCall *call)
{
    HttpCall copy = *call;

    copy.method = str_copy(a, call->method);
    copy.url = str_copy(a, call->url);
    copy.host = str_copy(a, call->host);
    copy.bearer = str_copy(a, call->bearer);
    copy.body = (Bytes){str_slice(a, call->body.data, call->body.len), call->body.len};
    return copy;
}

static Err *start(Http *port, Arena *a, const HttpCall *call, HttpSink *sink, HttpId *ret)
{
    SimHttp *h = (SimHttp *)port;
    PortCall outgoing = {.http = call};

    if (h->process->killed)
        return sim_err_dead(a);
    if (h->count == SIM_HTTP_FLIGHTS_MAX)
        return err_terminal(a, "more than %d exchanges at once", SIM_HTTP_FLIGHTS_MAX);
    PortFault fault = sim_judge(h->sim, h->process->running, &outgoing);
    if (fault.kind == PORT_CRASH_BEFORE) {
        process_kill(h->process);
        return sim_err_dead(a);
    }
    Arena *arena = arena_open(FLIGHT_ARENA_MAX);
    Flight *f = arena_new(arena, Flight);
    *f = (Flight){
        .arena = arena,
        .sim = h->sim,
        .guest = {.self = f, .close = close_flight},
        .owner = h,
        .id = ++h->last_id,
        .sink = sink,
        .number = outgoing.number,
        .call = copy_call(arena, call),
        .fault = fault,
    };
    link_init(&f->link);
    link_insert_before(&h->flights, &f->link);
    h->count++;
    sim_join(h->sim, &f->guest);
    *ret = f->id;
    depart(f);
    if (fault.kind == PORT_CRASH_SENT)
        process_kill(h->process);
    return OK;
}

static void cancel(Http *port, HttpId id)
{
    SimHttp *h = (SimHttp *)port;

    for (Link *link = h->flights.next; link != &h->flights; link = link->next) {
        Flight *f = link_owner(Flight, link, link);
        if (f->id != id)
            continue;
        abandon(f);
        return;
    }
}

static void deliver(Flight *f, int64_t now_ms)
{
    HttpSink *sink = f->sink;
    HttpAnswer answer = {f->answer.status, f->answer.content_type, f->answer.body};

    if (!f->why && (now_ms >= f->deadline_ms || f->answer.fate != FATE_ANSWERED))
        break_off(f, true, "did not answer in time");
    sink->on_end(sink, f->why ? NULL : &answer, f->why);
}

/* Tells the first sink that is to be told; false when there is none. A sink may start and cancel,
 * so that the list is looked at anew each time. */
static bool deliver_one(SimHttp *h, int64_t now_ms)
{
    for (Link *link = h->flights.next; link != &h->flights; link = link->next) {
        Flight *f = link_owner(Flight, link, link);
        if (!f->is_back && now_ms < f->deadline_ms)
            continue;
        link_remove(&f->link);
        deliver(f, now_ms);
        bool may_land = !f->landed && !f->is_back;
        f->why = may_land ? NULL : f->why;
        abandon(f);
        return true;
    }
    return false;
}

static bool deliver_all(SimHttp *h)
{
    bool happened = false;

    while (deliver_one(h, world_now_ms(h->process->world)))
        happened = true;
    return happened;
}

/* When the first sender would give up. */
static int64_t first_deadline(const SimHttp *h)
{
    int64_t first = INT64_MAX;

    for (const Link *link = h->flights.next; link != &h->flights; link = link->next) {
        const Flight *f = link_owner(Flight, link, link);
        first = f->deadline_ms < first ? f->deadline_ms : first;
    }
    return first;
}

static Err *poll(Http *port, Arena *a, int64_t timeout_ms)
{
    SimHttp *h = (SimHttp *)port;
    Process *p = h->process;

    if (p->killed)
        return sim_err_dead(a);
    if (!deliver_all(h) && !h->woken && timeout_ms > 0) {
        int64_t until = world_now_ms(p->world) + timeout_ms, deadline = first_deadline(h);
        h->poller = p->running;
        strand_wait(p->running, until < deadline ? until : deadline);
        h->poller = NULL;
        if (!p->killed)
            deliver_all(h);
    }
    h->woken = false;
    return OK;
}

static void wake(Http *port)
{
    SimHttp *h = (SimHttp *)port;

    h->woken = true;
    if (h->poller)
        strand_wake(h->poller);
}

static void close_port(Http *port)
{
    SimHttp *h = (SimHttp *)port;

    while (!link_is_alone(&h->flights))
        abandon(link_owner(Flight, link, h->flights.next));
    arena_close(h->home);
}

Http *sim_http_open(Sim *sim, Process *process)
{
    Arena *home = arena_open(sizeof(SimHttp));
    SimHttp *h = arena_new(home, SimHttp);

    *h = (SimHttp){
        .port = {.start = start, .cancel = cancel, .poll = poll, .wake = wake, .close = close_port},
        .sim = sim,
        .process = process,
        .home = home,
    };
    link_init(&h->flights);
    return &h->port;
}

bool sim_http_is_quiet(const Http *http)
{
    return ((const SimHttp *)http)->count == 0;
}
