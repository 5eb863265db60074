/* The shapes of built-in kinds, as Kubernetes 1.34 publishes them in its OpenAPI documents
 * (x-kubernetes-list-type, x-kubernetes-list-map-keys, x-kubernetes-map-type): only what is not
 * plain. Maps of strings and of quantities are listed because their keys are data. */
#include "world/schema_table.h"

#define FIELDS(...)                                                                                \
    {                                                                                              \
        .merge = SHAPE_FIELDS, .fields = (const ShapeField[])                                      \
        {                                                                                          \
            __VA_ARGS__, {0}                                                                       \
        }                                                                                          \
    }
#define LIST_BY(list_keys, element) {.merge = SHAPE_KEYED, .keys = (list_keys), .rest = (element)}

static const Shape data = {.merge = SHAPE_FIELDS, .free_keys = true};
static const Shape atomic = {.merge = SHAPE_ATOMIC};
static const Shape set = {.merge = SHAPE_SET};

static const ShapeKey by_name[] = {{"name", NULL}, {0}};
static const ShapeKey by_type[] = {{"type", NULL}, {0}};
static const ShapeKey by_uid[] = {{"uid", NULL}, {0}};
static const ShapeKey by_ip[] = {{"ip", NULL}, {0}};
static const ShapeKey by_path[] = {{"mountPath", NULL}, {0}};
static const ShapeKey by_device[] = {{"devicePath", NULL}, {0}};
static const ShapeKey by_container_port[] = {{"containerPort", NULL}, {"protocol", "\"TCP\""}, {0}};
static const ShapeKey by_port[] = {{"port", NULL}, {"protocol", "\"TCP\""}, {0}};
static const ShapeKey by_topology[] = {{"topologyKey", NULL}, {"whenUnsatisfiable", NULL}, {0}};

static const Shape names = LIST_BY(by_name, NULL);
static const Shape names_atomic = LIST_BY(by_name, &atomic);
static const Shape conditions = LIST_BY(by_type, NULL);

/* --- metadata --- */

static const Shape owners = LIST_BY(by_uid, &atomic);

const Shape shape_metadata = FIELDS(
    {"annotations", &data}, {"finalizers", &set}, {"labels", &data}, {"ownerReferences", &owners});

/* --- volumes --- */

static const Shape claim_resources = FIELDS({"limits", &data}, {"requests", &data});
static const Shape claim_spec =
    FIELDS({"dataSource", &atomic}, {"resources", &claim_resources}, {"selector", &atomic});
static const Shape claim_status = FIELDS({"allocatedResourceStatuses", &data},
    {"allocatedResources", &data}, {"capacity", &data}, {"conditions", &conditions});
static const Shape claim =
    FIELDS({"metadata", &shape_metadata}, {"spec", &claim_spec}, {"status", &claim_status});

static const Shape claim_template = FIELDS({"metadata", &shape_metadata}, {"spec", &claim_spec});
static const Shape ephemeral = FIELDS({"volumeClaimTemplate", &claim_template});
static const Shape with_secret = FIELDS({"secretRef", &atomic});
static const Shape csi = FIELDS({"nodePublishSecretRef", &atomic}, {"volumeAttributes", &data});
static const Shape flex = FIELDS({"options", &data}, {"secretRef", &atomic});
static const Shape volume = FIELDS({"cephfs", &with_secret}, {"cinder", &with_secret},
    {"csi", &csi}, {"ephemeral", &ephemeral}, {"flexVolume", &flex}, {"iscsi", &with_secret},
    {"rbd", &with_secret}, {"scaleIO", &with_secret}, {"storageos", &with_secret});
static const Shape volumes = LIST_BY(by_name, &volume);

static const Shape node_affinity = FIELDS({"required", &atomic});
static const Shape volume_csi =
    FIELDS({"controllerExpandSecretRef", &atomic}, {"controllerPublishSecretRef", &atomic},
        {"nodeExpandSecretRef", &atomic}, {"nodePublishSecretRef", &atomic},
        {"nodeStageSecretRef", &atomic}, {"volumeAttributes", &data});
