/* kubectl sei status: one node or fleet on one screen: how it is, why, and what to type next. */
#include "cli/look.h"
#include "cli/view.h"

int status_command(Cli *cli)
{
    const Json *sight;
    Err *err = look_at_chain(cli, cli->args[0], &sight);

    if (err)
        return output_error(cli, err);
    const Json *view = view_status(cli->arena, sight);
    return look_show(cli, view, view_is_well(view) ? EXIT_FINE : EXIT_UNHEALTHY);
}
