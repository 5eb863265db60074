/* Events: what people see in `kubectl events`. Bounded, aggregated, and never in the way of work.
 *
 * Equal events (same object, type, reason, note, action, controller), none more than ten minutes
 * after the one before, become one Event with a series: the first repetition is told at once,
 * further ones together, at most once a minute. A flood of different events about one object is cut
 * (25, then one in five minutes), and so is the whole (a line of pending events: the oldest is
 * dropped and counted). A machine: step gives the next request, answer brings its outcome. A failed
 * event is tried three times, one that the server finds invalid once; then it is dropped. */
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
    const char *instance; /* reportingInstance, cut at 128 bytes; NULL: unknown */
    size_t pending_max;   /* 0: 1,024 */
    size_t series_max;    /* remembered for aggregation; 0: 4,096; at least 2 */
    Rng *rng;
} EventsOptions;

/* The options are copied. */
Events *events_open(const EventsOptions *options);

/* What is pending is lost. Accepts NULL. */
void events_close(Events *e);

typedef struct EventNote {
    const Json *regarding;  /* apiVersion, kind, metadata */
    const char *controller; /* reportingController: a name as of labels, with or without domain */
    const char *type;       /* Normal, Warning */
    const char *reason;     /* at most 128 bytes */
    const char *action;     /* what was attempted; NULL: the reason */
    const char *note;       /* cut at 1 KiB */
} EventNote;

/* Takes an event in; copies what it needs. Never fails: what cannot be told (an object without
 * name, too much about one object) is counted as dropped. */
void events_record(Events *e, const EventNote *note, int64_t now_ms, int64_t wall_ns);

/* True when a request is due: it is then in the arena. Else *ret_next is the time of the next call,
 * INT64_MAX for none. One request at a time. */
bool events_step(Events *e, Arena *a, int64_t now_ms, Request *ret, int64_t *ret_next);

/* The outcome of that request; `object` is not looked at. */
void events_answer(Events *e, const Err *err, const Json *object, int64_t now_ms);

/* For metrics: sent, dropped so far; pending now. */
typedef struct EventsCounts {
    uint64_t sent, dropped;
    size_t pending;
} EventsCounts;
EventsCounts events_counts(const Events *e);

#endif
