/* Patient: a terminal before a cluster in which all is well, for the doctor to look at. It may read
 * and ask, and a test in which it writes fails. */
#ifndef TESTS_CLI_DOCTOR_PATIENT_H
#define TESTS_CLI_DOCTOR_PATIENT_H

#include "kube/timestamp.h"
#include "sei/api/names.h"
#include "tests/cli/cast.h"

/* An operator that runs outside of the cluster and has just renewed its Lease. */
static inline void given_operator(Terminal *t)
{
    char now[TIMESTAMP_SIZE];
    Clock *clock = world_clock(t->world);

    given(t,
        kind_lease,
        str_format(t->arena,
            "{metadata: {name: '" LEASE_NAME "'}, spec: {holderIdentity: 'run_1', "
            "leaseDurationSeconds: 15, renewTime: '%s'}}",
            timestamp_format_micro(clock->wall_ns(clock), now)));
}

/* Questions are asked by creating them; nothing else may be created. */
static inline Err *reading_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    Terminal *t = link_owner(Terminal, faulty, self);
    bool is_question = kind_eq(request->kind, kind_self_review)
        || kind_eq(request->kind, kind_self_access_review)
        || kind_eq(request->kind, kind_access_review);

    t->calls++;
    then_true(!request_is_write(request) || is_question);
    return t->api->call(t->api, a, request, ret);
}

static inline Terminal *open_healthy(void)
{
    Terminal *t = terminal_open();

    t->out.is_utf8 = true;
    t->faulty.call = reading_call;
    given_operator(t);
    given_node(t, "rpc-0", "{}");
    return t;
}

#endif
