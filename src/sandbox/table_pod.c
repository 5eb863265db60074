/* The cells of pods: what its containers make of a pod, in a word.
 *
 * While init containers have work to do they alone speak for the pod; sidecars (init containers
 * that are always restarted) count as containers once they have started. */
#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sandbox/table_cells.h"

#include <inttypes.h>

/* What a walk over the containers has gathered. */
typedef struct PodDigest {
    const char *status;
    int64_t restarts, sidecar_restarts;
    int64_t ready, total;
    int64_t last_ns, sidecar_last_ns; /* of the last restart; 0: never */
    bool is_initializing;
} PodDigest;

static const Json *init_container(const Json *pod, const char *name)
{
    const Json *each;

    json_each(each, json_find(pod, ".spec.initContainers"))
        if (str_eq(json_str(each, ".name"), name))
            return each;
    return NULL;
}

static bool is_sidecar(const Json *container)
{
    return str_eq(json_str(container, ".restartPolicy"), "Always");
}

static void note_restart(const Json *status, int64_t *ret_last_ns)
{
    const char *finished = json_str(status, ".lastState.terminated.finishedAt");
    int64_t at_ns;

    if (finished && timestamp_parse(finished, &at_ns) && at_ns > *ret_last_ns)
        *ret_last_ns = at_ns;
}

/* "Error", "Signal:9" or "ExitCode:1". */
static const char *end_reason(Arena *a, const Json *terminated)
{
    const char *reason = json_str(terminated, ".reason");
    int64_t signal = json_int(terminated, ".signal", 0);

    if (!str_empty(reason))
        return reason;
    if (signal != 0)
        return str_format(a, "Signal:%" PRId64, signal);
    return str_format(a, "ExitCode:%" PRId64, json_int(terminated, ".exitCode", 0));
}

/* What an init container that holds the pod up says. */
static const char *init_reason(Arena *a, const Json *pod, const Json *status, size_t place)
{
    const Json *terminated = json_find(status, ".state.terminated");
    const char *waiting = json_str(status, ".state.waiting.reason");

    if (terminated)
        return str_format(a, "Init:%s", end_reason(a, terminated));
    if (!str_empty(waiting) && !str_eq(waiting, "PodInitializing"))
        return str_format(a, "Init:%s", waiting);
    return str_format(a, "Init:%zu/%zu", place, json_count(json_find(pod, ".spec.initContainers")));
}

/* Up to the first one that is not done. */
static void digest_init(Arena *a, const Json *pod, PodDigest *d)
{
    const Json *statuses = json_find(pod, ".status.initContainerStatuses"), *status;
    size_t place = 0;

    json_each(status, statuses) {
        bool sidecar = is_sidecar(init_container(pod, json_str(status, ".name")));
        int64_t restarts = json_int(status, ".restartCount", 0);
        d->restarts += restarts;
        note_restart(status, &d->last_ns);
        if (sidecar) {
            d->sidecar_restarts += restarts;
            note_restart(status, &d->sidecar_last_ns);
        }
        if (json_int(status, ".state.terminated.exitCode", -1) == 0) {
            place++;
            continue;
        }
        if (!sidecar || !json_bool(status, ".started", false)) {
            d->status = init_reason(a, pod, status, place);
            d->is_initializing = true;
            return;
        }
        d->ready += json_bool(status, ".ready", false);
        place++;
    }
}

/* One container's word for the pod; `ret_running` when it runs and is ready. */
static void digest_container(Arena *a, const Json *status, PodDigest *d, bool *ret_running)
{
    const char *waiting = json_str(status, ".state.waiting.reason");
    const Json *terminated = json_find(status, ".state.terminated");

    d->restarts += json_int(status, ".restartCount", 0);
    note_restart(status, &d->last_ns);
    if (!str_empty(waiting)) {
        d->status = waiting;
    } else if (terminated) {
        d->status = end_reason(a, terminated);
    } else if (json_bool(status, ".ready", false) && json_find(status, ".state.running")) {
        *ret_running = true;
        d->ready++;
    }
}

