/* Strike: every call of the operator is counted, and one of them fails. */
#include "tests/sim/strike.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 120000 };

static bool is_write(const PortCall *call)
{
    Verb verb = call->request ? call->request->verb : VERB_GET;

    return call->request && !call->is_stream && !kind_eq(call->request->kind, kind_lease)
        && verb != VERB_GET && verb != VERB_LIST && verb != VERB_WATCH;
}

PortFault strike_judge(void *self, const PortCall *call)
{
    Strike *s = self;

    if (!s->armed || (s->writes_only && !is_write(call)) || ++s->seen != s->number)
        return (PortFault){0};
    SCOPED_ARENA a = arena_open(1 << 16);
    snprintf(s->what,
        sizeof s->what,
        "%s %s",
        call->strand,
        call->http ? call->http->url : request_text(a, call->request));
    return s->fault;
}

bool strike_await(Play *p, const Strike *s)
{
    for (int64_t ms = 0; ms < PATIENCE_MS && s->seen < s->number; ms++)
        play_run(p, 1);
    return s->seen >= s->number;
}

PortFault refusal_judge(void *self, const PortCall *call)
{
    const Refusal *refusal = self;
    const Request *request = call->request;
    bool is_meant = refusal->armed && request && request->verb == VERB_APPLY
        && kind_eq(request->kind, kind_seinode) && str_eq(request->key.name, refusal->node);

    return is_meant ? (PortFault){.kind = PORT_REFUSED, .status = refusal->status} : (PortFault){0};
}

bool strike_wants_all(void)
{
    return str_eq(getenv("SEI_FAULTS"), "all"); /* NOLINT(concurrency-mt-unsafe) */
}
