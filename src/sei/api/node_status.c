/* The status of a node. Whatever stands there was written by an operator, but perhaps by another
 * version or by the reference: so each member is read by itself, and what this version cannot read
 * or does not know is written back untouched. */
#include "sei/api/node_status.h"

#include "base/str.h"
#include "sei/api/status_part.h"

static const char *const phases[] = {
    [PHASE_NONE] = "",
    [PHASE_PENDING] = "Pending",
    [PHASE_INITIALIZING] = "Initializing",
    [PHASE_RUNNING] = "Running",
    [PHASE_FAILED] = "Failed",
    [PHASE_TERMINATING] = "Terminating",
};

enum { PHASES = sizeof phases / sizeof phases[0] };

const char *node_phase_text(NodePhase phase)
{
    if ((unsigned)phase >= PHASES)
        BUG("a phase out of its range");
    return phases[phase];
}

NodePhase node_phase_parse(const char *text)
{
    for (int phase = PHASE_PENDING; phase < PHASES; phase++)
        if (str_eq(phases[phase], text))
            return (NodePhase)phase;
    return PHASE_NONE;
}

void node_set_phase(NodeStatus *status, NodePhase phase, const char *now)
{
    if (status->phase == phase)
        return;
    status->phase = phase;
    status->phase_transition_time = now;
}

Err *node_err_below(Arena *a, const char *path, const Err *err)
{
    return err ? err_terminal(a, "%s%s", path, err->message) : OK;
}

/* --- decoding: a function per member that is more than one value */

static Err *decode_phase(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    const char *text = json_text(value);
    NodePhase phase = node_phase_parse(text);

    /* To read a word of another version as "no phase" would set a running node up again. */
    if (!text || (phase == PHASE_NONE && !str_empty(text)))
        return err_terminal(a, ": expected a phase of a node, found %s", text ? text : "no string");
    ret->phase = phase;
    return OK;
}

typedef struct Named {
    const char *name, *uid;
} Named;

static Err *decode_statefulset(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    static const JsonField fields[] = {
        {".name", JSON_FIELD_STR, offsetof(Named, name), .required = true},
        {".uid", JSON_FIELD_STR, offsetof(Named, uid), .required = true},
        {0},
    };
    Named read = {0};

    TRY(json_decode(a, value, fields, &read));
    ret->statefulset_name = read.name;
    ret->statefulset_uid = read.uid;
    return OK;
}

static Err *decode_identity(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    static const JsonField fields[] = {
        {".chainId", JSON_FIELD_STR, offsetof(NodeIdentity, chain_id), .required = true},
        {".chainUnverified",
            JSON_FIELD_BOOL,
            offsetof(NodeIdentity, chain_unverified),
            .required = false},
        {0},
    };
    const char *mode = json_str(value, ".mode");
    NodeIdentity read = {.mode = node_mode_parse(mode)};

    TRY(json_decode(a, value, fields, &read));
    if (read.mode == MODE_NONE)
        return err_terminal(
            a, ".mode: expected a mode of a node, found %s", mode ? mode : "no string");
    ret->identity = read;
    return OK;
}

static Err *decode_volume(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    static const JsonField fields[] = {
        {".name", JSON_FIELD_STR, offsetof(NodeVolume, name), .required = true},
        {".uid", JSON_FIELD_STR, offsetof(NodeVolume, uid), .required = true},
        {".imported", JSON_FIELD_BOOL, offsetof(NodeVolume, imported), .required = false},
        {0},
    };
    NodeVolume read = {0};

    TRY(json_decode(a, value, fields, &read));
    ret->volume = read;
    return OK;
}

static Err *decode_adopted(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    static const JsonField fields[] = {
        {".podUID", JSON_FIELD_STR, offsetof(NodeAdopted, pod_uid), .required = true},
        {".templateHash", JSON_FIELD_STR, offsetof(NodeAdopted, template_hash), .required = false},
        {".specHash", JSON_FIELD_STR, offsetof(NodeAdopted, spec_hash), .required = false},
        {0},
    };
    NodeAdopted read = {0};

    TRY(json_decode(a, value, fields, &read));
    ret->adopted = read;
    return OK;
}

static Err *decode_seid(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    static const JsonField fields[] = {
        {".ready", JSON_FIELD_BOOL, offsetof(NodeSeid, is_ready), .required = true},
        {".since", JSON_FIELD_STR, offsetof(NodeSeid, since), .required = true},
        {0},
    };
    NodeSeid read = {0};

    TRY(json_decode(a, value, fields, &read));
    ret->seid = read;
    return OK;
}

static Err *decode_drift(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    static const JsonField fields[] = {
        {".path", JSON_FIELD_STR, offsetof(DriftField, path), .required = true},
        {".have", JSON_FIELD_STR, offsetof(DriftField, have), .required = false},
        {".want", JSON_FIELD_STR, offsetof(DriftField, want), .required = false},
        {0},
    };
    Drift read = {.cause = json_str(value, ".cause")};
    const Json *field;

    if (!read.cause)
        return err_terminal(a, ".cause is missing");
    json_each(field, json_find(value, ".fields")) {
        const char *path = str_format(a, ".fields[%zu]", read.count);
        if (read.count == DRIFT_FIELDS_MAX)
            return err_terminal(a, ".fields: more than %d of them", (int)DRIFT_FIELDS_MAX);
        DriftField *next = &read.fields[read.count++];
        TRY(node_err_below(a, path, json_decode(a, field, fields, next)));
    }
    ret->drift = read;
    return OK;
}

