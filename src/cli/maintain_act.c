/* MaintainAct: patches of the node carry its resourceVersion, deletions of a Job its uid. Whoever
 * loses looks again, and finds what the other has made of it. */
#include "cli/maintain_act.h"

#include "base/draft.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/connection.h"
#include "cli/gitops.h"
#include "cli/maintain_job.h"
#include "kube/meta.h"
#include "kube/status.h"
#include "sei/api/kinds.h"
#include "sei/api/node.h"

#include <string.h>

enum { LIFE_AFTER_SECONDS = 24 * 60 * 60 };

/* --- patches */

static Draft *lock(Arena *a, const MaintainLook *look, const char *mark)
{
    Draft *annotations = draft_object(a);
    const Json *null = json_find(json_fixture(a, "{null: null}"), ".null");

    draft_set(annotations,
        mark ? str(ANNOTATION_MAINTENANCE, mark) : draft_json(ANNOTATION_MAINTENANCE, null));
    return draft(a,
        str("resourceVersion", meta_resource_version(look->node)),
        sub("annotations", annotations));
}

const Json *maintain_mark_patch(Arena *a, const MaintainLook *look, const Maintenance *wanted)
{
    Maintenance mark = *wanted;

    mark.was_paused =
        look->has_mark ? look->mark.was_paused : json_bool(look->node, ".spec.paused", false);
    return json_seal(a,
        draft(a,
            sub("metadata", lock(a, look, maintenance_encode(a, &mark))),
            obj("spec", flag("paused", true))));
}

const Json *maintain_record_patch(Arena *a, const MaintainLook *look)
{
    Maintenance mark = look->mark;

    mark.job = meta_uid(look->job);
    return json_seal(a, draft(a, sub("metadata", lock(a, look, maintenance_encode(a, &mark)))));
}

const Json *maintain_return_patch(Arena *a, const MaintainLook *look)
{
    return json_seal(a,
        draft(a,
            sub("metadata", lock(a, look, NULL)),
            obj("spec", flag("paused", look->seen.stays_paused))));
}

/* --- requests */

Err *maintain_patch_node(Cli *cli, const MaintainLook *look, const Json *patch, const Json **ret)
{
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_seinode,
        .key = meta_key(look->node),
        .body = patch,
        .manager = CHANGE_MANAGER,
        .dry_run = cli->flags.dry_run == DRY_RUN_SERVER,
    };

    return connection_call(cli, request, ret);
}

Err *maintain_create_job(
    Cli *cli, const MaintainLook *look, const Maintenance *run, bool dry_run, const Json **ret)
{
    const Json *job = maintain_job(cli->arena, look->node, look->statefulset, run);
    Request request = {
        .verb = VERB_CREATE,
        .kind = kind_job,
        .key = meta_key(job),
        .body = job,
        .manager = CHANGE_MANAGER,
        .dry_run = dry_run,
    };

    return connection_call(cli, request, ret);
}

static Err *patch_job(Cli *cli, const Json *job, Draft *spec)
{
    Draft *patch = draft(cli->arena, obj("metadata", str("uid", meta_uid(job))), sub("spec", spec));
    Request request = {
        .verb = VERB_MERGE_PATCH,
        .kind = kind_job,
        .key = meta_key(job),
        .body = json_seal(cli->arena, patch),
        .manager = CHANGE_MANAGER,
    };
    const Json *after = NULL;

    return connection_call(cli, request, &after);
}

static Err *delete_job(Cli *cli, const Json *job)
{
    Request request = {
        .verb = VERB_DELETE,
        .kind = kind_job,
        .key = meta_key(job),
        .uid = meta_uid(job),
        .propagation = PROPAGATION_BACKGROUND,
    };
    const Json *after = NULL;
    Err *err = connection_call(cli, request, &after);

    return status_is_not_found(err) ? OK : err;
}

/* Nobody gets by without it: a Job that is recorded may be let run by somebody else's --resume. */
static Err *end_job(Cli *cli, const Json *job)
{
    Err *err = delete_job(cli, job);

    if (!status_is_forbidden(err))
        return err;
    return err_wrap(cli->arena,
        err,
        "somebody who may delete jobs has to do this: kubectl delete job %s -n %s; then --abort "
        "again",
        meta_name(job),
        meta_namespace(job));
}

/* One that never ran has nothing to show; one that has ended keeps its log for a while. */
static Err *clear_away(Cli *cli, const Json *job)
{
    bool has_ended = job_is_complete(job) || job_is_failed(job);

    if (!has_ended)
        return delete_job(cli, job);
    Err *err =
        patch_job(cli, job, draft(cli->arena, num("ttlSecondsAfterFinished", LIFE_AFTER_SECONDS)));
    return status_is_not_found(err) ? OK : err;
}

