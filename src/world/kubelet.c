/* Kubelet: pods on an agenda; each step takes the one that is due first, lets it move, and writes
 * at most one thing about it.
 *
 * A pod that the API has forgotten (a deletion by force) does not vanish here: its containers stop
 * in their own time, and its disk is in use until they have. */
#include "world/kubelet.h"

#include "base/str.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "world/disk_keeping.h"
#include "world/kubelet_state.h"

#include <stdio.h>
#include <string.h>

enum {
    RETRY_MIN_MS = 500,
    RETRY_MAX_MS = 10000,
    MOUNT_RETRY_MS = 1000,
    ADDRESSES = 254 * 254,
};

static const Kind *const kinds[] = {kind_pod, kind_pvc, NULL};

void kubelet_call(Kubelet *k, Tenant *t, int64_t at_ms)
{
    if (at_ms == INT64_MAX)
        agenda_cancel(&k->agenda, &t->turn);
    else if (!t->turn.planned || t->turn.due_ms != at_ms)
        agenda_plan(&k->agenda, &t->turn, at_ms);
}

Node *kubelet_node(Kubelet *k, const char *name)
{
    for (size_t i = 0; i < k->options.nodes; i++)
        if (str_eq(k->nodes[i].name, name))
            return &k->nodes[i];
    return NULL;
}

void kubelet_note(Kubelet *k, const Tenant *t)
{
    if (t->disk)
        disks_note(k->disks, t->disk, &t->pod.seid);
}

/* --- tenants */

static void let_disk_go(Kubelet *k, Tenant *t)
{
    kubelet_note(k, t);
    if (t->disk)
        disks_release(k->disks, t->disk);
    t->disk = NULL;
}

static void forget(Kubelet *k, Tenant *t)
{
    let_disk_go(k, t);
    kubelet_call(k, t, INT64_MAX);
    k->endpoints_version++;
    if (map_find(k->by_key, t->pod.key_text) == t)
        map_remove(k->by_key, t->pod.key_text);
    if (t->pod.address[0])
        map_remove(k->by_address, t->pod.address);
    link_remove(&t->all);
    link_remove(&t->unmounted);
    k->tenant_count--;
    if (t->told)
        slab_free(k->slab, t->told, sizeof *t->told);
    arena_close(t->pod.arena);
    slab_free(k->slab, t, sizeof *t);
}

/* The API knows it no longer. */
static void vanish(Kubelet *k, Tenant *t, int64_t now_ms)
{
    map_remove(k->by_key, t->pod.key_text);
    t->is_gone = true;
    if (!pod_is_running(&t->pod) && !t->disk) {
        forget(k, t);
        return;
    }
    if (!t->node->is_lost)
        pod_stop(&t->pod, t->pod.grace_s, now_ms);
    kubelet_call(k, t, now_ms);
}

static void give_address(Kubelet *k, Tenant *t)
{
    Pod *p = &t->pod;

    for (unsigned tries = 0; tries < ADDRESSES && !p->address[0]; tries++) {
        unsigned n = k->next_address++ % ADDRESSES;
        snprintf(p->address,
            sizeof p->address,
            "127.%d.%u.%u",
            k->options.network & 0xff,
            n / 254 + 1,
            n % 254 + 1);
        if (map_find(k->by_address, p->address) || !map_put(k->by_address, p->address, t))
            p->address[0] = '\0';
    }
}

static void settle_on(Kubelet *k, Tenant *t, Node *node)
{
    Pod *p = &t->pod;

    t->node = node;
    p->stage = POD_MOUNTING;
    p->host_address = node->address;
    p->started_ns = k->host.clock->wall_ns(k->host.clock);
    give_address(k, t);
}

static bool is_over(const Json *pod)
{
    const char *phase = json_str(pod, ".status.phase");
    return str_eq(phase, "Succeeded") || str_eq(phase, "Failed");
}

/* The agenda only keeps the order: step takes the turns, because it has the Api. */
static void not_taken(void *self, int64_t now_ms)
{
    (void)self;
    (void)now_ms;
    BUG("a kubelet's turn was taken by somebody else");
}

