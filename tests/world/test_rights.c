/* Who may do what. The table of the real server is tests/e2e/test_rights_alike.c; here is what each
 * part of a rule means, and what the refusal says. */
#include "world/rights.h"

#include "tests/world/desk.h"

static const char *const nobody[] = {NULL};

static void cluster_role(Desk *d, const char *name, const char *rules)
{
    create(d,
        kind_clusterrole,
        str_format(d->arena, "{metadata: {name: '%s'}, rules: %s}", name, rules));
    then_status(d, 201);
}

static void cluster_binding(Desk *d, const char *name, const char *subject)
{
    create(d,
        kind_clusterrolebinding,
        str_format(d->arena,
            "{metadata: {name: '%s'}, roleRef: {kind: 'ClusterRole', name: '%s'}, subjects: [%s]}",
            name,
            name,
            subject));
    then_status(d, 201);
}

static bool may(Desk *d, RightsQuestion question)
{
    const char *reason;

    return rights_allow(d->server, d->arena, &question, &reason);
}

#define ANN .user = "ann", .groups = nobody

static const struct {
    const char *name, *rule;
    RightsQuestion question;
    bool allowed;
} rules[] = {
    {"what it names",
        "{apiGroups: [''], resources: ['pods'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .namespace = "x", .name = "p"},
        true},
    {"another verb",
        "{apiGroups: [''], resources: ['pods'], verbs: ['get']}",
        {ANN, .verb = "list", .resource = "pods"},
        false},
    {"another group",
        "{apiGroups: ['apps'], resources: ['pods'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods"},
        false},
    {"all verbs",
        "{apiGroups: [''], resources: ['pods'], verbs: ['*']}",
        {ANN, .verb = "deletecollection", .resource = "pods"},
        true},
    {"all groups",
        "{apiGroups: ['*'], resources: ['pods'], verbs: ['get']}",
        {ANN, .verb = "get", .group = "x.io", .resource = "pods"},
        true},
    {"a resource is not its parts",
        "{apiGroups: [''], resources: ['pods'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .subresource = "log"},
        false},
    {"a part is not its resource",
        "{apiGroups: [''], resources: ['pods/log'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods"},
        false},
    {"a part",
        "{apiGroups: [''], resources: ['pods/log'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .subresource = "log"},
        true},
    {"a part of everything",
        "{apiGroups: ['*'], resources: ['*/scale'], verbs: ['get']}",
        {ANN, .verb = "get", .group = "apps", .resource = "statefulsets", .subresource = "scale"},
        true},
    {"all resources have their parts",
        "{apiGroups: ['*'], resources: ['*'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .subresource = "log"},
        true},
    {"a star among the parts of one resource is no star",
        "{apiGroups: [''], resources: ['pods/*'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .subresource = "log"},
        false},
    {"a name",
        "{apiGroups: [''], resources: ['pods'], resourceNames: ['p'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .name = "p"},
        true},
    {"another name",
        "{apiGroups: [''], resources: ['pods'], resourceNames: ['p'], verbs: ['get']}",
        {ANN, .verb = "get", .resource = "pods", .name = "q"},
        false},
    {"a name is not the collection",
        "{apiGroups: [''], resources: ['pods'], resourceNames: ['p'], verbs: ['list']}",
        {ANN, .verb = "list", .resource = "pods"},
        false},
    {"a path",
        "{nonResourceURLs: ['/metrics'], verbs: ['get']}",
        {ANN, .verb = "get", .path = "/metrics"},
        true},
    {"what stands below a path",
        "{nonResourceURLs: ['/metrics'], verbs: ['get']}",
        {ANN, .verb = "get", .path = "/metrics/x"},
        false},
    {"all below a path",
        "{nonResourceURLs: ['/healthz/*'], verbs: ['get']}",
        {ANN, .verb = "get", .path = "/healthz/etcd"},
        true},
    {"all paths",
        "{nonResourceURLs: ['*'], verbs: ['get']}",
        {ANN, .verb = "get", .path = "/x"},
        true},
    {"a rule about resources says nothing of paths",
        "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}",
        {ANN, .verb = "get", .path = "/metrics"},
        false},
};

