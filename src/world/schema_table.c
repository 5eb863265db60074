/* The built-in kinds, as the Go types and the OpenAPI documents of Kubernetes 1.34 describe them.
 */
#include "world/schema_rows.h"

static const ShapeKey by_type[] = {{"type", "\"\""}, {0}};
static const ShapeKey by_port[] = {{"port", "0"}, {"protocol", "\"TCP\""}, {0}};

/* --- ConfigMap --- */

static const Shape configmap = STRUCT(PLAIN("apiVersion"), FIELD("binaryData", OF(shape_bytes_map)),
    FIELD("data", OF(shape_data)), FIELD("immutable", OF(shape_flag), KEPT), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")));

/* --- Secret --- */

static const Shape secret = STRUCT(PLAIN("apiVersion"), FIELD("data", OF(shape_bytes_map)),
    FIELD("immutable", OF(shape_flag), KEPT), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("stringData", OF(shape_data)),
    FIELD("type", OF(shape_text), PRESET("'Opaque'")));

/* --- ServiceAccount --- */

static const Shape shape_local_references = LIST_OF(&shape_local_reference);
/* A reference need not have a name. */
static const ShapeKey by_given_name[] = {{"name", NULL}, {0}};
static const Shape shape_references_by_name = LIST_BY(by_given_name, &shape_reference);

static const Shape service_account =
    STRUCT(PLAIN("apiVersion"), FIELD("automountServiceAccountToken", OF(shape_flag), KEPT),
        FIELD("imagePullSecrets", OF(shape_local_references)), PLAIN("kind"),
        FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("secrets", OF(shape_references_by_name)));

/* --- Lease --- */

static const Shape lease_spec = STRUCT(FIELD("acquireTime", OF(shape_micro_time), KEPT),
    HELD("holderIdentity"), FIELD("leaseDurationSeconds", OF(shape_int32), KEPT),
    FIELD("leaseTransitions", OF(shape_int32), KEPT), HELD("preferredHolder"),
    FIELD("renewTime", OF(shape_micro_time), KEPT), HELD("strategy"));

static const Shape lease = STRUCT(PLAIN("apiVersion"), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("spec", OF(lease_spec), SHOWN("{}")));

/* --- ControllerRevision --- */

static const Shape controller_revision =
    STRUCT(PLAIN("apiVersion"), FIELD("data", OF(shape_raw), SHOWN("null")), PLAIN("kind"),
        FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("revision", OF(shape_int64), SHOWN("0")));

/* --- Event of core --- */

static const Shape event_series = STRUCT(FIELD("count", OF(shape_int32)),
    FIELD("lastObservedTime", OF(shape_micro_time), SHOWN("null")));

static const Shape event_source = STRUCT(PLAIN("component"), PLAIN("host"));

static const Shape event = STRUCT(PLAIN("action"), PLAIN("apiVersion"),
    FIELD("count", OF(shape_int32)), FIELD("eventTime", OF(shape_micro_time), SHOWN("null")),
    FIELD("firstTimestamp", OF(shape_time), SHOWN("null")),
    FIELD("involvedObject", OF(shape_reference), SHOWN("{}")), PLAIN("kind"),
    FIELD("lastTimestamp", OF(shape_time), SHOWN("null")), PLAIN("message"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), PLAIN("reason"),
    FIELD("related", OF(shape_reference), KEPT), TEXT("reportingComponent"),
    TEXT("reportingInstance"), FIELD("series", OF(event_series), KEPT),
    FIELD("source", OF(event_source), SHOWN("{}")), PLAIN("type"));

/* --- Event --- */

static const Shape new_event_series = STRUCT(FIELD("count", OF(shape_int32), SHOWN("0")),
    FIELD("lastObservedTime", OF(shape_micro_time), SHOWN("null")));

static const Shape new_event =
    STRUCT(PLAIN("action"), PLAIN("apiVersion"), FIELD("deprecatedCount", OF(shape_int32)),
        FIELD("deprecatedFirstTimestamp", OF(shape_time), SHOWN("null")),
        FIELD("deprecatedLastTimestamp", OF(shape_time), SHOWN("null")),
        FIELD("deprecatedSource", OF(event_source), SHOWN("{}")),
        FIELD("eventTime", OF(shape_micro_time), SHOWN("null")), PLAIN("kind"),
        FIELD("metadata", OF(shape_metadata), SHOWN("{}")), PLAIN("note"), PLAIN("reason"),
        FIELD("regarding", OF(shape_reference), SHOWN("{}")),
        FIELD("related", OF(shape_reference), KEPT), PLAIN("reportingController"),
        PLAIN("reportingInstance"), FIELD("series", OF(new_event_series), KEPT), PLAIN("type"));

/* --- Namespace --- */

static const Shape namespace_spec = STRUCT(FIELD("finalizers", OF(shape_texts)));

static const Shape namespace_condition =
    STRUCT(FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"),
        PLAIN("reason"), TEXT("status"), TEXT("type"));

static const Shape namespace_conditions_by_type = LIST_BY(by_type, &namespace_condition);
static const Shape namespace_status = STRUCT(FIELD("conditions", OF(namespace_conditions_by_type)),
    FIELD("phase", OF(shape_text), PRESET("'Active'")));

static const Shape namespace =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(namespace_spec), SHOWN("{}")),
        FIELD("status", OF(namespace_status), SHOWN("{}")));

