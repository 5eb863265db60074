/* Specs of children that somebody else than their fleet has written: a person, or the operator that
 * came before, which writes all of them at once. No pod follows such a spec before it is the turn
 * of its node in the fleet, so that the budget holds whoever writes. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/reference_fleet.h"
#include "tests/test.h"

#include <string.h>

enum { THREE = 3 };

#define HOLD(word) "{spec: {updateStrategy: {hold: " word "}}}"
#define IMAGE(tag) "{spec: {image: '" PLAY_IMAGE(tag) "'}}"
#define HELD_WITH_SIDECAR                                                                          \
    "{spec: {updateStrategy: {hold: true},"                                                        \
    " template: {spec: {sidecar: {image: 'ghcr.io/example/seictl:v8', port: 7777}}}}}"
#define HELD_AND_RETAINED "{spec: {deletionPolicy: 'Retain', updateStrategy: {hold: true}}}"
#define TO_V2_AND_GO                                                                               \
    "{spec: {updateStrategy: {hold: false},"                                                       \
    " template: {spec: {image: '" PLAY_IMAGE("v2") "'}}}}"
#define AWAITS_FLEET "AwaitsFleet"

static void edit_children(Play *p, const char *change)
{
    for (int i = 0; i < THREE; i++)
        play_patch(p, kind_seinode, play_child(p, "rpc", i), change);
}

static bool all_await_their_fleet(Play *p, const char *fleet)
{
    for (int i = 0; i < THREE; i++)
        if (!str_eq(play_reason(p, play_child(p, fleet, i), COND_UP_TO_DATE), AWAITS_FLEET))
            return false;
    return true;
}

static void then_nothing_stopped(Play *p)
{
    then_int(play_pods_deleted(p), 0);
    then_str(play_broken_promise(p), NULL);
}

/* --- edits by hand -----------------------------------------------------------------------------
 */

/* The template has the last word, and nobody stops for what it does not say. */
TEST(manual_edits_of_all_children_are_reverted_and_no_pod_stops)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        play_given_fleet(p, "rpc", "{}");
        const char *pods = play_pods(p, "rpc");
        edit_children(p, IMAGE("v2"));
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_nothing_stopped(p);
        then_str(play_pods(p, "rpc"), pods);
    }
}

static const struct {
    const char *name, *change;
} edits[] = {
    {"the image", IMAGE("v2")},
    {"the sidecar", "{spec: {sidecar: {image: 'ghcr.io/example/seictl:v9', port: 7778}}}"},
};

/* What a held fleet lets nobody do, nobody does behind its back. */
TEST(edits_of_the_children_of_a_held_fleet_wait_and_report_what_they_wait_for)
{
    each_case(i, edits) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20 + (uint64_t)i}});

        play_given_fleet(p, "rpc", HELD_WITH_SIDECAR);
        edit_children(p, edits[i].change);
        then_true(play_until(p, all_await_their_fleet, "rpc"));
        play_run(p, 600000);
        then_nothing_stopped(p);
        then_str(play_condition(p, "rpc-1", COND_READY), "True");
        then_true(
            strstr(play_message(p, "rpc-1", COND_UP_TO_DATE), "the fleet of the node") != NULL);
        play_mark(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, NULL), 0);

        play_edit_fleet(p, "rpc", HOLD("false"));
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_nothing_stopped(p);
    }
}

#define VALIDATORS(block) "{spec: {template: {spec: {fullNode: null, validator: {" block "}}}}}"
#define KEYRING                                                                                    \
    "operatorKeyring: {secret: {secretName: 'ring', passphraseSecretRef: {secretName: 'word', "    \
    "key: 'k'}}}"
#define KEYS                                                                                       \
    "signingKey: {secret: {secretName: 'signing'}}, nodeKey: {secret: {secretName: 'node'}}"

static const struct {
    const char *name, *fleet, *change;
} additions[] = {
    {"a sidecar, where the template has none",
        "{}",
        "{spec: {sidecar: {image: 'ghcr.io/example/seictl:v9'}}}"},
    {"resources, where the template has none",
        HELD_WITH_SIDECAR,
        "{spec: {sidecar: {resources: {requests: {cpu: '9'}}}}}"},
    {"one of its resources",
        "{spec: {template: {spec: {sidecar: {image: 's:1', resources: {requests: {cpu: '1'}}}}}}}",
        "{spec: {sidecar: {resources: {requests: {memory: '9Gi'}}}}}"},
    {"a keyring, where the template has none",
        VALIDATORS(""),
        "{spec: {validator: {" KEYRING "}}}"},
    {"keys, where the template has none", VALIDATORS(""), "{spec: {validator: {" KEYS "}}}"},
    {"a keyring and a sidecar, where the template has neither",
        VALIDATORS(""),
        "{spec: {sidecar: {image: 'ghcr.io/example/seictl:v9'}, validator: {" KEYRING "}}}"},
};

