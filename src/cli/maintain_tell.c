/* MaintainTell: every text that comes from the cluster (names of people, messages of pods) is made
 * harmless before it gets to a terminal; every end says what to do next. */
#include "cli/maintain_tell.h"

#include "base/str.h"
#include "cli/glyph.h"
#include "cli/maintain_job.h"
#include "cli/object.h"
#include "cli/signing.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/kinds.h"

#include <stdio.h>

static const char *clean(Cli *cli, const char *text)
{
    return glyph_clean(cli->arena, cli->out->is_utf8, text);
}

static void talk_next(Cli *cli, const char *flag, const MaintainRun *run, const char *what)
{
    output_talk(cli,
        "next: %s maintain node/%s%s %s    %s\n",
        cli->program,
        run->node.name,
        target_where(cli),
        flag,
        what);
}

static const char stays_text[] = "gives the run up; the node stays paused";

/* Of a run whose command is not at work any more. */
static void talk_of_giving_up(Cli *cli, const MaintainRun *run)
{
    talk_next(cli,
        "--abort",
        run,
        run->stays_paused ? stays_text
            : run->signs  ? "lets the node run, and sign, again as it is"
                          : "lets the node run again as it is");
}

void maintain_talk_of_standing(Cli *cli, const MaintainRun *run)
{
    if (!run->had_mark && !run->may_have_mark)
        return;
    if (!run->had_mark)
        output_talk(cli,
            "the node may be paused for this run: look with `%s status node/%s%s`\n",
            cli->program,
            run->node.name,
            target_where(cli));
    talk_next(cli, "--resume", run, "goes on from here");
    talk_next(cli,
        "--abort ",
        run,
        run->stays_paused ? stays_text
            : run->signs  ? "gives the run up, and the node signs again"
                          : "gives the run up, and the node runs again");
}

void maintain_talk_of_remains(Cli *cli, const MaintainRun *run, const MaintainLook *look)
{
    for (size_t i = 0; i < look->jobs.count; i++) {
        const char *name = meta_name(look->jobs.items[i]);
        if (str_eq(meta_label(look->jobs.items[i], LABEL_MAINTENANCE_RUN), run->id))
            output_talk(cli,
                "Job %s of it is still there: kubectl get job %s -n %s\n",
                name,
                name,
                run->node.namespace);
    }
}

/* --- what is waited for */

/* Another container than that of the command, which is not at its end. */
static const char *other_container(const Json *pod)
{
    const Json *status, *statuses = json_find(pod, ".status.containerStatuses");

    json_each(status, statuses)
        if (json_find(status, ".state.running")
            && !str_eq(json_str(status, ".name"), MAINTAIN_CONTAINER))
            return json_str(status, ".name");
    return NULL;
}

/* Whoever reads that it runs believes that the command is at work. */
static const char *pod_text(Cli *cli, const MaintainLook *look)
{
    Arena *a = cli->arena;
    const Json *container = maintain_container(look->job_pod);
    const Json *end = json_find(container, ".state.terminated");
    const char *pod = meta_name(look->job_pod), *other = other_container(look->job_pod);

    if (!pod)
        return "its pod is being made";
    if (end && other)
        return str_format(a,
            "the command has ended with code %lld, and container %s of pod %s runs on: the Job "
            "ends when that does",
            (long long)json_int(end, ".exitCode", -1),
            other,
            pod);
    if (end)
        return "the command has ended";
    return str_format(
        a, json_find(container, ".state.running") ? "pod %s runs" : "pod %s is being started", pod);
}

static const char *job_text(Cli *cli, const MaintainLook *look)
{
    bool has_ended = json_find(maintain_container(look->job_pod), ".state.terminated") != NULL;
    const char *trouble = has_ended ? NULL : pod_trouble(cli->arena, look->job_pod);
    const char *name = meta_name(look->job);

    if (trouble)
        return str_format(cli->arena, "Job %s does not get on: %s", name, trouble);
    return str_format(cli->arena,
        "Job %s: %s%s%s",
        name,
        pod_text(cli, look),
        look->news ? ": " : "",
        look->news ? look->news : "");
}

static const char *stop_text(Cli *cli, const MaintainLook *look)
{
    const char *obstacle = look->obstacle ? look->obstacle : "the StatefulSet is not at 0";

    return str_format(cli->arena, "waits until the volume is free: %s", obstacle);
}

