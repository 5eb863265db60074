/* FleetMonitor: nodes by name, each with what is known of its pod and of what it is asked to run.
 */
#include "tests/sim/fleet_monitor.h"

#include "base/sha256.h"
#include "base/str.h"
#include "kube/cond.h"
#include "kube/int_or_percent.h"
#include "kube/meta.h"
#include "sei/api/condition.h"
#include "sei/api/fleet_hash.h"
#include "sei/api/kinds.h"
#include "sei/api/names.h"
#include "sei/api/node.h"
#include "sei/render/pod.h"
#include "tests/sei/nodes.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

enum {
    FLEETS_MAX = 8,
    NODES_MAX = 512,
    NAME_MAX_BYTES = 80,
    COMPLAINT_MAX = 600,
    WORK_MAX = 1 << 20,
    HEARD_MS = 2000, /* after so long the operator has heard of what others did */
    HALTED_MS = 58000,
    DEADLINE_S = 1800, /* unless the spec has another */
};

/* What may be taken down, as a spec says. */
typedef struct Leave {
    int64_t budget, min_ready_ms, partition;
    int64_t come_back_ms; /* who was paused has so long before he counts as halted */
} Leave;

typedef struct WatchedFleet {
    char name[NAME_MAX_BYTES];
    int64_t replicas;
    Leave leave, leave_before; /* the one before holds until the operator has heard of the new */
    int64_t edited_ms;
    bool retains;
} WatchedFleet;

typedef struct WatchedNode {
    char name[NAME_MAX_BYTES], uid[NAME_MAX_BYTES], claim_uid[NAME_MAX_BYTES];
    const WatchedFleet *fleet;
    int64_t ordinal;
    bool exists, leaving, paused, once_ready;
    bool pod_ready, sidecar_unready;
    bool seid_ready, seid_was_ready; /* container seid alone: now, and at any time before */
    bool resumed;                    /* it was paused, and its pod has not been Ready since */
    bool taken;          /* the operator deleted its pod, and none has been Ready since */
    bool taken_as_asked; /* and nobody else has asked it for something else after that */
    bool written;        /* the operator asked it to run something else than its pod runs */
    bool moved_early; /* it did not count when it was last written or taken: it was being set up */
    int64_t since_ms, counted_ms; /* as it is; as one of those that can be down */
    int64_t seid_since_ms;        /* as seid is */
    char asked[SHA256_HEX_SIZE];
    /* What a pod shows of it: as asked, as its StatefulSet has it, and as it is. */
    char asked_pod[SHA256_HEX_SIZE], applied[SHA256_HEX_SIZE], runs[SHA256_HEX_SIZE];
    bool deleted_for_asked;
    char deleted_for_applied[SHA256_HEX_SIZE];
    bool may_follow;             /* the operator, which has changed: once more */
    char update[NAME_MAX_BYTES]; /* the id of its plan that replaces the pod, or "" */
} WatchedNode;

struct FleetMonitor {
    WatchedFleet fleets[FLEETS_MAX];
    WatchedNode nodes[NODES_MAX];
    size_t fleet_count, node_count;
    int64_t awake_ms; /* since when the operator can have heard of anything */
    int most;
    char complaint[COMPLAINT_MAX];
};

FleetMonitor *fleet_monitor_open(Arena *a)
{
    FleetMonitor *m = arena_new(a, FleetMonitor);

    *m = (FleetMonitor){0};
    return m;
}

const char *fleet_monitor_complaint(const FleetMonitor *m)
{
    return m->complaint[0] ? m->complaint : NULL;
}

int fleet_monitor_most(const FleetMonitor *m)
{
    return m->most;
}

void fleet_monitor_forget(FleetMonitor *m)
{
    m->most = 0;
}

void fleet_monitor_upgrade(FleetMonitor *m)
{
    for (size_t i = 0; i < m->node_count; i++)
        m->nodes[i].may_follow = true;
}

