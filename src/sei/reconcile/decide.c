/* Asks the planner, which is pure, and does the live reads that it asks back for: one each, only
 * when a decision hangs on them. */
#include "sei/reconcile/parts.h"

#include "base/str.h"
#include "kube/meta.h"
#include "sei/api/names.h"
#include "sei/task/volume_import.h"

enum { ROUNDS_MAX = 7 }; /* one per question, and one to spare */

/* Where only the image has moved, what the pod was made from can be rendered again, and its hash
 * proves it: the explanation is the difference of two renderings, and nobody is asked. */
static Err *explain_by_rendering(NodePass *p, bool *ret_explained)
{
    const char *made_from = meta_annotation(p->snapshot.pod, ANNOTATION_TEMPLATE_HASH);
    SeiNode *before = arena_new(p->c->arena, SeiNode);
    const Json *rendered;

    *ret_explained = false;
    if (!made_from || !p->node.status.current_image)
        return OK;
    *before = p->node;
    before->spec.image = p->node.status.current_image;
    Subject subject = subject_of(p->c->arena, before, p->snapshot.settings, REPLICAS_ONE);
    TRY(render_statefulset(p->c->arena, &subject, p->wanted.config_hash, &rendered));
    const Json *template = json_find(rendered, ".spec.template");
    if (!str_eq(meta_annotation(template, ANNOTATION_TEMPLATE_HASH), made_from))
        return OK;
    plan_explain(p->c->arena,
        template,
        json_find(p->wanted.statefulset, ".spec.template"),
        &p->snapshot.explained);
    p->snapshot.drift_explained = *ret_explained = true;
    return OK;
}

static Err *explain(NodePass *p)
{
    const Json *live;
    bool explained;

    TRY(explain_by_rendering(p, &explained));
    if (explained)
        return OK;
    TRY(kube_get_if_any(p->c, kind_statefulset, p->node.key, &live));
    plan_explain_template(p->c->arena, live, p->wanted.statefulset, &p->snapshot.explained);
    p->snapshot.drift_explained = true;
    return OK;
}

/* How the pod spec in a ControllerRevision differs from the wanted one, in what we want of it;
 * false when nobody keeps that revision any more. */
static Err *explain_revision(NodePass *p, const char *revision, Drift *ret, bool *ret_known)
{
    Key key = {.namespace = p->node.key.namespace, .name = revision};
    const Json *stored;

    TRY(kube_get_if_any(p->c, kind_controllerrevision, key, &stored));
    plan_explain(p->c->arena,
        json_find(stored, ".data.spec.template.spec"),
        json_find(p->wanted.statefulset, ".spec.template.spec"),
        ret);
    *ret_known = stored != NULL;
    return OK;
}

static bool drifts_are_equal(const Drift *left, const Drift *right)
{
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++)
        if (!str_eq(left->fields[i].path, right->fields[i].path)
            || !str_eq(left->fields[i].have, right->fields[i].have))
            return false;
    return true;
}

/* What the finding is about. */
static EditFinding finding_of(const NodePass *p)
{
    return (EditFinding){
        .pod_uid = meta_uid(p->snapshot.pod),
        .revision = json_str(p->snapshot.statefulset, ".status.updateRevision"),
        .template_hash = p->wanted.template_hash,
        .generation = meta_generation(p->snapshot.statefulset),
    };
}

/* Pods of two revisions with one template hash: either metadata moved between them, or what others
 * have added to the template; or somebody edited what is ours without knowing of the hash. What the
 * server's defaults add to the difference is in both. */
static Err *read_hand_edit(NodePass *p, EditFinding *ret)
{
    const char *of_pod = meta_label(p->snapshot.pod, LABEL_REVISION);
    const char *of_set = json_str(p->snapshot.statefulset, ".status.updateRevision");
    bool knows_pod, knows_set;
    Drift have, want;
    const Json *live;

    TRY(explain_revision(p, of_pod, &have, &knows_pod));
    TRY(explain_revision(p, of_set, &want, &knows_set));
    /* Nobody is restarted for what cannot be told. */
    bool differs = knows_pod && knows_set && !drifts_are_equal(&have, &want);
    ret->edit = differs ? EDIT_TEMPLATE : EDIT_METADATA_ONLY;
    if (ret->edit == EDIT_TEMPLATE)
        return OK;
    TRY(kube_get_if_any(p->c, kind_statefulset, p->node.key, &live));
    ret->foreign_fields = plan_foreign_fields(p->c->arena, live);
    return OK;
}

