/* A fleet grows at once and shrinks from its end, one node at a time; whoever retains finds the
 * data again when it grows back. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

enum { STEP_MS = 20, PATIENCE_MS = 300000, GROWN = 5 };

static const char to_five[] = "{spec: {replicas: 5}}";

/* Lets a fleet shrink to one node, looking at it all the time; NULL, or what is wrong. */
static const char *watch_shrinking(Play *p, int from)
{
    int lowest = from;

    for (int64_t ms = 0; ms < PATIENCE_MS && lowest > 1; ms += STEP_MS) {
        int leaving = 0;
        play_run(p, STEP_MS);
        lowest = 0;
        for (int i = 0; i < from; i++) {
            const Json *node = play_find(p, kind_seinode, play_child(p, "rpc", i));
            if (node && lowest < i)
                return str_format(play_arena(p), "rpc-%d went before rpc-%d", lowest, i);
            lowest += node != NULL;
            leaving += meta_deleting(node);
        }
        if (leaving > 1)
            return "two go at once";
        if (play_fleet(p, "rpc")->status.phase == FLEET_INITIALIZING)
            return "the phase is Initializing"; /* O-33 */
    }
    return lowest == 1 ? NULL : "it does not shrink";
}

TEST(a_fleet_shrinks_from_its_highest_ordinal_one_node_at_a_time)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", to_five);
    play_edit_fleet(p, "rpc", "{spec: {replicas: 1}}");
    then_str(watch_shrinking(p, GROWN), NULL);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_events(p, "rpc", "SeiNodeDeleted", NULL), 4);
    for (int i = 1; i < GROWN; i++)
        then_true(play_find(p, kind_pvc, play_child_volume(p, "rpc", i)) == NULL);
}

static bool has_lost_its_last(Play *p, const char *fleet)
{
    return !play_find(p, kind_seinode, play_child(p, fleet, GROWN - 1));
}

/* Whoever notices the mistake in time loses one node, not four. */
TEST(a_mistaken_scale_down_can_be_reverted_before_more_than_one_node_is_gone)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    play_given_fleet(p, "rpc", to_five);
    const char *volume = meta_uid(play_find(p, kind_pvc, "data-rpc-1"));
    play_edit_fleet(p, "rpc", "{spec: {replicas: 1}}");
    then_true(play_until(p, has_lost_its_last, "rpc"));
    play_edit_fleet(p, "rpc", to_five);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-1")), volume);
}

static bool has_a_fifth(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.counts.available == GROWN - 1
        && play_find(p, kind_seinode, play_child(p, fleet, GROWN - 1));
}

TEST(a_child_that_cannot_be_created_does_not_prevent_the_creation_of_others)
{
    Refusal refusal = {.node = "rpc-3", .status = 403};
    SCOPED_PLAY p = play_open(
        &(PlayOptions){.sim = {.seed = 9, .judge = refusal_judge, .judge_self = &refusal}});

    play_given_fleet(p, "rpc", "{}");
    refusal.armed = true;
    play_edit_fleet(p, "rpc", to_five);
    then_true(play_until(p, has_a_fifth, "rpc"));
    then_true(play_find(p, kind_seinode, "rpc-3") == NULL);
    then_true(strstr(play_fleet_message(p, "rpc", COND_RECONCILING), "rpc-3") != NULL);
    refusal.armed = false;
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 0);
}

TEST(a_fleet_grows_at_once_and_restarts_no_node)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_given_fleet(p, "rpc", "{}");
    const char *pods = play_pods(p, "rpc");
    play_edit_fleet(p, "rpc", to_five);
    play_run(p, 1000);
    then_true(!has_lost_its_last(p, "rpc"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_true(str_has_prefix(play_pods(p, "rpc"), pods)); /* O-25 */
    then_int(play_pods_deleted(p), 0);
}

/* O-31 */
TEST(kubectl_scale_works_in_both_directions)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_given_fleet(p, "rpc", "{}");
    const Fleet *fleet = play_fleet(p, "rpc");
    then_int((int)fleet->status.counts.replicas, 3);
    then_str(fleet->status.selector, LABEL_FLEET "=rpc");
    play_scale_fleet(p, "rpc", 4);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    play_scale_fleet(p, "rpc", 2);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_true(play_find(p, kind_seinode, "rpc-2") == NULL);
    then_int(play_pods_deleted(p), 0);
}

/* O-17 */
TEST(a_fleet_with_policy_retain_reuses_the_volumes_when_it_grows_again)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    play_given_fleet(p, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
    const char *volumes = play_volumes(p, "rpc");
    play_scale_fleet(p, "rpc", 1);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_true(play_find(p, kind_seinode, "rpc-1") == NULL);
    play_scale_fleet(p, "rpc", 3);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_volumes(p, "rpc"), volumes);
}

/* Ordinals that no fleet can have are beyond its end as well. */
TEST(a_child_with_an_ordinal_far_beyond_the_replicas_is_deleted_first)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    play_given_fleet(p, "rpc", "{spec: {deletionPolicy: 'Retain'}}");
    play_given_node_of(p, "rpc", "rpc-1000");
    const char *volume = meta_uid(play_find(p, kind_pvc, "data-rpc-1000"));
    play_scale_fleet(p, "rpc", 2);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_true(play_find(p, kind_seinode, "rpc-1000") == NULL);
    then_true(play_find(p, kind_seinode, "rpc-2") == NULL);
    then_int(play_events(p, "rpc", "SeiNodeDeleted", NULL), 2);
    then_str(meta_uid(play_find(p, kind_pvc, "data-rpc-1000")), volume);
}

TEST(a_fleet_that_grows_during_a_rollout_creates_nodes_from_the_new_template)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    play_given_fleet(p, "rpc", "{}");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 3000);
    play_edit_fleet(p, "rpc", to_five);
    play_run(p, 1000);
    then_str(json_str(play_find(p, kind_seinode, "rpc-4"), ".spec.image"), PLAY_IMAGE("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
}

TEST(a_fleet_that_shrinks_during_a_rollout_completes_it)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    play_given_fleet(p, "rpc", to_five);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    play_run(p, 3000);
    play_edit_fleet(p, "rpc", "{spec: {replicas: 2}}");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_true(play_find(p, kind_seinode, "rpc-2") == NULL);
    then_true(play_pods_deleted(p) <= GROWN);
}

/* Hours, with the data of a large chain. */
TEST(a_node_that_takes_long_to_initialize_does_not_fail_a_rollout)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 12}});

    play_given_fleet(
        p, "rpc", "{spec: {updateStrategy: {progressDeadlineSeconds: 60, onFailure: 'Rollback'}}}");
    play_order(p, "task-takes " PLAY_NAMESPACE "/rpc-3-0 config-apply 300000");
    play_edit_fleet(
        p, "rpc", "{spec: {replicas: 4, template: {spec: {image: '" PLAY_IMAGE("v2") "'}}}}");
    play_run(p, 200000);
    then_str(play_tags(p, "rpc"), "v1 v1 v1 v2");
    then_str(play_fleet_condition(p, "rpc", COND_STALLED), "False");
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_events(p, "rpc", "RolloutFailed", NULL), 0);
}
