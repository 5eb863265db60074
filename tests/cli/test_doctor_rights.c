/* Whose rights doctor asks about, and where: each question is a request, so none is asked twice,
 * and what is left unanswered when time is over must not take with it what was answered. */
#include "tests/cli/doctor/patient.h"

/* An operator in the cluster, with these arguments, which runs as the account "me". */
static void given_deployment(Terminal *t, const char *args)
{
    given(t,
        kind_deployment,
        str_format(t->arena,
            "{metadata: {name: 'sei-operator', labels: {'app.kubernetes.io/name': "
            "'sei-operator'}}, spec: {selector: {matchLabels: {a: 'b'}}, template: {metadata: "
            "{labels: {a: 'b'}}, spec: {serviceAccountName: 'me', containers: [{name: "
            "'operator', image: 'sei-operator', args: [%s]}]}}}}",
            args));
}

/* Answers as for the account of deploy/components/namespaced: yes in its namespace, else no. */
static Err *namespaced_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    const Json *what = json_find(request->body, ".spec.resourceAttributes");

    if (!kind_eq(request->kind, kind_access_review))
        return reading_call(self, a, request, ret);
    t->calls++;
    *ret = json_seal(a,
        draft(a, obj("status", flag("allowed", str_eq(json_str(what, ".namespace"), "default")))));
    return OK;
}

static const struct {
    const char *name, *args;
    bool lacks_rights;
} watching[] = {
    {"its own namespace", "'--watch-namespaces=$(POD_NAMESPACE)'", false},
    {"its own namespace by name", "'--watch-namespaces=default'", false},
    {"another beside it", "'--watch-namespaces=$(POD_NAMESPACE),other'", true},
    {"everything", "'--metrics-secure'", true},
};

TEST(an_operator_that_watches_one_namespace_needs_no_permissions_elsewhere)
{
    each_case(i, watching) {
        SCOPED_TERMINAL t = open_healthy();
        t->faulty.call = namespaced_call;
        given_deployment(t, watching[i].args);
        type(t, "doctor -o json");
        then_said(t, "\"kind\": \"DoctorView\"");
        then_int(strstr(said(t), "the operator may not ") != NULL, watching[i].lacks_rights);
    }
}

TEST(a_cluster_wide_permission_is_checked_only_once)
{
    SCOPED_TERMINAL t = open_healthy();

    t->faulty.call = namespaced_call;
    given_deployment(t, "'--watch-namespaces', 'x,y'");
    type(t, "doctor -o json");
    const char *first = strstr(said(t), "may not get persistentvolumes");
    then_true(first != NULL);
    then_true(strstr(first + 1, "may not get persistentvolumes") == NULL);
}

/* Answers no where it is asked about one resource. */
static Err *refusing_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    const char *asked = json_str(request->body, ".spec.resourceAttributes.resource");

    if (!kind_eq(request->kind, kind_access_review))
        return reading_call(self, a, request, ret);
    *ret = json_seal(a, draft(a, obj("status", flag("allowed", !str_eq(asked, t->refused)))));
    return OK;
}

static const struct {
    const char *name, *refused, *args, *phrase; /* phrase NULL: it is not asked about */
} refusals[] = {
    {"its Lease", "leases", "", "[SEI1301] ServiceAccount default/me: the operator may not get"},
    {"a Lease that it does not take", "leases", "'--leader-elect=false'", NULL},
    {"tokens of the account in its flags",
        "serviceaccounts",
        "'--sidecar-service-account=kube-system/you'",
        "may not create serviceaccounts/token you in namespace kube-system"},
    {"the service account of Prometheus",
        "tokenreviews",
        "'--metrics-secure'",
        "the operator may not create tokenreviews"},
    {"the service account of Prometheus, with access for every user",
        "tokenreviews",
        "'--metrics-secure=false'",
        NULL},
    {"routes, where no fleet has such", "httproutes", "", NULL},
    {"what a sidecar's proxy asks about",
        "seinodetasks",
        "",
        "[SEI1305] ServiceAccount default/sei-sidecar-client"},
};

