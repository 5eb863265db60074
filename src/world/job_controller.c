/* job-controller: runs the pods of Jobs to their end.
 *
 * What the pods amount to is for the tally to say. News of pods is gathered for a second, as in the
 * real one. A pod that no Job will count any more just loses its finalizer. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/selector.h"
#include "kube/status.h"
#include "world/claim.h"
#include "world/controller.h"
#include "world/job_pod.h"
#include "world/job_tally.h"
#include "world/object.h"

#include <string.h>

enum {
    BATCH_MS = 1000,
    BACKOFF_MIN_MS = 10 * 1000,
    BACKOFF_MAX_MS = 10 * 60 * 1000,
    JOBS_MAX = 100000,
};

/* What is remembered of a Job whose pods fail. */
typedef struct Record {
    JobMisses misses;
    char uid[64];
} Record;

typedef struct JobController {
    Controller base;
    Map *records; /* by the UID of the Job */
} JobController;

static const Kind *const kinds[] = {kind_job, kind_pod, NULL};

/* --- noticing --- */

#define POD_ERRAND     "pod "
#define JOB_NAME_LABEL "batch.kubernetes.io/job-name"

static void want_lost_pod(Controller *c, const Change *change, const Json *pod)
{
    if (meta_has_finalizer(pod, JOB_TRACKING))
        controller_want(c,
            str_format(change->arena, POD_ERRAND "%s", key_text(change->arena, meta_key(pod))),
            change->now_ms);
}

/* The Job is over or gone: nobody will count its pods any more. */
static void notice_end(Controller *c, const Change *change, const Json *job)
{
    ViewList pods = claim_candidates(c->view, change->arena, kind_pod, job);
    Record *record = map_remove(((JobController *)(void *)c)->records, meta_uid(job));

    slab_free(c->slab, record, sizeof *record);
    for (size_t i = 0; i < pods.count; i++)
        want_lost_pod(c, change, pods.items[i]);
}

static void notice_job(Controller *c, const Change *change)
{
    bool same = change->before && change->after
        && meta_generation(change->before) == meta_generation(change->after);

    if (change->before && (!change->after || job_is_finished(change->after)))
        notice_end(c, change, change->before);
    controller_want_key(c, change->key, change->now_ms + (same ? BATCH_MS : 0));
}

static void notice_pod(Controller *c, const Change *change)
{
    const Json *pod = change->after, *reference = meta_controller(pod);
    bool is_stray = claim_notice(c, change, kind_job, change->now_ms + BATCH_MS);

    if (!pod)
        return;
    if (is_stray && meta_label(pod, JOB_NAME_LABEL))
        controller_want_key(c,
            (Key){change->key.namespace, meta_label(pod, JOB_NAME_LABEL)},
            change->now_ms + BATCH_MS);
    if (is_stray || (meta_deleting(pod) && str_eq(json_str(reference, ".kind"), "Job")))
        want_lost_pod(c, change, pod);
}

static void notice(Controller *c, const Change *change)
{
    if (kind_eq(change->kind, kind_job))
        notice_job(c, change);
    else
        notice_pod(c, change);
}

/* --- pods that no Job counts --- */

static Err *sync_lost_pod(Sync *s, Key key)
{
    const View *view = s->controller->view;
    const Json *pod = view_find(view, s->arena, kind_pod, key);
    const Json *reference = meta_controller(pod);
    Key owner = {.namespace = key.namespace, .name = json_str(reference, ".name")};

    if (reference && !str_eq(json_str(reference, ".kind"), "Job"))
        return OK;
    const Json *job = reference ? view_find(view, s->arena, kind_job, owner) : NULL;
    if (job && meta_controlled_by(pod, job) && !job_is_finished(job))
        return OK;
    if (!meta_has_finalizer(pod, JOB_TRACKING))
        return OK;
    Err *err =
        sync_update(s, kind_pod, pod, claim_without_finalizer(s->arena, pod, JOB_TRACKING), NULL);
    return status_is_not_found(err) ? OK : err;
}

/* --- moving pods --- */

/* How far a pod has come: of two the one that lags behind is given up first, and before both one
 * that was let go already. */
static int progress(const Json *pod)
{
    if (!meta_has_finalizer(pod, JOB_TRACKING))
        return -1;
    return (json_str(pod, ".spec.nodeName") ? 1 : 0)
        + (str_eq(json_str(pod, ".status.phase"), "Running") ? 2 : 0)
        + (job_pod_is_ready(pod) ? 4 : 0);
}

static const Json *least_active(const JobTally *t)
{
    const Json *least = NULL;

    for (size_t i = 0; i < t->pods.count; i++) {
        const Json *pod = t->pods.items[i];
        if (job_pod_is_active(pod) && (!least || progress(pod) < progress(least)))
            least = pod;
    }
    return least;
}

static Err *let_go(Sync *s, const Json *pod)
{
    Err *err =
        sync_update(s, kind_pod, pod, claim_without_finalizer(s->arena, pod, JOB_TRACKING), NULL);

    return status_is_not_found(err) ? OK : err;
}

/* One that is not wanted leaves without being counted. */
static Err *give_up(Sync *s, const Json *pod)
{
    return meta_has_finalizer(pod, JOB_TRACKING) ? let_go(s, pod) : sync_delete(s, kind_pod, pod);
}

static int64_t patience_left_ms(const JobTally *t)
{
    int64_t wait_ms = BACKOFF_MIN_MS;

    if (t->misses.count == 0)
        return 0;
    for (int64_t i = 1; i < t->misses.count && wait_ms < BACKOFF_MAX_MS; i++)
        wait_ms *= 2;
    wait_ms = wait_ms < BACKOFF_MAX_MS ? wait_ms : BACKOFF_MAX_MS;
    return t->misses.last_ms + wait_ms - t->now_ms;
}

