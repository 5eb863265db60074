/* A few nodes, a clumsy person and a bad network, by chance: whatever they do to each other, in the
 * end every node is what its spec says, on the volume it had, and no pod was deleted without a
 * reason.
 *
 * Each seed is another story. SEI_CAMPAIGN=<n> plays so many, SEI_CAMPAIGN_FROM=<seed> from there;
 * with SEI_CAMPAIGN_TELL what the person does is printed. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/sim/rough.h"
#include "tests/test.h"

enum { NODES = 2, DEEDS = 14, STORIES = 12, PAUSE_MAX_MS = 25000 };

typedef struct Story {
    Play *play;
    SeededRng person;
    Rough network;
    int reasons; /* to replace a pod */
    const char *volumes[NODES];
    bool tells;
} Story;

/* --- the person --------------------------------------------------------------------------------
 */

/* The name of something of a node: what stands before and after the node's own. */
static const char *name_of(Story *s, const char *before, int node, const char *after)
{
    return str_format(play_arena(s->play), "%srpc-%d%s", before, node, after);
}

static int chance(Story *s, int below)
{
    return (int)rng_below(&s->person.port, (uint64_t)below);
}

/* What is refused is no matter: the object may not be there. */
static void request(Story *s, Request request, const char *name, const char *body)
{
    request.key = (Key){.namespace = PLAY_NAMESPACE, .name = name};
    play_try(s->play, request, body);
}

static void patch_node(Story *s, int node, const char *change)
{
    request(s,
        (Request){.verb = VERB_MERGE_PATCH, .kind = kind_seinode},
        name_of(s, "", node, ""),
        change);
}

static void order(Story *s, const KubeletOrder *order)
{
    World *w = sim_world(play_sim(s->play));

    kubelet_order(play_kubelet(s->play), order, world_now_ms(w));
    world_wake(w, kubelet_actor(play_kubelet(s->play)));
}

static void edit_image(Story *s, int node)
{
    s->reasons++;
    patch_node(s,
        node,
        str_format(
            play_arena(s->play), "{spec: {image: 'ghcr.io/example/seid:v%d'}}", 1 + chance(s, 3)));
}

static void edit_image_badly(Story *s, int node)
{
    s->reasons++;
    patch_node(s, node, "{spec: {image: 'ghcr.io/example/seid:bad'}}");
}

static void restart(Story *s, int node)
{
    s->reasons++;
    patch_node(s,
        node,
        str_format(play_arena(s->play),
            "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt':"
            " '2026-02-01T00:00:%02dZ'}}}",
            chance(s, 60)));
}

static void relabel(Story *s, int node)
{
    patch_node(s,
        node,
        str_format(play_arena(s->play), "{spec: {podLabels: {team: 't%d'}}}", chance(s, 5)));
}

static void pause_node(Story *s, int node)
{
    patch_node(s, node, "{spec: {paused: true}}");
}

static void unpause_node(Story *s, int node)
{
    patch_node(s, node, "{spec: {paused: null}}");
}

static void scale(Story *s, int node, int replicas)
{
    request(s,
        (Request){.verb = VERB_MERGE_PATCH, .kind = kind_statefulset, .subresource = "scale"},
        name_of(s, "", node, ""),
        str_format(play_arena(s->play), "{spec: {replicas: %d}}", replicas));
}

static void scale_down(Story *s, int node)
{
    scale(s, node, 0);
}

static void scale_up(Story *s, int node)
{
    scale(s, node, 1);
}

static void delete_statefulset(Story *s, int node)
{
    static const Propagation ways[] = {
        PROPAGATION_BACKGROUND, PROPAGATION_FOREGROUND, PROPAGATION_ORPHAN};

    request(s,
        (Request){.verb = VERB_DELETE,
            .kind = kind_statefulset,
            .propagation = ways[chance(s, (int)array_count(ways))]},
        name_of(s, "", node, ""),
        NULL);
}

static void delete_service(Story *s, int node)
{
    request(
        s, (Request){.verb = VERB_DELETE, .kind = kind_service}, name_of(s, "", node, ""), NULL);
}

static void delete_config(Story *s, int node)
{
    request(s,
        (Request){.verb = VERB_DELETE, .kind = kind_configmap},
        name_of(s, "", node, "-rbac-proxy-config"),
        NULL);
}

static void delete_pod(Story *s, int node)
{
    request(s, (Request){.verb = VERB_DELETE, .kind = kind_pod}, name_of(s, "", node, "-0"), NULL);
}

static void kill_sidecar(Story *s, int node)
{
    order(s,
        &(KubeletOrder){
            .deed = DEED_KILL_SIDECAR, .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")}});
}

static void evict(Story *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_EVICT, .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")}});
}

static void crash_seid(Story *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_CRASH,
            .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")},
            .count = chance(s, 3)});
}

static void spoil_temper(Story *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_TEMPER,
            .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")},
            .ms = 2000,
            .temper = (SidecarTemper)chance(s, TEMPER_WEDGED + 1)});
}

static void soothe_temper(Story *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_TEMPER, .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")}});
}

static void crash_operator(Story *s, int node)
{
    (void)node;
    replica_crash(play_replica(s->play, 0));
}