void fleet_monitor_awake(FleetMonitor *m, int64_t now_ms)
{
    m->awake_ms = now_ms;
}

/* The first one wins: what follows follows from it. */
__attribute__((format(printf, 3, 4))) static void complain(
    FleetMonitor *m, int64_t now_ms, const char *format, ...)
{
    va_list args;
    int length;

    if (m->complaint[0])
        return;
    length = snprintf(m->complaint, sizeof m->complaint, "at %lld ms ", (long long)now_ms);
    va_start(args, format);
    vsnprintf(m->complaint + length, sizeof m->complaint - (size_t)length, format, args);
    va_end(args);
}

/* --- fleets ------------------------------------------------------------------------------------
 */

static WatchedFleet *find_fleet(FleetMonitor *m, const char *name)
{
    for (size_t i = 0; i < m->fleet_count; i++)
        if (str_eq(m->fleets[i].name, name))
            return &m->fleets[i];
    then_true(m->fleet_count < FLEETS_MAX);
    WatchedFleet *fleet = &m->fleets[m->fleet_count++];
    *fleet = (WatchedFleet){.leave = {.budget = 1}, .leave_before = {.budget = 1}};
    snprintf(fleet->name, sizeof fleet->name, "%s", name);
    return fleet;
}

static Leave read_leave(const Json *object)
{
    SCOPED_ARENA a = arena_open(WORK_MAX);
    const Json *strategy = json_find(object, ".spec.updateStrategy");
    const Json *most = json_find(strategy, ".maxUnavailable");
    int64_t replicas = json_int(object, ".spec.replicas", 1), third = (replicas + 2) / 3 - 1;
    IntOrPercent max_unavailable = {.value = 1};

    if (most)
        then_ok(int_or_percent_decode(a, most, &max_unavailable));
    int64_t budget = max_unavailable.value;
    if (max_unavailable.percent)
        budget = budget * replicas / 100;
    if (json_find(object, ".spec.template.spec.validator") && budget > third)
        budget = third;
    return (Leave){
        .budget = budget < 1 ? 1 : budget,
        .min_ready_ms = 1000 * json_int(strategy, ".minReadySeconds", 0),
        .partition = json_int(strategy, ".partition", 0),
        .come_back_ms = 500 * json_int(strategy, ".progressDeadlineSeconds", DEADLINE_S),
    };
}

static Leave wider(Leave left, Leave right)
{
    return (Leave){
        .budget = left.budget > right.budget ? left.budget : right.budget,
        .min_ready_ms =
            left.min_ready_ms < right.min_ready_ms ? left.min_ready_ms : right.min_ready_ms,
        .partition = left.partition > right.partition ? left.partition : right.partition,
        .come_back_ms =
            left.come_back_ms < right.come_back_ms ? left.come_back_ms : right.come_back_ms,
    };
}

/* The operator has had the time to hear of what was so since then. */
static bool is_heard(const FleetMonitor *m, int64_t since_ms, int64_t now_ms)
{
    return now_ms - (since_ms > m->awake_ms ? since_ms : m->awake_ms) > HEARD_MS;
}

static Leave leave_of(const FleetMonitor *m, const WatchedFleet *fleet, int64_t now_ms)
{
    bool heard = is_heard(m, fleet->edited_ms, now_ms);

    return heard ? fleet->leave : wider(fleet->leave, fleet->leave_before);
}

/* Of one that is gone the last spec counts: its children may outlive it. */
static void see_fleet(FleetMonitor *m, const MonitorWrite *w)
{
    if (!w->after || (w->before && meta_generation(w->before) == meta_generation(w->after)))
        return;
    WatchedFleet *fleet = find_fleet(m, meta_name(w->after));
    fleet->leave_before = leave_of(m, fleet, w->now_ms);
    fleet->leave = read_leave(w->after);
    fleet->edited_ms = w->now_ms;
    fleet->replicas = json_int(w->after, ".spec.replicas", 1);
    fleet->retains = str_eq(json_str(w->after, ".spec.deletionPolicy"), "Retain");
}

