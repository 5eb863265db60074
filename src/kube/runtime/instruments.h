/* Instruments: the manager's own metrics, under the names that controller-runtime made known. The
 * guard is held by whoever calls. */
#ifndef KUBE_RUNTIME_INSTRUMENTS_H
#define KUBE_RUNTIME_INSTRUMENTS_H

#include "base/err.h"
#include "kube/manager.h"
#include "kube/metrics.h"
#include "kube/request.h"

typedef struct Instruments {
    MetricFamily *reconcile_total, *reconcile_errors, *reconcile_terminal, *reconcile_seconds;
    MetricFamily *max_concurrent, *active_workers;
    MetricFamily *queue_depth, *queue_adds, *queue_retries, *queue_seconds, *work_seconds;
    MetricFamily *unfinished_seconds, *longest_seconds;
    MetricFamily *requests;
    MetricFamily *leader;
    MetricFamily *cache_objects, *cache_bytes, *watch_lists, *watch_starts, *watch_events;
    MetricFamily *watch_open, *watch_bytes, *steps_back;
    MetricFamily *events_sent, *events_dropped;
    MetricFamily *process_cpu, *process_resident, *process_virtual, *process_start;
    MetricFamily *process_fds, *process_max_fds, *descriptor_shortages;
} Instruments;

/* Declares every family. */
Instruments instruments_declare(Metrics *m);

/* One reconcile ended. */
typedef struct ReconcileRecord {
    const char *controller;
    const Err *err;
    bool again; /* it asked to be called again */
    double waited_seconds, worked_seconds;
} ReconcileRecord;
void instruments_reconciled(Instruments *i, const ReconcileRecord *record);

/* One request was answered, or not (err with status 0). */
void instruments_requested(
    Instruments *i, const char *host, const Request *request, const Err *err);

/* Brings every gauge up to date, before a page is written. */
void instruments_refresh(Manager *m);

#endif
