/* disruption-controller: counts, for every PodDisruptionBudget, the pods that it picks and those
 * that are ready, and says how many may be evicted.
 *
 * What surprises: what a budget wants is reckoned of the replicas that the owners of its pods want,
 * not of the pods that are there, unless it says a plain number. And a pod that an eviction was
 * granted for counts as gone for two minutes, even while it is there. */
#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "kube/timestamp.h"
#include "world/controller.h"
#include "world/object.h"

#include <stdlib.h>
#include <string.h>

enum { NS_PER_MS = 1000000, PERCENT = 100 };

static const int64_t deletion_ns =
    INT64_C(120) * 1000 * NS_PER_MS; /* for so long one counts as gone */
static const Kind *const kinds[] = {kind_pdb, kind_pod, NULL};

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    (void)a;
    view_tag(ret, kind_eq(kind, kind_pdb) ? meta_namespace(object) : NULL);
}

/* Any pod may be picked by any budget of its namespace, before or after the change. */
static void notice(Controller *c, const Change *change)
{
    ViewList budgets = view_tagged(c->view, change->arena, change->key.namespace);

    if (kind_eq(change->kind, kind_pdb))
        controller_want_key(c, change->key, change->now_ms);
    for (size_t i = 0; kind_eq(change->kind, kind_pod) && i < budgets.count; i++)
        controller_want_key(c, meta_key(budgets.items[i]), change->now_ms);
}

/* --- what there is --- */

/* A budget at the time of its sync. */
typedef struct Tally {
    Sync *sync;
    const Json *budget;
    const Json *pods; /* those that it picks; NULL: it picks none */
    int64_t now_ns;
    int64_t expected, desired, healthy;
    const Json *disrupted;
    const char *fault; /* why it cannot be reckoned, or NULL */
} Tally;

static Err *find_pods(Tally *t)
{
    const Json *wanted = json_find(t->budget, ".spec.selector"), *answer = NULL;
    const Selector *selector = NULL;
    Request pods = {
        .verb = VERB_LIST, .kind = kind_pod, .key.namespace = meta_namespace(t->budget)};

    if (!wanted)
        return OK;
    /* An empty selector picks everything. */
    if (!selector_decode(t->sync->arena, wanted, &selector))
        pods.labels = selector_text(t->sync->arena, selector);
    TRY(api_call(t->sync->api, t->sync->arena, &pods, &answer));
    t->pods = json_find(answer, ".items");
    return OK;
}

static bool is_ready(const Json *pod)
{
    return str_eq(json_str(cond_in(pod, "Ready"), ".status"), "True");
}

/* How long a pod that was to go is still believed to: 0 when it is not. */
static int64_t believed_ns(const Tally *t, const Json *pod)
{
    const Json *since = json_member(json_find(t->budget, ".status.disruptedPods"), meta_name(pod));
    int64_t since_ns = 0;

    if (!since || meta_deleting(pod) || !timestamp_parse(json_text(since), &since_ns))
        return 0;
    return since_ns + deletion_ns > t->now_ns ? since_ns + deletion_ns - t->now_ns : 0;
}

static void count_pods(Tally *t)
{
    const Json *were = json_find(t->budget, ".status.disruptedPods"), *pod;
    Draft *disrupted = draft_object(t->sync->arena);

    json_each(pod, t->pods) {
        int64_t left_ns = believed_ns(t, pod);
        if (left_ns > 0) {
            int64_t again_ms = t->sync->now_ms + left_ns / NS_PER_MS + 1;
            draft_set(disrupted, draft_json(meta_name(pod), json_member(were, meta_name(pod))));
            if (t->sync->again_ms == 0 || again_ms < t->sync->again_ms)
                t->sync->again_ms = again_ms;
        } else if (!meta_deleting(pod)) {
            t->healthy += is_ready(pod);
        }
    }
    t->disrupted = draft_count(disrupted) ? json_seal(t->sync->arena, disrupted) : NULL;
}

/* --- what is wanted --- */

static const Json *controller_of(const Json *object)
{
    const Json *owner;

    json_each(owner, json_find(object, ".metadata.ownerReferences"))
        if (json_bool(owner, ".controller", false))
            return owner;
    return NULL;
}

/* The live owner of a kind that a reference names, or NULL. */
static Err *find_owner(Tally *t, const Json *owner, const Kind *kind, const Json **ret)
{
    char version[KIND_API_VERSION_SIZE];
    Key key = {meta_namespace(t->budget), json_str(owner, ".name")};

    *ret = NULL;
    if (!str_eq(json_str(owner, ".kind"), kind->name)
        || !str_eq(json_str(owner, ".apiVersion"), kind_api_version(kind, version)))
        return OK;
    TRY(sync_get(t->sync, kind, key, ret));
    if (*ret && !str_eq(meta_uid(*ret), json_str(owner, ".uid")))
        *ret = NULL;
    return OK;
}

/* What is scaled: a StatefulSet, a ReplicaSet, or the Deployment above that. */
static Err *find_scaled(Tally *t, const Json *pod_owner, const Json **ret)
{
    const Json *above = NULL;

    TRY(find_owner(t, pod_owner, kind_statefulset, ret));
    if (*ret)
        return OK;
    TRY(find_owner(t, pod_owner, kind_replicaset, ret));
    if (*ret && controller_of(*ret))
        TRY(find_owner(t, controller_of(*ret), kind_deployment, &above));
    *ret = above ? above : *ret;
    return OK;
}

