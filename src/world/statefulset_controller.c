/* statefulset-controller: keeps the pods of StatefulSets.
 *
 * Each sync goes the way of the real one (stateful_set_control.go) as far as the first write:
 * strays, revisions, replicas in order, condemned pods, updates, status, history. What was blocked
 * on the way still gets its status written. With OnDelete nothing is ever replaced, a missing pod
 * is made from the update revision, and status.currentRevision stays where it is. */
#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "kube/status.h"
#include "world/claim.h"
#include "world/controller.h"
#include "world/object.h"
#include "world/statefulset_pod.h"
#include "world/statefulset_revision.h"

enum { REPLICAS_MAX = 10000, COLLISIONS_MAX = 16 };

typedef struct StatefulSetController {
    Controller base;
    bool completes_on_delete;
} StatefulSetController;

typedef struct Counts {
    int64_t replicas, ready, available, current, updated;
} Counts;

/* What one sync has found out so far. */
typedef struct Work {
    Sync *s;
    const Json *set;
    const Selector *selector;
    ViewList pods, revisions; /* the set's own */
    const Json *current, *update;
    int64_t collisions;
    int64_t wall_ms;
    int64_t start;         /* the first ordinal */
    size_t count;          /* of replicas */
    const Json **replicas; /* by ordinal; those without a phase are to be made */
    ViewList condemned;    /* highest first */
    const Json *first_unavailable;
    bool in_order; /* one after the other */
} Work;

/* A part of a sync: done and go on, or go no further. */
typedef enum Way { ONWARDS, BLOCKED } Way;

static const Kind *const kinds[] = {
    kind_statefulset, kind_pod, kind_controllerrevision, kind_pvc, NULL};

/* --- what is whose --- */

static const char *tag_of_sets(Arena *a, const char *namespace)
{
    return str_format(a, "sets in %s", namespace);
}

static void tag(Arena *a, const Kind *kind, const Json *object, ViewTags *ret)
{
    if (kind_eq(kind, kind_statefulset))
        view_tag(ret, tag_of_sets(a, meta_namespace(object)));
    else
        claim_tag(a, kind, object, ret);
}

static bool selects(Arena *a, const Json *set, const Json *object)
{
    const Selector *selector;

    return !selector_decode(a, json_find(set, ".spec.selector"), &selector)
        && selector_matches(selector, object);
}

static void notice(Controller *c, const Change *change)
{
    if (kind_eq(change->kind, kind_statefulset))
        controller_want_key(c, change->key, change->now_ms);
    if (!kind_eq(change->kind, kind_pod)
        || !claim_notice(c, change, kind_statefulset, change->now_ms)
        || meta_deleting(change->after))
        return;
    ViewList sets =
        view_tagged(c->view, change->arena, tag_of_sets(change->arena, change->key.namespace));
    for (size_t i = 0; i < sets.count; i++)
        if (selects(change->arena, sets.items[i], change->after))
            controller_want_key(c, meta_key(sets.items[i]), change->now_ms);
}

static Err *claim_revisions(Work *w)
{
    Arena *a = w->s->arena;
    ViewList all = claim_candidates(w->s->controller->view, a, kind_controllerrevision, w->set);
    Claim claim = {kind_statefulset, w->set, kind_controllerrevision, NULL};

    w->revisions.items = arena_array(a, const Json *, all.count);
    for (size_t i = 0; i < all.count && !w->s->wrote; i++) {
        const Json *revision = all.items[i];
        bool mine = meta_controlled_by(revision, w->set);
        if (!selector_matches(w->selector, revision))
            continue;
        if (!mine)
            TRY(claim_object(w->s, &claim, revision, true, &mine));
        if (mine)
            w->revisions.items[w->revisions.count++] = revision;
    }
    statefulset_revision_sort(&w->revisions);
    return OK;
}

