/* Nodes for tests: the settings of a sample platform, and a full node on it that cases change by a
 * merge patch.
 *
 *     SeiNode node = sample_node(a, "{spec: {image: 'seid:v2'}}");
 */
#ifndef TESTS_SEI_NODES_H
#define TESTS_SEI_NODES_H

#include "sei/api/node.h"
#include "sei/api/settings.h"
#include "tests/test.h"

#define SAMPLE_UID "6d1f2c34-0000-4000-8000-00000000abcd"

static inline const Settings *sample_settings(void)
{
    static const Settings settings = {
        .nodepool = "sei-node",
        .nodepool_archive = "sei-archive",
        .toleration_key = "sei.io/workload",
        .service_account = "seid-node",
        .storage_class_perf = "gp3-10k-750",
        .storage_class_default = "gp3",
        .storage_class_archive = "gp3-archive",
        .storage_size = "2000Gi",
        .storage_size_archive = "40Ti",
        .cpu = "4",
        .memory = "32Gi",
        .cpu_archive = "48",
        .memory_archive = "448Gi",
        .snapshot_bucket = "dev-sei-snapshots",
        .snapshot_region = "us-east-2",
        .genesis_bucket = "dev-sei-k8s-genesis-artifacts",
        .genesis_region = "us-east-2",
        .result_export_bucket = "dev-sei-shadow-results",
        .result_export_region = "us-east-2",
        .result_export_prefix = "shadow-results/",
        .gateway_name = "sei-gateway",
        .gateway_namespace = "gateway",
        .gateway_domain = "prod.platform.sei.io",
        .sidecar_image = "ghcr.io/example/seictl:v0.0.50",
        .proxy_image = "quay.io/brancz/kube-rbac-proxy:v0.19.1",
        .exporter_image = "ghcr.io/example/sei-cosmos-exporter:v1",
        .nlb_target_type = "ip",
        .termination_grace_seconds = 600,
        .platform_max_unavailable = 1,
        .chain_facts = true,
        .sidecar_account = {"sei-operator-system", "sei-operator-sidecar"},
    };

    return &settings;
}

/* The same with one text changed: sample_settings_with(offsetof(Settings, cpu), "8"). */
static inline Settings sample_settings_with(size_t offset, const char *value)
{
    Settings settings = *sample_settings();
    const char **field = (void *)((char *)&settings + offset);

    *field = value;
    return settings;
}

/* The object of a SeiNode; NULL changes nothing. */
static inline const Json *sample_object(Arena *a, const char *patch)
{
    static const char object[] =
        "{apiVersion: 'sei.io/v1alpha1', kind: 'SeiNode',"
        " metadata: {name: 'rpc-0', namespace: 'sei', uid: '" SAMPLE_UID "', generation: 1,"
        "  resourceVersion: '10'},"
        " spec: {chainId: 'pacific-1', image: 'ghcr.io/example/seid:v6.4.1', fullNode: {}}}";

    return json_merge(a, json_fixture(a, object), patch ? json_fixture(a, patch) : NULL);
}

/* The same, decoded. */
static inline SeiNode sample_node(Arena *a, const char *patch)
{
    SeiNode node = {0};

    then_ok(node_decode(a, sample_object(a, patch), &node));
    return node;
}

#endif
