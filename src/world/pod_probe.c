/* Pod: its probes. Each has a beat: since its container runs, after the delay, every period. A
 * probe whose answer is as it was, and has been long enough, next looks at the beat after the
 * answer may have changed: so a pod that is well costs nothing. */
#include "world/pod.h"
#include "world/ports.h"

static int64_t most(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

static bool page_is_fine(Pod *p, const char *path, int64_t now_ms)
{
    SCOPED_ARENA a = arena_open(64 << 10);
    SidecarAnswer answer;
    SidecarRequest request = {.method = "GET", .target = path ? path : "/", .now_ms = now_ms};

    sidecar_answer(&p->sidecar, &p->proxy, a, &request, &answer);
    return answer.fate == FATE_ANSWERED && answer.delay_ms < 1000 && answer.status >= 200
        && answer.status < 400;
}

static bool look(Pod *p, const Probe *probe, int64_t now_ms)
{
    switch (probe->target) {
    case PROBE_NONE:
    case PROBE_FINE:
        return true;
    case PROBE_EXPORTER:
        return !p->volume->grpc_is_off;
    case PROBE_PROXY_OPEN:
        return pod_listens(p, POD_PORT_PROXY);
    case PROBE_PROXY_GET:
        return pod_listens(p, POD_PORT_PROXY) && page_is_fine(p, probe->path, now_ms);
    case PROBE_LAG:
        return pod_listens(p, POD_PORT_RPC) && seid_is_ready(&p->seid, now_ms)
            && !p->script->is_never_ready;
    case PROBE_SEID_OPEN:
        return seid_serves(&p->seid) && !p->script->is_never_ready;
    }
    return false;
}

/* When the answer may change without anybody stepping the pod for another reason. */
static int64_t answer_changes(const Pod *p, const Probe *probe, int64_t now_ms)
{
    if (probe->target != PROBE_LAG || p->script->is_never_ready)
        return INT64_MAX;
    return seid_ready_changes(&p->seid, now_ms);
}

/* The first beat that is not before a time. */
static int64_t beat_from(const Container *c, const Probe *probe, int64_t from_ms)
{
    int64_t first_ms = c->since_ms + probe->delay_ms;
    int64_t period_ms = most(probe->period_ms, 1000);

    if (from_ms <= first_ms)
        return first_ms;
    if (from_ms > INT64_MAX - period_ms)
        return INT64_MAX;
    return first_ms + (from_ms - first_ms + period_ms - 1) / period_ms * period_ms;
}

static bool is_settled(const Probe *probe, bool is_fine)
{
    return is_fine ? probe->successes >= most(probe->successes_min, 1)
                   : probe->failures >= most(probe->failures_max, 1);
}

static void plan(Pod *p, const Container *c, Probe *probe, int64_t now_ms)
{
    bool has_looked = probe->successes + probe->failures > 0;
    bool is_idle = has_looked && is_settled(probe, look(p, probe, now_ms));
    int64_t from_ms = is_idle ? answer_changes(p, probe, now_ms) : now_ms;

    if (has_looked)
        from_ms = most(from_ms, probe->last_ms + 1);
    probe->next_ms = from_ms == INT64_MAX ? INT64_MAX : beat_from(c, probe, from_ms);
}

/* Looks when it is due, and plans the next look. */
static void run_probe(Pod *p, const Container *c, Probe *probe, int64_t now_ms)
{
    int64_t first_ms = c->since_ms + probe->delay_ms;
    bool has_looked = probe->successes + probe->failures > 0;

    if (!has_looked && probe->next_ms == INT64_MAX)
        plan(p, c, probe, now_ms);
    if (now_ms >= probe->next_ms && now_ms >= first_ms) {
        bool is_fine = look(p, probe, now_ms);
        probe->successes = is_fine ? probe->successes + 1 : 0;
        probe->failures = is_fine ? 0 : probe->failures + 1;
        probe->last_ms = probe->next_ms;
    }
    plan(p, c, probe, now_ms);
}

bool pod_probe(Pod *p, Container *c, int64_t now_ms)
{
    if (c->startup.target && !c->is_started) {
        run_probe(p, c, &c->startup, now_ms);
        if (c->startup.failures >= most(c->startup.failures_max, 1))
            return false;
        c->is_started = c->startup.successes > 0;
    }
    if (!c->is_started)
        return true;
    if (c->liveness.target) {
        run_probe(p, c, &c->liveness, now_ms);
        if (c->liveness.failures >= most(c->liveness.failures_max, 1))
            return false;
    }
    if (!c->readiness.target) {
        c->is_ready = true;
        return true;
    }
    run_probe(p, c, &c->readiness, now_ms);
    if (is_settled(&c->readiness, true))
        c->is_ready = true;
    else if (is_settled(&c->readiness, false))
        c->is_ready = false;
    return true;
}

int64_t pod_probe_due(const Container *c)
{
    int64_t due_ms = INT64_MAX;
    const Probe *probes[] = {&c->startup, &c->liveness, &c->readiness};

    if (c->state != CONTAINER_RUNNING)
        return INT64_MAX;
    for (size_t i = c->is_started ? 1 : 0; i < (c->is_started ? 3U : 1U); i++)
        if (probes[i]->target && probes[i]->next_ms < due_ms)
            due_ms = probes[i]->next_ms;
    return due_ms;
}