static const char *what_can_be_added_to(Play *p, const char *node)
{
    static const char *const parts[] = {".spec.sidecar", ".spec.validator", NULL};
    Arena *a = play_arena(p);

    return json_write(a, json_project(a, play_find(p, kind_seinode, node), parts)).data;
}

/* No apply takes away what somebody else has added. */
TEST(manual_additions_to_children_are_removed)
{
    each_case(i, additions) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 25 + (uint64_t)i}});

        play_given_fleet(p, "rpc", additions[i].fleet);
        play_edit_fleet(p, "rpc", HOLD("false"));
        const char *before = what_can_be_added_to(p, "rpc-1");
        edit_children(p, additions[i].change);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_nothing_stopped(p);
        then_str(what_can_be_added_to(p, "rpc-1"), before);
    }
}

static const struct {
    const char *name, *change;
} edits_below[] = {
    {"to what nobody has", IMAGE("v3")},
    {"to what the canary has", IMAGE("v2")},
    {"by a sidecar of its own", "{spec: {sidecar: {image: 'ghcr.io/example/seictl:v9'}}}"},
};

static bool is_as_it_was(Play *p, const char *tags)
{
    return str_eq(play_tags(p, "rpc"), tags)
        && !json_find(play_find(p, kind_seinode, "rpc-0"), ".spec.sidecar")
        && str_eq(play_condition(p, "rpc-0", COND_UP_TO_DATE), "True");
}

static void then_edits_below_the_partition_are_taken_back(Play *p, const char *tags, const char *to)
{
    then_true(play_until(p, is_as_it_was, tags));
    play_run(p, 60000);
    const char *pods = play_pods(p, "rpc");

    play_mark(p);
    play_patch(p, kind_seinode, "rpc-0", to);
    play_patch(p, kind_seinode, "rpc-1", to);
    play_run(p, 1000);
    then_true(play_until(p, is_as_it_was, tags));
    then_nothing_stopped(p);
    then_str(play_pods(p, "rpc"), pods);
}

/* They keep the revision that they are on, whoever writes another. */
TEST(manual_edits_below_the_partition_are_reverted_and_no_pod_stops)
{
    each_case(i, edits_below) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 60 + (uint64_t)i}});

        play_given_fleet(p, "rpc", "{}");
        play_edit_fleet(p, "rpc", "{spec: {updateStrategy: {partition: 2}}}");
        then_edits_below_the_partition_are_taken_back(p, "v1 v1 v1", edits_below[i].change);
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        then_edits_below_the_partition_are_taken_back(p, "v1 v1 v2", edits_below[i].change);
        play_edit_fleet(p, "rpc", "{spec: {updateStrategy: {partition: 0}}}");
        then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    }
}

/* The edit is what the fleet is about to want: it then costs each pod one stop, as ever. */
TEST(an_edit_of_all_children_that_the_template_follows_is_rolled_out_one_by_one)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 30}});

    play_given_fleet(p, "rpc", HOLD("true"));
    edit_children(p, IMAGE("v2"));
    then_true(play_until(p, all_await_their_fleet, "rpc"));
    play_edit_fleet(p, "rpc", TO_V2_AND_GO);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), THREE);
    then_int(play_most_down(p), 1);
}

static const char *template_hash(Play *p, const char *pod)
{
    return meta_annotation(play_find(p, kind_pod, pod), ANNOTATION_TEMPLATE_HASH);
}

static bool has_lost_its_pod(Play *p, const char *node)
{
    return str_eq(play_condition(p, node, COND_READY), "False");
}

/* Who has no pod to lose waits for his turn like the others, and gets it. */
TEST(a_waiting_child_without_a_pod_is_released_in_its_turn)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 32}});

    play_given_fleet(p, "rpc", HOLD("true"));
    edit_children(p, IMAGE("v2"));
    then_true(play_until(p, all_await_their_fleet, "rpc"));
    play_order(p, "freeze sei/rpc-1-0");
    play_delete(p, kind_pod, "rpc-1-0");
    then_true(play_until(p, has_lost_its_pod, "rpc-1"));
    play_run(p, 60000);
    then_true(all_await_their_fleet(p, "rpc"));
    play_edit_fleet(p, "rpc", TO_V2_AND_GO);
    play_run(p, 60000);
    play_order(p, "thaw sei/rpc-1-0");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), THREE - 1);
}