TEST(an_rbac_rule_grants_exactly_what_it_names)
{
    each_case(i, rules) {
        SCOPED_DESK d = desk_open();
        cluster_role(d, "r", str_format(d->arena, "[%s]", rules[i].rule));
        cluster_binding(d, "r", "{kind: 'User', name: 'ann'}");
        then_int(may(d, rules[i].question), rules[i].allowed);
    }
}

static const char *const of_account[] = {
    "system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated", NULL};
static const char *const masters[] = {"system:masters", NULL};

static const struct {
    const char *name, *subject, *user;
    const char *const *groups;
    bool allowed;
} subjects[] = {
    {"the user", "{kind: 'User', name: 'ann'}", "ann", nobody, true},
    {"another user", "{kind: 'User', name: 'ann'}", "bob", nobody, false},
    {"a group of that name is no user", "{kind: 'User', name: 'ann'}", "x", masters + 1, false},
    {"a member", "{kind: 'Group', name: 'system:authenticated'}", "ann", of_account, true},
    {"no member", "{kind: 'Group', name: 'system:authenticated'}", "ann", nobody, false},
    {"the account",
        "{kind: 'ServiceAccount', name: 'sa', namespace: 'ns'}",
        "system:serviceaccount:ns:sa",
        nobody,
        true},
    {"its namesake elsewhere",
        "{kind: 'ServiceAccount', name: 'sa', namespace: 'ns'}",
        "system:serviceaccount:other:sa",
        nobody,
        false},
    {"all accounts of a namespace",
        "{kind: 'Group', name: 'system:serviceaccounts:ns'}",
        "system:serviceaccount:ns:x",
        of_account,
        true},
    {"a user with every permission", "{kind: 'User', name: 'ann'}", "root", masters, true},
};

TEST(a_role_binding_applies_to_its_subjects)
{
    each_case(i, subjects) {
        SCOPED_DESK d = desk_open();
        cluster_role(d, "r", "[{apiGroups: [''], resources: ['pods'], verbs: ['get']}]");
        cluster_binding(d, "r", subjects[i].subject);
        then_int(may(d,
                     (RightsQuestion){.user = subjects[i].user,
                         .groups = subjects[i].groups,
                         .verb = "get",
                         .resource = "pods"}),
            subjects[i].allowed);
    }
}

static void bind_in_default(Desk *d, const char *kind, const char *subject)
{
    create(d,
        kind_rolebinding,
        str_format(d->arena,
            "{metadata: {name: 'b'}, roleRef: {kind: '%s', name: 'r'}, subjects: [%s]}",
            kind,
            subject));
    then_status(d, 201);
}

TEST(a_role_binding_applies_only_in_its_namespace)
{
    static const struct {
        const char *name;
    } kinds[] = {{"Role"}, {"ClusterRole"}};
    each_case(i, kinds) {
        SCOPED_DESK d = desk_open();
        cluster_role(d, "r", "[{apiGroups: [''], resources: ['pods'], verbs: ['list']}]");
        create(d,
            kind_role,
            "{metadata: {name: 'r'}, rules: [{apiGroups: [''], resources: ['pods'],"
            " verbs: ['list']}]}");
        bind_in_default(d, kinds[i].name, "{kind: 'ServiceAccount', name: 'sa'}");
        RightsQuestion q = {.user = "system:serviceaccount:default:sa",
            .groups = nobody,
            .verb = "list",
            .resource = "pods",
            .namespace = "default"};
        then_true(may(d, q));
        q.namespace = "kube-system";
        then_true(!may(d, q));
        q.namespace = NULL;
        then_true(!may(d, q));
    }
}

TEST(a_change_of_roles_takes_effect_at_once)
{
    SCOPED_DESK d = desk_open();
    RightsQuestion q = {ANN, .verb = "get", .resource = "pods"};
    then_true(!may(d, q));
    cluster_role(d, "r", "[{apiGroups: [''], resources: ['pods'], verbs: ['get']}]");
    then_true(!may(d, q));
    cluster_binding(d, "r", "{kind: 'User', name: 'ann'}");
    then_true(may(d, q));
    merge(d, kind_clusterrole, "r", "{rules: []}");
    then_true(!may(d, q));
    merge(d,
        kind_clusterrole,
        "r",
        "{rules: [{apiGroups: [''], resources: ['pods'], verbs: ['get']}]}");
    then_true(may(d, q));
    delete (d, kind_clusterrolebinding, "r");
    then_true(!may(d, q));
}

