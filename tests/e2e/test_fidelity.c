/* The world's server answers as the real one: sequences of requests are played to both, and every
 * answer, what watches saw and what is stored in the end must be equal, but for what
 * docs/FIDELITY.md explains.
 *
 * First come the sequences in tests/e2e/sequences, which found something once; then random ones.
 * One that differs is shrunk, printed, and written there to be kept. FIDELITY_SEED and
 * FIDELITY_COUNT in the environment play others than the usual ones. Only the API server runs:
 * nobody else writes. */
#include "base/draft.h"
#include "kube/client/file.h"
#include "kube/meta.h"
#include "tests/crds/crds.h"
#include "tests/e2e/fidelity.h"
#include "tests/e2e/live.h"
#include "tests/e2e/scene.h"

#include <dirent.h>

/* Sanitizers look at the code, not at the answers, and cost time: a tenth does. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEQUENCES = 30 };
#else
enum { SEQUENCES = 300 };
#endif

enum {
    SEQUENCE_ARENA_MAX = 512 << 20,
    PARTING_BEFORE = 200,
    PARTING_MAX = 700,
    FILES_MAX = 1000,
    FILE_BYTES_MAX = 1 << 20,
};

/* --- the two servers --- */

typedef struct Rig {
    Arena *arena;
    Controlplane *cp;
    Live *live;
    Streams *streams;
    const Json *crds[2];
    size_t namespaces;
} Rig;

/* Claims of this class may grow. */
static const Kind kind_class[1] = {{"storage.k8s.io", "v1", "storageclasses", "StorageClass"}};
static const char fast_class[] =
    "{apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata:"
    " {name: 'fast'}, provisioner: 'x.io/x', allowVolumeExpansion: true}";

/* So that compaction is felt at once by two kinds, while the others are served as usual. */
static const char *const no_cache[] = {
    "--watch-cache-sizes=secrets#0,leases.coordination.k8s.io#0", NULL};

static bool is_served(Rig *rig, const Kind *kind)
{
    return scene_has(rig->cp,
        str_format(
            rig->arena, "/apis/sei.io/v1alpha1/namespaces/default/%s?limit=1", kind->plural));
}

static Rig *rig_open(Arena *a)
{
    static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};
    Rig *rig = arena_new(a, Rig);
    ControlplaneOptions options = {.flags[COMPONENT_APISERVER] = no_cache};

    *rig = (Rig){.arena = a};
    then_ok(controlplane_open(a, &options, &rig->cp));
    scene_begin(rig->cp);
    rig->live = live_open(a, controlplane_admin(rig->cp));
    Transport *transport = client_transport(rig->live->client);
    rig->streams = transport->open_streams(transport);
    then_ok(controlplane_stop(rig->cp, a, COMPONENT_CONTROLLER_MANAGER));
    for (size_t i = 0; i < array_count(kinds); i++) {
        rig->crds[i] = crd_load(a, kinds[i]);
        then_ok(kube_create(&rig->live->ctx, kind_crd, rig->crds[i], NULL));
        eventually(is_served(rig, kinds[i]));
    }
    then_ok(kube_create(&rig->live->ctx, kind_class, json_fixture(a, fast_class), NULL));
    /* What it remembers begins now, so that the version 1 is too old for every kind. */
    then_ok(controlplane_compact(rig->cp, a));
    then_ok(controlplane_stop(rig->cp, a, COMPONENT_APISERVER));
    then_ok(controlplane_start(rig->cp, a, COMPONENT_APISERVER));
    for (size_t i = 0; i < array_count(kinds); i++)
        eventually(is_served(rig, kinds[i]));
    return rig;
}

static void rig_close(Rig *rig)
{
    Transport *transport = client_transport(rig->live->client);

    transport->close_streams(transport, rig->streams);
    live_close(rig->live);
    controlplane_close(rig->cp);
}

static Side *real_side(Rig *rig, Arena *a, const char *namespace)
{
    Side *side = arena_new(a, Side);

    *side = (Side){.arena = a, .namespace = namespace, .streams = rig->streams, .cp = rig->cp};
    side_begin(side);
    return side;
}

