/* Seids: asks the seid of nodes what they run, by GET /status on port 26657 of their pods. A
 * machine over the Http port: workers say which node they want to know about and get what is known;
 * the thread of an attendant sends the requests, and enqueues the node when the answer matters.
 *
 *     reconcile ──► seids_ask(...) ──► "not known yet" ... (its own thread: GET, GET)
 *     reconcile ◄── enqueued by the answer; seids_ask(...) ──► "pacific-1"
 *
 * It shares nothing with the machine of the sidecars but the Http port: a seid that is silent or
 * dead takes no turn of a sidecar. Limits: so many requests at once, one per node, each with a
 * deadline; all nodes that did not answer last time have half of the requests together. */
#ifndef SEI_SIDECAR_SEIDS_H
#define SEI_SIDECAR_SEIDS_H

#include "base/clock.h"
#include "base/rng.h"
#include "kube/attendant.h"
#include "kube/http.h"
#include "kube/key.h"

enum {
    SEIDS_NODES_MAX = 20000,
    SEIDS_FLIGHTS_MAX = 16,
    SEID_DEADLINE_MS = 3000,
    SEID_INTERVAL_MS = 30000, /* between two answers */
    SEID_ANSWER_MAX = 64 << 10,
};

typedef struct Seids Seids;

typedef struct SeidsOptions {
    Http *http;
    Clock *clock;
    Rng *rng;        /* spreads the requests */
    int flights_max; /* requests at once; 0: SEIDS_FLIGHTS_MAX */
} SeidsOptions;

/* The machine. It enqueues keys once its attendant is bound. */
Seids *seids_open(const SeidsOptions *options);

/* Cancels what is under way. Accepts NULL. */
void seids_close(Seids *s);

/* For the manager: it must be bound, and stepped by the thread that polls `http`. */
Attendant *seids_attendant(Seids *s);

/* Whom to ask. Strings are copied. */
typedef struct SeidTarget {
    Key node;
    const char *pod_uid; /* answers of another pod are forgotten */
    const char *pod_ip;  /* NULL: not yet; then nothing is dialled */
    bool is_pod_ready;   /* when it becomes Ready, seid is asked at once */
} SeidTarget;

typedef struct SeidAnswer {
    const char *chain_id; /* as this pod named it last, in the arena; NULL: not yet */
    const char *trouble;  /* why the last request brought nothing, in the arena; or NULL */
} SeidAnswer;

/* Wants to know, from now on, and says what is known. The node is enqueued when it names another
 * chain, and, if its pod is Ready, when it does not answer for the first time. */
void seids_ask(Seids *s, Arena *a, const SeidTarget *target, SeidAnswer *ret);

/* Nothing is wanted of this node any more. */
void seids_forget(Seids *s, Key node);

/* Requests so far, and in flight now; nodes that are known. */
typedef struct SeidsFigures {
    uint64_t requests;
    int in_flight;
    size_t nodes;
} SeidsFigures;
SeidsFigures seids_figures(const Seids *s);

#endif
