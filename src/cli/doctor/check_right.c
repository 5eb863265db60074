/* Checks of rights, by access reviews that were answered while the chart was taken: what the
 * operator's account may not do, what the accounts of pods may not, and what the person may not. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "cli/doctor/need.h"
#include "kube/meta.h"

#include <string.h>

/* "patch seinodes/status in namespace x" */
static const char *right_text(Arena *a, const Json *review)
{
    const Json *what = json_find(review, ".spec.resourceAttributes");
    const char *sub = json_str(what, ".subresource"), *namespace = json_str(what, ".namespace");
    const char *name = json_str(what, ".name");

    return str_format(a,
        "%s %s%s%s%s%s%s%s",
        exam_word(json_str(what, ".verb")),
        exam_word(json_str(what, ".resource")),
        sub ? "/" : "",
        sub ? sub : "",
        name ? " " : "",
        name ? name : "",
        namespace ? " in namespace " : "",
        namespace ? namespace : "");
}

#define OF_SIDECARS "kubectl diff --server-side -f deploy/rbac/sidecar-client.yaml"

/* deploy/rbac speaks of the namespace that it installs into; elsewhere Helm or an overlay did. */
static const char *fix_of(const Json *review, const char *purpose)
{
    bool is_elsewhere = !str_eq(json_str(review, ".account.namespace"), "sei-system");

    if (str_eq(purpose, NEED_PROXY) || str_eq(purpose, NEED_PERSON)
        || str_eq(purpose, NEED_INSTALL))
        return NULL;
    if (is_elsewhere)
        return "kubectl auth can-i --list -n {namespace} "
               "--as=system:serviceaccount:{namespace}:{name}";
    return str_eq(purpose, NEED_TOKEN) ? OF_SIDECARS : NULL;
}

/* Tells of each review of a purpose that was answered with no. */
static void tell_refused(Exam *exam, ChartList list, const char *purpose, const char *who)
{
    const Objects *all = chart_list(exam->chart, list);

    for (size_t i = 0; i < all->count; i++) {
        const Json *review = all->items[i];
        const char *user = json_str(review, ".spec.user");
        const char *account = user ? strrchr(user, ':') : NULL;
        if (!str_eq(json_str(review, ".purpose"), purpose)
            || json_bool(review, ".status.allowed", false))
            continue;
        exam_find(exam,
            (Finding){.fix = fix_of(review, purpose),
                .kind = account ? "ServiceAccount" : "User",
                .object = {json_str(review, ".account.namespace"), account ? account + 1 : who},
                .message = str_format(exam->arena,
                    "%s%smay not %s",
                    account ? who : "",
                    account ? " " : "",
                    right_text(exam->arena, review))});
    }
}

static void operator_may_not(Exam *exam)
{
    static const char *const purposes[] = {
        NEED_OPERATOR, NEED_LEASE, NEED_TOKEN, NEED_METRICS, NEED_ROUTES};

    for (size_t i = 0; i < sizeof purposes / sizeof purposes[0]; i++)
        tell_refused(exam, CHART_REVIEWS, purposes[i], "the operator");
}

static void proxy_may_not(Exam *exam)
{
    tell_refused(exam, CHART_NODE_REVIEWS, NEED_PROXY, "the proxy in front of sidecars");
}

static void sidecar_account_may_not(Exam *exam)
{
    tell_refused(
        exam, CHART_SIDECAR_REVIEWS, NEED_SIDECAR, "the account whose tokens sidecars are shown");
}

static void person_may_not_change(Exam *exam)
{
    tell_refused(exam, CHART_OWN_REVIEWS, NEED_PERSON, "you");
}

static void person_may_not_install(Exam *exam)
{
    tell_refused(exam, CHART_OWN_REVIEWS, NEED_INSTALL, "you");
}

const Check right_checks[] = {
    {.code = "SEI1301",
        .area = AREA_RIGHTS,
        .severity = SEVERITY_ERROR,
        .title = "the operator lacks a right",
        .fine = "the operator lacks no right",
        .about = "What it may not do it says in its log and leaves undone, for every node: "
                 "plans wait; without its Lease it does nothing at all, without tokens it asks no "
                 "sidecar, and without reviews it answers no scrape. deploy/rbac has all that it "
                 "needs; something took a rule or a binding away, or an older one is installed. "
                 "What the line shows to be missing is brought back by applying the same file; an "
                 "operator in another namespace than sei-system is mended by what installed it.",
        .fix = "kubectl diff --server-side -f deploy/rbac/operator.yaml",
        .needs = {CHART_REVIEWS},
        .needs_operator = true,
        .run = operator_may_not},
    {.code = "SEI1302",
        .area = AREA_RIGHTS,
        .severity = SEVERITY_ERROR,
        .title = "the proxy in front of sidecars cannot ask who calls",
        .fine = "no proxy in front of sidecars is kept from asking who calls",
        .about = "The account that pods of nodes run as must be a subject of the "
                 "ClusterRoleBinding sei-rbac-proxy, in each namespace that has nodes. Without "
                 "it every request of the operator to a sidecar is refused, and nodes hang in "
                 "their first plan.",
        .fix = "kubectl create clusterrolebinding sei-rbac-proxy-{namespace} "
               "--clusterrole=sei-rbac-proxy --serviceaccount={namespace}:{name}",
        .needs = {CHART_NODE_REVIEWS},
        .needs_operator = true,
        .run = proxy_may_not},
    {.code = "SEI1303",
        .area = AREA_RIGHTS,
        .severity = SEVERITY_NOTE,
        .title = "you may look at nodes and not change them",
        .fine = "you may look at nodes and change them",
        .about = "The verbs of this program write spec and annotations as you; those will be "
                 "refused.",
        .fix = "kubectl auth can-i --list",
        .needs = {CHART_OWN_REVIEWS},
        .run = person_may_not_change},
    {.code = "SEI1304",
        .area = AREA_RIGHTS,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .is_pre_alone = true,
        .title = "you may not install the operator",
        .fine = "you may install the operator",
        .about = "deploy/install.yaml has definitions, cluster roles and their bindings: somebody "
                 "who administers the cluster has to apply it.",
        .fix = "kubectl auth can-i --list",
        .needs = {CHART_OWN_REVIEWS},
        .run = person_may_not_install},
    {.code = "SEI1305",
        .area = AREA_RIGHTS,
        .severity = SEVERITY_ERROR,
        .title = "the account of sidecars' tokens lacks a right",
        .fine = "the account of sidecars' tokens lacks no right",
        .about = "The operator shows sidecars a token of this account, and the proxy in front of "
                 "each lets it through only if it may create and get seinodetasks there. Without "
                 "that every call is answered with 403, and plans wait. The rights are in "
                 "deploy/rbac/sidecar-client.yaml.",
        .fix = OF_SIDECARS,
        .needs = {CHART_SIDECAR_REVIEWS, CHART_NODES},
        .needs_operator = true,
        .run = sidecar_account_may_not},
    {.code = NULL},
};
