/* A fleet, a clumsy person and a bad network, by chance: whatever they do to each other, at no
 * moment does the operator take down more than it may, no pod goes twice for one revision, no
 * volume is lost; and in the end every node is what the template says. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/story.h"
#include "tests/test.h"
#include "world/order.h"

enum { NODES = 4 };

typedef struct FleetStory {
    Story base;
    SeededRng meddler;
    bool is_meddled_with; /* somebody else edits children by hand */
} FleetStory;

/* --- the person --------------------------------------------------------------------------------
 */

typedef enum Target { OF_FLEET, OF_CHILD, OF_POD, OF_OPERATOR } Target;

typedef struct Deed {
    const char *name;
    Target target;
    const char *change; /* a patch; an order; CPUs to be given, or FROZEN; NULL: it is deleted, or
                         * crashed */
} Deed;

#define FROZEN           "frozen"
#define TEMPLATE(change) "{spec: {template: {" change "}}}"
#define STRATEGY(change) "{spec: {updateStrategy: {" change "}}}"

static const Deed deeds[] = {
    {"rolls to v1", OF_FLEET, PLAY_TO("v1")},
    {"rolls to v2", OF_FLEET, PLAY_TO("v2")},
    {"rolls to v3", OF_FLEET, PLAY_TO("v3")},
    {"rolls to what cannot be pulled", OF_FLEET, PLAY_TO("bad")},
    {"rolls the sidecar", OF_FLEET, TEMPLATE("spec: {sidecar: {image: 'example.com/seictl:v9'}}")},
    {"rolls the sidecar back", OF_FLEET, TEMPLATE("spec: {sidecar: null}")},
    {"relabels", OF_FLEET, TEMPLATE("spec: {podLabels: {team: 'blue'}}")},
    {"relabels back", OF_FLEET, TEMPLATE("spec: {podLabels: null}")},
    {"asks for two", OF_FLEET, "{spec: {replicas: 2}}"},
    {"asks for three", OF_FLEET, "{spec: {replicas: 3}}"},
    {"asks for four", OF_FLEET, "{spec: {replicas: 4}}"},
    {"holds", OF_FLEET, STRATEGY("hold: true")},
    {"lets go", OF_FLEET, STRATEGY("hold: false")},
    {"makes a canary", OF_FLEET, STRATEGY("partition: 2")},
    {"promotes it", OF_FLEET, STRATEGY("partition: 0")},
    {"allows two", OF_FLEET, STRATEGY("maxUnavailable: 2")},
    {"allows one", OF_FLEET, STRATEGY("maxUnavailable: 1")},
    {"is patient", OF_FLEET, STRATEGY("minReadySeconds: 20")},
    {"is impatient", OF_FLEET, STRATEGY("minReadySeconds: 0, progressDeadlineSeconds: 30")},
    {"wants failures rolled back", OF_FLEET, STRATEGY("onFailure: 'Rollback'")},
    {"pauses", OF_FLEET, "{spec: {paused: true}}"},
    {"unpauses", OF_FLEET, "{spec: {paused: false}}"},
    {"unpauses", OF_FLEET, "{spec: {paused: false}}"},
    {"deletes", OF_CHILD, NULL},
    {"pauses", OF_CHILD, "{spec: {paused: true}}"},
    {"unpauses", OF_CHILD, "{spec: {paused: false}}"},
    {"labels", OF_CHILD, "{metadata: {labels: {mine: 'yes'}}}"},
    {"deletes", OF_POD, NULL},
    {"makes sick", OF_POD, "never-ready"},
    {"cures", OF_POD, "ready-again"},
    {"evicts", OF_POD, "evict"},
    {"kills the sidecar of", OF_POD, "kill-sidecar"},
    {"crashes", OF_OPERATOR, NULL},
    {"upgrades", OF_OPERATOR, "8"},
    {"downgrades", OF_OPERATOR, "6"},
    {"freezes", OF_OPERATOR, FROZEN},
};

static const char *pod_of(FleetStory *s, int node)
{
    return play_child_pod(s->base.play, "rpc", node);
}

static void ask(FleetStory *s, const Kind *kind, const char *name, const char *change)
{
    Request request = {.verb = change ? VERB_MERGE_PATCH : VERB_DELETE, .kind = kind};

    story_try(&s->base, request, name, change);
}

