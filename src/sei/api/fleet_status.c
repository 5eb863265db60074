/* The status of a fleet. Written by an operator, but perhaps by another version or by the
 * reference: so each member is read by itself, and what this version cannot read or does not know
 * is written back untouched. What the network of the fleet looks like is only carried through. */
#include "sei/api/fleet_status.h"

#include "base/str.h"
#include "sei/api/node_status.h"
#include "sei/api/status_part.h"

static const char *const phases[FLEET_PHASE_COUNT] = {
    [FLEET_NONE] = "",
    [FLEET_PENDING] = "Pending",
    [FLEET_INITIALIZING] = "Initializing",
    [FLEET_READY] = "Ready",
    [FLEET_UPGRADING] = "Upgrading",
    [FLEET_PAUSED] = "Paused",
    [FLEET_DEGRADED] = "Degraded",
    [FLEET_FAILED] = "Failed",
    [FLEET_TERMINATING] = "Terminating",
};

static const char *const states[ROLLOUT_STATE_COUNT] = {
    [ROLLOUT_PENDING] = "Pending",
    [ROLLOUT_UPDATING] = "Updating",
    [ROLLOUT_UPDATED] = "Updated",
    [ROLLOUT_SKIPPED] = "Skipped",
};

const char *fleet_phase_text(FleetPhase phase)
{
    if ((unsigned)phase >= FLEET_PHASE_COUNT)
        BUG("a phase of a fleet out of its range");
    return phases[phase];
}

FleetPhase fleet_phase_parse(const char *text)
{
    for (int phase = FLEET_PENDING; phase < FLEET_PHASE_COUNT; phase++)
        if (str_eq(phases[phase], text))
            return (FleetPhase)phase;
    return FLEET_NONE;
}

const char *rollout_state_text(RolloutState state)
{
    if ((unsigned)state >= ROLLOUT_STATE_COUNT)
        BUG("a state of a rollout out of its range");
    return states[state];
}

/* --- decoding: a function per member that is more than one value */

static Err *decode_phase(Arena *a, const Json *value, void *to)
{
    FleetStatus *ret = to;
    const char *text = json_text(value);
    FleetPhase phase = fleet_phase_parse(text);

    if (!text || (phase == FLEET_NONE && !str_empty(text)))
        return err_terminal(
            a, ": expected a phase of a fleet, found %s", text ? text : "no string");
    ret->phase = phase;
    return OK;
}

static Err *decode_state(Arena *a, const Json *value, RolloutNode *ret)
{
    const char *text = json_str(value, ".state");

    if (!json_member(value, "state"))
        return OK;
    for (int state = 0; state < ROLLOUT_STATE_COUNT; state++)
        if (str_eq(states[state], text)) {
            ret->has_state = true;
            ret->state = (RolloutState)state;
            return OK;
        }
    return err_terminal(
        a, ".state: expected a state of a rollout, found %s", text ? text : "no string");
}

static Err *decode_rollout_node(Arena *a, const Json *value, RolloutNode *ret)
{
    static const JsonField fields[] = {
        {".name", JSON_FIELD_STR, offsetof(RolloutNode, name), .required = true},
        {".updatedAt", JSON_FIELD_STR, offsetof(RolloutNode, updated_at), .required = false},
        {".message", JSON_FIELD_STR, offsetof(RolloutNode, message), .required = false},
        {0},
    };

    TRY(json_decode(a, value, fields, ret));
    return decode_state(a, value, ret);
}

static Err *too_many(Arena *a, const char *path)
{
    return err_terminal(
        a, "%s: more than the %d nodes that a fleet may have", path, (int)FLEET_REPLICAS_MAX);
}

