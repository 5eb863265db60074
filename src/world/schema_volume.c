/* Volumes: claims, persistent volumes, and what pods mount. Sources that nobody here uses are
 * plain. */
#include "world/schema_rows.h"

static const ShapeKey by_type[] = {{"type", "\"\""}, {0}};

/* --- claims --- */

static const Shape claim_resources =
    STRUCT(FIELD("limits", OF(shape_quantities)), FIELD("requests", OF(shape_quantities)));

static const Shape claim_spec =
    STRUCT(PLAIN("accessModes"), FIELD("dataSource", OF(shape_atomic), KEPT), HELD("dataSourceRef"),
        FIELD("resources", OF(claim_resources), SHOWN("{}")),
        FIELD("selector", OF(shape_selector), KEPT), HELD("storageClassName"),
        HELD("volumeAttributesClassName"), FIELD("volumeMode", KEPT, PRESET("'Filesystem'")),
        PLAIN("volumeName"));

static const Shape claim_condition =
    STRUCT(FIELD("lastProbeTime", SHOWN("null")), FIELD("lastTransitionTime", SHOWN("null")),
        PLAIN("message"), PLAIN("reason"), TEXT("status"), TEXT("type"));

static const Shape claim_conditions_by_type = LIST_BY(by_type, &claim_condition);
static const Shape claim_status =
    STRUCT(PLAIN("accessModes"), FIELD("allocatedResourceStatuses", OF(shape_data)),
        FIELD("allocatedResources", OF(shape_quantities)), FIELD("capacity", OF(shape_quantities)),
        FIELD("conditions", OF(claim_conditions_by_type)), HELD("currentVolumeAttributesClassName"),
        HELD("modifyVolumeStatus"), FIELD("phase", PRESET("'Pending'")));

const Shape shape_claim =
    STRUCT(FIELD("apiVersion", PRESET("'v1'")), FIELD("kind", PRESET("'PersistentVolumeClaim'")),
        FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("spec", OF(claim_spec), SHOWN("{}")), FIELD("status", OF(claim_status), SHOWN("{}")));

/* --- persistent volumes --- */

static const Shape secret_reference = WHOLE(PLAIN("name"), PLAIN("namespace"));

static const Shape csi = STRUCT(FIELD("controllerExpandSecretRef", OF(secret_reference), KEPT),
    FIELD("controllerPublishSecretRef", OF(secret_reference), KEPT), TEXT("driver"),
    PLAIN("fsType"), FIELD("nodeExpandSecretRef", OF(secret_reference), KEPT),
    FIELD("nodePublishSecretRef", OF(secret_reference), KEPT),
    FIELD("nodeStageSecretRef", OF(secret_reference), KEPT), PLAIN("readOnly"),
    FIELD("volumeAttributes", OF(shape_data)), TEXT("volumeHandle"));

static const Shape host_path = STRUCT(TEXT("path"), FIELD("type", KEPT, PRESET("''")));

static const Shape local = STRUCT(HELD("fsType"), TEXT("path"));

static const Shape volume_node_affinity = STRUCT(FIELD("required", OF(shape_atomic), KEPT));

/* Its owner is told apart field by field, unlike other references. */
static const Shape claim_ref = STRUCT(PLAIN("apiVersion"), PLAIN("fieldPath"), PLAIN("kind"),
    PLAIN("name"), PLAIN("namespace"), PLAIN("resourceVersion"), PLAIN("uid"));

static const Shape volume_spec = STRUCT(PLAIN("accessModes"), HELD("awsElasticBlockStore"),
    HELD("azureDisk"), HELD("azureFile"), FIELD("capacity", OF(shape_quantities)), HELD("cephfs"),
    HELD("cinder"), FIELD("claimRef", OF(claim_ref), KEPT), FIELD("csi", OF(csi), KEPT), HELD("fc"),
    HELD("flexVolume"), HELD("flocker"), HELD("gcePersistentDisk"), HELD("glusterfs"),
    FIELD("hostPath", OF(host_path), KEPT), HELD("iscsi"), FIELD("local", OF(local), KEPT),
    PLAIN("mountOptions"), HELD("nfs"), FIELD("nodeAffinity", OF(volume_node_affinity), KEPT),
    FIELD("persistentVolumeReclaimPolicy", PRESET("'Retain'")), HELD("photonPersistentDisk"),
    HELD("portworxVolume"), HELD("quobyte"), HELD("rbd"), HELD("scaleIO"),
    PLAIN("storageClassName"), HELD("storageos"), HELD("volumeAttributesClassName"),
    FIELD("volumeMode", KEPT, PRESET("'Filesystem'")), HELD("vsphereVolume"));