static Tenant *add_tenant(Kubelet *k, const char *key, const Json *pod)
{
    const char *node_name = json_str(pod, ".spec.nodeName");
    Node *node = node_name ? kubelet_node(k, node_name) : NULL;
    PodScript *script = kubelet_script(k, key);

    if (k->tenant_count == k->options.pods_max || !script || (node_name && !node))
        return NULL;
    Tenant *t = slab_alloc(k->slab, sizeof *t);
    memset(t, 0, sizeof *t);
    t->turn = (Turn){.take = not_taken, .self = t};
    t->pod.arena = arena_open(POD_SPEC_MAX);
    t->pod.host = &k->host;
    t->pod.script = script;
    link_init(&t->all);
    link_insert_before(&k->tenants, &t->all);
    link_init(&t->unmounted);
    link_insert_before(&k->unmounted, &t->unmounted);
    k->tenant_count++;
    if (!pod_decode(&t->pod, pod) || !map_put(k->by_key, t->pod.key_text, t)) {
        forget(k, t);
        return NULL;
    }
    if (node)
        settle_on(k, t, node);
    if (node && is_over(pod))
        t->pod.stage = POD_STOPPED;
    return t;
}

/* --- seeing */

static void see_pod(Kubelet *k, const Sight *sight, const char *key, int64_t now_ms)
{
    Tenant *t = map_find(k->by_key, key);
    const char *node_name = json_str(sight->object, ".spec.nodeName");

    if (t && (!sight->object || !str_eq(t->pod.uid, meta_uid(sight->object)))) {
        vanish(k, t, now_ms);
        t = NULL;
    }
    if (!sight->object)
        return;
    if (!t)
        t = add_tenant(k, key, sight->object);
    if (!t)
        return;
    if (!t->node && node_name && kubelet_node(k, node_name))
        settle_on(k, t, kubelet_node(k, node_name));
    if (meta_generation(sight->object) > t->pod.generation)
        t->pod.generation = meta_generation(sight->object);
    if (meta_deleting(sight->object)) {
        int64_t grace_s =
            json_int(sight->object, ".metadata.deletionGracePeriodSeconds", t->pod.grace_s);
        t->is_deleting = true;
        if (t->node && !t->node->is_lost)
            pod_stop(&t->pod, grace_s, now_ms);
    }
    kubelet_call(k, t, now_ms);
}

/* Pods that wait for their claim look again. */
static void see_claim(Kubelet *k, const Sight *sight, const char *key, int64_t now_ms)
{
    disks_see(k->disks, key, sight->object);
    for (Link *l = k->unmounted.next; l != &k->unmounted; l = l->next) {
        Tenant *t = link_owner(Tenant, unmounted, l);
        if (str_eq(t->pod.claim, sight->key.name)
            && str_eq(t->pod.key.namespace, sight->key.namespace))
            kubelet_call(k, t, now_ms);
    }
}

static void see(Actor *self, const Sight *sight, int64_t now_ms)
{
    Kubelet *k = (Kubelet *)(void *)self;
    SCOPED_ARENA a = arena_open(1 << 16);
    const char *key = key_text(a, sight->key);

    if (kind_eq(sight->kind, kind_pod))
        see_pod(k, sight, key, now_ms);
    else if (kind_eq(sight->kind, kind_pvc))
        see_claim(k, sight, key, now_ms);
}

/* --- moving one pod */

static void try_again(Kubelet *k, Tenant *t, int64_t now_ms)
{
    t->retry_ms = t->retry_ms ? 2 * t->retry_ms : RETRY_MIN_MS;
    if (t->retry_ms > RETRY_MAX_MS)
        t->retry_ms = RETRY_MAX_MS;
    kubelet_call(k, t, now_ms + rng_jitter(k->host.rng, t->retry_ms, 20));
}

static Node *choose_node(Kubelet *k)
{
    size_t count = 0;
    Node *fit[KUBELET_NODES_MAX];

    for (size_t i = 0; i < k->options.nodes; i++)
        if (!k->nodes[i].is_lost)
            fit[count++] = &k->nodes[i];
    return count ? fit[rng_below(k->host.rng, count)] : NULL;
}

static const char *claim_key(const Tenant *t, Arena *a)
{
    return key_text(a, (Key){t->pod.key.namespace, t->pod.claim});
}

/* Why the scheduler finds no place; or NULL. */
static const char *why_unschedulable(Kubelet *k, const Tenant *t, const Node *node, Arena *a)
{
    const Pod *p = &t->pod;
    ClaimState state = p->claim ? disks_claim(k->disks, claim_key(t, a)) : CLAIM_BOUND;

    switch (state) {
    case CLAIM_ABSENT:
        return str_format(a, "persistentvolumeclaim \"%s\" not found", p->claim);
    case CLAIM_DELETING:
        return str_format(a, "persistentvolumeclaim \"%s\" is being deleted", p->claim);
    case CLAIM_PENDING:
        return "pod has unbound immediate PersistentVolumeClaims";
    case CLAIM_BOUND:
        break;
    }
    return node ? NULL : "no nodes are available";
}

