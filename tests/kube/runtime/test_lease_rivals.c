/* Many machines stand for one lease in a hostile world. True time goes in ticks; each machine has a
 * clock of its own rate, stops and goes on, dies and comes back, and the network loses and delays
 * both ways: what was sent may arrive long after its sender gave up. Never do two lead. */
#include "base/rng.h"
#include "kube/runtime/lease.h"
#include "tests/kube/runtime/lease_server.h"

enum { ACTORS = 3, FLIGHTS = 64, TICK_MS = 50, HOSTILE_MS = 300000, CALM_MS = 100000 };

typedef struct Actor {
    Arena *arena;
    Lease *lease; /* NULL while dead */
    ManualClock wall;
    int64_t rate_permille;
    int64_t back_at_ms, paused_until_ms;
    int64_t fence_ms; /* true time until which its writes may be under way */
    struct Flight *flight;
} Actor;

typedef struct Flight {
    Arena *arena; /* NULL when free */
    Request request;
    int64_t arrives_ms, returns_ms; /* INT64_MAX when lost */
    int64_t sent_ms;                /* by the sender's clock */
    bool arrived;
    Err *err;
    const Json *object;
} Flight;

typedef struct Sim {
    Arena *arena;
    LeaseServer server;
    SeededRng rng;
    LeaseOptions options;
    Actor actors[ACTORS];
    Flight flights[FLIGHTS];
    int64_t now_ms;
    unsigned terms;
    const Actor *leader;
} Sim;

static bool chance(Sim *s, uint64_t percent_of_percent)
{
    return s->now_ms < HOSTILE_MS && rng_below(&s->rng.port, 10000) < percent_of_percent;
}

static int64_t local_ms(const Sim *s, const Actor *actor)
{
    return 5000 + s->now_ms * actor->rate_permille / 1000;
}

static int64_t network_delay(Sim *s)
{
    if (chance(s, 1500))
        return INT64_MAX / 4;
    uint64_t bound = chance(s, 1000) ? 30000 : chance(s, 2000) ? 4000 : 100;
    return (int64_t)rng_below(&s->rng.port, bound);
}

static void birth(Sim *s, Actor *actor)
{
    LeaseOptions options = s->options;
    options.identity = str_format(actor->arena, "pod-%d", (int)(actor - s->actors));
    options.clock = &actor->wall.port;
    then_ok(lease_open(actor->arena, &options, &actor->lease));
}

static void death(Sim *s, Actor *actor)
{
    lease_close(actor->lease);
    actor->lease = NULL;
    actor->flight = NULL;
    actor->back_at_ms = s->now_ms + (int64_t)rng_below(&s->rng.port, 5000);
}

static void send_flight(Sim *s, Actor *actor, Flight *flight)
{
    flight->arrives_ms = s->now_ms + network_delay(s);
    flight->returns_ms = flight->arrives_ms + network_delay(s);
    flight->sent_ms = local_ms(s, actor);
    actor->flight = flight;
}

static Flight *free_flight(Sim *s)
{
    for (int i = 0; i < FLIGHTS; i++)
        if (!s->flights[i].arena) {
            s->flights[i] = (Flight){.arena = arena_open(1 << 20)};
            return &s->flights[i];
        }
    fail_msg("too many requests are under way");
    return NULL;
}

static void land(Flight *flight)
{
    arena_close(flight->arena);
    flight->arena = NULL;
}

/* What the server gets to see, in the order of arrival within the limits of a tick. */
static void step_server(Sim *s)
{
    for (int i = 0; i < FLIGHTS; i++) {
        Flight *f = &s->flights[i];
        if (!f->arena || f->arrived)
            continue;
        if (f->arrives_ms <= s->now_ms) {
            f->err = lease_server_call(&s->server, f->arena, &f->request, &f->object);
            f->arrived = true;
        }
    }
    for (int i = 0; i < FLIGHTS; i++) {
        Flight *f = &s->flights[i];
        bool awaited = false;
        for (int k = 0; k < ACTORS; k++)
            awaited |= s->actors[k].flight == f;
        bool over = f->arrived || f->arrives_ms > s->now_ms + 100000;
        if (f->arena && over && !awaited)
            land(f);
    }
}

static void step_flight(Sim *s, Actor *actor)
{
    Flight *f = actor->flight;
    int64_t now = local_ms(s, actor);
    if (f->arrived && f->returns_ms <= s->now_ms) {
        lease_answer(actor->lease, f->err, f->err ? NULL : f->object, f->sent_ms, now);
        actor->flight = NULL;
    } else if (now >= f->sent_ms + f->request.deadline_ms) {
        Err *err = err_retry(f->arena, "timed out");
        err->outcome_unknown = true;
        lease_answer(actor->lease, err, NULL, f->sent_ms, now);
        actor->flight = NULL;
    }
}