/* Looked up, or read once. */
static Err *learn_hand_edit(NodePass *p)
{
    App *app = p->app;
    EditFinding finding = finding_of(p);

    guard_enter(app->guard);
    bool known = edits_find(app->edits, p->c->arena, p->node.key, &finding);
    guard_leave(app->guard);
    if (!known) {
        TRY(read_hand_edit(p, &finding));
        guard_enter(app->guard);
        edits_note(app->edits, p->node.key, &finding);
        guard_leave(app->guard);
    }
    p->snapshot.hand_edit = finding.edit;
    p->snapshot.foreign_fields = finding.foreign_fields;
    return OK;
}

static Err *prove_volume(NodePass *p)
{
    Key key = {.namespace = p->node.key.namespace, .name = p->wanted.claim};

    TRY(kube_get_if_any(p->c, kind_pvc, key, &p->snapshot.volume));
    p->snapshot.volume_absent_for_sure = !p->snapshot.volume;
    p->volume_was_read = true;
    return OK;
}

/* Looked at by the same eyes as at birth, under the name that the spec asks for. */
static Err *look_at_import(NodePass *p, const Json **ret)
{
    Wanted *asked = arena_new(p->c->arena, Wanted);
    TaskRun run = task_run_of(p);

    *asked = p->wanted;
    asked->claim = p->node.spec.import_claim;
    run.wanted = asked;
    run.status = &p->decision.status;
    TRY(volume_import_look(p->c, &run, ret));
    return task_volume_is_free(p->c, &run);
}

static void prove_import(NodePass *p)
{
    ImportProof *proof = &p->snapshot.import;
    const Json *claim = NULL;

    p->import_err = look_at_import(p, &claim);
    *proof = (ImportProof){
        .is_read = true,
        .claim = p->import_err ? NULL : claim,
        .trouble = p->import_err ? err_text(p->c->arena, p->import_err) : NULL,
    };
}

static Err *ask_permit(NodePass *p)
{
    PermitAsk ask = {.node = &p->node, .pod = p->snapshot.pod};
    PermitAnswer answer;

    TRY(permits_take(p->c, p->app->permits, p->app->guard, &ask, &answer));
    p->snapshot.may_disrupt = answer.granted;
    p->snapshot.permit_wait = answer.sentence;
    p->permit_look_ms = answer.look_again_ms;
    return OK;
}

/* Answers one question of the planner; false when it has none, or none that can be answered. */
static Err *answer(NodePass *p, bool *ret_answered)
{
    const NodeDecision *d = &p->decision;
    NodeSnapshot *s = &p->snapshot;

    *ret_answered = true;
    if (d->needs_hand_edit && s->hand_edit == EDIT_UNREAD)
        return learn_hand_edit(p);
    if (d->needs_volume_proof && !s->volume_absent_for_sure && !s->volume)
        return prove_volume(p);
    if (d->needs_import_proof && !s->import.is_read) {
        prove_import(p);
        return OK;
    }
    if (d->wants_permit && !s->may_disrupt && !s->permit_wait) {
        TRY(ask_permit(p));
        if (s->may_disrupt)
            return OK;
    }
    if (d->needs_explanation && !s->drift_explained)
        return explain(p);
    *ret_answered = false;
    return OK;
}

Err *decide_node(NodePass *p)
{
    bool answered = true;

    p->snapshot.may_disrupt = permits_is_holder(&p->node);
    for (int i = 0; answered && i < ROUNDS_MAX; i++) {
        TRY(plan_node(p->c->arena, &p->snapshot, &p->decision));
        TRY(answer(p, &answered));
    }
    if (answered)
        BUG("the planner asks and asks");
    if (p->decision.wants_permit && !p->decision.again_after_ms)
        p->decision.again_after_ms = p->permit_look_ms;
    p->status = p->decision.status;
    if (p->snapshot.import.is_read) {
        TaskRun run = task_run_of(p);
        volume_import_tell(p->c, &run, p->import_err);
    }
    return OK;
}
