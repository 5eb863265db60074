/* The parts that objects of many kinds have: metadata, references, selectors, conditions. */
#include "world/schema_rows.h"

const Shape shape_atomic = {.merge = SHAPE_ATOMIC};
const Shape shape_raw = {.merge = SHAPE_ATOMIC, .untouched = true};
const Shape shape_set = {.merge = SHAPE_SET};
const Shape shape_data = {.merge = SHAPE_FIELDS, .free_keys = true};
const Shape shape_quantity = {.merge = SHAPE_ATOMIC, .is_quantity = true};
const Shape shape_quantities = {.merge = SHAPE_FIELDS, .free_keys = true, .rest = &shape_quantity};

static const ShapeKey by_uid[] = {{"uid", "\"\""}, {0}};

static const Shape owner_reference = WHOLE(TEXT("apiVersion"), HELD("blockOwnerDeletion"),
    HELD("controller"), TEXT("kind"), TEXT("name"), TEXT("uid"));

static const Shape owner_references_by_uid = LIST_BY(by_uid, &owner_reference);
const Shape shape_metadata = STRUCT(FIELD("annotations", OF(shape_data)),
    PLAIN("creationTimestamp"), HELD("deletionGracePeriodSeconds"), HELD("deletionTimestamp"),
    FIELD("finalizers", OF(shape_set)), PLAIN("generateName"), PLAIN("generation"),
    FIELD("labels", OF(shape_data)), PLAIN("managedFields"), PLAIN("name"), PLAIN("namespace"),
    FIELD("ownerReferences", OF(owner_references_by_uid)), PLAIN("resourceVersion"),
    PLAIN("selfLink"), PLAIN("uid"));

const Shape shape_requirement = STRUCT(TEXT("key"), TEXT("operator"), PLAIN("values"));

static const Shape shape_requirements = LIST_OF(&shape_requirement);
const Shape shape_selector =
    WHOLE(FIELD("matchExpressions", OF(shape_requirements)), FIELD("matchLabels", OF(shape_data)));

const Shape shape_reference = WHOLE(PLAIN("apiVersion"), PLAIN("fieldPath"), PLAIN("kind"),
    PLAIN("name"), PLAIN("namespace"), PLAIN("resourceVersion"), PLAIN("uid"));

const Shape shape_local_reference = WHOLE(PLAIN("name"));

const Shape shape_condition = STRUCT(FIELD("lastTransitionTime", SHOWN("null")), TEXT("message"),
    PLAIN("observedGeneration"), TEXT("reason"), TEXT("status"), TEXT("type"));
