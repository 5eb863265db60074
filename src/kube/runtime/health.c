/* Health: what a manager answers to probes and to Prometheus.
 *
 * healthz says whether the process is alive: the watch step still runs. readyz is honest: every
 * cache is synced and every watch is open, or has been closed for less than the grace that an
 * ordinary reconnect needs. A standby with warm caches is ready. Its no is 500, as that of the API
 * server is: of a 503 behind its proxy `kubectl get --raw` would not show what the page says. */
#include "base/str.h"
#include "kube/runtime/machine.h"

enum {
    HEALTH_BEAT_MAX_MS = 60000,
    HEALTH_RECONNECT_MS = 5000,
    HEALTH_PAGE_MAX = 1 << 20, /* of all but the metrics, which know how long they can get */
};

/* The guard is held. */
static bool is_alive(const Manager *m)
{
    return !m->watch_beat_ms || clock_mono_ms(m->clock) - m->watch_beat_ms < HEALTH_BEAT_MAX_MS;
}

static const char *fault_of(const Manager *m, const Cache *c)
{
    int64_t now = clock_mono_ms(m->clock);

    if (!store_is_synced(c->store))
        return c->last_error[0] ? c->last_error : "not synced yet";
    if (c->health.absent)
        return NULL;
    if (!c->health.watching && now - c->health.since_ms >= HEALTH_RECONNECT_MS)
        return c->last_error[0] ? c->last_error : "the watch is not open";
    return NULL;
}

static bool write_health(const Manager *m, Reply *reply)
{
    if (is_alive(m))
        return buf_format(&reply->body, "ok\n");
    reply->status = 500;
    return buf_format(&reply->body, "the watches have not been looked at for over a minute\n");
}

static bool write_readiness(const Manager *m, Reply *reply)
{
    bool fits = true;

    for (int i = 0; i < m->cache_count; i++) {
        const Cache *c = &m->caches[i];
        const char *fault = fault_of(m, c);
        if (fault)
            reply->status = 500;
        fits = fits
            && buf_format(&reply->body,
                "[%c] %s: %s\n",
                fault ? '-' : '+',
                c->watch->kind->plural,
                fault                     ? fault
                    : c->health.forbidden ? "ok, without the right to watch them"
                    : c->health.absent    ? "ok, not known to the server"
                                          : "ok");
    }
    return fits;
}

static bool write_metrics(Manager *m, Reply *reply)
{
    reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
    reply->body.ceiling = metrics_page_max(m->metrics);
    instruments_refresh(m);
    return metrics_write(m->metrics, &reply->body);
}

void manager_handle(void *manager, const char *path, Reply *reply)
{
    Manager *m = manager;
    bool fits = true;

    reply->status = 200;
    reply->body.ceiling = HEALTH_PAGE_MAX;
    guard_enter(m->guard);
    if (str_eq(path, "/metrics"))
        fits = write_metrics(m, reply);
    else if (str_eq(path, "/healthz"))
        fits = write_health(m, reply);
    else if (str_eq(path, "/readyz"))
        fits = write_readiness(m, reply);
    else {
        reply->status = 404;
        fits = buf_format(&reply->body, "there is /metrics, /healthz and /readyz\n");
    }
    guard_leave(m->guard);
    if (!fits) {
        reply->status = 500;
        buf_clear(&reply->body, 0);
        (void)!buf_format(&reply->body, "the page is longer than %zu bytes\n", reply->body.ceiling);
    }
}
