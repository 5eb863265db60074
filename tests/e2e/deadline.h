/* Deadline: waiting for what another process will do, without guessing how long it takes.
 *
 *     Deadline d = deadline_in_ms(10000);
 *     while (!pod_exists() && deadline_wait(&d))
 *         ;
 *     assert_true(pod_exists()); */
#ifndef TESTS_E2E_DEADLINE_H
#define TESTS_E2E_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Deadline {
    int64_t began_ms, end_ms; /* of the system's monotonic clock */
} Deadline;

/* The moment `ms` from now. */
Deadline deadline_in_ms(int64_t ms);

/* Milliseconds that are left, never below 0. */
int64_t deadline_left_ms(const Deadline *d);

/* Waits an eighth of the time since the deadline was made: at least 5 ms, because most things are
 * true at once, and at most 50 ms, because each look costs the server time that what is awaited
 * needs. False, at once, when the deadline has passed. */
bool deadline_wait(const Deadline *d);

#endif
