/* Rig: the real server is told to forget, and what both sides know of definitions is put there,
 * before anybody plays. */
#include "tests/e2e/fidelity_rig.h"

#include "tests/crds/crds.h"
#include "tests/e2e/scene.h"

/* --- the two servers --- */

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

static void open_player(Rig *rig, Player *p)
{
    *p = (Player){.rig = rig, .live = live_open(rig->arena, controlplane_admin(rig->cp))};
    Transport *transport = client_transport(p->live->client);
    p->streams = transport->open_streams(transport);
}

static void close_player(Player *p)
{
    Transport *transport = client_transport(p->live->client);

    transport->close_streams(transport, p->streams);
    live_close(p->live);
}

Rig *rig_open(Arena *a)
{
    static const Kind *const kinds[] = {crd_seinode, crd_seinodedeployment};
    Rig *rig = arena_new(a, Rig);
    ControlplaneOptions options = {.flags[COMPONENT_APISERVER] = no_cache};

    rig->arena = a;
    then_ok(controlplane_open(a, &options, &rig->cp));
    scene_begin(rig->cp);
    for (size_t i = 0; i < FIDELITY_PLAYERS; i++)
        open_player(rig, &rig->players[i]);
    Ctx *admin = &rig->players[0].live->ctx;
    then_ok(controlplane_stop(rig->cp, a, COMPONENT_CONTROLLER_MANAGER));
    for (size_t i = 0; i < array_count(kinds); i++) {
        rig->crds[i] = crd_load(a, kinds[i]);
        then_ok(kube_create(admin, kind_crd, rig->crds[i], NULL));
        eventually(is_served(rig, kinds[i]));
    }
    then_ok(kube_create(admin, kind_class, json_fixture(a, fast_class), NULL));
    /* What it remembers begins now, so that the version 1 is too old for every kind. */
    then_ok(controlplane_compact(rig->cp, a));
    then_ok(controlplane_stop(rig->cp, a, COMPONENT_APISERVER));
    then_ok(controlplane_start(rig->cp, a, COMPONENT_APISERVER));
    for (size_t i = 0; i < array_count(kinds); i++)
        eventually(is_served(rig, kinds[i]));
    return rig;
}

void rig_close(Rig *rig)
{
    for (size_t i = 0; i < FIDELITY_PLAYERS; i++)
        close_player(&rig->players[i]);
    controlplane_close(rig->cp);
}

static Side *real_side(Player *p, Arena *a, const char *namespace)
{
    Side *side = arena_new(a, Side);

    *side = (Side){.arena = a, .namespace = namespace, .streams = p->streams, .cp = p->rig->cp};
    side_begin(side);
    return side;
}

static Side *world_side(const Rig *rig, Arena *a, const char *namespace)
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

Difference player_play(Player *p, Arena *a, const Steps *steps)
{
    const char *namespace = str_format(a, "f%zu", atomic_fetch_add(&p->rig->namespaces, 1));
    Side *real = real_side(p, a, namespace), *world = world_side(p->rig, a, namespace);
    Difference d = {0};

    compare(world, real, steps, &d);
    side_end(world);
    side_end(real);
    return d;
}
