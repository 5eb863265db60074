/* Two nodes that name one data volume: never do two pods live on it, whenever the nodes are created
 * or unpaused, and wherever the operator dies; and one of the two runs in the end. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "tests/sim/play_modes.h"
#include "tests/sim/strike.h"
#include "tests/test.h"

#include <string.h>

enum { REST_MS = 40000, BY_JOB = 8 };

#define IMPORT   "dataVolume: {import: {pvcName: 'data-rpc-0'}}"
#define PAUSED   "{spec: {paused: true}}"
#define UNPAUSED "{spec: {paused: null}}"
#define RETAIN   "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}"

static bool is_ready(Play *p, const char *node)
{
    return str_eq(play_condition(p, node, COND_READY), "True");
}

static bool has_no_pod(Play *p, const char *pod)
{
    return !play_find(p, kind_pod, pod);
}

static bool waits_for_volume(Play *p, const char *node)
{
    return str_eq(play_reason(p, node, COND_READY), "VolumeInUse");
}

static bool one_is_ready(Play *p, const char *name)
{
    (void)name;
    return is_ready(p, "rpc-1") != is_ready(p, "rpc-2");
}

static void given_free_claim(Play *p)
{
    play_create(p,
        kind_pvc,
        "{apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'data-rpc-0'}, spec:"
        " {accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: {requests:"
        " {storage: '3000Gi'}}}}");
    play_run(p, 3000);
}

static void create_both(Play *p)
{
    play_create_node(p, "rpc-1", "{spec: {" IMPORT "}}");
    play_create_node(p, "rpc-2", "{spec: {" IMPORT "}}");
}

static void given_free_claim_and_snapshot(Play *p)
{
    play_prepare_mode(p, &play_modes[BY_JOB]);
    given_free_claim(p);
}

static void create_both_by_job(Play *p)
{
    const char *change = str_format(play_arena(p),
        "{spec: {" IMPORT ", peers: [{static: {addresses: ['a@b:1']}}], fullNode: {snapshot: {s3:"
        " {targetHeight: 950}, bootstrapImage: 'ghcr.io/example/seid:v0'}}}}");

    play_create_node(p, "rpc-1", change);
    play_create_node(p, "rpc-2", change);
}

/* rpc-1 made the volume and rpc-2 imported it; both have run, and are paused. */
static void given_both_paused(Play *p)
{
    play_create_node(p, "rpc-1", RETAIN);
    then_true(play_until(p, is_ready, "rpc-1"));
    play_patch(p, kind_seinode, "rpc-1", PAUSED);
    then_true(play_until(p, has_no_pod, "rpc-1-0"));
    play_create_node(p, "rpc-2", "{spec: {dataVolume: {import: {pvcName: 'data-rpc-1'}}}}");
    then_true(play_until(p, is_ready, "rpc-2"));
    play_patch(p, kind_seinode, "rpc-2", PAUSED);
    then_true(play_until(p, has_no_pod, "rpc-2-0"));
    play_run(p, REST_MS);
}

static void unpause_both(Play *p)
{
    play_patch(p, kind_seinode, "rpc-1", UNPAUSED);
    play_patch(p, kind_seinode, "rpc-2", UNPAUSED);
}

static void then_one_runs(Play *p)
{
    if (!play_until(p, one_is_ready, NULL) || play_crowd(p))
        play_tell(p);
    then_str(play_crowd(p), NULL);
    play_run(p, REST_MS);
    then_str(play_crowd(p), NULL);
    then_true(one_is_ready(p, NULL));
    const char *other = is_ready(p, "rpc-1") ? "rpc-2" : "rpc-1";
    then_true(waits_for_volume(p, other));
    then_true(strstr(play_message(p, other, COND_READY), "volume data-rpc-") != NULL);
}

TEST(of_two_nodes_that_import_one_volume_one_starts_and_the_other_follows_when_it_is_paused)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}, .workers = 4});

        given_free_claim(p);
        create_both(p);
        then_one_runs(p);
        bool is_first = is_ready(p, "rpc-1");
        play_patch(p, kind_seinode, is_first ? "rpc-1" : "rpc-2", PAUSED);
        then_true(play_until(p, is_ready, is_first ? "rpc-2" : "rpc-1"));
        then_str(play_crowd(p), NULL);
    }
}

CAMPAIGN(of_two_nodes_with_one_volume_that_are_unpaused_together_only_one_starts)
{
    for (uint64_t seed = 0; seed < 8; seed++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = seed}, .workers = 4});

        given_both_paused(p);
        unpause_both(p);
        then_one_runs(p);
    }
}

