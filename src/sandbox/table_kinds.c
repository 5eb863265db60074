/* The columns of the built-in kinds, as the printers of Kubernetes 1.34 have them. Wide columns are
 * always sent: the client leaves them out. */
#include "base/str.h"
#include "sandbox/table_cells.h"

#define NAME                                                                                       \
    {.name = "Name",                                                                               \
        .format = "name",                                                                          \
        .about = "Its name.",                                                                      \
        .cell = cell_text,                                                                         \
        .path = ".metadata.name"}
#define AGE                                                                                        \
    {.name = "Age",                                                                                \
        .about = "How long ago it was made.",                                                      \
        .cell = cell_since,                                                                        \
        .path = ".metadata.creationTimestamp"}
/* A column; one that only -o wide shows; and what stands at a path. */
#define SHOWN(column, make, ...) {.name = (column), .cell = (make), __VA_ARGS__}
#define WIDE(column, make, ...)  {.name = (column), .cell = (make), .priority = 1, __VA_ARGS__}
#define AT(where)                .path = (where)
#define OR(text)                 .fallback = (text)
#define ABOUT(text)              .about = (text)
#define INTEGER                  .type = "integer"

#define CONTAINERS(where)                                                                          \
    WIDE("Containers", cell_containers, AT(where), ABOUT("Names of the containers.")),             \
        WIDE("Images", cell_images, AT(where), ABOUT("Images of the containers."))
#define TEMPLATE ".spec.template.spec.containers"

static const TableColumn other[] = {NAME,
    SHOWN("Created At", cell_text, AT(".metadata.creationTimestamp"), ABOUT("When it was made."),
        .type = "date"),
    {0}};

static const TableColumn scale[] = {
    SHOWN("Name", cell_text, AT(".metadata.name"), ABOUT("Its name.")),
    SHOWN("Desired", cell_integer, AT(".spec.replicas"), ABOUT("Replicas wanted."), INTEGER),
    SHOWN("Available", cell_integer, AT(".status.replicas"), ABOUT("Replicas there."), INTEGER),
    AGE,
    {0}};

static const TableColumn pod[] = {NAME,
    SHOWN("Ready", cell_pod_ready, ABOUT("Containers that serve, of all.")),
    SHOWN("Status", cell_pod_status, ABOUT("What the containers make of the pod.")),
    SHOWN("Restarts", cell_pod_restarts, ABOUT("Restarts, and when the last one was.")),
    AGE,
    WIDE("IP", cell_text, AT(".status.podIPs[0].ip"), OR("<none>"), ABOUT("Its address.")),
    WIDE("Node", cell_text, AT(".spec.nodeName"), OR("<none>"), ABOUT("Where it runs.")),
    WIDE("Nominated Node", cell_text, AT(".status.nominatedNodeName"), OR("<none>"),
        ABOUT("Where it may run once others have gone.")),
    WIDE("Readiness Gates", cell_pod_gates, ABOUT("Gates that are open, of all.")),
    {0}};

static const TableColumn stateful_set[] = {NAME,
    SHOWN("Ready", cell_ready, ABOUT("Pods that serve, of those wanted.")),
    AGE,
    CONTAINERS(TEMPLATE),
    {0}};

static const TableColumn deployment[] = {NAME,
    SHOWN("Ready", cell_ready, ABOUT("Pods that serve, of those wanted.")),
    SHOWN("Up-to-date", cell_integer, AT(".status.updatedReplicas"), ABOUT("Pods as wanted.")),
    SHOWN("Available", cell_integer, AT(".status.availableReplicas"), ABOUT("Pods in service.")),
    AGE,
    CONTAINERS(TEMPLATE),
    WIDE("Selector", cell_selector, AT(".spec.selector"), ABOUT("Which pods are its own.")),
    {0}};

