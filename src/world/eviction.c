/* Eviction: a deletion that asks the budgets of its pod first (pods/eviction, policy/v1).
 *
 * What surprises: only what the budget's status says counts, which its controller keeps; and of a
 * pod that has not begun or has ended no budget is asked. The pod is told why it goes, in a
 * condition, by a write of its own before the deletion. */
#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "world/call.h"
#include "world/deletion.h"
#include "world/object.h"
#include "world/refusal.h"
#include "world/storage.h"

enum { DISRUPTED_MAX = 2000, SOON_S = 10 };

/* One eviction on its way. */
typedef struct Eviction {
    Call *call;
    const Json *pod;
    Request deletion;
} Eviction;

/* --- what is asked for */

static Propagation propagation_of(const Json *options)
{
    static const struct {
        const char *word;
        Propagation meant;
    } words[] = {
        {"Orphan", PROPAGATION_ORPHAN},
        {"Background", PROPAGATION_BACKGROUND},
        {"Foreground", PROPAGATION_FOREGROUND},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(json_str(options, ".propagationPolicy"), words[i].word))
            return words[i].meant;
    return PROPAGATION_DEFAULT;
}

static Request deletion_of(const Call *c)
{
    const Json *options = json_find(c->request->body, ".deleteOptions");

    return (Request){
        .verb = VERB_DELETE,
        .kind = c->request->kind,
        .key = c->request->key,
        .uid = json_str(options, ".preconditions.uid"),
        .resource_version = json_str(options, ".preconditions.resourceVersion"),
        .has_grace = json_type(json_find(options, ".gracePeriodSeconds")) == JSON_NUMBER,
        .grace_seconds = json_int(options, ".gracePeriodSeconds", 0),
        .propagation = propagation_of(options),
        .dry_run = c->request->dry_run || json_count(json_find(options, ".dryRun")) > 0,
    };
}

static Err *check_body(Call *c)
{
    const char *version = json_str(c->request->body, ".apiVersion");
    const char *kind = json_str(c->request->body, ".kind");

    if ((kind && !str_eq(kind, "Eviction"))
        || (version && !str_eq(version, "policy/v1") && !str_eq(version, "policy/v1beta1")))
        return refuse_bad_request(c,
            "%s in version \"%s\" cannot be handled as a Eviction: it is none",
            kind ? kind : "",
            version ? version : "");
    if (!str_eq(meta_name(c->request->body), c->request->key.name))
        return refuse_bad_request(c, "name in URL does not match name in Eviction object");
    return OK;
}

/* --- budgets */

static bool guards(Arena *a, const Json *budget, const Json *pod)
{
    const Json *wanted = json_find(budget, ".spec.selector");
    const Selector *selector;

    if (!wanted || !str_eq(meta_namespace(budget), meta_namespace(pod)))
        return false;
    if (selector_decode(a, wanted, &selector))
        return json_count(json_find(wanted, ".matchLabels")) == 0
            && json_count(json_find(wanted, ".matchExpressions")) == 0; /* an empty one: all */
    return selector_matches(selector, pod);
}

/* How many budgets the pod is under, and one of them. */
static size_t find_budgets(const Eviction *e, const Json **ret)
{
    Arena *a = e->call->arena;
    const Resource *r = server_resource(e->call->server, kind_pdb);
    size_t count = 0;

    for (const ShelfPlace *at = shelf_seek(r->shelf, NULL); at; at = shelf_next(at)) {
        const Json *budget = record_object(a, shelf_record(at));
        if (!guards(a, budget, e->pod))
            continue;
        *ret = *ret ? *ret : budget;
        count++;
    }
    return count;
}

static bool is_ready(const Json *pod)
{
    return str_eq(json_str(cond_in(pod, "Ready"), ".status"), "True");
}