/* --- Node --- */

static const Shape taint =
    STRUCT(TEXT("effect"), TEXT("key"), FIELD("timeAdded", OF(shape_time), KEPT), PLAIN("value"));

static const Shape taints = LIST_OF(&taint);
static const Shape node_spec = STRUCT(FIELD("configSource", KEPT), PLAIN("externalID"),
    PLAIN("podCIDR"), FIELD("podCIDRs", OF(shape_set)), PLAIN("providerID"),
    FIELD("taints", OF(taints)), FIELD("unschedulable", OF(shape_flag)));

static const Shape node_address = STRUCT(TEXT("address"), TEXT("type"));

static const Shape node_addresses_by_type = LIST_BY(by_type, &node_address);
static const Shape node_condition =
    STRUCT(FIELD("lastHeartbeatTime", OF(shape_time), SHOWN("null")),
        FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"),
        PLAIN("reason"), TEXT("status"), TEXT("type"));

static const Shape node_conditions_by_type = LIST_BY(by_type, &node_condition);
static const Shape daemon_endpoint = STRUCT(FIELD("Port", OF(shape_int32), SHOWN("0")));

static const Shape node_daemon_endpoints =
    STRUCT(FIELD("kubeletEndpoint", OF(daemon_endpoint), SHOWN("{}")));

static const Shape container_image =
    STRUCT(FIELD("names", OF(shape_texts), SHOWN("null")), FIELD("sizeBytes", OF(shape_int64)));

static const Shape container_images = LIST_OF(&container_image);
static const Shape node_system_info =
    STRUCT(TEXT("architecture"), TEXT("bootID"), TEXT("containerRuntimeVersion"),
        TEXT("kernelVersion"), TEXT("kubeProxyVersion"), TEXT("kubeletVersion"), TEXT("machineID"),
        TEXT("operatingSystem"), TEXT("osImage"), FIELD("swap", KEPT), TEXT("systemUUID"));

static const Shape attached_volume = STRUCT(TEXT("devicePath"), TEXT("name"));

static const Shape attached_volumes = LIST_OF(&attached_volume);
static const Shape node_status = STRUCT(FIELD("addresses", OF(node_addresses_by_type)),
    FIELD("allocatable", OF(shape_quantities), COMPUTED(allocatable)),
    FIELD("capacity", OF(shape_quantities)), FIELD("conditions", OF(node_conditions_by_type)),
    FIELD("config", KEPT), FIELD("daemonEndpoints", OF(node_daemon_endpoints), SHOWN("{}")),
    FIELD("features", KEPT), FIELD("images", OF(container_images)),
    FIELD("nodeInfo", OF(node_system_info), SHOWN("{}")), PLAIN("phase"), LOOSE("runtimeHandlers"),
    FIELD("volumesAttached", OF(attached_volumes)), FIELD("volumesInUse", OF(shape_texts)));

static const Shape node =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(node_spec), SHOWN("{}")), FIELD("status", OF(node_status), SHOWN("{}")));

/* --- Service --- */

static const Shape service_port = STRUCT(HELD("appProtocol"), PLAIN("name"),
    FIELD("nodePort", OF(shape_int32)), FIELD("port", OF(shape_int32), SHOWN("0")),
    FIELD("protocol", OF(shape_text), PRESET("'TCP'")),
    FIELD("targetPort", OF(shape_int_or_text), KEPT, COMPUTED(target_port)));

static const Shape service_ports_by_port = LIST_BY(by_port, &service_port);
static const Shape client_ip_config = STRUCT(FIELD("timeoutSeconds", OF(shape_int32), KEPT));

static const Shape session_affinity_config = STRUCT(FIELD("clientIP", OF(client_ip_config), KEPT));