static const Shape volume_status = STRUCT(HELD("lastPhaseTransitionTime"), PLAIN("message"),
    FIELD("phase", PRESET("'Pending'")), PLAIN("reason"));

const Shape shape_persistent_volume = STRUCT(PLAIN("apiVersion"), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("spec", OF(volume_spec), SHOWN("{}")),
    FIELD("status", OF(volume_status), SHOWN("{}")));

/* --- volumes of pods --- */

static const Shape key_to_path = STRUCT(TEXT("key"), HELD("mode"), TEXT("path"));

static const Shape key_to_paths = LIST_OF(&key_to_path);
static const Shape config_map_volume = STRUCT(FIELD("defaultMode", KEPT, PRESET("420")),
    FIELD("items", OF(key_to_paths)), PLAIN("name"), HELD("optional"));

const Shape shape_field_ref = WHOLE(FIELD("apiVersion", PRESET("'v1'")), TEXT("fieldPath"));

const Shape shape_resource_ref =
    WHOLE(PLAIN("containerName"), FIELD("divisor", OF(shape_quantity)), TEXT("resource"));

static const Shape downward_file = STRUCT(FIELD("fieldRef", OF(shape_field_ref), KEPT),
    HELD("mode"), TEXT("path"), FIELD("resourceFieldRef", OF(shape_resource_ref), KEPT));

static const Shape downward_files = LIST_OF(&downward_file);
static const Shape downward_volume =
    STRUCT(FIELD("defaultMode", KEPT, PRESET("420")), FIELD("items", OF(downward_files)));

static const Shape empty_dir =
    STRUCT(PLAIN("medium"), FIELD("sizeLimit", OF(shape_quantity), KEPT));

static const Shape claim_volume = STRUCT(TEXT("claimName"), PLAIN("readOnly"));

static const Shape config_map_projection =
    STRUCT(FIELD("items", OF(key_to_paths)), PLAIN("name"), HELD("optional"));

static const Shape downward_projection = STRUCT(FIELD("items", OF(downward_files)));

static const Shape secret_projection =
    STRUCT(FIELD("items", OF(key_to_paths)), PLAIN("name"), HELD("optional"));

static const Shape token_projection =
    STRUCT(PLAIN("audience"), FIELD("expirationSeconds", KEPT, PRESET("3600")), TEXT("path"));

static const Shape projection =
    STRUCT(HELD("clusterTrustBundle"), FIELD("configMap", OF(config_map_projection), KEPT),
        FIELD("downwardAPI", OF(downward_projection), KEPT), HELD("podCertificate"),
        FIELD("secret", OF(secret_projection), KEPT),
        FIELD("serviceAccountToken", OF(token_projection), KEPT));

static const Shape projections = LIST_OF(&projection);
static const Shape projected = STRUCT(
    FIELD("defaultMode", KEPT, PRESET("420")), FIELD("sources", OF(projections), SHOWN("null")));

static const Shape secret_volume = STRUCT(FIELD("defaultMode", KEPT, PRESET("420")),
    FIELD("items", OF(key_to_paths)), HELD("optional"), PLAIN("secretName"));

const Shape shape_volume =
    STRUCT(HELD("awsElasticBlockStore"), HELD("azureDisk"), HELD("azureFile"), HELD("cephfs"),
        HELD("cinder"), FIELD("configMap", OF(config_map_volume), KEPT), HELD("csi"),
        FIELD("downwardAPI", OF(downward_volume), KEPT),
        FIELD("emptyDir", OF(empty_dir), KEPT, COMPUTED(empty_dir)), HELD("ephemeral"), HELD("fc"),
        HELD("flexVolume"), HELD("flocker"), HELD("gcePersistentDisk"), HELD("gitRepo"),
        HELD("glusterfs"), FIELD("hostPath", OF(host_path), KEPT), HELD("image"), HELD("iscsi"),
        TEXT("name"), HELD("nfs"), FIELD("persistentVolumeClaim", OF(claim_volume), KEPT),
        HELD("photonPersistentDisk"), HELD("portworxVolume"),
        FIELD("projected", OF(projected), KEPT), HELD("quobyte"), HELD("rbd"), HELD("scaleIO"),
        FIELD("secret", OF(secret_volume), KEPT), HELD("storageos"), HELD("vsphereVolume"));