/* A pod that is not ready disrupts nobody where the others are enough, or where nobody minds. */
static bool is_no_loss(const Json *pod, const Json *budget)
{
    int64_t healthy = json_int(budget, ".status.currentHealthy", 0);
    int64_t desired = json_int(budget, ".status.desiredHealthy", 0);

    return !is_ready(pod)
        && (str_eq(json_str(budget, ".spec.unhealthyPodEvictionPolicy"), "AlwaysAllow")
            || (healthy >= desired && desired > 0));
}

static Err *refuse_disruption(Call *c, int64_t retry_s, const char *why)
{
    static const char message[] =
        "Cannot evict pod as it would violate the pod's disruption budget.";
    Arena *a = c->arena;
    Draft *details = draft(a,
        list("causes", draft(a, str("reason", "DisruptionBudget"), str("message", why))),
        draft_num_if(retry_s > 0, "retryAfterSeconds", retry_s));

    c->status = 429;
    c->body = refusal_status(a, 429, "TooManyRequests", message, details);
    Err *err = err_retry(a, "%s", message);
    err->status = c->status;
    return err;
}

static Err *refuse_budget(Call *c, const Json *budget, const char *why)
{
    Call about = *c;
    Request request = {.verb = VERB_GET, .kind = kind_pdb, .key = meta_key(budget)};

    about.request = &request;
    about.resource = server_resource(c->server, kind_pdb);
    Err *err = refuse_forbidden(&about, meta_name(budget), why, NULL);
    c->status = about.status;
    c->body = about.body;
    return err;
}