static void given_one_left_behind(Play *p)
{
    given_free_claim(p);
    play_create_node(p, "rpc-2", "{spec: {" IMPORT "}}");
    then_true(play_until(p, is_ready, "rpc-2"));
    play_patch(p, kind_seinode, "rpc-2", PAUSED);
    then_true(play_until(p, has_no_pod, "rpc-2-0"));
    play_create_node(p, "rpc-1", "{spec: {" IMPORT "}}");
    then_true(play_until(p, is_ready, "rpc-1"));
    play_patch(p, kind_seinode, "rpc-2", UNPAUSED);
    then_true(play_until(p, waits_for_volume, "rpc-2"));
    then_true(strstr(play_message(p, "rpc-2", COND_READY), "SeiNode rpc-1: pause") != NULL);
    play_delete_how(p, kind_seinode, "rpc-1", PROPAGATION_ORPHAN);
    play_run(p, REST_MS);
    then_true(!play_find(p, kind_seinode, "rpc-1"));
}

/* Its pod may be missing for a moment. */
TEST(a_node_waits_for_the_statefulset_of_a_deleted_node_on_its_volume)
{
    for (int restarted = 0; restarted < 2; restarted++) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 8}});

        given_one_left_behind(p);
        if (restarted)
            replica_crash(play_replica(p, 0));
        play_run(p, REST_MS);
        then_true(waits_for_volume(p, "rpc-2"));
        then_true(strstr(play_message(p, "rpc-2", COND_READY), "StatefulSet rpc-1") != NULL);
        play_delete(p, kind_statefulset, "rpc-1");
        then_true(play_until(p, is_ready, "rpc-2"));
        then_str(play_crowd(p), NULL);
    }
}

/* A node of the old name comes back, with GitOps say. */
TEST(a_volume_in_use_by_an_importing_node_is_not_taken_back_by_a_node_of_its_name)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 9}});

    given_both_paused(p);
    play_delete(p, kind_seinode, "rpc-1");
    play_run(p, REST_MS);
    play_create_node(p, "rpc-1", "{}");
    then_true(play_until(p, waits_for_volume, "rpc-1"));
    then_true(strstr(play_message(p, "rpc-1", COND_READY), "imported by SeiNode rpc-2") != NULL);
    then_true(!meta_controller(play_find(p, kind_pvc, "data-rpc-1")));
    play_patch(p, kind_seinode, "rpc-2", UNPAUSED);
    then_true(play_until(p, is_ready, "rpc-2"));
}

TEST(a_volume_that_another_node_imports_gets_no_owner_reference_again)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 10}});

    given_both_paused(p);
    play_patch(
        p, kind_seinode, "rpc-1", "{metadata: {annotations: {'sei.io/volume-policy': null}}}");
    play_run(p, REST_MS);
    then_true(!meta_controller(play_find(p, kind_pvc, "data-rpc-1")));
    play_delete(p, kind_seinode, "rpc-2");
    play_run(p, REST_MS);
    then_true(meta_controller(play_find(p, kind_pvc, "data-rpc-1")) != NULL);
}

/* --- deaths ------------------------------------------------------------------------------------
 */

static const char *find_wrong(Play *p, const char *who)
{
    bool is_well = play_until(p, one_is_ready, NULL);

    (void)who;
    play_run(p, REST_MS);
    if (play_crowd(p))
        return play_crowd(p);
    return is_well && one_is_ready(p, NULL) ? NULL : "not exactly one is Ready";
}

/* Of a long one, deaths before an answer only when all are asked for. */
static const StrikeScene scenes[] = {
    {"created together", given_free_claim, create_both, find_wrong},
    {"created together, with bootstrap Jobs",
        given_free_claim_and_snapshot,
        create_both_by_job,
        find_wrong,
        .is_long = true},
    {"unpaused together", given_both_paused, unpause_both, find_wrong},
};

CAMPAIGN(the_operator_may_crash_at_every_write_and_one_of_two_nodes_runs_on_the_volume)
{
    static const struct {
        const char *name;
        PortFault fault;
        bool is_rare;
    } deaths[] = {
        {"before the call", {.kind = PORT_CRASH_BEFORE}},
        {"before the answer", {.kind = PORT_CRASH_AFTER}, .is_rare = true},
    };
    int courses = 0;

    each_case(i, deaths)
        for (size_t k = 0; k < array_count(scenes); k++)
            if (!deaths[i].is_rare || !scenes[k].is_long || strike_wants_all())
                courses += strike_each_call(&scenes[k], deaths[i].fault, true);
    print_message("# %d deaths\n", courses);
    then_true(courses > 50);
}