static Err *claim_pods(Work *w)
{
    Arena *a = w->s->arena;
    ViewList all = claim_candidates(w->s->controller->view, a, kind_pod, w->set);
    Claim claim = {kind_statefulset, w->set, kind_pod, NULL};

    w->pods.items = arena_array(a, const Json *, all.count);
    for (size_t i = 0; i < all.count && !w->s->wrote; i++) {
        const Json *pod = all.items[i];
        bool matches =
            selector_matches(w->selector, pod) && statefulset_pod_ordinal(w->set, pod) >= 0;
        bool mine;
        TRY(claim_object(w->s, &claim, pod, matches, &mine));
        if (mine)
            w->pods.items[w->pods.count++] = pod;
    }
    return OK;
}

/* --- revisions --- */

static const Json *last_equal(const Work *w, const Json *data)
{
    for (size_t i = w->revisions.count; i-- > 0;)
        if (json_equal(json_find(w->revisions.items[i], ".data"), data))
            return w->revisions.items[i];
    return NULL;
}

/* A name that is taken by other data is a collision: the next one is tried. One that is taken by
 * the same data will do, whosever it is. */
static Err *create_revision(Work *w, const Json *data, int64_t number)
{
    Arena *a = w->s->arena;
    int64_t known = w->collisions;

    for (int tries = 0; tries < COLLISIONS_MAX; tries++, w->collisions++) {
        const Json *exists,
            *revision = statefulset_revision_new(
                a, w->set, (StatefulSetRevision){data, number, w->collisions, known});
        Request create = {.verb = VERB_CREATE,
            .kind = kind_controllerrevision,
            .key = meta_key(revision),
            .body = revision};
        Err *err = sync_write(w->s, create, &w->update);
        if (!status_is_already_exists(err))
            return err;
        TRY(sync_get(w->s, kind_controllerrevision, meta_key(revision), &exists));
        w->update = exists;
        if (!exists || json_equal(json_find(exists, ".data"), data))
            return exists ? OK : err;
    }
    return err_retry(a, "every name of a new revision is taken");
}

/* The count of collisions is part of the name, so the name tells it. */
static int64_t collisions_of(Arena *a, const Json *revision, int64_t from)
{
    const Json *data = json_find(revision, ".data");

    for (int64_t count = from; count < from + COLLISIONS_MAX; count++)
        if (str_has_suffix(meta_name(revision), statefulset_revision_hash(a, data, count)))
            return count;
    return from;
}

static Err *find_revisions(Work *w)
{
    Arena *a = w->s->arena;
    const Json *data = statefulset_revision_data(a, w->set), *equal = last_equal(w, data);
    const Json *last = w->revisions.count ? w->revisions.items[w->revisions.count - 1] : NULL;
    int64_t next = json_int(last, ".revision", 0) + 1;

    w->collisions = json_int(w->set, ".status.collisionCount", 0);
    if (!equal)
        TRY(create_revision(w, data, next));
    if (w->s->wrote)
        return OK;
    if (equal && equal != last)
        return sync_update(w->s,
            kind_controllerrevision,
            equal,
            object_with(a, equal, "revision", object_number(a, next)),
            NULL);
    w->update = equal ? last : w->update;
    w->collisions = collisions_of(a, w->update, w->collisions);
    w->current = w->update;
    for (size_t i = 0; i < w->revisions.count; i++)
        if (str_eq(meta_name(w->revisions.items[i]), json_str(w->set, ".status.currentRevision")))
            w->current = w->revisions.items[i];
    return OK;
}

/* --- replicas --- */

static const char *strategy(const Work *w)
{
    return json_str(w->set, ".spec.updateStrategy.type");
}

/* A missing pod below the partition is made as it was. */
static bool is_made_as_before(const Work *w, int64_t ordinal)
{
    const Json *rolling = json_find(w->set, ".spec.updateStrategy.rollingUpdate");

    if (rolling)
        return ordinal < w->start + json_int(rolling, ".partition", 0);
    return str_eq(strategy(w), "RollingUpdate")
        && ordinal < w->start + json_int(w->set, ".status.currentReplicas", 0);
}

static const Json *missing_pod(const Work *w, int64_t ordinal)
{
    const Json *revision = is_made_as_before(w, ordinal) ? w->current : w->update;

    return statefulset_pod_new(w->s->arena,
        w->set,
        (StatefulSetPod){
            .template = statefulset_revision_template(revision),
            .revision = meta_name(revision),
            .ordinal = ordinal,
        });
}

