/* Counting and judging the pods of a Job, in the order of the real controller: what was said before
 * holds; then failures; then completions. */
#include "world/job_tally.h"

#include "base/draft.h"
#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "world/job_pod.h"

/* --- conditions --- */

static JobCondition *find_condition(JobTally *t, const char *type)
{
    for (size_t i = 0; i < t->condition_count; i++)
        if (str_eq(t->conditions[i].type, type))
            return &t->conditions[i];
    return NULL;
}

static void decode_conditions(JobTally *t)
{
    const Json *each;

    json_each(each, json_find(t->job, ".status.conditions")) {
        if (t->condition_count == JOB_CONDITIONS_MAX)
            return;
        t->conditions[t->condition_count++] = (JobCondition){
            .type = json_str(each, ".type"),
            .status = json_str(each, ".status"),
            .reason = json_str(each, ".reason"),
            .message = json_str(each, ".message"),
            .time = json_str(each, ".lastTransitionTime"),
        };
    }
}

/* True when that changed anything. Nothing to False is no change. */
static bool set_condition(JobTally *t, JobCondition wanted)
{
    JobCondition *condition = find_condition(t, wanted.type);

    wanted.time = t->now;
    if (!condition && (str_eq(wanted.status, "False") || t->condition_count == JOB_CONDITIONS_MAX))
        return false;
    if (!condition)
        condition = &t->conditions[t->condition_count++];
    else if (str_eq(condition->status, wanted.status) && str_eq(condition->reason, wanted.reason))
        return false;
    *condition = wanted;
    return true;
}

static bool is_true(const Json *job, const char *type, const Json **ret)
{
    const Json *each;

    json_each(each, json_find(job, ".status.conditions"))
        if (str_eq(json_str(each, ".type"), type) && str_eq(json_str(each, ".status"), "True")) {
            *ret = each;
            return true;
        }
    return false;
}

bool job_is_finished(const Json *job)
{
    const Json *condition;

    return is_true(job, "Complete", &condition) || is_true(job, "Failed", &condition);
}

bool job_is_suspended(const Json *job)
{
    return json_bool(job, ".spec.suspend", false);
}

/* --- counting --- */

static bool lists(const Json *list, const char *text)
{
    const Json *each;

    json_each(each, list)
        if (str_eq(json_text(each), text))
            return true;
    return false;
}

static const Json *uncounted(const JobTally *t, bool succeeded)
{
    return json_find(t->job,
        succeeded ? ".status.uncountedTerminatedPods.succeeded"
                  : ".status.uncountedTerminatedPods.failed");
}

static bool is_new(const JobTally *t, const Json *pod, bool succeeded)
{
    return meta_has_finalizer(pod, JOB_TRACKING) && !lists(uncounted(t, succeeded), meta_uid(pod));
}

static void count_miss(JobTally *t, int64_t ended_ms, int64_t success_ms)
{
    if (ended_ms <= success_ms)
        return;
    t->misses.count++;
    t->misses.last_ms = ended_ms > t->misses.last_ms ? ended_ms : t->misses.last_ms;
}

/* A success wipes out the misses before it. */
static void count_misses(JobTally *t)
{
    int64_t success_ms = -1;

    for (size_t i = 0; i < t->pods.count; i++) {
        const Json *pod = t->pods.items[i];
        if (!job_pod_has_succeeded(pod) || !is_new(t, pod, true))
            continue;
        int64_t ended_ms = job_pod_ended_ms(pod);
        success_ms = ended_ms > success_ms ? ended_ms : success_ms;
        t->misses.count = t->misses.last_ms = 0;
    }
    for (size_t i = 0; i < t->pods.count; i++) {
        const Json *pod = t->pods.items[i];
        if (job_pod_has_failed(pod, t->job) && is_new(t, pod, false))
            count_miss(t, job_pod_ended_ms(pod), success_ms);
    }
}

static void count_all(JobTally *t)
{
    t->succeeded =
        json_int(t->job, ".status.succeeded", 0) + (int64_t)json_count(uncounted(t, true));
    t->failed = json_int(t->job, ".status.failed", 0) + (int64_t)json_count(uncounted(t, false));
    for (size_t i = 0; i < t->pods.count; i++) {
        const Json *pod = t->pods.items[i];
        t->active += job_pod_is_active(pod);
        t->ready += job_pod_is_ready(pod);
        t->terminating += job_pod_is_terminating(pod);
        t->succeeded += job_pod_has_succeeded(pod) && is_new(t, pod, true);
        t->failed += job_pod_has_failed(pod, t->job) && is_new(t, pod, false);
    }
    count_misses(t);
}

/* --- the verdict --- */

static void judge(JobTally *t, bool succeeds, const char *reason, const char *message)
{
    t->ends = true;
    t->succeeds = succeeds;
    t->reason = reason;
    t->message = message;
}

static bool restarts_too_often(const JobTally *t)
{
    int64_t limit = json_int(t->job, ".spec.backoffLimit", JOB_BACKOFF_LIMIT), restarts = 0;

    if (!str_eq(json_str(t->job, ".spec.template.spec.restartPolicy"), "OnFailure"))
        return false;
    for (size_t i = 0; i < t->pods.count; i++)
        restarts += job_pod_restarts(t->pods.items[i]);
    return limit == 0 ? restarts > 0 : restarts >= limit;
}

static void judge_deadline(JobTally *t)
{
    int64_t seconds = json_int(t->job, ".spec.activeDeadlineSeconds", -1), started_ns;

    if (seconds < 0 || job_is_suspended(t->job) || !timestamp_parse(t->started, &started_ns))
        return;
    int64_t left_ms = started_ns / 1000000 + seconds * 1000 - t->now_ms;
    if (left_ms <= 0)
        judge(t, false, "DeadlineExceeded", "Job was active longer than specified deadline");
    else
        t->deadline_ms = left_ms;
}