static const Shape volume_spec =
    FIELDS({"capacity", &data}, {"csi", &volume_csi}, {"nodeAffinity", &node_affinity});
static const Shape persistent_volume =
    FIELDS({"metadata", &shape_metadata}, {"spec", &volume_spec});

/* --- pods --- */

static const Shape value_from = FIELDS({"configMapKeyRef", &atomic}, {"fieldRef", &atomic},
    {"fileKeyRef", &atomic}, {"resourceFieldRef", &atomic}, {"secretKeyRef", &atomic});
static const Shape variable = FIELDS({"valueFrom", &value_from});
static const Shape env = LIST_BY(by_name, &variable);
static const Shape container_ports = LIST_BY(by_container_port, NULL);
static const Shape resources = FIELDS({"claims", &names}, {"limits", &data}, {"requests", &data});
static const Shape mounts = LIST_BY(by_path, NULL);
static const Shape devices = LIST_BY(by_device, NULL);
static const Shape container = FIELDS({"env", &env}, {"ports", &container_ports},
    {"resources", &resources}, {"volumeDevices", &devices}, {"volumeMounts", &mounts});
static const Shape containers = LIST_BY(by_name, &container);

static const Shape by_node = FIELDS({"requiredDuringSchedulingIgnoredDuringExecution", &atomic});
static const Shape affinity = FIELDS({"nodeAffinity", &by_node});
static const Shape host_aliases = LIST_BY(by_ip, NULL);
static const Shape spread = FIELDS({"labelSelector", &atomic});
static const Shape spreads = LIST_BY(by_topology, &spread);
static const Shape pod_spec = FIELDS({"affinity", &affinity}, {"containers", &containers},
    {"ephemeralContainers", &containers}, {"hostAliases", &host_aliases},
    {"imagePullSecrets", &names_atomic}, {"initContainers", &containers}, {"nodeSelector", &atomic},
    {"overhead", &data}, {"resourceClaims", &names}, {"resources", &resources},
    {"schedulingGates", &names}, {"topologySpreadConstraints", &spreads}, {"volumes", &volumes});
static const Shape pod_ips = LIST_BY(by_ip, NULL);
static const Shape pod_status =
    FIELDS({"conditions", &conditions}, {"podIPs", &pod_ips}, {"resourceClaimStatuses", &names});
static const Shape pod =
    FIELDS({"metadata", &shape_metadata}, {"spec", &pod_spec}, {"status", &pod_status});
static const Shape pod_template = FIELDS({"metadata", &shape_metadata}, {"spec", &pod_spec});

/* --- workloads --- */

static const Shape statefulset_spec = FIELDS({"selector", &atomic}, {"template", &pod_template});
static const Shape with_conditions = FIELDS({"conditions", &conditions});
static const Shape statefulset = FIELDS(
    {"metadata", &shape_metadata}, {"spec", &statefulset_spec}, {"status", &with_conditions});

static const Shape job_spec = FIELDS({"selector", &atomic}, {"template", &pod_template});
static const Shape uncounted = FIELDS({"failed", &set}, {"succeeded", &set});
static const Shape job_status = FIELDS({"uncountedTerminatedPods", &uncounted});
static const Shape job =
    FIELDS({"metadata", &shape_metadata}, {"spec", &job_spec}, {"status", &job_status});

/* --- the rest --- */

static const Shape service_ports = LIST_BY(by_port, NULL);
static const Shape service_spec = FIELDS({"ports", &service_ports}, {"selector", &atomic});
static const Shape service =
    FIELDS({"metadata", &shape_metadata}, {"spec", &service_spec}, {"status", &with_conditions});

static const Shape configmap =
    FIELDS({"binaryData", &data}, {"data", &data}, {"metadata", &shape_metadata});
static const Shape secret =
    FIELDS({"data", &data}, {"metadata", &shape_metadata}, {"stringData", &data});
static const Shape account = FIELDS(
    {"imagePullSecrets", &atomic}, {"metadata", &shape_metadata}, {"secrets", &names_atomic});

static const Shape namespace = FIELDS({"metadata", &shape_metadata}, {"status", &with_conditions});
static const Shape node_spec = FIELDS({"podCIDRs", &set});
static const Shape node_status = FIELDS({"addresses", &conditions}, {"allocatable", &data},
    {"capacity", &data}, {"conditions", &conditions});