static bool is_unavailable(const Work *w, const Json *pod)
{
    return !statefulset_pod_is_available(w->set, pod, w->wall_ms) || meta_deleting(pod);
}

static void find_unavailable(Work *w)
{
    for (size_t i = 0; i < w->count && !w->first_unavailable; i++)
        if (is_unavailable(w, w->replicas[i]))
            w->first_unavailable = w->replicas[i];
    for (size_t i = w->condemned.count; i-- > 0 && !w->first_unavailable;)
        if (is_unavailable(w, w->condemned.items[i]))
            w->first_unavailable = w->condemned.items[i];
}

static void sort_out_pods(Work *w)
{
    Arena *a = w->s->arena;

    w->replicas = arena_array(a, const Json *, w->count);
    w->condemned.items = arena_array(a, const Json *, w->pods.count);
    for (size_t i = 0; i < w->pods.count; i++) {
        int64_t ordinal = statefulset_pod_ordinal(w->set, w->pods.items[i]);
        if (ordinal >= w->start && ordinal < w->start + (int64_t)w->count)
            w->replicas[ordinal - w->start] = w->pods.items[i];
        else
            w->condemned.items[w->condemned.count++] = w->pods.items[i];
    }
    for (size_t i = 0; i < w->count; i++)
        if (!w->replicas[i])
            w->replicas[i] = missing_pod(w, w->start + (int64_t)i);
    statefulset_pod_sort(&w->condemned);
    find_unavailable(w);
}

/* Tells people what became of a pod, or a claim of one; gives the error back. */
static Err *told(Work *w, const char *verb, const char *what, Err *err)
{
    const char *reason = str_format(w->s->arena,
        "%s%s",
        err ? "Failed" : "Successful",
        str_eq(verb, "create") ? "Create" : "Delete");
    const char *message = str_format(w->s->arena,
        "%s %s in StatefulSet %s %s%s%s",
        verb,
        what,
        meta_name(w->set),
        err ? "failed" : "successful",
        err ? " error: " : "",
        err ? err->message : "");

    sync_tell(w->s, kind_statefulset, w->set, reason, message);
    return err;
}

static Err *delete_pod(Work *w, const Json *pod)
{
    const char *what = str_format(w->s->arena, "Pod %s", meta_name(pod));

    return told(w, "delete", what, sync_delete(w->s, kind_pod, pod));
}

/* Creates the first volume claim of the pod that is missing. */
static Err *create_claims(Work *w, const Json *pod)
{
    Arena *a = w->s->arena;
    int64_t ordinal = statefulset_pod_ordinal(w->set, pod);
    const Json *template, *going = NULL;

    json_each(template, json_find(w->set, ".spec.volumeClaimTemplates")) {
        const Json *claim = statefulset_pod_claim(a, w->set, template, ordinal);
        const Json *seen = view_find(w->s->controller->view, a, kind_pvc, meta_key(claim));
        if (meta_deleting(seen))
            going = seen;
        if (seen)
            continue;
        Request create = {
            .verb = VERB_CREATE, .kind = kind_pvc, .key = meta_key(claim), .body = claim};
        return told(w,
            "create",
            str_format(a, "Claim %s Pod %s", meta_name(claim), meta_name(pod)),
            sync_write(w->s, create, NULL));
    }
    return going ? err_retry(a, "claim %s is being deleted", meta_name(going)) : OK;
}

static Err *create_pod(Work *w, const Json *pod)
{
    Request create = {.verb = VERB_CREATE, .kind = kind_pod, .key = meta_key(pod), .body = pod};

    TRY(create_claims(w, pod));
    if (w->s->wrote)
        return OK;
    return told(w,
        "create",
        str_format(w->s->arena, "Pod %s", meta_name(pod)),
        sync_write(w->s, create, NULL));
}

