/* Names that are made from others. */
#include "sei/api/names.h"
#include "tests/test.h"

TEST(the_names_of_the_children_of_a_seinode_are_made_from_its_name)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(name_data_volume(a, "rpc-0"), "data-rpc-0");
    then_str(name_proxy_config(a, "rpc-0"), "rpc-0-rbac-proxy-config");
    then_str(name_bootstrap_job(a, "rpc-0"), "rpc-0-bootstrap");
    then_str(name_fleet_revision(a, "rpc", "00ff"), "rpc-00ff");
    then_str(name_pod(a, "rpc-0"), "rpc-0-0");
    then_str(
        name_sidecar_host(a, (Key){"sei", "rpc-0"}), "rpc-0-0.rpc-0.sei.svc.cluster.local:8443");
    then_str(
        name_p2p_address(a, (Key){"sei", "rpc-0"}), "rpc-0-0.rpc-0.sei.svc.cluster.local:26656");
    then_str(name_sidecar_audience(a, "sei"), "sei-sidecar.sei");
}

TEST(the_names_of_the_children_of_a_fleet_are_made_from_its_name)
{
    SCOPED_ARENA a = arena_open(1 << 16);

    then_str(name_internal_service(a, "rpc"), "rpc-internal");
    then_str(name_external_service(a, "rpc"), "rpc-external");
    then_str(name_route(a, "rpc", "evm"), "rpc-evm");
    then_str(name_p2p_service(a, "rpc-0"), "rpc-0-p2p");
}

TEST(every_deletion_policy_except_delete_keeps_the_data_volume)
{
    then_true(!name_policy_retains(NULL));
    then_true(!name_policy_retains(""));
    then_true(!name_policy_retains("Delete"));
    then_true(name_policy_retains("Retain"));
    then_true(name_policy_retains("retian"));
}