/* With what the operator itself says against it. */
static const char *operator_text(Cli *cli, const MaintainLook *look)
{
    static const char text[] = "waits for the operator to hold the node";

    if (!str_eq(object_reason(look->node, COND_PAUSED), reason_text(REASON_NOT_HELD)))
        return text;
    return str_format(cli->arena, "%s: %s", text, object_message(look->node, COND_PAUSED));
}

static const char *text_of(Cli *cli, const MaintainLook *look, MaintainStep step)
{
    switch (step) {
    case STEP_MARK:
        return "pauses the node";
    case STEP_CREATE_JOB:
        return str_format(cli->arena, "volume %s is free", look->claim);
    case STEP_START_JOB:
        return str_format(cli->arena, "starts Job %s", meta_name(look->job));
    case STEP_DELETE_JOB:
        return str_format(cli->arena, "deletes Job %s", meta_name(look->job));
    case STEP_AWAIT_OPERATOR:
        return operator_text(cli, look);
    case STEP_AWAIT_STOP:
    case STEP_AWAIT_VOLUME:
        return stop_text(cli, look);
    case STEP_AWAIT_JOB:
        return job_text(cli, look);
    case STEP_AWAIT_JOB_GONE:
        return "waits until the Job and its pod are gone";
    case STEP_AWAIT_FLEET:
        return str_format(cli->arena,
            "waits until fleet/%s is no longer paused, to give the node back (\"%s pause "
            "node/%s%s\" "
            "lets it stay paused)",
            target_fleet_of(look->node),
            cli->program,
            meta_name(look->node),
            target_where(cli));
    default:
        return NULL;
    }
}

const char *maintain_text(Cli *cli, const MaintainLook *look, MaintainStep step)
{
    const char *text = text_of(cli, look, step);

    return text ? clean(cli, text) : NULL;
}

/* --- how it ends */

static const char *failure_of(Cli *cli, const MaintainLook *look)
{
    const Json *end = json_find(maintain_container(look->job_pod), ".state.terminated");
    int64_t code = json_int(end, ".exitCode", -1);

    if (code > 0)
        return str_format(cli->arena, "exit code %lld", (long long)code);
    return clean(cli, job_failure(cli->arena, look->job));
}

static int end_busy(Cli *cli, const MaintainRun *run, const MaintainLook *look)
{
    output_talk(cli,
        "error: node/%s is in maintenance by %s since %s (run %s, image %s)\n",
        run->node.name,
        clean(cli, look->mark.by),
        look->mark.since,
        look->mark.run,
        clean(cli, look->mark.image));
    talk_next(cli, "--resume", run, "goes on with that run");
    talk_next(cli, "--abort ", run, "gives it up");
    return EXIT_MISUSED;
}

static int end_failed(Cli *cli, const MaintainRun *run, const MaintainLook *look)
{
    output_talk(cli,
        "error: node/%s: the command failed (%s); the node stays paused, with its data as the "
        "command left them\n"
        "next: kubectl logs -n %s job/%s    says what it said\n"
        "next: %s maintain node/%s%s --image IMAGE -- COMMAND    tries another, or the same "
        "again\n",
        run->node.name,
        failure_of(cli, look),
        run->node.namespace,
        meta_name(look->job),
        cli->program,
        run->node.name,
        target_where(cli));
    talk_of_giving_up(cli, run);
    return EXIT_UNHEALTHY;
}

static int end_lost(Cli *cli, const MaintainRun *run)
{
    output_talk(cli,
        "error: node/%s: somebody deleted the Job before its end was seen; the node stays paused\n"
        "next: %s maintain node/%s%s --image IMAGE -- COMMAND    runs a command again\n",
        run->node.name,
        cli->program,
        run->node.name,
        target_where(cli));
    talk_of_giving_up(cli, run);
    return EXIT_UNHEALTHY;
}

static int end_shared(Cli *cli, const MaintainRun *run, const MaintainLook *look)
{
    bool gives_up = run->wish == MAINTAIN_ABORT;
    const char *outcome = gives_up ? "the run stands"
        : look->seen.job == JOB_FAILED
        ? str_format(cli->arena, "the command failed (%s)", failure_of(cli, look))
        : "the command succeeded";

    output_talk(cli,
        "node/%s: %s; the node stays paused\nerror: %s\n",
        run->node.name,
        outcome,
        look->twin);
    talk_next(cli, gives_up ? "--abort" : "--resume", run, "tries again");
    output_talk(cli,
        "next: %s pause node/%s%s    lets it stay paused when the run ends\n",
        cli->program,
        run->node.name,
        target_where(cli));
    return EXIT_UNHEALTHY;
}

