/* World: one agenda, on which everything stands that will ever happen: a change reaching an actor,
 * an actor's step, and whatever others put there. */
#include "world/world.h"

#include "base/str.h"
#include "kube/status.h"
#include "world/sightline.h"

#include <assert.h>

enum {
    WORLD_ARENA_MAX = 1 << 20,
    SCRATCH_MAX = 256 << 20, /* a list of everything of one kind */
    STANDSTILL_MAX = 10000000,
};

static const int64_t new_year_2026_ms = 1767225600000;

/* One actor and what it sees. */
typedef struct Seat {
    World *world;
    Actor *actor;
    Arena *arena; /* of one sight or step */
    Api *api;
    Turn step;
    Turn sight; /* at the first change that is due on any line */
    Sightline lines[WORLD_KINDS_MAX];
    int line_count;
} Seat;

/* A turn of world_at. */
typedef struct Errand {
    Turn turn;
    World *world;
    WorldTurn *take;
    void *self;
    struct Errand *next_idle;
} Errand;

typedef struct WorldApi {
    Api port; /* first, so that the port is this */
    World *world;
    const char *user;
    struct WorldApi *next;
} WorldApi;

struct World {
    Arena *arena;
    Arena *scratch;
    ManualClock clock;
    SeededRng rng;
    Rng *chance; /* of all but UIDs */
    Server *server;
    Slab *slab;
    Agenda agenda;
    int64_t lag_max_ms;
    size_t history_bytes;
    uint64_t noticed; /* the server's version up to which everybody has noticed */
    uint64_t turns_since_time_moved;
    Errand *idle_errands;
    WorldApi *apis;
    Seat *seats[WORLD_ACTORS_MAX];
    int seat_count;
    WorldObserver observer;
};

static uint64_t steady_next(Rng *self)
{
    (void)self;
    return (uint64_t)1 << 63;
}

static const Rng steady = {steady_next};

World *world_open(const WorldOptions *options)
{
    Arena *arena = arena_open(WORLD_ARENA_MAX);
    World *w = arena_new(arena, World);
    int64_t wall_ms = options->wall_ms ? options->wall_ms : new_year_2026_ms;

    w->arena = arena;
    w->scratch = arena_open(SCRATCH_MAX);
    w->history_bytes = options->history_bytes;
    w->lag_max_ms = options->lag_max_ms ? options->lag_max_ms : 50;
    clock_manual_init(&w->clock, 1000 * (int64_t)1000000, wall_ms * 1000000);
    rng_seed(&w->rng, options->seed);
    w->chance = options->is_steady ? (Rng *)&steady : &w->rng.port;
    agenda_init(&w->agenda, w->chance);
    w->slab = slab_open();
    w->server = server_open(&(ServerOptions){
        .clock = &w->clock.port,
        .rng = &w->rng.port,
        .history_max = options->history_max,
        .token_key = options->token_key,
        .keeps_events = options->keeps_events,
        .is_compact = options->is_compact,
    });
    w->noticed = server_version(w->server);
    server_need(w->server, w->noticed);
    return w;
}

static void close_seat(Seat *s)
{
    for (int i = 0; i < s->line_count; i++)
        sightline_close(&s->lines[i]);
    s->actor->close(s->actor);
    arena_close(s->arena);
}

void world_close(World *w)
{
    if (!w)
        return;
    for (int i = 0; i < w->seat_count; i++)
        close_seat(w->seats[i]);
    server_close(w->server);
    slab_close(w->slab);
    arena_close(w->scratch);
    arena_close(w->arena);
}

Server *world_server(World *w)
{
    return w->server;
}

Clock *world_clock(World *w)
{
    return &w->clock.port;
}

Rng *world_rng(World *w)
{
    return w->chance;
}

Agenda *world_agenda(World *w)
{
    return &w->agenda;
}

int64_t world_now_ms(World *w)
{
    return clock_mono_ms(&w->clock.port);
}

void world_set_wall(World *w, int64_t wall_ns)
{
    w->clock.wall_ns = wall_ns;
}

void world_observe(World *w, const WorldObserver *observer)
{
    w->observer = *observer;
}

/* --- actors ------------------------------------------------------------------------------------
 */

static void notice_changes(Seat *s, int64_t now)
{
    World *w = s->world;

    for (int i = 0; i < s->line_count; i++) {
        int64_t due = sightline_notice(&s->lines[i], w->scratch, now);
        if (due != INT64_MAX)
            agenda_hasten(&w->agenda, &s->sight, due);
    }
}

static void take_sight(void *self, int64_t now_ms)
{
    Seat *s = self;
    World *w = s->world;
    int64_t next = INT64_MAX;

    for (int i = 0; i < s->line_count; i++) {
        Sight sight;
        while (sightline_next(&s->lines[i], s->arena, now_ms, &sight)) {
            s->actor->see(s->actor, &sight, now_ms);
            if (w->observer.saw)
                w->observer.saw(w->observer.self, s->actor, &sight);
            agenda_hasten(&w->agenda, &s->step, now_ms);
            arena_reset(s->arena);
        }
        int64_t due = sightline_due_ms(&s->lines[i]);
        next = due < next ? due : next;
    }
    if (next != INT64_MAX)
        agenda_plan(&w->agenda, &s->sight, next);
}

