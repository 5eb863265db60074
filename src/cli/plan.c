/* kubectl sei plan: the plan in hand with its steps, and those that came before. */
#include "cli/look.h"
#include "cli/view.h"

int plan_show_command(Cli *cli)
{
    const Json *sight, *view;
    Err *err = look_at(cli, cli->args[0], &sight);

    if (!err)
        err = view_plan(cli->arena, sight, cli->arg_count > 1 ? cli->args[1] : NULL, &view);
    return err ? output_error(cli, err) : look_show(cli, view, EXIT_FINE);
}

int plan_history_command(Cli *cli)
{
    const Json *sight;
    Err *err = look_at(cli, cli->args[0], &sight);

    return err ? output_error(cli, err)
               : look_show(cli, view_plan_history(cli->arena, sight), EXIT_FINE);
}
