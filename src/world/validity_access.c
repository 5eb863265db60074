/* Rules of roles and bindings. A role that names nothing, or a right that it cannot give, is
 * refused; one that names what does not exist is not: it may come. */
#include "world/validity_access.h"

#include "base/str.h"

#define RBAC "rbac.authorization.k8s.io"

/* --- roles --- */

static bool is_about_paths(const Spot *rule)
{
    return json_count(json_find(rule->value, ".nonResourceURLs")) > 0;
}

static bool is_about_resources(const Spot *rule)
{
    return !is_about_paths(rule);
}

static void check_paths_of_namespace(const Spot *spot, Faults *f)
{
    spot_invalid(spot, f, "namespaced rules cannot apply to non-resource URLs");
}

static void check_paths_alone(const Spot *spot, Faults *f)
{
    const Json *rule = spot->up->value;

    if (json_count(json_find(rule, ".apiGroups")) > 0
        || json_count(json_find(rule, ".resources")) > 0
        || json_count(json_find(rule, ".resourceNames")) > 0)
        spot_invalid(spot, f, "rules cannot apply to both regular resources and non-resource URLs");
}

#define EVERY_RULE                                                                                 \
    {".verbs", .check = rule_required, .words = "verbs must contain at least one value"}
#define RESOURCE_RULES                                                                             \
    {".nonResourceURLs", .check = check_paths_alone, .when = is_about_paths},                      \
        {".apiGroups",                                                                             \
            .check = rule_required,                                                                \
            .when = is_about_resources,                                                            \
            .words = "resource rules must supply at least one api group"},                         \
        {".resources",                                                                             \
            .check = rule_required,                                                                \
            .when = is_about_resources,                                                            \
            .words = "resource rules must supply at least one resource"}

static const Rule namespaced_rule_rules[] = {
    EVERY_RULE,
    {".nonResourceURLs", .check = check_paths_of_namespace, .when = is_about_paths},
    RESOURCE_RULES,
    {0},
};
static const Rule cluster_rule_rules[] = {
    EVERY_RULE,
    RESOURCE_RULES,
    {0},
};
static void check_selector(const Spot *spot, Faults *f)
{
    size_t before = f->count;

    rule_selector(spot, f);
    if (f->count > before)
        spot_invalid_as(spot, f, "null", "invalid label selector.");
}

static const Rule selector_rules[] = {
    {"", .check = check_selector},
    {0},
};
static const Rule aggregation_rules[] = {
    {".clusterRoleSelectors",
        .check = rule_required,
        .words = "at least one clusterRoleSelector required if aggregationRule is non-nil"},
    {".clusterRoleSelectors", .each = selector_rules},
    {0},
};

const Rule validity_role_rules[] = {
    {".rules", .each = namespaced_rule_rules},
    {0},
};
const Rule validity_cluster_role_rules[] = {
    {".rules", .each = cluster_rule_rules},
    {".aggregationRule", .inside = aggregation_rules},
    {0},
};

/* --- bindings --- */

/* An absent text is as wrong as another one. */
static void check_choice(const Spot *spot, Faults *f)
{
    if (spot->value)
        rule_choice(spot, f);
    else
        spot_unsupported(spot, f, spot->rule->words);
}

static bool is_account(const Spot *subject)
{
    return str_eq(json_str(subject->value, ".kind"), "ServiceAccount");
}

static bool is_person(const Spot *subject)
{
    const char *kind = json_str(subject->value, ".kind");

    return str_eq(kind, "User") || str_eq(kind, "Group");
}

static void check_account_group(const Spot *spot, Faults *f)
{
    if (!str_empty(spot_text(spot)))
        faults_add(f,
            "FieldValueNotSupported",
            str_format(f->arena, "subjects[%zu].apiGroup", spot->up->index),
            "Unsupported value: \"%s\": supported values: \"\"",
            spot_text(spot));
}

#define SUBJECT_RULES                                                                              \
    {".name", .check = rule_required},                                                             \
        {".name", .check = rule_named, .when = is_account, .naming = naming_subdomain},            \
        {".apiGroup", .check = check_account_group, .when = is_account},                           \
        {".apiGroup", .check = check_choice, .when = is_person, .words = RBAC},                    \
        {".kind", .check = check_choice, .words = "ServiceAccount|User|Group"}

static const Rule subject_rules[] = {
    SUBJECT_RULES,
    {0},
};
static const Rule cluster_subject_rules[] = {
    SUBJECT_RULES,
    {".namespace", .check = rule_required, .when = is_account},
    {0},
};

#define ROLE_REF_RULES(kinds)                                                                      \
    {".roleRef.apiGroup", .check = check_choice, .words = RBAC},                                   \
        {".roleRef.kind", .check = check_choice, .words = (kinds)},                                \
        {".roleRef.name", .check = rule_required},                                                 \
    {                                                                                              \
        ".roleRef.name", .check = rule_named, .naming = naming_path_segment                        \
    }

const Rule validity_role_binding_rules[] = {
    ROLE_REF_RULES("Role|ClusterRole"),
    {".subjects", .each = subject_rules},
    {0},
};
const Rule validity_cluster_role_binding_rules[] = {
    ROLE_REF_RULES("ClusterRole"),
    {".subjects", .each = cluster_subject_rules},
    {0},
};
