/* Sandbox: a loop in which nobody waits for anybody: the world's turns that are due, for no longer
 * than a moment, then whatever the sockets have.
 *
 * What surprises: only the time of pods and controllers runs faster with --speed. The wall clock of
 * the world stays ours, because clients compare it with their own. */
#include "sandbox/sandbox.h"

#include "base/base64.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "kube/serve/authority.h"
#include "kube/serve/hall.h"
#include "player/doors.h"
#include "sandbox/cast.h"
#include "sandbox/desk.h"
#include "sandbox/state.h"
#include "sandbox/tempo.h"

#include <string.h>

enum {
    OWN_MAX = 1 << 20,
    SLICE_MS = 10,       /* turns in a row before the sockets get theirs */
    STIR_MS = 1000,      /* how often streams are asked that only time ends */
    STIR_SLOW_MS = 20,   /* the same while answers are late */
    BOOKMARK_MS = 60000, /* about so often the server says how far it is */
    NS_PER_MS = 1000000,
    TOKEN_WORDS = 4,
};

struct Sandbox {
    Arena *own;
    SandboxOptions options;
    Cast cast;
    Tempo tempo;   /* as it is ordered */
    int64_t speed; /* as time runs */
    Hall *hall;
    Doors *doors;
    State *state;
    StateSelf self;
    int64_t began_ms; /* of our clock, when that of the world stood at origin_ms */
    int64_t origin_ms;
    uint64_t stirred; /* the server's version when the streams were last looked at */
    int64_t stirred_ms, bookmarked_ms;
};

/* --- opening and closing */

static const char *make_token(Arena *a)
{
    const char *token = "";

    for (int i = 0; i < TOKEN_WORDS; i++)
        token =
            str_format(a, "%s%016llx", token, (unsigned long long)rng_system()->next(rng_system()));
    return token;
}

/* What time it is to be in the world. */
static int64_t world_time(const Sandbox *s)
{
    return s->origin_ms + (clock_mono_ms(clock_system()) - s->began_ms) * s->speed;
}

/* From here on time runs as it is ordered. */
static void keep_time(Sandbox *s)
{
    s->origin_ms = world_time(s);
    s->began_ms = clock_mono_ms(clock_system());
    s->speed = s->tempo.speed;
    kubelet_slow(s->cast.kubelet, s->tempo.slow_ms * s->speed);
}

static void on_obeyed(void *self)
{
    Sandbox *s = self;

    state_note_chains(s->state);
    keep_time(s);
}

static Err *listen_for(Arena *a, Sandbox *s)
{
    CertificateTexts tls = {
        .certificate = s->self.authority.server,
        .key = s->self.authority.server_key,
        .clients = s->self.clients.certificate,
    };
    Desk *desk;

    desk = desk_new(s->own,
        &(DeskOptions){
            .cast = &s->cast,
            .admin_token = s->self.admin_token,
            .clients = &s->self.clients,
            .tempo = &s->tempo,
            .on_obeyed = on_obeyed,
            .self = s,
        });
    TRY(hall_open(a,
        &(HallOptions){
            .address = s->options.address,
            .handle = desk_handle,
            .self = desk,
            .tls = &tls,
        },
        &s->hall));
    desk_reach(desk, str_format(s->own, "127.0.0.1:%d", hall_port(s->hall)));
    return OK;
}

static Err *make_self(Arena *a, Sandbox *s)
{
    s->self.admin_token = make_token(s->own);
    s->self.token_key = make_token(s->own);
    return err_copy(a, authority_make(s->own, &s->self.authority));
}

/* Who it was, or somebody new. */
static Err *find_self(Arena *a, Sandbox *s)
{
    TRY(state_open(a, s->options.state, s->options.log, &s->state));
    if (!state_self(s->state, &s->self))
        TRY(make_self(a, s));
    if (s->self.clients.certificate && s->self.clients.key)
        return OK;
    return err_copy(a, authority_make_clients(s->own, &s->self.clients));
}

static void fill_world(void *self, World *w)
{
    Sandbox *s = self;

    state_restore(s->state, w);
}

static Err *open_world(Arena *a, Sandbox *s)
{
    cast_open(
        &(CastOptions){
            .seed = rng_system()->next(rng_system()),
            .wall_ms = clock_wall_ms(clock_system()),
            .nodes = s->options.nodes,
            .network = s->options.network,
            .token_key = s->self.token_key,
            .fill = fill_world,
            .self = s,
        },
        &s->cast);
    s->began_ms = clock_mono_ms(clock_system());
    s->origin_ms = world_now_ms(s->cast.world);
    return state_keep(a, s->state, s->cast.kubelet, &s->self);
}