static void schedule(Kubelet *k, Tenant *t, Arena *a, Api *api, int64_t now_ms)
{
    Node *node = choose_node(k);
    const char *why = why_unschedulable(k, t, node, a);
    bool wrote;

    kubelet_call(k, t, INT64_MAX); /* until something is seen */
    if (t->is_deleting)
        return;
    if (!str_eq(t->pod.unschedulable, why))
        t->pod.unschedulable = str_copy(t->pod.arena, why);
    if (why) {
        if (!kubelet_write_status(t, a, api, &wrote))
            try_again(k, t, now_ms);
        kubelet_tell(k, t, a, api);
        return;
    }
    if (!kubelet_write_binding(t, node, a, api)) {
        try_again(k, t, now_ms);
        return;
    }
    t->retry_ms = 0;
    settle_on(k, t, node);
    kubelet_call(k, t, now_ms);
}

/* A disk that hangs on a node which is lost for long enough is taken from it: whoever held it there
 * has lost it. */
static void take_disk(Kubelet *k, Disk *disk, int64_t now_ms)
{
    Link *next;

    for (Link *l = k->tenants.next; l != &k->tenants; l = next) {
        Tenant *t = link_owner(Tenant, all, l);
        next = l->next;
        if (t->disk != disk)
            continue;
        for (size_t i = 0; i < t->pod.count; i++)
            pod_crash(&t->pod, &t->pod.containers[i], 255, now_ms);
        pod_stop(&t->pod, 0, now_ms);
        kubelet_note(k, t);
        kubelet_note_ports(k, t);
        t->disk = NULL;
    }
    disk->holders = 0;
}

/* True when the pod has its disk. */
static bool mount(Kubelet *k, Tenant *t, Arena *a, int64_t now_ms)
{
    Disk *disk = t->pod.claim ? disks_of_claim(k->disks, claim_key(t, a))
                              : disks_of_pod(k->disks, t->pod.uid);

    if (!disk)
        return false;
    if (disk->holders > 0 && disk->node != t->node) {
        const Node *holder = disk->node;
        if (!holder->is_lost || now_ms < holder->lost_ms + k->options.detach_ms)
            return false;
        take_disk(k, disk, now_ms);
    }
    disk->holders++;
    disk->node = t->node;
    t->disk = disk;
    link_remove(&t->unmounted);
    pod_mount(&t->pod, &disk->volume, now_ms);
    return true;
}

/* The node controller's part while a node is silent. */
static void serve_lost(Kubelet *k, Tenant *t, Arena *a, Api *api, int64_t now_ms)
{
    int64_t marked_ms = t->node->lost_ms + k->options.node_lost_ms;
    int64_t evicted_ms = marked_ms + k->options.evict_ms;
    bool wrote = false, is_done = true;

    kubelet_call(k, t, INT64_MAX);
    if (t->is_gone || t->is_given_up)
        return;
    if (now_ms < marked_ms) {
        kubelet_call(k, t, marked_ms);
        return;
    }
    t->pod.is_node_lost = true;
    if (now_ms >= evicted_ms && !t->is_deleting)
        is_done = t->is_given_up = kubelet_write_delete(t, false, a, api);
    else if (now_ms < evicted_ms)
        is_done = kubelet_write_status(t, a, api, &wrote);
    if (!is_done)
        try_again(k, t, now_ms);
    else if (now_ms < evicted_ms)
        kubelet_call(k, t, evicted_ms);
}

static void serve_bound(Kubelet *k, Tenant *t, Arena *a, Api *api, int64_t now_ms)
{
    bool waits =
        t->pod.stage == POD_MOUNTING && !(kubelet_has_secrets(t, a, api) && mount(k, t, a, now_ms));
    int64_t due_ms = waits ? now_ms + MOUNT_RETRY_MS : pod_step(&t->pod, now_ms);
    kubelet_note(k, t); /* before anything is written that follows from it */
    kubelet_note_ports(k, t);
    bool is_stopped = t->pod.stage == POD_STOPPED, wrote = false, is_done;

    if (is_stopped)
        let_disk_go(k, t);
    kubelet_call(k, t, due_ms);
    kubelet_tell(k, t, a, api);
    if (t->is_gone) {
        if (is_stopped)
            forget(k, t);
        return;
    }
    is_done = kubelet_write_status(t, a, api, &wrote);
    if (is_done && is_stopped && t->is_deleting) {
        if (wrote)
            kubelet_call(k, t, now_ms);
        else
            is_done = kubelet_write_delete(t, true, a, api);
    }
    if (!is_done)
        try_again(k, t, now_ms);
    else
        t->retry_ms = 0;
}

static void serve(Kubelet *k, Tenant *t, Arena *a, Api *api, int64_t now_ms)
{
    if (t->pod.script->is_frozen)
        kubelet_call(k, t, INT64_MAX);
    else if (!t->node)
        schedule(k, t, a, api, now_ms);
    else if (t->node->is_lost)
        serve_lost(k, t, a, api, now_ms);
    else
        serve_bound(k, t, a, api, now_ms);
}

