/* Plays a scene and writes its state. */
#include "tests/sim/scenes.h"

#include "base/link.h"
#include "cli/sight.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "kube/uuid.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"
#include "world/kubelet_proxy.h"

#include <errno.h>

enum { SCENE_SEED = 1, UUIDS_MAX = 4096 };

/* When a play begins. */
static const int64_t NEW_YEAR_2026_MS = 1767225600000, NS_PER_MS = 1000000;

void scene_stop_operator(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5 * SECOND_MS);
}

void scene_halt_chain(Play *p)
{
    Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1");
    int64_t now = world_now_ms(sim_world(play_sim(p)));

    then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
    play_run(p, 10 * MINUTE_MS);
}

/* --- what is kept: all that a view may look at, and no managedFields */

#define META                                                                                       \
    ".apiVersion", ".kind", ".metadata.name", ".metadata.namespace", ".metadata.uid",              \
        ".metadata.generation", ".metadata.creationTimestamp", ".metadata.deletionTimestamp",      \
        ".metadata.labels", ".metadata.annotations", ".metadata.ownerReferences",                  \
        ".metadata.finalizers"

static const char *const kept_whole[] = {META, ".spec", ".status", NULL};
static const char *const kept_set[] = {META, ".spec.replicas", ".status", NULL};
static const char *const kept_pod[] = {
    META, ".spec.nodeName", ".spec.containers[].name", ".spec.containers[].image", ".status", NULL};
static const char *const kept_revision[] = {META, ".revision", NULL};

static const struct {
    const char *member;
    const char *const *paths;
    bool is_list;
} prunings[] = {
    {"object", kept_whole, false},
    {"statefulSet", kept_set, false},
    {"claim", kept_whole, false},
    {"volume", kept_whole, false},
    {"pods", kept_pod, true},
    {"children", kept_whole, true},
    {"revisions", kept_revision, true},
};

static DraftField pruned(Arena *a, const Json *member)
{
    const char *key = json_key(member);
    const Json *element;

    for (size_t i = 0; i < array_count(prunings); i++) {
        if (!str_eq(prunings[i].member, key))
            continue;
        if (!prunings[i].is_list)
            return draft_json(key, json_project(a, member, prunings[i].paths));
        Draft *list = draft_array(a);
        json_each(element, member)
            draft_push_json(list, json_project(a, element, prunings[i].paths));
        return sub(key, list);
    }
    return draft_json(key, member);
}

/* The API of the simulated server, with seid behind the proxy of its pod. */
typedef struct Person {
    Api port;
    Play *play;
    Api *world;
} Person;

static Err *person_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    const Person *person = link_owner(Person, port, self);
    char namespace[64], id[128], path[64];
    Answer answer = {0};

    if (request->verb != VERB_RAW_GET
        || sscanf(request->raw_path,
               "/api/v1/namespaces/%63[^/]/pods/%127[^/]/proxy%63s",
               namespace,
               id,
               path)
            != 3)
        return api_call(person->world, a, request, ret);
    kubelet_proxy(play_kubelet(person->play),
        a,
        &(KubeletProxyQuery){namespace, id, path, world_now_ms(sim_world(play_sim(person->play)))},
        &answer);
    *ret = answer.body;
    return status_err(a, request, &answer);
}

static const Json *kept_of(Arena *a, const Json *sight)
{
    const Json *member;
    Draft *kept = draft_object(a);

    json_each(member, sight)
        draft_set(kept, pruned(a, member));
    return json_seal(a, kept);
}

/* What the commands read at this moment. */
static const Json *read_state(Play *p, const Scene *scene)
{
    Arena *a = play_arena(p);
    bool is_fleet = str_has_prefix(scene->name, "fleet-");
    ManualClock clock;
    int64_t now_ms = world_now_ms(sim_world(play_sim(p)));
    clock_manual_init(&clock, now_ms * NS_PER_MS, (NEW_YEAR_2026_MS + now_ms) * NS_PER_MS);
    Person person = {
        .port = {person_call},
        .play = p,
        .world = world_api(sim_world(play_sim(p)), "person"),
    };
    SightPort port = {
        .arena = a,
        .api = &person.port,
        .clock = &clock.port,
        .deadline_ms = now_ms + SIGHT_PATIENCE_MS,
        .namespace = PLAY_NAMESPACE,
        .asks_seid = true,
    };
    const Kind *kind = is_fleet ? kind_seinodedeployment : kind_seinode;
    const Json *object = play_find(p, kind, is_fleet ? SCENE_FLEET : SCENE_NODE);

    then_true(object != NULL);
    return kept_of(a, sight_take(&port, object));
}

/* --- the same UUIDs whatever the operator did before: numbers in the order of their appearance */

typedef struct Uuids {
    char known[UUIDS_MAX][UUID_SIZE];
    size_t count;
} Uuids;

static size_t number_of(Uuids *uuids, const char uuid[UUID_SIZE])
{
    for (size_t i = 0; i < uuids->count; i++)
        if (str_eq(uuids->known[i], uuid))
            return i;
    then_true(uuids->count < UUIDS_MAX);
    memcpy(uuids->known[uuids->count], uuid, UUID_SIZE);
    return uuids->count++;
}

static const char *with_numbered_uuids(Arena *a, const char *original)
{
    size_t len = strlen(original);
    char *text = memcpy(arena_alloc(a, len + 1), original, len + 1);
    Uuids *uuids = arena_alloc(a, sizeof *uuids);
    const char *end = text + len;
    char uuid[UUID_SIZE];

    for (char *at = text; end - at >= UUID_SIZE - 1; at++) {
        memcpy(uuid, at, UUID_SIZE - 1);
        uuid[UUID_SIZE - 1] = '\0';
        if (!uuid_is_valid(uuid))
            continue;
        snprintf(
            uuid, sizeof uuid, "%08zx-0000-4000-8000-000000000000", number_of(uuids, uuid) + 1);
        memcpy(at, uuid, UUID_SIZE - 1);
        at += UUID_SIZE - 2;
    }
    return text;
}

/* --- */

void scene_write(const Scene *scene, const char *path)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){
        .sim = {.seed = SCENE_SEED, .latency_max_ms = 1, .lag_max_ms = 1, .is_steady = true}});
    Arena *a = play_arena(p);

    scene->play(p);
    const char *text = with_numbered_uuids(a, json_pretty(a, read_state(p, scene)).data);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0)
        test_fail(__FILE__, __LINE__, "cannot write %s: %s", path, strerror(errno));
}