static int end_taken_away(Cli *cli, const MaintainRun *run, const MaintainLook *look)
{
    output_talk(cli, "error: node/%s: ", run->node.name);
    if (look->has_mark)
        output_talk(cli,
            "the run was followed by another, of %s since %s\n",
            clean(cli, look->mark.by),
            look->mark.since);
    else
        output_talk(cli, "somebody has given the run up meanwhile\n");
    return EXIT_UNHEALTHY;
}

/* `failure` is NULL when the command has not failed. */
static int tell_outcome(Cli *cli, const MaintainRun *run, const char *failure, bool is_paused)
{
    const char *now = is_paused ? "stays paused, as was asked for" : "is unpaused";

    if (run->wish == MAINTAIN_ABORT)
        output_say(cli, "node/%s: the run is given up; the node %s\n", run->node.name, now);
    else if (failure)
        output_talk(cli,
            "error: node/%s: the command failed (%s); the node %s\n",
            run->node.name,
            failure,
            now);
    else
        output_say(cli, "node/%s: the command succeeded; the node %s\n", run->node.name, now);
    return failure && run->wish != MAINTAIN_ABORT ? EXIT_UNHEALTHY : EXIT_FINE;
}

static void talk_of_rollout(Cli *cli, const MaintainRun *run)
{
    output_talk(cli,
        "next: %s rollout status node/%s%s\n",
        cli->program,
        run->node.name,
        target_where(cli));
}

/* Nothing is rolled out; whether a validator may run again is for people to find out first. */
static void talk_of_pause(Cli *cli, const MaintainRun *run, bool signs)
{
    output_talk(cli,
        "next: %s %s node/%s%s%s\n",
        cli->program,
        signs ? "status" : "unpause",
        run->node.name,
        target_where(cli),
        signs ? "" : "    lets it run again");
}

static const char *failure_if_any(Cli *cli, const MaintainLook *look)
{
    return look->seen.job == JOB_FAILED ? failure_of(cli, look) : NULL;
}

static int end_returned(Cli *cli, const MaintainRun *run, const MaintainLook *look)
{
    bool is_paused = json_bool(look->node, ".spec.paused", false);
    int code = tell_outcome(cli, run, failure_if_any(cli, look), is_paused);

    if (run->had_mark && !look->is_noted)
        output_talk(cli,
            "warning: node/%s is unpaused, and no operator has taken note of it: see `%s version` "
            "and `%s doctor`\n",
            run->node.name,
            cli->program,
            cli->program);
    if (is_paused)
        talk_of_pause(cli, run, signing_is_validator(look->node));
    else
        talk_of_rollout(cli, run);
    return code;
}

void maintain_note_return(Cli *cli, MaintainRun *run, const MaintainLook *look)
{
    const char *failure = failure_if_any(cli, look);

    run->is_returned = true;
    if (!run->returned_since_ms)
        run->returned_since_ms = clock_mono_ms(cli->clock);
    run->stays_paused = look->seen.stays_paused;
    snprintf(run->failure,
        sizeof run->failure,
        "%s",
        failure ? str_cut(cli->arena, failure, MAINTAIN_FAILURE_SIZE - 1) : "");
}

int maintain_end_unseen(Cli *cli, const MaintainRun *run, const char *why)
{
    int code = tell_outcome(cli, run, run->failure[0] ? run->failure : NULL, run->stays_paused);

    output_talk(
        cli, "warning: what became of node/%s then could not be seen: %s\n", run->node.name, why);
    if (run->stays_paused)
        talk_of_pause(cli, run, run->signs);
    else
        talk_of_rollout(cli, run);
    return code;
}

int maintain_end(Cli *cli, const MaintainRun *run, const MaintainLook *look, MaintainStep step)
{
    switch (step) {
    case STEP_BUSY:
        return end_busy(cli, run, look);
    case STEP_STAYS:
        return end_failed(cli, run, look);
    case STEP_LOST:
        return end_lost(cli, run);
    case STEP_SHARED:
        return end_shared(cli, run, look);
    case STEP_GOING:
        output_talk(cli,
            "error: node/%s is being deleted; its Job goes with it, and its volume as its policy "
            "says\n",
            run->node.name);
        return EXIT_UNHEALTHY;
    case STEP_TAKEN_AWAY:
        return end_taken_away(cli, run, look);
    case STEP_NOTHING:
        output_talk(cli, "error: node/%s is not in maintenance\n", run->node.name);
        return EXIT_MISUSED;
    default:
        return end_returned(cli, run, look);
    }
}
