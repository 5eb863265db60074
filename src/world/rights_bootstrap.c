/* The roles and bindings that a cluster begins with, read off the bootstrap policy of Kubernetes
 * 1.34: those that people and manifests refer to, not those of the control plane's own parts, which
 * here need no rights. */
#include "base/draft.h"
#include "base/str.h"
#include "world/rights.h"

#include <string.h>

enum { SETUP_MAX = 4 << 20, RULES_MAX = 14 };

#define RBAC     "rbac.authorization.k8s.io"
#define CHANGE   "create,delete,deletecollection,patch,update"
#define READ     "get,list,watch"
#define GIVES(r) RBAC "/aggregate-to-" r

/* Lists with commas; a rule is about paths or about resources of one group. */
typedef struct FirstRule {
    const char *verbs, *group, *resources, *paths;
} FirstRule;

typedef struct FirstRole {
    const char *name;
    const char *gives;    /* the label by which another role takes its rules in; or NULL */
    const char *takes;    /* the label whose bearers' rules are its own; or NULL */
    const char *bound_to; /* groups that a binding of the same name gives it to; or NULL */
    FirstRule rules[RULES_MAX];
} FirstRole;

static const FirstRole roles[] = {
    {"admin", .takes = GIVES("admin")},
    {"cluster-admin",
        .bound_to = "system:masters",
        .rules = {{"*", "*", "*", NULL}, {"*", NULL, NULL, "*"}}},
    {"edit", .gives = GIVES("admin"), .takes = GIVES("edit")},
    {"system:aggregate-to-admin",
        .gives = GIVES("admin"),
        .rules = {{"create", "authorization.k8s.io", "localsubjectaccessreviews", NULL},
            {"create,delete,deletecollection,get,list,patch,update,watch",
                RBAC,
                "rolebindings,roles",
                NULL}}},
    {"system:aggregate-to-edit",
        .gives = GIVES("edit"),
        .rules = {{READ,
                      "",
                      "pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy",
                      NULL},
            {"impersonate", "", "serviceaccounts", NULL},
            {CHANGE, "", "pods,pods/attach,pods/exec,pods/portforward,pods/proxy", NULL},
            {"create", "", "pods/eviction", NULL},
            {CHANGE,
                "",
                "configmaps,events,persistentvolumeclaims,replicationcontrollers,"
                "replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy",
                NULL},
            {"create", "", "serviceaccounts/token", NULL},
            {CHANGE,
                "apps",
                "daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,"
                "replicasets/scale,statefulsets,statefulsets/scale",
                NULL},
            {CHANGE, "autoscaling", "horizontalpodautoscalers", NULL},
            {CHANGE, "batch", "cronjobs,jobs", NULL},
            {CHANGE,
                "extensions",
                "daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,"
                "networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale",
                NULL},
            {CHANGE, "policy", "poddisruptionbudgets", NULL},
            {CHANGE, "networking.k8s.io", "ingresses,networkpolicies", NULL},
            {"create,delete,deletecollection,get,list,patch,update,watch",
                "coordination.k8s.io",
                "leases",
                NULL},
            {CHANGE, "resource.k8s.io", "resourceclaims,resourceclaimtemplates", NULL}}},
    {"system:aggregate-to-view",
        .gives = GIVES("view"),
        .rules = {{READ,
                      "",
                      "configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,"
                      "pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,"
                      "services,services/status",
                      NULL},
            {READ,
                "",
                "bindings,events,limitranges,namespaces/status,pods/log,pods/status,"
                "replicationcontrollers/status,resourcequotas,resourcequotas/status",
                NULL},
            {READ, "", "namespaces", NULL},
            {READ, "discovery.k8s.io", "endpointslices", NULL},
            {READ,
                "apps",
                "controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,"
                "deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,"
                "statefulsets/scale,statefulsets/status",
                NULL},
            {READ, "autoscaling", "horizontalpodautoscalers,horizontalpodautoscalers/status", NULL},
            {READ, "batch", "cronjobs,cronjobs/status,jobs,jobs/status", NULL},
            {READ,
                "extensions",
                "daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,"
                "ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,"
                "replicasets/status,replicationcontrollers/scale",
                NULL},
            {READ, "policy", "poddisruptionbudgets,poddisruptionbudgets/status", NULL},
            {READ, "networking.k8s.io", "ingresses,ingresses/status,networkpolicies", NULL},
            {READ,
                "resource.k8s.io",
                "resourceclaims,resourceclaims/status,resourceclaimtemplates",
                NULL}}},
    {"system:auth-delegator",
        .rules = {{"create", "authentication.k8s.io", "tokenreviews", NULL},
            {"create", "authorization.k8s.io", "subjectaccessreviews", NULL}}},
    {"system:basic-user",
        .bound_to = "system:authenticated",
        .rules = {{"create",
                      "authorization.k8s.io",
                      "selfsubjectaccessreviews,selfsubjectrulesreviews",
                      NULL},
            {"create", "authentication.k8s.io", "selfsubjectreviews", NULL}}},
    {"system:discovery",
        .bound_to = "system:authenticated",
        .rules = {{"get",
            NULL,
            NULL,
            "/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,"
            "/version/"}}},
    {"system:monitoring",
        .bound_to = "system:monitoring",
        .rules = {{"get",
                      NULL,
                      NULL,
                      "/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,"
                      "/readyz/*"},
            {"get", "", "nodes/metrics", NULL}}},
    {"system:public-info-viewer",
        .bound_to = "system:authenticated,system:unauthenticated",
        .rules = {{"get", NULL, NULL, "/healthz,/livez,/readyz,/version,/version/"}}},
    {"system:service-account-issuer-discovery",
        .bound_to = "system:serviceaccounts",
        .rules = {{"get",
            NULL,
            NULL,
            "/.well-known/openid-configuration,/.well-known/openid-configuration/,"
            "/openid/v1/jwks,/openid/v1/jwks/"}}},
    {"view", .gives = GIVES("edit"), .takes = GIVES("view")},
};

