/* Who may do what, asked one right after the other and last of all: this is the longest part, and
 * the first to be given up when time is short. */
#include "base/draft.h"
#include "base/str.h"
#include "cli/connection.h"
#include "cli/doctor/gather.h"
#include "cli/doctor/need.h"
#include "kube/meta.h"
#include "sei/api/settings.h"

#include <string.h>

enum { REVIEWS_MAX = 2048 };

/* Somebody whose rights are asked about. */
typedef struct Reviewed {
    const char *purpose;
    Key account;           /* name NULL: the person */
    const char *namespace; /* where; NULL: everywhere */
    const char *name;      /* of the one object; NULL: as the need says */
    bool is_local;         /* what is in no namespace is not asked about */
} Reviewed;

static Draft *attributes(Arena *a, const Reviewed *s, const Need *need, const char *verb)
{
    return draft(a,
        str("group", need->group),
        str("resource", need->resource),
        str("subresource", need->subresource),
        str("name", s->name ? s->name : need->name),
        str("verb", verb),
        str("namespace", need->is_namespaced ? s->namespace : NULL));
}

/* An account is also of these groups: a review does not add them. */
static Draft *groups_of(Arena *a, Key account)
{
    Draft *groups = draft_array(a);

    draft_push_str(groups, "system:serviceaccounts");
    draft_push_str(groups, str_format(a, "system:serviceaccounts:%s", account.namespace));
    draft_push_str(groups, "system:authenticated");
    return groups;
}

/* A question as the API has it. */
static const Json *question(Arena *a, const Reviewed *s, const Need *need, const char *verb)
{
    bool is_self = !s->account.name;
    Draft *spec = draft(a, sub("resourceAttributes", attributes(a, s, need, verb)));

    if (!is_self) {
        draft_set(spec,
            str("user",
                str_format(
                    a, "system:serviceaccount:%s:%s", s->account.namespace, s->account.name)));
        draft_set(spec, sub("groups", groups_of(a, s->account)));
    }
    return json_seal(a,
        draft(a,
            str("apiVersion", "authorization.k8s.io/v1"),
            str("kind", is_self ? "SelfSubjectAccessReview" : "SubjectAccessReview"),
            sub("spec", spec)));
}

static Err *review(Cli *cli, const Reviewed *s, const Need *need, const char *verb, Objects *ret)
{
    Arena *a = cli->arena;
    const Json *asked = question(a, s, need, verb), *answer = NULL;
    Request create = {.verb = VERB_CREATE,
        .kind = s->account.name ? kind_access_review : kind_self_access_review,
        .body = asked};

    if (ret->count == REVIEWS_MAX)
        return err_terminal(a, "more than %d rights", REVIEWS_MAX);
    TRY(connection_call(cli, create, &answer));
    ret->items[ret->count++] = json_seal(a,
        draft(a,
            str("purpose", s->purpose),
            obj("account", str("namespace", s->account.namespace), str("name", s->account.name)),
            draft_json("spec", json_find(asked, ".spec")),
            draft_json("status", json_find(answer, ".status"))));
    return OK;
}

/* Each verb of a need. */
static Err *review_verbs(Cli *cli, const Reviewed *s, const Need *need, Objects *ret)
{
    const char *verbs = need->verbs;

    while (*verbs) {
        size_t len = strcspn(verbs, " ");
        TRY(review(cli, s, need, str_slice(cli->arena, verbs, len), ret));
        verbs += len + (verbs[len] == ' ');
    }
    return OK;
}

/* All that a subject needs. */
static Err *review_all(Cli *cli, const Reviewed *s, Objects *ret)
{
    for (const Need *need = needs; need->purpose; need++)
        if (str_eq(need->purpose, s->purpose) && (need->is_namespaced || !s->is_local))
            TRY(review_verbs(cli, s, need, ret));
    return OK;
}

/* --- whom to ask about */

/* An operator that was told which namespaces to watch needs its rights there alone. One that looks
 * after its own alone does without those of the cluster (deploy/components/namespaced). */
static Err *review_watched(Cli *cli, const Chart *c, const Json *d, Objects *ret)
{
    Watched watched = chart_watched(c, d);
    Reviewed s = {.purpose = NEED_OPERATOR, .account = chart_operator_account(d)};

    if (watched.count == 0)
        return review_all(cli, &s, ret);
    for (size_t i = 0; i < watched.count; i++) {
        s.namespace = watched.names[i];
        s.is_local = i > 0 || (watched.count == 1 && str_eq(watched.names[0], meta_namespace(d)));
        TRY(review_all(cli, &s, ret));
    }
    return OK;
}

/* Routes, in each namespace that has a fleet with such. */
static Err *review_routes(Cli *cli, const Chart *c, const Json *d, Objects *ret)
{
    const Objects *fleets = chart_list(c, CHART_FLEETS);
    const char *last = NULL;

    for (size_t i = 0; i < fleets->count; i++) {
        Reviewed s = {.purpose = NEED_ROUTES,
            .account = chart_operator_account(d),
            .namespace = meta_namespace(fleets->items[i])};
        if (!json_find(fleets->items[i], ".spec.networking.http") || str_eq(s.namespace, last)
            || chart_operator_of(c, s.namespace) != d)
            continue;
        last = s.namespace;
        TRY(review_all(cli, &s, ret));
    }
    return OK;
}