/* --- who is down -------------------------------------------------------------------------------
 */

static bool counts(const WatchedNode *node, const WatchedFleet *fleet)
{
    return node->exists && node->fleet == fleet && node->once_ready
        && node->ordinal < fleet->replicas;
}

/* Times are told in seconds: one of them may be missing. */
static bool is_fresh(const FleetMonitor *m, const WatchedNode *node, int64_t now_ms)
{
    return node->pod_ready
        && now_ms - node->since_ms < leave_of(m, node->fleet, now_ms).min_ready_ms - 1000;
}

static bool is_known_to_be_down(const FleetMonitor *m, const WatchedNode *node, int64_t now_ms)
{
    bool counts = is_heard(m, node->counted_ms, now_ms);
    bool moved =
        (node->written || (node->taken && !node->pod_ready)) && (!node->moved_early || counts);
    bool ill = !node->pod_ready && is_heard(m, node->since_ms, now_ms) && counts;

    return moved || ill || is_fresh(m, node, now_ms);
}

static bool is_known_to_serve(const FleetMonitor *m, const WatchedNode *node, int64_t now_ms)
{
    return node->pod_ready && !node->sidecar_unready && is_heard(m, node->since_ms, now_ms);
}

static bool is_in_flight_with(const WatchedNode *node, const WatchedNode *with)
{
    return (node->written || (node->taken && node->taken_as_asked)) && !node->pod_ready
        && !node->paused && str_eq(node->asked, with->asked);
}

static bool stands_still(const FleetMonitor *m, const WatchedNode *node, int64_t now_ms)
{
    int64_t come_back_ms = node->resumed ? leave_of(m, node->fleet, now_ms).come_back_ms : 0;

    return !node->pod_ready && node->seid_was_ready && !node->seid_ready
        && now_ms - node->seid_since_ms >= HALTED_MS + come_back_ms;
}

/* Those that a rollout is about. */
static bool is_halted(const FleetMonitor *m, const WatchedFleet *fleet, int64_t now_ms)
{
    int64_t partition = leave_of(m, fleet, now_ms).partition;

    for (size_t i = 0; i < m->node_count; i++)
        if (counts(&m->nodes[i], fleet) && m->nodes[i].ordinal >= partition
            && !stands_still(m, &m->nodes[i], now_ms))
            return false;
    return true;
}

typedef struct Sick {
    int64_t down, in_flight;
    char names[COMPLAINT_MAX / 2];
} Sick;

static Sick count_others(const FleetMonitor *m, const WatchedNode *but, int64_t now_ms)
{
    Sick sick = {0};

    for (size_t i = 0; i < m->node_count; i++) {
        const WatchedNode *node = &m->nodes[i];
        if (node == but || !counts(node, but->fleet))
            continue;
        sick.in_flight += is_in_flight_with(node, but);
        if (!is_known_to_be_down(m, node, now_ms))
            continue;
        size_t length = strlen(sick.names);
        snprintf(sick.names + length, sizeof sick.names - length, " %s", node->name);
        sick.down++;
    }
    return sick;
}

typedef enum Taking { TAKING_WRITES, TAKING_PLANS, TAKING_DELETES } Taking;

/* The operator takes a node down, or asks of it what will, or gives it its turn. */
static void check_taking(
    FleetMonitor *m, const WatchedNode *node, const MonitorWrite *w, Taking taking)
{
    static const char *const done[] = {"written", "given its turn", "taken down"};
    Sick others = count_others(m, node, w->now_ms);
    int64_t budget = leave_of(m, node->fleet, w->now_ms).budget;
    /* When it was asked, or its turn came: it may serve again since, and others may not. */
    bool was_judged = taking != TAKING_WRITES && (node->written || node->update[0]);

    if (taking != TAKING_PLANS && m->most < others.down + 1)
        m->most = (int)others.down + 1;
    if (!was_judged && is_known_to_serve(m, node, w->now_ms) && others.down >= budget)
        complain(m,
            w->now_ms,
            "%s was %s although %lld nodes of a budget of %lld were down:%s",
            node->name,
            done[taking],
            (long long)others.down,
            (long long)budget,
            others.names);
    else if (taking == TAKING_WRITES && !node->pod_ready && others.in_flight >= budget
        && !is_halted(m, node->fleet, w->now_ms))
        complain(m,
            w->now_ms,
            "%s was written although %lld nodes of a budget of %lld were on their way:%s",
            node->name,
            (long long)others.in_flight,
            (long long)budget,
            others.names);
}

