/* Events: what people see in `kubectl events`. Bounded, aggregated, and never in the way of work.
 *
 * Equal events (same object, type, reason, note, action, controller) within ten minutes become one
 * Event with a series. A flood about one object is cut (a token bucket per object), and so is the
 * whole (a ring of pending events: the oldest is dropped and counted). A machine: step gives the
 * next request, answer brings its outcome. A failed event is tried three times, then dropped. */
#ifndef KUBE_RUNTIME_EVENTS_H
#define KUBE_RUNTIME_EVENTS_H

#include "base/err.h"
#include "base/json.h"
#include "base/rng.h"
#include "kube/request.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Events Events;

typedef struct EventsOptions {
    const char *instance; /* reportingInstance */
    size_t pending_max;   /* 0: 1,024 */
    size_t series_max;    /* remembered for aggregation; 0: 4,096 */
    Rng *rng;
} EventsOptions;

Events *events_open(const EventsOptions *options);
void events_close(Events *e);

typedef struct EventNote {
    const Json *regarding;  /* apiVersion, kind, metadata */
    const char *controller; /* reportingController */
    const char *type;       /* Normal, Warning */
    const char *reason;     /* at most 128 bytes */
    const char *action;     /* what was attempted; NULL: the reason */
    const char *note;       /* cut at 1 KiB */
} EventNote;

/* Takes an event in; copies what it needs. Never fails. */
void events_record(Events *e, const EventNote *note, int64_t now_ms, int64_t wall_ns);

/* True when a request is due; else *ret_next is the time of the next call. One request at a time.
 */
bool events_step(Events *e, Arena *a, int64_t now_ms, Request *ret, int64_t *ret_next);
void events_answer(Events *e, const Err *err, const Json *object, int64_t now_ms);

/* For metrics: sent, dropped so far; pending now. */
typedef struct EventsCounts {
    uint64_t sent, dropped;
    size_t pending;
} EventsCounts;
EventsCounts events_counts(const Events *e);

#endif
