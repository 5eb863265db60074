/* Checks of the Lease, by which both operators, ours and the Go one, agree on who works. It has one
 * name, but lives in the namespace of whoever takes it: two that are held at once are two operators
 * at work. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "sei/api/names.h"

#include <string.h>

enum { LEASE_SECONDS = 15, LEASE_MISSED_MAX = 4 };

static bool is_held(const Json *lease)
{
    return !str_empty(json_str(lease, ".spec.holderIdentity"));
}

/* Renewed within a few of its durations. */
static bool is_fresh(const Chart *c, const Json *lease)
{
    int64_t age_s = chart_age_s(c, lease, ".spec.renewTime");
    int64_t lasts_s = json_int(lease, ".spec.leaseDurationSeconds", LEASE_SECONDS);

    return is_held(lease) && age_s >= 0 && age_s <= lasts_s * LEASE_MISSED_MAX;
}

/* Of several that of the Deployment that we know. */
static const Json *find_fresh(const Chart *c)
{
    const Objects *all = chart_list(c, CHART_LEASES);
    const char *home = meta_namespace(chart_operator(c));
    const Json *fresh = NULL;

    for (size_t i = 0; i < all->count; i++)
        if (is_fresh(c, all->items[i]) && (!fresh || str_eq(meta_namespace(all->items[i]), home)))
            fresh = all->items[i];
    return fresh;
}

static void nobody_works(Exam *exam)
{
    const Chart *c = exam->chart;

    if (!chart_operator(c) && chart_list(c, CHART_LEASES)->count == 0)
        exam_find(exam,
            (Finding){.kind = "Deployment",
                .object = {"sei-system", "sei-operator"},
                .message = "no operator is installed, and none has ever worked here"});
}

/* The operator of ours that takes the Lease of a namespace; NULL where there is none. */
static const Json *operator_in(const Chart *c, const char *namespace)
{
    const Objects *all = chart_list(c, CHART_DEPLOYMENTS);

    for (size_t i = 0; i < all->count; i++)
        if (chart_is_at_work(all->items[i])
            && str_eq(chart_lease_namespace(c, all->items[i]), namespace))
            return all->items[i];
    return NULL;
}

static void tell_stale(Exam *exam, const Json *lease)
{
    int64_t age_s = chart_age_s(exam->chart, lease, ".spec.renewTime");

    exam_find(exam,
        exam_about("Lease",
            lease,
            is_held(lease) && age_s >= 0 ? str_format(exam->arena,
                                               "%s holds it and has not renewed it for %s",
                                               json_str(lease, ".spec.holderIdentity"),
                                               chart_age_text(exam->chart, age_s))
                                         : "nobody holds it"));
}

/* A Lease is left over where no operator is at work; but somewhere one has to be renewed. */
static void lease_is_stale(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *all = chart_list(c, CHART_LEASES);
    bool is_told = false;

    if (all->count == 0)
        exam_skip(exam, "there is no Lease");
    for (size_t i = 0; i < all->count; i++) {
        const Json *lease = all->items[i];
        if (is_fresh(c, lease) || !operator_in(c, meta_namespace(lease)))
            continue;
        tell_stale(exam, lease);
        is_told = true;
    }
    if (!is_told && !find_fresh(c) && all->count > 0)
        tell_stale(exam, all->items[0]);
}

static bool meet(const Chart *c, const Json *left, const Json *right)
{
    return chart_operators_meet(
        c, operator_in(c, meta_namespace(left)), operator_in(c, meta_namespace(right)));
}

/* Another Lease that is held, by an operator of the same nodes: the one that we know, or one before
 * this place; NULL for none. */
static const Json *find_rival(const Chart *c, size_t place)
{
    const Objects *all = chart_list(c, CHART_LEASES);
    const Json *first = find_fresh(c);

    if (meet(c, first, all->items[place]))
        return first;
    for (size_t i = 0; i < place; i++)
        if (is_fresh(c, all->items[i]) && meet(c, all->items[i], all->items[place]))
            return all->items[i];
    return NULL;
}

