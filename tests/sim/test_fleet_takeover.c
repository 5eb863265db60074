/* Taking over the fleets of the operator that came before, at rest and in the middle of a rollout:
 * what runs goes on running, what was begun is ended, and no pod is replaced that did not have to
 * be. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/sim/reference_fleet.h"
#include "tests/test.h"

static void given_fleet_of_the_reference(Play *p)
{
    replica_end(play_replica(p, 0));
    play_run(p, 5000);
    reference_create_fleet(p, "rpc");
    play_run(p, 60000);
}

static void take_over(Play *p)
{
    play_mark(p);
    replica_start(play_replica(p, 0));
    play_run(p, 5000);
}

static void then_at_rest(Play *p, const char *tags)
{
    const char *wrong = play_settle(p);

    if (wrong)
        play_tell(p);
    then_str(wrong, NULL);
    then_str(play_tags(p, "rpc"), tags);
    const Fleet *fleet = play_fleet(p, "rpc");
    then_int((int)fleet->status.counts.available, 3);
    then_true(fleet->status.rollout.target_hash == NULL);
    then_true(!fleet->status.has_plan);
    then_int(fleet->status.phase, FLEET_READY);
    then_str(play_crowd(p), NULL);
    then_int((int)kubelet_hazards(play_kubelet(p))->count, 0);
}

TEST(a_fleet_of_the_go_operator_at_rest_is_taken_over_and_nothing_restarts)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    given_fleet_of_the_reference(p);
    const char *volumes = play_volumes(p, "rpc"), *pods = play_pods(p, "rpc");
    const char *hash = play_fleet(p, "rpc")->status.template_hash;
    take_over(p);
    then_at_rest(p, "v1 v1 v1");
    then_int(play_pods_deleted(p), 0);
    then_str(play_pods(p, "rpc"), pods);
    then_str(play_volumes(p, "rpc"), volumes);
    then_str(play_fleet(p, "rpc")->status.template_hash, hash); /* O-10 */
    then_int(play_events(p, "rpc", "RolloutStarted", NULL), 0);
    then_str(play_broken_promise(p), NULL);
    play_mark(p);
    replica_crash(play_replica(p, 0));
    play_run(p, 600000);
    if (play_writes(p, -1, NULL))
        play_tell(p);
    then_int(play_writes(p, -1, NULL), 0);
}

TEST(a_fleet_that_was_taken_over_is_rolled_out_like_any_other_fleet)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    given_fleet_of_the_reference(p);
    const char *volumes = play_volumes(p, "rpc");
    take_over(p);
    then_at_rest(p, "v1 v1 v1");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
    then_int(play_most_down(p), 1);
    then_str(play_volumes(p, "rpc"), volumes);
}

TEST(a_fleet_that_was_taken_over_scales_in_both_directions)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_fleet_of_the_reference(p);
    const char *pods = play_pods(p, "rpc");
    take_over(p);
    play_scale_fleet(p, "rpc", 4);
    then_str(play_settle(p), NULL);
    then_int((int)play_fleet(p, "rpc")->status.counts.available, 4);
    play_scale_fleet(p, "rpc", 3);
    then_at_rest(p, "v1 v1 v1");
    then_str(play_pods(p, "rpc"), pods);
    then_int(play_pods_deleted(p), 0);
}

/* What others put there stays, and what the reference put there can be taken away again. */
TEST(after_the_takeover_the_fields_of_children_have_one_manager)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    given_fleet_of_the_reference(p);
    play_patch(p, kind_seinode, "rpc-1", "{metadata: {annotations: {note: 'mine'}}}");
    play_edit_fleet(p, "rpc", "{spec: {template: {metadata: {labels: {tier: 'gold'}}}}}");
    take_over(p);
    then_str(play_settle(p), NULL);
    then_str(meta_label(play_find(p, kind_seinode, "rpc-1"), "tier"), "gold");
    play_edit_fleet(p, "rpc", "{spec: {template: {metadata: {labels: {tier: null}}}}}");
    then_at_rest(p, "v1 v1 v1");
    const Json *node = play_find(p, kind_seinode, "rpc-1");
    then_true(meta_label(node, "tier") == NULL);
    then_str(meta_annotation(node, "note"), "mine");
    then_true(meta_has_finalizer(node, NODE_FINALIZER));
    then_int(play_pods_deleted(p), 0);
}

/* --- paused ------------------------------------------------------------------------------------
 */

#define PAUSED(word) "{spec: {paused: " word "}}"

static void pause_by_kubectl(Play *p, const char *name)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_seinode,
        .key = {PLAY_NAMESPACE, name},
        .manager = "kubectl-patch",
        .body = json_fixture(play_arena(p), PAUSED("true")),
    };
    Api *api = world_api(sim_world(play_sim(p)), "person");

    then_ok(api_call(api, play_arena(p), &request, NULL));
}

/* The reference paused the children with their fleet, and was not there any more when that was
 * resumed. */