static int64_t wanted_active(const JobTally *t)
{
    int64_t parallelism = json_int(t->job, ".spec.parallelism", 1);
    int64_t completions = json_int(t->job, ".spec.completions", -1);

    if (job_is_suspended(t->job))
        return 0;
    if (completions < 0)
        return t->succeeded > 0 ? t->active : parallelism;
    int64_t missing = completions > t->succeeded ? completions - t->succeeded : 0;
    return missing < parallelism ? missing : parallelism;
}

static void look_again_in(Sync *s, int64_t ms)
{
    if (ms > 0 && (s->again_ms == 0 || s->again_ms > s->now_ms + ms))
        s->again_ms = s->now_ms + ms;
}

static Err *move_pods(Sync *s, const JobTally *t)
{
    bool only_failed = str_eq(json_str(t->job, ".spec.podReplacementPolicy"), "Failed");
    int64_t wanted = wanted_active(t), left_ms = patience_left_ms(t);

    if (t->active > wanted)
        return give_up(s, least_active(t));
    if (t->active + (only_failed ? t->terminating : 0) >= wanted)
        return OK;
    look_again_in(s, left_ms);
    if (left_ms > 0)
        return OK;
    const Json *pod = NULL;
    TRY(sync_write(s,
        (Request){.verb = VERB_CREATE,
            .kind = kind_pod,
            .key.namespace = meta_namespace(t->job),
            .body = job_pod_new(s->arena, t->job)},
        &pod));
    sync_tell(s,
        kind_job,
        t->job,
        "SuccessfulCreate",
        str_format(s->arena, "Created pod: %s", meta_name(pod)));
    return OK;
}

static Err *act(Sync *s, JobTally *t)
{
    if (t->ends)
        return t->active > 0 ? sync_delete(s, kind_pod, least_active(t)) : OK;
    if (!meta_deleting(t->job))
        TRY(move_pods(s, t));
    if (s->wrote)
        return OK;
    job_tally_completions(t);
    if (!t->ends && !meta_deleting(t->job))
        job_tally_suspension(t);
    return OK;
}

/* --- one sync --- */

static void remember(JobController *c, const JobTally *t)
{
    const char *uid = meta_uid(t->job);
    Record *record = map_find(c->records, uid);

    if (!record && t->misses.count == 0)
        return;
    if (!record) {
        record = slab_alloc(c->base.slab, sizeof *record);
        *record = (Record){.misses.count = 0};
        memcpy(record->uid, uid, strnlen(uid, sizeof record->uid - 1));
        if (!map_put(c->records, record->uid, record))
            BUG("more Jobs fail than there may be");
    }
    record->misses = t->misses;
}

static Err *claim_pods(Sync *s, JobTally *t)
{
    ViewList all = claim_candidates(s->controller->view, s->arena, kind_pod, t->job);
    Claim claim = {kind_job, t->job, kind_pod, JOB_TRACKING};
    const Selector *selector;

    TRY(selector_decode(s->arena, json_find(t->job, ".spec.selector"), &selector));
    t->pods.items = arena_array(s->arena, const Json *, all.count);
    for (size_t i = 0; i < all.count && !s->wrote; i++) {
        const Json *pod = all.items[i];
        bool mine;
        TRY(claim_object(s, &claim, pod, selector_matches(selector, pod), &mine));
        if (mine)
            t->pods.items[t->pods.count++] = pod;
    }
    return OK;
}

static Err *track(Sync *s, JobTally *t)
{
    const Json *wanted = object_with(s->arena, t->job, "status", job_tally_status(t));
    const Json *pod = job_tally_next_to_let_go(t);

    TRY(sync_update(s, kind_job, t->job, wanted, "status"));
    if (!s->wrote)
        return pod ? let_go(s, pod) : OK;
    remember((JobController *)(void *)s->controller, t);
    return OK;
}

static Err *sync_job(Sync *s, const Json *job)
{
    JobController *c = (JobController *)(void *)s->controller;
    const Record *record = map_find(c->records, meta_uid(job));
    JobTally t = {
        .arena = s->arena,
        .job = job,
        .now = controller_now(&c->base, s->arena),
        .now_ms = clock_wall_ms(c->base.options.clock),
    };

    if (record)
        t.misses = record->misses;
    TRY(claim_pods(s, &t));
    if (s->wrote)
        return OK;
    job_tally(&t);
    look_again_in(s, t.deadline_ms);
    TRY(act(s, &t));
    return s->wrote ? OK : track(s, &t);
}

static Err *sync(Sync *s)
{
    if (str_has_prefix(s->errand, POD_ERRAND))
        return sync_lost_pod(s, key_parse(s->arena, s->errand + strlen(POD_ERRAND)));
    const Json *job =
        view_find(s->controller->view, s->arena, kind_job, key_parse(s->arena, s->errand));
    return job && !job_is_finished(job) ? sync_job(s, job) : OK;
}

static void close_jobs(Controller *c)
{
    map_close(((JobController *)(void *)c)->records);
}

Actor *job_controller_open(const ControllerOptions *options)
{
    static const ControllerTraits traits = {
        .name = "job-controller",
        .kinds = kinds,
        .tag = claim_tag,
        .size = sizeof(JobController),
        .notice = notice,
        .sync = sync,
        .close = close_jobs,
    };
    Controller *c = controller_open(&traits, options);

    ((JobController *)(void *)c)->records = map_open(JOBS_MAX);
    return &c->actor;
}
