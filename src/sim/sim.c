/* Sim: what all simulated processes share: the world, the trace, the judge. */
#include "sim/sim.h"

#include "base/link.h"
#include "base/str.h"
#include "kube/meta.h"
#include "world/kubelet.h"
#include "world/token.h"

#include <assert.h>

enum {
    SIM_ARENA_MAX = 1 << 20,
    SCRATCH_MAX = 256 << 20,
    BOOKMARK_MS = 60000, /* about so often a server says how far it is */
};

struct Sim {
    Arena *arena;
    Arena *scratch;
    Arena *notes; /* of one line of the trace */
    World *world;
    Kubelet *kubelet; /* or NULL */
    Trace trace;
    SeededRng rng; /* of the network, so that what the world draws does not depend on it */
    SimOptions options;
    uint64_t calls;
    ServerWrote *wrote;
    void *wrote_self;
    Link guests;
    Turn bookmark;
};

/* --- what is noted -----------------------------------------------------------------------------
 */

static uint64_t digest(const Json *object, Arena *a)
{
    Trace one;
    Bytes bytes = json_write(a, object);

    trace_init(&one, NULL, NULL);
    trace_add(&one, bytes);
    return one.hash;
}

static void note_write(
    void *self, const char *user, const Request *request, const Json *before, const Json *after)
{
    Sim *sim = self;
    Arena *a = sim->notes;

    if (after)
        trace_line(&sim->trace,
            "server",
            "%s: %s at %s, digest %08x",
            user,
            request_text(a, request),
            meta_resource_version(after),
            (unsigned)digest(after, a));
    else
        trace_line(&sim->trace, "server", "%s: %s, gone", user, request_text(a, request));
    arena_reset(a);
    if (sim->wrote)
        sim->wrote(sim->wrote_self, user, request, before, after);
}

static void note_sight(void *self, const Actor *actor, const Sight *sight)
{
    Sim *sim = self;

    trace_line(&sim->trace,
        actor->name,
        "sees %s %s%s%s %s",
        sight->kind->plural,
        sight->key.namespace ? sight->key.namespace : "",
        sight->key.namespace ? "/" : "",
        sight->key.name,
        sight->object ? meta_resource_version(sight->object) : "gone");
}

static void note_step(void *self, const Actor *actor, int64_t next_ms)
{
    Sim *sim = self;

    if (next_ms == INT64_MAX)
        trace_line(&sim->trace, actor->name, "step");
    else
        trace_line(&sim->trace, actor->name, "step, again at %lld", (long long)next_ms);
}

static void tell_guests(void *self, int64_t now_ms)
{
    Sim *sim = self;

    for (Link *link = sim->guests.next, *next; link != &sim->guests; link = next) {
        SimGuest *guest = link_owner(SimGuest, link, link);
        next = link->next;
        if (guest->changed)
            guest->changed(guest->self, now_ms);
    }
}

static void send_bookmarks(void *self, int64_t now_ms)
{
    Sim *sim = self;

    server_bookmark(world_server(sim->world));
    tell_guests(sim, now_ms);
    agenda_plan(world_agenda(sim->world),
        &sim->bookmark,
        now_ms + rng_jitter(sim_rng(sim), BOOKMARK_MS, 10));
}

/* --- opening and closing -----------------------------------------------------------------------
 */

Sim *sim_open(const SimOptions *options)
{
    Arena *arena = arena_open(SIM_ARENA_MAX);
    Sim *sim = arena_new(arena, Sim);

    sim->arena = arena;
    sim->scratch = arena_open(SCRATCH_MAX);
    sim->notes = arena_open(SCRATCH_MAX);
    sim->options = *options;
    if (!sim->options.latency_max_ms)
        sim->options.latency_max_ms = 5;
    if (!sim->options.lag_max_ms)
        sim->options.lag_max_ms = 50;
    sim->world = world_open(&(WorldOptions){
        .seed = options->seed,
        .lag_max_ms = sim->options.lag_max_ms,
        .history_max = options->history_max,
        .is_steady = options->is_steady,
    });
    rng_seed(&sim->rng, ~options->seed);
    trace_init(&sim->trace, world_clock(sim->world), options->print);
    link_init(&sim->guests);
    server_on_write(world_server(sim->world), note_write, sim);
    world_observe(sim->world,
        &(WorldObserver){
            .self = sim,
            .changed = tell_guests,
            .saw = note_sight,
            .stepped = note_step,
        });
    sim->bookmark = (Turn){.take = send_bookmarks, .self = sim};
    agenda_plan(world_agenda(sim->world), &sim->bookmark, BOOKMARK_MS);
    return sim;
}