static Err *tidy(Cli *cli, const MaintainLook *look)
{
    for (size_t i = 0; i < look->jobs.count; i++)
        if (maintain_is_left_over(look, look->jobs.items[i]))
            TRY(clear_away(cli, look->jobs.items[i]));
    return OK;
}

/* --- steps */

Err *maintain_check(Cli *cli, const MaintainLook *look)
{
    Arena *a = cli->arena;
    const char *name = meta_name(look->node);

    if (meta_deleting(look->node))
        return err_terminal(a, "node/%s is being deleted", name);
    if (!look->statefulset || !maintain_claim(look->statefulset))
        return err_terminal(a,
            "node/%s was never set up: it has no StatefulSet with a volume; see `%s status "
            "node/%s%s`",
            name,
            cli->program,
            name,
            target_where(cli));
    if (look->defect)
        return err_terminal(a,
            "node/%s cannot be worked on: %s; see `%s status node/%s%s`",
            name,
            look->defect,
            cli->program,
            name,
            target_where(cli));
    return OK;
}

/* A server that does not answer leaves it open. */
static bool is_denied(Cli *cli, const char *namespace, const char *verb)
{
    const Json *answer = NULL;
    Draft *question = draft(cli->arena,
        str("apiVersion", "authorization.k8s.io/v1"),
        str("kind", "SelfSubjectAccessReview"),
        obj("spec",
            obj("resourceAttributes",
                str("namespace", namespace),
                str("group", kind_job->group),
                str("resource", kind_job->plural),
                str("verb", verb))));
    Request ask = {
        .verb = VERB_CREATE,
        .kind = kind_self_access_review,
        .body = json_seal(cli->arena, question),
    };

    return !connection_call(cli, ask, &answer) && !json_bool(answer, ".status.allowed", true);
}

/* Some admission webhooks cannot be tried, as the server then says. */
static Err *try_job(Cli *cli, const MaintainLook *look, const Maintenance *wanted)
{
    const Json *after = NULL;
    Err *err = maintain_create_job(cli, look, wanted, true, &after);

    if (err && strstr(err_text(cli->arena, err), "does not support dry run"))
        return OK;
    if (!status_is_forbidden(err) && !status_is_invalid(err) && !err_is(err, ERR_TERMINAL))
        return err;
    return err_wrap(cli->arena,
        err,
        "node/%s was not touched: this Job would be refused",
        meta_name(look->node));
}

Err *maintain_rehearse(Cli *cli, const MaintainLook *look, const Maintenance *wanted)
{
    static const char *const verbs[] = {"patch", "delete"};
    const char *name = meta_name(look->node), *namespace = meta_namespace(look->node);

    TRY(try_job(cli, look, wanted));
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (!is_denied(cli, namespace, verbs[i]))
            continue;
        Err *err = err_terminal(cli->arena,
            "node/%s was not touched: you may not %s jobs in namespace %s, which a run needs",
            name,
            verbs[i],
            namespace);
        err->status = 403;
        err->reason = "Forbidden";
        return err;
    }
    return OK;
}

/* What Git would keep is a pause that outlasts the run. */
static Err *mark(Cli *cli, const MaintainLook *look, const Maintenance *wanted)
{
    const Json *patch = maintain_mark_patch(cli->arena, look, wanted), *after = NULL;
    const char *owner = gitops_owner(cli->arena, look->node);

    TRY(maintain_patch_node(cli, look, patch, &after));
    if (owner)
        output_talk(cli,
            "node/%s is managed by %s: change nothing in Git; the "
            "annotation " ANNOTATION_MAINTENANCE
            " holds the node also when spec.paused is put back\n",
            meta_name(look->node),
            owner);
    return OK;
}

Err *maintain_act(Cli *cli, const MaintainLook *look, MaintainStep step, const Maintenance *wanted)
{
    const Json *after = NULL;

    switch (step) {
    case STEP_MARK:
        return mark(cli, look, wanted);
    case STEP_CREATE_JOB:
        return maintain_create_job(cli, look, &look->mark, false, &after);
    case STEP_RECORD_JOB:
        return maintain_patch_node(cli, look, maintain_record_patch(cli->arena, look), &after);
    case STEP_START_JOB:
        return patch_job(cli, look->job, draft(cli->arena, flag("suspend", false)));
    case STEP_DELETE_JOB:
        return end_job(cli, look->job);
    case STEP_RETURN:
        return maintain_patch_node(cli, look, maintain_return_patch(cli->arena, look), &after);
    case STEP_TIDY:
        return tidy(cli, look);
    default:
        return OK;
    }
}