/* Nor does the loss of a pod let an edit in, of which its image tells nothing. */
TEST(a_pod_that_is_lost_while_its_node_waits_is_recreated_from_the_old_spec)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 33}});

    play_given_fleet(p, "rpc", HELD_WITH_SIDECAR);
    const char *made_from = template_hash(p, "rpc-1-0");
    edit_children(p, edits[1].change);
    then_true(play_until(p, all_await_their_fleet, "rpc"));
    play_order(p, "freeze sei/rpc-1-0");
    play_delete(p, kind_pod, "rpc-1-0");
    then_true(play_until(p, has_lost_its_pod, "rpc-1"));
    play_run(p, 60000);
    play_order(p, "thaw sei/rpc-1-0");
    play_run(p, 600000);
    then_true(all_await_their_fleet(p, "rpc"));
    then_str(template_hash(p, "rpc-1-0"), made_from);
    play_mark(p);
    play_edit_fleet(p, "rpc", HOLD("false"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_nothing_stopped(p);
}

/* The sidecar that is to be approved never says that it was. */
TEST(a_waiting_child_whose_approval_never_ends_is_released_in_its_turn)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 36}});

    play_given_fleet(p, "rpc", HOLD("true"));
    edit_children(p, IMAGE("v2"));
    then_true(play_until(p, all_await_their_fleet, "rpc"));
    play_order(p, "task-takes sei/rpc-1-0 mark-ready 36000000");
    play_order(p, "kill-sidecar sei/rpc-1-0");
    play_run(p, 60000);
    then_int(play_tasks_posted(p, "mark-ready"), 1);
    then_true(play_node(p, "rpc-1")->status.plan.phase == PLAN_ACTIVE);
    then_true(all_await_their_fleet(p, "rpc"));
    play_order(p, "task-takes sei/rpc-1-0 mark-ready 1");
    play_edit_fleet(p, "rpc", TO_V2_AND_GO);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), THREE);
}

static bool one_waits_for_its_turn(Play *p, const char *name)
{
    const char *message = play_message(p, name, COND_UP_TO_DATE);

    return message && strstr(message, "waits for its turn");
}

/* Their budget goes with the fleet, and that of their chain takes its place. What moved is what
 * they ask for themselves all the same. */
TEST(children_that_their_deleted_fleet_leaves_waiting_are_updated_one_by_one)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 37}});

    play_given_fleet(p, "rpc", HELD_AND_RETAINED);
    edit_children(p, IMAGE("v2"));
    then_true(play_until(p, all_await_their_fleet, "rpc"));
    play_mark(p);
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, one_waits_for_its_turn, "rpc-0"));
    then_str(play_reason(p, "rpc-0", COND_UP_TO_DATE), "SpecDrift");
    then_str(play_node(p, "rpc-0")->status.drift.cause, "spec");
    then_true(strstr(play_message(p, "rpc-0", COND_RECONCILING), "its fleet is gone") != NULL);
    play_run(p, 1800000);
    then_int(play_pods_deleted(p), THREE);
    then_int(play_most_down(p), 1);
    for (int i = 0; i < THREE; i++)
        then_str(play_condition(p, play_child(p, "rpc", i), COND_UP_TO_DATE), "True");
}

static bool has_no_pod(Play *p, const char *pod)
{
    return !play_find(p, kind_pod, pod);
}

static void pause_child(Play *p)
{
    play_patch(p, kind_seinode, "rpc-1", "{spec: {paused: true}}");
    then_true(play_until(p, has_no_pod, "rpc-1-0"));
}

static const struct {
    const char *name;
    bool is_edited_first;
} pauses[] = {
    {"paused, then edited", false},
    {"edited, then paused", true},
};

/* Neither pausing nor its end is the turn of a node in its fleet. */
TEST(a_child_that_is_paused_while_it_waits_returns_with_its_old_spec)
{
    each_case(i, pauses) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 34 + (uint64_t)i}});

        play_given_fleet(p, "rpc", HELD_WITH_SIDECAR);
        const char *made_from = template_hash(p, "rpc-1-0");
        if (!pauses[i].is_edited_first)
            pause_child(p);
        edit_children(p, edits[1].change);
        play_run(p, 60000);
        if (pauses[i].is_edited_first)
            pause_child(p);
        play_run(p, 60000);
        then_true(has_no_pod(p, "rpc-1-0"));
        play_patch(p, kind_seinode, "rpc-1", "{spec: {paused: null}}");
        play_run(p, 600000);
        then_str(template_hash(p, "rpc-1-0"), made_from);
        then_true(all_await_their_fleet(p, "rpc"));
        play_mark(p);
        play_run(p, 600000);
        then_int(play_writes(p, -1, NULL), 0);
        play_edit_fleet(p, "rpc", HOLD("false"));
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
        then_nothing_stopped(p);
    }
}

