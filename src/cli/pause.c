/* pause, unpause: spec.paused. A paused node has no pod, and its volume is free for a job; unlike
 * `rollout hold`, which stops no pod. Nothing is waited for here: the pod still runs when the
 * answer is given, and who took that for done would start a job or a key beside seid.
 *
 * A person confirms the pause of a fleet, because it stops every pod at once. */
#include "base/draft.h"
#include "base/str.h"
#include "cli/change.h"
#include "cli/signing.h"
#include "sei/api/maintenance.h"

static Err *read_mark(Cli *cli, const Target *target, Maintenance *ret)
{
    if (!maintenance_decode(cli->arena, target->object, ret))
        return err_terminal(
            cli->arena, "%s: " MAINTENANCE_UNREADABLE, target_text(cli->arena, target));
    return OK;
}

/* The operator would hold the node all the same; only the run can let it go. */
static Err *refuse_unpause(Cli *cli, const Target *target)
{
    Maintenance mark;

    TRY(read_mark(cli, target, &mark));
    return err_terminal(cli->arena,
        "%s is in maintenance by %s since %s: `%s maintain node/%s%s --resume` goes on with it, "
        "and --abort gives it up",
        target_text(cli->arena, target),
        mark.by,
        mark.since,
        cli->program,
        target->key.name,
        target_where(cli));
}

/* The run is told through its mark that the node stays paused; spec.paused alone says nothing, the
 * run itself has set it. */
static Err *pause_maintained(Cli *cli, const Target *target, Change *ret)
{
    Arena *a = cli->arena;
    bool is_paused = json_bool(target->object, ".spec.paused", false);
    Maintenance mark;

    TRY(read_mark(cli, target, &mark));
    ret->told = str_format(a,
        "is %sin maintenance by %s since %s: it stays paused when that ends",
        mark.was_paused && is_paused ? "paused, and " : "",
        mark.by,
        mark.since);
    ret->next = str_format(a, "status %s", target_text(a, target));
    if (mark.was_paused && is_paused)
        return OK;
    mark.was_paused = true;
    ret->patch = draft(a,
        obj("metadata",
            obj("annotations", str(ANNOTATION_MAINTENANCE, maintenance_encode(a, &mark)))),
        obj("spec", flag("paused", true)));
    return OK;
}

static const char *warning_of(Cli *cli, const Target *target)
{
    if (!signing_is_validator(target->object))
        return NULL;
    return str_format(cli->arena,
        target_is_fleet(target)
            ? "the nodes of %s are validators: make sure that none of their keys signs elsewhere, "
              "in no other cluster either; two that sign are slashed and jailed for good"
            : "%s is a validator: make sure that its key signs nowhere else, in no other cluster "
              "either; two that sign are slashed and jailed for good",
        target_text(cli->arena, target));
}

/* The fleet of a node must not pause it again, and the key of a validator sign nowhere else. */
static Err *look_before_unpause(Cli *cli, const Target *target, Change *ret)
{
    const char *twin, *fleet = target_fleet_of(target->object);
    bool is_paused_again = false;

    if (!target_is_fleet(target))
        TRY(target_fleet_is_paused(cli, target, &is_paused_again));
    if (is_paused_again)
        return err_terminal(cli->arena,
            "%s is paused with fleet/%s, which would pause it again: `%s unpause fleet/%s%s`",
            target_text(cli->arena, target),
            fleet,
            cli->program,
            fleet,
            target_where(cli));

    TRY(signing_find_twin(cli, target, &twin));
    if (twin)
        return err_terminal(cli->arena, "%s", twin);
    ret->warning = warning_of(cli, target);
    return OK;
}

static const char *told_of_pause(bool was_paused, bool is_fleet)
{
    if (was_paused)
        return is_fleet ? "was asked to pause before: the pod of a node has stopped when its "
                          "status shows no pod"
                        : "was asked to pause before: its pod has stopped when status shows no pod";
    return is_fleet ? "is to pause: the pods of all its nodes are asked to stop, and a node's has "
                      "when its status shows no pod"
                    : "is to pause: its pod is asked to stop, and has when status shows no pod";
}

static const char *told_of_unpause(bool was_paused, bool is_fleet)
{
    if (!was_paused)
        return "is not paused";
    return is_fleet ? "is unpaused: the pods of its nodes are asked to run again"
                    : "is unpaused: its pod is asked to run again";
}

/* What a person must know before all pods of a fleet stop; NULL of one without nodes. */
static const char *risk_of_pause(Cli *cli, const Target *target)
{
    const Json *fleet = target->object;
    long long nodes =
        (long long)json_int(fleet, ".status.replicas", json_int(fleet, ".spec.replicas", 0));

    if (nodes == 0)
        return NULL;
    return str_format(cli->arena,
        "Pausing %s stops the %s; %lld available now. Volumes are kept.\n"
        "%sTo stop only a rollout, and no pod: %s rollout hold %s%s\n",
        target_text(cli->arena, target),
        nodes == 1 ? "pod of its node" : str_format(cli->arena, "pods of all %lld nodes", nodes),
        (long long)json_int(fleet, ".status.availableReplicas", 0),
        signing_is_validator(fleet) ? "They are validators: the chain halts when those that stop "
                                      "hold a third or more of its voting power.\n"
                                    : "",
        cli->program,
        target_text(cli->arena, target),
        target_where(cli));
}

static Err *make_pause(Cli *cli, const Target *target, Change *ret)
{
    bool wanted = str_eq(cli->command->name, "pause");
    bool is_paused = json_bool(target->object, ".spec.paused", false);
    bool is_fleet = target_is_fleet(target);

    ret->is_locked = !is_fleet; /* a run may begin at this very moment */
    if (!is_fleet && maintenance_is_marked(target->object))
        return wanted ? pause_maintained(cli, target, ret) : refuse_unpause(cli, target);
    if (is_paused && !wanted)
        TRY(look_before_unpause(cli, target, ret));
    if (is_fleet && wanted)
        ret->risk = risk_of_pause(cli, target);
    ret->told = wanted ? told_of_pause(is_paused, is_fleet) : told_of_unpause(is_paused, is_fleet);
    if (is_paused != wanted)
        ret->patch = draft(cli->arena, obj("spec", flag("paused", wanted)));
    ret->next = str_format(cli->arena, "status %s", target_text(cli->arena, target));
    return OK;
}

int pause_command(Cli *cli)
{
    return change_run(cli, make_pause);
}

int unpause_command(Cli *cli)
{
    return change_run(cli, make_pause);
}
