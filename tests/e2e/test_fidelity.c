/* The world's server answers as the real one: random sequences of requests are played to both, and
 * every answer and what is stored in the end must be equal, but for what docs/FIDELITY.md explains.
 *
 * A sequence that differs is shrunk and printed. FIDELITY_SEED and FIDELITY_COUNT in the
 * environment play others than the usual ones. Only the API server runs: nobody else writes. */
#include "tests/e2e/fidelity.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"

/* Sanitizers look at the code, not at the answers, and cost time: a tenth does. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEQUENCES = 30 };
#else
enum { SEQUENCES = 300 };
#endif

enum { SEQUENCE_ARENA_MAX = 512 << 20, PARTING_BEFORE = 200, PARTING_MAX = 700 };

typedef struct Rig {
    Controlplane *cp;
    Api *api;
    size_t namespaces;
} Rig;

/* Where two plays of a sequence first differ; `step` is its count when the stores do. */
typedef struct Difference {
    bool found;
    size_t step;
    const char *world, *real; /* in the arena */
} Difference;

static bool is_same(Difference *d, size_t step, const char *world, const char *real)
{
    if (str_eq(world, real))
        return true;
    *d = (Difference){true, step, world, real};
    return false;
}

static Difference play(Rig *rig, Arena *a, const Steps *steps)
{
    const char *namespace = str_format(a, "f%zu", rig->namespaces++);
    SeededRng rng;
    Difference d = {0};

    rng_seed(&rng, 1);
    Side *real = arena_new(a, Side), *world = arena_new(a, Side);
    *real = (Side){.arena = a, .api = rig->api, .namespace = namespace};
    *world = (Side){.arena = a,
        .namespace = namespace,
        .server = server_open(&(ServerOptions){.clock = clock_system(), .rng = &rng.port})};
    then_ok(side_begin(real));
    then_ok(side_begin(world));
    for (size_t i = 0; i < steps->count; i++)
        if (!is_same(&d, i, side_play(world, &steps->items[i]), side_play(real, &steps->items[i])))
            break;
    if (!d.found)
        is_same(&d, steps->count, side_store(world), side_store(real));
    server_close(world->server);
    return d;
}

static void drop(Steps *steps, size_t at)
{
    memmove(
        steps->items + at, steps->items + at + 1, (steps->count - at - 1) * sizeof *steps->items);
    steps->count--;
}

/* Leaves out whatever can be left out while the two still differ. */
static void shrink(Rig *rig, Steps *steps)
{
    for (size_t at = steps->count; at-- > 0;) {
        SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
        Steps fewer = *steps;

        drop(&fewer, at);
        Difference d = play(rig, a, &fewer);
        if (!d.found)
            continue;
        *steps = fewer;
        if (d.step < steps->count)
            steps->count = d.step + 1;
        if (at > steps->count)
            at = steps->count;
    }
}

/* Where two texts part, with what stands around: the whole answers are long. */
static void print_parting(Arena *a, const char *world, const char *real)
{
    size_t at = 0;

    while (world[at] && world[at] == real[at])
        at++;
    size_t from = at > PARTING_BEFORE ? at - PARTING_BEFORE : 0;
    fprintf(stderr, "world: ...%s\n", str_cut(a, world + from, PARTING_MAX));
    fprintf(stderr, "real:  ...%s\n\n", str_cut(a, real + from, PARTING_MAX));
}

static void print_difference(Rig *rig, uint64_t seed, Steps *steps)
{
    SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);

    shrink(rig, steps);
    Difference d = play(rig, a, steps);
    fprintf(
        stderr, "sequence %" PRIu64 " differs at step %zu of %zu:\n", seed, d.step, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        fprintf(stderr, "  %s\n", step_text(a, &steps->items[i]));
    print_parting(a, d.world, d.real);
}

static uint64_t from_environment(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

TEST(the_world_answers_as_the_real_server)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Rig rig = {.cp = scene_begin(controlplane_shared())};
    Live *live = live_open(a, controlplane_admin(rig.cp));
    uint64_t seed = from_environment("FIDELITY_SEED", 1);
    uint64_t end = seed + from_environment("FIDELITY_COUNT", SEQUENCES);
    size_t differing = 0;

    rig.api = live->api;
    then_ok(controlplane_stop(rig.cp, a, COMPONENT_CONTROLLER_MANAGER));
    for (; seed < end; seed++) {
        SCOPED_ARENA once = arena_open(SEQUENCE_ARENA_MAX);
        Steps steps;

        fidelity_steps(seed, &steps);
        Difference d = play(&rig, once, &steps);
        if (!d.found)
            continue;
        differing++;
        if (d.step < steps.count)
            steps.count = d.step + 1;
        print_difference(&rig, seed, &steps);
    }
    live_close(live);
    then_int(differing, 0);
}
