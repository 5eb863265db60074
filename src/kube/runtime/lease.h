/* Lease: leader election on a coordination.k8s.io Lease, and the fence that it gives.
 *
 * The holder is "<identity>_<random>": the identity is stable over restarts of one pod, the random
 * part names one process. A process that starts and finds its own identity takes the lease at once
 * (only by the record that its first attempt finds: its former self is dead); if later the random
 * part changes, somebody else with our identity lives, and we step down. Others wait until the
 * lease has not changed for its duration by our own clock (never by comparing wall clocks), also
 * when somebody deletes it. Every update carries the resourceVersion that was seen.
 *
 * The fence: `left_ms` counts from the moment *before* the last successful renewal was sent. A
 * write is allowed while more lease is left than the write may take. The clock is CLOCK_BOOTTIME:
 * it counts while the machine sleeps. Who could not renew for `renew_ms` leads no more: so two
 * clocks may differ in rate by duration / renew before two processes believe to lead at once.
 *
 * A machine: step says which request is due; the caller sends it and brings the answer. */
#ifndef KUBE_RUNTIME_LEASE_H
#define KUBE_RUNTIME_LEASE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/rng.h"
#include "kube/key.h"
#include "kube/request.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Lease Lease;

enum { LEASE_IDENTITY_MAX = 512, LEASE_DURATION_MAX_MS = 86400000 };

typedef struct LeaseOptions {
    Key key;
    const char *identity;
    int64_t duration_ms; /* 0: 15,000 */
    int64_t renew_ms;    /* deadline for renewing; 0: 10,000 */
    int64_t retry_ms;    /* between attempts; 0: 2,000 */
    Clock *clock;        /* for the wall time that people read in the record, and no more */
    Rng *rng;
} LeaseOptions;

/* ERR_TERMINAL when the durations do not fit each other (duration > renew > retry), or the identity
 * or a part of the key is empty. The options are copied. */
Err *lease_open(Arena *a, const LeaseOptions *options, Lease **ret) MUST_CHECK;
void lease_close(Lease *l);

/* True when a request is due: it is then in the arena, with its deadline. Else *ret_next is the
 * time of the next call, at which a held lease is lost at the latest; INT64_MAX when there is
 * nothing more to do. */
bool lease_step(Lease *l, Arena *a, int64_t now_ms, Request *ret, int64_t *ret_next);

/* The one answer of the request that lease_step gave: an error, or the object. `sent_ms` is a time
 * before it was sent: our own lease counts from there. `now_ms` is when the answer came: what
 * others hold counts from there. */
void lease_answer(Lease *l, const Err *err, const Json *object, int64_t sent_ms, int64_t now_ms);

/* True while this process leads, by its clock. */
bool lease_is_held(const Lease *l, int64_t now_ms);

/* Milliseconds until nobody may believe us any more; 0 when we do not lead. */
int64_t lease_left_ms(const Lease *l, int64_t now_ms);

/* True once the lease was held and is no more: the process must end. */
bool lease_is_lost(const Lease *l, int64_t now_ms);

/* Failed renewals in a row; failed reads, while another leads. */
unsigned lease_failures(const Lease *l);

/* The holder as last seen, or "", borrowed until the next answer; and our own. */
const char *lease_holder(const Lease *l);
const char *lease_self(const Lease *l);

/* The request that gives the lease back (holderIdentity "", duration 1 s), so that another takes it
 * at once; false when we do not hold it. The machine is done then: its answer changes nothing. */
bool lease_release(Lease *l, Arena *a, Request *ret);

#endif
