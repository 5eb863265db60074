/* Volumes: claims, persistent volumes, and what pods mount. Sources that nobody here uses are
 * plain. */
#include "world/schema_rows.h"

static const ShapeKey by_type[] = {{"type", "\"\""}, {0}};

/* --- claims --- */

static const Shape claim_resources =
    STRUCT(FIELD("limits", OF(shape_quantities)), FIELD("requests", OF(shape_quantities)));

static const Shape claim_spec =
    STRUCT(FIELD("accessModes", OF(shape_texts)), FIELD("dataSource", OF(shape_atomic), KEPT),
        FIELD("dataSourceRef", KEPT), FIELD("resources", OF(claim_resources), SHOWN("{}")),
        FIELD("selector", OF(shape_selector), KEPT), HELD("storageClassName"),
        HELD("volumeAttributesClassName"),
        FIELD("volumeMode", OF(shape_text), KEPT, PRESET("'Filesystem'")), PLAIN("volumeName"));

static const Shape claim_condition = STRUCT(FIELD("lastProbeTime", OF(shape_time), SHOWN("null")),
    FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), PLAIN("message"), PLAIN("reason"),
    TEXT("status"), TEXT("type"));

static const Shape claim_conditions_by_type = LIST_BY(by_type, &claim_condition);
static const Shape claim_status = STRUCT(FIELD("accessModes", OF(shape_texts)),
    FIELD("allocatedResourceStatuses", OF(shape_data)),
    FIELD("allocatedResources", OF(shape_quantities)), FIELD("capacity", OF(shape_quantities)),
    FIELD("conditions", OF(claim_conditions_by_type)), HELD("currentVolumeAttributesClassName"),
    FIELD("modifyVolumeStatus", KEPT), FIELD("phase", OF(shape_text), PRESET("'Pending'")));

const Shape shape_claim = STRUCT(FIELD("apiVersion", OF(shape_text), PRESET("'v1'")),
    FIELD("kind", OF(shape_text), PRESET("'PersistentVolumeClaim'")),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("spec", OF(claim_spec), SHOWN("{}")),
    FIELD("status", OF(claim_status), SHOWN("{}")));

/* --- persistent volumes --- */

static const Shape secret_reference = WHOLE(PLAIN("name"), PLAIN("namespace"));

static const Shape csi = STRUCT(FIELD("controllerExpandSecretRef", OF(secret_reference), KEPT),
    FIELD("controllerPublishSecretRef", OF(secret_reference), KEPT), TEXT("driver"),
    PLAIN("fsType"), FIELD("nodeExpandSecretRef", OF(secret_reference), KEPT),
    FIELD("nodePublishSecretRef", OF(secret_reference), KEPT),
    FIELD("nodeStageSecretRef", OF(secret_reference), KEPT), FIELD("readOnly", OF(shape_flag)),
    FIELD("volumeAttributes", OF(shape_data)), TEXT("volumeHandle"));

static const Shape host_path =
    STRUCT(TEXT("path"), FIELD("type", OF(shape_text), KEPT, PRESET("''")));

static const Shape local = STRUCT(HELD("fsType"), TEXT("path"));

static const Shape volume_node_affinity = STRUCT(FIELD("required", OF(shape_atomic), KEPT));

/* Its owner is told apart field by field, unlike other references. */
static const Shape claim_ref = STRUCT(PLAIN("apiVersion"), PLAIN("fieldPath"), PLAIN("kind"),
    PLAIN("name"), PLAIN("namespace"), PLAIN("resourceVersion"), PLAIN("uid"));

static const Shape volume_spec = STRUCT(FIELD("accessModes", OF(shape_texts)),
    FIELD("awsElasticBlockStore", KEPT), FIELD("azureDisk", KEPT), FIELD("azureFile", KEPT),
    FIELD("capacity", OF(shape_quantities)), FIELD("cephfs", KEPT), FIELD("cinder", KEPT),
    FIELD("claimRef", OF(claim_ref), KEPT), FIELD("csi", OF(csi), KEPT), FIELD("fc", KEPT),
    FIELD("flexVolume", KEPT), FIELD("flocker", KEPT), FIELD("gcePersistentDisk", KEPT),
    FIELD("glusterfs", KEPT), FIELD("hostPath", OF(host_path), KEPT), FIELD("iscsi", KEPT),
    FIELD("local", OF(local), KEPT), FIELD("mountOptions", OF(shape_texts)), FIELD("nfs", KEPT),
    FIELD("nodeAffinity", OF(volume_node_affinity), KEPT),
    FIELD("persistentVolumeReclaimPolicy", OF(shape_text), PRESET("'Retain'")),
    FIELD("photonPersistentDisk", KEPT), FIELD("portworxVolume", KEPT), FIELD("quobyte", KEPT),
    FIELD("rbd", KEPT), FIELD("scaleIO", KEPT), PLAIN("storageClassName"), FIELD("storageos", KEPT),
    HELD("volumeAttributesClassName"),
    FIELD("volumeMode", OF(shape_text), KEPT, PRESET("'Filesystem'")),
    FIELD("vsphereVolume", KEPT));

