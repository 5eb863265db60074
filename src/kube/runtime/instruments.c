/* Instruments: one row per metric family, and the few functions that move them. */
#include "kube/runtime/instruments.h"

#include "base/str.h"
#include "kube/runtime/machine.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const double seconds_buckets[] = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 0};

/* Where a family's handle goes. */
typedef struct InstrumentRow {
    size_t offset;
    MetricSpec spec;
} InstrumentRow;

#define AT(member) .offset = offsetof(Instruments, member)

static const InstrumentRow rows[] = {
    {AT(reconcile_total),
        {"controller_runtime_reconcile_total",
            "Reconciles by controller and result (success, requeue_after, error)",
            METRIC_COUNTER,
            .labels = {"controller", "result"}}},
    {AT(reconcile_errors),
        {"controller_runtime_reconcile_errors_total",
            "Reconciles that ended in an error",
            METRIC_COUNTER,
            .labels = {"controller"}}},
    {AT(reconcile_terminal),
        {"controller_runtime_terminal_reconcile_errors_total",
            "Reconciles that cannot succeed until something changes",
            METRIC_COUNTER,
            .labels = {"controller"}}},
    {AT(reconcile_seconds),
        {"controller_runtime_reconcile_time_seconds",
            "Length of a reconcile",
            METRIC_HISTOGRAM,
            .labels = {"controller"},
            .buckets = seconds_buckets}},
    {AT(max_concurrent),
        {"controller_runtime_max_concurrent_reconciles",
            "Workers that share the keys of all controllers",
            METRIC_GAUGE,
            .labels = {"controller"}}},
    {AT(active_workers),
        {"controller_runtime_active_workers", "Workers that are reconciling now", METRIC_GAUGE}},
    {AT(queue_depth),
        {"workqueue_depth", "Keys that are ready for a worker", METRIC_GAUGE, .labels = {"name"}}},
    {AT(queue_adds), {"workqueue_adds_total", "Keys added", METRIC_COUNTER, .labels = {"name"}}},
    {AT(queue_retries),
        {"workqueue_retries_total",
            "Keys added again after a failure",
            METRIC_COUNTER,
            .labels = {"name"}}},
    {AT(queue_seconds),
        {"workqueue_queue_duration_seconds",
            "How long a key waited for a worker",
            METRIC_HISTOGRAM,
            .labels = {"name"},
            .buckets = seconds_buckets}},
    {AT(work_seconds),
        {"workqueue_work_duration_seconds",
            "How long a worker held a key",
            METRIC_HISTOGRAM,
            .labels = {"name"},
            .buckets = seconds_buckets}},
    {AT(requests),
        {"rest_client_requests_total",
            "Requests to the API server by answer; <error> when none came",
            METRIC_COUNTER,
            .labels = {"code", "host", "method"}}},
    {AT(leader),
        {"leader_election_master_status",
            "1 while this process leads",
            METRIC_GAUGE,
            .labels = {"name"}}},
    {AT(cache_objects),
        {"kube_cache_objects", "Objects in a cache", METRIC_GAUGE, .labels = {"kind", "watch"}}},
    {AT(cache_bytes),
        {"kube_cache_bytes", "Bytes of a cache", METRIC_GAUGE, .labels = {"kind", "watch"}}},
    {AT(watch_lists),
        {"kube_watch_lists_total", "Lists begun", METRIC_COUNTER, .labels = {"kind", "watch"}}},
    {AT(watch_starts),
        {"kube_watch_starts_total", "Watches begun", METRIC_COUNTER, .labels = {"kind", "watch"}}},
    {AT(watch_events),
        {"kube_watch_events_total",
            "Events taken in",
            METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(watch_bytes),
        {"kube_watch_bytes_total", "Bytes received", METRIC_COUNTER, .labels = {"kind", "watch"}}},
    {AT(watch_open),
        {"kube_watch_open",
            "1 while the watch is open",
            METRIC_GAUGE,
            .labels = {"kind", "watch"}}},
    {AT(steps_back),
        {"kube_cache_steps_back_total",
            "Lists that were older than what had been seen: a restored backup",
            METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(events_sent), {"kube_events_sent_total", "Events written for people", METRIC_COUNTER}},
    {AT(events_dropped),
        {"kube_events_dropped_total", "Events given up: too many, or refused", METRIC_COUNTER}},
    {AT(process_cpu), {"process_cpu_seconds_total", "User and system CPU time", METRIC_COUNTER}},
    {AT(process_resident), {"process_resident_memory_bytes", "Resident memory", METRIC_GAUGE}},
    {AT(process_start),
        {"process_start_time_seconds", "Start of the process since 1970", METRIC_GAUGE}},
    {AT(process_fds), {"process_open_fds", "Open file descriptors", METRIC_GAUGE}},
};

Instruments instruments_declare(Metrics *m)
{
    Instruments i = {0};

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        *(MetricFamily **)((char *)&i + rows[r].offset) = metrics_declare(m, &rows[r].spec);
    return i;
}

static const char *result_of(const ReconcileRecord *record)
{
    if (!record->err)
        return record->again ? "requeue_after" : "success";
    return record->err->class == ERR_WAIT ? "requeue_after" : "error";
}

void instruments_reconciled(Instruments *i, const ReconcileRecord *record)
{
    MetricLabels controller = {{record->controller}};
    const char *result = result_of(record);

    metrics_add(i->reconcile_total, (MetricLabels){{record->controller, result}}, 1);
    if (str_eq(result, "error"))
        metrics_add(i->reconcile_errors, controller, 1);
    if (err_is(record->err, ERR_TERMINAL))
        metrics_add(i->reconcile_terminal, controller, 1);
    metrics_observe(i->reconcile_seconds, controller, record->worked_seconds);
    metrics_observe(i->work_seconds, controller, record->worked_seconds);
    metrics_observe(i->queue_seconds, controller, record->waited_seconds);
}

void instruments_requested(Instruments *i, const char *host, const Request *request, const Err *err)
{
    char code[16] = "2xx";

    if (err && err->status)
        snprintf(code, sizeof code, "%d", err->status);
    else if (err)
        snprintf(code, sizeof code, "<error>");
    metrics_add(i->requests, (MetricLabels){{code, host, request_method(request)}}, 1);
}

/* --- gauges ------------------------------------------------------------------------------------
 */

static double count_open_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    double count = -3; /* ".", ".." and the directory itself */

    if (!dir)
        return 0;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static double resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long size = 0, resident = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static void refresh_process(Manager *m)
{
    Instruments *i = &m->instruments;
    MetricLabels none = {0};
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) == 0)
        metrics_mirror(i->process_cpu,
            none,
            (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    metrics_set(i->process_resident, none, resident_bytes());
    metrics_set(i->process_start, none, (double)m->opened_wall_ns / 1e9);
    metrics_set(i->process_fds, none, count_open_fds());
}

static void refresh_cache(Instruments *i, const Cache *c)
{
    char number[16];
    MetricLabels labels = {{c->watch->kind->plural, number}};

    snprintf(number, sizeof number, "%d", c->number);
    metrics_set(i->cache_objects, labels, (double)store_count(c->store));
    metrics_set(i->cache_bytes, labels, (double)store_bytes(c->store));
    metrics_mirror(i->watch_lists, labels, (double)c->health.lists);
    metrics_mirror(i->watch_starts, labels, (double)c->health.watches);
    metrics_mirror(i->watch_events, labels, (double)c->health.events);
    metrics_mirror(i->watch_bytes, labels, (double)c->health.bytes);
    metrics_set(i->watch_open, labels, c->health.watching ? 1 : 0);
    metrics_mirror(i->steps_back, labels, (double)store_steps_back(c->store));
}

static void refresh_controller(Manager *m, int number)
{
    Instruments *i = &m->instruments;
    MetricLabels name = {{m->options.controllers[number]->name}};
    QueueCounts counts = queue_counts(m->queue, number);

    metrics_set(i->queue_depth, name, (double)counts.ready);
    metrics_mirror(i->queue_adds, name, (double)counts.adds);
    metrics_mirror(i->queue_retries, name, (double)counts.retries);
    metrics_set(i->max_concurrent, name, (double)m->options.workers);
}

void instruments_refresh(Manager *m)
{
    Instruments *i = &m->instruments;
    EventsCounts events = events_counts(m->events);

    for (int n = 0; n < m->controller_count; n++)
        refresh_controller(m, n);
    for (int n = 0; n < m->cache_count; n++)
        refresh_cache(i, &m->caches[n]);
    metrics_set(i->active_workers, (MetricLabels){0}, (double)m->busy_workers);
    metrics_mirror(i->events_sent, (MetricLabels){0}, (double)events.sent);
    metrics_mirror(i->events_dropped, (MetricLabels){0}, (double)events.dropped);
    if (m->lease)
        metrics_set(i->leader, (MetricLabels){{m->options.lease_name}}, manager_leads(m) ? 1 : 0);
    refresh_process(m);
}
