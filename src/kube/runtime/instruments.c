/* Instruments: one row per metric family, and the few functions that move them. */
#include "kube/runtime/instruments.h"

#include "base/str.h"
#include "kube/runtime/descriptors.h"
#include "kube/runtime/machine.h"

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
        {.name = "controller_runtime_reconcile_total",
            .help = "Reconciles by controller and result (success, requeue_after, error)",
            .type = METRIC_COUNTER,
            .labels = {"controller", "result"}}},
    {AT(reconcile_errors),
        {.name = "controller_runtime_reconcile_errors_total",
            .help = "Reconciles that ended in an error",
            .type = METRIC_COUNTER,
            .labels = {"controller"}}},
    {AT(reconcile_terminal),
        {.name = "controller_runtime_terminal_reconcile_errors_total",
            .help = "Reconciles that cannot succeed until something changes",
            .type = METRIC_COUNTER,
            .labels = {"controller"}}},
    {AT(reconcile_seconds),
        {.name = "controller_runtime_reconcile_time_seconds",
            .help = "Length of a reconcile",
            .type = METRIC_HISTOGRAM,
            .labels = {"controller"},
            .buckets = seconds_buckets}},
    {AT(max_concurrent),
        {.name = "controller_runtime_max_concurrent_reconciles",
            .help = "Workers that share the keys of all controllers",
            .type = METRIC_GAUGE,
            .labels = {"controller"}}},
    {AT(active_workers),
        {.name = "controller_runtime_active_workers",
            .help = "Workers that are reconciling now",
            .type = METRIC_GAUGE,
            .labels = {"controller"}}},
    {AT(queue_depth),
        {.name = "workqueue_depth",
            .help = "Keys that are ready for a worker",
            .type = METRIC_GAUGE,
            .labels = {"name", "controller"}}},
    {AT(queue_adds),
        {.name = "workqueue_adds_total",
            .help = "Keys added",
            .type = METRIC_COUNTER,
            .labels = {"name", "controller"}}},
    {AT(queue_retries),
        {.name = "workqueue_retries_total",
            .help = "Keys added again after a failure",
            .type = METRIC_COUNTER,
            .labels = {"name", "controller"}}},
    {AT(queue_seconds),
        {.name = "workqueue_queue_duration_seconds",
            .help = "How long a key waited for a worker",
            .type = METRIC_HISTOGRAM,
            .labels = {"name", "controller"},
            .buckets = seconds_buckets}},
    {AT(work_seconds),
        {.name = "workqueue_work_duration_seconds",
            .help = "How long a worker held a key",
            .type = METRIC_HISTOGRAM,
            .labels = {"name", "controller"},
            .buckets = seconds_buckets}},
    {AT(unfinished_seconds),
        {.name = "workqueue_unfinished_work_seconds",
            .help = "How long the workers of now have held their keys, added up",
            .type = METRIC_GAUGE,
            .labels = {"name", "controller"}}},
    {AT(longest_seconds),
        {.name = "workqueue_longest_running_processor_seconds",
            .help = "How long the worker of now that holds its key the longest has done so",
            .type = METRIC_GAUGE,
            .labels = {"name", "controller"}}},
    {AT(requests),
        {.name = "rest_client_requests_total",
            .help = "Requests to the API server by answer; <error> when none came",
            .type = METRIC_COUNTER,
            .labels = {"code", "host", "method"}}},
    {AT(leader),
        {.name = "leader_election_master_status",
            .help = "1 while this process leads",
            .type = METRIC_GAUGE,
            .labels = {"name"}}},
    {AT(cache_objects),
        {.name = "kube_cache_objects",
            .help = "Objects in a cache",
            .type = METRIC_GAUGE,
            .labels = {"kind", "watch"}}},
    {AT(cache_bytes),
        {.name = "kube_cache_bytes",
            .help = "Bytes of a cache",
            .type = METRIC_GAUGE,
            .labels = {"kind", "watch"}}},
    {AT(watch_lists),
        {.name = "kube_watch_lists_total",
            .help = "Lists begun",
            .type = METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(watch_starts),
        {.name = "kube_watch_starts_total",
            .help = "Watches begun",
            .type = METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(watch_events),
        {.name = "kube_watch_events_total",
            .help = "Events taken in",
            .type = METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(watch_bytes),
        {.name = "kube_watch_bytes_total",
            .help = "Bytes received",
            .type = METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(watch_open),
        {.name = "kube_watch_open",
            .help = "1 while the watch is open; not there while the server does not know the kind",
            .type = METRIC_GAUGE,
            .labels = {"kind", "watch"}}},
    {AT(steps_back),
        {.name = "kube_cache_steps_back_total",
            .help = "Lists that were older than what had been seen: a restored backup",
            .type = METRIC_COUNTER,
            .labels = {"kind", "watch"}}},
    {AT(events_sent),
        {.name = "kube_events_sent_total",
            .help = "Events written for people",
            .type = METRIC_COUNTER}},
    {AT(events_dropped),
        {.name = "kube_events_dropped_total",
            .help = "Events given up: too many, or refused",
            .type = METRIC_COUNTER}},
    {AT(process_cpu),
        {.name = "process_cpu_seconds_total",
            .help = "User and system CPU time",
            .type = METRIC_COUNTER}},
    {AT(process_resident),
        {.name = "process_resident_memory_bytes", .help = "Resident memory", .type = METRIC_GAUGE}},
    {AT(process_virtual),
        {.name = "process_virtual_memory_bytes", .help = "Virtual memory", .type = METRIC_GAUGE}},
    {AT(process_start),
        {.name = "process_start_time_seconds",
            .help = "Start of the process since 1970",
            .type = METRIC_GAUGE}},
    {AT(process_fds),
        {.name = "process_open_fds", .help = "Open file descriptors", .type = METRIC_GAUGE}},
    {AT(process_max_fds),
        {.name = "process_max_fds",
            .help = "File descriptors that may be open",
            .type = METRIC_GAUGE}},
    {AT(descriptor_shortages),
        {.name = "process_fd_shortages_total",
            .help = "Looks, five seconds apart, that found fewer than 8 file descriptors free",
            .type = METRIC_COUNTER}},
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
    MetricLabels queue = {{record->controller, record->controller}};
    const char *result = result_of(record);

    metrics_add(i->reconcile_total, (MetricLabels){{record->controller, result}}, 1);
    if (str_eq(result, "error"))
        metrics_add(i->reconcile_errors, controller, 1);
    if (err_is(record->err, ERR_TERMINAL))
        metrics_add(i->reconcile_terminal, controller, 1);
    metrics_observe(i->reconcile_seconds, controller, record->worked_seconds);
    metrics_observe(i->work_seconds, queue, record->worked_seconds);
    metrics_observe(i->queue_seconds, queue, record->waited_seconds);
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

static void refresh_memory(Instruments *i)
{
    FILE *file = fopen("/proc/self/statm", "re");
    double page = (double)sysconf(_SC_PAGESIZE);
    long size = 0, resident = 0;

    if (!file)
        return;
    if (fscanf(file, "%ld %ld", &size, &resident) == 2) {
        metrics_set(i->process_virtual, (MetricLabels){0}, (double)size * page);
        metrics_set(i->process_resident, (MetricLabels){0}, (double)resident * page);
    }
    fclose(file);
}

static void refresh_files(Instruments *i)
{
    DescriptorsUse use = descriptors_use();

    metrics_set(i->process_fds, (MetricLabels){0}, (double)use.open);
    metrics_set(i->process_max_fds, (MetricLabels){0}, (double)use.limit);
    metrics_add(i->descriptor_shortages, (MetricLabels){0}, 0);
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
    metrics_set(i->process_start, none, (double)m->opened_wall_ns / 1e9);
    refresh_memory(i);
    refresh_files(i);
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
    /* A kind that the server does not know is nobody's trouble. */
    if (c->health.absent)
        metrics_remove(i->watch_open, labels);
    else
        metrics_set(i->watch_open, labels, c->health.watching ? 1 : 0);
    metrics_mirror(i->steps_back, labels, (double)store_steps_back(c->store));
}

/* What has not happened is 0 and not absent: an alert asks by how much it grew. */
static void show_what_never_happened(Instruments *i, const char *controller)
{
    static const char *const results[] = {"success", "requeue_after", "error"};
    MetricLabels name = {{controller}};

    for (size_t r = 0; r < sizeof results / sizeof results[0]; r++)
        metrics_add(i->reconcile_total, (MetricLabels){{controller, results[r]}}, 0);
    metrics_add(i->reconcile_errors, name, 0);
    metrics_add(i->reconcile_terminal, name, 0);
}

static void refresh_workers(Manager *m, int controller)
{
    Instruments *i = &m->instruments;
    MetricLabels name = {{m->options.controllers[controller]->name}};
    MetricLabels queue = {{name.values[0], name.values[0]}};
    int64_t now = clock_mono_ms(m->clock), sum = 0, longest = 0;
    int active = 0;

    for (const Link *at = m->busy.next; at != &m->busy; at = at->next) {
        const BusyWorker *worker = link_owner(const BusyWorker, link, at);
        int64_t held = now - worker->since_ms;
        if (worker->controller != controller)
            continue;
        active++;
        sum += held;
        longest = held > longest ? held : longest;
    }
    metrics_set(i->active_workers, name, active);
    metrics_set(i->max_concurrent, name, (double)m->options.workers);
    metrics_set(i->unfinished_seconds, queue, (double)sum / 1e3);
    metrics_set(i->longest_seconds, queue, (double)longest / 1e3);
}

static void refresh_controller(Manager *m, int number)
{
    Instruments *i = &m->instruments;
    const char *name = m->options.controllers[number]->name;
    MetricLabels queue = {{name, name}};
    QueueCounts counts = queue_counts(m->queue, number);

    metrics_set(i->queue_depth, queue, (double)counts.ready);
    metrics_mirror(i->queue_adds, queue, (double)counts.adds);
    metrics_mirror(i->queue_retries, queue, (double)counts.retries);
    show_what_never_happened(i, name);
    refresh_workers(m, number);
}

void instruments_refresh(Manager *m)
{
    Instruments *i = &m->instruments;
    EventsCounts events = events_counts(m->events);

    for (int n = 0; n < m->controller_count; n++)
        refresh_controller(m, n);
    for (int n = 0; n < m->cache_count; n++)
        refresh_cache(i, &m->caches[n]);
    metrics_mirror(i->events_sent, (MetricLabels){0}, (double)events.sent);
    metrics_mirror(i->events_dropped, (MetricLabels){0}, (double)events.dropped);
    if (m->lease)
        metrics_set(i->leader, (MetricLabels){{m->options.lease_name}}, manager_leads(m) ? 1 : 0);
    refresh_process(m);
}
