/* Example: the controller of examples/configmap_copy.c in a simulation, people who make it work,
 * and what must be true in the end.
 *
 * Sources are created, edited, sent elsewhere and deleted; copies are deleted and spoilt by hand:
 * all of that at times that the seed decides. */
#ifndef TESTS_SIM_EXAMPLE_H
#define TESTS_SIM_EXAMPLE_H

#include "sim/replica.h"
#include "sim/sim.h"

enum { EXAMPLE_REPLICAS_MAX = 2 };

typedef struct ExampleOptions {
    SimOptions sim;
    int replicas;                         /* 0: 1 */
    int sources;                          /* 0: 3; each goes to two namespaces */
    int workers;                          /* 0: 2 */
    int64_t bustle_ms;                    /* people do everything within this time; 0: 500 */
    bool with_election;                   /* always so with two replicas */
    const Controller *const *controllers; /* NULL: the example's */
} ExampleOptions;

typedef struct Example Example;

Example *example_open(const ExampleOptions *options);
void example_close(Example *e);
void example_close_scoped(Example **e);
#define SCOPED_EXAMPLE __attribute__((cleanup(example_close_scoped))) Example *

Sim *example_sim(Example *e);
Replica *example_replica(Example *e, int number);

/* What is wrong with the world, as a sentence; NULL when every copy is as it should be. */
const char *example_complaint(Example *e, Arena *a);

/* Runs until the people are done and a replica has nothing left to do, but not beyond a time. False
 * when it did not come to that. */
bool example_settle(Example *e, int64_t until_ms);

/* What the people asked of the server so far. */
uint64_t example_deeds(const Example *e);

/* Runs until the people are done, a replica has nothing left to do and the world is right, but at
 * most for patience_ms of virtual time. NULL when it came to that; else what is wrong. */
const char *example_run(Example *e, Arena *a, int64_t patience_ms);

/* The example's controller. */
extern const Controller *const example_controllers[];

#endif
