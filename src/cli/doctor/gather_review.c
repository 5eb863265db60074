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

enum { REVIEWS_MAX = 512, NAMESPACES_MAX = 8 };

/* Somebody whose rights are asked about. */
typedef struct Reviewed {
    const char *purpose;
    Key account;           /* name NULL: the person */
    const char *namespace; /* where; NULL: everywhere */
    bool is_local;         /* what is in no namespace is not asked about */
} Reviewed;

static Draft *attributes(Arena *a, const Need *need, const char *verb, const char *namespace)
{
    return draft(a,
        str("group", need->group),
        str("resource", need->resource),
        str("subresource", need->subresource),
        str("name", need->name),
        str("verb", verb),
        str("namespace", need->is_namespaced ? namespace : NULL));
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
    Draft *spec = draft(a, sub("resourceAttributes", attributes(a, need, verb, s->namespace)));

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
static Err *review_operator(Cli *cli, const Chart *c, const Json *d, Objects *ret)
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

static Err *review_operators(Cli *cli, const Chart *c, Objects *ret)
{
    const Objects operators = chart_operators(c);

    for (size_t i = 0; i < operators.count; i++)
        TRY(review_operator(cli, c, operators.items[i], ret));
    return OK;
}

/* The account of pods, in each namespace that has nodes. */
static Err *review_proxies(Cli *cli, const Chart *c, Objects *ret)
{
    const Objects *nodes = chart_list(c, CHART_NODES);
    size_t asked = 0;

    for (size_t i = 0; i < nodes->count && asked < NAMESPACES_MAX; i++) {
        const char *namespace = meta_namespace(nodes->items[i]);
        Settings settings;
        if (!chart_is_first_of_namespace(c, i)
            || chart_settings(c, chart_operator_of(c, namespace), &settings))
            continue;
        Reviewed s = {.purpose = NEED_PROXY, .account = {namespace, settings.service_account}};
        asked++;
        TRY(review_all(cli, &s, ret));
    }
    return OK;
}

static Objects room(const Chart *c)
{
    return (Objects){.items = arena_array(c->arena, const Json *, REVIEWS_MAX)};
}

void gather_reviews(Cli *cli, Chart *c)
{
    Objects own = room(c), others = room(c);
    Reviewed person = {
        .purpose = c->is_pre ? NEED_INSTALL : NEED_PERSON, .namespace = c->namespace};
    const Err *err = review_all(cli, &person, &own);

    gather_note(c, CHART_OWN_REVIEWS, err, own);
    if (c->is_pre)
        return;
    err = review_operators(cli, c, &others);
    if (!err)
        err = review_proxies(cli, c, &others);
    gather_note(c, CHART_REVIEWS, err, others);
}
