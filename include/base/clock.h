/* Clock: a port. Time enters the house here and nowhere else, so that tests and the simulator own
 * it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

typedef struct Clock Clock;

struct Clock {
    int64_t (*mono_ns)(Clock *self); /* never goes back; runs on while the machine sleeps */
    int64_t (*wall_ns)(Clock *self); /* since 1970-01-01 UTC; may step */
};

/* The machine's clocks: CLOCK_BOOTTIME and CLOCK_REALTIME. */
Clock *clock_system(void);

/* Milliseconds of either. */
int64_t clock_mono_ms(Clock *c);
int64_t clock_wall_ms(Clock *c);

/* When a nap of so many milliseconds from now ends, on CLOCK_MONOTONIC: what a condition variable
 * waits for. For sleeping only; decisions ask the port. */
void clock_nap_end(int64_t nap_ms, struct timespec *ret);

/* A clock that stands still until it is moved, for tests and the simulator. The zero value is ready
 * after clock_manual_init. */
typedef struct ManualClock {
    Clock port;
    int64_t mono_ns;
    int64_t wall_ns;
} ManualClock;

/* Sets both times and makes `port` usable. */
void clock_manual_init(ManualClock *c, int64_t mono_ns, int64_t wall_ns);

/* Moves both times forward. */
void clock_manual_advance_ms(ManualClock *c, int64_t ms);

#endif