/* --- nodes -------------------------------------------------------------------------------------
 */

static WatchedNode *find_node(FleetMonitor *m, const char *name)
{
    for (size_t i = 0; i < m->node_count; i++)
        if (str_eq(m->nodes[i].name, name))
            return &m->nodes[i];
    return NULL;
}

static WatchedNode *add_node(FleetMonitor *m, const char *name)
{
    then_true(m->node_count < NODES_MAX);
    WatchedNode *node = &m->nodes[m->node_count++];
    *node = (WatchedNode){0};
    snprintf(node->name, sizeof node->name, "%s", name);
    return node;
}

/* A node that was restarted stays so, whatever is asked of it afterwards. */
static const char *restart_of(const Json *node)
{
    const char *asked = meta_annotation(node, ANNOTATION_RESTARTED_AT);
    const char *honoured = json_str(node, ".status.restartedAt");

    if (!asked || !honoured)
        return asked ? asked : honoured;
    return strcmp(asked, honoured) > 0 ? asked : honoured;
}

/* What a pod is replaced for, as people know it. */
static void digest(const Json *object, char ret[SHA256_HEX_SIZE])
{
    SCOPED_ARENA a = arena_open(WORK_MAX);
    const Json *sidecar = json_find(object, ".spec.sidecar");
    const char *restart = restart_of(object);
    const char *text = str_format(a,
        "%s %s %s",
        json_str(object, ".spec.image"),
        sidecar ? json_write(a, sidecar).data : "",
        restart ? restart : "");

    sha256_hex(bytes_of(text), ret);
}

static void digest_pod(
    const char *seid, const char *sidecar, const char *restart, char ret[SHA256_HEX_SIZE])
{
    SCOPED_ARENA a = arena_open(WORK_MAX);
    const char *text = str_format(a,
        "%s %s %s",
        seid ? seid : "",
        sidecar ? sidecar : sample_settings()->sidecar_image,
        restart ? restart : "");

    sha256_hex(bytes_of(text), ret);
}

static const char *image_of(const Json *containers, const char *name)
{
    const Json *container;

    json_each(container, containers)
        if (str_eq(json_str(container, ".name"), name))
            return json_str(container, ".image");
    return NULL;
}

/* Of a pod, or of what pods are made from. */
static void digest_shown(const Json *pod, char ret[SHA256_HEX_SIZE])
{
    digest_pod(image_of(json_find(pod, ".spec.containers"), CONTAINER_SEID),
        image_of(json_find(pod, ".spec.initContainers"), CONTAINER_SIDECAR),
        meta_annotation(pod, ANNOTATION_RESTARTED_AT),
        ret);
}

/* A fleet may need several writes to bring a child back from what others wrote; until it says that
 * the child may follow, nothing is asked of it. */
static bool is_released(const Json *object)
{
    SCOPED_ARENA a = arena_open(WORK_MAX);
    const char *released = meta_annotation(object, ANNOTATION_RELEASED_SPEC);
    SeiNode child;

    if (!released)
        return true;
    then_ok(node_decode(a, object, &child));
    return str_eq(released, fleet_released_spec(a, &child.spec));
}

