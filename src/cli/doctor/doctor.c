/* kubectl sei doctor: looks at everything once, judges it, and says what to type. With --wait it
 * looks again until nothing is wrong any more. */
#include "base/str.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/doctor/exam_view.h"
#include "cli/doctor/gather.h"

enum { NAP_MS = 2000, ROUND_ARENA_MAX = 1 << 30 };

/* What one look gave. */
typedef struct Round {
    const Json *view;
    int64_t errors, warnings;
    bool is_partial; /* something did not come in time */
    bool is_blind;   /* nodes could not be seen at all */
} Round;

/* Of a namespace that does not exist nothing is wrong, which would read as if all were well. Who
 * may not see which there are is told nothing of that. */
static Err *require_namespace(const Chart *c)
{
    bool is_seen = c->parts[CHART_NAMESPACES].state == CHART_READ;

    if (!c->namespace || !is_seen || chart_find(c, CHART_NAMESPACES, NULL, c->namespace))
        return OK;
    Err *err = err_terminal(c->arena, "there is no namespace \"%s\"", c->namespace);
    err->status = 404;
    err->reason = "NotFound";
    return err;
}

static Err *look(Cli *cli, Round *ret)
{
    Chart *chart = NULL;

    connection_restart_clock(cli);
    TRY(gather_chart(cli, &chart));
    TRY(require_namespace(chart));
    Exam *exam = exam_run(cli->arena, chart);
    ret->view = exam_view(exam);
    ret->errors = json_int(ret->view, ".counts.errors", 0);
    ret->warnings = json_int(ret->view, ".counts.warnings", 0);
    ret->is_partial = connection_is_late(cli) && json_count(json_find(ret->view, ".missing")) > 0;
    ret->is_blind = chart->parts[CHART_NODES].state == CHART_FORBIDDEN;
    return OK;
}

static int show(Cli *cli, const Round *round)
{
    if (output_is_value(cli)) {
        Err *err = output_value(cli, round->view);
        if (err)
            return output_error(cli, err);
    } else {
        exam_text(cli, round->view);
    }
    if (round->is_partial)
        return output_part(cli);
    if (round->errors + round->warnings > 0)
        return EXIT_UNHEALTHY;
    return round->is_blind ? EXIT_FORBIDDEN : EXIT_FINE;
}

/* Whether there is time, and a reason, for another look. */
static bool goes_on(Cli *cli, const Round *round, const Err *err, int64_t end_ms)
{
    bool is_well = !err && round->errors == 0 && !round->is_partial;
    bool may_heal = !err || err->class == ERR_RETRY;

    return cli->flags.wait && !is_well && may_heal && clock_mono_ms(cli->clock) + NAP_MS < end_ms;
}

int doctor_command(Cli *cli)
{
    SCOPED_ARENA scratch = arena_open(ROUND_ARENA_MAX);
    Arena *whole = cli->arena;
    Round round = {0};
    Err *err = connection_open(cli);

    if (err)
        return output_error(cli, err);
    int64_t end_ms =
        cli->flags.timeout_ms ? clock_mono_ms(cli->clock) + cli->flags.timeout_ms : INT64_MAX;
    cli->arena = scratch;
    err = look(cli, &round);
    while (goes_on(cli, &round, err, end_ms)) {
        if (err)
            output_talk(cli, "waiting: %s\n", err_text(cli->arena, err));
        else
            output_talk(cli,
                "waiting: %lld error%s\n",
                (long long)round.errors,
                round.errors == 1 ? "" : "s");
        cli->nap(cli, NAP_MS);
        arena_reset(scratch);
        round = (Round){0};
        err = look(cli, &round);
    }
    int code = err ? output_error(cli, err) : show(cli, &round);
    cli->arena = whole;
    return code;
}
