/* The kinds of rbac.authorization.k8s.io. What a list of rules or subjects says, it says as a
 * whole: two appliers cannot share one. */
#include "base/draft.h"
#include "base/str.h"
#include "world/schema_rows.h"

static const Shape policy_rule = STRUCT(FIELD("apiGroups", OF(shape_texts)),
    FIELD("nonResourceURLs", OF(shape_texts)), FIELD("resourceNames", OF(shape_texts)),
    FIELD("resources", OF(shape_texts)), FIELD("verbs", OF(shape_texts), SHOWN("null")));
static const Shape policy_rules = LIST_OF(&policy_rule);

const Shape shape_role =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("rules", OF(policy_rules), SHOWN("null")));

static const Shape selectors = LIST_OF(&shape_selector);
static const Shape aggregation = STRUCT(FIELD("clusterRoleSelectors", OF(selectors)));

const Shape shape_cluster_role = STRUCT(FIELD("aggregationRule", OF(aggregation), KEPT),
    PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
    FIELD("rules", OF(policy_rules), SHOWN("null")));

/* Users and groups are of the group of roles, accounts of the core. */
const Json *compute_subject_group(const ShapeScene *s)
{
    const char *kind = json_str(s->object, ".kind");

    if (!str_eq(kind, "User") && !str_eq(kind, "Group"))
        return NULL;
    return json_fixture(s->arena, "'rbac.authorization.k8s.io'");
}

static const Shape subject = WHOLE(FIELD("apiGroup", OF(shape_text), COMPUTED(subject_group)),
    TEXT("kind"), TEXT("name"), PLAIN("namespace"));
static const Shape subjects = LIST_OF(&subject);

static const Shape role_ref =
    WHOLE(FIELD("apiGroup", OF(shape_text), SHOWN("''"), PRESET("'rbac.authorization.k8s.io'")),
        TEXT("kind"), TEXT("name"));

const Shape shape_role_binding =
    STRUCT(PLAIN("apiVersion"), PLAIN("kind"), FIELD("metadata", OF(shape_metadata), SHOWN("{}")),
        FIELD("roleRef", OF(role_ref), SHOWN("{}")), FIELD("subjects", OF(subjects)));
