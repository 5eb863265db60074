/* MaintainStep: no clock, no cluster; tests go through all that can be seen. */
#include "cli/maintain_step.h"

#include "base/err.h"

static bool has_ended(JobSeen job)
{
    return job == JOB_COMPLETE || job == JOB_FAILED;
}

static MaintainStep without_mark(const MaintainSeen *s)
{
    bool is_ours = s->had_mark || s->wish == MAINTAIN_RESUME;

    if (!s->had_mark && s->wish == MAINTAIN_RUN)
        return STEP_MARK;
    if (s->is_untidy)
        return STEP_TIDY;
    if ((has_ended(s->job) && is_ours) || (s->had_mark && s->wish == MAINTAIN_ABORT))
        return s->had_mark && !s->is_released ? STEP_AWAIT_RELEASE : STEP_ENDED;
    return s->had_mark ? STEP_TAKEN_AWAY : STEP_NOTHING;
}

/* A run that has come to its end without giving the node back is followed by the next one. */
static bool can_be_followed(const MaintainSeen *s)
{
    return (s->job == JOB_FAILED && !s->unpauses_always)
        || (s->job == JOB_ABSENT && s->is_recorded && !s->has_job_pods);
}

static MaintainStep with_other(const MaintainSeen *s)
{
    if (s->had_mark)
        return s->is_untidy ? STEP_TIDY : STEP_TAKEN_AWAY;
    if (s->wish == MAINTAIN_RUN && can_be_followed(s))
        return STEP_MARK;
    return STEP_BUSY;
}

/* Two that sign with one key are slashed: rather nobody does. And a pod that the fleet stops again
 * at once is started for nothing. */
static MaintainStep give_back(const MaintainSeen *s)
{
    if (s->is_deleting)
        return STEP_GOING;
    if (s->stays_paused)
        return STEP_RETURN;
    if (s->has_twin)
        return STEP_SHARED;
    return s->fleet_is_paused ? STEP_AWAIT_FLEET : STEP_RETURN;
}

static MaintainStep give_up(const MaintainSeen *s)
{
    switch (s->job) {
    case JOB_SUSPENDED:
    case JOB_RUNNING:
        return STEP_DELETE_JOB;
    case JOB_DELETING:
        return STEP_AWAIT_JOB_GONE;
    case JOB_ABSENT:
        return s->has_job_pods ? STEP_AWAIT_JOB_GONE : give_back(s);
    case JOB_COMPLETE:
    case JOB_FAILED:
        return give_back(s);
    }
    BUG("a Job is nothing of what it can be");
}

/* Nothing of ours runs. */
static MaintainStep begin(const MaintainSeen *s)
{
    if (!s->operator_knows)
        return STEP_AWAIT_OPERATOR;
    if (!s->is_stopped)
        return STEP_AWAIT_STOP;
    if (!s->is_free)
        return STEP_AWAIT_VOLUME;
    if (s->job == JOB_ABSENT)
        return STEP_CREATE_JOB;
    return s->is_recorded ? STEP_START_JOB : STEP_RECORD_JOB;
}

static MaintainStep go_on(const MaintainSeen *s)
{
    if (s->is_deleting)
        return STEP_GOING;
    switch (s->job) {
    case JOB_COMPLETE:
        return give_back(s);
    case JOB_FAILED:
        return s->unpauses_always ? give_back(s) : STEP_STAYS;
    case JOB_RUNNING:
        return s->is_recorded ? STEP_AWAIT_JOB : STEP_RECORD_JOB;
    case JOB_DELETING:
        return STEP_AWAIT_JOB_GONE;
    case JOB_ABSENT:
        return s->is_recorded ? STEP_LOST : begin(s);
    case JOB_SUSPENDED:
        return begin(s);
    }
    BUG("a Job is nothing of what it can be");
}

MaintainStep maintain_next(const MaintainSeen *s)
{
    switch (s->mark) {
    case RUN_NONE:
        return without_mark(s);
    case RUN_OTHERS:
        return with_other(s);
    case RUN_OURS:
        return s->wish == MAINTAIN_ABORT ? give_up(s) : go_on(s);
    }
    BUG("a mark is nobody's");
}

const char *maintain_step_text(MaintainStep step)
{
    static const char *const texts[] = {
        [STEP_MARK] = "mark the node and pause it",
        [STEP_CREATE_JOB] = "create the Job, suspended",
        [STEP_RECORD_JOB] = "record the Job in the mark",
        [STEP_START_JOB] = "let the Job run",
        [STEP_DELETE_JOB] = "delete the Job",
        [STEP_RETURN] = "take the mark off and unpause the node",
        [STEP_TIDY] = "clear away what is left of runs that are over",
        [STEP_AWAIT_OPERATOR] = "wait for the operator to hold the node",
        [STEP_AWAIT_STOP] = "wait for the pod to stop",
        [STEP_AWAIT_VOLUME] = "wait for the volume to be free",
        [STEP_AWAIT_JOB] = "wait for the Job to end",
        [STEP_AWAIT_JOB_GONE] = "wait for the Job to be gone",
        [STEP_AWAIT_FLEET] = "wait for the fleet to be unpaused",
        [STEP_AWAIT_RELEASE] = "wait for the operator to let the node go",
        [STEP_ENDED] = "end: the node is back",
        [STEP_STAYS] = "end: the command failed, and the node stays paused",
        [STEP_LOST] = "end: the Job is gone, and the node stays paused",
        [STEP_SHARED] = "end: another node signs with its key, and the node stays paused",
        [STEP_GOING] = "end: the node is being deleted",
        [STEP_TAKEN_AWAY] = "end: somebody else has ended the run",
        [STEP_BUSY] = "end: another run has the node",
        [STEP_NOTHING] = "end: there is no run",
    };

    return texts[step];
}

bool maintain_step_waits(MaintainStep step)
{
    return step >= STEP_AWAIT_OPERATOR && step <= STEP_AWAIT_RELEASE;
}

bool maintain_step_ends(MaintainStep step)
{
    return step >= STEP_ENDED;
}
