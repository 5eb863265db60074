/* Rough: the ways in which calls fail. */
#include "tests/sim/rough.h"

#include "tests/test.h"

enum { FAULT_PERCENT = 3, PROMPT = 9 };

/* The prompt ones first. */
static const PortFault faults[] = {
    {.kind = PORT_UNSENT},
    {.kind = PORT_REFUSED, .status = 409},
    {.kind = PORT_REFUSED, .status = 500},
    {.kind = PORT_REFUSED, .status = 503},
    {.kind = PORT_DISGUISED, .status = 500},
    {.kind = PORT_LOST},
    {.kind = PORT_CRASH_BEFORE},
    {.kind = PORT_CRASH_SENT},
    {.kind = PORT_CRASH_AFTER},
    {.kind = PORT_REFUSED, .status = 429, .retry_after_ms = 1000},
    {.kind = PORT_LATE, .delay_ms = 1500},
    {.kind = PORT_LATE, .delay_ms = 40000},
    {.kind = PORT_SILENT},
    {.kind = PORT_CUT, .bytes = 100},
};

PortFault rough_judge(void *self, const PortCall *call)
{
    Rough *r = self;
    size_t count = r->is_prompt ? PROMPT : array_count(faults);

    if (!r->is_on || (r->is_prompt && call->is_stream)
        || rng_below(&r->rng.port, 100) >= FAULT_PERCENT)
        return (PortFault){0};
    return faults[rng_below(&r->rng.port, count)];
}
