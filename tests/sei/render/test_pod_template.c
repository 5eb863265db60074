/* The pod: everything that people and the platform decide reaches it. */
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/api/ports.h"
#include "sei/render/pod.h"
#include "tests/sei/render/cases.h"

enum { ARENA_MAX = 16 << 20 };

#define SEID     ".spec.template.spec.containers[0]"
#define EXPORTER ".spec.template.spec.containers[1]"
#define INIT     ".spec.template.spec.initContainers[0]"
#define SIDECAR  ".spec.template.spec.initContainers[1]"
#define PROXY    ".spec.template.spec.initContainers[2]"
#define POD      ".spec.template.spec"
#define TERM                                                                                       \
    POD ".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[" \
        "0]"

static const struct {
    const char *name, *patch;
    size_t setting; /* set to "marker" */
    const char *path;
    bool in_volume; /* else in the StatefulSet */
} settings_rows[] = {
    {"the pool, as a toleration", "{}", offsetof(Settings, nodepool), POD ".tolerations[0].value"},
    {"the pool, as an affinity",
        "{}",
        offsetof(Settings, nodepool),
        TERM ".matchExpressions[0].values[0]"},
    {"the pool of archives",
        "{spec: {fullNode: null, archive: {}}}",
        offsetof(Settings, nodepool_archive),
        POD ".tolerations[0].value"},
    {"the toleration", "{}", offsetof(Settings, toleration_key), POD ".tolerations[0].key"},
    {"the account", "{}", offsetof(Settings, service_account), POD ".serviceAccountName"},
    {"cpu", "{}", offsetof(Settings, cpu), SEID ".resources.requests.cpu"},
    {"memory", "{}", offsetof(Settings, memory), SEID ".resources.requests.memory"},
    {"cpu of archives",
        "{spec: {fullNode: null, archive: {}}}",
        offsetof(Settings, cpu_archive),
        SEID ".resources.requests.cpu"},
    {"memory of archives",
        "{spec: {fullNode: null, archive: {}}}",
        offsetof(Settings, memory_archive),
        SEID ".resources.requests.memory"},
    {"the bucket of genesis", "{}", offsetof(Settings, genesis_bucket), SIDECAR ".env[3].value"},
    {"the region of genesis", "{}", offsetof(Settings, genesis_region), SIDECAR ".env[4].value"},
    {"the bucket of snapshots", "{}", offsetof(Settings, snapshot_bucket), SIDECAR ".env[5].value"},
    {"the region of snapshots", "{}", offsetof(Settings, snapshot_region), SIDECAR ".env[6].value"},
    {"the interval of uploads",
        "{spec: {fullNode: {snapshotGeneration: {tendermint: {keepRecent: 3, publish: {}}}}}}",
        offsetof(Settings, snapshot_upload_interval),
        SIDECAR ".env[8].value"},
    {"the sidecar's image", "{}", offsetof(Settings, sidecar_image), SIDECAR ".image"},
    {"the proxy's image", "{}", offsetof(Settings, proxy_image), PROXY ".image"},
    {"the exporter's image", "{}", offsetof(Settings, exporter_image), EXPORTER ".image"},
    {"the class of disks",
        "{}",
        offsetof(Settings, storage_class_perf),
        ".spec.storageClassName",
        .in_volume = true},
    {"the size of disks",
        "{}",
        offsetof(Settings, storage_size),
        ".spec.resources.requests.storage",
        .in_volume = true},
    {"the class of archives' disks",
        "{spec: {fullNode: null, archive: {}}}",
        offsetof(Settings, storage_class_archive),
        ".spec.storageClassName",
        .in_volume = true},
    {"the size of archives' disks",
        "{spec: {fullNode: null, archive: {}}}",
        offsetof(Settings, storage_size_archive),
        ".spec.resources.requests.storage",
        .in_volume = true},
};

static Wanted rendered(Arena *a, const char *patch, const Settings *settings)
{
    SeiNode *node = arena_new(a, SeiNode);
    Wanted wanted = {0};

    *node = sample_node(a, patch);
    Subject s = subject_of(a, node, settings, REPLICAS_ONE);
    then_ok(render_node(a, &s, &wanted));
    return wanted;
}

TEST(every_setting_is_rendered_into_its_field_and_changes_the_template_hash)
{
    each_case(i, settings_rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Settings settings = sample_settings_with(settings_rows[i].setting, "marker");
        const char *patch = settings_rows[i].patch;
        Wanted before = rendered(a, patch, sample_settings()), w = rendered(a, patch, &settings);
        const Json *object = settings_rows[i].in_volume ? w.volume : w.statefulset;
        then_str(json_text(json_find(object, settings_rows[i].path)), "marker");
        then_int(str_eq(w.template_hash, before.template_hash), settings_rows[i].in_volume);
    }
}

TEST(the_snapshot_upload_interval_changes_only_nodes_that_publish_snapshots)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = sample_settings_with(offsetof(Settings, snapshot_upload_interval), "24h");
    Wanted before = rendered(a, NULL, sample_settings()), w = rendered(a, NULL, &settings);

    then_str(w.template_hash, before.template_hash);
}

