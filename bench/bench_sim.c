/* How much the simulator does in a second of one core: API requests of a large run, and small runs
 * from nothing to the end. Times are of the process, not of the wall: the machine may be busy. */
#include "tests/sim/example.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { SOURCES = 2000, RUNS = 300, PATIENCE_MS = 600000, REQUESTS_PER_SECOND_MIN = 20000 };

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs an example to its end; the requests that the server carried out in it, or 0 when the world
 * is not right then. Judging is not counted. */
static uint64_t run(const ExampleOptions *options, double *ret_seconds)
{
    SCOPED_ARENA a = arena_open(256 << 20);
    double began = cpu_seconds();
    SCOPED_EXAMPLE e = example_open(options);
    bool settled = example_settle(e, PATIENCE_MS);
    uint64_t requests = sim_calls(example_sim(e)) + example_deeds(e);

    *ret_seconds += cpu_seconds() - began;
    const char *complaint = settled ? example_complaint(e, a) : "it did not settle";
    if (complaint)
        fprintf(stderr, "sim: %s\n", complaint);
    return complaint ? 0 : requests;
}

int main(void)
{
    ExampleOptions large = {
        .sim = {.seed = 1},
        .sources = SOURCES,
        .workers = 8,
        .bustle_ms = 60000,
    };
    double took = 0;
    bool worked = true;

    uint64_t requests = run(&large, &took);
    double rate = (double)requests / took;
    printf("sim: %llu API requests in %.2f s of one core: %.0f a second\n",
        (unsigned long long)requests,
        took,
        rate);

    requests = 0;
    took = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        uint64_t few = run(&(ExampleOptions){.sim = {.seed = seed}}, &took);
        worked = worked && few > 0;
        requests += few;
    }
    printf("sim: %d runs from nothing to the end, of %llu requests each: %.0f runs a second\n",
        RUNS,
        (unsigned long long)(requests / RUNS),
        (double)RUNS / took);
    return worked && rate >= (double)REQUESTS_PER_SECOND_MIN ? 0 : 1;
}
