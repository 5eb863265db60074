/* rollout hold|resume|promote|abort|retry|undo|restart: each is a small patch that a person could
 * write; the operator does the rest. What goes back to a template of before takes it from the
 * ControllerRevision in which the operator kept it. */
#include "base/draft.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/connection.h"
#include "kube/meta.h"
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
    bool is_held = json_bool(target->object, ".spec.updateStrategy.hold", false);

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
    bool is_held = json_bool(target->object, ".spec.updateStrategy.hold", false);

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
        .next = next_on(cli, "rollout status", target),
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

static Err *make_retry(Cli *cli, const Target *target, Change *ret)
{
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
        .next = next_on(cli, "rollout status", target),
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
        .next = next_on(cli, "rollout status", target),
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

/* The hash of what every node had reached before the present template, which they all have reached;
 * NULL when that is not known. */
static Err *find_previous(Cli *cli, const Target *target, const char *present, const char **ret)
{
    const Json *revision = NULL;

    TRY(find_revision(cli, target, present, &revision));
    if (meta_controlled_by(revision, target->object))
        *ret = meta_annotation(revision, ANNOTATION_CAME_AFTER);
    return OK;
}

static Err *make_abort(Cli *cli, const Target *target, Change *ret)
{
    const char *complete = json_str(target->object, ".status.completeRevision");

    TRY(must_be_fleet(cli, target));
    if (!complete)
        return err_terminal(cli->arena,
            "%s has no template that every node has reached: there is nothing to go back to; "
            "correct the template with `%s set image`, or `kubectl edit`",
            target_text(cli->arena, target),
            cli->program);
    if (str_eq(own_revision(cli, target), complete)) {
        *ret = (Change){
            .told = "has no rollout to give up: every node has reached its template once",
            .next = next_on(cli, "rollout undo", target),
        };
        return OK;
    }
    return go_back_to(cli, target, complete, ret);
}

int rollout_abort_command(Cli *cli)
{
    return change_run(cli, make_abort);
}

static Err *make_undo(Cli *cli, const Target *target, Change *ret)
{
    const char *complete = json_str(target->object, ".status.completeRevision");
    const char *previous = NULL;

    TRY(must_be_fleet(cli, target));
    if (complete && !str_eq(own_revision(cli, target), complete))
        return go_back_to(cli, target, complete, ret);
    if (complete)
        TRY(find_previous(cli, target, complete, &previous));
    if (previous)
        return go_back_to(cli, target, previous, ret);
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