/* Some need a container that runs. */
static void order_pod(FleetStory *s, int node, const char *words)
{
    Arena *a = play_arena(s->base.play);
    KubeletOrder order;

    then_ok(
        order_parse(a, str_format(a, "%s " PLAY_NAMESPACE "/%s", words, pod_of(s, node)), &order));
    story_order(&s->base, &order);
}

static void do_deed(FleetStory *s, const Deed *deed, int node)
{
    switch (deed->target) {
    case OF_FLEET:
        ask(s, kind_seinodedeployment, "rpc", deed->change);
        return;
    case OF_CHILD:
        ask(s, kind_seinode, play_child(s->base.play, "rpc", node), deed->change);
        return;
    case OF_POD:
        if (deed->change)
            order_pod(s, node, deed->change);
        else
            ask(s, kind_pod, pod_of(s, node), NULL);
        return;
    case OF_OPERATOR:
        if (!deed->change)
            story_crash_operator(&s->base);
        else if (str_eq(deed->change, FROZEN))
            story_freeze_operator(&s->base);
        else
            play_upgrade(s->base.play, deed->change);
        return;
    }
}

static void act(FleetStory *s)
{
    static const char *const whose[] = {"the fleet", "node", "the pod of node", "the operator"};
    const Deed *deed = &deeds[story_deed(&s->base, array_count(deeds))];
    int node = story_chance(&s->base, NODES);

    story_tell(&s->base, "%s: %s %d", deed->name, whose[deed->target], node);
    do_deed(s, deed, node);
    story_wait(&s->base);
}

/* What is the template's to say. */
static void meddle(FleetStory *s)
{
    static const char *const edits[] = {
        "{spec: {image: '" PLAY_IMAGE("v5") "'}}",
        "{spec: {image: '" PLAY_IMAGE("bad") "'}}",
        "{spec: {sidecar: {image: 'example.com/seictl:v7'}}}",
    };
    int edit = (int)rng_below(&s->meddler.port, 3 * array_count(edits));
    int node = (int)rng_below(&s->meddler.port, NODES);

    if (!s->is_meddled_with || edit >= (int)array_count(edits))
        return;
    story_tell(&s->base, "somebody else edits node %d", node);
    ask(s, kind_seinode, play_child(s->base.play, "rpc", node), edits[edit]);
}

/* The person comes to reason: what is asked for in the end can be had. */
static void come_to_reason(FleetStory *s)
{
    s->base.network.is_on = false;
    for (int i = 0; i < NODES; i++) {
        order_pod(s, i, "ready-again");
        if (play_find(s->base.play, kind_seinode, play_child(s->base.play, "rpc", i)))
            ask(s, kind_seinode, play_child(s->base.play, "rpc", i), "{spec: {paused: false}}");
    }
    play_edit_fleet(s->base.play,
        "rpc",
        "{spec: {paused: false, updateStrategy: {hold: false, partition: 0, minReadySeconds: 0,"
        " progressDeadlineSeconds: null, onFailure: null},"
        " template: {spec: {image: '" PLAY_IMAGE("v9") "'}}}}");
    play_run(s->base.play, 60000);
    for (int i = 0; i < NODES; i++) /* one that was not there before */
        order_pod(s, i, "ready-again");
}

/* --- what must be so in the end ----------------------------------------------------------------
 */

static const char *judge_story(FleetStory *s)
{
    Play *p = s->base.play;
    const char *wrong = play_fleet_trouble(p, "rpc", "v9");

    if (wrong)
        return wrong;
    play_mark(p);
    play_run(p, 120000);
    return play_requests(p) ? "it came to rest and asks all the same" : NULL;
}

StoryEnd fleet_story(Arena *a, const StoryOptions *how)
{
    FleetStory s = {
        .base = {.network = {.is_prompt = !how->is_storm}}, .is_meddled_with = how->seed % 2};

    story_open(&s.base, how);
    rng_seed(&s.meddler, how->seed);
    play_order(s.base.play, "bad-image seid:bad");
    play_given_fleet(s.base.play, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
    s.base.network.is_on = true;
    for (int i = 0; i < s.base.length; i++) {
        act(&s);
        meddle(&s);
    }
    come_to_reason(&s);
    return story_close(&s.base, a, judge_story(&s));
}