static Err *review_operator(Cli *cli, const Chart *c, const Json *d, Objects *ret)
{
    Key account = chart_operator_account(d), sidecar = chart_sidecar_account(c, d);
    Reviewed lease = {
        .purpose = NEED_LEASE, .account = account, .namespace = chart_lease_namespace(c, d)};
    Reviewed token = {.purpose = NEED_TOKEN,
        .account = account,
        .namespace = sidecar.namespace,
        .name = sidecar.name};
    Reviewed metrics = {.purpose = NEED_METRICS, .account = account};

    TRY(review_watched(cli, c, d, ret));
    if (!str_eq(chart_operator_flag(c, d, "leader-elect"), "false"))
        TRY(review_all(cli, &lease, ret));
    TRY(review_all(cli, &token, ret));
    if (chart_operator_is_on(c, d, "metrics-secure"))
        TRY(review_all(cli, &metrics, ret));
    return review_routes(cli, c, d, ret);
}

/* --- where nodes are */

/* The namespaces in which an operator has nodes, each once. */
typedef struct Places {
    const char **names;
    size_t count;
} Places;

static Places places_of(const Chart *c, const Json *d)
{
    const Objects *nodes = chart_list(c, CHART_NODES);
    Places places = {.names = arena_array(c->arena, const char *, nodes->count)};

    for (size_t i = 0; i < nodes->count; i++) {
        const char *namespace = meta_namespace(nodes->items[i]);
        if (chart_is_first_of_namespace(c, i) && chart_operator_of(c, namespace) == d)
            places.names[places.count++] = namespace;
    }
    return places;
}

static bool are_allowed(const Json *const *reviews, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!json_bool(reviews[i], ".status.allowed", false))
            return false;
    return true;
}

/* The account whose tokens sidecars are shown. What it may do everywhere, as deploy/rbac binds it,
 * it may do in each namespace: these are asked about one by one only where that is refused. */
static Err *review_sidecars_of(Cli *cli, const Chart *c, const Json *d, Objects *ret)
{
    const Places places = places_of(c, d);
    size_t before = ret->count;
    Reviewed s = {.purpose = NEED_SIDECAR, .account = chart_sidecar_account(c, d)};

    if (places.count > 1) {
        TRY(review_all(cli, &s, ret));
        if (are_allowed(ret->items + before, ret->count - before))
            return OK;
        ret->count = before;
    }
    for (size_t i = 0; i < places.count; i++) {
        s.namespace = places.names[i];
        TRY(review_all(cli, &s, ret));
    }
    return OK;
}

/* The account of pods: another one in each namespace. */
static Err *review_proxies_of(Cli *cli, const Chart *c, const Json *d, Objects *ret)
{
    const Places places = places_of(c, d);
    Settings settings;

    if (places.count == 0)
        return OK;
    TRY(chart_settings(c, d, &settings));
    for (size_t i = 0; i < places.count; i++) {
        Reviewed s = {
            .purpose = NEED_PROXY, .account = {places.names[i], settings.service_account}};
        TRY(review_all(cli, &s, ret));
    }
    return OK;
}

/* --- all of it */

static Objects room(const Chart *c)
{
    return (Objects){.items = arena_array(c->arena, const Json *, REVIEWS_MAX)};
}

/* What is asked about each operator, in the order in which it is given up. Each has a list of its
 * own, so that time which is over takes nothing away that was answered before. */
static const struct {
    ChartList list;
    Err *(*review)(Cli *cli, const Chart *c, const Json *d, Objects *ret);
} of_operators[] = {
    {CHART_REVIEWS, review_operator},
    {CHART_SIDECAR_REVIEWS, review_sidecars_of},
    {CHART_NODE_REVIEWS, review_proxies_of},
};

/* Who is not seen cannot be asked about: then nothing is known of their rights. */
static void gather_of_accounts(Cli *cli, Chart *c)
{
    const ChartPart *seen = &c->parts[CHART_DEPLOYMENTS];
    const Objects operators = chart_operators(c);

    for (size_t i = 0; i < sizeof of_operators / sizeof of_operators[0]; i++) {
        ChartList list = of_operators[i].list;
        Objects reviews = room(c);
        const Err *err = OK;
        if (!chart_knows(c, CHART_DEPLOYMENTS)) {
            chart_miss(c, list, seen->state, seen->why);
            continue;
        }
        for (size_t n = 0; n < operators.count && !err; n++)
            err = of_operators[i].review(cli, c, operators.items[n], &reviews);
        gather_note(c, list, err, reviews);
    }
}

void gather_reviews(Cli *cli, Chart *c)
{
    Objects own = room(c);
    Reviewed person = {
        .purpose = c->is_pre ? NEED_INSTALL : NEED_PERSON, .namespace = c->namespace};
    const Err *err = review_all(cli, &person, &own);

    gather_note(c, CHART_OWN_REVIEWS, err, own);
    if (!c->is_pre)
        gather_of_accounts(cli, c);
}
