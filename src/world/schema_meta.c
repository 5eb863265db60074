/* The parts that objects of many kinds have: metadata, references, selectors, conditions. */
#include "world/schema_rows.h"

const Shape shape_text = {.type = SHAPE_TEXT};
const Shape shape_int32 = {.type = SHAPE_INT32};
const Shape shape_int64 = {.type = SHAPE_INT64};
const Shape shape_flag = {.type = SHAPE_FLAG};
const Shape shape_time = {.type = SHAPE_TIME};
const Shape shape_micro_time = {.type = SHAPE_MICRO_TIME};
const Shape shape_int_or_text = {.type = SHAPE_INT_OR_TEXT};
static const Shape shape_bytes = {.type = SHAPE_BYTES};
const Shape shape_quantity = {.merge = SHAPE_ATOMIC, .type = SHAPE_QUANTITY, .is_quantity = true};

const Shape shape_atomic = {.merge = SHAPE_ATOMIC};
const Shape shape_raw = {.merge = SHAPE_ATOMIC, .untouched = true};
const Shape shape_set = {.merge = SHAPE_SET, .type = SHAPE_LIST, .rest = &shape_text};
const Shape shape_texts = {.type = SHAPE_LIST, .rest = &shape_text};
const Shape shape_int64s = {.type = SHAPE_LIST, .rest = &shape_int64};
const Shape shape_text_map = {.merge = SHAPE_ATOMIC, .type = SHAPE_MAP, .rest = &shape_text};
const Shape shape_data = {
    .merge = SHAPE_FIELDS, .type = SHAPE_MAP, .free_keys = true, .rest = &shape_text};
const Shape shape_bytes_map = {
    .merge = SHAPE_FIELDS, .type = SHAPE_MAP, .free_keys = true, .rest = &shape_bytes};
const Shape shape_quantities = {
    .merge = SHAPE_FIELDS, .type = SHAPE_MAP, .free_keys = true, .rest = &shape_quantity};

static const ShapeKey by_uid[] = {{"uid", "\"\""}, {0}};

static const Shape owner_reference =
    WHOLE(TEXT("apiVersion"), FIELD("blockOwnerDeletion", OF(shape_flag), KEPT),
        FIELD("controller", OF(shape_flag), KEPT), TEXT("kind"), TEXT("name"), TEXT("uid"));

static const Shape owner_references_by_uid = LIST_BY(by_uid, &owner_reference);
const Shape shape_metadata =
    STRUCT(FIELD("annotations", OF(shape_data)), FIELD("creationTimestamp", OF(shape_time)),
        FIELD("deletionGracePeriodSeconds", OF(shape_int64), KEPT),
        FIELD("deletionTimestamp", OF(shape_time), KEPT), FIELD("finalizers", OF(shape_set)),
        PLAIN("generateName"), FIELD("generation", OF(shape_int64)),
        FIELD("labels", OF(shape_data)), LOOSE("managedFields"), PLAIN("name"), PLAIN("namespace"),
        FIELD("ownerReferences", OF(owner_references_by_uid)), PLAIN("resourceVersion"),
        PLAIN("selfLink"), PLAIN("uid"));

const Shape shape_requirement =
    STRUCT(TEXT("key"), TEXT("operator"), FIELD("values", OF(shape_texts)));

static const Shape shape_requirements = LIST_OF(&shape_requirement);
const Shape shape_selector =
    WHOLE(FIELD("matchExpressions", OF(shape_requirements)), FIELD("matchLabels", OF(shape_data)));

const Shape shape_reference = WHOLE(PLAIN("apiVersion"), PLAIN("fieldPath"), PLAIN("kind"),
    PLAIN("name"), PLAIN("namespace"), PLAIN("resourceVersion"), PLAIN("uid"));

const Shape shape_local_reference = WHOLE(PLAIN("name"));

const Shape shape_condition =
    STRUCT(FIELD("lastTransitionTime", OF(shape_time), SHOWN("null")), TEXT("message"),
        FIELD("observedGeneration", OF(shape_int64)), TEXT("reason"), TEXT("status"), TEXT("type"));