/* The parts of a list; NULL of none. */
static Draft *parts(Arena *a, const char *commas)
{
    Draft *list = draft_array(a);

    if (!commas)
        return NULL;
    for (;;) {
        size_t len = strcspn(commas, ",");
        draft_push_str(list, str_slice(a, commas, len));
        if (!commas[len])
            return list;
        commas += len + 1;
    }
}

static Draft *metadata_of(Arena *a, const FirstRole *role)
{
    Draft *labels = draft(a, str("kubernetes.io/bootstrapping", "rbac-defaults"));

    if (role->gives)
        draft_set(labels, str(role->gives, "true"));
    return draft(a,
        str("name", role->name),
        sub("labels", labels),
        obj("annotations", str("rbac.authorization.kubernetes.io/autoupdate", "true")));
}

static Draft *rules_of(Arena *a, const FirstRole *role)
{
    Draft *rules = draft_array(a);

    for (size_t i = 0; i < RULES_MAX && role->rules[i].verbs; i++) {
        const FirstRule *rule = &role->rules[i];
        draft_push(rules,
            draft(a,
                sub("apiGroups", parts(a, rule->group)),
                sub("resources", parts(a, rule->resources)),
                sub("nonResourceURLs", parts(a, rule->paths)),
                sub("verbs", parts(a, rule->verbs))));
    }
    return rules;
}

static const Json *role_object(Arena *a, const FirstRole *role)
{
    Draft *object = draft(a,
        str("apiVersion", RBAC "/v1"),
        str("kind", "ClusterRole"),
        sub("metadata", metadata_of(a, role)));

    if (role->takes)
        draft_set(object,
            obj("aggregationRule",
                list("clusterRoleSelectors",
                    draft(a, obj("matchLabels", str(role->takes, "true"))))));
    else
        draft_set(object, sub("rules", rules_of(a, role)));
    return json_seal(a, object);
}

static const Json *binding_object(Arena *a, const FirstRole *role)
{
    Draft *subjects = draft_array(a);

    for (const char *at = role->bound_to; *at; at += strcspn(at, ","), at += *at == ',')
        draft_push(subjects,
            draft(a,
                str("kind", "Group"),
                str("apiGroup", RBAC),
                str("name", str_slice(a, at, strcspn(at, ",")))));
    return json_seal(a,
        draft(a,
            str("apiVersion", RBAC "/v1"),
            str("kind", "ClusterRoleBinding"),
            obj("metadata",
                str("name", role->name),
                obj("labels", str("kubernetes.io/bootstrapping", "rbac-defaults")),
                obj("annotations", str("rbac.authorization.kubernetes.io/autoupdate", "true"))),
            obj("roleRef",
                str("apiGroup", RBAC),
                str("kind", "ClusterRole"),
                str("name", role->name)),
            sub("subjects", subjects)));
}

static void make(Server *s, Arena *a, const Kind *kind, const Json *object)
{
    Request create = {
        .verb = VERB_CREATE, .kind = kind, .body = object, .manager = "kube-apiserver"};
    Answer answer;

    server_call(s, a, "system:apiserver", &create, &answer);
    if (answer.status != 201 && answer.status != 409)
        BUG("a server refuses its own roles");
}

void rights_bootstrap(Server *s)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        SCOPED_ARENA a = arena_open(SETUP_MAX);
        make(s, a, kind_clusterrole, role_object(a, &roles[i]));
        if (roles[i].bound_to)
            make(s, a, kind_clusterrolebinding, binding_object(a, &roles[i]));
    }
}