static const struct {
    const char *name;
    void (*act)(Story *s, int node);
} deeds[] = {
    {"edits the image", edit_image},
    {"edits the image", edit_image},
    {"edits the image badly", edit_image_badly},
    {"asks for a restart", restart},
    {"relabels", relabel},
    {"pauses", pause_node},
    {"unpauses", unpause_node},
    {"unpauses", unpause_node},
    {"scales down", scale_down},
    {"scales up", scale_up},
    {"scales up", scale_up},
    {"deletes the StatefulSet", delete_statefulset},
    {"deletes the Service", delete_service},
    {"deletes the ConfigMap", delete_config},
    {"deletes the pod", delete_pod},
    {"kills the sidecar", kill_sidecar},
    {"evicts the pod", evict},
    {"crashes seid", crash_seid},
    {"spoils the sidecar's temper", spoil_temper},
    {"soothes the sidecar", soothe_temper},
    {"crashes the operator", crash_operator},
};

static void act(Story *s)
{
    size_t i = (size_t)chance(s, (int)array_count(deeds));
    int node = chance(s, NODES);

    if (s->tells)
        print_message("# %7d ms: somebody %s of rpc-%d\n",
            (int)world_now_ms(sim_world(play_sim(s->play))),
            deeds[i].name,
            node);
    deeds[i].act(s, node);
    /* Often the next thing happens while this one is being noticed. */
    play_run(s->play, chance(s, 2) ? chance(s, 500) : chance(s, PAUSE_MAX_MS));
}

/* The person comes to reason: what is asked for in the end can be had. */
static void come_to_reason(Story *s)
{
    s->network.is_on = false;
    for (int i = 0; i < NODES; i++) {
        soothe_temper(s, i);
        unpause_node(s, i);
        edit_image(s, i);
    }
    play_run(s->play, 60000);
    for (int i = 0; i < NODES; i++) {
        const Json *set = play_find(s->play, kind_statefulset, name_of(s, "", i, ""));
        if (json_int(set, ".spec.replicas", 1) == 0)
            scale_up(s, i);
    }
}

/* --- what must be so in the end ----------------------------------------------------------------
 */

static const char *judge_node(Story *s, int i)
{
    Play *p = s->play;
    const char *name = name_of(s, "", i, "");
    const SeiNode *node = play_node(p, name);
    const Json *pod = play_find(p, kind_pod, name_of(s, "", i, "-0"));

    if (!str_eq(meta_uid(play_find(p, kind_pvc, name_of(s, "data-", i, ""))), s->volumes[i]))
        return "the volume is another one";
    if (node->status.phase != PHASE_RUNNING)
        return "the node is not Running";
    if (!str_eq(play_condition(p, name, COND_READY), "True"))
        return "the node is not Ready";
    if (!str_eq(play_condition(p, name, COND_STALLED), "False"))
        return "the node is stalled";
    if (!str_eq(play_condition(p, name, COND_UP_TO_DATE), "True"))
        return "the node is not up to date";
    if (!str_eq(node->status.current_image, node->spec.image))
        return "the recorded image is not that of the spec";
    if (!str_eq(node->status.pod_template_hash, meta_annotation(pod, ANNOTATION_TEMPLATE_HASH)))
        return "the recorded template is not that of the pod";
    if (!str_eq(meta_label(pod, "team"), json_str(node->spec.pod_labels, ".team")))
        return "the pod does not have the labels of the spec";
    return NULL;
}

static const char *judge_story(Story *s)
{
    Play *p = s->play;
    const char *wrong = play_settle(p);

    for (int i = 0; i < NODES && !wrong; i++)
        wrong = judge_node(s, i);
    if (!wrong && kubelet_hazards(play_kubelet(p))->count)
        wrong = hazards_newest(kubelet_hazards(play_kubelet(p)));
    if (!wrong && play_pods_deleted(p) > s->reasons)
        wrong = "more pods were deleted than there were reasons";
    if (!wrong && play_tasks_posted(p, NULL) != play_tasks_posted(p, "mark-ready"))
        wrong = "a running node was set up again";
    if (!wrong && play_wrote_beside(p, "rpc"))
        wrong = play_wrote_beside(p, "rpc");
    play_mark(p);
    play_run(p, 120000);
    if (!wrong && play_requests(p))
        wrong = "it came to rest and asks all the same";
    return wrong;
}

static void begin(Story *s)
{
    play_order(s->play, "bad-image seid:bad");
    for (int i = 0; i < NODES; i++)
        play_create_node(s->play, name_of(s, "", i, ""), "{}");
    then_str(play_settle(s->play), NULL);
    for (int i = 0; i < NODES; i++)
        s->volumes[i] = meta_uid(play_find(s->play, kind_pvc, name_of(s, "data-", i, "")));
    play_mark(s->play);
    s->network.is_on = true;
}

static void play_story(uint64_t seed)
{
    Story s = {
        .tells = getenv("SEI_CAMPAIGN_TELL") != NULL, /* NOLINT(concurrency-mt-unsafe) */
    };
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = seed, .judge = rough_judge, .judge_self = &s.network}});

    s.play = p;
    rng_seed(&s.person, seed);
    rng_seed(&s.network.rng, ~seed);
    begin(&s);
    for (int i = 0; i < DEEDS; i++)
        act(&s);
    come_to_reason(&s);
    const char *wrong = judge_story(&s);
    if (wrong)
        print_error("seed %llu: %s\n", (unsigned long long)seed, wrong);
    if (wrong && s.tells)
        play_tell(p);
    then_str(wrong, NULL);
}

TEST(whatever_people_and_networks_do_every_node_is_right_in_the_end)
{
    uint64_t from = rough_number("SEI_CAMPAIGN_FROM", 1);
    uint64_t count = rough_number("SEI_CAMPAIGN", STORIES);

    for (uint64_t seed = from; seed < from + count; seed++)
        play_story(seed);
}

/* --- stories that once went wrong --------------------------------------------------------------
 */

TEST(an_evicted_pod_that_is_gone_before_its_kubelet_knows_stops_no_clock)
{
    play_story(309);
}
