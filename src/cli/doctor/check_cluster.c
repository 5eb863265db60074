/* Checks of the cluster itself: is it new enough, do the clocks agree, is a namespace going. */
#include "base/str.h"
#include "cli/doctor/exam.h"
#include "kube/meta.h"
#include "sei/api/fleet.h"

enum {
    SERVER_MINOR_MIN = 31, /* selectableFields of definitions are on by default */
    SKEW_MAX_S = 10,       /* a Lease lasts 15 seconds */
};

#define SECOND_NS INT64_C(1000000000)

static void server_is_old(Exam *exam)
{
    const Chart *c = exam->chart;

    if (c->server_minor < 0)
        exam_skip(exam, "the version of the server is not known");
    else if (c->server_minor < SERVER_MINOR_MIN)
        exam_find(exam,
            (Finding){.kind = "APIServer",
                .object.name = "version",
                .message = str_format(
                    exam->arena, "%s is older than 1.%d", c->server_version, SERVER_MINOR_MIN)});
}

static void server_is_unknown(Exam *exam)
{
    const Chart *c = exam->chart;

    if (c->server_minor < 0)
        exam_find(exam,
            (Finding){.kind = "APIServer",
                .object.name = "version",
                .message = c->server_version
                    ? str_format(exam->arena, "what is version %s?", c->server_version)
                    : "the server does not say its version"});
}

static void clocks_differ(Exam *exam)
{
    const Chart *c = exam->chart;
    int64_t off_s = (c->ahead_ns < 0 ? -c->ahead_ns : c->ahead_ns) / SECOND_NS;

    if (!c->has_server_time)
        exam_skip(exam, "the server does not say its time");
    else if (off_s > SKEW_MAX_S)
        exam_find(exam,
            (Finding){.kind = "APIServer",
                .object.name = "clock",
                .message = str_format(exam->arena,
                    "this machine's clock is %s %s the API server's",
                    chart_age_text(c, off_s),
                    c->ahead_ns > 0 ? "before" : "behind")});
}

static void namespace_is_going(Exam *exam)
{
    const Objects *all = chart_list(exam->chart, CHART_NAMESPACES);

    for (size_t i = 0; i < all->count; i++) {
        const Json *one = all->items[i];
        if (!meta_deleting(one) || !chart_has_nodes(exam->chart, meta_name(one)))
            continue;
        exam_find(exam, exam_about("Namespace", one, "is being deleted and has nodes in it"));
    }
}

static void routes_are_unknown(Exam *exam)
{
    const Objects *all = chart_list(exam->chart, CHART_FLEETS);

    for (size_t i = 0; i < all->count; i++)
        if (!chart_serves(exam->chart, CHART_ROUTES)
            && json_find(all->items[i], ".spec.networking.http"))
            exam_find(exam,
                exam_about("SeiNodeDeployment",
                    all->items[i],
                    "asks for HTTP routes, and the cluster has no Gateway API"));
}

const Check cluster_checks[] = {
    {.code = "SEI1001",
        .area = AREA_CLUSTER,
        .severity = SEVERITY_ERROR,
        .is_pre = true,
        .title = "the API server is too old",
        .fine = "the API server is new enough",
        .about = "The definitions of SeiNode and SeiNodeDeployment use CEL rules (1.29) and "
                 "selectable fields (1.31). An older server drops or refuses them: what the rules "
                 "keep out, two validators with one key among it, would come in.",
        .fix = "kubectl version",
        .run = server_is_old},
    {.code = "SEI1002",
        .area = AREA_CLUSTER,
        .severity = SEVERITY_WARNING,
        .is_pre = true,
        .title = "the version of the API server is not known",
        .fine = "the version of the API server is known",
        .about = "Whether the server is new enough cannot be said.",
        .fix = "kubectl get --raw /version",
        .run = server_is_unknown},
    {.code = "SEI1003",
        .area = AREA_CLUSTER,
        .severity = SEVERITY_WARNING,
        .is_pre = true,
        .title = "the clocks of this machine and of the API server differ",
        .fine = "the clocks of this machine and of the API server agree",
        .about = "By more than 10 seconds. Ages on this screen are corrected for it, but "
                 "certificates, tokens and Leases (15 seconds) are not: if a machine of the "
                 "cluster is the one that is wrong, leaders change for no reason.",
        .fix = "timedatectl status",
        .run = clocks_differ},
    {.code = "SEI1004",
        .area = AREA_CLUSTER,
        .severity = SEVERITY_ERROR,
        .title = "a namespace with nodes in it is being deleted",
        .fine = "no namespace with nodes in it is being deleted",
        .about = "Kubernetes deletes everything in it, claims with data included, as soon as the "
                 "pods have let go of them; a deletion cannot be taken back. Set the reclaim "
                 "policy of the volumes to Retain first of all.",
        .fix = "kubectl get persistentvolumeclaims -n {name} -o wide",
        .needs = {CHART_NAMESPACES, CHART_NODES, CHART_FLEETS},
        .run = namespace_is_going},
    {.code = "SEI1005",
        .area = AREA_CLUSTER,
        .severity = SEVERITY_WARNING,
        .title = "a fleet asks for routes, and the cluster has no Gateway API",
        .fine = "no fleet asks for routes that the cluster cannot have",
        .about = "The nodes run, but nothing outside of the cluster reaches them over HTTP. "
                 "Install the Gateway API with a controller of your choice, or take "
                 "spec.networking.http out.",
        .fix = "kubectl get crd httproutes.gateway.networking.k8s.io",
        .needs = {CHART_FLEETS, CHART_ROUTES},
        .run = routes_are_unknown},
    {.code = NULL},
};