static const char *why_unknown(Arena *a, const Json *pod, const Json *owner)
{
    static const Kind *const scaled[] = {kind_statefulset, kind_replicaset, kind_deployment};
    const Kind *kind = kind_find(json_str(owner, ".apiVersion"), json_str(owner, ".kind"));

    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        kind = kind && kind_eq(kind, scaled[i]) ? NULL : kind;
    if (!kind)
        return str_format(a, "found no controllers for pod \"%s\"", meta_name(pod));
    return str_format(a,
        "%s%s%s does not implement the scale subresource",
        kind->plural,
        *kind->group ? "." : "",
        kind->group);
}

static bool is_counted(const Json *const *owners, size_t count, const Json *owner)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(json_str(owners[i], ".uid"), json_str(owner, ".uid")))
            return true;
    return false;
}

/* The replicas that the owners of the pods want, each owner once. */
static Err *sum_scales(Tally *t)
{
    const Json **owners = arena_array(t->sync->arena, const Json *, json_count(t->pods) + 1);
    const Json *pod, *scaled;
    size_t count = 0;

    json_each(pod, t->pods) {
        const Json *owner = controller_of(pod);
        if (!owner || is_counted(owners, count, owner))
            continue;
        owners[count++] = owner;
        TRY(find_scaled(t, owner, &scaled));
        if (!scaled) {
            t->fault = why_unknown(t->sync->arena, pod, owner);
            return OK;
        }
        t->expected += json_int(scaled, ".spec.replicas", 1);
    }
    return OK;
}

/* A number, or so many per cent of all, rounded up. */
static int64_t share(const Json *value, int64_t all)
{
    if (json_type(value) != JSON_STRING)
        return json_int(value, "", 0);
    return (strtoll(json_text(value), NULL, 10) * all + PERCENT - 1) / PERCENT;
}

static Err *reckon_wanted(Tally *t)
{
    const Json *spare = json_find(t->budget, ".spec.maxUnavailable");
    const Json *least = json_find(t->budget, ".spec.minAvailable");

    if (!spare && json_type(least) != JSON_STRING) {
        t->expected = least ? (int64_t)json_count(t->pods) : 0;
        t->desired = json_int(least, "", 0);
        return OK;
    }
    TRY(sum_scales(t));
    t->desired = spare ? t->expected - share(spare, t->expected) : share(least, t->expected);
    t->desired = t->desired < 0 ? 0 : t->desired;
    return OK;
}

/* --- the status --- */

typedef struct Verdict {
    const char *status, *reason, *message;
    int64_t generation;
} Verdict;

static const Json *conditions_with(const Tally *t, const Verdict *verdict)
{
    Arena *a = t->sync->arena;
    const char *since = controller_now(t->sync->controller, a);
    Draft *conditions = draft_array(a);
    const Json *each;

    json_each(each, json_find(t->budget, ".status.conditions")) {
        if (!str_eq(json_str(each, ".type"), "DisruptionAllowed"))
            draft_push_json(conditions, each);
        else if (str_eq(json_str(each, ".status"), verdict->status))
            since = json_str(each, ".lastTransitionTime");
    }
    draft_push(conditions,
        draft(a,
            str("type", "DisruptionAllowed"),
            str("status", verdict->status),
            draft_num_if(verdict->generation > 0, "observedGeneration", verdict->generation),
            str("lastTransitionTime", since),
            str("reason", verdict->reason),
            str("message", verdict->message)));
    return json_seal(a, conditions);
}

/* What cannot be reckoned allows nothing, and says why. */
static const Json *failed_status(const Tally *t)
{
    Verdict verdict = {
        "False", "SyncFailed", t->fault, json_int(t->budget, ".status.observedGeneration", 0)};

    return json_merge(t->sync->arena,
        json_find(t->budget, ".status"),
        json_seal(t->sync->arena,
            draft(t->sync->arena,
                num("disruptionsAllowed", 0),
                draft_json("conditions", conditions_with(t, &verdict)))));
}

static const Json *status_of(const Tally *t)
{
    int64_t allowed = t->healthy - t->desired;
    int64_t generation = meta_generation(t->budget);

    if (t->fault)
        return failed_status(t);
    allowed = t->expected <= 0 || allowed < 0 ? 0 : allowed;
    Verdict verdict = {allowed > 0 ? "True" : "False",
        allowed > 0 ? "SufficientPods" : "InsufficientPods",
        "",
        generation};
    return json_seal(t->sync->arena,
        draft(t->sync->arena,
            draft_json("conditions", conditions_with(t, &verdict)),
            num("currentHealthy", t->healthy),
            num("desiredHealthy", t->desired),
            draft_json("disruptedPods", t->disrupted),
            num("disruptionsAllowed", allowed),
            num("expectedPods", t->expected),
            num("observedGeneration", generation)));
}

static Err *sync(Sync *s)
{
    Clock *clock = s->controller->options.clock;
    Tally t = {.sync = s, .now_ns = clock->wall_ns(clock)};

    TRY(sync_get(s, kind_pdb, key_parse(s->arena, s->errand), &t.budget));
    if (!t.budget)
        return OK;
    TRY(find_pods(&t));
    TRY(reckon_wanted(&t));
    count_pods(&t);
    return sync_update(
        s, kind_pdb, t.budget, object_with(s->arena, t.budget, "status", status_of(&t)), "status");
}

Actor *disruption_controller_open(const ControllerOptions *options)
{
    static const ControllerTraits traits = {
        .name = "disruption-controller",
        .kinds = kinds,
        .tag = tag,
        .metadata_only = true,
        .size = sizeof(Controller),
        .notice = notice,
        .sync = sync,
    };

    return &controller_open(&traits, options)->actor;
}