/* It bears the spec that its fleet has written last, and that alone is released. */
TEST(a_child_carries_the_released_spec_that_its_fleet_wrote)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 31}});

    play_given_fleet(p, "rpc", "{}");
    for (int i = 0; i < THREE; i++)
        then_true(!fleet_child_is_unreleased(play_node(p, play_child(p, "rpc", i))));
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    for (int i = 0; i < THREE; i++)
        then_true(!fleet_child_is_unreleased(play_node(p, play_child(p, "rpc", i))));
}

/* --- the reference -----------------------------------------------------------------------------
 */

static void given_rollout_of_the_reference(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5000);
    reference_create_fleet(p, "rpc");
    play_run(p, 60000);
    reference_begin_rollout(p, "rpc");
}

static void take_over(Play *p)
{
    play_mark(p);
    replica_start(play_replica(p, 0));
}

TEST(a_rollout_of_the_go_operator_can_be_held)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 40}});

    given_rollout_of_the_reference(p);
    const char *pods = play_pods(p, "rpc");
    play_edit_fleet(p, "rpc", HOLD("true"));
    take_over(p);
    then_true(play_until(p, all_await_their_fleet, "rpc"));
    play_run(p, 600000);
    then_nothing_stopped(p);
    then_str(play_pods(p, "rpc"), pods);
    then_str(play_fleet_reason(p, "rpc", COND_READY), "Held");

    play_edit_fleet(p, "rpc", HOLD("false"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), THREE);
    then_int(play_most_down(p), 1);
}

/* A chain that stands still has nothing left to protect. */
TEST(a_halted_fleet_of_the_go_operator_is_updated_at_once)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 41}});
    Chain *chain = outside_chain(kubelet_outside(play_kubelet(p)), "pacific-1");

    given_rollout_of_the_reference(p);
    int64_t now = world_now_ms(sim_world(play_sim(p)));
    then_true(chain_schedule_upgrade(chain, chain_head(chain, now) + 10, "seid:v2"));
    play_run(p, 600000);
    play_order(p, "never-ready " PLAY_NAMESPACE "/rpc-2-0"); /* as one alone is */
    take_over(p);
    play_run(p, 90000);
    then_int(play_pods_deleted(p), THREE);
    play_order(p, "ready-again " PLAY_NAMESPACE "/rpc-2-0");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), THREE);
}

/* However often the operator that takes over dies. */
CAMPAIGN(a_rollout_of_the_go_operator_is_completed_despite_crashes_of_its_successor)
{
    for (uint64_t seed = 50; seed < 60; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}});

        given_rollout_of_the_reference(p);
        take_over(p);
        for (int i = 0; i < 12; i++) {
            play_run(p, 700 * (int)(seed - 49) + 311 * i);
            replica_crash(play_replica(p, 0));
        }
        then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
        then_int(play_pods_deleted(p), THREE);
        then_int(play_most_down(p), 1);
    }
}

/* --- admission ---------------------------------------------------------------------------------
 */

#define MIRROR "mirror.example/"

/* NULL: none, or one of the mirror. */
static const char *mirrored(Arena *a, const char *image)
{
    return image && !str_has_prefix(image, MIRROR) ? str_format(a, MIRROR "%s", image) : NULL;
}

/* A policy of the cluster that has images pulled through a mirror. */
static const Json *pull_through_mirror(void *self, Arena *a, const Kind *kind, const Json *object)
{
    const char *image = mirrored(a, json_str(object, ".spec.image"));
    const char *sidecar = mirrored(a, json_str(object, ".spec.sidecar.image"));
    Draft *of_sidecar = sidecar ? draft(a, str("image", sidecar)) : NULL;

    (void)self;
    if (!kind_eq(kind, kind_seinode))
        return object;
    return json_merge(a,
        object,
        json_seal(a, draft(a, obj("spec", str("image", image), sub("sidecar", of_sidecar)))));
}

TEST(a_fleet_whose_images_admission_changes_rolls_under_its_budget_and_names_them)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 60}});

    server_mutate(world_server(sim_world(play_sim(p))), pull_through_mirror, NULL);
    play_given_fleet(p,
        "rpc",
        "{spec: {template: {spec: {sidecar: {image: 'ghcr.io/example/seictl:v0.0.50'}}}}}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), THREE);
    then_int(play_most_down(p), 1);
    /* When they were made, and when they were updated. */
    then_int(play_events(p, "rpc", "ChildChangedByAdmission", NULL), 2 * THREE);
    const char *message = play_fleet_message(p, "rpc", COND_UP_TO_DATE);
    then_true(strstr(message,
                  "rpc-0 (spec.image: wanted " PLAY_IMAGE("v2") ", stored " MIRROR PLAY_IMAGE("v2"))
        != NULL);
    then_str(play_broken_promise(p), NULL);
}