static const TableColumn replica_set[] = {NAME,
    SHOWN("Desired", cell_integer, AT(".spec.replicas"), ABOUT("Pods wanted."), INTEGER),
    SHOWN("Current", cell_integer, AT(".status.replicas"), ABOUT("Pods there."), INTEGER),
    SHOWN("Ready", cell_integer, AT(".status.readyReplicas"), ABOUT("Pods that serve."), INTEGER),
    AGE,
    CONTAINERS(TEMPLATE),
    WIDE("Selector", cell_selector, AT(".spec.selector"), ABOUT("Which pods are its own.")),
    {0}};

static const TableColumn controller_revision[] = {NAME,
    SHOWN("Controller", cell_controller, ABOUT("Whose revision it is.")),
    SHOWN("Revision", cell_integer, AT(".revision"), ABOUT("Its number.")),
    AGE,
    {0}};

static const TableColumn job[] = {NAME,
    SHOWN("Status", cell_job_status, ABOUT("How far it has come.")),
    SHOWN("Completions", cell_job_completions, ABOUT("Pods that succeeded, of those wanted.")),
    SHOWN("Duration", cell_job_duration, ABOUT("How long it took.")),
    AGE,
    CONTAINERS(TEMPLATE),
    WIDE("Selector", cell_selector, AT(".spec.selector"), ABOUT("Which pods are its own.")),
    {0}};

#define JOB_TEMPLATE ".spec.jobTemplate.spec.template.spec.containers"
static const TableColumn cron_job[] = {NAME,
    SHOWN("Schedule", cell_text, AT(".spec.schedule"), ABOUT("When it runs.")),
    SHOWN("Timezone", cell_text, AT(".spec.timeZone"), OR("<none>"), ABOUT("By which clock.")),
    SHOWN("Suspend", cell_flag, AT(".spec.suspend"), ABOUT("It rests."), .type = "boolean"),
    SHOWN("Active", cell_count, AT(".status.active"), ABOUT("Jobs that run."), INTEGER),
    SHOWN("Last Schedule", cell_since, AT(".status.lastScheduleTime"), OR("<none>"),
        ABOUT("How long ago it last ran.")),
    AGE,
    CONTAINERS(JOB_TEMPLATE),
    WIDE("Selector", cell_selector, AT(".spec.jobTemplate.spec.selector"),
        ABOUT("Which pods are its own.")),
    {0}};

static const TableColumn service[] = {NAME,
    SHOWN("Type", cell_text, AT(".spec.type"), ABOUT("How it is reached.")),
    SHOWN("Cluster-IP", cell_text, AT(".spec.clusterIPs[0]"), OR("<none>"), ABOUT("Address.")),
    SHOWN("External-IP", cell_service_address, ABOUT("Its address from outside.")),
    SHOWN("Port(s)", cell_service_ports, ABOUT("Its ports.")),
    AGE,
    WIDE("Selector", cell_labels, AT(".spec.selector"), ABOUT("Which pods serve.")),
    {0}};

#define INFO ".status.nodeInfo"
static const TableColumn node[] = {NAME,
    SHOWN("Status", cell_node_status, ABOUT("Whether it can run pods.")),
    SHOWN("Roles", cell_node_roles, ABOUT("What it is there for.")),
    AGE,
    SHOWN("Version", cell_text, AT(INFO ".kubeletVersion"), ABOUT("Of its kubelet.")),
    WIDE("Internal-IP", cell_node_address, AT("InternalIP"), ABOUT("Its address inside.")),
    WIDE("External-IP", cell_node_address, AT("ExternalIP"), ABOUT("Its address outside.")),
    WIDE("OS-Image", cell_text, AT(INFO ".osImage"), OR("<unknown>"), ABOUT("Its system.")),
    WIDE("Kernel-Version", cell_text, AT(INFO ".kernelVersion"), OR("<unknown>"),
        ABOUT("Its kernel.")),
    WIDE("Container-Runtime", cell_text, AT(INFO ".containerRuntimeVersion"), OR("<unknown>"),
        ABOUT("What runs its containers.")),
    {0}};

