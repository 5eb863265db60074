/* rollout hold|resume|promote|abort|retry|undo|restart: each is a small patch that a person could
 * write; the operator does the rest. What goes back to a template of before takes it from the
 * ControllerRevision in which the operator kept it. */
#include "base/draft.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/connection.h"
#include "cli/hold.h"
#include "kube/cond.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/fleet.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/names.h"
#include "sei/render/fleet_revision.h"

#include <string.h>

static Err *must_be_fleet(Cli *cli, const Target *target)
{
    const Json *owner = meta_controller(target->object);

    if (target_is_fleet(target))
        return OK;
    return err_terminal(cli->arena,
        "%s is a node, and %s is about fleets%s%s",
        target_text(cli->arena, target),
        cli->command->name,
        owner ? ": it belongs to fleet/" : "",
        owner ? json_str(owner, ".name") : "");
}

static Draft *strategy_patch(Arena *a, DraftField field)
{
    return draft(a, obj("spec", obj("updateStrategy", field)));
}

static const char *next_on(Cli *cli, const char *verb, const Target *target)
{
    return str_format(cli->arena, "%s %s", verb, target_text(cli->arena, target));
}

/* --- hold, resume, promote */

static Err *make_hold(Cli *cli, const Target *target, Change *ret)
{
    TRY(must_be_fleet(cli, target));
    bool is_held = hold_is_set(target->object);

    *ret = (Change){
        .patch = is_held ? NULL : strategy_patch(cli->arena, flag("hold", true)),
        .told = is_held ? "is held already"
                        : "is held: no node is updated, and every pod keeps running",
        .next = next_on(cli, "rollout resume", target),
    };
    return OK;
}

int rollout_hold_command(Cli *cli)
{
    return change_run(cli, make_hold);
}

static Err *make_resume(Cli *cli, const Target *target, Change *ret)
{
    TRY(must_be_fleet(cli, target));
    bool is_held = hold_is_set(target->object);

    *ret = (Change){
        .patch = is_held ? strategy_patch(cli->arena, flag("hold", false)) : NULL,
        .told = is_held ? "goes on: nodes are updated within their budget" : "is not held",
        .next = next_on(cli, "rollout status", target),
    };
    return OK;
}

int rollout_resume_command(Cli *cli)
{
    return change_run(cli, make_resume);
}

static Err *make_promote(Cli *cli, const Target *target, Change *ret)
{
    TRY(must_be_fleet(cli, target));
    int64_t partition = json_int(target->object, ".spec.updateStrategy.partition", 0);

    *ret = (Change){
        .patch = partition ? strategy_patch(cli->arena, num("partition", 0)) : NULL,
        .told = partition ? str_format(cli->arena,
                                "is promoted: ordinals below %lld are updated, too",
                                (long long)partition)
                          : "has no partition: every ordinal is updated",
        .warning = hold_warning(cli, target),
        .next = hold_next(cli, target, "rollout status"),
    };
    return OK;
}

int rollout_promote_command(Cli *cli)
{
    return change_run(cli, make_promote);
}

/* --- retry, restart */

static Draft *annotation_patch(Arena *a, const char *key, const char *value)
{
    return draft(a, obj("metadata", obj("annotations", str(key, value))));
}

static bool is_failure(const Cond *cond)
{
    bool is_true = str_eq(cond->status, "True");

    if (str_eq(cond->type, COND_STALLED))
        return is_true;
    return !is_true
        && (str_eq(cond->reason, reason_text(REASON_UPDATE_FAILED))
            || str_has_suffix(cond->reason, "Invalid")); /* what a Secret or claim holds */
}

/* What the annotation would be heeded for. */
static bool has_failed(const Json *object)
{
    const Json *status = json_find(object, ".status");
    Conds conds;

    conds_decode(json_find(status, ".conditions"), &conds);
    for (size_t i = 0; i < conds.count; i++)
        if (is_failure(&conds.items[i]))
            return true;
    return str_eq(json_str(status, ".phase"), "Failed")
        || str_eq(json_str(status, ".plan.phase"), "Failed")
        || json_str(status, ".rollout.failedHash");
}