static Side *world_side(Rig *rig, Arena *a, const char *namespace)
{
    Side *side = arena_new(a, Side);
    SeededRng *rng = arena_new(a, SeededRng);

    rng_seed(rng, 1);
    *side = (Side){.arena = a,
        .namespace = namespace,
        .server = server_open(&(ServerOptions){.clock = clock_system(), .rng = &rng->port})};
    for (size_t i = 0; i < array_count(rig->crds); i++)
        then_ok(server_add_crd(a, side->server, rig->crds[i]));
    side_begin(side);
    return side;
}

/* --- playing --- */

/* Where two plays of a sequence first differ: a step, or behind the last one a watch or the store.
 */
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

static void compare(Side *world, Side *real, const Steps *steps, Difference *d)
{
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = &steps->items[i];
        if (!is_same(d, i, side_play(world, step), side_play(real, step)))
            return;
    }
    for (size_t i = 0; i < world->watch_count; i++)
        if (!is_same(d, steps->count + i, side_saw(world, i), side_saw(real, i)))
            return;
    is_same(
        d, steps->count + world->watch_count, side_store(world, steps), side_store(real, steps));
}

static Difference play(Rig *rig, Arena *a, const Steps *steps)
{
    const char *namespace = str_format(a, "f%zu", rig->namespaces++);
    Side *real = real_side(rig, a, namespace), *world = world_side(rig, a, namespace);
    Difference d = {0};

    compare(world, real, steps, &d);
    side_end(world);
    side_end(real);
    return d;
}

/* --- shrinking and keeping --- */

static void drop(Steps *steps, size_t at)
{
    memmove(
        steps->items + at, steps->items + at + 1, (steps->count - at - 1) * sizeof *steps->items);
    steps->count--;
}

/* What follows the difference is not needed to see it. */
static void cut(Steps *steps, const Difference *d)
{
    if (d->step < steps->count)
        steps->count = d->step + 1;
}

/* Leaves out whatever can be left out while the two still differ. */
static void shrink(Rig *rig, Steps *steps)
{
    for (size_t at = steps->count; at-- > 0;) {
        SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
        Steps fewer = *steps;

        drop(&fewer, at);
        if (fewer.count == 0)
            return;
        Difference d = play(rig, a, &fewer);
        if (!d.found)
            continue;
        *steps = fewer;
        cut(steps, &d);
        if (at > steps->count)
            at = steps->count;
    }
}

static const char *folder_path(Arena *a)
{
    const char *root = getenv("SEI_SOURCE_ROOT");

    return str_format(a, "%s/tests/e2e/sequences", root ? root : ".");
}

static const char *sequence_text(Arena *a, const char *why, const Steps *steps)
{
    const char *text = str_format(a, "{\n  why: '%s',\n  steps: [\n", why);

    for (size_t i = 0; i < steps->count; i++)
        text = str_format(a, "%s    %s,\n", text, step_text(a, &steps->items[i]));
    return str_format(a, "%s  ],\n}\n", text);
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

static void print_difference(Arena *a, const char *name, const Steps *steps, const Difference *d)
{
    fprintf(stderr, "%s differs at step %zu of %zu:\n", name, d->step + 1, steps->count);
    fprintf(stderr, "%s", sequence_text(a, name, steps));
    print_parting(a, d->world, d->real);
}

static void keep(Rig *rig, uint64_t seed, Steps *steps, const Difference *first)
{
    SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
    const char *name = str_format(a, "seed-%" PRIu64, seed);
    Steps whole = *steps;

    shrink(rig, steps);
    Difference d = play(rig, a, steps);
    if (!d.found) {
        fprintf(stderr, "%s differed once, and not again:\n", name);
        print_difference(a, name, &whole, first);
        return;
    }
    print_difference(a, name, steps, &d);
    then_ok(controlplane_write(a,
        str_format(a, "%s/%s.json5", folder_path(a), name),
        sequence_text(a, "found by a random sequence and not yet explained", steps)));
}

/* --- what was kept --- */

static int compare_texts(const void *left, const void *right)
{
    return str_compare(*(const char *const *)left, *(const char *const *)right);
}

/* The names of the files there, in their order. */
static size_t kept_names(Arena *a, const char *ret[FILES_MAX])
{
    DIR *folder = opendir(folder_path(a));
    size_t count = 0;

    then_true(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!str_has_suffix(entry->d_name, ".json5"))
            continue;
        then_true(count < FILES_MAX);
        ret[count++] = str_copy(a, entry->d_name);
    }
    closedir(folder);
    qsort(ret, count, sizeof *ret, compare_texts);
    return count;
}