static const TableColumn event[] = {
    SHOWN("Last Seen", cell_event_last, ABOUT("How long ago it last happened.")),
    SHOWN("Type", cell_text, AT(".type"), ABOUT("Normal or Warning.")),
    SHOWN("Reason", cell_text, AT(".reason"), ABOUT("In a word.")),
    SHOWN("Object", cell_event_object, ABOUT("To whom it happened.")),
    WIDE("Subobject", cell_event_part, ABOUT("To which part of it.")),
    WIDE("Source", cell_event_source, ABOUT("Who saw it.")),
    SHOWN("Message", cell_event_message, ABOUT("What happened.")),
    WIDE("First Seen", cell_event_first, ABOUT("How long ago it first happened.")),
    WIDE("Count", cell_event_count, ABOUT("How often it happened.")),
    WIDE("Name", cell_text, AT(".metadata.name"), ABOUT("Its name."), .format = "name"),
    {0}};

static const TableColumn namespace[] = {
    NAME, SHOWN("Status", cell_text, AT(".status.phase"), ABOUT("Whether it stays.")), AGE, {0}};

static const TableColumn config_map[] = {
    NAME, SHOWN("Data", cell_config_data, ABOUT("How many keys it has.")), AGE, {0}};

static const TableColumn secret[] = {NAME,
    SHOWN("Type", cell_text, AT(".type"), ABOUT("What it is for.")),
    SHOWN("Data", cell_count, AT(".data"), ABOUT("How many keys it has.")),
    AGE,
    {0}};

static const TableColumn service_account[] = {
    NAME, SHOWN("Secrets", cell_count, AT(".secrets"), ABOUT("How many it names.")), AGE, {0}};

static const TableColumn volume[] = {NAME,
    SHOWN("Capacity", cell_text, AT(".spec.capacity.storage"), OR("0"), ABOUT("Its size.")),
    SHOWN("Access Modes", cell_modes, AT(".spec.accessModes"), ABOUT("How it can be mounted.")),
    SHOWN("Reclaim Policy", cell_text, AT(".spec.persistentVolumeReclaimPolicy"),
        ABOUT("What becomes of it without its claim.")),
    SHOWN("Status", cell_volume_phase, ABOUT("Whether it is bound.")),
    SHOWN("Claim", cell_volume_claim, ABOUT("Whose it is.")),
    SHOWN("StorageClass", cell_storage_class, ABOUT("Its class.")),
    SHOWN("VolumeAttributesClass", cell_text, AT(".spec.volumeAttributesClassName"), OR("<unset>"),
        ABOUT("Its class of attributes.")),
    SHOWN("Reason", cell_text, AT(".status.reason"), ABOUT("Why it failed.")),
    AGE,
    WIDE("VolumeMode", cell_text, AT(".spec.volumeMode"), OR("<unset>"), ABOUT("Files or block.")),
    {0}};

static const TableColumn claim[] = {NAME,
    SHOWN("Status", cell_volume_phase, ABOUT("Whether it is bound.")),
    SHOWN("Volume", cell_text, AT(".spec.volumeName"), ABOUT("What it is bound to.")),
    SHOWN("Capacity", cell_claim_capacity, ABOUT("The size of the volume.")),
    SHOWN("Access Modes", cell_claim_modes, ABOUT("How it can be mounted.")),
    SHOWN("StorageClass", cell_storage_class, ABOUT("Its class.")),
    SHOWN("VolumeAttributesClass", cell_text, AT(".spec.volumeAttributesClassName"), OR("<unset>"),
        ABOUT("Its class of attributes.")),
    AGE,
    WIDE("VolumeMode", cell_text, AT(".spec.volumeMode"), OR("<unset>"), ABOUT("Files or block.")),
    {0}};