static Err *keep_replica(Work *w, const Json *pod, Way *ret)
{
    bool over = statefulset_pod_is(pod, "Failed") || statefulset_pod_is(pod, "Succeeded");

    *ret = BLOCKED;
    if (over)
        return meta_deleting(pod) ? OK : delete_pod(w, pod);
    if (!statefulset_pod_is_created(pod))
        return create_pod(w, pod);
    if (statefulset_pod_is(pod, "Pending"))
        TRY(create_claims(w, pod));
    if (w->s->wrote)
        return OK;
    if (w->in_order
        && (meta_deleting(pod) || !statefulset_pod_is_ready(pod)
            || !statefulset_pod_is_available(w->set, pod, w->wall_ms)))
        return OK;
    *ret = ONWARDS;
    if (statefulset_pod_has_identity(pod))
        return OK;
    return sync_update(w->s, kind_pod, pod, statefulset_pod_identified(w->s->arena, pod), NULL);
}

static Err *remove_condemned(Work *w, const Json *pod, Way *ret)
{
    bool fit =
        statefulset_pod_is_ready(pod) && statefulset_pod_is_available(w->set, pod, w->wall_ms);

    *ret = w->in_order ? BLOCKED : ONWARDS;
    if (meta_deleting(pod))
        return OK;
    if (w->in_order && !fit && pod != w->first_unavailable)
        return OK;
    return delete_pod(w, pod);
}

/* The highest pod that is not of the update revision goes, unless one above it is not back yet. */
static Err *roll(Work *w)
{
    int64_t partition = json_int(w->set, ".spec.updateStrategy.rollingUpdate.partition", 0);

    for (size_t i = w->count; i-- > 0 && (int64_t)i >= partition;) {
        const Json *pod = w->replicas[i];
        bool updated = str_eq(statefulset_pod_revision(pod), meta_name(w->update));
        if (!updated && !meta_deleting(pod))
            return delete_pod(w, pod);
        if (is_unavailable(w, pod))
            return OK;
    }
    return OK;
}

static Err *move_pods(Work *w)
{
    Way way = ONWARDS;

    if (meta_deleting(w->set))
        return OK;
    for (size_t i = 0; i < w->count && !w->s->wrote; i++) {
        TRY(keep_replica(w, w->replicas[i], &way));
        if (way == BLOCKED && w->in_order)
            return OK;
    }
    for (size_t i = 0; i < w->condemned.count && !w->s->wrote; i++) {
        TRY(remove_condemned(w, w->condemned.items[i], &way));
        if (way == BLOCKED)
            return OK;
    }
    return w->s->wrote || str_eq(strategy(w), "OnDelete") ? OK : roll(w);
}

/* --- status --- */

static Counts count(const Work *w)
{
    Counts counts = {0};

    for (size_t i = 0; i < w->pods.count; i++) {
        const Json *pod = w->pods.items[i];
        const char *revision = statefulset_pod_revision(pod);
        bool lives = statefulset_pod_is_created(pod) && !meta_deleting(pod);
        bool ready = statefulset_pod_is_ready(pod);
        counts.replicas += statefulset_pod_is_created(pod);
        counts.ready += ready;
        counts.available += ready && statefulset_pod_is_available(w->set, pod, w->wall_ms);
        counts.current += lives && str_eq(revision, meta_name(w->current));
        counts.updated += lives && str_eq(revision, meta_name(w->update));
    }
    return counts;
}

static bool is_complete(const Work *w, const Counts *counts)
{
    const StatefulSetController *c = (const void *)w->s->controller;
    int64_t wanted = (int64_t)w->count;

    return (str_eq(strategy(w), "RollingUpdate") || c->completes_on_delete)
        && counts->updated == wanted && counts->ready == wanted && counts->replicas == wanted;
}