static Err *decode_rollout(Arena *a, const Json *value, void *to)
{
    FleetStatus *ret = to;
    static const JsonField fields[] = {
        {".targetHash", JSON_FIELD_STR, offsetof(FleetRollout, target_hash), .required = true},
        {".startedAt", JSON_FIELD_STR, offsetof(FleetRollout, started_at), .required = false},
        {".failedHash", JSON_FIELD_STR, offsetof(FleetRollout, failed_hash), .required = false},
        {0},
    };
    FleetRollout *read = arena_new(a, FleetRollout);
    const Json *nodes = json_find(value, ".nodes"), *node;

    TRY(json_decode(a, value, fields, read));
    read->has_nodes = json_type(nodes) == JSON_ARRAY;
    json_each(node, nodes) {
        const char *path = str_format(a, ".nodes[%zu]", read->node_count);
        if (read->node_count == FLEET_REPLICAS_MAX)
            return too_many(a, ".nodes");
        RolloutNode *next = &read->nodes[read->node_count++];
        TRY(node_err_below(a, path, decode_rollout_node(a, node, next)));
    }
    ret->rollout = *read;
    return OK;
}

static Err *decode_nodes(Arena *a, const Json *value, void *to)
{
    FleetStatus *ret = to;
    static const JsonField fields[] = {
        {".name", JSON_FIELD_STR, offsetof(FleetNode, name), .required = true},
        {".phase", JSON_FIELD_STR, offsetof(FleetNode, phase), .required = false},
        {".revision", JSON_FIELD_STR, offsetof(FleetNode, revision), .required = false},
        {".adopted", JSON_FIELD_STR, offsetof(FleetNode, adopted), .required = false},
        {0},
    };
    FleetNode *read = arena_array(a, FleetNode, FLEET_REPLICAS_MAX);
    size_t count = 0;
    const Json *node;

    if (json_type(value) != JSON_ARRAY)
        return err_terminal(a, ": expected an array");
    if (json_count(value) > FLEET_REPLICAS_MAX)
        return too_many(a, "");
    json_each(node, value) {
        const char *path = str_format(a, "[%zu]", count);
        TRY(node_err_below(a, path, json_decode(a, node, fields, &read[count++])));
    }
    ret->has_nodes = true;
    ret->node_count = count;
    for (size_t i = 0; i < count; i++)
        ret->nodes[i] = read[i];
    return OK;
}

static Err *decode_plan(Arena *a, const Json *value, void *to)
{
    FleetStatus *ret = to;
    TRY(plan_decode(a, value, &ret->plan));
    ret->has_plan = true;
    return OK;
}

#define IN(field) offsetof(FleetStatus, field)

/* Every member that there is. */
static const StatusPart parts[] = {
    {"observedGeneration", NULL, JSON_FIELD_INT, IN(observed_generation)},
    {"phase", decode_phase, 0, 0},
    {"state", NULL, JSON_FIELD_STR, IN(state)},
    {"replicas", NULL, JSON_FIELD_INT, IN(counts.replicas)},
    {"readyReplicas", NULL, JSON_FIELD_INT, IN(counts.ready)},
    {"availableReplicas", NULL, JSON_FIELD_INT, IN(counts.available)},
    {"unavailableReplicas", NULL, JSON_FIELD_INT, IN(counts.unavailable)},
    {"updatedReplicas", NULL, JSON_FIELD_INT, IN(counts.updated)},
    {"selector", NULL, JSON_FIELD_STR, IN(selector)},
    {"templateHash", NULL, JSON_FIELD_STR, IN(template_hash)},
    {"completeRevision", NULL, JSON_FIELD_STR, IN(complete_revision)},
    {"resumingSince", NULL, JSON_FIELD_STR, IN(resuming_since)},
    {"rollout", decode_rollout, 0, 0},
    {"nodes", decode_nodes, 0, 0},
    {"incumbentNodes", NULL, JSON_FIELD_ARRAY, IN(incumbents)},
    {"plan", decode_plan, 0, 0},
    {"history", status_part_history, 0, IN(history)},
    {"genesisHash", NULL, JSON_FIELD_STR, IN(genesis_hash)},
    {"genesisS3URI", NULL, JSON_FIELD_STR, IN(genesis_uri)},
    {"founderVolumes", NULL, JSON_FIELD_OBJECT, IN(founder_volumes)},
    {"internalService", NULL, JSON_FIELD_OBJECT, IN(internal_service)},
    {"perPodServices", NULL, JSON_FIELD_ARRAY, IN(pod_services)},
    {"endpoints", NULL, JSON_FIELD_OBJECT, IN(endpoints)},
    {"networkingStatus", NULL, JSON_FIELD_OBJECT, IN(networking)},
    {"conditions", status_part_conditions, 0, IN(conds)},
    {0},
};

