/* Kubelet: what happens to it from outside: orders of scripts, and questions to its pods. */
#include "base/str.h"
#include "world/kubelet.h"
#include "world/kubelet_state.h"
#include "world/seid_rpc.h"

#include <stdio.h>
#include <string.h>

static const int ports[] = {POD_PORT_PROXY, POD_PORT_RPC};

enum { PORT_COUNT = sizeof ports / sizeof ports[0] };

PodScript *kubelet_script(Kubelet *k, const char *key)
{
    NamedScript *named = map_find(k->scripts, key);

    if (named)
        return &named->script;
    if (map_count(k->scripts) == KUBELET_SCRIPTS_MAX)
        return NULL;
    named = slab_alloc(k->slab, sizeof *named + strlen(key) + 1);
    memset(named, 0, sizeof *named);
    memcpy(named->key, key, strlen(key) + 1);
    return map_put(k->scripts, named->key, named) ? &named->script : NULL;
}

/* --- orders about sidecars */

static SidecarRule *find_or_add_rule(SidecarScript *s, const char *type)
{
    SidecarRule *unused = NULL;

    for (size_t i = 0; i < SIDECAR_RULES_MAX; i++) {
        if (str_eq(s->rules[i].type, type))
            return &s->rules[i];
        if (!unused && !s->rules[i].type[0])
            unused = &s->rules[i];
    }
    if (unused)
        snprintf(unused->type, sizeof unused->type, "%s", type);
    return unused;
}

static bool rule_task(PodScript *script, const KubeletOrder *order)
{
    SidecarRule *rule = find_or_add_rule(&script->sidecar, order->text ? order->text : "");

    if (!rule)
        return false;
    if (order->deed == DEED_TASK_TAKES) {
        rule->takes_ms = order->ms;
        return true;
    }
    rule->fail_count = order->count;
    snprintf(
        rule->error, sizeof rule->error, "%s", order->error ? order->error : "failed by a script");
    return true;
}

/* --- orders about pods that are there */

static bool crash(Tenant *t, ContainerProgram program, int exit_code, int64_t now_ms)
{
    Container *c = t ? pod_find(&t->pod, program) : NULL;

    if (!c || !container_is_running(c))
        return false;
    pod_crash(&t->pod, c, exit_code, now_ms);
    return true;
}

static bool evict(Tenant *t, int64_t now_ms)
{
    if (!t || !t->node || t->pod.stage == POD_STOPPED)
        return false;
    t->pod.is_evicted = true;
    pod_stop(&t->pod, t->pod.grace_s, now_ms);
    return true;
}

static bool touch_volume(Kubelet *k, Tenant *t, const KubeletOrder *order)
{
    if (!t || !t->pod.volume)
        return false;
    if (order->deed == DEED_FILL_DISK)
        t->pod.volume->is_full = order->count > 0;
    else if (order->deed == DEED_EMPTY_DISK)
        volume_empty(t->pod.volume);
    else
        t->pod.volume->is_config_wrong = true;
    kubelet_note(k, t);
    return true;
}

static bool order_pod(Kubelet *k, const KubeletOrder *order, int64_t now_ms)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *key = key_text(a, order->pod);
    PodScript *script = kubelet_script(k, key);
    Tenant *t = map_find(k->by_key, key);

    if (!script)
        return false;
    if (t)
        kubelet_call(k, t, now_ms);
    switch (order->deed) {
    case DEED_FREEZE:
    case DEED_THAW:
        script->is_frozen = order->deed == DEED_FREEZE;
        return true;
    case DEED_NEVER_READY:
    case DEED_READY_AGAIN:
        script->is_never_ready = order->deed == DEED_NEVER_READY;
        return true;
    case DEED_SLOW_START:
        script->start_slow_ms = order->ms;
        return true;
    case DEED_SLOW_STOP:
        script->stop_slow_ms = order->ms;
        if (t)
            t->pod.seid.stop_ms = order->ms ? order->ms : t->pod.seid.stop_ms;
        return true;
    case DEED_CRASH:
        script->crashes = order->count;
        return crash(t, PROGRAM_SEID, 1, now_ms) || order->count > 0;
    case DEED_KILL_SIDECAR:
        return crash(t, PROGRAM_SIDECAR, 137, now_ms);
    case DEED_EVICT:
        return evict(t, now_ms);
    case DEED_TEMPER:
        script->sidecar.temper = order->temper;
        script->sidecar.delay_ms = order->ms;
        return true;
    case DEED_FAIL_TASK:
    case DEED_TASK_TAKES:
        return rule_task(script, order);
    case DEED_FILL_DISK:
    case DEED_EMPTY_DISK:
    case DEED_SPOIL_CONFIG:
        return touch_volume(k, t, order);
    default:
        return false;
    }
}

/* --- orders about images and nodes */

