/* Pod: its status as a kubelet writes it. Pure but for the times of conditions, which move when a
 * condition does. */
#include "world/pod.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/timestamp.h"

#include <stdio.h>

static const char *time_text(Arena *a, int64_t wall_ns)
{
    char text[TIMESTAMP_SIZE];
    return str_copy(a, timestamp_format(wall_ns, text));
}

static const char *time_text_ms(Arena *a, int64_t wall_ms)
{
    return time_text(a, wall_ms * 1000000);
}

/* --- containers */

static const char *hash_text(Arena *a, const char *prefix, const char *of)
{
    char hex[SHA256_HEX_SIZE];

    sha256_hex(bytes_of(of), hex);
    return str_format(a, "%s%s", prefix, hex);
}

static const char *container_id(const Pod *p, const Container *c, int64_t run, Arena *a)
{
    return hash_text(
        a, "containerd://", str_format(a, "%s/%s/%lld", p->uid, c->name, (long long)run));
}

static Draft *render_end(const Pod *p, const Container *c, const ContainerEnd *end, Arena *a)
{
    return draft(a,
        num("exitCode", end->exit_code),
        str("reason", end->reason),
        str("startedAt", time_text_ms(a, end->started_ms)),
        str("finishedAt", time_text_ms(a, end->finished_ms)),
        str("containerID", container_id(p, c, end->run, a)));
}

static const char *waiting_message(const Pod *p, const Container *c, Arena *a)
{
    switch (c->state) {
    case CONTAINER_PULL_FAILED:
        return str_format(a, "failed to pull and unpack image \"%s\": not found", c->image);
    case CONTAINER_PULL_BACKOFF:
        return str_format(a, "Back-off pulling image \"%s\"", c->image);
    case CONTAINER_CRASH_BACKOFF:
        return str_format(a,
            "back-off %llds restarting failed container=%s pod=%s_%s(%s)",
            (long long)(c->crash_backoff_ms / 2000),
            c->name,
            p->key.name,
            p->key.namespace,
            p->uid);
    default:
        return NULL;
    }
}

static Draft *render_state(const Pod *p, const Container *c, bool is_initialized, Arena *a)
{
    const char *waiting = container_waiting_reason(c, is_initialized);

    if (waiting)
        return draft(
            a, obj("waiting", str("reason", waiting), str("message", waiting_message(p, c, a))));
    if (container_is_running(c))
        return draft(a, obj("running", str("startedAt", time_text_ms(a, c->since_wall_ms))));
    return draft(a, sub("terminated", render_end(p, c, &c->end, a)));
}

static bool is_shown_ready(const Container *c)
{
    return c->role == ROLE_INIT ? container_is_passed(c) : c->is_ready;
}

static Draft *render_container(const Pod *p, const Container *c, bool is_initialized, Arena *a)
{
    bool has_id = container_is_running(c) || c->has_end;
    const ContainerEnd *last = c->state == CONTAINER_CRASH_BACKOFF ? &c->end
        : c->has_last                                              ? &c->last
                                                                   : NULL;

    return draft(a,
        str("name", c->name),
        sub("state", render_state(p, c, is_initialized, a)),
        sub("lastState",
            last ? draft(a, sub("terminated", render_end(p, c, last, a))) : draft_object(a)),
        flag("ready", is_shown_ready(c)),
        num("restartCount", c->restarts),
        str("image", c->image),
        str("imageID", has_id ? hash_text(a, str_format(a, "%s@sha256:", c->image), c->image) : ""),
        str("containerID", has_id ? container_id(p, c, c->restarts, a) : NULL),
        flag("started", c->is_started));
}

static Draft *render_containers(const Pod *p, bool want_init, bool is_initialized, Arena *a)
{
    Draft *list = draft_array(a);

    for (size_t i = 0; i < p->count; i++)
        if ((p->containers[i].role != ROLE_MAIN) == want_init)
            draft_push(
                list, render_container(p, &p->containers[i], want_init || is_initialized, a));
    return draft_count(list) ? list : NULL;
}

/* --- phase */

static bool is_initialized(const Pod *p)
{
    for (size_t i = 0; !p->has_begun && i < p->count; i++)
        if (p->containers[i].role != ROLE_MAIN && !container_is_passed(&p->containers[i]))
            return false;
    return true;
}

static bool has_failed(const Pod *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const Container *c = &p->containers[i];
        bool is_well = c->role == ROLE_NATIVE || (c->has_end && c->end.exit_code == 0);
        if (!is_well)
            return true;
    }
    return false;
}

static const char *phase_of(const Pod *p)
{
    bool is_waiting = false;

    if (p->is_evicted)
        return "Failed";
    if (p->stage == POD_STOPPED)
        return has_failed(p) ? "Failed" : "Succeeded";
    for (size_t i = 0; i < p->count; i++)
        if (p->containers[i].role == ROLE_MAIN && !p->containers[i].has_begun)
            is_waiting = true;
    return is_waiting ? "Pending" : "Running";
}

/* --- conditions */