TEST(the_reason_of_an_access_decision_names_the_binding_or_the_missing_roles)
{
    SCOPED_DESK d = desk_open();
    const char *reason;
    RightsQuestion q = {ANN, .verb = "get", .resource = "pods", .namespace = "default"};
    bind_in_default(d, "Role", "{kind: 'User', name: 'ann'}");
    then_true(!rights_allow(d->server, d->arena, &q, &reason));
    then_str(reason, "RBAC: role.rbac.authorization.k8s.io \"r\" not found");
    cluster_binding(d, "none", "{kind: 'User', name: 'ann'}");
    then_true(!rights_allow(d->server, d->arena, &q, &reason));
    then_str(reason,
        "RBAC: [clusterrole.rbac.authorization.k8s.io \"none\" not found, "
        "role.rbac.authorization.k8s.io \"r\" not found]");
    create(d,
        kind_role,
        "{metadata: {name: 'r'}, rules: [{apiGroups: [''], resources: ['pods'], verbs: ['get']}]}");
    then_true(rights_allow(d->server, d->arena, &q, &reason));
    then_str(reason, "RBAC: allowed by RoleBinding \"b/default\" of Role \"r\" to User \"ann\"");
}

TEST(a_binding_that_names_a_subject_twice_is_reported_once)
{
    SCOPED_DESK d = desk_open();
    const char *reason;
    RightsQuestion q = {ANN, .verb = "get", .resource = "pods", .namespace = "default"};

    bind_in_default(d, "Role", "{kind: 'User', name: 'ann'}, {kind: 'User', name: 'ann'}");
    then_true(!rights_allow(d->server, d->arena, &q, &reason));
    then_str(reason, "RBAC: role.rbac.authorization.k8s.io \"r\" not found");
}

TEST(many_missing_roles_cost_only_the_memory_of_their_names)
{
    enum { BINDINGS = 2000 };
    SCOPED_DESK d = desk_open();
    SCOPED_ARENA small = arena_open(1 << 20);
    const char *reason;
    RightsQuestion q = {ANN, .verb = "get", .resource = "pods"};

    for (int i = 0; i < BINDINGS; i++)
        cluster_binding(d, str_format(d->arena, "b%d", i), "{kind: 'User', name: 'ann'}");
    then_true(!rights_allow(d->server, small, &q, &reason));
    then_ok(arena_err(small));
    then_true(str_has_prefix(
        reason, "RBAC: [clusterrole.rbac.authorization.k8s.io \"b0\" not found, clusterrole."));
    then_str(reason + strlen(reason) - strlen("\"b999\" not found]"), "\"b999\" not found]");
}

static const struct {
    const char *name;
    Request request;
    const char *message;
} refusals[] = {
    {"a list in a namespace",
        {.verb = VERB_LIST, .kind = kind_pod, .key.namespace = "y"},
        "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" in the "
        "namespace \"y\""},
    {"a list everywhere",
        {.verb = VERB_LIST, .kind = kind_statefulset},
        "statefulsets.apps is forbidden: User \"ann\" cannot list resource \"statefulsets\" in API "
        "group \"apps\" at the cluster scope"},
    {"one object",
        {.verb = VERB_GET, .kind = kind_pod, .key = {"y", "p"}},
        "pods \"p\" is forbidden: User \"ann\" cannot get resource \"pods\" in API group \"\" in "
        "the namespace \"y\""},
    {"a new object has no name",
        {.verb = VERB_CREATE, .kind = kind_pod, .key = {"y", "p"}},
        "pods is forbidden: User \"ann\" cannot create resource \"pods\" in API group \"\" in the "
        "namespace \"y\""},
    {"an act upon one",
        {.verb = VERB_CREATE,
            .kind = kind_serviceaccount,
            .key = {"y", "s"},
            .subresource = "token"},
        "serviceaccounts \"s\" is forbidden: User \"ann\" cannot create resource "
        "\"serviceaccounts/token\" in API group \"\" in the namespace \"y\""},
    {"a patch",
        {.verb = VERB_APPLY, .kind = kind_pod, .key = {"y", "p"}},
        "pods \"p\" is forbidden: User \"ann\" cannot patch resource \"pods\" in API group \"\" in "
        "the namespace \"y\""},
    {"a namespace is inside of itself",
        {.verb = VERB_GET, .kind = kind_namespace, .key.name = "y"},
        "namespaces \"y\" is forbidden: User \"ann\" cannot get resource \"namespaces\" in API "
        "group \"\" in the namespace \"y\""},
    {"a watch of one name",
        {.verb = VERB_WATCH, .kind = kind_node, .fields = "metadata.name=n"},
        "nodes \"n\" is forbidden: User \"ann\" cannot watch resource \"nodes\" in API group \"\" "
        "at the cluster scope"},
    {"a path",
        {.verb = VERB_RAW_GET, .raw_path = "/metrics"},
        "forbidden: User \"ann\" cannot get path \"/metrics\""},
    {"signs that pages would take for their own",
        {.verb = VERB_RAW_GET, .raw_path = "/<b>"},
        "forbidden: User \"ann\" cannot get path \"/&lt;b&gt;\""},
};

