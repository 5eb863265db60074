/* A few nodes, a clumsy person and a bad network, by chance: whatever they do to each other, in the
 * end every node is what its spec says, on the volume it had, and no pod was deleted without a
 * reason. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/story.h"
#include "tests/test.h"

enum { NODES = 2 };

typedef struct NodeStory {
    Story base;
    int reasons; /* to replace a pod */
    const char *volumes[NODES];
} NodeStory;

/* --- the person --------------------------------------------------------------------------------
 */

/* The name of something of a node: what stands before and after the node's own. */
static const char *name_of(NodeStory *s, const char *before, int node, const char *after)
{
    return str_format(play_arena(s->base.play), "%srpc-%d%s", before, node, after);
}

static int chance(NodeStory *s, int below)
{
    return story_chance(&s->base, below);
}

static void request(NodeStory *s, Request request, const char *name, const char *body)
{
    story_try(&s->base, request, name, body);
}

static void patch_node(NodeStory *s, int node, const char *change)
{
    request(s,
        (Request){.verb = VERB_MERGE_PATCH, .kind = kind_seinode},
        name_of(s, "", node, ""),
        change);
}

static void order(NodeStory *s, const KubeletOrder *order)
{
    story_order(&s->base, order);
}

static void edit_image(NodeStory *s, int node)
{
    s->reasons++;
    patch_node(s,
        node,
        str_format(play_arena(s->base.play),
            "{spec: {image: 'ghcr.io/example/seid:v%d'}}",
            1 + chance(s, 3)));
}

static void edit_image_badly(NodeStory *s, int node)
{
    s->reasons++;
    patch_node(s, node, "{spec: {image: 'ghcr.io/example/seid:bad'}}");
}

static void restart(NodeStory *s, int node)
{
    s->reasons++;
    patch_node(s,
        node,
        str_format(play_arena(s->base.play),
            "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt':"
            " '2026-02-01T00:00:%02dZ'}}}",
            chance(s, 60)));
}

static void relabel(NodeStory *s, int node)
{
    patch_node(s,
        node,
        str_format(play_arena(s->base.play), "{spec: {podLabels: {team: 't%d'}}}", chance(s, 5)));
}

static void pause_node(NodeStory *s, int node)
{
    patch_node(s, node, "{spec: {paused: true}}");
}

static void unpause_node(NodeStory *s, int node)
{
    patch_node(s, node, "{spec: {paused: null}}");
}

static void scale(NodeStory *s, int node, int replicas)
{
    request(s,
        (Request){.verb = VERB_MERGE_PATCH, .kind = kind_statefulset, .subresource = "scale"},
        name_of(s, "", node, ""),
        str_format(play_arena(s->base.play), "{spec: {replicas: %d}}", replicas));
}

static void scale_down(NodeStory *s, int node)
{
    scale(s, node, 0);
}

static void scale_up(NodeStory *s, int node)
{
    scale(s, node, 1);
}

static void delete_statefulset(NodeStory *s, int node)
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

static void delete_service(NodeStory *s, int node)
{
    request(
        s, (Request){.verb = VERB_DELETE, .kind = kind_service}, name_of(s, "", node, ""), NULL);
}

static void delete_config(NodeStory *s, int node)
{
    request(s,
        (Request){.verb = VERB_DELETE, .kind = kind_configmap},
        name_of(s, "", node, "-rbac-proxy-config"),
        NULL);
}

static void delete_pod(NodeStory *s, int node)
{
    request(s, (Request){.verb = VERB_DELETE, .kind = kind_pod}, name_of(s, "", node, "-0"), NULL);
}

static void kill_sidecar(NodeStory *s, int node)
{
    order(s,
        &(KubeletOrder){
            .deed = DEED_KILL_SIDECAR, .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")}});
}

static void evict(NodeStory *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_EVICT, .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")}});
}

static void crash_seid(NodeStory *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_CRASH,
            .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")},
            .count = chance(s, 3)});
}

static void spoil_temper(NodeStory *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_TEMPER,
            .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")},
            .ms = 2000,
            .temper = (SidecarTemper)chance(s, TEMPER_WEDGED + 1)});
}

static void soothe_temper(NodeStory *s, int node)
{
    order(s,
        &(KubeletOrder){.deed = DEED_TEMPER, .pod = {PLAY_NAMESPACE, name_of(s, "", node, "-0")}});
}

static void crash_operator(NodeStory *s, int node)
{
    (void)node;
    story_crash_operator(&s->base);
}

static void freeze_operator(NodeStory *s, int node)
{
    (void)node;
    story_freeze_operator(&s->base);
}

static const struct {
    const char *name;
    void (*act)(NodeStory *s, int node);
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
    {"freezes the operator", freeze_operator},
};

static void act(NodeStory *s)
{
    size_t i = (size_t)story_deed(&s->base, array_count(deeds));
    int node = chance(s, NODES);

    story_tell(&s->base, "%s of rpc-%d", deeds[i].name, node);
    deeds[i].act(s, node);
    story_wait(&s->base);
}

/* The person comes to reason: what is asked for in the end can be had. */
static void come_to_reason(NodeStory *s)
{
    s->base.network.is_on = false;
    for (int i = 0; i < NODES; i++) {
        soothe_temper(s, i);
        unpause_node(s, i);
        edit_image(s, i);
    }
    play_run(s->base.play, 60000);
    for (int i = 0; i < NODES; i++) {
        const Json *set = play_find(s->base.play, kind_statefulset, name_of(s, "", i, ""));
        if (json_int(set, ".spec.replicas", 1) == 0)
            scale_up(s, i);
    }
}

/* --- what must be so in the end ----------------------------------------------------------------
 */

static const char *judge_node(NodeStory *s, int i)
{
    Play *p = s->base.play;
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

static const char *judge_story(NodeStory *s)
{
    Play *p = s->base.play;
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

static void begin(NodeStory *s)
{
    play_order(s->base.play, "bad-image seid:bad");
    for (int i = 0; i < NODES; i++)
        play_create_node(s->base.play, name_of(s, "", i, ""), "{}");
    then_str(play_settle(s->base.play), NULL);
    for (int i = 0; i < NODES; i++)
        s->volumes[i] = meta_uid(play_find(s->base.play, kind_pvc, name_of(s, "data-", i, "")));
    play_mark(s->base.play);
    s->base.network.is_on = true;
}

StoryEnd node_story(Arena *a, const StoryOptions *how)
{
    NodeStory s = {0};

    story_open(&s.base, how);
    begin(&s);
    for (int i = 0; i < s.base.length; i++)
        act(&s);
    come_to_reason(&s);
    return story_close(&s.base, a, judge_story(&s));
}
