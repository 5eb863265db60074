/* The end of a node: what goes with it, and what stays. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "tests/sim/play.h"
#include "tests/test.h"

static void given_running_node(Play *p, const char *change)
{
    play_create_node(p, "rpc-0", change);
    then_str(play_settle(p), NULL);
    play_mark(p);
}

static bool is_gone(Play *p, const char *name)
{
    return !play_find(p, kind_seinode, name) && !play_find(p, kind_statefulset, name);
}

TEST(a_deleted_node_deletes_everything_that_it_owns)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 1}});

    given_running_node(p, "{}");
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    play_run(p, 700000);
    then_true(!play_find(p, kind_pvc, "data-rpc-0"));
    then_true(!play_find(p, kind_pod, "rpc-0-0"));
    then_true(!play_find(p, kind_service, "rpc-0"));
    then_true(!play_find(p, kind_configmap, "rpc-0-rbac-proxy-config"));
    then_int(play_writes(p, VERB_DELETE, kind_pvc), 1);
}

/* How the volume was to be kept: by the node's own annotation, or by its fleet. */
static void given_fleet(Play *p, const char *policy)
{
    play_create(p,
        kind_seinodedeployment,
        str_format(play_arena(p),
            "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment', metadata: {name: 'pool'},"
            " spec: {replicas: 1, deletionPolicy: '%s', updateStrategy: {type: 'InPlace'},"
            "  template: {spec: {chainId: 'pacific-1', image: 'seid:v1', fullNode: {}}}}}",
            policy));
}

static const char *owned_by_fleet(Play *p)
{
    return str_format(play_arena(p),
        "{metadata: {ownerReferences: [{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNodeDeployment',"
        " name: 'pool', uid: '%s', controller: true}]}}",
        meta_uid(play_find(p, kind_seinodedeployment, "pool")));
}

static const struct {
    const char *name, *policy;
    bool stays;
} fleets[] = {
    {"a fleet that deletes", "Delete", false},
    {"a fleet that retains", "Retain", true},
};

TEST(the_deletion_policy_of_a_fleet_decides_about_the_volumes_of_its_nodes)
{
    each_case(i, fleets) {
        SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = (uint64_t)i}});

        given_fleet(p, fleets[i].policy);
        given_running_node(p, owned_by_fleet(p));
        play_delete(p, kind_seinode, "rpc-0");
        then_true(play_until(p, is_gone, "rpc-0"));
        play_run(p, 700000);
        const Json *volume = play_find(p, kind_pvc, "data-rpc-0");
        then_int(volume && !meta_deleting(volume), fleets[i].stays);
    }
}

TEST(a_retained_volume_has_no_owner_reference_at_any_time)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 3}});

    given_running_node(p, "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}}}");
    const Json *volume = play_find(p, kind_pvc, "data-rpc-0");
    then_true(!meta_controller(volume));
    then_str(meta_annotation(volume, ANNOTATION_RETAINED_BY), play_node(p, "rpc-0")->uid);

    play_patch(
        p, kind_seinode, "rpc-0", "{metadata: {annotations: {'sei.io/volume-policy': null}}}");
    then_str(play_settle(p), NULL);
    volume = play_find(p, kind_pvc, "data-rpc-0");
    then_str(json_str(meta_controller(volume), ".uid"), play_node(p, "rpc-0")->uid);
    then_str(meta_annotation(volume, ANNOTATION_RETAINED_BY), NULL);
}

TEST(a_misspelt_deletion_policy_keeps_the_data)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 4}});

    given_running_node(p, "{metadata: {annotations: {'sei.io/volume-policy': 'retain'}}}");
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    play_run(p, 700000);
    then_true(play_find(p, kind_pvc, "data-rpc-0") != NULL);
}

TEST(the_deletion_policy_applies_to_a_node_whose_spec_is_refused)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 5}});

    given_running_node(p, "{}");
    play_patch(p,
        kind_seinode,
        "rpc-0",
        "{metadata: {annotations: {'sei.io/volume-policy': 'Retain'}},"
        " spec: {sidecar: {port: 99999}}}");
    play_run(p, 10000);
    then_true(!meta_controller(play_find(p, kind_pvc, "data-rpc-0")));
}

TEST(a_volume_that_is_imported_under_its_own_name_is_kept)
{
    SCOPED_PLAY p = play_open(&(PlayOptions){.sim = {.seed = 6}});

    given_running_node(p, "{}");
    play_patch(p, kind_seinode, "rpc-0", "{spec: {dataVolume: {import: {pvcName: 'data-rpc-0'}}}}");
    play_run(p, 10000);
    play_delete(p, kind_seinode, "rpc-0");
    then_true(play_until(p, is_gone, "rpc-0"));
    play_run(p, 700000);
    const Json *volume = play_find(p, kind_pvc, "data-rpc-0");
    then_true(volume && !meta_deleting(volume));
}
