/* maintain: look, do the next step, look again, until there is nothing left to do. What the next
 * step is, is not for this file to know (maintain_step.h); here is how it is told.
 *
 * Nothing is caught when somebody presses Ctrl-C: the run stands in the cluster as it is. */
#include "base/str.h"
#include "cli/connection.h"
#include "cli/glyph.h"
#include "cli/maintain_act.h"
#include "cli/maintain_job.h"
#include "cli/maintain_log.h"
#include "cli/maintain_open.h"
#include "cli/maintain_tell.h"
#include "kube/meta.h"
#include "kube/status.h"

#include <stdio.h>

enum {
    LOOK_EVERY_MS = 1000,
    NAP_MAX_MS = 30000,
    FAULTS_MAX = 60, /* in a row, of a run that has not begun */
    LOSSES_MAX = 5,  /* in a row, before there is a nap */
    LOOK_BYTES_MAX = 256 << 20,
    TOLD_SIZE = 512,
};

typedef struct Maintain {
    MaintainRun run;
    Maintenance wanted; /* of a run that begins */
    MaintainLog log;
    char told[TOLD_SIZE];   /* the last thing that was said of what is waited for */
    char warned[TOLD_SIZE]; /* the last fault that was told */
    int64_t began_ms;
    int faults; /* in a row */
} Maintain;

/* --- what is said */

static void tell(Cli *cli, Maintain *m, const MaintainLook *look, MaintainStep step)
{
    const char *text = maintain_text(cli, look, step);

    if (!text)
        return;
    text = str_cut(cli->arena, text, TOLD_SIZE - 1);
    if (str_eq(text, m->told))
        return;
    snprintf(m->told, sizeof m->told, "%s", text);
    output_talk(cli, "node/%s: %s\n", m->run.node.name, text);
}

static const char *text_of(Cli *cli, const Err *err)
{
    const char *text = glyph_clean(cli->arena, cli->out->is_utf8, err_text(cli->arena, err));

    return str_cut(cli->arena, text, TOLD_SIZE - 1);
}

static void warn_of_fault(Cli *cli, Maintain *m, const Err *err)
{
    const char *text = text_of(cli, err);

    if (str_eq(text, m->warned))
        return;
    snprintf(m->warned, sizeof m->warned, "%s", text);
    output_talk(cli, "warning: %s; trying again\n", text);
}

static int out_of_time(Cli *cli, const Maintain *m)
{
    const char *why = m->faults ? m->warned : m->told;

    if (m->run.is_returned)
        return maintain_end_unseen(cli, &m->run, why);
    output_talk(
        cli, "error: node/%s: not done after the time of --timeout: %s\n", m->run.node.name, why);
    maintain_talk_of_standing(cli, &m->run);
    return EXIT_TIMED_OUT;
}

/* --- dry run */

static Err *dry_begin(Cli *cli, const Maintain *m, const MaintainLook *look)
{
    const Json *patch = maintain_mark_patch(cli->arena, look, &m->wanted), *after = NULL;
    const Json *job = maintain_job(cli->arena, look->node, look->statefulset, &m->wanted);

    TRY(maintain_check(cli, look));
    if (cli->flags.dry_run == DRY_RUN_SERVER) {
        TRY(maintain_patch_node(cli, look, patch, &after));
        TRY(maintain_create_job(cli, look, &m->wanted, true, &job));
    }
    output_say(
        cli, "%s\n%s\n", json_pretty(cli->arena, patch).data, json_pretty(cli->arena, job).data);
    output_talk(cli,
        "node/%s: this merge patch would be sent and, when the volume is free, this Job be made; "
        "nothing was changed\n",
        m->run.node.name);
    return OK;
}

static int dry_run(Cli *cli, const Maintain *m, const MaintainLook *look, MaintainStep step)
{
    if (step == STEP_MARK) {
        Err *err = dry_begin(cli, m, look);
        return err ? output_error(cli, err) : EXIT_FINE;
    }
    if (maintain_step_ends(step))
        return maintain_end(cli, &m->run, look, step);
    output_say(cli, "node/%s: next it would %s\n", m->run.node.name, maintain_step_text(step));
    return EXIT_FINE;
}

/* --- one turn */

static bool is_hopeless(const Err *err, bool was_looking)
{
    return status_is_forbidden(err) || status_is_unauthorized(err) || status_is_invalid(err)
        || err_is(err, ERR_TERMINAL) || (was_looking && err_has_status(err, 404));
}

static int64_t left_ms(Cli *cli, const Maintain *m)
{
    int64_t limit = cli->flags.timeout_ms, now_ms = clock_mono_ms(cli->clock);
    int64_t left = limit ? limit - (now_ms - m->began_ms) : INT64_MAX;
    int64_t of_release = MAINTAIN_RELEASE_MS - (now_ms - m->run.returned_since_ms);

    return m->run.is_returned && of_release < left ? of_release : left;
}

static bool has_begun(const Maintain *m)
{
    return m->run.had_mark || m->run.may_have_mark;
}

/* Ever longer once there is a run, and no longer than there is time. */
static void nap_after_fault(Cli *cli, const Maintain *m)
{
    int64_t ms = LOOK_EVERY_MS, left = left_ms(cli, m);

    for (int i = 1; has_begun(m) && i < m->faults && ms < NAP_MAX_MS; i++)
        ms *= 2;
    ms = ms < NAP_MAX_MS ? ms : NAP_MAX_MS;
    cli->nap(cli, ms < left ? ms : left);
}

