/* pause, unpause: spec.paused. A paused node has no pod, and its volume is free for a job; unlike
 * `rollout hold`, which stops no pod. */
#include "base/draft.h"
#include "base/str.h"
#include "cli/change.h"
#include "sei/api/maintenance.h"

/* The operator would hold the node all the same; only the run can let it go. */
static Err *check_mark(Cli *cli, const Target *target)
{
    Maintenance mark;

    if (!maintenance_is_marked(target->object))
        return OK;
    if (!maintenance_decode(cli->arena, target->object, &mark))
        return err_terminal(
            cli->arena, "%s: " MAINTENANCE_UNREADABLE, target_text(cli->arena, target));
    return err_terminal(cli->arena,
        "%s is in maintenance by %s since %s: `%s maintain %s --resume` goes on with it, and "
        "--abort gives it up",
        target_text(cli->arena, target),
        mark.by,
        mark.since,
        cli->program,
        target->key.name);
}

static Err *make_pause(Cli *cli, const Target *target, Change *ret)
{
    bool wanted = str_eq(cli->command->name, "pause");
    bool is_paused = json_bool(target->object, ".spec.paused", false);
    bool is_fleet = target_is_fleet(target);

    if (!wanted)
        TRY(check_mark(cli, target));
    if (is_paused == wanted)
        ret->told = wanted ? "is paused already" : "is not paused";
    else if (wanted)
        ret->told = is_fleet ? "is paused: the pods of all its nodes are stopped"
                             : "is paused: its pod is stopped, and its volume is free";
    else
        ret->told = "is unpaused: it runs again on the same volume";
    if (is_paused != wanted)
        ret->patch = draft(cli->arena, obj("spec", flag("paused", wanted)));
    ret->next = str_format(
        cli->arena, "%s %s", wanted ? "unpause" : "status", target_text(cli->arena, target));
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