static const Shape node =
    FIELDS({"metadata", &shape_metadata}, {"spec", &node_spec}, {"status", &node_status});

static const Shape revision = FIELDS({"data", &atomic}, {"metadata", &shape_metadata});
static const Shape core_event =
    FIELDS({"involvedObject", &atomic}, {"metadata", &shape_metadata}, {"related", &atomic});
static const Shape event =
    FIELDS({"metadata", &shape_metadata}, {"regarding", &atomic}, {"related", &atomic});
static const Shape only_metadata = FIELDS({"metadata", &shape_metadata});

/* What an object of the kind has before anybody has said anything: the fields that its Go type
 * writes even when they are zero. */
#define TEMPLATE "'template': {'metadata': {}, 'spec': {'containers': null}}"

const SchemaRow schema_table[] = {
    {"", "ConfigMap", {.root = &configmap, .blank = "{'metadata': {}}"}},
    {"",
        "Event",
        {.root = &core_event,
            .blank = "{'metadata': {}, 'involvedObject': {}, 'source': {}, 'firstTimestamp': null,"
                     " 'lastTimestamp': null, 'eventTime': null, 'reportingComponent': '',"
                     " 'reportingInstance': ''}"}},
    {"",
        "Namespace",
        {.root = &namespace,
            .blank = "{'metadata': {}, 'spec': {}, 'status': {}}",
            .has_status = true}},
    {"",
        "Node",
        {.root = &node,
            .blank = "{'metadata': {}, 'spec': {}, 'status': {'daemonEndpoints': "
                     "{'kubeletEndpoint': {'Port': 0}}, 'nodeInfo': {'machineID': '', "
                     "'systemUUID': '', 'bootID': '', 'kernelVersion': '', 'osImage': '', "
                     "'containerRuntimeVersion': '', 'kubeletVersion': '', 'kubeProxyVersion': '', "
                     "'operatingSystem': '', 'architecture': ''}}}",
            .has_status = true}},
    {"",
        "PersistentVolume",
        {.root = &persistent_volume,
            .blank = "{'metadata': {}, 'spec': {}, 'status': {}}",
            .has_status = true}},
    {"",
        "PersistentVolumeClaim",
        {.root = &claim,
            .blank = "{'metadata': {}, 'spec': {'resources': {}}, 'status': {}}",
            .has_status = true}},
    {"",
        "Pod",
        {.root = &pod,
            .blank = "{'metadata': {}, 'spec': {'containers': null}, 'status': {}}",
            .has_status = true,
            .is_pod = true}},
    {"", "Secret", {.root = &secret, .blank = "{'metadata': {}}"}},
    {"",
        "Service",
        {.root = &service,
            .blank = "{'metadata': {}, 'spec': {}, 'status': {'loadBalancer': {}}}",
            .has_status = true}},
    {"", "ServiceAccount", {.root = &account, .blank = "{'metadata': {}}"}},
    {"apps",
        "ControllerRevision",
        {.root = &revision, .blank = "{'metadata': {}, 'data': null, 'revision': 0}"}},
    {"apps",
        "StatefulSet",
        {.root = &statefulset,
            .blank = "{'metadata': {}, 'spec': {'selector': null, " TEMPLATE
                     ", 'serviceName': '', 'updateStrategy': {}},"
                     " 'status': {'replicas': 0, 'availableReplicas': 0}}",
            .has_status = true}},
    {"batch",
        "Job",
        {.root = &job,
            .blank = "{'metadata': {}, 'spec': {" TEMPLATE "}, 'status': {}}",
            .has_status = true}},
    {"coordination.k8s.io",
        "Lease",
        {.root = &only_metadata, .blank = "{'metadata': {}, 'spec': {}}"}},
    {"events.k8s.io",
        "Event",
        {.root = &event,
            .blank = "{'metadata': {}, 'eventTime': null, 'regarding': {}, 'deprecatedSource': {},"
                     " 'deprecatedFirstTimestamp': null, 'deprecatedLastTimestamp': null}"}},
    {0},
};