static const char *const condition_names[POD_CONDITIONS] = {
    [POD_READY_TO_START] = "PodReadyToStartContainers",
    [POD_INITIALIZED] = "Initialized",
    [POD_READY] = "Ready",
    [POD_CONTAINERS_READY] = "ContainersReady",
    [POD_SCHEDULED] = "PodScheduled",
    [POD_DISRUPTED] = "DisruptionTarget",
};

typedef struct Finding {
    bool is_true;
    const char *reason, *message;
} Finding;

static void set_condition(Pod *p, PodConditionType type, Finding found)
{
    PodCondition *c = &p->conditions[type];

    if (!c->is_known || c->is_true != found.is_true)
        c->since_ns = p->host->clock->wall_ns(p->host->clock);
    c->is_known = true;
    c->is_true = found.is_true;
    c->reason = found.reason;
    c->message = found.message;
}

/* "containers with unready status: [a b]" of those for which `is_fine` is false, or NULL. */
static const char *list_containers(
    const Pod *p, Arena *a, const char *lead, bool (*is_fine)(const Container *c))
{
    const char *names = NULL;

    for (size_t i = 0; i < p->count; i++)
        if (!is_fine(&p->containers[i]))
            names = names ? str_format(a, "%s %s", names, p->containers[i].name)
                          : p->containers[i].name;
    return names ? str_format(a, "%s: [%s]", lead, names) : NULL;
}

static bool is_init_fine(const Container *c)
{
    return c->role == ROLE_MAIN || container_is_passed(c);
}

static bool is_ready_fine(const Container *c)
{
    return c->role == ROLE_INIT || c->is_ready;
}

static Finding find_initialized(const Pod *p, Arena *a)
{
    if (is_initialized(p))
        return (Finding){.is_true = true};
    return (Finding){.reason = "ContainersNotInitialized",
        .message = list_containers(p, a, "containers with incomplete status", is_init_fine)};
}

static Finding find_ready(const Pod *p, const char *phase, Arena *a)
{
    const char *unready = list_containers(p, a, "containers with unready status", is_ready_fine);

    if (str_eq(phase, "Succeeded"))
        return (Finding){.reason = "PodCompleted"};
    if (str_eq(phase, "Failed"))
        return (Finding){.reason = "PodFailed"};
    if (unready)
        return (Finding){.reason = "ContainersNotReady", .message = unready};
    return (Finding){.is_true = true};
}

static void find_conditions(Pod *p, const char *phase, Arena *a)
{
    if (p->stage == POD_UNBOUND) {
        set_condition(
            p, POD_SCHEDULED, (Finding){.reason = "Unschedulable", .message = p->unschedulable});
        return;
    }
    Finding ready = find_ready(p, phase, a);
    bool has_sandbox = p->stage == POD_ACTIVE || p->stage == POD_STOPPING;

    set_condition(p, POD_READY_TO_START, (Finding){.is_true = has_sandbox});
    set_condition(p, POD_INITIALIZED, find_initialized(p, a));
    set_condition(p, POD_CONTAINERS_READY, ready);
    set_condition(p, POD_READY, p->is_node_lost ? (Finding){0} : ready);
    set_condition(p, POD_SCHEDULED, (Finding){.is_true = true});
    if (p->is_evicted)
        set_condition(p,
            POD_DISRUPTED,
            (Finding){.is_true = true,
                .reason = "TerminationByKubelet",
                .message = "The node was low on resource: memory."});
}

static Draft *render_conditions(const Pod *p, Arena *a)
{
    Draft *list = draft_array(a);

    for (size_t i = 0; i < POD_CONDITIONS; i++) {
        const PodCondition *c = &p->conditions[i];
        if (c->is_known)
            draft_push(list,
                draft(a,
                    str("type", condition_names[i]),
                    draft_num_if(p->generation > 0, "observedGeneration", p->generation),
                    str("status", c->is_true ? "True" : "False"),
                    str("lastTransitionTime", time_text(a, c->since_ns)),
                    str("reason", c->reason),
                    str("message", c->message)));
    }
    return list;
}

static Draft *render_address(Arena *a, const char *address)
{
    Draft *list = draft_array(a);

    if (str_empty(address))
        return NULL;
    draft_push(list, draft(a, str("ip", address)));
    return list;
}

Draft *pod_status(Pod *p, Arena *a)
{
    const char *phase = phase_of(p);
    bool has_address = p->address[0] && p->stage != POD_MOUNTING;

    find_conditions(p, phase, a);
    if (p->stage == POD_UNBOUND)
        return draft(a, sub("conditions", render_conditions(p, a)));
    return draft(a,
        draft_num_if(p->generation > 0, "observedGeneration", p->generation),
        str("phase", phase),
        str("reason", p->is_evicted ? "Evicted" : NULL),
        str("message", p->is_evicted ? "The node was low on resource: memory." : NULL),
        sub("conditions", render_conditions(p, a)),
        str("hostIP", p->host_address),
        sub("hostIPs", render_address(a, p->host_address)),
        str("podIP", has_address ? p->address : NULL),
        sub("podIPs", has_address ? render_address(a, p->address) : NULL),
        str("startTime", time_text(a, p->started_ns)),
        sub("initContainerStatuses", render_containers(p, true, is_initialized(p), a)),
        sub("containerStatuses", render_containers(p, false, is_initialized(p), a)));
}
