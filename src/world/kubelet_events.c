/* What a kubelet and a scheduler tell people about a pod. The pod's machine knows nothing of
 * Events: what it is now is compared with what was last told. */
#include "world/kubelet_state.h"

#include "base/str.h"

#include <string.h>

/* --- saying --- */

typedef struct Voice {
    Kubelet *kubelet;
    const Tenant *tenant;
    Arena *arena;
    Api *api;
} Voice;

static void say(
    const Voice *v, const Container *c, bool is_warning, const char *reason, const char *message)
{
    const Pod *p = &v->tenant->pod;
    bool is_scheduler = !c && (str_eq(reason, "Scheduled") || str_eq(reason, "FailedScheduling"));

    event_tell(v->kubelet->teller,
        v->arena,
        v->api,
        &(EventSaid){
            .kind = kind_pod,
            .key = p->key,
            .uid = p->uid,
            .part = c ? str_format(v->arena,
                            "spec.%s{%s}",
                            c->role == ROLE_MAIN ? "containers" : "initContainers",
                            c->name)
                      : NULL,
            .is_warning = is_warning,
            .reason = reason,
            .message = message,
            .component = is_scheduler ? "default-scheduler" : "kubelet",
            .host = is_scheduler ? NULL : v->tenant->node->name,
        });
}

/* --- one container --- */

static void tell_pull(const Voice *v, const Container *c)
{
    Arena *a = v->arena;

    switch (c->state) {
    case CONTAINER_PULLING:
        say(v, c, false, "Pulling", str_format(a, "Pulling image \"%s\"", c->image));
        break;
    case CONTAINER_PULL_FAILED:
        say(v,
            c,
            true,
            "Failed",
            str_format(a,
                "Failed to pull image \"%s\": failed to pull and unpack image \"%s\": not found",
                c->image,
                c->image));
        say(v, c, true, "Failed", "Error: ErrImagePull");
        break;
    case CONTAINER_PULL_BACKOFF:
        say(v, c, false, "BackOff", str_format(a, "Back-off pulling image \"%s\"", c->image));
        say(v, c, true, "Failed", "Error: ImagePullBackOff");
        break;
    default:
        break;
    }
}

static void tell_start(const Voice *v, const Container *c)
{
    Arena *a = v->arena;
    const char *pulled = c->restarts > 0
        ? str_format(a, "Container image \"%s\" already present on machine", c->image)
        : str_format(a, "Successfully pulled image \"%s\"", c->image);

    say(v, c, false, "Pulled", pulled);
    say(v, c, false, "Created", str_format(a, "Created container: %s", c->name));
    say(v, c, false, "Started", str_format(a, "Started container %s", c->name));
}

static void tell_crash(const Voice *v, const Container *c)
{
    const Pod *p = &v->tenant->pod;

    say(v,
        c,
        true,
        "BackOff",
        str_format(v->arena,
            "Back-off restarting failed container %s in pod %s_%s(%s)",
            c->name,
            p->key.name,
            p->key.namespace,
            p->uid));
}

static void tell_probe(const Voice *v, const Container *c, const Probe *probe, const char *name)
{
    if (c->state != CONTAINER_RUNNING)
        return;
    say(v,
        c,
        true,
        "Unhealthy",
        probe->target == PROBE_PROXY_OPEN || probe->target == PROBE_SEID_OPEN
            ? str_format(v->arena, "%s probe failed: connect: connection refused", name)
            : str_format(
                  v->arena, "%s probe failed: HTTP probe failed with statuscode: 503", name));
}

/* Each failure up to the threshold. A kubelet goes on from there; here the probe rests until its
 * answer may change. */
static bool has_failed_anew(int64_t failures, int64_t told)
{
    return failures > 0 && failures != told;
}

static void tell_container(const Voice *v, const Container *c, ContainerTold *told)
{
    bool has_started = c->has_begun && (!told->has_begun || c->restarts > told->restarts);
    bool is_stopping = v->tenant->pod.stage == POD_STOPPING || v->tenant->pod.stage == POD_STOPPED;

    if (c->state != told->state)
        tell_pull(v, c);
    if (has_started)
        tell_start(v, c);
    if (c->state == CONTAINER_CRASH_BACKOFF && c->state != told->state)
        tell_crash(v, c);
    if (is_stopping && told->state == CONTAINER_RUNNING && c->state != CONTAINER_RUNNING)
        say(v, c, false, "Killing", str_format(v->arena, "Stopping container %s", c->name));
    if (has_failed_anew(c->startup.failures, told->startup_failures))
        tell_probe(v, c, &c->startup, "Startup");
    if (has_failed_anew(c->liveness.failures, told->liveness_failures))
        tell_probe(v, c, &c->liveness, "Liveness");
    if (has_failed_anew(c->readiness.failures, told->readiness_failures))
        tell_probe(v, c, &c->readiness, "Readiness");
    *told = (ContainerTold){
        .state = c->state,
        .restarts = c->restarts,
        .has_begun = c->has_begun,
        .startup_failures = c->startup.failures,
        .liveness_failures = c->liveness.failures,
        .readiness_failures = c->readiness.failures,
    };
}

/* --- the pod --- */

static void tell_place(const Voice *v, PodTold *told)
{
    const Tenant *t = v->tenant;

    if (t->node && !told->is_scheduled)
        say(v,
            NULL,
            false,
            "Scheduled",
            str_format(v->arena,
                "Successfully assigned %s/%s to %s",
                t->pod.key.namespace,
                t->pod.key.name,
                t->node->name));
    else if (!t->node && t->pod.unschedulable && t->pod.unschedulable != told->unschedulable)
        say(v,
            NULL,
            true,
            "FailedScheduling",
            str_format(v->arena,
                "0/%zu nodes are available: %s.",
                v->kubelet->options.nodes,
                t->pod.unschedulable));
    told->is_scheduled = t->node != NULL;
    told->unschedulable = t->pod.unschedulable;
}

void kubelet_tell(Kubelet *k, Tenant *t, Arena *a, Api *api)
{
    Voice v = {k, t, a, api};

    if (!k->teller || t->is_gone)
        return;
    if (!t->told) {
        t->told = slab_alloc(k->slab, sizeof *t->told);
        memset(t->told, 0, sizeof *t->told);
    }
    tell_place(&v, t->told);
    if (!t->node)
        return;
    for (size_t i = 0; i < t->pod.count; i++)
        tell_container(&v, &t->pod.containers[i], &t->told->containers[i]);
    if (t->pod.is_evicted && !t->told->is_evicted)
        say(&v, NULL, true, "Evicted", "The node was low on resource: memory.");
    t->told->is_evicted = t->pod.is_evicted;
}