static Err *make_retry(Cli *cli, const Target *target, Change *ret)
{
    if (!has_failed(target->object)) {
        *ret = (Change){
            .told = "has nothing that failed: nothing was changed",
            .next = next_on(cli, "status", target),
        };
        return OK;
    }
    *ret = (Change){
        .patch = annotation_patch(cli->arena, ANNOTATION_RETRY, change_now(cli)),
        .told = "is tried again: what has failed is begun anew",
        .next = next_on(cli, "status", target),
    };
    return OK;
}

int rollout_retry_command(Cli *cli)
{
    return change_run(cli, make_retry);
}

static Err *make_restart(Cli *cli, const Target *target, Change *ret)
{
    Draft *patch = annotation_patch(cli->arena, ANNOTATION_RESTARTED_AT, change_now(cli));
    bool is_fleet = target_is_fleet(target);

    *ret = (Change){
        .patch = is_fleet ? draft(cli->arena, obj("spec", sub("template", patch))) : patch,
        .told = is_fleet ? "restarts: every pod is replaced, within the budget of the fleet"
                         : "restarts: its pod is replaced",
        .warning = hold_warning(cli, target),
        .next = hold_next(cli, target, "rollout status"),
    };
    return OK;
}

int rollout_restart_command(Cli *cli)
{
    return change_run(cli, make_restart);
}

/* --- undo, abort */

static const char *own_revision(Cli *cli, const Target *target)
{
    const char *revision = NULL;

    if (fleet_revision(cli->arena, json_find(target->object, ".spec.template"), &revision))
        return NULL;
    return revision;
}

/* The patch that makes the template what a revision says. The label in there is the operator's. */
static Draft *template_patch(Arena *a, const Target *target, const Json *kept)
{
    const Json *labels = json_find(kept, ".metadata.labels"), *label;
    Draft *own_labels = draft_object(a);

    json_each(label, labels)
        if (!str_eq(json_key(label), LABEL_FLEET_REVISION))
            draft_set(own_labels, draft_json(json_key(label), label));
    bool has_labels = draft_count(own_labels) > 0;
    const Json *annotations = json_find(kept, ".metadata.annotations");
    Draft *wanted = draft(a, draft_json("spec", json_find(kept, ".spec")));
    if (has_labels || annotations)
        draft_set(wanted,
            obj("metadata",
                sub("labels", has_labels ? own_labels : NULL),
                draft_json("annotations", annotations)));
    const Json *diff =
        json_merge_diff(a, json_find(target->object, ".spec.template"), json_seal(a, wanted));
    return diff ? draft(a, obj("spec", draft_json("template", diff))) : NULL;
}

static Err *lost(Cli *cli, const char *name, const char *why)
{
    return err_terminal(cli->arena,
        "ControllerRevision %s, which has the template to go back to, %s: put the template back "
        "by hand, with `kubectl edit`",
        name,
        why);
}

/* Back to the template of a revision, whose object this is. */
static Err *go_back(Cli *cli, const Target *target, const Json *revision, Change *ret)
{
    const Json *template = json_find(revision, ".data");
    const char *image = json_str(template, ".spec.image");

    if (!meta_controlled_by(revision, target->object) || !image)
        return lost(cli, meta_name(revision), "is not one of this fleet");
    *ret = (Change){
        .patch = template_patch(cli->arena, target, template),
        .is_locked = true,
        .told = str_format(
            cli->arena, "goes back to the template of %s (image %s)", meta_name(revision), image),
        .warning = hold_warning(cli, target),
        .next = hold_next(cli, target, "rollout status"),
    };
    if (!ret->patch)
        ret->told = str_format(
            cli->arena, "has the template of %s already (image %s)", meta_name(revision), image);
    return OK;
}

static Err *find_revision(Cli *cli, const Target *target, const char *hash, const Json **ret)
{
    Key key = {
        .namespace = target->key.namespace,
        .name = name_fleet_revision(cli->arena, target->key.name, hash),
    };

    return connection_find(cli, kind_controllerrevision, key, ret);
}