TEST(every_permission_that_the_operator_uses_is_checked)
{
    each_case(i, refusals) {
        SCOPED_TERMINAL t = open_healthy();
        t->out.columns = 200;
        t->faulty.call = refusing_call;
        t->refused = refusals[i].refused;
        given_deployment(t, refusals[i].args);
        type(t, "doctor");
        if (refusals[i].phrase)
            then_said(t, refusals[i].phrase);
        else
            then_true(!strstr(said(t), "the operator may not "));
    }
}

/* --- rights, where nodes are in many namespaces */

enum { NAMESPACES = 40, ROUND_TRIP_MS = 40 };

static void given_nodes_everywhere(Terminal *t)
{
    for (int i = 0; i < NAMESPACES; i++) {
        given(t,
            kind_namespace,
            str_format(t->arena, "{metadata: {name: 'tenant-%d', namespace: null}}", i));
        given_node(t, "rpc-0", str_format(t->arena, "{metadata: {namespace: 'tenant-%d'}}", i));
    }
    given_deployment(t, "");
}

/* The same answers from far away. */
static Err *distant_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);

    world_run_until(t->world, world_now_ms(t->world) + ROUND_TRIP_MS);
    return refusing_call(self, a, request, ret);
}

TEST(many_namespaces_do_not_hide_a_missing_permission_of_the_operator)
{
    SCOPED_TERMINAL t = open_healthy();

    t->out.columns = 200;
    t->faulty.call = distant_call;
    t->refused = "leases";
    given_nodes_everywhere(t);
    type(t, "doctor");
    then_said(t, "[SEI1301] ServiceAccount default/me: the operator may not get leases");
    then_true(!strstr(said(t), "not checked: rights of operators"));
    then_true(!strstr(said(t), "not checked: rights of sidecars' tokens"));
}

TEST(many_namespaces_with_a_missing_permission_do_not_hide_one_of_the_operator)
{
    SCOPED_TERMINAL t = open_healthy();

    t->out.columns = 200;
    t->faulty.call = distant_call;
    t->refused = "seinodetasks";
    given_nodes_everywhere(t);
    then_int(type(t, "doctor -o wide"), EXIT_TIMED_OUT);
    then_said(t, "SEI1301 passed");
    then_said(t, "not checked: rights of sidecars' tokens: ");
}

/* What the account of sidecars' tokens has by bindings in namespaces, except in one of them. */
static Err *bound_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    const Json *what = json_find(request->body, ".spec.resourceAttributes");
    const char *namespace = json_str(what, ".namespace");
    bool is_of_sidecars = str_eq(json_str(what, ".resource"), "seinodetasks");

    if (!kind_eq(request->kind, kind_access_review) || !is_of_sidecars)
        return refusing_call(self, a, request, ret);
    *ret = json_seal(
        a, draft(a, obj("status", flag("allowed", namespace && !str_eq(namespace, "tenant-7")))));
    return OK;
}

TEST(an_account_with_a_role_binding_per_namespace_is_checked_in_each_namespace)
{
    SCOPED_TERMINAL t = open_healthy();

    t->out.columns = 200;
    t->faulty.call = bound_call;
    given_nodes_everywhere(t);
    type(t, "doctor");
    then_said(t, "may not create seinodetasks in namespace tenant-7\n");
    then_said(t, "may not get seinodetasks in namespace tenant-7\n");
    const char *first = strstr(said(t), "may not create seinodetasks");
    then_true(!strstr(first + 1, "may not create seinodetasks"));
}

static Err *blind_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    if (!kind_eq(request->kind, kind_deployment))
        return reading_call(self, a, request, ret);
    Err *err = err_retry(a, "it is forbidden");
    err->status = 403;
    return err;
}

TEST(permissions_of_an_unknown_account_are_not_reported_as_granted)
{
    SCOPED_TERMINAL t = open_healthy();

    t->faulty.call = blind_call;
    type(t, "doctor -o wide");
    then_true(!strstr(said(t), "SEI1301 passed"));
    then_true(!strstr(said(t), "SEI1302 passed"));
    then_said(t, "SEI1201 passed");
}