static Err *write_status(Work *w)
{
    Counts counts = count(w);
    const char *current = meta_name(w->current);
    const Json *before = json_find(w->set, ".status");

    if (is_complete(w, &counts)) {
        counts.current = counts.updated;
        current = meta_name(w->update);
    }
    if (json_int(before, ".observedGeneration", 0) >= meta_generation(w->set)
        && json_int(before, ".replicas", 0) == counts.replicas
        && json_int(before, ".readyReplicas", 0) == counts.ready
        && json_int(before, ".availableReplicas", 0) == counts.available
        && json_int(before, ".currentReplicas", 0) == counts.current
        && json_int(before, ".updatedReplicas", 0) == counts.updated
        && str_eq(json_str(before, ".currentRevision"), current)
        && str_eq(json_str(before, ".updateRevision"), meta_name(w->update)))
        return OK;
    Draft *status = draft(w->s->arena,
        num("observedGeneration", meta_generation(w->set)),
        num("replicas", counts.replicas),
        draft_num_if(counts.ready > 0, "readyReplicas", counts.ready),
        draft_num_if(counts.current > 0, "currentReplicas", counts.current),
        draft_num_if(counts.updated > 0, "updatedReplicas", counts.updated),
        str("currentRevision", current),
        str("updateRevision", meta_name(w->update)),
        num("collisionCount", w->collisions),
        num("availableReplicas", counts.available));
    return sync_update(w->s,
        kind_statefulset,
        w->set,
        object_with(w->s->arena, w->set, "status", json_seal(w->s->arena, status)),
        "status");
}

/* --- history --- */

static bool is_live(const Work *w, const Json *revision)
{
    const char *name = meta_name(revision);

    if (revision == w->current || revision == w->update)
        return true;
    for (size_t i = 0; i < w->pods.count; i++)
        if (str_eq(statefulset_pod_revision(w->pods.items[i]), name))
            return true;
    return false;
}

static Err *cut_history(Work *w)
{
    int64_t limit = json_int(w->set, ".spec.revisionHistoryLimit", 10), old = 0;
    const Json *oldest = NULL;

    for (size_t i = w->revisions.count; i-- > 0;) {
        if (is_live(w, w->revisions.items[i]))
            continue;
        old++;
        oldest = w->revisions.items[i];
    }
    return limit >= 0 && old > limit ? sync_delete(w->s, kind_controllerrevision, oldest) : OK;
}

/* --- one sync --- */

static Err *sync_set(Work *w)
{
    TRY(claim_revisions(w));
    if (!w->s->wrote)
        TRY(claim_pods(w));
    if (!w->s->wrote)
        TRY(find_revisions(w));
    if (w->s->wrote)
        return OK;
    sort_out_pods(w);
    Err *err = move_pods(w);
    if (!w->s->wrote) {
        Err *status_err = write_status(w);
        err = err ? err : status_err;
    }
    if (!w->s->wrote) {
        Err *history_err = cut_history(w);
        err = err ? err : history_err;
    }
    return err;
}

static Err *sync(Sync *s)
{
    Clock *clock = s->controller->options.clock;
    Work w = {
        .s = s,
        .set = view_find(
            s->controller->view, s->arena, kind_statefulset, key_parse(s->arena, s->errand)),
        .wall_ms = clock_wall_ms(clock),
    };
    int64_t replicas = json_int(w.set, ".spec.replicas", 1);
    int64_t wait_s = json_int(w.set, ".spec.minReadySeconds", 0);

    if (!w.set || selector_decode(s->arena, json_find(w.set, ".spec.selector"), &w.selector))
        return OK;
    if (replicas < 0 || replicas > REPLICAS_MAX)
        return err_terminal(s->arena, "more than %d replicas", REPLICAS_MAX);
    w.count = (size_t)replicas;
    w.start = json_int(w.set, ".spec.ordinals.start", 0);
    w.in_order = !str_eq(json_str(w.set, ".spec.podManagementPolicy"), "Parallel");
    TRY(sync_set(&w));
    if (wait_s > 0 && !s->wrote && count(&w).available != replicas)
        s->again_ms = s->now_ms + wait_s * 1000;
    return OK;
}

Actor *statefulset_controller_open(const StatefulSetControllerOptions *options)
{
    static const ControllerTraits traits = {
        .name = "statefulset-controller",
        .kinds = kinds,
        .tag = tag,
        .size = sizeof(StatefulSetController),
        .notice = notice,
        .sync = sync,
    };
    Controller *c = controller_open(&traits, &options->base);

    ((StatefulSetController *)(void *)c)->completes_on_delete = options->completes_on_delete;
    return &c->actor;
}