TEST(a_forbidden_request_gets_the_message_of_the_real_server)
{
    SCOPED_DESK d = desk_open();
    Caller ann = {ANN};
    each_case(i, refusals) {
        then_true(!rights_admit(d->server, d->arena, &ann, &refusals[i].request, &d->answer));
        then_status(d, 403);
        then_str(json_str(d->answer.body, ".message"), refusals[i].message);
        then_str(json_str(d->answer.body, ".reason"), "Forbidden");
    }
}

TEST(a_role_for_one_object_name_allows_watching_that_name)
{
    SCOPED_DESK d = desk_open();
    Caller ann = {ANN};
    cluster_role(d,
        "r",
        "[{apiGroups: [''], resources: ['nodes'], resourceNames: ['n'], verbs: ['watch']}]");
    cluster_binding(d, "r", "{kind: 'User', name: 'ann'}");
    Request watch = {.verb = VERB_WATCH, .kind = kind_node, .fields = "metadata.name=n"};
    then_true(rights_admit(d->server, d->arena, &ann, &watch, &d->answer));
    watch.fields = "metadata.name=n,spec.unschedulable=true";
    then_true(!rights_admit(d->server, d->arena, &ann, &watch, &d->answer));
}

static const char *const authenticated[] = {"system:authenticated", NULL};
static const char *const strangers[] = {"system:unauthenticated", NULL};

TEST(a_new_cluster_has_the_default_roles)
{
    SCOPED_DESK d = desk_open();
    rights_bootstrap(d->server);
    rights_bootstrap(d->server);
    RightsQuestion discovery = {
        .user = "ann", .groups = authenticated, .verb = "get", .path = "/apis/sei.io/v1alpha1"};
    then_true(may(d, discovery));
    discovery.groups = strangers;
    then_true(!may(d, discovery));
    discovery.path = "/version";
    then_true(may(d, discovery));
    RightsQuestion review = {.user = "ann",
        .groups = authenticated,
        .verb = "create",
        .group = "authorization.k8s.io",
        .resource = "selfsubjectaccessreviews"};
    then_true(may(d, review));
    review.resource = "subjectaccessreviews";
    then_true(!may(d, review));
}

static void count_rule(void *self, const Json *rule)
{
    then_true(json_count(json_find(rule, ".verbs")) > 0);
    ++*(int *)self;
}

TEST(the_rules_of_a_user_are_those_of_all_bindings)
{
    SCOPED_DESK d = desk_open();
    Caller ann = {.user = "ann", .groups = authenticated};
    int count = 0;
    cluster_role(d, "r", "[{apiGroups: [''], resources: ['pods'], verbs: ['get']}]");
    cluster_binding(d, "r", "{kind: 'User', name: 'ann'}");
    bind_in_default(d, "ClusterRole", "{kind: 'Group', name: 'system:authenticated'}");
    rights_each(d->server, &ann, "default", count_rule, &count);
    then_int(count, 2);
    rights_each(d->server, &ann, "kube-system", count_rule, &count);
    then_int(count, 3);
}
