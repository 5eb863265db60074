/* Sidecar: `seictl serve` beside one seid, as a machine. Its HTTP is in sidecar_door.h.
 *
 * The process holds the readiness flag and the tasks that run; everything else stands on the
 * volume. Tasks do not exclude each other: two at work on one volume are noted as a hazard, and
 * both go on. Time comes with each call. */
#ifndef WORLD_SIDECAR_H
#define WORLD_SIDECAR_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/rng.h"
#include "world/hazard.h"
#include "world/outside.h"
#include "world/seid.h"
#include "world/volume.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SIDECAR_RUNS_MAX = 32, /* tasks at once; one more is not persisted */
    SIDECAR_ID_SIZE = 48,
    SIDECAR_ERROR_SIZE = 160,
    SIDECAR_RULES_MAX = 8,
    SIDECAR_NEWEST = INT32_MAX, /* a version */
};

typedef struct SidecarTask SidecarTask;

/* How a sidecar misbehaves. */
typedef enum SidecarTemper {
    TEMPER_NONE,
    TEMPER_FORGETFUL, /* a task is forgotten when it ends, and so is everything at a restart */
    TEMPER_SLOW,      /* answers after delay_ms */
    TEMPER_LYING,     /* answers a GET of a task with another id, completed */
    TEMPER_HANGING,   /* takes the connection and never answers */
    TEMPER_FAILING,   /* 503 in plain text */
    TEMPER_HUGE,      /* a body that is too large for anyone */
    TEMPER_MALFORMED, /* 200 with broken JSON */
    TEMPER_WEDGED,    /* its store cannot be read or written */
} SidecarTemper;

/* What happens to the next runs of a type of task. */
typedef struct SidecarRule {
    char type[SIDECAR_ID_SIZE]; /* "" for an unused rule */
    int64_t takes_ms;           /* 0: what it takes */
    int64_t fail_count;         /* so many runs fail */
    char error[SIDECAR_ERROR_SIZE];
} SidecarRule;

/* Zero is a sidecar that behaves. Owned by whoever scripts it; outlives restarts. */
typedef struct SidecarScript {
    SidecarTemper temper;
    int64_t delay_ms;
    SidecarRule rules[SIDECAR_RULES_MAX];
} SidecarScript;

/* One task at work. */
typedef struct SidecarRun {
    char id[SIDECAR_ID_SIZE];
    const SidecarTask *task; /* NULL: free */
    int64_t began_ms;
    int64_t due_ms;  /* INT64_MAX: it waits for something to happen */
    int step;        /* of the task's own */
    bool is_spoiled; /* a rule makes it fail */
    char error[SIDECAR_ERROR_SIZE];
} SidecarRun;

typedef struct Sidecar {
    /* filled by the owner before sidecar_start */
    const char *name; /* "namespace/pod", for hazards */
    const char *chain_id;
    int version;      /* the N of v0.0.N, or SIDECAR_NEWEST */
    bool has_keyring; /* SEI_KEYRING_BACKEND is set */
    Volume *volume;
    Seid *seid;
    Outside *outside;
    SidecarScript *script;
    Hazards *hazards;
    Clock *clock; /* the wall's, for rows */
    Rng *rng;

    bool is_up;
    bool is_ready; /* the flag that opens the gate */
    SidecarRun runs[SIDECAR_RUNS_MAX];
} Sidecar;

/* The process starts: tasks that a predecessor left running run again. */
void sidecar_start(Sidecar *s, int64_t now_ms);

/* The process is killed; rows stay as they are. */
void sidecar_end(Sidecar *s);

/* The process ends by SIGTERM. Up to v0.0.61 it writes the tasks that it interrupts as failed;
 * later versions leave them running, and run them again at the next start. */
void sidecar_stop(Sidecar *s);

/* Lets time pass up to now: tasks end, and those that wait look again. */
void sidecar_step(Sidecar *s, int64_t now_ms);

/* When a task is due; INT64_MAX for never. */
int64_t sidecar_due(const Sidecar *s);

/* A task as it is submitted. */
typedef struct SidecarOffer {
    const char *id;     /* a UUID in any of its forms */
    const char *type;   /* known to this version, or refused */
    const char *params; /* JSON text of an object, or NULL */
} SidecarOffer;

/* Submits a task: a row that runs or is completed stays as it is, one that failed runs again with
 * the new type and parameters. NULL, or what a 400 says. */
const char *sidecar_submit(Sidecar *s, Arena *a, const SidecarOffer *offer, int64_t now_ms);

/* Cancels a task when it runs and removes its row; false when there is none. */
bool sidecar_remove(Sidecar *s, const char *id);

#endif
