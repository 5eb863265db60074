/* A fleet is set up whole, keeps what it made, refuses what is not its own, leaves alone what
 * others put onto its nodes, and says of itself what is true. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

#include <string.h>

TEST(a_new_fleet_gets_all_its_nodes)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    play_given_fleet(p, "rpc", "{}");
    for (int i = 0; i < 3; i++) {
        const Json *node = play_find(p, kind_seinode, play_child(p, "rpc", i));
        then_str(meta_label(node, LABEL_FLEET), "rpc");
        then_str(meta_label(node, LABEL_FLEET_ORDINAL), str_format(play_arena(p), "%d", i));
        then_str(meta_label(node, LABEL_CHAIN), "pacific-1");
        then_true(meta_controlled_by(node, play_find(p, kind_seinodedeployment, "rpc")));
    }
    then_int(play_events(p, "rpc", "SeiNodeCreated", NULL), 3);
    then_str(play_find(p, kind_seinode, "rpc-3") ? "there" : NULL, NULL);
}

TEST(fifty_nodes_are_created_at_once_and_listed_by_ordinal)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 2}});

    /* O-30: by ordinal, of which the tenth is not the second. */
    play_given_fleet(p, "rpc", "{spec: {replicas: 50}}");
    const Fleet *fleet = play_fleet(p, "rpc");
    then_int((int)fleet->status.node_count, 50);
    for (int i = 0; i < 50; i++)
        then_str(fleet->status.nodes[i].name, play_child(p, "rpc", i));
    then_int((int)json_count(fleet->status.incumbents), 50);
}

TEST(a_fleet_at_rest_sends_no_requests)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_given_fleet(p, "rpc", "{}");
    play_run(p, 600000);
    if (play_requests(p))
        play_tell(p);
    then_int(play_requests(p), 0);
}

TEST(a_restarted_operator_writes_nothing_to_a_fleet_at_rest)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_given_fleet(p, "rpc", "{}");
    for (int i = 0; i < 3; i++) {
        replica_crash(play_replica(p, 0));
        play_run(p, 5000);
        then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    }
    if (play_writes(p, -1, NULL))
        play_tell(p);
    then_int(play_writes(p, -1, NULL), 0);
}

TEST(a_deleted_child_is_created_again)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    play_given_fleet(p, "rpc", "{}");
    const char *uid = meta_uid(play_find(p, kind_seinode, "rpc-1"));
    play_delete(p, kind_seinode, "rpc-1");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_true(!str_eq(meta_uid(play_find(p, kind_seinode, "rpc-1")), uid));
    then_int(play_pods_deleted(p), 0);
}

static bool names_foreign_node(Play *p, const char *fleet)
{
    const char *message = play_fleet_message(p, fleet, COND_STALLED);

    return str_eq(play_fleet_condition(p, fleet, COND_STALLED), "True") && strstr(message, "rpc-1");
}

/* O-23 */
TEST(a_foreign_node_with_the_name_of_a_child_is_reported_and_never_edited)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    play_create_node(p, "rpc-1", "{}");
    then_str(play_settle(p), NULL);
    const Json *before = play_find(p, kind_seinode, "rpc-1");
    play_create_fleet(p, "rpc", PLAY_TO("v2"));
    then_true(play_until(p, names_foreign_node, "rpc"));
    play_run(p, 120000);
    const Json *after = play_find(p, kind_seinode, "rpc-1");
    then_int((int)meta_generation(after), (int)meta_generation(before));
    then_true(meta_controller(after) == NULL);
    then_true(
        json_equal(json_find(after, ".metadata.labels"), json_find(before, ".metadata.labels")));
    then_str(play_condition(p, "rpc-0", COND_READY), "True");
    then_str(play_condition(p, "rpc-2", COND_READY), "True");
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    play_delete(p, kind_seinode, "rpc-1");
    play_run(p, 60000);
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
}

/* Nobody is told of its end but the fleet that it says it is of. */
TEST(a_child_is_created_when_a_foreign_node_of_its_name_with_another_fleet_label_is_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 16}});

    play_create_node(p, "rpc-1", "{metadata: {labels: {'" LABEL_FLEET "': 'other'}}}");
    then_str(play_settle(p), NULL);
    play_create_fleet(p, "rpc", "{}");
    then_true(play_until(p, names_foreign_node, "rpc"));
    play_run(p, 600000);
    play_delete(p, kind_seinode, "rpc-1");
    play_run(p, 60000);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
}

/* O-24 */
TEST(labels_and_annotations_of_other_managers_stay_on_a_child)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 7}});

    play_given_fleet(p, "rpc", "{spec: {template: {metadata: {labels: {tier: 'gold'}}}}}");
    play_patch(p,
        kind_seinode,
        "rpc-1",
        "{metadata: {labels: {team: 'blue'}, annotations: {'argocd.io/tracking-id': 'x'}}}");
    play_edit_fleet(p, "rpc", "{spec: {template: {metadata: {labels: {tier: 'silver'}}}}}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    play_edit_fleet(p, "rpc", PLAY_TO("v2"));
    then_str(play_fleet_trouble(p, "rpc", "v2"), NULL);
    const Json *node = play_find(p, kind_seinode, "rpc-1");
    then_str(meta_label(node, "team"), "blue");
    then_str(meta_annotation(node, "argocd.io/tracking-id"), "x");
    then_str(meta_label(node, "tier"), "silver");
}

static bool is_short_of_one(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.counts.available == 2;
}

static bool is_whole(Play *p, const char *fleet)
{
    return play_fleet(p, fleet)->status.counts.available == 3;
}

/* O-4, O-32: phases are never taken back; pods are. */
TEST(a_pod_that_becomes_unready_is_not_counted_as_available)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    play_given_fleet(p, "rpc", "{}");
    then_str(play_fleet_condition(p, "rpc", COND_AVAILABLE), "True");
    play_order(p, "never-ready sei/rpc-1-0");
    then_true(play_until(p, is_short_of_one, "rpc"));
    const Fleet *fleet = play_fleet(p, "rpc");
    then_int((int)fleet->status.counts.unavailable, 1);
    then_int((int)fleet->status.counts.ready, 3);
    then_str(play_fleet_condition(p, "rpc", COND_READY), "False");
    then_true(strstr(play_fleet_message(p, "rpc", COND_READY), "rpc-1") != NULL);
    play_order(p, "ready-again sei/rpc-1-0");
    then_true(play_until(p, is_whole, "rpc"));
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_int(play_pods_deleted(p), 0);
}
