/* Look: one deadline over all that is read, so that half an answer comes in time. */
#include "cli/look.h"

#include "base/str.h"
#include "cli/connection.h"
#include "cli/sight.h"
#include "cli/target.h"
#include "cli/view_text.h"

enum { COLUMNS_MIN = 40, ROWS_MIN = 12 };

static Err *look(Cli *cli, const char *word, bool asks_seid, const Json **ret_sight)
{
    Target target;

    TRY(connection_open(cli));
    TRY(target_get(cli, word, &target));
    SightPort port = {
        .arena = cli->arena,
        .api = cli->api,
        .clock = cli->clock,
        .deadline_ms = cli->deadline_ms,
        /* Who named a namespace has to name it again. */
        .namespace = str_empty(cli->flags.namespace) ? cli->namespace : "",
        .asks_seid = asks_seid,
    };
    *ret_sight = sight_take(&port, target.object);
    return OK;
}

Err *look_at(Cli *cli, const char *word, const Json **ret_sight)
{
    return look(cli, word, false, ret_sight);
}

Err *look_at_chain(Cli *cli, const char *word, const Json **ret_sight)
{
    return look(cli, word, true, ret_sight);
}

void look_measure(Output *out, int columns, int lines, const char *asked)
{
    int64_t wanted = 0;

    if (asked && (!str_to_int(asked, &wanted) || wanted <= 0 || wanted > PAGE_ENDLESS))
        wanted = 0;
    out->columns = columns > 0 ? columns
        : wanted               ? (int)wanted
        : out->is_terminal     ? PAGE_COLUMNS
                               : PAGE_ENDLESS;
    out->lines = lines > 0 ? lines : out->is_terminal ? PAGE_ROWS : PAGE_LINES_MAX;
}

PageStyle look_style(const Cli *cli)
{
    int columns = cli->out->columns, rows = cli->out->lines;

    return (PageStyle){
        .is_utf8 = cli->out->is_utf8,
        .color = cli->out->color,
        .columns = (size_t)(columns > COLUMNS_MIN ? columns : COLUMNS_MIN),
        .rows = (size_t)(rows > ROWS_MIN ? rows : ROWS_MIN),
    };
}

int look_show(Cli *cli, const Json *view, ExitCode code)
{
    PageStyle style = look_style(cli);

    if (output_is_value(cli)) {
        Err *err = output_value(cli, view);
        if (err)
            return output_error(cli, err);
    } else {
        output_say(cli, "%s", view_text(cli->arena, view, &style));
    }
    bool is_partial = json_count(json_find(view, ".missing")) > 0;
    return is_partial && connection_is_late(cli) ? output_part(cli) : (int)code;
}