/* From the last to the first, so that the first one has the last word. */
static void digest_containers(TableRow *row, PodDigest *d)
{
    const Json *statuses = json_find(row->object, ".status.containerStatuses"), *each;
    size_t count = json_count(statuses), place = 0;
    const Json **order = arena_array(row->arena, const Json *, count);
    bool running = false;

    d->restarts = d->sidecar_restarts;
    d->last_ns = d->sidecar_last_ns;
    json_each(each, statuses)
        order[place++] = each;
    while (place > 0)
        digest_container(row->arena, order[--place], d, &running);
    if (running && str_eq(d->status, "Completed"))
        d->status = str_eq(row_condition(row, "Ready"), "True") ? "Running" : "NotReady";
}

static const char *first_status(const Json *pod)
{
    const char *reason = json_str(pod, ".status.reason"), *phase = json_str(pod, ".status.phase");
    const Json *each;

    json_each(each, json_find(pod, ".status.conditions"))
        if (str_eq(json_str(each, ".type"), "PodScheduled")
            && str_eq(json_str(each, ".reason"), "SchedulingGated"))
            return "SchedulingGated";
    return str_empty(reason) ? phase : reason;
}

static PodDigest digest(TableRow *row)
{
    const Json *pod = row->object, *each;
    const char *phase = json_str(pod, ".status.phase");
    PodDigest d = {
        .status = first_status(pod),
        .total = (int64_t)json_count(json_find(pod, ".spec.containers")),
    };

    json_each(each, json_find(pod, ".spec.initContainers"))
        d.total += is_sidecar(each);
    digest_init(row->arena, pod, &d);
    if (!d.is_initializing || str_eq(row_condition(row, "Initialized"), "True"))
        digest_containers(row, &d);
    if (!meta_deleting(pod))
        return d;
    if (str_eq(json_str(pod, ".status.reason"), "NodeLost"))
        d.status = "Unknown";
    else if (!str_eq(phase, "Succeeded") && !str_eq(phase, "Failed"))
        d.status = "Terminating";
    return d;
}

/* --- cells --- */

void cell_pod_ready(TableRow *row, const TableColumn *column)
{
    PodDigest d = digest(row);

    (void)column;
    row_push_text(row, str_format(row->arena, "%" PRId64 "/%" PRId64, d.ready, d.total));
}

void cell_pod_status(TableRow *row, const TableColumn *column)
{
    (void)column;
    row_push_text(row, digest(row).status);
}

void cell_pod_restarts(TableRow *row, const TableColumn *column)
{
    PodDigest d = digest(row);
    const char *text = str_format(row->arena, "%" PRId64, d.restarts);
    char ago[TIMESTAMP_SIZE];

    (void)column;
    if (d.restarts != 0 && d.last_ns != 0)
        text = str_format(
            row->arena, "%s (%s ago)", text, timestamp_elapsed(row->now_ns - d.last_ns, ago));
    row_push_text(row, text);
}

void cell_pod_gates(TableRow *row, const TableColumn *column)
{
    const Json *gates = json_find(row->object, ".spec.readinessGates"), *gate;
    size_t open = 0;

    (void)column;
    json_each(gate, gates)
        open += str_eq(row_condition(row, json_str(gate, ".conditionType")), "True");
    row_push_text(row,
        json_count(gates) > 0 ? str_format(row->arena, "%zu/%zu", open, json_count(gates))
                              : "<none>");
}

Draft *pod_row_conditions(Arena *a, const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");
    bool succeeded = str_eq(phase, "Succeeded");
    Draft *conditions;

    if (!succeeded && !str_eq(phase, "Failed"))
        return NULL;
    conditions = draft_array(a);
    draft_push(conditions,
        draft(a,
            str("type", "Completed"),
            str("status", "True"),
            str("reason", phase),
            str("message", succeeded ? "The pod has completed successfully." : "The pod failed.")));
    return conditions;
}