static bool order_image(Kubelet *k, const KubeletOrder *order)
{
    const char *want = order->deed == DEED_BAD_IMAGE ? "" : order->text;

    if (str_empty(order->text))
        return false;
    for (size_t i = 0; i < KUBELET_BAD_IMAGES_MAX; i++)
        if (str_eq(k->bad_images[i], want)) {
            const char *text = order->deed == DEED_BAD_IMAGE ? order->text : "";
            snprintf(k->bad_images[i], sizeof k->bad_images[i], "%s", text);
            return true;
        }
    return false;
}

static bool order_node(Kubelet *k, const KubeletOrder *order, int64_t now_ms)
{
    Node *node = order->text ? kubelet_node(k, order->text) : NULL;

    if (!node)
        return false;
    node->is_lost = order->deed == DEED_LOSE_NODE;
    node->lost_ms = now_ms;
    for (Link *l = k->tenants.next; l != &k->tenants; l = l->next) {
        Tenant *t = link_owner(Tenant, all, l);
        if (t->node != node)
            continue;
        t->pod.is_node_lost = false;
        if (!node->is_lost && (t->is_deleting || t->is_gone))
            pod_stop(&t->pod, t->pod.grace_s, now_ms);
        kubelet_call(k, t, now_ms);
    }
    return true;
}

bool kubelet_order(Kubelet *k, const KubeletOrder *order, int64_t now_ms)
{
    switch (order->deed) {
    case DEED_BAD_IMAGE:
    case DEED_GOOD_IMAGE:
        return order_image(k, order);
    case DEED_LOSE_NODE:
    case DEED_RESTORE_NODE:
        return order_node(k, order, now_ms);
    default:
        return order_pod(k, order, now_ms);
    }
}

void kubelet_slow(Kubelet *k, int64_t slow_ms)
{
    k->host.slow_ms = slow_ms;
}

/* --- questions */

static void ask_seid(const Pod *p, Arena *a, const SidecarRequest *request, SidecarAnswer *ret)
{
    Answer page;

    seid_rpc_answer(p, a, request->target, request->now_ms, &page);
    *ret = (SidecarAnswer){
        .fate = FATE_ANSWERED,
        .status = page.status,
        .content_type = page.body ? "application/json" : "text/plain; charset=utf-8",
        .body = page.body ? json_write(a, page.body) : bytes_of("404 page not found\n"),
    };
}

void kubelet_ask(Kubelet *k, Arena *a, const PodEndpoint *endpoint, const SidecarRequest *request,
    SidecarAnswer *ret)
{
    Tenant *t = map_find(k->by_address, endpoint->address);

    *ret = (SidecarAnswer){.fate = FATE_REFUSED};
    if (!t)
        return;
    if (t->node->is_lost || t->pod.script->is_frozen) {
        ret->fate = FATE_HANGS;
        return;
    }
    if (!pod_listens(&t->pod, endpoint->port))
        return;
    seid_step(&t->pod.seid, request->now_ms);
    sidecar_step(&t->pod.sidecar, request->now_ms);
    if (endpoint->port == POD_PORT_PROXY)
        sidecar_answer(&t->pod.sidecar, &t->pod.proxy, a, request, ret);
    else if (pod_listens(&t->pod, endpoint->port))
        ask_seid(&t->pod, a, request, ret);
    ret->delay_ms += k->host.slow_ms;
    kubelet_note(k, t); /* before anybody reads the answer */
    kubelet_note_ports(k, t);
    kubelet_call(k, t, request->now_ms);
}

const Pod *kubelet_find(const Kubelet *k, Key pod)
{
    SCOPED_ARENA a = arena_open(1 << 16);
    const Tenant *t = map_find(k->by_key, key_text(a, pod));
    return t ? &t->pod : NULL;
}

/* The cursor counts every port of every pod. */
bool kubelet_next_endpoint(const Kubelet *k, size_t *cursor, PodEndpoint *ret)
{
    for (;;) {
        size_t place = *cursor / PORT_COUNT, port = *cursor % PORT_COUNT, next = place;
        const Tenant *t = map_next(k->by_address, &next);

        if (!t)
            return false;
        *cursor = (port + 1 < PORT_COUNT ? place : next) * PORT_COUNT + (port + 1) % PORT_COUNT;
        if (!pod_listens(&t->pod, ports[port]))
            continue;
        *ret = (PodEndpoint){t->pod.address, ports[port]};
        return true;
    }
}

void kubelet_note_ports(Kubelet *k, Tenant *t)
{
    unsigned listens = 0;

    for (unsigned i = 0; i < PORT_COUNT; i++)
        if (t->pod.address[0] && pod_listens(&t->pod, ports[i]))
            listens |= 1U << i;
    if (listens != t->listens)
        k->endpoints_version++;
    t->listens = listens;
}

uint64_t kubelet_endpoints_version(const Kubelet *k)
{
    return k->endpoints_version;
}

const Hazards *kubelet_hazards(const Kubelet *k)
{
    return &k->hazards;
}

Outside *kubelet_outside(Kubelet *k)
{
    return k->host.outside;
}
