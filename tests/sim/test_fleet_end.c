/* A fleet that is deleted takes its nodes and their data along, or leaves both as they are: as its
 * policy says, however the deletion is carried out. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/names.h"
#include "tests/sim/play_fleets.h"
#include "tests/test.h"

enum { END_MS = 120000, ORPHAN_SEEDS = 40 };

#define RETAIN "{spec: {deletionPolicy: 'Retain'}}"

static const struct {
    const char *name;
    Propagation how;
} ways[] = {
    {"in the background", PROPAGATION_BACKGROUND},
    {"in the foreground", PROPAGATION_FOREGROUND},
};

static const char *left_over(Play *p)
{
    if (play_find(p, kind_seinodedeployment, "rpc"))
        return "the fleet is still there";
    for (int i = 0; i < 3; i++)
        if (play_find(p, kind_seinode, play_child(p, "rpc", i))
            || play_find(p, kind_pod, play_child_pod(p, "rpc", i))
            || play_find(p, kind_pvc, play_child_volume(p, "rpc", i)))
            return str_format(play_arena(p), "something of rpc-%d is still there", i);
    return NULL;
}

TEST(a_deleted_fleet_deletes_its_nodes_and_their_data)
{
    each_case(i, ways) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1 + (uint64_t)i}});

        play_given_fleet(p, "rpc", "{}");
        play_delete_how(p, kind_seinodedeployment, "rpc", ways[i].how);
        play_run(p, END_MS);
        then_str(left_over(p), NULL);
    }
}

static bool is_gone(Play *p, const char *fleet)
{
    return play_find(p, kind_seinodedeployment, fleet) == NULL;
}

/* Of every volume and pod. */
static const char *uids(Play *p)
{
    const char *all = "";

    for (int i = 0; i < 3; i++)
        all = str_format(play_arena(p),
            "%s %s %s",
            all,
            meta_uid(play_find(p, kind_pvc, play_child_volume(p, "rpc", i))),
            meta_uid(play_find(p, kind_pod, play_child_pod(p, "rpc", i))));
    return all;
}

/* The garbage collector takes the owners off and then its own finalizer: whoever looks at the fleet
 * when that is done, and at nodes as they were before, must not take them for his to delete. */
CAMPAIGN(an_orphaning_deletion_deletes_nothing_however_late_the_watches_are)
{
    for (uint64_t seed = 1; seed <= ORPHAN_SEEDS; seed++) {
        SCOPED_PLAY p = play_open(
            &(PlayOptions){.sim = {.seed = seed, .lag_max_ms = 400, .latency_max_ms = 100}});

        play_given_fleet(p, "rpc", "{}");
        const char *all = uids(p);
        play_delete_how(p, kind_seinodedeployment, "rpc", PROPAGATION_ORPHAN);
        then_true(play_until(p, is_gone, "rpc"));
        play_run(p, END_MS);
        then_str(uids(p), all);
    }
}

/* Under Retain the nodes go on without their fleet. */
TEST(a_fleet_with_retained_nodes_is_recreated_with_the_same_volumes_and_pods)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    play_given_fleet(p, "rpc", RETAIN);
    const char *volumes = play_volumes(p, "rpc"), *pods = play_pods(p, "rpc");
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, is_gone, "rpc"));
    play_run(p, END_MS);
    for (int i = 0; i < 3; i++) {
        then_str(play_condition(p, play_child(p, "rpc", i), COND_READY), "True");
        then_true(meta_controller(play_find(p, kind_seinode, play_child(p, "rpc", i))) == NULL);
    }
    /* O-23: whoever comes back gets them. */
    play_create_fleet(p, "rpc", RETAIN);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_volumes(p, "rpc"), volumes);
    then_str(play_pods(p, "rpc"), pods);
    then_int(play_pods_deleted(p), 0);
}

/* The garbage collector goes by owners, not by names. */
TEST(a_deleted_fleet_with_policy_retain_keeps_nodes_of_any_name)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    play_given_fleet(p, "rpc", RETAIN);
    play_given_node_of(p, "rpc", "archive");
    play_run(p, END_MS);
    const char *volume = meta_uid(play_find(p, kind_pvc, "data-archive"));
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, is_gone, "rpc"));
    play_run(p, END_MS);
    then_str(play_condition(p, "archive", COND_READY), "True");
    then_true(meta_controller(play_find(p, kind_seinode, "archive")) == NULL);
    then_str(meta_uid(play_find(p, kind_pvc, "data-archive")), volume);
    then_str(play_broken_promise(p), NULL);
}

/* Argo CD deletes so: the garbage collector takes every dependent that blocks its owner. */
TEST(a_foreground_deletion_keeps_retained_volumes)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    play_given_fleet(p, "rpc", RETAIN);
    const char *volumes = play_volumes(p, "rpc");
    play_delete_how(p, kind_seinodedeployment, "rpc", PROPAGATION_FOREGROUND);
    then_true(play_until(p, is_gone, "rpc"));
    play_run(p, END_MS);
    then_str(play_broken_promise(p), NULL);
    play_create_fleet(p, "rpc", RETAIN);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_volumes(p, "rpc"), volumes);
}

/* The same with nobody there to say no. */
TEST(a_deletion_in_the_foreground_loses_no_retained_volume_while_the_operator_is_down)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    play_given_fleet(p, "rpc", RETAIN);
    const char *volumes = play_volumes(p, "rpc");
    replica_end(play_replica(p, 0));
    play_run(p, 10000);
    play_delete_how(p, kind_seinodedeployment, "rpc", PROPAGATION_FOREGROUND);
    play_run(p, END_MS);
    replica_start(play_replica(p, 0));
    then_true(play_until(p, is_gone, "rpc"));
    play_run(p, END_MS);
    then_str(play_broken_promise(p), NULL);
    play_create_fleet(p, "rpc", RETAIN);
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
    then_str(play_volumes(p, "rpc"), volumes);
}

static bool is_rolling(Play *p, const char *fleet)
{
    return str_eq(play_tags(p, fleet), "v1 v1 v2");
}

TEST(a_fleet_can_be_deleted_during_a_rollout)
{
    each_case(i, ways) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6 + (uint64_t)i}});

        play_given_fleet(p, "rpc", "{}");
        play_edit_fleet(p, "rpc", PLAY_TO("v2"));
        then_true(play_until(p, is_rolling, "rpc"));
        play_delete_how(p, kind_seinodedeployment, "rpc", ways[i].how);
        play_run(p, END_MS);
        then_str(left_over(p), NULL);
    }
}

/* O-34: the new one waits for the names of the old one. */
TEST(a_fleet_can_be_created_again_while_the_old_one_is_being_deleted)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

    play_given_fleet(p, "rpc", "{}");
    play_delete(p, kind_seinodedeployment, "rpc");
    then_true(play_until(p, is_gone, "rpc"));
    play_create_fleet(p, "rpc", "{}");
    then_str(play_fleet_trouble(p, "rpc", "v1"), NULL);
}