static void step_actor(Sim *s, Actor *actor)
{
    if (!actor->lease && actor->back_at_ms <= s->now_ms)
        birth(s, actor);
    if (!actor->lease || actor->paused_until_ms > s->now_ms)
        return;
    if (chance(s, 10))
        actor->paused_until_ms = s->now_ms + (int64_t)rng_below(&s->rng.port, 60000);

    if (actor->flight) {
        step_flight(s, actor);
    } else {
        int64_t next;
        Flight *flight = free_flight(s);
        if (lease_step(actor->lease, flight->arena, local_ms(s, actor), &flight->request, &next))
            send_flight(s, actor, flight);
        else
            land(flight);
    }
    if (lease_is_lost(actor->lease, local_ms(s, actor)) || chance(s, 3))
        death(s, actor);
}

/* A clean exit: nothing of its work is under way any more. */
static void maybe_release(Sim *s, Actor *actor)
{
    if (!actor->lease || actor->flight || actor->paused_until_ms > s->now_ms || !chance(s, 5))
        return;
    Flight *flight = free_flight(s);
    if (lease_release(actor->lease, flight->arena, &flight->request))
        send_flight(s, actor, flight);
    else
        land(flight);
    actor->fence_ms = 0;
    death(s, actor);
}

/* At most one leads; and by clocks of one rate, nobody leads while a write of another may still be
 * under way. */
static void check(Sim *s, bool one_rate)
{
    const Actor *leader = NULL;
    for (int i = 0; i < ACTORS; i++) {
        Actor *actor = &s->actors[i];
        int64_t left = actor->lease ? lease_left_ms(actor->lease, local_ms(s, actor)) : 0;
        if (left == 0)
            continue;
        if (leader)
            fail_msg("two lead at %lld ms", (long long)s->now_ms);
        leader = actor;
        for (int k = 0; k < ACTORS; k++)
            if (one_rate && k != i && s->actors[k].fence_ms > s->now_ms)
                fail_msg("a fence is broken at %lld ms", (long long)s->now_ms);
        if (s->now_ms + left > actor->fence_ms)
            actor->fence_ms = s->now_ms + left;
    }
    s->terms += leader && leader != s->leader;
    s->leader = leader;
}

static void simulate(uint64_t seed, LeaseOptions options, int64_t rate_spread, unsigned *terms)
{
    Sim s = {.arena = arena_open(256 << 20), .options = options};
    s.server.arena = s.arena;
    rng_seed(&s.rng, seed);
    s.options.key = (Key){"ns", "it"};
    s.options.rng = &s.rng.port;
    for (int i = 0; i < ACTORS; i++) {
        Actor *actor = &s.actors[i];
        actor->arena = s.arena;
        uint64_t slowest = UINT64_C(1000) >> rate_spread, fastest = UINT64_C(1000) << rate_spread;
        actor->rate_permille = (int64_t)(slowest + rng_below(&s.rng.port, fastest - slowest + 1));
        /* Wall clocks agree about nothing. */
        clock_manual_init(&actor->wall, 0, (int64_t)rng_below(&s.rng.port, INT64_MAX / 2));
    }

    for (; s.now_ms < HOSTILE_MS + CALM_MS; s.now_ms += TICK_MS) {
        step_server(&s);
        for (int i = 0; i < ACTORS; i++) {
            step_actor(&s, &s.actors[i]);
            maybe_release(&s, &s.actors[i]);
            check(&s, rate_spread == 0);
        }
    }
    then_true(s.leader != NULL);
    *terms += s.terms;
    for (int i = 0; i < ACTORS; i++)
        lease_close(s.actors[i].lease);
    for (int i = 0; i < FLIGHTS; i++)
        if (s.flights[i].arena)
            land(&s.flights[i]);
    arena_close(s.arena);
}

TEST(two_candidates_never_lead_at_the_same_time_in_a_hostile_world)
{
    static const struct {
        const char *name;
        LeaseOptions options;
        int64_t rate_spread; /* clocks run between 1 / 2^spread and 2^spread times true time */
    } cases[] = {
        {"clocks of one rate", .rate_spread = 0},
        {"clocks of half to double rate",
            {.duration_ms = 41000, .renew_ms = 10000, .retry_ms = 2000},
            1},
    };
    each_case(i, cases) {
        unsigned terms = 0;
        for (uint64_t seed = 1; seed <= 60; seed++)
            simulate(seed, cases[i].options, cases[i].rate_spread, &terms);
        then_true(terms > 60);
    }
}
