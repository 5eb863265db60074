/* Process: a simulated process: strands (its threads) that run one at a time and wait on the
 * world's agenda.
 *
 * It can be stopped and go on (SIGSTOP), and it can be killed. A killed process touches the world
 * no more: every wait returns at once, every port fails, so each strand comes to its own end and
 * leaves nothing behind; nobody outside can tell that from memory that is simply gone. */
#ifndef SIM_PROCESS_H
#define SIM_PROCESS_H

#include "sim/coroutine.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROCESS_STRANDS_MAX = 72, STRAND_NAME_SIZE = 32 };

typedef struct Process Process;

typedef struct Strand {
    Process *process;
    char name[STRAND_NAME_SIZE]; /* "r0/worker-1" */
    void (*body)(void *self);
    void *self;
    Coroutine *coroutine;
    Turn turn;   /* when it goes on */
    bool missed; /* its turn came while the process was stopped */
} Strand;

struct Process {
    World *world;
    const char *name;
    Strand strands[PROCESS_STRANDS_MAX];
    int strand_count;
    Strand *running; /* whose code runs now, or NULL */
    bool stopped;
    bool killed;
    bool is_over; /* no strand is left */

    /* Called once, when the last strand has ended; must not close the process. */
    void (*over)(void *self);
    void *self;
};

/* An empty process. The name is borrowed. */
void process_init(Process *p, World *w, const char *name);

/* Gives back what the strands had. All have ended, or none has begun. */
void process_close(Process *p);

/* Adds a strand, which has its first turn now. Its name in the trace is "process/name". */
Strand *process_spawn(Process *p, const char *name, void (*body)(void *self), void *self);

/* Stops and goes on. What came meanwhile is waiting then. */
void process_stop(Process *p);
void process_continue(Process *p);

/* Kills it. From outside all strands end now; from within, when the calling strand gives control
 * back. */
void process_kill(Process *p);

/* From within a strand: waits until a time, or until somebody wakes it. In a killed process it
 * returns at once. */
void strand_wait(Strand *s, int64_t until_ms);

/* Lets a strand that waits go on. Nothing happens to one that does not. */
void strand_wake(Strand *s);

#endif
