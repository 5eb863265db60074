/* SeidQuery: what the operator knows of one node's seid from its RPC, and when it asks next. A pod
 * that does not answer is asked with growing pauses, up to 30 s. */
#ifndef SEI_SIDECAR_SEID_QUERY_H
#define SEI_SIDECAR_SEID_QUERY_H

#include "base/rng.h"
#include "base/slab.h"
#include "sei/sidecar/seid_status.h"
#include "sei/sidecar/seids.h"
#include "sei/sidecar/slab_text.h"
#include "sei/sidecar/timetable.h"

typedef struct SeidFlight SeidFlight;

typedef struct SeidQuery {
    TimetableEntry entry;
    Timetable *timetable; /* in which the entry is; NULL: in none */
    SlabText pod_uid, pod_ip;
    SlabText chain_id; /* as this pod named it last */
    SlabText trouble;  /* of the last request, or NULL */
    int64_t due_ms, backoff_ms;
    SeidFlight *flight; /* the request under way, or NULL */
    bool is_stale;      /* of the flight: it went to another pod */
    bool is_forgotten;  /* while a request is under way: it goes when that has ended */
    bool is_pod_ready;
    char key[]; /* "namespace/name" */
} SeidQuery;

/* Time, chance and memory for it. */
typedef struct SeidPorts {
    Slab *slab;
    Rng *rng;
    int64_t now_ms;
} SeidPorts;

/* A query that asks nobody yet. */
SeidQuery *seid_query_make(Slab *slab, const char *key);
void seid_query_close(SeidQuery *q, Slab *slab);

/* Takes over where the pod is. Another pod is asked at once, and so is one that has become Ready
 * without having answered. */
void seid_query_locate(SeidQuery *q, const SeidPorts *p, const SeidTarget *target);

/* When it is to be asked; INT64_MAX: not now. */
int64_t seid_query_due_ms(const SeidQuery *q);

/* The last request was in vain. */
bool seid_query_is_suspect(const SeidQuery *q);

/* What a request brought. True: what the node should know of has changed. */
bool seid_query_hear(SeidQuery *q, const SeidPorts *p, const SeidStatus *status);

#endif