const char *fleet_status_member(size_t place)
{
    return place < sizeof parts / sizeof parts[0] ? parts[place].member : NULL;
}

Err *fleet_status_decode(Arena *a, const Json *object, FleetStatus *ret)
{
    ret->counts = (FleetCounts){-1, -1, -1, -1, -1};
    return status_parts_decode(a, object, parts, ret, &ret->kept);
}

/* --- encoding */

static Draft *encode_rollout_nodes(Arena *a, const FleetRollout *rollout)
{
    Draft *nodes = draft_array(a);

    for (const RolloutNode *n = rollout->nodes; n < rollout->nodes + rollout->node_count; n++)
        draft_push(nodes,
            draft(a,
                str("name", n->name),
                str("state", n->has_state ? rollout_state_text(n->state) : NULL),
                str("updatedAt", n->updated_at),
                str("message", n->message)));
    return rollout->has_nodes ? nodes : NULL;
}

static Draft *encode_rollout(Arena *a, const FleetRollout *rollout)
{
    if (!rollout->target_hash)
        return NULL;
    return draft(a,
        str("targetHash", rollout->target_hash),
        str("startedAt", rollout->started_at),
        str("failedHash", rollout->failed_hash),
        sub("nodes", encode_rollout_nodes(a, rollout)));
}

static Draft *encode_nodes(Arena *a, const FleetStatus *status)
{
    Draft *nodes = draft_array(a);

    for (const FleetNode *n = status->nodes; n < status->nodes + status->node_count; n++)
        draft_push(nodes,
            draft(a,
                str("name", n->name),
                str("phase", n->phase),
                str("revision", n->revision),
                str("adopted", n->adopted)));
    return status->has_nodes ? nodes : NULL;
}

static DraftField count(const char *key, int64_t value)
{
    return draft_num_if(value >= 0, key, value);
}

const Json *fleet_status_encode(Arena *a, const FleetStatus *status)
{
    const FleetCounts *counts = &status->counts;
    Draft *d = draft(a,
        draft_num_if(
            status->observed_generation != 0, "observedGeneration", status->observed_generation),
        str("phase", status->phase ? fleet_phase_text(status->phase) : NULL),
        str("state", status->state),
        count("replicas", counts->replicas),
        count("readyReplicas", counts->ready),
        count("availableReplicas", counts->available),
        count("unavailableReplicas", counts->unavailable),
        count("updatedReplicas", counts->updated),
        str("selector", status->selector),
        str("templateHash", status->template_hash),
        str("completeRevision", status->complete_revision),
        str("resumingSince", status->resuming_since),
        sub("rollout", encode_rollout(a, &status->rollout)),
        sub("nodes", encode_nodes(a, status)),
        draft_json("incumbentNodes", status->incumbents),
        sub("plan", status->has_plan ? plan_encode(a, &status->plan) : NULL),
        sub("history", plan_history_encode(a, &status->history)),
        str("genesisHash", status->genesis_hash),
        str("genesisS3URI", status->genesis_uri),
        draft_json("founderVolumes", status->founder_volumes),
        draft_json("internalService", status->internal_service),
        draft_json("perPodServices", status->pod_services),
        draft_json("endpoints", status->endpoints),
        draft_json("networkingStatus", status->networking),
        sub("conditions", status->conds.count > 0 ? conds_encode(a, &status->conds) : NULL));

    return status_parts_seal(a, d, status->kept);
}
