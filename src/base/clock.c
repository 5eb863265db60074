/* Clock: CLOCK_BOOTTIME, so that a lease also ages while the machine sleeps. */
#include "base/clock.h"

#include "base/err.h"

#include <assert.h>
#include <time.h>

enum { NS_PER_SECOND = 1000000000, NS_PER_MS = 1000000 };

static int64_t read_ns(clockid_t id)
{
    struct timespec now;
    if (clock_gettime(id, &now))
        BUG("a clock of the machine cannot be read");
    return (int64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

static int64_t system_mono_ns(Clock *self)
{
    (void)self;
    return read_ns(CLOCK_BOOTTIME);
}

static int64_t system_wall_ns(Clock *self)
{
    (void)self;
    return read_ns(CLOCK_REALTIME);
}

Clock *clock_system(void)
{
    static const Clock machine = {.mono_ns = system_mono_ns, .wall_ns = system_wall_ns};
    return (Clock *)&machine;
}

int64_t clock_mono_ms(Clock *c)
{
    return c->mono_ns(c) / NS_PER_MS;
}

int64_t clock_wall_ms(Clock *c)
{
    return c->wall_ns(c) / NS_PER_MS;
}

static int64_t manual_mono_ns(Clock *self)
{
    return ((ManualClock *)self)->mono_ns;
}

static int64_t manual_wall_ns(Clock *self)
{
    return ((ManualClock *)self)->wall_ns;
}

void clock_manual_init(ManualClock *c, int64_t mono_ns, int64_t wall_ns)
{
    c->port = (Clock){.mono_ns = manual_mono_ns, .wall_ns = manual_wall_ns};
    c->mono_ns = mono_ns;
    c->wall_ns = wall_ns;
}

void clock_manual_advance_ms(ManualClock *c, int64_t ms)
{
    assert(ms >= 0);
    c->mono_ns += ms * NS_PER_MS;
    c->wall_ns += ms * NS_PER_MS;
}

void clock_nap_end(int64_t nap_ms, struct timespec *ret)
{
    clock_gettime(CLOCK_MONOTONIC, ret);
    ret->tv_sec += (time_t)(nap_ms / 1000);
    ret->tv_nsec += (long)(nap_ms % 1000) * 1000000;
    if (ret->tv_nsec >= 1000000000) {
        ret->tv_sec++;
        ret->tv_nsec -= 1000000000;
    }
}
