/* Reference: the operator that came before, as far as a cluster remembers it: the objects that it
 * made, the tasks that it handed over, the status that it stored. It carries out one plan and stops
 * where it is told, as if it had been ended there.
 *
 *     reference_create(p, "rpc-0", "{}");
 *     reference_work(p, "rpc-0", &(ReferencePlan){.tasks = "ensure-data-pvc ...", .stop_at = 3});
 *     replica_start(play_replica(p, 0));
 *
 * Its StatefulSet is there from the very beginning, before the volume, and its pods say nothing of
 * what they were made from. */
#ifndef TESTS_SIM_REFERENCE_H
#define TESTS_SIM_REFERENCE_H

#include "tests/sim/play.h"

/* How far the task was at which it stopped. */
typedef enum ReferenceStop {
    STOP_BEFORE, /* nobody has begun it */
    STOP_UNTOLD, /* it was begun, and that is not stored */
    STOP_BEGUN,  /* and that is stored */
    STOP_FAILED, /* it has failed, and with it the plan */
} ReferenceStop;

typedef struct ReferencePlan {
    const char *tasks; /* their types, a blank between two */
    size_t stop_at;    /* as many as there are: it ended, and nothing came after it */
    ReferenceStop how;
    bool of_running; /* of a node that runs: an update, or mark-ready once more */
} ReferencePlan;

/* How many tasks there are, and the type of one. */
size_t reference_count(const char *tasks);
const char *reference_type(Arena *a, const char *tasks, size_t number);

/* A node that it has just seen: its finalizer and StatefulSet. No replica of ours may run. */
void reference_create(Play *p, const char *name, const char *change);

/* What it does at every look at a node: it applies the StatefulSet as the spec says. */
void reference_look(Play *p, const char *name);

/* Carries out a plan, as far as asked, and stores it. */
void reference_work(Play *p, const char *name, const ReferencePlan *plan);

#endif
