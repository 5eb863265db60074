/* Sidecar: a port. Asks the sidecars of nodes, and remembers what they said; never blocks. A caller
 * says what it wants to know and gets what is known; when that changes, the node is woken.
 *
 *     reconcile ──► sidecar_task(...) ──► "nothing yet" ... (thread of its own: POST, GET, GET)
 *     reconcile ◄── woken by the answer; sidecar_task(...) ──► "completed"
 *
 * The real one is sidecars.h: a machine over the Http port. */
#ifndef SEI_SIDECAR_SIDECAR_H
#define SEI_SIDECAR_SIDECAR_H

#include "base/json.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Sidecar Sidecar;

/* Whom to ask. Strings are copied. */
typedef struct SidecarTarget {
    Key node;
    const char *pod_uid; /* answers of another pod are forgotten; NULL: none is known */
    const char *pod_ip;  /* NULL: not yet; then nobody is dialled */
    const char *host;    /* as name_sidecar_host gives it */
    const char *bearer;  /* a secret; NULL: the one before it; while there is none only health is
                          * asked. One that differs from a refused one is tried at once, the first
                          * time; after that with growing pauses */
    bool awaits_gate;    /* a mark-ready is to come: until the gate of this pod has been opened its
                          * health is not asked */
} SidecarTarget;

/* What is to be done there. */
typedef struct SidecarJob {
    const char *id, *type; /* the same id is never used for other work */
    const Json *params;    /* as they go over the wire, or NULL */
    bool submitted;        /* handed over before: ask for it, and hand it over again only when it is
                            * not known there (two 404 with a JSON error, one poll apart) */
    int64_t attempt;       /* counted retries so far: a higher one than before is handed over again,
                            * whatever `submitted` says */
    bool submit_and_go;    /* it never ends: done when handed over */
    bool only_awaited;     /* never handed over again: when it is not known there, it has FAILED */
} SidecarJob;

typedef enum SidecarState {
    SIDECAR_ASKED,   /* no answer yet */
    SIDECAR_RUNNING, /* handed over, at work */
    SIDECAR_COMPLETED,
    SIDECAR_FAILED,       /* this attempt: message */
    SIDECAR_REFUSED,      /* 400: never as asked; message */
    SIDECAR_UNREACHABLE,  /* asked again with back-off; message */
    SIDECAR_UNAUTHORIZED, /* 401 or 403: needs another token; message */
} SidecarState;

typedef struct SidecarNews {
    SidecarState state;
    bool submitted;      /* it is known there */
    const char *message; /* in the arena, or NULL */
    const char *result;  /* of SIDECAR_COMPLETED: a JSON object as text, in the arena, or NULL */
} SidecarNews;

typedef enum ProbeHealth {
    PROBE_UNKNOWN,
    PROBE_READY,
    PROBE_NOT_READY,
    PROBE_UNREACHABLE,
} ProbeHealth;

typedef struct SidecarProbe {
    ProbeHealth health;
    const char *message; /* of PROBE_UNREACHABLE, in the arena, or NULL */
} SidecarProbe;

enum { SIDECAR_NODE_ID_SIZE = 41 }; /* 40 hexadecimal digits and the NUL */

/* By which name others know the node that runs beside a sidecar. */
typedef struct SidecarName {
    char node_id[SIDECAR_NODE_ID_SIZE]; /* "": not known yet */
    bool needs_token;                   /* the one it was asked with was refused */
} SidecarName;

struct Sidecar {
    void (*task)(Sidecar *self, Arena *a, const SidecarTarget *target, const SidecarJob *job,
        SidecarNews *ret);
    void (*probe)(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarProbe *ret);
    void (*name)(Sidecar *self, Arena *a, const SidecarTarget *target, SidecarName *ret);
    void (*rest)(Sidecar *self, Key node);
    void (*forget)(Sidecar *self, Key node);
};

/* Wants a task done, from now on, and says how far it is: the sidecar is polled until it has ended
 * or another task of the node is wanted. One task at a time per node: another one is not handed
 * over before the one before has ended or has been asked for and is not known. */
void sidecar_task(
    Sidecar *s, Arena *a, const SidecarTarget *target, const SidecarJob *job, SidecarNews *ret);

/* Wants to know of the health, from now on: every 30 s, at once for a new pod (unless it awaits its
 * gate) and after a completed mark-ready (which is then told together with the health that it led
 * to: what was known before is PROBE_UNKNOWN until then); the node is woken only when it changes.
 */
void sidecar_probe(Sidecar *s, Arena *a, const SidecarTarget *target, SidecarProbe *ret);

/* Wants to know the node id, from now on: asked until it is known, once per pod; the node is woken
 * when it is, and when another token is needed: that is said once. */
void sidecar_name(Sidecar *s, Arena *a, const SidecarTarget *target, SidecarName *ret);

/* No task of the node is wanted any more; health goes on. */
void sidecar_rest(Sidecar *s, Key node);

/* Nothing is wanted of this node any more. */
void sidecar_forget(Sidecar *s, Key node);

#endif