static const Shape volume_status = STRUCT(FIELD("lastPhaseTransitionTime", OF(shape_time), KEPT),
    PLAIN("message"), FIELD("phase", OF(shape_text), PRESET("'Pending'")), PLAIN("reason"));

const Shape shape_persistent_volume = STRUCT(PLAIN("apiVersion"), PLAIN("kind"),
    FIELD("metadata", OF(shape_metadata), SHOWN("{}")), FIELD("spec", OF(volume_spec), SHOWN("{}")),
    FIELD("status", OF(volume_status), SHOWN("{}")));

/* --- volumes of pods --- */

static const Shape key_to_path =
    STRUCT(TEXT("key"), FIELD("mode", OF(shape_int32), KEPT), TEXT("path"));

static const Shape key_to_paths = LIST_OF(&key_to_path);
static const Shape config_map_volume =
    STRUCT(FIELD("defaultMode", OF(shape_int32), KEPT, PRESET("420")),
        FIELD("items", OF(key_to_paths)), PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

const Shape shape_field_ref =
    WHOLE(FIELD("apiVersion", OF(shape_text), PRESET("'v1'")), TEXT("fieldPath"));

const Shape shape_resource_ref =
    WHOLE(PLAIN("containerName"), FIELD("divisor", OF(shape_quantity)), TEXT("resource"));

static const Shape downward_file =
    STRUCT(FIELD("fieldRef", OF(shape_field_ref), KEPT), FIELD("mode", OF(shape_int32), KEPT),
        TEXT("path"), FIELD("resourceFieldRef", OF(shape_resource_ref), KEPT));

static const Shape downward_files = LIST_OF(&downward_file);
static const Shape downward_volume = STRUCT(
    FIELD("defaultMode", OF(shape_int32), KEPT, PRESET("420")), FIELD("items", OF(downward_files)));

static const Shape empty_dir =
    STRUCT(PLAIN("medium"), FIELD("sizeLimit", OF(shape_quantity), KEPT));

static const Shape claim_volume = STRUCT(TEXT("claimName"), FIELD("readOnly", OF(shape_flag)));

static const Shape config_map_projection = STRUCT(
    FIELD("items", OF(key_to_paths)), PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

static const Shape downward_projection = STRUCT(FIELD("items", OF(downward_files)));

static const Shape secret_projection = STRUCT(
    FIELD("items", OF(key_to_paths)), PLAIN("name"), FIELD("optional", OF(shape_flag), KEPT));

static const Shape token_projection = STRUCT(PLAIN("audience"),
    FIELD("expirationSeconds", OF(shape_int64), KEPT, PRESET("3600")), TEXT("path"));

static const Shape projection =
    STRUCT(FIELD("clusterTrustBundle", KEPT), FIELD("configMap", OF(config_map_projection), KEPT),
        FIELD("downwardAPI", OF(downward_projection), KEPT), FIELD("podCertificate", KEPT),
        FIELD("secret", OF(secret_projection), KEPT),
        FIELD("serviceAccountToken", OF(token_projection), KEPT));

static const Shape projections = LIST_OF(&projection);
static const Shape projected = STRUCT(FIELD("defaultMode", OF(shape_int32), KEPT, PRESET("420")),
    FIELD("sources", OF(projections), SHOWN("null")));

static const Shape secret_volume = STRUCT(
    FIELD("defaultMode", OF(shape_int32), KEPT, PRESET("420")), FIELD("items", OF(key_to_paths)),
    FIELD("optional", OF(shape_flag), KEPT), PLAIN("secretName"));

const Shape shape_volume = STRUCT(FIELD("awsElasticBlockStore", KEPT), FIELD("azureDisk", KEPT),
    FIELD("azureFile", KEPT), FIELD("cephfs", KEPT), FIELD("cinder", KEPT),
    FIELD("configMap", OF(config_map_volume), KEPT), FIELD("csi", KEPT),
    FIELD("downwardAPI", OF(downward_volume), KEPT),
    FIELD("emptyDir", OF(empty_dir), KEPT, COMPUTED(empty_dir)), FIELD("ephemeral", KEPT),
    FIELD("fc", KEPT), FIELD("flexVolume", KEPT), FIELD("flocker", KEPT),
    FIELD("gcePersistentDisk", KEPT), FIELD("gitRepo", KEPT), FIELD("glusterfs", KEPT),
    FIELD("hostPath", OF(host_path), KEPT), FIELD("image", KEPT), FIELD("iscsi", KEPT),
    TEXT("name"), FIELD("nfs", KEPT), FIELD("persistentVolumeClaim", OF(claim_volume), KEPT),
    FIELD("photonPersistentDisk", KEPT), FIELD("portworxVolume", KEPT),
    FIELD("projected", OF(projected), KEPT), FIELD("quobyte", KEPT), FIELD("rbd", KEPT),
    FIELD("scaleIO", KEPT), FIELD("secret", OF(secret_volume), KEPT), FIELD("storageos", KEPT),
    FIELD("vsphereVolume", KEPT));
