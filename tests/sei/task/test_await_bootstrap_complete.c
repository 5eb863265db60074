/* await-bootstrap-complete: the Job's own word, and no call. */
#include "tests/sei/jobs.h"

static const struct {
    const char *name, *job, *status, *pod;
    Want want;
} cases[] = {
    {"it runs", "{}", NULL, "{}", WAIT("has not reached height 9")},
    {"it has no pod yet", "{}", NULL, ABSENT, WAIT("has not reached height 9")},
    {"it is gone", ABSENT, NULL, ABSENT, WAIT("is made again")},
    {"a user has suspended it", "{spec: {suspend: true}}", NULL, ABSENT, WAIT("is suspended")},
    {"its pod does not get on",
        "{}",
        NULL,
        "{status: {phase: 'Pending', conditions: [{type: 'PodScheduled', status: 'False',"
        " reason: 'Unschedulable', message: 'no node'}]}}",
        WAIT("cannot be scheduled")},
    {"it belongs to another owner",
        "{metadata: {ownerReferences: null}}",
        .want = TERMINAL("left alone")},
};

TEST(the_bootstrap_job_is_awaited_without_an_api_call)
{
    each_case(i, cases) {
        SCOPED_WORLD w = bootstrap_world();
        given_job(w, cases[i].job);
        if (!str_eq(cases[i].job, ABSENT))
            given_job_pod(w, cases[i].pod);

        then_err(when_task_runs(w, TASK_AWAIT_BOOTSTRAP_COMPLETE), cases[i].want);

        then_str(w->said, NULL);
    }
}