static Err *decode_plan(Arena *a, const Json *value, void *to)
{
    NodeStatus *ret = to;
    TRY(plan_decode(a, value, &ret->plan));
    ret->has_plan = true;
    return OK;
}

#define IN(field) offsetof(NodeStatus, field)

/* Every member that there is. */
static const StatusPart parts[] = {
    {"observedGeneration", NULL, JSON_FIELD_INT, IN(observed_generation)},
    {"phase", decode_phase, 0, 0},
    {"state", NULL, JSON_FIELD_STR, IN(state)},
    {"phaseTransitionTime", NULL, JSON_FIELD_STR, IN(phase_transition_time)},
    {"currentImage", NULL, JSON_FIELD_STR, IN(current_image)},
    {"podTemplateHash", NULL, JSON_FIELD_STR, IN(pod_template_hash)},
    {"specHash", NULL, JSON_FIELD_STR, IN(spec_hash)},
    {"setupHash", NULL, JSON_FIELD_STR, IN(setup_hash)},
    {"restartedAt", NULL, JSON_FIELD_STR, IN(restarted_at)},
    {"statefulSet", decode_statefulset, 0, 0},
    {"identity", decode_identity, 0, 0},
    {"dataVolume", decode_volume, 0, 0},
    {"adopted", decode_adopted, 0, 0},
    {"seid", decode_seid, 0, 0},
    {"drift", decode_drift, 0, 0},
    {"plan", decode_plan, 0, 0},
    {"history", status_part_history, 0, IN(history)},
    {"resolvedPeers", NULL, JSON_FIELD_ARRAY, IN(resolved_peers)},
    {"conditions", status_part_conditions, 0, IN(conds)},
    {0},
};

const char *node_status_member(size_t place)
{
    return place < sizeof parts / sizeof parts[0] ? parts[place].member : NULL;
}

Err *node_status_decode(Arena *a, const Json *object, NodeStatus *ret)
{
    return status_parts_decode(a, object, parts, ret, &ret->kept);
}

/* --- encoding */

static Draft *encode_statefulset(Arena *a, const NodeStatus *status)
{
    if (!status->statefulset_name)
        return NULL;
    return draft(a, str("name", status->statefulset_name), str("uid", status->statefulset_uid));
}

static Draft *encode_identity(Arena *a, const NodeIdentity *identity)
{
    if (!identity->chain_id)
        return NULL;
    return draft(a,
        str("chainId", identity->chain_id),
        str("mode", node_mode_text(identity->mode)),
        draft_flag_if("chainUnverified", identity->chain_unverified));
}

static Draft *encode_volume(Arena *a, const NodeVolume *volume)
{
    if (!volume->uid)
        return NULL;
    return draft(
        a, str("name", volume->name), str("uid", volume->uid), flag("imported", volume->imported));
}

static Draft *encode_adopted(Arena *a, const NodeAdopted *adopted)
{
    if (!adopted->pod_uid)
        return NULL;
    return draft(a,
        str("podUID", adopted->pod_uid),
        str("templateHash", adopted->template_hash),
        str("specHash", adopted->spec_hash));
}

static Draft *encode_seid(Arena *a, const NodeSeid *seid)
{
    if (!seid->since)
        return NULL;
    return draft(a, flag("ready", seid->is_ready), str("since", seid->since));
}

static Draft *encode_drift(Arena *a, const Drift *drift)
{
    Draft *fields = draft_array(a);

    if (!drift->cause)
        return NULL;
    for (const DriftField *f = drift->fields; f < drift->fields + drift->count; f++)
        draft_push(
            fields, draft(a, str("path", f->path), str("have", f->have), str("want", f->want)));
    return draft(a, str("cause", drift->cause), sub("fields", drift->count ? fields : NULL));
}

const Json *node_status_encode(Arena *a, const NodeStatus *status)
{
    bool has_conds = status->conds.count > 0;
    Draft *d = draft(a,
        draft_num_if(
            status->observed_generation != 0, "observedGeneration", status->observed_generation),
        str("phase", status->phase ? node_phase_text(status->phase) : NULL),
        str("state", status->state),
        str("phaseTransitionTime", status->phase_transition_time),
        str("currentImage", status->current_image),
        str("podTemplateHash", status->pod_template_hash),
        str("specHash", status->spec_hash),
        str("setupHash", status->setup_hash),
        str("restartedAt", status->restarted_at),
        sub("statefulSet", encode_statefulset(a, status)),
        sub("identity", encode_identity(a, &status->identity)),
        sub("dataVolume", encode_volume(a, &status->volume)),
        sub("adopted", encode_adopted(a, &status->adopted)),
        sub("seid", encode_seid(a, &status->seid)),
        sub("drift", encode_drift(a, &status->drift)),
        sub("plan", status->has_plan ? plan_encode(a, &status->plan) : NULL),
        sub("history", plan_history_encode(a, &status->history)),
        draft_json("resolvedPeers", status->resolved_peers),
        sub("conditions", has_conds ? conds_encode(a, &status->conds) : NULL));

    return status_parts_seal(a, d, status->kept);
}