/* True when it wrote about a node. */
static bool register_node(Kubelet *k, Arena *a, Api *api)
{
    char now[TIMESTAMP_SIZE];

    for (size_t i = 0; i < k->options.nodes; i++) {
        Node *node = &k->nodes[i];
        if (node->is_shown)
            continue;
        if (!node->is_registered)
            return node->is_registered = kubelet_write_node(node, a, api);
        timestamp_format(k->host.clock->wall_ns(k->host.clock), now);
        return node->is_shown = kubelet_write_node_status(node, a, api, now);
    }
    return false;
}

static int64_t step(Actor *self, Arena *a, Api *api, int64_t now_ms)
{
    Kubelet *k = (Kubelet *)(void *)self;
    const Turn *first;

    if (register_node(k, a, api))
        return now_ms;
    first = agenda_first(&k->agenda);
    if (first && first->due_ms <= now_ms)
        serve(k, first->self, a, api, now_ms);
    first = agenda_first(&k->agenda);
    int64_t due_ms = first ? first->due_ms : INT64_MAX;
    int64_t nodes_ms = k->nodes[k->options.nodes - 1].is_shown ? INT64_MAX : now_ms + RETRY_MIN_MS;
    return due_ms < nodes_ms ? due_ms : nodes_ms;
}

/* --- opening */

static void close_kubelet(Actor *self)
{
    Kubelet *k = (Kubelet *)(void *)self;

    while (!link_is_alone(&k->tenants))
        forget(k, link_owner(Tenant, all, k->tenants.next));
    event_teller_close(k->teller);
    map_close(k->by_key);
    map_close(k->by_address);
    map_close(k->scripts);
    disks_close(k->disks);
    outside_close(k->own_outside);
    slab_close(k->slab);
}

static bool is_bad_image(void *self, const char *image)
{
    const Kubelet *k = self;

    for (size_t i = 0; i < KUBELET_BAD_IMAGES_MAX; i++)
        if (k->bad_images[i][0] && strstr(image, k->bad_images[i]))
            return true;
    return false;
}

static void fill_defaults(KubeletOptions *o)
{
    o->nodes = o->nodes ? o->nodes : 3;
    o->nodes = o->nodes < KUBELET_NODES_MAX ? o->nodes : KUBELET_NODES_MAX;
    o->pods_max = o->pods_max ? o->pods_max : 20000;
    o->network = o->network ? o->network : 200;
    o->node_lost_ms = o->node_lost_ms ? o->node_lost_ms : 40000;
    o->evict_ms = o->evict_ms ? o->evict_ms : 300000;
    o->detach_ms = o->detach_ms ? o->detach_ms : 360000;
}

Kubelet *kubelet_open(const KubeletOptions *options)
{
    Slab *slab = slab_open();
    Kubelet *k = slab_alloc(slab, sizeof *k);

    memset(k, 0, sizeof *k);
    k->slab = slab;
    k->options = *options;
    fill_defaults(&k->options);
    k->own_outside = options->outside ? NULL : outside_open();
    k->teller = options->tells_events ? event_teller_open(options->clock) : NULL;
    k->actor = (Actor){
        .name = "kubelet", .kinds = kinds, .see = see, .step = step, .close = close_kubelet};
    k->host = (PodHost){.times = options->times,
        .clock = options->clock,
        .rng = options->rng,
        .outside = options->outside ? options->outside : k->own_outside,
        .hazards = &k->hazards,
        .is_bad_image = is_bad_image,
        .self = k,
        .reviewer = options->reviewer,
        .reviewer_self = options->reviewer_self};
    agenda_init(&k->agenda, options->rng);
    k->disks = disks_open(k->options.pods_max);
    k->by_key = map_open(k->options.pods_max);
    k->by_address = map_open(k->options.pods_max);
    k->scripts = map_open(KUBELET_SCRIPTS_MAX);
    link_init(&k->tenants);
    link_init(&k->unmounted);
    for (size_t i = 0; i < k->options.nodes; i++) {
        unsigned number = ((unsigned)i + 1) & 0xff;
        snprintf(k->nodes[i].name, sizeof k->nodes[i].name, "node-%u", number);
        snprintf(k->nodes[i].address,
            sizeof k->nodes[i].address,
            "127.%d.0.%u",
            k->options.network & 0xff,
            number);
    }
    return k;
}

Actor *kubelet_actor(Kubelet *k)
{
    return &k->actor;
}

Disks *kubelet_disks(Kubelet *k)
{
    return k->disks;
}