TEST(children_that_were_paused_with_their_fleet_are_resumed_and_others_are_not)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    given_fleet_of_the_reference(p);
    const char *volumes = play_volumes(p, "rpc");
    pause_by_kubectl(p, "rpc-2");
    play_edit_fleet(p, "rpc", PAUSED("true"));
    for (int i = 0; i < 3; i++) {
        play_patch(p, kind_seinode, play_child(p, "rpc", i), PAUSED("true"));
        play_scale(p, play_child(p, "rpc", i), 0);
    }
    play_edit_fleet(p, "rpc", PAUSED("false"));
    play_run(p, 60000);
    take_over(p);
    then_str(play_settle(p), NULL);
    for (int i = 0; i < 3; i++) {
        then_true(play_node(p, play_child(p, "rpc", i))->spec.paused == (i == 2));
        then_true((play_find(p, kind_pod, play_child_pod(p, "rpc", i)) == NULL) == (i == 2));
    }
    then_str(play_volumes(p, "rpc"), volumes);
    play_patch(p, kind_seinode, "rpc-2", PAUSED("false"));
    then_at_rest(p, "v1 v1 v1");
}

/* The reference never wrote the sidecar's resources to nodes that exist: what is years old must not
 * roll because the operator is another one. */
TEST(changes_that_the_go_operator_never_rolled_are_reported_and_roll_with_the_next_edit)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_fleet_of_the_reference(p);
    play_edit_fleet(
        p, "rpc", "{spec: {template: {spec: {sidecar: {resources: {requests: {cpu: '1'}}}}}}}");
    take_over(p);
    then_at_rest(p, "v1 v1 v1");
    then_int(play_pods_deleted(p), 0);
    then_str(play_fleet_condition(p, "rpc", COND_UP_TO_DATE), "False");
    then_str(play_fleet_reason(p, "rpc", COND_UP_TO_DATE), "AdoptedDrift");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    then_int(play_pods_deleted(p), 3);
    const Json *node = play_find(p, kind_seinode, "rpc-1");
    then_str(json_str(node, ".spec.sidecar.resources.requests.cpu"), "1");
}

static bool is_as_it_was(Play *p, const char *tags)
{
    return str_eq(play_tags(p, "rpc"), tags)
        && !str_eq(play_reason(p, "rpc-0", COND_UP_TO_DATE), "AwaitsFleet");
}

static void then_an_edit_is_taken_back(Play *p, const char *tags)
{
    then_true(play_until(p, is_as_it_was, tags));
    then_str(play_settle(p), NULL);
    const char *pods = play_pods(p, "rpc");

    play_mark(p);
    play_patch(p, kind_seinode, "rpc-0", "{spec: {image: '" PLAY_IMAGE("v3") "'}}");
    play_run(p, 1000);
    then_true(play_until(p, is_as_it_was, tags));
    then_int(play_pods_deleted(p), 0);
    then_str(play_pods(p, "rpc"), pods);
}

/* No write of ours says what its pod may be made from; what the pod was taken over with does. */
TEST(a_manual_edit_of_a_child_below_the_partition_is_reverted_after_a_takeover)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    given_fleet_of_the_reference(p);
    take_over(p);
    then_at_rest(p, "v1 v1 v1");
    play_edit_fleet(p, "rpc", "{spec: {updateStrategy: {partition: 2}}}");
    then_an_edit_is_taken_back(p, "v1 v1 v1");
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_an_edit_is_taken_back(p, "v1 v1 v2");
    then_str(play_broken_promise(p), NULL);
}

/* --- in mid-rollout ----------------------------------------------------------------------------
 */

/* The reference has asked all nodes at once; those whose pods it has not deleted yet go on in their
 * turn. */

static const struct {
    const char *name;
    int replaced, left; /* pods that are still to be deleted; one is gone already */
} moments[] = {
    {"when all are about to lose their pods", -1, 3},
    {"when one has just lost its pod", 0, 2},
    {"when one has been replaced", 1, 1},
    {"when two have been replaced", 2, 0},
    {"when all have been replaced", 3, 0},
};

static void given_rollout_of_the_reference(Play *p, int replaced)
{
    given_fleet_of_the_reference(p);
    if (replaced < 0)
        reference_begin_rollout(p, "rpc");
    else
        reference_roll_fleet(p, "rpc", replaced);
}

TEST(a_rollout_of_the_go_operator_is_completed_under_the_budget_without_an_extra_restart)
{
    each_case(i, moments) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10 + (uint64_t)i}});

        given_rollout_of_the_reference(p, moments[i].replaced);
        const char *volumes = play_volumes(p, "rpc");
        take_over(p);
        then_at_rest(p, "v2 v2 v2");
        then_int(play_pods_deleted(p), moments[i].left);
        then_int(play_most_down(p), moments[i].left > 0);
        then_str(play_broken_promise(p), NULL);
        then_str(play_volumes(p, "rpc"), volumes);
        for (int n = 0; n < 3; n++)
            then_str(play_node(p, play_child(p, "rpc", n))->status.current_image, PLAY_IMAGE("v2"));
    }
}

/* O-5: which the reference could not do. */
TEST(a_rollout_of_the_go_operator_can_be_reverted)
{
    each_case(i, moments) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 20 + (uint64_t)i}});

        given_rollout_of_the_reference(p, moments[i].replaced);
        take_over(p);
        play_edit_fleet(p, "rpc", PLAY_TO("v1"));
        then_at_rest(p, "v1 v1 v1");
        then_str(play_broken_promise(p), NULL);
        for (int n = 0; n < 3; n++)
            then_str(play_node(p, play_child(p, "rpc", n))->status.current_image, PLAY_IMAGE("v1"));
    }
}
