/* MaintainLook: the order of the reads matters. Jobs come before the node: a Job whose run has no
 * mark by then never gets one again, since it was marked before the Job was made. Pods come last:
 * by then the operator is known to hold the node, so no new one of seid's appears after them. */
#include "cli/maintain_look.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/event_list.h"
#include "cli/maintain_job.h"
#include "cli/object.h"
#include "cli/signing.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node.h"

#include <stdio.h>

enum { START_SOON_MS = 15000 };

static const char *run_of(const Json *object)
{
    return meta_label(object, LABEL_MAINTENANCE_RUN);
}

static bool has_ended(const Json *job)
{
    return job_is_complete(job) || job_is_failed(job);
}

bool maintain_is_left_over(const MaintainLook *look, const Json *job)
{
    if (meta_deleting(job) || (look->has_mark && str_eq(run_of(job), look->mark.run)))
        return false;
    if (has_ended(job))
        return !json_find(job, ".spec.ttlSecondsAfterFinished");
    return json_bool(job, ".spec.suspend", false);
}

/* --- the node and its mark */

static bool is_paused(const Json *node)
{
    return json_bool(node, ".spec.paused", false);
}

bool maintain_read_mark(Arena *a, const Json *node, Maintenance *ret)
{
    bool has_mark = maintenance_decode(a, node, ret);

    if (!is_paused(node) && target_fleet_of(node))
        ret->was_paused = false;
    return has_mark;
}

bool maintain_stays_paused(const Json *node, const Maintenance *mark)
{
    return mark->was_paused || (is_paused(node) && object_pause_applier(node, FLEET_MANAGER));
}

static Err *gone(Cli *cli, const char *word)
{
    Err *err = err_terminal(
        cli->arena, "%s was deleted, and another is there by that name: the run is over", word);

    err->status = 404;
    err->reason = "NotFound";
    return err;
}

static Err *read_node(Cli *cli, const MaintainRun *run, MaintainLook *ret)
{
    Target target = {.kind = kind_seinode, .key = run->node};
    const char *word = str_format(cli->arena, "node/%s", run->node.name);

    TRY(target_get(cli, word, &target));
    if (run->node_uid && !str_eq(run->node_uid, meta_uid(target.object)))
        return gone(cli, word);
    ret->node = target.object;
    ret->has_mark = maintain_read_mark(cli->arena, ret->node, &ret->mark);
    if (!ret->has_mark && maintenance_is_marked(ret->node))
        return err_terminal(cli->arena, "%s: " MAINTENANCE_UNREADABLE, word);
    return OK;
}

static bool is_newer(const Json *job, const Json *than)
{
    return !than
        || str_compare(json_str(job, ".metadata.creationTimestamp"),
               json_str(than, ".metadata.creationTimestamp"))
        > 0;
}

/* The run whose node is back already, and that nobody has looked at since. */
static const char *last_ended_run(const MaintainLook *look)
{
    const Json *last = NULL;

    for (size_t i = 0; i < look->jobs.count; i++) {
        const Json *job = look->jobs.items[i];
        if (has_ended(job) && maintain_is_left_over(look, job) && is_newer(job, last))
            last = job;
    }
    return run_of(last);
}

/* Whoever goes on with a run, or gives it up, has learnt its id from what stands there. */
static void learn_run(MaintainRun *run, const MaintainLook *look)
{
    const char *id = NULL;

    if (run->id[0] || run->wish == MAINTAIN_RUN)
        return;
    if (look->has_mark)
        id = look->mark.run;
    else if (run->wish == MAINTAIN_RESUME)
        id = last_ended_run(look);
    snprintf(run->id, sizeof run->id, "%s", id ? id : "");
}

static MarkSeen see_mark(MaintainRun *run, const MaintainLook *look)
{
    run->may_have_mark = false;
    if (!look->has_mark)
        return RUN_NONE;
    if (!str_eq(look->mark.run, run->id))
        return RUN_OTHERS;
    run->had_mark = true;
    run->stays_paused = look->seen.stays_paused;
    run->signs = signing_is_validator(look->node);
    return RUN_OURS;
}

/* --- the Job */

static bool is_owned_by(const Json *job, const char *uid)
{
    const Json *owner, *owners = json_find(job, ".metadata.ownerReferences");

    json_each(owner, owners)
        if (str_eq(json_str(owner, ".uid"), uid))
            return true;
    return false;
}

