/* An Api behind which there is nothing but seids that all answer the same. */
#ifndef TESTS_CLI_SEID_API_H
#define TESTS_CLI_SEID_API_H

#include "base/link.h"
#include "cli/pulse.h"
#include "tests/test.h"

typedef struct SeidApi {
    Api port;
    ManualClock clock;
    PulsePort pulse_port;
    const char *status, *peers; /* what it answers */
    Err *refusal;               /* instead */
    const char *asked;          /* the paths, each with a blank behind it */
    int calls;
    int64_t deadline_ms; /* of the last question */
} SeidApi;

static inline Err *seid_call(Api *self, Arena *a, const Request *request, const Json **ret)
{
    SeidApi *s = link_owner(SeidApi, port, self);

    s->calls++;
    s->deadline_ms = request->deadline_ms;
    s->asked = str_format(s->pulse_port.arena, "%s%s ", s->asked, request->raw_path);
    then_int(request->verb, VERB_RAW_GET);
    if (s->refusal)
        return err_copy(a, s->refusal);
    *ret = json_fixture(a, strstr(request->raw_path, "/net_info") ? s->peers : s->status);
    return OK;
}

static inline void seid_api(SeidApi *s, Arena *a, const char *status)
{
    *s = (SeidApi){
        .port = {seid_call},
        .status = status,
        .peers = "{}",
        .asked = "",
        .pulse_port = {.arena = a,
            .api = &s->port,
            .clock = &s->clock.port,
            .deadline_ms = INT64_MAX},
    };
    clock_manual_init(&s->clock, 0, 0);
}

static inline Err *seid_refusal(Arena *a, int status, const char *message)
{
    Err *err = err_retry(a, "get /api/v1: %s", message);

    err->status = status;
    return err;
}

#endif
