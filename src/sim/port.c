/* Port: faults as words and as answers. */
#include "sim/port.h"

#include "base/draft.h"
#include "base/str.h"

static const struct {
    const char *text;
    bool has_status, has_bytes;
} fault_words[] = {
    [PORT_FINE] = {.text = "fine"},
    [PORT_UNSENT] = {.text = "unsent"},
    [PORT_REFUSED] = {.text = "refused", .has_status = true},
    [PORT_DISGUISED] = {.text = "disguised", .has_status = true},
    [PORT_LOST] = {.text = "lost"},
    [PORT_LATE] = {.text = "late"},
    [PORT_SILENT] = {.text = "silent", .has_bytes = true},
    [PORT_CUT] = {.text = "cut", .has_bytes = true},
    [PORT_CRASH_BEFORE] = {.text = "crash before"},
    [PORT_CRASH_SENT] = {.text = "crash sent"},
    [PORT_CRASH_AFTER] = {.text = "crash after"},
};

static const struct {
    int status;
    const char *reason, *message;
} refusals[] = {
    {403, "Forbidden", "forbidden: a policy of the day"},
    {404, "NotFound", "the server could not find the requested resource"},
    {409, "Conflict", "the object has been modified; please apply your changes to the latest one"},
    {410, "Expired", "the provided continue parameter or resource version is too old"},
    {429, "TooManyRequests", "too many requests, please try again later"},
    {500, "InternalError", "an internal error occurred: etcdserver: leader changed"},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    {504, "Timeout", "the server was unable to return a response in the time allotted"},
};

const char *port_fault_text(Arena *a, PortFault fault)
{
    const char *text = fault_words[fault.kind].text;

    if (fault_words[fault.kind].has_status)
        return str_format(a, "%s %d", text, fault.status);
    if (fault_words[fault.kind].has_bytes)
        return str_format(a, "%s after %lld bytes", text, (long long)fault.bytes);
    if (fault.kind == PORT_LATE)
        return str_format(a, "%s by %lld ms", text, (long long)fault.delay_ms);
    return text;
}

Answer port_refusal(Arena *a, const PortFault *fault)
{
    const char *reason = "Unknown", *message = "refused";

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (refusals[i].status == fault->status) {
            reason = refusals[i].reason;
            message = refusals[i].message;
        }
    Draft *status = draft(a,
        str("kind", "Status"),
        str("apiVersion", "v1"),
        sub("metadata", draft_object(a)),
        str("status", "Failure"),
        str("message", message),
        str("reason", reason),
        num("code", fault->status));
    return (Answer){
        .status = fault->status,
        .retry_after_ms = fault->retry_after_ms,
        .body = json_seal(a, status),
    };
}

PortFault port_judge_one(void *one_fault, const PortCall *call)
{
    PortOneFault *one = one_fault;

    if (call->number != one->number)
        return (PortFault){0};
    one->struck = true;
    return one->fault;
}