TEST(the_termination_grace_period_of_a_pod_is_a_setting)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Settings settings = *sample_settings();

    settings.termination_grace_seconds = 42;
    Wanted w = rendered(a, NULL, &settings);
    then_int(json_int(w.statefulset, POD ".terminationGracePeriodSeconds", 0), 42);
}

static const struct {
    const char *name, *patch, *path, *want;
} spec_rows[] = {
    {"the image of seid", "{spec: {image: 'x:1'}}", SEID ".image", "x:1"},
    {"the image that lays out the home", "{spec: {image: 'x:1'}}", INIT ".image", "x:1"},
    {"the chain, for the sidecar", "{spec: {chainId: 'x'}}", SIDECAR ".env[0].value", "x"},
    {"the chain, as a label", "{spec: {chainId: 'x'}}", ".metadata.labels['sei.io/chain']", "x"},
    {"the sidecar's image", "{spec: {sidecar: {image: 'x'}}}", SIDECAR ".image", "x"},
    {"the sidecar's port, to itself",
        "{spec: {sidecar: {port: 70}}}",
        SIDECAR ".env[1].value",
        "70"},
    {"the sidecar's port, to the proxy",
        "{spec: {sidecar: {port: 70}}}",
        PROXY ".args[1]",
        "--upstream=http://127.0.0.1:70/"},
    {"the sidecar's resources",
        "{spec: {sidecar: {resources: {limits: {cpu: '2000m'}}}}}",
        SIDECAR ".resources.limits.cpu",
        "2"},
    {"the namespace, to the proxy",
        "{metadata: {namespace: 'blue'}}",
        PROXY ".args[6]",
        "--auth-token-audiences=sei-sidecar.blue"},
    {"a label of pods",
        "{spec: {podLabels: {team: 'x'}}}",
        ".spec.template.metadata.labels.team",
        "x"},
    {"a label of pods, on the StatefulSet",
        "{spec: {podLabels: {team: 'x'}}}",
        ".metadata.labels.team",
        "x"},
    {"the claim",
        "{spec: {dataVolume: {import: {pvcName: 'x'}}}}",
        POD ".volumes[0].persistentVolumeClaim.claimName",
        "x"},
    {"a restart",
        "{metadata: {annotations: {'kubectl.kubernetes.io/restartedAt': '2026-11-15T12:00:00Z'}}}",
        ".spec.template.metadata.annotations['kubectl.kubernetes.io/restartedAt']",
        "2026-11-15T12:00:00Z"},
    {"which container kubectl shows",
        "{}",
        ".spec.template.metadata.annotations['kubectl.kubernetes.io/default-container']",
        "seid"},
};

TEST(every_spec_field_is_rendered_into_its_place)
{
    each_case(i, spec_rows) {
        SCOPED_ARENA a = arena_open(ARENA_MAX);
        Wanted w = rendered(a, spec_rows[i].patch, sample_settings());
        then_str(json_text(json_find(w.statefulset, spec_rows[i].path)), spec_rows[i].want);
    }
}

TEST(scripts_contain_the_chain_id_and_the_sidecar_port)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a, "{spec: {chainId: 'x-1', sidecar: {port: 70}}}", sample_settings());

    then_true(strstr(json_str(w.statefulset, INIT ".command[2]"),
        "seid init x-1 --chain-id x-1 --home \"$HOME\" --overwrite"));
    then_true(strstr(json_str(w.statefulset, SEID ".args[0]"), "/dev/tcp/localhost/70 "));
    then_int(json_int(w.statefulset, SIDECAR ".ports[0].containerPort", 0), 70);
}

TEST(no_container_of_seid_has_a_liveness_probe)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);

    each_case(i, render_cases) {
        Wanted w = render_case(a, &render_cases[i]);
        then_true(
            json_find(w.statefulset, SEID) && !json_find(w.statefulset, SEID ".livenessProbe"));
        then_true(!json_find(w.statefulset, SIDECAR ".livenessProbe"));
        then_true(!json_find(w.statefulset, SIDECAR ".startupProbe"));
    }
}

TEST(every_port_of_a_node_is_a_container_port_and_a_service_port)
{
    SCOPED_ARENA a = arena_open(ARENA_MAX);
    Wanted w = rendered(a, NULL, sample_settings());
    const Json *container = json_first(json_find(w.statefulset, SEID ".ports"));
    const Json *service = json_first(json_find(w.service, ".spec.ports"));

    for (const NodePort *port = node_ports; port->name; port++) {
        then_str(json_str(container, ".name"), port->name);
        then_int(json_int(container, ".containerPort", 0), port->number);
        then_str(json_str(service, ".name"), port->name);
        then_int(json_int(service, ".port", 0), port->number);
        then_int(json_int(service, ".targetPort", 0), port->number);
        then_str(json_str(service, ".appProtocol"), port->app_protocol);
        container = json_next(json_find(w.statefulset, SEID ".ports"), container);
        service = json_next(json_find(w.service, ".spec.ports"), service);
    }
    then_true(container == NULL);
    then_str(json_str(service, ".name"), "api");
    then_int(json_int(service, ".port", 0), PROXY_PORT);
}