static bool close_one(Sim *sim)
{
    for (Link *link = sim->guests.next; link != &sim->guests; link = link->next) {
        SimGuest *guest = link_owner(SimGuest, link, link);
        if (!guest->close)
            continue;
        sim_leave(guest);
        guest->close(guest->self);
        return true;
    }
    return false;
}

void sim_close(Sim *sim)
{
    if (!sim)
        return;
    while (close_one(sim)) /* one may take others along */
        ;
    world_close(sim->world);
    arena_close(sim->notes);
    arena_close(sim->scratch);
    arena_close(sim->arena);
}

World *sim_world(Sim *sim)
{
    return sim->world;
}

Kubelet *sim_add_kubelet(Sim *sim, const KubeletOptions *options)
{
    KubeletOptions o = *options;

    assert(!sim->kubelet);
    if (!o.clock)
        o.clock = world_clock(sim->world);
    if (!o.rng)
        o.rng = world_rng(sim->world);
    if (!o.reviewer) {
        o.reviewer = token_review;
        o.reviewer_self = sim->world;
    }
    sim->kubelet = kubelet_open(&o);
    world_add(sim->world, kubelet_actor(sim->kubelet));
    return sim->kubelet;
}

Kubelet *sim_kubelet(const Sim *sim)
{
    return sim->kubelet;
}

Trace *sim_trace(Sim *sim)
{
    return &sim->trace;
}

uint64_t sim_calls(const Sim *sim)
{
    return sim->calls;
}

void sim_set_judge(Sim *sim, PortJudge *judge, void *self)
{
    sim->options.judge = judge;
    sim->options.judge_self = self;
}

void sim_on_write(Sim *sim, ServerWrote *wrote, void *self)
{
    sim->wrote = wrote;
    sim->wrote_self = self;
}

/* --- for the ports -----------------------------------------------------------------------------
 */

static const char *call_text(Arena *a, const PortCall *call)
{
    if (call->http)
        return str_format(a, "%s %s", call->http->method, call->http->url);
    return request_text(a, call->request);
}

PortFault sim_judge(Sim *sim, const Strand *strand, PortCall *call)
{
    const SimOptions *o = &sim->options;

    call->number = ++sim->calls;
    call->process = strand->process->name;
    call->strand = strand->name;
    PortFault fault = o->judge ? o->judge(o->judge_self, call) : (PortFault){0};
    Arena *a = sim->notes;
    trace_line(&sim->trace,
        strand->name,
        "#%llu %s%s%s",
        (unsigned long long)call->number,
        call_text(a, call),
        fault.kind ? ": " : "",
        fault.kind ? port_fault_text(a, fault) : "");
    arena_reset(a);
    return fault;
}

int64_t sim_latency_ms(Sim *sim)
{
    return (int64_t)rng_below(sim_rng(sim), (uint64_t)sim->options.latency_max_ms + 1);
}

int64_t sim_lag_ms(Sim *sim)
{
    return (int64_t)rng_below(sim_rng(sim), (uint64_t)sim->options.lag_max_ms + 1);
}

bool sim_lingers(Sim *sim)
{
    return sim->options.linger_percent > 0
        && rng_below(sim_rng(sim), 100) < (uint64_t)sim->options.linger_percent;
}

Rng *sim_rng(Sim *sim)
{
    return sim->options.is_steady ? world_rng(sim->world) : &sim->rng.port;
}

Arena *sim_scratch(Sim *sim)
{
    return sim->scratch;
}

void sim_join(Sim *sim, SimGuest *guest)
{
    link_init(&guest->link);
    link_insert_before(&sim->guests, &guest->link);
}

void sim_leave(SimGuest *guest)
{
    link_remove(&guest->link);
}
