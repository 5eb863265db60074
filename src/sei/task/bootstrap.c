/* The Job of a bootstrap stage and its pod: whose they are, and whether they are of use. */
#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/task/kinds.h"

Err *bootstrap_check_standing(Arena *a, const TaskRun *run, const Kind *kind, const Json *there)
{
    switch (task_standing(there, run->node)) {
    case STANDING_OURS:
        return OK;
    case STANDING_PREVIOUS:
        return err_wait(a,
            "%s %s is an earlier SeiNode's of this name, and is yet to be collected: if it stays, "
            "delete it",
            kind->name,
            meta_name(there));
    default:
        return task_trouble(err_terminal(a,
                                "%s %s is not SeiNode %s's: it is left alone; delete or rename it",
                                kind->name,
                                meta_name(there),
                                run->node->key.name),
            REASON_FOREIGN_OBJECT);
    }
}

Err *bootstrap_find_job(Ctx *c, const TaskRun *run, const Json **ret)
{
    Key node = run->node->key;
    Key key = {.namespace = node.namespace, .name = name_bootstrap_job(c->arena, node.name)};

    TRY(kube_find(c, kind_job, key, ret));
    return *ret ? bootstrap_check_standing(c->arena, run, kind_job, *ret) : OK;
}

/* One that the reference made does not say what it was made from: its image speaks for it, and its
 * claim, because the reference overlooks an import. */
bool bootstrap_is_as_wanted(const Json *job, const Wanted *wanted)
{
    const char *hash = meta_annotation(job, ANNOTATION_TEMPLATE_HASH);

    return hash ? str_eq(hash, wanted->bootstrap_hash)
                : str_eq(job_image(job), job_image(wanted->bootstrap_job))
            && job_mounts_claim(job, wanted->claim);
}

Err *bootstrap_find_pod(Ctx *c, const Json *job, const Json **ret)
{
    Objects pods;

    *ret = NULL;
    if (!job)
        return OK;
    TRY(kube_owned(c, kind_pod, meta_uid(job), &pods));
    for (size_t i = 0; i < pods.count; i++)
        if (!meta_deleting(pods.items[i]) && !pod_is_finished(pods.items[i]))
            *ret = pods.items[i];
    return OK;
}

static const char *trouble_of_pods(Arena *a, const Objects *pods)
{
    for (size_t i = 0; i < pods->count; i++) {
        const char *trouble = pod_trouble(a, pods->items[i]);
        if (trouble)
            return str_format(a, "pod %s: %s", meta_name(pods->items[i]), trouble);
    }
    return NULL;
}

Err *bootstrap_err_failed(Ctx *c, const Json *job)
{
    Arena *a = c->arena;
    Objects pods;

    TRY(kube_owned(c, kind_pod, meta_uid(job), &pods));
    const char *trouble = trouble_of_pods(a, &pods);
    return err_terminal(a,
        "bootstrap Job %s failed: %s%s%s",
        meta_name(job),
        job_failure(a, job),
        trouble ? "; " : "",
        trouble ? trouble : "");
}
