/* What a maintenance run does next: all that can be seen is gone through. */
#include "cli/maintain_step.h"

#include "base/str.h"
#include "tests/test.h"

static const struct {
    const char *name;
    MaintainSeen seen;
    MaintainStep step;
} steps[] = {
    {"a node without a mark is marked", {.mark = RUN_NONE}, STEP_MARK},
    {"another's run keeps us out", {.mark = RUN_OTHERS}, STEP_BUSY},
    {"another's run that has failed is followed",
        {.mark = RUN_OTHERS, .job = JOB_FAILED, .is_recorded = true},
        STEP_MARK},
    {"another's run whose Job was deleted is followed",
        {.mark = RUN_OTHERS, .is_recorded = true},
        STEP_MARK},
    {"but not before its pod has gone",
        {.mark = RUN_OTHERS, .is_recorded = true, .has_job_pods = true},
        STEP_BUSY},
    {"the operator must hold the node first", {.mark = RUN_OURS}, STEP_AWAIT_OPERATOR},
    {"then the pod must stop",
        {.mark = RUN_OURS, .operator_knows = true, .is_free = true},
        STEP_AWAIT_STOP},
    {"then the volume must be free",
        {.mark = RUN_OURS, .operator_knows = true, .is_stopped = true},
        STEP_AWAIT_VOLUME},
    {"then the Job is made",
        {.mark = RUN_OURS, .operator_knows = true, .is_stopped = true, .is_free = true},
        STEP_CREATE_JOB},
    {"and recorded before it may run",
        {.mark = RUN_OURS,
            .job = JOB_SUSPENDED,
            .operator_knows = true,
            .is_stopped = true,
            .is_free = true},
        STEP_RECORD_JOB},
    {"and then it may",
        {.mark = RUN_OURS,
            .job = JOB_SUSPENDED,
            .is_recorded = true,
            .operator_knows = true,
            .is_stopped = true,
            .is_free = true},
        STEP_START_JOB},
    {"a Job that runs is waited for",
        {.mark = RUN_OURS, .job = JOB_RUNNING, .is_recorded = true},
        STEP_AWAIT_JOB},
    {"success gives the node back",
        {.mark = RUN_OURS, .job = JOB_COMPLETE, .is_recorded = true},
        STEP_RETURN},
    {"but not beside one that signs with its key",
        {.mark = RUN_OURS, .job = JOB_COMPLETE, .is_recorded = true, .has_twin = true},
        STEP_SHARED},
    {"which is nothing to one that stays paused",
        {.mark = RUN_OURS,
            .job = JOB_COMPLETE,
            .is_recorded = true,
            .stays_paused = true,
            .has_twin = true},
        STEP_RETURN},
    {"nor before its fleet is unpaused",
        {.mark = RUN_OURS, .job = JOB_COMPLETE, .is_recorded = true, .fleet_is_paused = true},
        STEP_AWAIT_FLEET},
    {"nothing is begun on a node that goes",
        {.mark = RUN_OURS,
            .operator_knows = true,
            .is_stopped = true,
            .is_free = true,
            .is_deleting = true},
        STEP_GOING},
    {"nor is it given back",
        {.mark = RUN_OURS, .job = JOB_COMPLETE, .is_recorded = true, .is_deleting = true},
        STEP_GOING},
    {"an abort ends the command",
        {.wish = MAINTAIN_ABORT,
            .mark = RUN_OURS,
            .job = JOB_RUNNING,
            .is_recorded = true,
            .is_deleting = true},
        STEP_DELETE_JOB},
    {"a failure does not", {.mark = RUN_OURS, .job = JOB_FAILED, .is_recorded = true}, STEP_STAYS},
    {"unless it was asked to",
        {.mark = RUN_OURS, .job = JOB_FAILED, .is_recorded = true, .unpauses_always = true},
        STEP_RETURN},
    {"a recorded Job that is gone is not made again",
        {.mark = RUN_OURS,
            .is_recorded = true,
            .operator_knows = true,
            .is_stopped = true,
            .is_free = true},
        STEP_LOST},
    {"what is left is cleared away",
        {.mark = RUN_NONE, .had_mark = true, .job = JOB_COMPLETE, .is_untidy = true},
        STEP_TIDY},
    {"then the operator must take note of it",
        {.mark = RUN_NONE, .had_mark = true, .job = JOB_COMPLETE},
        STEP_AWAIT_RELEASE},
    {"and that is the end",
        {.mark = RUN_NONE, .had_mark = true, .job = JOB_COMPLETE, .is_released = true},
        STEP_ENDED},
    {"a removed maintenance annotation ends the run",
        {.mark = RUN_NONE, .had_mark = true},
        STEP_TAKEN_AWAY},
    {"there is nothing to resume", {.wish = MAINTAIN_RESUME}, STEP_NOTHING},
    {"the result of the last run is reported",
        {.wish = MAINTAIN_RESUME, .job = JOB_FAILED},
        STEP_ENDED},
    {"there is nothing to abort", {.wish = MAINTAIN_ABORT}, STEP_NOTHING},
    {"an abort deletes the Job",
        {.wish = MAINTAIN_ABORT, .mark = RUN_OURS, .job = JOB_RUNNING, .is_recorded = true},
        STEP_DELETE_JOB},
    {"and waits for its pod",
        {.wish = MAINTAIN_ABORT, .mark = RUN_OURS, .is_recorded = true, .has_job_pods = true},
        STEP_AWAIT_JOB_GONE},
    {"and gives the node back, however the command ended",
        {.wish = MAINTAIN_ABORT, .mark = RUN_OURS, .job = JOB_FAILED, .is_recorded = true},
        STEP_RETURN},
    {"also when nothing had begun", {.wish = MAINTAIN_ABORT, .mark = RUN_OURS}, STEP_RETURN},
};