static void judge_job(JobTally *t)
{
    const Json *said;

    if (is_true(t->job, "SuccessCriteriaMet", &said))
        judge(t, true, json_str(said, ".reason"), json_str(said, ".message"));
    else if (is_true(t->job, "FailureTarget", &said))
        judge(t, false, json_str(said, ".reason"), json_str(said, ".message"));
    else if (t->failed > json_int(t->job, ".spec.backoffLimit", JOB_BACKOFF_LIMIT)
        || restarts_too_often(t))
        judge(t, false, "BackoffLimitExceeded", "Job has reached the specified backoff limit");
    else
        judge_deadline(t);
}

void job_tally_completions(JobTally *t)
{
    int64_t completions = json_int(t->job, ".spec.completions", -1);
    bool enough = completions < 0 ? t->succeeded > 0 : t->succeeded >= completions;

    if (enough && t->active == 0)
        judge(t, true, "CompletionsReached", "Reached expected number of succeeded pods");
}

void job_tally_suspension(JobTally *t)
{
    bool suspended = job_is_suspended(t->job);
    JobCondition wanted = {
        .type = "Suspended",
        .status = suspended ? "True" : "False",
        .reason = suspended ? "JobSuspended" : "JobResumed",
        .message = suspended ? "Job suspended" : "Job resumed",
    };

    if (set_condition(t, wanted) && !suspended)
        t->started = t->now;
}

/* --- status --- */

/* A pod whose finalizer may go: it is over, or the whole Job is. */
static bool is_to_be_let_go(const JobTally *t, const Json *pod)
{
    return meta_has_finalizer(pod, JOB_TRACKING)
        && (meta_deleting(t->job) || t->ends || job_pod_has_succeeded(pod)
            || job_pod_has_failed(pod, t->job));
}

const Json *job_tally_next_to_let_go(const JobTally *t)
{
    for (size_t i = 0; i < t->pods.count; i++)
        if (is_to_be_let_go(t, t->pods.items[i]))
            return t->pods.items[i];
    return NULL;
}

static const Json *pod_of(const JobTally *t, const char *uid)
{
    for (size_t i = 0; i < t->pods.count; i++)
        if (str_eq(meta_uid(t->pods.items[i]), uid))
            return t->pods.items[i];
    return NULL;
}

static bool counts_as(const JobTally *t, const Json *pod, bool succeeded)
{
    if (job_pod_has_succeeded(pod))
        return succeeded;
    return !succeeded && (job_pod_has_failed(pod, t->job) || (t->ends && !t->succeeds));
}

/* The UIDs that stay uncounted or become so. Those whose finalizer is gone are counted. */
static Draft *uncounted_next(const JobTally *t, bool succeeded, int64_t *ret_counted)
{
    const Json *before = uncounted(t, succeeded), *each;
    Draft *next = draft_array(t->arena);

    *ret_counted = 0;
    json_each(each, before) {
        if (meta_has_finalizer(pod_of(t, json_text(each)), JOB_TRACKING))
            draft_push_json(next, each);
        else
            ++*ret_counted;
    }
    for (size_t i = 0; i < t->pods.count; i++) {
        const Json *pod = t->pods.items[i];
        if (is_to_be_let_go(t, pod) && counts_as(t, pod, succeeded)
            && !lists(before, meta_uid(pod)))
            draft_push_str(next, meta_uid(pod));
    }
    return draft_count(next) > 0 ? next : NULL;
}

static Draft *encode_conditions(const JobTally *t)
{
    Draft *list = draft_array(t->arena);

    for (size_t i = 0; i < t->condition_count; i++) {
        const JobCondition *c = &t->conditions[i];
        draft_push(list,
            draft(t->arena,
                str("type", c->type),
                str("status", c->status),
                str("lastProbeTime", c->time),
                str("lastTransitionTime", c->time),
                str("reason", c->reason),
                str("message", c->message)));
    }
    return t->condition_count > 0 ? list : NULL;
}

const Json *job_tally_status(JobTally *t)
{
    int64_t succeeded, failed;
    Draft *new_succeeded = uncounted_next(t, true, &succeeded);
    Draft *new_failed = uncounted_next(t, false, &failed);
    bool finished = t->ends && !new_succeeded && !new_failed && !job_tally_next_to_let_go(t)
        && t->terminating == 0 && t->active == 0;
    JobCondition verdict = {.status = "True", .reason = t->reason, .message = t->message};

    verdict.type = t->succeeds ? "SuccessCriteriaMet" : "FailureTarget";
    if (t->ends)
        set_condition(t, verdict);
    verdict.type = t->succeeds ? "Complete" : "Failed";
    if (finished)
        set_condition(t, verdict);
    succeeded += json_int(t->job, ".status.succeeded", 0);
    failed += json_int(t->job, ".status.failed", 0);
    return json_seal(t->arena,
        draft(t->arena,
            sub("conditions", encode_conditions(t)),
            str("startTime", t->started),
            str("completionTime", finished && t->succeeds ? t->now : NULL),
            draft_num_if(t->active > 0, "active", t->active),
            draft_num_if(succeeded > 0, "succeeded", succeeded),
            draft_num_if(failed > 0, "failed", failed),
            num("terminating", t->terminating),
            num("ready", t->ready),
            obj("uncountedTerminatedPods",
                sub("succeeded", new_succeeded),
                sub("failed", new_failed))));
}

/* --- the whole --- */

void job_tally(JobTally *t)
{
    decode_conditions(t);
    t->started = json_str(t->job, ".status.startTime");
    if (!t->started && !job_is_suspended(t->job))
        t->started = t->now;
    count_all(t);
    judge_job(t);
}