static const TableColumn storage_class[] = {
    SHOWN("Name", cell_class_name, ABOUT("Its name."), .format = "name"),
    SHOWN("Provisioner", cell_text, AT(".provisioner"), ABOUT("Who makes volumes.")),
    SHOWN("ReclaimPolicy", cell_text, AT(".reclaimPolicy"), OR("Delete"), ABOUT("At the end.")),
    SHOWN("VolumeBindingMode", cell_text, AT(".volumeBindingMode"), OR("Immediate"),
        ABOUT("When claims are bound.")),
    SHOWN("AllowVolumeExpansion", cell_truth, AT(".allowVolumeExpansion"),
        ABOUT("Whether volumes can grow.")),
    AGE,
    {0}};

static const TableColumn lease[] = {
    NAME, SHOWN("Holder", cell_text, AT(".spec.holderIdentity"), ABOUT("Who has it.")), AGE, {0}};

static const TableColumn role_binding[] = {NAME,
    SHOWN("Role", cell_role, ABOUT("What is granted.")),
    AGE,
    WIDE("Users", cell_subjects, AT("User"), ABOUT("To which users.")),
    WIDE("Groups", cell_subjects, AT("Group"), ABOUT("To which groups.")),
    WIDE("ServiceAccounts", cell_subjects, AT("ServiceAccount"), ABOUT("To which accounts.")),
    {0}};

static const TableColumn disruption_budget[] = {NAME,
    SHOWN("Min Available", cell_budget, AT(".spec.minAvailable"), ABOUT("How many must serve.")),
    SHOWN("Max Unavailable", cell_budget, AT(".spec.maxUnavailable"), ABOUT("How many may not.")),
    SHOWN("Allowed Disruptions", cell_integer, AT(".status.disruptionsAllowed"),
        ABOUT("How many may go now."), INTEGER),
    AGE,
    {0}};

static const TableColumn network_policy[] = {NAME,
    SHOWN("Pod-Selector", cell_selector, AT(".spec.podSelector"), ABOUT("For which pods.")),
    AGE,
    {0}};

static const TableColumn endpoint_slice[] = {NAME,
    SHOWN("AddressType", cell_text, AT(".addressType"), ABOUT("What addresses are.")),
    SHOWN("Ports", cell_slice_ports, ABOUT("Its ports.")),
    SHOWN("Endpoints", cell_slice_endpoints, ABOUT("Its addresses.")),
    AGE,
    {0}};

static const struct {
    const char *group, *kind;
    const TableColumn *columns;
} sheets[] = {
    {"", "ConfigMap", config_map},
    {"", "Event", event},
    {"", "Namespace", namespace},
    {"", "Node", node},
    {"", "PersistentVolume", volume},
    {"", "PersistentVolumeClaim", claim},
    {"", "Pod", pod},
    {"", "Secret", secret},
    {"", "Service", service},
    {"", "ServiceAccount", service_account},
    {"apps", "ControllerRevision", controller_revision},
    {"apps", "Deployment", deployment},
    {"apps", "ReplicaSet", replica_set},
    {"apps", "StatefulSet", stateful_set},
    {"autoscaling", "Scale", scale},
    {"batch", "CronJob", cron_job},
    {"batch", "Job", job},
    {"coordination.k8s.io", "Lease", lease},
    {"discovery.k8s.io", "EndpointSlice", endpoint_slice},
    {"events.k8s.io", "Event", event},
    {"networking.k8s.io", "NetworkPolicy", network_policy},
    {"policy", "PodDisruptionBudget", disruption_budget},
    {"rbac.authorization.k8s.io", "ClusterRoleBinding", role_binding},
    {"rbac.authorization.k8s.io", "RoleBinding", role_binding},
    {"storage.k8s.io", "StorageClass", storage_class},
};

const TableColumn *table_columns(const char *group, const char *kind)
{
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++)
        if (str_eq(sheets[i].group, group) && str_eq(sheets[i].kind, kind))
            return sheets[i].columns;
    return other;
}
