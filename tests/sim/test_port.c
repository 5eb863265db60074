/* Faults of ports: their words, and the answers that they make. */
#include "sim/port.h"

#include "tests/test.h"

static const struct {
    const char *name, *text;
    PortFault fault;
} words[] = {
    {"nothing", "fine", {.kind = PORT_FINE}},
    {"no connection", "unsent", {.kind = PORT_UNSENT}},
    {"a refusal", "refused 409", {.kind = PORT_REFUSED, .status = 409}},
    {"a lie", "disguised 500", {.kind = PORT_DISGUISED, .status = 500}},
    {"no answer", "lost", {.kind = PORT_LOST}},
    {"a delay", "late by 700 ms", {.kind = PORT_LATE, .delay_ms = 700}},
    {"silence", "silent after 0 bytes", {.kind = PORT_SILENT}},
    {"a cut", "cut after 12 bytes", {.kind = PORT_CUT, .bytes = 12}},
    {"death before", "crash before", {.kind = PORT_CRASH_BEFORE}},
    {"death on the way", "crash sent", {.kind = PORT_CRASH_SENT}},
    {"death after", "crash after", {.kind = PORT_CRASH_AFTER}},
};

TEST(every_port_fault_has_a_text)
{
    each_case(i, words) {
        SCOPED_ARENA a = arena_open(1 << 16);
        then_str(port_fault_text(a, words[i].fault), words[i].text);
    }
}

static const struct {
    const char *name;
    int status;
    const char *reason;
    bool unknown;
    Want want;
} refusals[] = {
    {"a conflict", 409, "Conflict", .want = RETRY("has been modified")},
    {"too busy", 429, "TooManyRequests", .want = RETRY("too many requests")},
    {"an error inside", 500, "InternalError", true, RETRY("internal error")},
    {"not available", 503, "ServiceUnavailable", .want = RETRY("unable to handle")},
    {"too slow", 504, "Timeout", true, RETRY("time allotted")},
    {"too old", 410, "Expired", .want = RETRY("too old")},
    {"not allowed", 403, "Forbidden", .want = RETRY("forbidden")},
    {"something else", 418, "Unknown", .want = TERMINAL("refused")},
};

TEST(a_simulated_refusal_equals_the_answer_of_a_real_api_server)
{
    each_case(i, refusals) {
        SCOPED_ARENA a = arena_open(1 << 16);
        Request request = {.verb = VERB_UPDATE, .kind = kind_configmap, .key = {"ns", "x"}};
        PortFault fault = {
            .kind = PORT_REFUSED,
            .status = refusals[i].status,
            .retry_after_ms = 3000,
        };

        Answer answer = port_refusal(a, &fault);
        Err *err = status_err(a, &request, &answer);

        then_err(err, refusals[i].want);
        then_str(err->reason, refusals[i].reason);
        then_int(err->outcome_unknown, refusals[i].unknown);
        then_int(err->retry_after_ms, 3000);
    }
}

TEST(a_single_port_fault_affects_exactly_one_call)
{
    PortOneFault one = {.number = 2, .fault = {.kind = PORT_LOST}};

    then_int(port_judge_one(&one, &(PortCall){.number = 1}).kind, PORT_FINE);
    then_true(!one.struck);
    then_int(port_judge_one(&one, &(PortCall){.number = 2}).kind, PORT_LOST);
    then_true(one.struck);
    then_int(port_judge_one(&one, &(PortCall){.number = 3}).kind, PORT_FINE);
}