/* A label says a name, which another node may have had before. The Job of this run is its own also
 * when the node has let it go. */
static void keep_own(Objects *jobs, const MaintainRun *run)
{
    size_t kept = 0;

    for (size_t i = 0; i < jobs->count; i++)
        if (is_owned_by(jobs->items[i], run->node_uid)
            || (run->id[0] && str_eq(run_of(jobs->items[i]), run->id)))
            jobs->items[kept++] = jobs->items[i];
    jobs->count = kept;
}

static const Json *find_job(const MaintainRun *run, const MaintainLook *look)
{
    const char *id = look->has_mark ? look->mark.run : run->id;
    const char *uid = look->has_mark ? look->mark.job : NULL;

    for (size_t i = 0; i < look->jobs.count; i++) {
        const Json *job = look->jobs.items[i];
        if (str_eq(run_of(job), id) && (!uid || str_eq(meta_uid(job), uid)))
            return job;
    }
    return NULL;
}

static JobSeen see_job(const Json *job)
{
    if (!job)
        return JOB_ABSENT;
    if (job_is_complete(job))
        return JOB_COMPLETE;
    if (job_is_failed(job))
        return JOB_FAILED;
    if (meta_deleting(job))
        return JOB_DELETING;
    return json_bool(job, ".spec.suspend", false) ? JOB_SUSPENDED : JOB_RUNNING;
}

static bool is_untidy(const MaintainLook *look)
{
    for (size_t i = 0; i < look->jobs.count; i++)
        if (maintain_is_left_over(look, look->jobs.items[i]))
            return true;
    return false;
}

/* --- the pods and the volume */

static bool is_stopped(const Json *statefulset)
{
    return statefulset && json_int(statefulset, ".spec.replicas", 1) == 0
        && json_int(statefulset, ".status.replicas", 0) == 0
        && json_int(statefulset, ".status.observedGeneration", 0) >= meta_generation(statefulset);
}

static void see_pods(MaintainLook *look, const MaintainRun *run, const Objects *pods)
{
    const char *id = look->has_mark ? look->mark.run : run->id;

    for (size_t i = 0; i < pods->count; i++)
        if (str_eq(run_of(pods->items[i]), id)) {
            look->job_pod = pods->items[i];
            look->seen.has_job_pods |= !pod_is_finished(pods->items[i]);
        }
}

static const char *user_of(Arena *a, const MaintainLook *look, const Objects *pods)
{
    for (size_t i = 0; i < pods->count; i++)
        if (pod_uses_claim(pods->items[i], look->claim))
            return str_format(a, "pod %s has volume %s", meta_name(pods->items[i]), look->claim);
    return NULL;
}

static Err *find_defect(Cli *cli, MaintainLook *look)
{
    const Json *claim = NULL;
    Key key = {.namespace = meta_namespace(look->node), .name = look->claim};

    look->defect = "the node has no volume yet";
    if (!look->claim)
        return OK;
    TRY(connection_find(cli, kind_pvc, key, &claim));
    look->defect = !claim ? str_format(cli->arena, "volume %s is gone", look->claim)
        : meta_deleting(claim)
        ? str_format(
              cli->arena, "volume %s is being deleted, and goes when its pod stops", look->claim)
        : NULL;
    return OK;
}

static bool operator_knows(Arena *a, const MaintainLook *look)
{
    return look->has_mark && str_eq(object_condition(look->node, COND_PAUSED), "True")
        && str_eq(object_message(look->node, COND_PAUSED), maintenance_message(a, &look->mark));
}

/* A node that stays paused, or goes, needs nobody to let it run. */
static bool is_noted(const MaintainLook *look)
{
    const Json *paused = cond_in(look->node, COND_PAUSED);

    return is_paused(look->node) || meta_deleting(look->node)
        || (str_eq(json_str(paused, ".status"), "False")
            && json_int(paused, ".observedGeneration", 0) >= meta_generation(look->node));
}

static bool is_released(Cli *cli, MaintainRun *run, const MaintainLook *look)
{
    int64_t now_ms = clock_mono_ms(cli->clock);

    if (look->has_mark || !run->had_mark)
        return false;
    if (!run->returned_since_ms)
        run->returned_since_ms = now_ms;
    return look->is_noted || now_ms - run->returned_since_ms >= MAINTAIN_RELEASE_MS;
}

