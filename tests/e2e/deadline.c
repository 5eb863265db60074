/* Waiting in small steps until a moment of the monotonic clock. */
#include "tests/e2e/deadline.h"

#include "base/clock.h"

#include <time.h>

enum { DEADLINE_STEP_NS = 10 * 1000 * 1000 };

Deadline deadline_in_ms(int64_t ms)
{
    return (Deadline){.end_ms = clock_mono_ms(clock_system()) + ms};
}

int64_t deadline_left_ms(const Deadline *d)
{
    int64_t left = d->end_ms - clock_mono_ms(clock_system());

    return left > 0 ? left : 0;
}

bool deadline_wait(const Deadline *d)
{
    struct timespec step = {.tv_nsec = DEADLINE_STEP_NS};

    if (deadline_left_ms(d) == 0)
        return false;
    nanosleep(&step, NULL);
    return true;
}
