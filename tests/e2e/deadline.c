/* Waiting in small steps until a moment of the monotonic clock. */
#include "tests/e2e/deadline.h"

#include "base/clock.h"

#include <time.h>

enum {
    DEADLINE_SHARE = 8,
    DEADLINE_STEP_MIN_MS = 5,
    DEADLINE_STEP_MAX_MS = 50,
    DEADLINE_NS_PER_MS = 1000 * 1000,
};

Deadline deadline_in_ms(int64_t ms)
{
    int64_t now_ms = clock_mono_ms(clock_system());

    return (Deadline){.began_ms = now_ms, .end_ms = now_ms + ms};
}

int64_t deadline_left_ms(const Deadline *d)
{
    int64_t left = d->end_ms - clock_mono_ms(clock_system());

    return left > 0 ? left : 0;
}

bool deadline_wait(const Deadline *d)
{
    int64_t step_ms = (clock_mono_ms(clock_system()) - d->began_ms) / DEADLINE_SHARE;

    if (deadline_left_ms(d) == 0)
        return false;
    step_ms = step_ms < DEADLINE_STEP_MIN_MS ? DEADLINE_STEP_MIN_MS : step_ms;
    step_ms = step_ms > DEADLINE_STEP_MAX_MS ? DEADLINE_STEP_MAX_MS : step_ms;
    nanosleep(&(struct timespec){.tv_nsec = step_ms * DEADLINE_NS_PER_MS}, NULL);
    return true;
}