/* Once the Job may run only its own pods matter. */
static Err *read_pods(Cli *cli, const MaintainRun *run, MaintainLook *ret)
{
    const char *namespace = run->node.namespace;
    bool is_before = ret->seen.job == JOB_ABSENT || ret->seen.job == JOB_SUSPENDED;
    Objects pods = {0};

    TRY(connection_find(cli, kind_statefulset, run->node, &ret->statefulset));
    ret->claim = maintain_claim(ret->statefulset);
    TRY(connection_list(cli,
        kind_pod,
        namespace,
        is_before ? NULL : str_format(cli->arena, LABEL_MAINTENANCE_OF "=%s", run->node.name),
        &pods));
    see_pods(ret, run, &pods);
    if (is_before) {
        TRY(find_defect(cli, ret));
        ret->obstacle = ret->defect ? ret->defect : user_of(cli->arena, ret, &pods);
    }
    ret->seen.is_stopped = is_stopped(ret->statefulset);
    ret->seen.is_free = !ret->obstacle;
    return OK;
}

static const char *newest_warning(Cli *cli, const Json *object)
{
    const Json *list = NULL;
    Request request = event_list_request(cli->arena, object);
    Err *err = connection_call(cli, request, &list);

    if (err_has_status(err, 400)) {
        request.fields = NULL;
        err = connection_call(cli, request, &list);
    }
    if (err)
        return NULL;
    Objects about = event_list_about(cli->arena, json_find(list, ".items"), object);
    for (size_t i = 0; i < about.count; i++) {
        const char *reason = json_str(about.items[i], ".reason");
        const char *note = json_str(about.items[i], ".note");
        if (str_eq(json_str(about.items[i], ".type"), "Warning") && reason && note)
            return str_format(cli->arena, "%s: %s", reason, note);
    }
    return NULL;
}

/* Neither a Job nor a pod says why it is not started: only events do. Some pass by themselves. */
static void read_news(Cli *cli, MaintainRun *run, MaintainLook *ret)
{
    int64_t now_ms = clock_mono_ms(cli->clock);
    const Json *container = maintain_container(ret->job_pod);
    bool has_started =
        json_find(container, ".state.running") || json_find(container, ".state.terminated");

    if (ret->seen.job != JOB_RUNNING || has_started)
        run->unstarted_since_ms = 0;
    else if (!run->unstarted_since_ms)
        run->unstarted_since_ms = now_ms;
    else if (now_ms - run->unstarted_since_ms >= START_SOON_MS)
        ret->news = newest_warning(cli, ret->job_pod ? ret->job_pod : ret->job);
}

/* What is looked for only where it matters: all nodes of the namespace are read. */
static Err *look_before_return(Cli *cli, const MaintainRun *run, MaintainLook *ret)
{
    Target target = {.kind = kind_seinode, .key = run->node, .object = ret->node};

    if (ret->seen.stays_paused || maintain_next(&ret->seen) != STEP_RETURN)
        return OK;
    TRY(signing_find_twin(cli, &target, &ret->twin));
    ret->seen.has_twin = ret->twin != NULL;
    return target_fleet_is_paused(cli, &target, &ret->seen.fleet_is_paused);
}

Err *maintain_look(Cli *cli, MaintainRun *run, MaintainLook *ret)
{
    const char *labels = str_format(cli->arena, LABEL_MAINTENANCE_OF "=%s", run->node.name);

    *ret = (MaintainLook){.seen.wish = run->wish};
    TRY(connection_list(cli, kind_job, run->node.namespace, labels, &ret->jobs));
    keep_own(&ret->jobs, run);
    TRY(read_node(cli, run, ret));
    learn_run(run, ret);
    MaintainSeen *seen = &ret->seen;
    seen->is_deleting = meta_deleting(ret->node);
    seen->stays_paused = maintain_stays_paused(ret->node, &ret->mark);
    seen->mark = see_mark(run, ret);
    seen->had_mark = run->had_mark;
    seen->is_recorded = ret->mark.job != NULL;
    seen->unpauses_always = ret->mark.unpauses_always;
    seen->operator_knows = operator_knows(cli->arena, ret);
    ret->is_noted = is_noted(ret);
    seen->is_released = is_released(cli, run, ret);
    seen->is_untidy = !run->leaves_untidy && is_untidy(ret);
    ret->job = find_job(run, ret);
    seen->job = see_job(ret->job);
    TRY(read_pods(cli, run, ret));
    read_news(cli, run, ret);
    return look_before_return(cli, run, ret);
}