static void see_spec(FleetMonitor *m, WatchedNode *node, const MonitorWrite *w)
{
    char asked[SHA256_HEX_SIZE];

    digest(w->after, asked);
    if (str_eq(asked, node->asked))
        return;
    bool is_edit = node->asked[0] != '\0' && w->by == WRITER_OPERATOR && is_released(w->after);
    snprintf(node->asked, sizeof node->asked, "%s", asked);
    digest_pod(json_str(w->after, ".spec.image"),
        json_str(w->after, ".spec.sidecar.image"),
        restart_of(w->after),
        node->asked_pod);
    node->deleted_for_asked = false;
    bool is_undone = str_eq(node->asked_pod, node->runs);
    node->written = is_edit && !is_undone;
    node->moved_early = !node->once_ready;
    if (node->written && node->once_ready)
        check_taking(m, node, w, TAKING_WRITES);
    node->taken_as_asked = node->taken_as_asked && w->by == WRITER_OPERATOR;
}

static bool has_unready_sidecar(const Json *object)
{
    Conds conds;

    conds_decode(json_find(object, ".status.conditions"), &conds);
    const Cond *cond = conds_find(&conds, COND_SIDECAR_READY);
    return cond && str_eq(cond->status, "False");
}

/* A pause is nobody's illness. */
static void see_pause(WatchedNode *node, bool is_paused, int64_t now_ms)
{
    if (node->paused && !is_paused && !node->pod_ready) {
        node->since_ms = node->seid_since_ms = now_ms;
        node->resumed = true;
    }
    node->paused = is_paused;
}

static void see_plan(FleetMonitor *m, WatchedNode *node, const MonitorWrite *w)
{
    const Json *plan = json_find(w->after, ".status.plan");
    bool is_update = str_eq(json_str(plan, ".kind"), "node-update")
        && str_eq(json_str(plan, ".phase"), "Active");
    const char *id = is_update ? json_str(plan, ".id") : "";

    if (str_eq(id, node->update))
        return;
    node->update[0] = '\0';
    if (is_update && node->once_ready)
        check_taking(m, node, w, TAKING_PLANS);
    snprintf(node->update, sizeof node->update, "%s", id);
}

static void see_node(FleetMonitor *m, const MonitorWrite *w)
{
    const Json *object = w->after ? w->after : w->before;
    const char *fleet = meta_label(object, LABEL_FLEET), *uid = meta_uid(object);
    WatchedNode *node = find_node(m, meta_name(object));
    int64_t ordinal = -1;

    if (!fleet || !str_to_int(meta_label(object, LABEL_FLEET_ORDINAL), &ordinal))
        return;
    if (!node)
        node = add_node(m, meta_name(object));
    if (!str_eq(node->uid, uid)) {
        WatchedNode fresh = {.exists = true, .since_ms = w->now_ms};
        memcpy(fresh.name, node->name, sizeof fresh.name);
        memcpy(fresh.claim_uid, node->claim_uid, sizeof fresh.claim_uid);
        snprintf(fresh.uid, sizeof fresh.uid, "%s", uid);
        *node = fresh;
    }
    node->fleet = find_fleet(m, fleet);
    node->ordinal = ordinal;
    node->exists = w->after != NULL;
    node->leaving = meta_deleting(object);
    see_pause(node, json_bool(object, ".spec.paused", false), w->now_ms);
    node->sidecar_unready = has_unready_sidecar(object);
    if (str_eq(json_str(object, ".status.phase"), "Running") && !node->once_ready) {
        node->once_ready = true;
        node->counted_ms = w->now_ms;
    }
    if (w->after) {
        see_spec(m, node, w);
        see_plan(m, node, w);
    }
}

/* --- pods and volumes --------------------------------------------------------------------------
 */

static void see_pod_ready(WatchedNode *node, bool ready, int64_t now_ms)
{
    if (node->pod_ready != ready)
        node->since_ms = now_ms;
    if (ready) {
        node->taken = node->resumed = false;
        node->written = node->written && !str_eq(node->asked_pod, node->runs);
    }
    node->pod_ready = ready;
}

