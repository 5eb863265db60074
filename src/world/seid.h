/* Seid: the chain process of one pod, as far as one sees from outside: a height, a lag, RPC that
 * answers or not, and how it starts and stops.
 *
 * Its height is a function of time between a start and a stop, so a node that follows its chain
 * costs nothing. Whoever steps it asks seid_due for when its state changes by itself. */
#ifndef WORLD_SEID_H
#define WORLD_SEID_H

#include "world/outside.h"
#include "world/volume.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXIT_INTERRUPTED = 130 }; /* of a seid that is at its halt height before it has started up */

typedef enum SeidState {
    SEID_DOWN,
    SEID_STARTING, /* runs, RPC does not answer yet */
    SEID_SERVING,
    SEID_STOPPING, /* was told to end (SIGTERM); RPC is closed */
} SeidState;

typedef struct Seid {
    const Chain *chain;
    Volume *volume;
    const char *image;   /* borrowed for as long as it runs */
    int64_t halt_height; /* --halt-height, or 0 */
    int64_t start_ms;    /* from its start until RPC answers */
    int64_t stop_ms;     /* from SIGTERM to its end */
    SeidState state;
    int64_t turns_ms;  /* when STARTING or STOPPING is over */
    int64_t anchor_ms; /* from here it counts its height */
    int64_t anchor;    /* the height then */
    int64_t ended_ms;  /* of DOWN, when it has run */
    int exit_code;     /* the same */
    bool has_halted;   /* the same: at its halt height */
} Seid;

/* Begins to run: from the height on the volume, or where state sync or a snapshot let it. The
 * fields up to stop_ms are the caller's. */
void seid_start(Seid *s, int64_t now_ms);

/* SIGTERM and SIGKILL. Nothing happens to one that is down. */
void seid_terminate(Seid *s, int64_t now_ms);
void seid_kill(Seid *s, int64_t now_ms);

/* Lets time pass up to now: states change, and heights come to the volume. */
void seid_step(Seid *s, int64_t now_ms);

/* When its state changes by itself; INT64_MAX for never. */
int64_t seid_due(const Seid *s);

/* RPC answers. */
bool seid_serves(const Seid *s);

/* The last committed block. */
int64_t seid_height(const Seid *s, int64_t now_ms);

/* How far behind its chain it is. */
int64_t seid_lag(const Seid *s, int64_t now_ms);

/* It stands before an upgrade that its image does not know. */
bool seid_is_halted(const Seid *s, int64_t now_ms);

/* /lag_status answers 200. */
bool seid_is_ready(const Seid *s, int64_t now_ms);

/* When that answer may next be another one, if nobody touches it; INT64_MAX for never. */
int64_t seid_ready_changes(const Seid *s, int64_t now_ms);

/* When it will have committed a height; INT64_MAX for never, as things are. */
int64_t seid_when(const Seid *s, int64_t height, int64_t now_ms);

#endif