Err *sandbox_open(Arena *a, const SandboxOptions *options, Sandbox **ret)
{
    Arena *own = arena_open(OWN_MAX);
    Sandbox *s = arena_new(own, Sandbox);

    arena_keep_secret(own);
    s->own = own;
    s->options = *options;
    s->tempo.speed = options->speed;
    s->speed = options->speed;
    Err *err = find_self(a, s);
    if (!err) /* nothing is written by one that cannot listen */
        err = listen_for(a, s);
    if (!err)
        err = open_world(a, s);
    if (err) {
        sandbox_close(s);
        return err;
    }
    s->doors = doors_open(s->cast.kubelet, 0, options->log);
    hall_heed(s->hall, doors_descriptor(s->doors));
    *ret = s;
    return OK;
}

void sandbox_close(Sandbox *s)
{
    if (!s)
        return;
    doors_close(s->doors);
    hall_close(s->hall); /* before the server: streams hold its watches */
    state_close(s->state);
    world_close(s->cast.world);
    arena_close(s->own);
}

/* --- moving */

/* Takes the turns that are due. When they take too long the world is late, and catches up. */
static void move_world(Sandbox *s)
{
    World *w = s->cast.world;
    int64_t until_ms = world_time(s);
    int64_t stop_ms = clock_mono_ms(clock_system()) + SLICE_MS;
    int64_t behind_ms = until_ms - world_now_ms(w);

    world_set_wall(w, clock_system()->wall_ns(clock_system()) - behind_ms * NS_PER_MS);
    for (;;) {
        world_notice(w);
        const Turn *turn = agenda_first(world_agenda(w));
        if (!turn || turn->due_ms > until_ms)
            break;
        if (clock_mono_ms(clock_system()) >= stop_ms)
            return;
        world_step(w);
    }
    world_run_until(w, until_ms);
}

static void move_pods(Sandbox *s)
{
    World *w = s->cast.world;

    doors_follow(s->doors);
    if (doors_poll(s->doors, world_now_ms(w)))
        world_wake(w, kubelet_actor(s->cast.kubelet));
}

static void move_streams(Sandbox *s)
{
    Server *server = world_server(s->cast.world);
    int64_t now_ms = clock_mono_ms(clock_system());
    bool is_bookmark = now_ms - s->bookmarked_ms >= BOOKMARK_MS;

    if (is_bookmark) {
        server_bookmark(server);
        s->bookmarked_ms = now_ms;
    }
    if (!is_bookmark && server_version(server) == s->stirred
        && now_ms - s->stirred_ms < (s->tempo.slow_ms > 0 ? STIR_SLOW_MS : STIR_MS))
        return;
    s->stirred = server_version(server);
    s->stirred_ms = now_ms;
    hall_stir(s->hall);
}

/* How long nothing is due by itself, in our time. */
static int64_t nap_ms(const Sandbox *s, int64_t most_ms)
{
    const Turn *turn = agenda_first(world_agenda(s->cast.world));
    int64_t due_ms = doors_due_ms(s->doors);

    if (turn && turn->due_ms < due_ms)
        due_ms = turn->due_ms;
    if (s->tempo.slow_ms > 0 && most_ms > STIR_SLOW_MS)
        most_ms = STIR_SLOW_MS;
    if (due_ms == INT64_MAX)
        return most_ms;
    int64_t nap = (due_ms - world_time(s) + s->speed - 1) / s->speed;
    nap = nap < 0 ? 0 : nap;
    return nap < most_ms ? nap : most_ms;
}

void sandbox_move(Sandbox *s, int64_t timeout_ms)
{
    move_world(s);
    move_pods(s);
    move_streams(s);
    state_step(s->state, clock_mono_ms(clock_system()));
    hall_poll(s->hall, nap_ms(s, timeout_ms));
}

void sandbox_heed(Sandbox *s, int descriptor)
{
    hall_heed(s->hall, descriptor);
}

/* --- how to reach it */

const char *sandbox_kubeconfig(const Sandbox *s, Arena *a)
{
    return str_format(a,
        "apiVersion: v1\n"
        "kind: Config\n"
        "current-context: sei-sandbox\n"
        "clusters:\n"
        "- name: sei-sandbox\n"
        "  cluster:\n"
        "    server: https://127.0.0.1:%d\n"
        "    certificate-authority-data: %s\n"
        "users:\n"
        "- name: admin\n"
        "  user:\n"
        "    token: %s\n"
        "contexts:\n"
        "- name: sei-sandbox\n"
        "  context:\n"
        "    cluster: sei-sandbox\n"
        "    user: admin\n"
        "    namespace: default\n",
        hall_port(s->hall),
        base64_encode(a, bytes_of(s->self.authority.certificate)),
        s->self.admin_token);
}

int sandbox_port(const Sandbox *s)
{
    return hall_port(s->hall);
}