static Err *go_back_to(Cli *cli, const Target *target, const char *hash, Change *ret)
{
    const char *name = name_fleet_revision(cli->arena, target->key.name, hash);
    const Json *revision = NULL;

    TRY(find_revision(cli, target, hash, &revision));
    if (!revision)
        return lost(cli, name, "is gone");
    if (!render_template_of(cli->arena, hash, revision))
        return lost(cli, name, "holds another template than its name says");
    return go_back(cli, target, revision, ret);
}

/* Where an undo leads. The last edit of the template is all that it takes back: where that one
 * moved the chain alone, no node has followed, and the image is none of its business. */
typedef struct WayBack {
    const char *chain; /* to put back, and nothing else; or NULL */
    const char *hash;  /* of the template that every node had reached; NULL: not known */
} WayBack;

/* The fleet has been on its way to this revision, or there. */
static bool is_rolled(const Target *target, const char *revision)
{
    return str_eq(json_str(target->object, ".status.completeRevision"), revision)
        || str_eq(json_str(target->object, ".status.plan.targetHash"), revision);
}

/* The chain that the present template had when its revision was first rolled, if it was another. */
static const char *chain_before(const Target *target, const Json *kept)
{
    const char *had = json_str(kept, ".data.spec.chainId");
    const char *has = json_str(target->object, ".spec.template.spec.chainId");

    return str_empty(had) || str_eq(had, has) ? NULL : had;
}

static Err *find_way_back(Cli *cli, const Target *target, WayBack *ret)
{
    const char *complete = json_str(target->object, ".status.completeRevision");
    const char *own = own_revision(cli, target);
    const Json *kept = NULL;

    *ret = (WayBack){.hash = str_eq(own, complete) ? NULL : complete};
    if (!own || !is_rolled(target, own))
        return OK;
    TRY(find_revision(cli, target, own, &kept));
    if (!meta_controlled_by(kept, target->object))
        return OK;
    ret->chain = chain_before(target, kept);
    if (!ret->hash)
        ret->hash = meta_annotation(kept, ANNOTATION_CAME_AFTER);
    return OK;
}

static Err *make_abort(Cli *cli, const Target *target, Change *ret)
{
    const char *complete = json_str(target->object, ".status.completeRevision");
    WayBack back;

    TRY(must_be_fleet(cli, target));
    if (!complete)
        return err_terminal(cli->arena,
            "%s has no template that every node has reached: there is nothing to go back to; "
            "correct the template with `%s set image`, or `kubectl edit`",
            target_text(cli->arena, target),
            cli->program);
    if (!str_eq(own_revision(cli, target), complete))
        return go_back_to(cli, target, complete, ret);
    TRY(find_way_back(cli, target, &back));
    *ret = (Change){
        .told = "has no rollout to give up: every node has reached its template once",
        .next = next_on(cli, back.chain || back.hash ? "rollout undo" : "status", target),
    };
    return OK;
}

int rollout_abort_command(Cli *cli)
{
    return change_run(cli, make_abort);
}

static Change put_chain_back(Cli *cli, const Target *target, const char *chain)
{
    Arena *a = cli->arena;

    return (Change){
        .patch = draft(a, obj("spec", obj("template", obj("spec", str("chainId", chain))))),
        .is_locked = true,
        .told = str_format(a,
            "puts spec.template.spec.chainId back to %s; the rest of its template stays as it is",
            chain),
        .next = next_on(cli, "status", target),
    };
}

static Err *make_undo(Cli *cli, const Target *target, Change *ret)
{
    WayBack back;

    TRY(must_be_fleet(cli, target));
    TRY(find_way_back(cli, target, &back));
    if (back.chain) {
        *ret = put_chain_back(cli, target, back.chain);
        return OK;
    }
    if (back.hash)
        return go_back_to(cli, target, back.hash, ret);
    return err_terminal(cli->arena,
        "%s has no template of before that every node had reached: there is nothing to go back to; "
        "change the template with `%s set image`, or `kubectl edit`",
        target_text(cli->arena, target),
        cli->program);
}

int rollout_undo_command(Cli *cli)
{
    return change_run(cli, make_undo);
}