static void see_seid_ready(WatchedNode *node, bool ready, int64_t now_ms)
{
    if (node->seid_ready != ready)
        node->seid_since_ms = now_ms;
    node->seid_ready = ready;
    node->seid_was_ready = node->seid_was_ready || ready;
}

/* A pod that goes is made anew from this, whatever was asked for in the meantime. */
static void see_statefulset(FleetMonitor *m, const MonitorWrite *w)
{
    WatchedNode *node = w->after ? find_node(m, meta_name(w->after)) : NULL;

    if (node)
        digest_shown(json_find(w->after, ".spec.template"), node->applied);
}

static void see_pod_deletion(FleetMonitor *m, WatchedNode *node, const MonitorWrite *w)
{
    if (node->once_ready && !node->leaving)
        check_taking(m, node, w, TAKING_DELETES);
    bool is_again = node->deleted_for_asked && str_eq(node->deleted_for_applied, node->applied);
    if (is_again && !node->may_follow)
        complain(m, w->now_ms, "the pod of %s was deleted twice for one revision", node->name);
    node->may_follow = node->may_follow && !is_again;
    node->deleted_for_asked = true;
    memcpy(node->deleted_for_applied, node->applied, sizeof node->applied);
    node->taken = node->taken_as_asked = true;
    node->moved_early = !node->once_ready;
}

static void see_pod(FleetMonitor *m, const MonitorWrite *w)
{
    SCOPED_ARENA a = arena_open(WORK_MAX);
    const Json *object = w->after ? w->after : w->before;
    const char *name = meta_label(object, LABEL_NODE);
    WatchedNode *node = name ? find_node(m, name) : NULL;

    if (!node || !str_eq(meta_name(object), name_pod(a, name)))
        return;
    if (!w->before)
        digest_shown(object, node->runs);
    if (w->by == WRITER_OPERATOR && w->request->verb == VERB_DELETE && !meta_deleting(w->before))
        see_pod_deletion(m, node, w);
    see_seid_ready(node, w->after && pod_seid_is_ready(w->after), w->now_ms);
    see_pod_ready(node, w->after && !meta_deleting(w->after) && pod_is_ready(w->after), w->now_ms);
}

static void see_volume_deletion(FleetMonitor *m, const WatchedNode *node, const MonitorWrite *w)
{
    if (w->by == WRITER_PERSON || meta_deleting(w->before))
        return;
    if (node->exists && !node->leaving)
        complain(m, w->now_ms, "the volume of %s was deleted under it", node->name);
    else if (node->fleet->retains)
        complain(m, w->now_ms, "the volume of %s was deleted and is to be retained", node->name);
}

static void see_volume(FleetMonitor *m, const MonitorWrite *w)
{
    const Json *object = w->after ? w->after : w->before;
    const char *name = meta_name(object), *uid = meta_uid(object);
    WatchedNode *node = str_has_prefix(name, "data-") ? find_node(m, name + strlen("data-")) : NULL;

    if (!node || !node->fleet)
        return;
    if (w->request->verb == VERB_DELETE)
        see_volume_deletion(m, node, w);
    if (w->after && !str_eq(uid, node->claim_uid)) {
        if (node->claim_uid[0] && node->once_ready)
            complain(m, w->now_ms, "the volume of %s was replaced by another", node->name);
        snprintf(node->claim_uid, sizeof node->claim_uid, "%s", uid);
    }
}

void fleet_monitor_see(FleetMonitor *m, const MonitorWrite *write)
{
    const Kind *kind = write->request->kind;

    if (kind_eq(kind, kind_seinodedeployment))
        see_fleet(m, write);
    else if (kind_eq(kind, kind_seinode))
        see_node(m, write);
    else if (kind_eq(kind, kind_statefulset))
        see_statefulset(m, write);
    else if (kind_eq(kind, kind_pod))
        see_pod(m, write);
    else if (kind_eq(kind, kind_pvc))
        see_volume(m, write);
}