static const Shape service_spec = STRUCT(
    FIELD("allocateLoadBalancerNodePorts", OF(shape_flag), KEPT, COMPUTED(balancer_ports)),
    PLAIN("clusterIP"), FIELD("clusterIPs", OF(shape_texts)), FIELD("externalIPs", OF(shape_texts)),
    PLAIN("externalName"),
    FIELD("externalTrafficPolicy", OF(shape_text), COMPUTED(external_traffic)),
    FIELD("healthCheckNodePort", OF(shape_int32)),
    FIELD("internalTrafficPolicy", OF(shape_text), KEPT, COMPUTED(internal_traffic)),
    FIELD("ipFamilies", OF(shape_texts)), HELD("ipFamilyPolicy"), HELD("loadBalancerClass"),
    PLAIN("loadBalancerIP"), FIELD("loadBalancerSourceRanges", OF(shape_texts)),
    FIELD("ports", OF(service_ports_by_port)), FIELD("publishNotReadyAddresses", OF(shape_flag)),
    FIELD("selector", OF(shape_text_map)),
    FIELD("sessionAffinity", OF(shape_text), PRESET("'None'")),
    FIELD("sessionAffinityConfig", OF(session_affinity_config), KEPT, COMPUTED(affinity_config)),
    HELD("trafficDistribution"), FIELD("type", OF(shape_text), PRESET("'ClusterIP'")));

static const Shape shape_conditions_by_type = LIST_BY(by_type, &shape_condition);
static const Shape port_status =
    STRUCT(HELD("error"), FIELD("port", OF(shape_int32), SHOWN("0")), TEXT("protocol"));

static const Shape port_statuses = LIST_OF(&port_status);
static const Shape load_balancer_ingress =
    STRUCT(PLAIN("hostname"), PLAIN("ip"), HELD("ipMode"), FIELD("ports", OF(port_statuses)));

static const Shape load_balancer_ingresses = LIST_OF(&load_balancer_ingress);
static const Shape load_balancer_status = STRUCT(FIELD("ingress", OF(load_balancer_ingresses)));

static const Shape service_status = STRUCT(FIELD("conditions", OF(shape_conditions_by_type)),
    FIELD("loadBalancer", OF(load_balancer_status), SHOWN("{}")));

static const Shape service = STRUCT(PLAIN("apiVersion"), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
    FIELD("spec", OF(service_spec), SHOWN("{}")), FIELD("status", OF(service_status), SHOWN("{}")));

/* --- StatefulSet --- */

static const Shape ordinals = STRUCT(FIELD("start", OF(shape_int32), SHOWN("0")));

static const Shape claim_retention =
    STRUCT(FIELD("whenDeleted", OF(shape_text), PRESET("'Retain'")),
        FIELD("whenScaled", OF(shape_text), PRESET("'Retain'")));

static const Shape rolling_update = STRUCT(FIELD("maxUnavailable", OF(shape_int_or_text), KEPT),
    FIELD("partition", OF(shape_int32), KEPT, COMPUTED(partition)));

static const Shape update_strategy =
    STRUCT(FIELD("rollingUpdate", OF(rolling_update), KEPT, COMPUTED(rolling_update)),
        FIELD("type", OF(shape_text), PRESET("'RollingUpdate'")));

static const Shape shape_claims = LIST_OF(&shape_claim);
static const Shape statefulset_spec =
    STRUCT(FIELD("minReadySeconds", OF(shape_int32)), FIELD("ordinals", OF(ordinals), KEPT),
        FIELD("persistentVolumeClaimRetentionPolicy", OF(claim_retention), KEPT, PRESET("{}")),
        FIELD("podManagementPolicy", OF(shape_text), PRESET("'OrderedReady'")),
        FIELD("replicas", OF(shape_int32), KEPT, PRESET("1")),
        FIELD("revisionHistoryLimit", OF(shape_int32), KEPT, PRESET("10")),
        FIELD("selector", OF(shape_selector), SHOWN("null")), TEXT("serviceName"),
        FIELD("template", OF(shape_pod_template), SHOWN("{}")),
        FIELD("updateStrategy", OF(update_strategy), SHOWN("{}")),
        FIELD("volumeClaimTemplates", OF(shape_claims)));

static const Shape statefulset_condition =
    STRUCT(FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"),
        PLAIN("reason"), TEXT("status"), TEXT("type"));

static const Shape statefulset_conditions_by_type = LIST_BY(by_type, &statefulset_condition);
static const Shape statefulset_status =
    STRUCT(FIELD("availableReplicas", OF(shape_int32), SHOWN("0")),
        FIELD("collisionCount", OF(shape_int32), KEPT),
        FIELD("conditions", OF(statefulset_conditions_by_type)),
        FIELD("currentReplicas", OF(shape_int32)), PLAIN("currentRevision"),
        FIELD("observedGeneration", OF(shape_int64)), FIELD("readyReplicas", OF(shape_int32)),
        FIELD("replicas", OF(shape_int32), SHOWN("0")), PLAIN("updateRevision"),
        FIELD("updatedReplicas", OF(shape_int32)));

