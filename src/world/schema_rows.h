/* What the tables of built-in shapes are written with, and the shapes that they share. */
#ifndef SRC_WORLD_SCHEMA_ROWS_H
#define SRC_WORLD_SCHEMA_ROWS_H

#include "world/schema_shape.h"

/* Objects with just these fields: merged field by field, or replaced as a whole. */
#define STRUCT(...)                                                                                \
    {.merge = SHAPE_FIELDS,                                                                        \
        .type = SHAPE_MAP,                                                                         \
        .closed = true,                                                                            \
        .fields = (const ShapeField[]){__VA_ARGS__},                                               \
        .field_count = sizeof((const ShapeField[]){__VA_ARGS__}) / sizeof(ShapeField)}
#define WHOLE(...)                                                                                 \
    {.merge = SHAPE_ATOMIC,                                                                        \
        .type = SHAPE_MAP,                                                                         \
        .closed = true,                                                                            \
        .fields = (const ShapeField[]){__VA_ARGS__},                                               \
        .field_count = sizeof((const ShapeField[]){__VA_ARGS__}) / sizeof(ShapeField)}

/* Lists: merged by keys, or replaced as a whole. */
#define LIST_BY(list_keys, element)                                                                \
    {.merge = SHAPE_KEYED, .type = SHAPE_LIST, .keys = (list_keys), .rest = (element)}
#define LIST_OF(element) {.merge = SHAPE_ATOMIC, .type = SHAPE_LIST, .rest = (element)}

/* Fields: text that is left out when empty, kept when empty, always written; what nobody looks at;
 * anything else. */
#define PLAIN(field)      {.name = (field), .shape = &shape_text}
#define HELD(field)       {.name = (field), .shape = &shape_text, .zero = SHAPE_ZERO_KEPT}
#define TEXT(field)       {.name = (field), .shape = &shape_text, SHOWN("''")}
#define LOOSE(field)      {.name = (field)}
#define FIELD(field, ...) {.name = (field), __VA_ARGS__}

#define OF(field_shape)    .shape = &(field_shape)
#define KEPT               .zero = SHAPE_ZERO_KEPT
#define SHOWN(json5)       .zero = SHAPE_ZERO_SHOWN, .shown = (json5)
#define PRESET(json5)      .preset = (json5)
#define COMPUTED(function) .compute = compute_##function

typedef struct SchemaRow {
    const char *group, *kind; /* kind NULL ends the table */
    Schema schema;
} SchemaRow;

extern const SchemaRow schema_table[];

extern const Shape shape_text, shape_int32, shape_int64, shape_flag, shape_int_or_text;
extern const Shape shape_time, shape_micro_time, shape_quantity;
extern const Shape shape_atomic, shape_raw, shape_set, shape_texts, shape_int64s;
extern const Shape shape_text_map, shape_data, shape_bytes_map, shape_quantities;
extern const Shape shape_metadata, shape_selector, shape_requirement, shape_condition;
extern const Shape shape_reference, shape_local_reference;
extern const Shape shape_claim, shape_persistent_volume, shape_volume;
extern const Shape shape_field_ref, shape_resource_ref;
extern const Shape shape_pod, shape_pod_template;
extern const Shape shape_role, shape_cluster_role, shape_role_binding;
extern const Shape shape_deployment, shape_replicaset, shape_cronjob, shape_pdb;
extern const Shape shape_storage_class, shape_network_policy, shape_endpoint_slice;

/* Values of absent fields that depend on others. */
typedef const Json *ShapeCompute(const ShapeScene *scene);
extern ShapeCompute compute_pull_policy, compute_empty_dir, compute_host_port,
    compute_service_links, compute_account, compute_account_name;
extern ShapeCompute compute_rolling_update, compute_partition;
extern ShapeCompute compute_completions, compute_parallelism, compute_backoff_limit,
    compute_replacement_policy;
extern ShapeCompute compute_target_port, compute_internal_traffic, compute_external_traffic,
    compute_balancer_ports, compute_affinity_config;
extern ShapeCompute compute_allocatable;
extern ShapeCompute compute_subject_group, compute_policy_types, compute_rolling_deployment;

/* What happens to whole objects before they are completed. */
const Json *adjust_pod(Arena *a, const Json *object);
const Json *adjust_namespace(Arena *a, const Json *object);
const Json *adjust_secret(Arena *a, const Json *object);
const Json *adjust_job(Arena *a, const Json *object);

#endif