static void two_are_held(Exam *exam)
{
    const Chart *c = exam->chart;
    const Objects *all = chart_list(c, CHART_LEASES);

    for (size_t i = 0; i < all->count; i++) {
        const Json *lease = all->items[i];
        if (lease == find_fresh(c) || !is_fresh(c, lease))
            continue;
        const Json *rival = find_rival(c, i);
        if (!rival)
            continue;
        exam_find(exam,
            exam_about("Lease",
                lease,
                str_format(exam->arena,
                    "%s holds it, while %s holds the one in %s",
                    json_str(lease, ".spec.holderIdentity"),
                    json_str(rival, ".spec.holderIdentity"),
                    meta_namespace(rival))));
    }
}

/* The holder is "<pod>_<uid>_..." where the operator runs in a pod. One that was told another
 * identity, or runs elsewhere, names no pod of the namespace. */
static void holder_is_gone(Exam *exam, const Json *d)
{
    const Chart *c = exam->chart;
    const Json *lease = chart_find(c, CHART_LEASES, chart_lease_namespace(c, d), LEASE_NAME);
    const char *holder = json_str(lease, ".spec.holderIdentity");
    const char *start = str_format(exam->arena, "%s-", meta_name(d));

    if (!is_fresh(c, lease) || !str_has_prefix(holder, start))
        return;
    const char *pod = str_slice(exam->arena, holder, strcspn(holder, "_"));
    if (!chart_find(c, CHART_OPERATOR_PODS, meta_namespace(d), pod))
        exam_find(exam,
            exam_about(
                "Lease", lease, str_format(exam->arena, "is held by pod %s, which is gone", pod)));
}

const Check lease_checks[] = {
    {.code = "SEI1101",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "there is no operator",
        .fine = "an operator is installed, or has worked here",
        .about = "Neither a Deployment nor a Lease of it is there: SeiNodes are only written "
                 "down. docs/INSTALL.md has the steps.",
        .fix = "kubectl apply --server-side -f deploy/install.yaml",
        .needs = {CHART_DEPLOYMENTS, CHART_LEASES},
        .run = nobody_works},
    {.code = "SEI1106",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .title = "an operator does not renew its Lease",
        .fine = "no operator leaves its Lease unrenewed",
        .about = "Whoever works renews it every few seconds; it has been silent for over a "
                 "minute. Either nothing runs, or it cannot reach the API server, or it may not "
                 "write the Lease.",
        .fix = "kubectl get pods -n {namespace} -l app.kubernetes.io/name=sei-operator -o wide",
        .needs = {CHART_LEASES},
        .run = lease_is_stale},
    {.code = "SEI1107",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "two operators work at once",
        .fine = "no two operators work at once on the same nodes",
        .about =
            "The same Lease is held in two namespaces: two operators, ours twice or ours and "
            "the Go one, change the same nodes. Look which of them has your settings, and stop "
            "the other. Two of ours that were told different namespaces are no fault.",
        .fix = "kubectl get deployments,pods -n {namespace}",
        .needs = {CHART_LEASES},
        .run = two_are_held},
    {.code = "SEI1117",
        .area = AREA_OPERATOR,
        .severity = SEVERITY_WARNING,
        .title = "the holder of the Lease is gone",
        .fine = "no Lease that is renewed is held by a pod that is gone",
        .about = "A pod that ended without giving the Lease back: another replica takes it when "
                 "it runs out, within 15 seconds. If it stays so, something that is no pod of "
                 "this Deployment holds it.",
        .fix = "kubectl get lease {name} -n {namespace} -o yaml",
        .needs = {CHART_LEASES, CHART_DEPLOYMENTS, CHART_OPERATOR_PODS},
        .run_of_operator = holder_is_gone},
    {.code = NULL},
};