static void take_step(void *self, int64_t now_ms)
{
    Seat *s = self;
    World *w = s->world;
    int64_t next = s->actor->step(s->actor, s->arena, s->api, now_ms);

    arena_reset(s->arena);
    if (w->observer.stepped)
        w->observer.stepped(w->observer.self, s->actor, next);
    if (next != INT64_MAX)
        agenda_hasten(&w->agenda, &s->step, next > now_ms ? next : now_ms);
}

static void open_lines(Seat *s)
{
    World *w = s->world;

    for (const Kind *const *kind = s->actor->kinds; *kind; kind++) {
        if (s->line_count == WORLD_KINDS_MAX)
            BUG("an actor wants to see too many kinds");
        Sightline *l = &s->lines[s->line_count++];
        *l = (Sightline){
            .kind = *kind,
            .server = w->server,
            .slab = w->slab,
            .rng = w->chance,
            .lag_max_ms = w->lag_max_ms,
        };
        sightline_open(l);
    }
}

void world_add(World *w, Actor *actor)
{
    Seat *s = arena_new(w->arena, Seat);

    if (w->seat_count == WORLD_ACTORS_MAX)
        BUG("too many actors in one world");
    w->seats[w->seat_count++] = s;
    s->world = w;
    s->actor = actor;
    s->arena = arena_open(SCRATCH_MAX);
    s->api = world_api(w, actor->name);
    s->step = (Turn){.take = take_step, .self = s};
    s->sight = (Turn){.take = take_sight, .self = s};
    open_lines(s);
    notice_changes(s, world_now_ms(w));
    agenda_plan(&w->agenda, &s->step, world_now_ms(w));
}

void world_wake(World *w, Actor *actor)
{
    for (int i = 0; i < w->seat_count; i++)
        if (w->seats[i]->actor == actor)
            agenda_hasten(&w->agenda, &w->seats[i]->step, world_now_ms(w));
}

void world_notice(World *w)
{
    uint64_t version = server_version(w->server);
    int64_t now = world_now_ms(w);

    if (version == w->noticed)
        return;
    w->noticed = version;
    for (int i = 0; i < w->seat_count; i++)
        notice_changes(w->seats[i], now);
    server_need(w->server, version);
    if (w->history_bytes)
        server_shrink(w->server, w->history_bytes);
    if (w->observer.changed)
        w->observer.changed(w->observer.self, now);
}

void world_compact(World *w)
{
    world_notice(w);
    server_compact(w->server);
}

/* --- an Api straight to the server -------------------------------------------------------------
 */

static Err *call(Api *port, Arena *a, const Request *request, const Json **ret)
{
    WorldApi *api = (WorldApi *)port;
    Answer answer = {0};

    server_call(api->world->server, a, api->user, request, &answer);
    world_notice(api->world);
    TRY(status_err(a, request, &answer));
    if (ret)
        *ret = answer.body;
    return OK;
}

Api *world_api(World *w, const char *user)
{
    for (WorldApi *api = w->apis; api; api = api->next)
        if (str_eq(api->user, user))
            return &api->port;

    WorldApi *api = arena_new(w->arena, WorldApi);
    *api = (WorldApi){
        .port = {.call = call},
        .world = w,
        .user = str_copy(w->arena, user),
        .next = w->apis,
    };
    w->apis = api;
    return &api->port;
}

/* --- turns -------------------------------------------------------------------------------------
 */

static void take_errand(void *self, int64_t now_ms)
{
    Errand *e = self;
    WorldTurn *take = e->take;
    void *whose = e->self;

    e->next_idle = e->world->idle_errands;
    e->world->idle_errands = e;
    take(whose, now_ms);
}

void world_at(World *w, int64_t due_ms, WorldTurn *turn, void *self)
{
    Errand *e = w->idle_errands;

    if (e)
        w->idle_errands = e->next_idle;
    else
        e = arena_new(w->arena, Errand);
    *e = (Errand){
        .turn = {.take = take_errand, .self = e},
        .world = w,
        .take = turn,
        .self = self,
    };
    agenda_plan(&w->agenda, &e->turn, due_ms);
}

static void move_time(World *w, int64_t to_ms)
{
    int64_t now = world_now_ms(w);

    if (to_ms > now) {
        clock_manual_advance_ms(&w->clock, to_ms - now);
        w->turns_since_time_moved = 0;
    } else if (++w->turns_since_time_moved > STANDSTILL_MAX) {
        BUG("somebody always wants to act at once: time stands still");
    }
}

bool world_step(World *w)
{
    world_notice(w);
    Turn *turn = agenda_first(&w->agenda);
    if (!turn)
        return false;
    agenda_cancel(&w->agenda, turn);
    move_time(w, turn->due_ms);
    turn->take(turn->self, world_now_ms(w));
    return true;
}

void world_run_until(World *w, int64_t until_ms)
{
    for (;;) {
        world_notice(w); /* before looking: it may put something on the agenda */
        const Turn *turn = agenda_first(&w->agenda);
        if (!turn || turn->due_ms > until_ms)
            break;
        world_step(w);
    }
    move_time(w, until_ms);
}