TEST(the_next_maintenance_step_follows_from_the_observed_state)
{
    each_case(i, steps)
        then_str(
            maintain_step_text(maintain_next(&steps[i].seen)), maintain_step_text(steps[i].step));
}

static MaintainSeen seen_of(unsigned n)
{
    MaintainSeen s = {.wish = (MaintainWish)(n % 3), .mark = (MarkSeen)(n / 3 % 3)};

    n /= 9;
    s.job = (JobSeen)(n % 6);
    n /= 6;
    s.had_mark = n & 1;
    s.is_recorded = n >> 1 & 1;
    s.operator_knows = n >> 2 & 1;
    s.is_stopped = n >> 3 & 1;
    s.is_free = n >> 4 & 1;
    s.has_job_pods = n >> 5 & 1;
    s.unpauses_always = n >> 6 & 1;
    s.is_untidy = n >> 7 & 1;
    s.stays_paused = n >> 8 & 1;
    s.has_twin = n >> 9 & 1;
    s.fleet_is_paused = n >> 10 & 1;
    s.is_deleting = n >> 11 & 1;
    s.is_released = n >> 12 & 1;
    return s;
}

static void then_it_is_safe(const MaintainSeen *s, MaintainStep step)
{
    bool is_ours = s->mark == RUN_OURS, ends = s->wish == MAINTAIN_ABORT;
    bool has_ended = s->job == JOB_COMPLETE || s->job == JOB_FAILED;

    if (step == STEP_CREATE_JOB || step == STEP_START_JOB)
        then_true(is_ours && !ends && s->operator_knows && s->is_stopped && s->is_free);
    if (step == STEP_CREATE_JOB || step == STEP_START_JOB || step == STEP_RETURN)
        then_true(!s->is_deleting);
    if (step == STEP_CREATE_JOB)
        then_true(s->job == JOB_ABSENT && !s->is_recorded);
    if (step == STEP_START_JOB)
        then_true(s->job == JOB_SUSPENDED && s->is_recorded);
    if (step == STEP_RECORD_JOB)
        then_true(is_ours && !ends && !s->is_recorded);
    if (step == STEP_DELETE_JOB)
        then_true(is_ours && ends && !has_ended);
    if (step == STEP_RETURN)
        then_true(is_ours && (has_ended || (ends && s->job == JOB_ABSENT && !s->has_job_pods)));
    if (step == STEP_RETURN)
        then_true(s->stays_paused || !(s->has_twin || s->fleet_is_paused));
    if (step == STEP_MARK)
        then_true(s->wish == MAINTAIN_RUN && !is_ours && !s->had_mark);
    if (step == STEP_STAYS)
        then_true(s->job == JOB_FAILED && !s->unpauses_always);
    if (step == STEP_AWAIT_RELEASE)
        then_true(s->mark == RUN_NONE && s->had_mark);
    else if (maintain_step_waits(step))
        then_true(is_ours);
}

TEST(no_observable_state_leads_to_a_harmful_maintenance_step)
{
    enum { ALL = 3 * 3 * 6 * 8192 };

    for (unsigned n = 0; n < ALL; n++) {
        MaintainSeen s = seen_of(n);
        MaintainStep step = maintain_next(&s);
        then_it_is_safe(&s, step);
        then_true(maintain_step_text(step) != NULL);
        then_true(!(maintain_step_waits(step) && maintain_step_ends(step)));
    }
    print_message("# %d sights\n", (int)ALL);
}