static bool replays(Rig *rig, const char *name)
{
    SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
    Buf text = {.ceiling = FILE_BYTES_MAX};
    Steps steps;

    then_ok(file_read(a, str_format(a, "%s/%s", folder_path(a), name), &text, NULL));
    steps_read(a, str_slice(a, text.data, text.len), &steps);
    buf_close(&text);
    Difference d = play(rig, a, &steps);
    if (d.found)
        print_difference(a, name, &steps, &d);
    return !d.found;
}

static size_t replay_kept(Rig *rig)
{
    SCOPED_ARENA a = arena_open(1 << 20);
    const char *names[FILES_MAX];
    size_t count = kept_names(a, names), differing = 0;

    for (size_t i = 0; i < count; i++)
        differing += !replays(rig, names[i]);
    return differing;
}

/* --- the tests --- */

static uint64_t from_environment(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

static size_t play_random(Rig *rig)
{
    uint64_t seed = from_environment("FIDELITY_SEED", 1);
    uint64_t end = seed + from_environment("FIDELITY_COUNT", SEQUENCES);
    size_t differing = 0;

    for (; seed < end; seed++) {
        SCOPED_ARENA a = arena_open(SEQUENCE_ARENA_MAX);
        Steps steps;

        fidelity_steps(seed, &steps);
        Difference d = play(rig, a, &steps);
        if (!d.found)
            continue;
        differing++;
        cut(&steps, &d);
        keep(rig, seed, &steps, &d);
    }
    return differing;
}

TEST(the_world_answers_as_the_real_server)
{
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    Rig *rig = rig_open(a);
    size_t kept = replay_kept(rig), random = play_random(rig);

    rig_close(rig);
    then_int(kept, 0);
    then_int(random, 0);
}

/* --- what is written about it --- */

static const char *section(Arena *a, const char *page, const char *title)
{
    const char *from = strstr(page, title);

    then_true(from != NULL);
    const char *end = strstr(from + strlen(title), "\n## ");
    return str_slice(a, from, end ? (size_t)(end - from) : strlen(from));
}

static bool is_explained(Arena *a, const char *name, size_t len)
{
    for (const char *const *each = explained_names(a); *each; each++)
        if (strlen(*each) == len && strncmp(*each, name, len) == 0)
            return true;
    return false;
}

/* Each row has a line, and each line a row. */
TEST(every_explained_difference_is_written_down)
{
    static const char bullet[] = "\n- `";
    SCOPED_ARENA a = arena_open(SCENE_ARENA_MAX);
    const char *root = getenv("SEI_SOURCE_ROOT");
    Buf text = {.ceiling = FILE_BYTES_MAX};

    then_ok(file_read(a, str_format(a, "%s/docs/FIDELITY.md", root ? root : "."), &text, NULL));
    const char *lines = section(a, str_slice(a, text.data, text.len), "## Explained differences");
    buf_close(&text);
    for (const char *const *name = explained_names(a); *name; name++)
        if (!strstr(lines, str_format(a, "%s%s`: ", bullet, *name)))
            fail_msg("docs/FIDELITY.md does not explain %s", *name);
    for (const char *at = strstr(lines, bullet); at; at = strstr(at + 1, bullet)) {
        const char *name = at + strlen(bullet);
        size_t len = strcspn(name, "`");
        if (!is_explained(a, name, len))
            fail_msg("docs/FIDELITY.md explains %.*s, which no row knows", (int)len, name);
    }
}