static int end_by_fault(Cli *cli, const Maintain *m, const Err *err, bool was_looking)
{
    if (m->run.is_returned)
        return maintain_end_unseen(cli, &m->run, text_of(cli, err));
    int code = output_error(cli, err);
    if (!was_looking || !err_has_status(err, 404)) /* then nothing stands any more */
        maintain_talk_of_standing(cli, &m->run);
    return code;
}

/* Losing to another writer is no fault: who looks again sees what it made. A run that stands in the
 * cluster is not left alone because nobody answers for a while: only a person, or --timeout, ends
 * the waiting. */
static bool bear(Cli *cli, Maintain *m, const Err *err, bool was_looking, int *ret_code)
{
    bool has_lost = status_is_conflict(err) || status_is_already_exists(err);

    m->faults++;
    if (is_hopeless(err, was_looking) || (!has_begun(m) && m->faults >= FAULTS_MAX)) {
        *ret_code = end_by_fault(cli, m, err, was_looking);
        return false;
    }
    if (has_lost && m->faults < LOSSES_MAX)
        return true;
    warn_of_fault(cli, m, err);
    if (left_ms(cli, m) <= 0) {
        *ret_code = out_of_time(cli, m);
        return false;
    }
    nap_after_fault(cli, m);
    return true;
}

static bool bear_look(
    Cli *cli, Maintain *m, const Err *err, const MaintainLook *look, int *ret_code)
{
    bool goes_on = bear(cli, m, err, true, ret_code);

    if (!goes_on && err_has_status(err, 404))
        maintain_talk_of_remains(cli, &m->run, look);
    return goes_on;
}

static void show_log(Cli *cli, Maintain *m, const MaintainLook *look)
{
    if (look->job_pod && look->seen.mark == RUN_OURS)
        maintain_log_show(cli, &m->log, meta_key(look->job_pod));
}

/* Whatever can be known is known before the node is touched. */
static Err *look_ahead(Cli *cli, const MaintainLook *look, const Maintenance *wanted)
{
    TRY(maintain_check(cli, look));
    return maintain_rehearse(cli, look, wanted);
}

static Err *act(Cli *cli, Maintain *m, const MaintainLook *look, MaintainStep step)
{
    Err *err = maintain_act(cli, look, step, &m->wanted);

    m->run.may_have_mark = step == STEP_MARK && (!err || err->outcome_unknown);
    if (!err && (step == STEP_RETURN || step == STEP_AWAIT_RELEASE))
        maintain_note_return(cli, &m->run, look);
    return err;
}

/* Of a run that is over nothing can be taken away. */
static int end(Cli *cli, const Maintain *m, const MaintainLook *look, MaintainStep step)
{
    if (step != STEP_TAKEN_AWAY || !m->run.is_returned)
        return maintain_end(cli, &m->run, look, step);
    return maintain_end_unseen(
        cli, &m->run, look->has_mark ? "another run has it now" : "its Job was deleted");
}

/* True: there is another. */
static bool take_turn(Cli *cli, Maintain *m, int *ret_code)
{
    MaintainLook look;

    connection_restart_clock(cli);
    Err *err = maintain_look(cli, &m->run, &look);
    if (err)
        return bear_look(cli, m, err, &look, ret_code);
    MaintainStep step = maintain_next(&look.seen);
    if (cli->flags.dry_run) {
        *ret_code = dry_run(cli, m, &look, step);
        return false;
    }
    show_log(cli, m, &look);
    connection_restart_clock(cli); /* what the log took is not taken from the run */
    if (step == STEP_AWAIT_RELEASE && left_ms(cli, m) <= 0)
        step = STEP_ENDED; /* the run is over: what is waited for is only told */
    if (maintain_step_ends(step)) {
        *ret_code = end(cli, m, &look, step);
        return false;
    }
    err = step == STEP_MARK ? look_ahead(cli, &look, &m->wanted) : OK;
    if (!err)
        tell(cli, m, &look, step);
    if (!err)
        err = act(cli, m, &look, step);
    if (step == STEP_TIDY && is_hopeless(err, false)) { /* the run itself is over */
        m->run.leaves_untidy = true;
        return true;
    }
    if (err)
        return bear(cli, m, err, false, ret_code);
    m->faults = 0;
    m->warned[0] = '\0';
    if (!maintain_step_waits(step))
        return true;
    *ret_code = left_ms(cli, m) <= 0 ? out_of_time(cli, m) : EXIT_FINE;
    if (*ret_code)
        return false;
    cli->nap(cli, LOOK_EVERY_MS);
    return true;
}

/* Each turn has memory of its own. */
static int take_turns(Cli *cli, Maintain *m)
{
    Arena *whole = cli->arena;
    bool goes_on = true;
    int code = EXIT_FINE;

    while (goes_on) {
        SCOPED_ARENA one = arena_open(LOOK_BYTES_MAX);
        cli->arena = one;
        goes_on = take_turn(cli, m, &code);
        cli->arena = whole;
    }
    return code;
}

int maintain_command(Cli *cli)
{
    Maintain m = {0};
    Err *err = maintain_open(cli, &m.run, &m.wanted);

    m.began_ms = clock_mono_ms(cli->clock);
    return err ? output_error(cli, err) : take_turns(cli, &m);
}