static const Shape statefulset =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(statefulset_spec), SHOWN("{}")),
        FIELD("status", OF(statefulset_status), SHOWN("{}")));

/* --- Job --- */

static const Shape job_spec = STRUCT(FIELD("activeDeadlineSeconds", OF(shape_int64), KEPT),
    FIELD("backoffLimit", OF(shape_int32), KEPT, COMPUTED(backoff_limit)),
    FIELD("backoffLimitPerIndex", OF(shape_int32), KEPT),
    FIELD("completionMode", OF(shape_text), KEPT, PRESET("'NonIndexed'")),
    FIELD("completions", OF(shape_int32), KEPT, COMPUTED(completions)), HELD("managedBy"),
    FIELD("manualSelector", OF(shape_flag), KEPT, PRESET("false")),
    FIELD("maxFailedIndexes", OF(shape_int32), KEPT),
    FIELD("parallelism", OF(shape_int32), KEPT, COMPUTED(parallelism)),
    FIELD("podFailurePolicy", KEPT),
    FIELD("podReplacementPolicy", OF(shape_text), KEPT, COMPUTED(replacement_policy)),
    FIELD("selector", OF(shape_selector), KEPT), FIELD("successPolicy", KEPT),
    FIELD("suspend", OF(shape_flag), KEPT, PRESET("false")),
    FIELD("template", OF(shape_pod_template), SHOWN("{}")),
    FIELD("ttlSecondsAfterFinished", OF(shape_int32), KEPT));

static const Shape job_condition = STRUCT(FIELD("lastProbeTime", OF(shape_time), SHOWN("null")),
    FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"), PLAIN("reason"),
    TEXT("status"), TEXT("type"));

static const Shape job_conditions = LIST_OF(&job_condition);
static const Shape uncounted =
    STRUCT(FIELD("failed", OF(shape_set)), FIELD("succeeded", OF(shape_set)));

static const Shape job_status = STRUCT(FIELD("active", OF(shape_int32)), PLAIN("completedIndexes"),
    FIELD("completionTime", OF(shape_time), KEPT), FIELD("conditions", OF(job_conditions)),
    FIELD("failed", OF(shape_int32)), HELD("failedIndexes"), FIELD("ready", OF(shape_int32), KEPT),
    FIELD("startTime", OF(shape_time), KEPT), FIELD("succeeded", OF(shape_int32)),
    FIELD("terminating", OF(shape_int32), KEPT),
    FIELD("uncountedTerminatedPods", OF(uncounted), KEPT));

static const Shape job =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(job_spec), SHOWN("{}")), FIELD("status", OF(job_status), SHOWN("{}")));

/* --- the table --- */

const SchemaRow schema_table[] = {
    {"", "ConfigMap", {.root = &configmap}},
    {"", "Event", {.root = &event}},
    {"", "Namespace", {.root = &namespace, .has_status = true, .adjust = adjust_namespace}},
    {"", "Node", {.root = &node, .has_status = true}},
    {"", "PersistentVolume", {.root = &shape_persistent_volume, .has_status = true}},
    {"", "PersistentVolumeClaim", {.root = &shape_claim, .has_status = true}},
    {"", "Pod", {.root = &shape_pod, .has_status = true, .is_pod = true, .adjust = adjust_pod}},
    {"", "Secret", {.root = &secret, .adjust = adjust_secret}},
    {"", "Service", {.root = &service, .has_status = true}},
    {"", "ServiceAccount", {.root = &service_account}},
    {"apps", "ControllerRevision", {.root = &controller_revision}},
    {"apps", "Deployment", {.root = &shape_deployment, .has_status = true}},
    {"apps", "ReplicaSet", {.root = &shape_replicaset, .has_status = true}},
    {"apps", "StatefulSet", {.root = &statefulset, .has_status = true}},
    {"batch", "CronJob", {.root = &shape_cronjob, .has_status = true}},
    {"batch", "Job", {.root = &job, .has_status = true, .adjust = adjust_job}},
    {"coordination.k8s.io", "Lease", {.root = &lease}},
    {"discovery.k8s.io", "EndpointSlice", {.root = &shape_endpoint_slice}},
    {"events.k8s.io", "Event", {.root = &new_event}},
    {"networking.k8s.io", "NetworkPolicy", {.root = &shape_network_policy}},
    {"policy", "PodDisruptionBudget", {.root = &shape_pdb, .has_status = true}},
    {"rbac.authorization.k8s.io", "ClusterRole", {.root = &shape_cluster_role}},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", {.root = &shape_role_binding}},
    {"rbac.authorization.k8s.io", "Role", {.root = &shape_role}},
    {"rbac.authorization.k8s.io", "RoleBinding", {.root = &shape_role_binding}},
    {"storage.k8s.io", "StorageClass", {.root = &shape_storage_class}},
    {0},
};
