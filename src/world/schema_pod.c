/* Pods, and the templates that they are made from. */
#include "world/schema_rows.h"

static const ShapeKey by_type[] = {{"type", "\"\""}, {0}};
static const ShapeKey by_name[] = {{"name", "\"\""}, {0}};
static const ShapeKey by_container_port[] = {{"containerPort", "0"}, {"protocol", "\"TCP\""}, {0}};
static const ShapeKey by_device_path[] = {{"devicePath", "\"\""}, {0}};
static const ShapeKey by_mount_path[] = {{"mountPath", "\"\""}, {0}};
static const ShapeKey by_ip[] = {{"ip", "\"\""}, {0}};
static const ShapeKey by_topology_key[] = {
    {"topologyKey", "\"\""}, {"whenUnsatisfiable", "\"\""}, {0}};

/* --- templates --- */

static const Shape node_affinity = STRUCT(LOOSE("preferredDuringSchedulingIgnoredDuringExecution"),
    FIELD("requiredDuringSchedulingIgnoredDuringExecution", OF(shape_atomic), KEPT));

static const Shape affinity = STRUCT(FIELD("nodeAffinity", OF(node_affinity), KEPT),
    FIELD("podAffinity", KEPT), FIELD("podAntiAffinity", KEPT));

static const Shape config_map_key_ref =
    WHOLE(TEXT("key"), PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

static const Shape file_key_ref =
    WHOLE(TEXT("key"), FIELD("optional", OF(shape_flag), KEPT), TEXT("path"), TEXT("volumeName"));

static const Shape secret_key_ref =
    WHOLE(TEXT("key"), PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

static const Shape variable_source = STRUCT(FIELD("configMapKeyRef", OF(config_map_key_ref), KEPT),
    FIELD("fieldRef", OF(shape_field_ref), KEPT), FIELD("fileKeyRef", OF(file_key_ref), KEPT),
    FIELD("resourceFieldRef", OF(shape_resource_ref), KEPT),
    FIELD("secretKeyRef", OF(secret_key_ref), KEPT));

static const Shape variable =
    STRUCT(TEXT("name"), PLAIN("value"), FIELD("valueFrom", OF(variable_source), KEPT));

static const Shape variables_by_name = LIST_BY(by_name, &variable);
static const Shape config_map_env = STRUCT(PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

static const Shape secret_env = STRUCT(PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

static const Shape env_from = STRUCT(FIELD("configMapRef", OF(config_map_env), KEPT),
    PLAIN("prefix"), FIELD("secretRef", OF(secret_env), KEPT));

static const Shape env_froms = LIST_OF(&env_from);
static const Shape exec = STRUCT(FIELD("command", OF(shape_texts)));

static const Shape http_header = STRUCT(TEXT("name"), TEXT("value"));

static const Shape http_headers = LIST_OF(&http_header);
static const Shape http_get = STRUCT(PLAIN("host"), FIELD("httpHeaders", OF(http_headers)),
    FIELD("path", OF(shape_text), PRESET("'/'")), FIELD("port", OF(shape_int_or_text), KEPT),
    FIELD("scheme", OF(shape_text), PRESET("'HTTP'")));

static const Shape sleep = STRUCT(FIELD("seconds", OF(shape_int64), SHOWN("0")));

static const Shape tcp_socket = STRUCT(PLAIN("host"), FIELD("port", OF(shape_int_or_text), KEPT));

static const Shape handler =
    STRUCT(FIELD("exec", OF(exec), KEPT), FIELD("httpGet", OF(http_get), KEPT),
        FIELD("sleep", OF(sleep), KEPT), FIELD("tcpSocket", OF(tcp_socket), KEPT));

static const Shape lifecycle = STRUCT(
    FIELD("postStart", OF(handler), KEPT), FIELD("preStop", OF(handler), KEPT), HELD("stopSignal"));

static const Shape grpc = STRUCT(FIELD("port", OF(shape_int32), SHOWN("0")),
    FIELD("service", OF(shape_text), SHOWN("null"), PRESET("''")));

static const Shape probe = STRUCT(FIELD("exec", OF(exec), KEPT),
    FIELD("failureThreshold", OF(shape_int32), PRESET("3")), FIELD("grpc", OF(grpc), KEPT),
    FIELD("httpGet", OF(http_get), KEPT), FIELD("initialDelaySeconds", OF(shape_int32)),
    FIELD("periodSeconds", OF(shape_int32), PRESET("10")),
    FIELD("successThreshold", OF(shape_int32), PRESET("1")),
    FIELD("tcpSocket", OF(tcp_socket), KEPT),
    FIELD("terminationGracePeriodSeconds", OF(shape_int64), KEPT),
    FIELD("timeoutSeconds", OF(shape_int32), PRESET("1")));

static const Shape container_port = STRUCT(FIELD("containerPort", OF(shape_int32), SHOWN("0")),
    PLAIN("hostIP"), FIELD("hostPort", OF(shape_int32), COMPUTED(host_port)), PLAIN("name"),
    FIELD("protocol", OF(shape_text), PRESET("'TCP'")));

static const Shape container_ports_by_container_port = LIST_BY(by_container_port, &container_port);
static const Shape container_resize_policy = STRUCT(TEXT("resourceName"), TEXT("restartPolicy"));

static const Shape container_resize_policies = LIST_OF(&container_resize_policy);
static const Shape resource_claim = STRUCT(TEXT("name"), PLAIN("request"));

static const Shape resource_claims_by_name = LIST_BY(by_name, &resource_claim);
static const Shape resources = STRUCT(FIELD("claims", OF(resource_claims_by_name)),
    FIELD("limits", OF(shape_quantities)), FIELD("requests", OF(shape_quantities)));

static const Shape app_armor_profile = STRUCT(HELD("localhostProfile"), TEXT("type"));

static const Shape capabilities =
    STRUCT(FIELD("add", OF(shape_texts)), FIELD("drop", OF(shape_texts)));

static const Shape selinux_options =
    STRUCT(PLAIN("level"), PLAIN("role"), PLAIN("type"), PLAIN("user"));

static const Shape seccomp_profile = STRUCT(HELD("localhostProfile"), TEXT("type"));

static const Shape security_context = STRUCT(
    FIELD("allowPrivilegeEscalation", OF(shape_flag), KEPT),
    FIELD("appArmorProfile", OF(app_armor_profile), KEPT),
    FIELD("capabilities", OF(capabilities), KEPT), FIELD("privileged", OF(shape_flag), KEPT),
    HELD("procMount"), FIELD("readOnlyRootFilesystem", OF(shape_flag), KEPT),
    FIELD("runAsGroup", OF(shape_int64), KEPT), FIELD("runAsNonRoot", OF(shape_flag), KEPT),
    FIELD("runAsUser", OF(shape_int64), KEPT), FIELD("seLinuxOptions", OF(selinux_options), KEPT),
    FIELD("seccompProfile", OF(seccomp_profile), KEPT), FIELD("windowsOptions", KEPT));

static const Shape volume_device = STRUCT(TEXT("devicePath"), TEXT("name"));

static const Shape volume_devices_by_device_path = LIST_BY(by_device_path, &volume_device);
static const Shape volume_mount = STRUCT(TEXT("mountPath"), HELD("mountPropagation"), TEXT("name"),
    FIELD("readOnly", OF(shape_flag)), HELD("recursiveReadOnly"), PLAIN("subPath"),
    PLAIN("subPathExpr"));

static const Shape volume_mounts_by_mount_path = LIST_BY(by_mount_path, &volume_mount);
static const Shape container = STRUCT(FIELD("args", OF(shape_texts)),
    FIELD("command", OF(shape_texts)), FIELD("env", OF(variables_by_name)),
    FIELD("envFrom", OF(env_froms)), PLAIN("image"),
    FIELD("imagePullPolicy", OF(shape_text), COMPUTED(pull_policy)),
    FIELD("lifecycle", OF(lifecycle), KEPT), FIELD("livenessProbe", OF(probe), KEPT), TEXT("name"),
    FIELD("ports", OF(container_ports_by_container_port)), FIELD("readinessProbe", OF(probe), KEPT),
    FIELD("resizePolicy", OF(container_resize_policies)),
    FIELD("resources", OF(resources), SHOWN("{}")), HELD("restartPolicy"),
    LOOSE("restartPolicyRules"), FIELD("securityContext", OF(security_context), KEPT),
    FIELD("startupProbe", OF(probe), KEPT), FIELD("stdin", OF(shape_flag)),
    FIELD("stdinOnce", OF(shape_flag)),
    FIELD("terminationMessagePath", OF(shape_text), PRESET("'/dev/termination-log'")),
    FIELD("terminationMessagePolicy", OF(shape_text), PRESET("'File'")),
    FIELD("tty", OF(shape_flag)), FIELD("volumeDevices", OF(volume_devices_by_device_path)),
    FIELD("volumeMounts", OF(volume_mounts_by_mount_path)), PLAIN("workingDir"));

static const Shape containers_by_name = LIST_BY(by_name, &container);
static const Shape ephemeral_container = STRUCT(FIELD("args", OF(shape_texts)),
    FIELD("command", OF(shape_texts)), FIELD("env", OF(variables_by_name)),
    FIELD("envFrom", OF(env_froms)), PLAIN("image"),
    FIELD("imagePullPolicy", OF(shape_text), COMPUTED(pull_policy)),
    FIELD("lifecycle", OF(lifecycle), KEPT), FIELD("livenessProbe", OF(probe), KEPT), TEXT("name"),
    FIELD("ports", OF(container_ports_by_container_port)), FIELD("readinessProbe", OF(probe), KEPT),
    FIELD("resizePolicy", OF(container_resize_policies)),
    FIELD("resources", OF(resources), SHOWN("{}")), HELD("restartPolicy"),
    LOOSE("restartPolicyRules"), FIELD("securityContext", OF(security_context), KEPT),
    FIELD("startupProbe", OF(probe), KEPT), FIELD("stdin", OF(shape_flag)),
    FIELD("stdinOnce", OF(shape_flag)), PLAIN("targetContainerName"),
    FIELD("terminationMessagePath", OF(shape_text), PRESET("'/dev/termination-log'")),
    FIELD("terminationMessagePolicy", OF(shape_text), PRESET("'File'")),
    FIELD("tty", OF(shape_flag)), FIELD("volumeDevices", OF(volume_devices_by_device_path)),
    FIELD("volumeMounts", OF(volume_mounts_by_mount_path)), PLAIN("workingDir"));

static const Shape ephemeral_containers_by_name = LIST_BY(by_name, &ephemeral_container);
static const Shape host_alias = STRUCT(FIELD("hostnames", OF(shape_texts)), TEXT("ip"));

static const Shape host_aliases_by_ip = LIST_BY(by_ip, &host_alias);
static const Shape shape_local_references_by_name = LIST_BY(by_name, &shape_local_reference);

static const Shape pod_os = STRUCT(TEXT("name"));

static const Shape pod_readiness_gate = STRUCT(TEXT("conditionType"));

static const Shape pod_readiness_gates = LIST_OF(&pod_readiness_gate);
static const Shape things_by_name = LIST_BY(by_name, NULL);

static const Shape pod_scheduling_gate = STRUCT(TEXT("name"));

static const Shape pod_scheduling_gates_by_name = LIST_BY(by_name, &pod_scheduling_gate);
static const Shape sysctl = STRUCT(TEXT("name"), TEXT("value"));

static const Shape sysctls = LIST_OF(&sysctl);
static const Shape pod_security_context = STRUCT(
    FIELD("appArmorProfile", OF(app_armor_profile), KEPT), FIELD("fsGroup", OF(shape_int64), KEPT),
    HELD("fsGroupChangePolicy"), FIELD("runAsGroup", OF(shape_int64), KEPT),
    FIELD("runAsNonRoot", OF(shape_flag), KEPT), FIELD("runAsUser", OF(shape_int64), KEPT),
    HELD("seLinuxChangePolicy"), FIELD("seLinuxOptions", OF(selinux_options), KEPT),
    FIELD("seccompProfile", OF(seccomp_profile), KEPT),
    FIELD("supplementalGroups", OF(shape_int64s)), HELD("supplementalGroupsPolicy"),
    FIELD("sysctls", OF(sysctls)), FIELD("windowsOptions", KEPT));

static const Shape toleration = STRUCT(PLAIN("effect"), PLAIN("key"), PLAIN("operator"),
    FIELD("tolerationSeconds", OF(shape_int64), KEPT), PLAIN("value"));

static const Shape tolerations = LIST_OF(&toleration);
static const Shape spread = STRUCT(FIELD("labelSelector", OF(shape_selector), KEPT),
    FIELD("matchLabelKeys", OF(shape_texts)), FIELD("maxSkew", OF(shape_int32), SHOWN("0")),
    FIELD("minDomains", OF(shape_int32), KEPT), HELD("nodeAffinityPolicy"),
    HELD("nodeTaintsPolicy"), TEXT("topologyKey"), TEXT("whenUnsatisfiable"));

static const Shape spreads_by_topology_key = LIST_BY(by_topology_key, &spread);
static const Shape shape_volumes_by_name = LIST_BY(by_name, &shape_volume);

static const Shape pod_spec = STRUCT(FIELD("activeDeadlineSeconds", OF(shape_int64), KEPT),
    FIELD("affinity", OF(affinity), KEPT),
    FIELD("automountServiceAccountToken", OF(shape_flag), KEPT),
    FIELD("containers", OF(containers_by_name), SHOWN("null")), FIELD("dnsConfig", KEPT),
    FIELD("dnsPolicy", OF(shape_text), PRESET("'ClusterFirst'")),
    FIELD("enableServiceLinks", OF(shape_flag), KEPT, COMPUTED(service_links)),
    FIELD("ephemeralContainers", OF(ephemeral_containers_by_name)),
    FIELD("hostAliases", OF(host_aliases_by_ip)), FIELD("hostIPC", OF(shape_flag)),
    FIELD("hostNetwork", OF(shape_flag)), FIELD("hostPID", OF(shape_flag)),
    FIELD("hostUsers", OF(shape_flag), KEPT), PLAIN("hostname"), HELD("hostnameOverride"),
    FIELD("imagePullSecrets", OF(shape_local_references_by_name)),
    FIELD("initContainers", OF(containers_by_name)), PLAIN("nodeName"),
    FIELD("nodeSelector", OF(shape_text_map)), FIELD("os", OF(pod_os), KEPT),
    FIELD("overhead", OF(shape_quantities)), HELD("preemptionPolicy"),
    FIELD("priority", OF(shape_int32), KEPT), PLAIN("priorityClassName"),
    FIELD("readinessGates", OF(pod_readiness_gates)), FIELD("resourceClaims", OF(things_by_name)),
    FIELD("resources", OF(resources), KEPT),
    FIELD("restartPolicy", OF(shape_text), PRESET("'Always'")), HELD("runtimeClassName"),
    FIELD("schedulerName", OF(shape_text), PRESET("'default-scheduler'")),
    FIELD("schedulingGates", OF(pod_scheduling_gates_by_name)),
    FIELD("securityContext", OF(pod_security_context), KEPT, PRESET("{}")),
    FIELD("serviceAccount", OF(shape_text), COMPUTED(account)),
    FIELD("serviceAccountName", OF(shape_text), COMPUTED(account_name)),
    FIELD("setHostnameAsFQDN", OF(shape_flag), KEPT),
    FIELD("shareProcessNamespace", OF(shape_flag), KEPT), PLAIN("subdomain"),
    FIELD("terminationGracePeriodSeconds", OF(shape_int64), KEPT, PRESET("30")),
    FIELD("tolerations", OF(tolerations)),
    FIELD("topologySpreadConstraints", OF(spreads_by_topology_key)),
    FIELD("volumes", OF(shape_volumes_by_name)));

const Shape shape_pod_template = STRUCT(
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("spec", OF(pod_spec), SHOWN("{}")));

/* --- pods --- */

static const Shape pod_condition = STRUCT(FIELD("lastProbeTime", OF(shape_time), SHOWN("null")),
    FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"),
    FIELD("observedGeneration", OF(shape_int64)), PLAIN("reason"), TEXT("status"), TEXT("type"));

static const Shape pod_conditions_by_type = LIST_BY(by_type, &pod_condition);
static const Shape container_state_running =
    STRUCT(FIELD("startedAt", OF(shape_time), SHOWN("null")));

static const Shape container_state_terminated =
    STRUCT(PLAIN("containerID"), FIELD("exitCode", OF(shape_int32), SHOWN("0")),
        FIELD("finishedAt", OF(shape_time), SHOWN("null")), PLAIN("message"), PLAIN("reason"),
        FIELD("signal", OF(shape_int32)), FIELD("startedAt", OF(shape_time), SHOWN("null")));

static const Shape container_state_waiting = STRUCT(PLAIN("message"), PLAIN("reason"));

static const Shape container_state = STRUCT(FIELD("running", OF(container_state_running), KEPT),
    FIELD("terminated", OF(container_state_terminated), KEPT),
    FIELD("waiting", OF(container_state_waiting), KEPT));

static const Shape things_by_mount_path = LIST_BY(by_mount_path, NULL);
static const Shape container_status = STRUCT(FIELD("allocatedResources", OF(shape_quantities)),
    FIELD("allocatedResourcesStatus", OF(things_by_name)), PLAIN("containerID"), TEXT("image"),
    TEXT("imageID"), FIELD("lastState", OF(container_state), SHOWN("{}")), TEXT("name"),
    FIELD("ready", OF(shape_flag), SHOWN("false")), FIELD("resources", OF(resources), KEPT),
    FIELD("restartCount", OF(shape_int32), SHOWN("0")), FIELD("started", OF(shape_flag), KEPT),
    FIELD("state", OF(container_state), SHOWN("{}")), HELD("stopSignal"), FIELD("user", KEPT),
    FIELD("volumeMounts", OF(things_by_mount_path)));

static const Shape container_statuses = LIST_OF(&container_status);
static const Shape host_ip = STRUCT(TEXT("ip"));

static const Shape host_ips = LIST_OF(&host_ip);
static const Shape pod_ip = STRUCT(TEXT("ip"));

static const Shape pod_ips_by_ip = LIST_BY(by_ip, &pod_ip);
static const Shape pod_status = STRUCT(FIELD("conditions", OF(pod_conditions_by_type)),
    FIELD("containerStatuses", OF(container_statuses)),
    FIELD("ephemeralContainerStatuses", OF(container_statuses)),
    FIELD("extendedResourceClaimStatus", KEPT), PLAIN("hostIP"), FIELD("hostIPs", OF(host_ips)),
    FIELD("initContainerStatuses", OF(container_statuses)), PLAIN("message"),
    PLAIN("nominatedNodeName"), FIELD("observedGeneration", OF(shape_int64)), PLAIN("phase"),
    PLAIN("podIP"), FIELD("podIPs", OF(pod_ips_by_ip)), PLAIN("qosClass"), PLAIN("reason"),
    PLAIN("resize"), FIELD("resourceClaimStatuses", OF(things_by_name)),
    FIELD("startTime", OF(shape_time), KEPT));

const Shape shape_pod =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(pod_spec), SHOWN("{}")), FIELD("status", OF(pod_status), SHOWN("{}")));