static Err *check_budget(Call *c, const Json *budget)
{
    const char *name = meta_name(budget);
    int64_t allowed = json_int(budget, ".status.disruptionsAllowed", 0);

    if (json_int(budget, ".status.observedGeneration", 0) < meta_generation(budget))
        return refuse_disruption(c,
            SOON_S,
            str_format(c->arena,
                "The disruption budget %s is still being processed by the server.",
                name));
    if (allowed < 0)
        return refuse_budget(c, budget, "pdb disruptions allowed is negative");
    if (json_count(json_find(budget, ".status.disruptedPods")) > DISRUPTED_MAX)
        return refuse_budget(c,
            budget,
            "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
    if (allowed > 0)
        return OK;
    return refuse_disruption(c,
        0,
        str_format(c->arena,
            "The disruption budget %s needs %lld healthy pods and has %lld currently",
            name,
            (long long)json_int(budget, ".status.desiredHealthy", 0),
            (long long)json_int(budget, ".status.currentHealthy", 0)));
}

/* The conditions once the last disruption is spent. */
static const Json *spent_conditions(Call *c, const Json *budget)
{
    Draft *conditions = draft_array(c->arena);
    const char *since = c->now;
    const Json *each;

    json_each(each, json_find(budget, ".status.conditions")) {
        if (!str_eq(json_str(each, ".type"), "DisruptionAllowed"))
            draft_push_json(conditions, each);
        else if (str_eq(json_str(each, ".status"), "False"))
            since = json_str(each, ".lastTransitionTime");
    }
    draft_push(conditions,
        draft(c->arena,
            str("type", "DisruptionAllowed"),
            str("status", "False"),
            num("observedGeneration", json_int(budget, ".status.observedGeneration", 0)),
            str("lastTransitionTime", since),
            str("reason", "InsufficientPods"),
            str("message", "")));
    return json_seal(c->arena, conditions);
}

/* Takes one of its disruptions, as the server itself. */
static Err *spend(const Eviction *e, const Json *budget)
{
    Call *c = e->call;
    Arena *a = c->arena;
    int64_t left = json_int(budget, ".status.disruptionsAllowed", 0) - 1;
    Draft *disrupted = draft_object(a);

    draft_set(disrupted, str(meta_name(e->pod), c->now));
    Request request = {
        .verb = VERB_UPDATE,
        .kind = kind_pdb,
        .key = meta_key(budget),
        .subresource = "status",
        .manager = "kube-apiserver",
        .body = json_merge(a,
            budget,
            json_seal(a,
                draft(a,
                    obj("status",
                        num("disruptionsAllowed", left),
                        draft_json("conditions", left == 0 ? spent_conditions(c, budget) : NULL),
                        sub("disruptedPods", disrupted))))),
    };
    Answer answer;
    server_call(c->server, a, "system:apiserver", &request, &answer);
    if (answer.status == 200)
        return OK;
    return refuse_plain(c, 500, "InternalError", "the disruption budget cannot be written");
}

/* Nobody is asked about a pod that disrupts nothing by going. */
static bool is_nobodys_loss(const Json *pod)
{
    static const char *const phases[] = {"Succeeded", "Failed", "Pending"};

    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if (str_eq(json_str(pod, ".status.phase"), phases[i]))
            return true;
    return meta_deleting(pod);
}

/* OK when the pod may go; `ret_is_said` when what is said is the answer, and is no refusal. */
static Err *ask_budgets(const Eviction *e, bool *ret_is_said)
{
    Call *c = e->call;
    const Json *budget = NULL;
    size_t count = is_nobodys_loss(e->pod) ? 0 : find_budgets(e, &budget);

    if (count > 1) {
        *ret_is_said = true;
        c->status = 500;
        c->body = refusal_status(c->arena,
            500,
            NULL,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does "
            "not support.",
            NULL);
        return OK;
    }
    if (count == 0 || is_no_loss(e->pod, budget))
        return OK;
    TRY(check_budget(c, budget));
    return e->deletion.dry_run ? OK : spend(e, budget);
}

/* --- going */

static const Json *told_why(Call *c, const Json *pod)
{
    Draft *conditions = draft_array(c->arena);
    const char *since = c->now;
    const Json *each;

    json_each(each, json_find(pod, ".status.conditions")) {
        if (!str_eq(json_str(each, ".type"), "DisruptionTarget"))
            draft_push_json(conditions, each);
        else if (str_eq(json_str(each, ".status"), "True"))
            since = json_str(each, ".lastTransitionTime");
    }
    draft_push(conditions,
        draft(c->arena,
            str("type", "DisruptionTarget"),
            str("status", "True"),
            draft_json("lastProbeTime", json_fixture(c->arena, "null")),
            str("lastTransitionTime", since),
            str("reason", "EvictionByEvictionAPI"),
            str("message", "Eviction API: evicting")));
    pod = object_with_inner(
        c->arena, pod, (MemberPath){"status", "conditions"}, json_seal(c->arena, conditions));
    return schema_complete(c->arena, c->resource->schema, pod, pod);
}

static Err *tell_why(Eviction *e)
{
    Call *c = e->call;
    const Json *told = told_why(c, e->pod);

    if (object_same(e->pod, told))
        return OK;
    TRY(storage_write(c, e->pod, told, object_stamp(e->pod), &e->pod));
    if (e->deletion.resource_version)
        e->deletion.resource_version = meta_resource_version(e->pod);
    return OK;
}

static Err *go(Eviction *e)
{
    Call *c = e->call, deleting = *c;
    Err *err = OK;

    deleting.request = &e->deletion;
    err = deletion_check(&deleting, e->pod);
    if (!err && !e->deletion.dry_run)
        err = tell_why(e);
    if (!err)
        err = call_delete(&deleting);
    if (!err)
        return call_answer_done(c);
    c->status = deleting.status;
    c->body = deleting.body;
    return err;
}

Err *call_eviction(Call *c)
{
    Eviction e = {.call = c, .deletion = deletion_of(c)};
    bool is_said = false;

    if (c->resource->traits.kind != kind_pod)
        return refuse_path(c);
    if (c->request->verb != VERB_CREATE)
        return refuse_method(c);
    TRY(check_body(c));
    e.pod = call_find(c);
    if (!e.pod)
        return refuse_not_found(c);
    TRY(ask_budgets(&e, &is_said));
    return is_said ? OK : go(&e);
}
