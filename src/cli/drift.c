/* kubectl sei drift: field by field, how what runs differs from what is wanted. As `kubectl diff`
 * it ends with 1 where something does. */
#include "cli/look.h"
#include "cli/view.h"

int drift_command(Cli *cli)
{
    const Json *sight;
    Err *err = look_at(cli, cli->args[0], &sight);

    if (err)
        return output_error(cli, err);
    const Json *view = view_drift(cli->arena, sight);
    bool is_drifted = json_bool(view, ".drifted", false);
    return look_show(cli, view, is_drifted ? EXIT_UNHEALTHY : EXIT_FINE);
}
