/* ViewParts: everything is read with getters that tolerate what is absent or of another type: a
 * view is most needed when an object is not as it should be. */
#include "cli/view_parts.h"

#include "base/str.h"
#include "cli/hold.h"
#include "cli/object.h"
#include "cli/view.h"
#include "kube/meta.h"
#include "kube/timestamp.h"
#include "sei/api/condition_about.h"
#include "sei/api/maintenance.h"
#include "sei/api/names.h"
#include "sei/api/node.h"
#include "sei/api/task_about.h"

#include <string.h>

static const int64_t second_ns = 1000000000;

int64_t view_min_ready_s(const Seen *fleet)
{
    return json_int(fleet->object, ".spec.updateStrategy.minReadySeconds", 0);
}

void seen_read(Arena *a, const Json *sight, Seen *ret)
{
    const Json *object = json_find(sight, ".object");
    const char *usual = json_str(sight, ".namespace"), *namespace = meta_namespace(object);
    const char *name = meta_name(object) ? meta_name(object) : "?";
    bool is_usual = !usual || !namespace || str_eq(usual, namespace);
    const char *where = is_usual ? "" : str_format(a, " -n %s", namespace);

    *ret = (Seen){
        .arena = a,
        .sight = sight,
        .object = object,
        .plan = json_find(object, ".status.plan"),
        .name = name,
        .where = where,
        .ref = str_format(a, "%s%s", name, where),
        .is_fleet = str_eq(json_str(object, ".kind"), kind_seinodedeployment->name),
    };
    conds_decode(json_find(object, ".status.conditions"), &ret->conds);
}

/* As the operator counts: from when Ready became True (src/sei/plan/batch_node.c). */
int64_t view_settles_s(const Seen *fleet, const Conds *conds)
{
    const Cond *ready = conds_find(conds, COND_READY);
    const char *now = json_str(fleet->sight, ".now");
    int64_t now_ns, began_ns, left_ns;

    if (!conds_is_true(conds, COND_READY) || !now || !timestamp_parse(now, &now_ns)
        || !timestamp_parse(ready->last_transition_time, &began_ns))
        return 0;
    left_ns = view_min_ready_s(fleet) * second_ns - (now_ns - began_ns);
    return left_ns > 0 ? (left_ns + second_ns - 1) / second_ns : 0;
}

const char *view_duration(Arena *a, int64_t seconds)
{
    char text[TIMESTAMP_SIZE];

    return str_copy(a, timestamp_elapsed(seconds * second_ns, text));
}

bool view_is_paused_with_fleet(const Seen *seen)
{
    const Cond *ready = conds_find(&seen->conds, COND_READY);

    return !seen->is_fleet && meta_label(seen->object, LABEL_FLEET)
        && json_bool(seen->object, ".spec.paused", false) && !maintenance_is_marked(seen->object)
        && ready && str_eq(ready->reason, reason_text(REASON_PAUSED))
        && object_pause_is_applied_by(seen->object, FLEET_MANAGER);
}

Draft *view_begin(const Seen *seen, const char *kind)
{
    Arena *a = seen->arena;

    return draft(a,
        str("apiVersion", VIEW_API_VERSION),
        str("kind", kind),
        str("asOf", json_str(seen->sight, ".now")),
        obj("object",
            str("kind", json_str(seen->object, ".kind")),
            str("namespace", meta_namespace(seen->object)),
            str("name", seen->name),
            str("ref", seen->ref)));
}

void view_add_rest(Draft *view, const Seen *seen)
{
    draft_set(view, draft_json("conditions", json_find(seen->object, ".status.conditions")));
    draft_set(view, draft_json("events", json_find(seen->sight, ".events")));
    draft_set(view, draft_json("missing", json_find(seen->sight, ".missing")));
}

const char *view_mode(const Json *spec)
{
    static const char *const modes[] = {"fullNode", "archive", "replayer", "validator"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (json_member(spec, modes[i]))
            return i ? modes[i] : "full";
    return "?";
}

/* --- how it is, in a word */

typedef struct State {
    const char *word, *mark;
} State;

/* So long a pod may need to become Ready before it looks bad. */
static const int64_t starting_ns = 120LL * 1000000000;

bool view_is_younger(const char *now, const char *since, int64_t ns)
{
    int64_t now_ns, since_ns;

    return now && since && timestamp_parse(now, &now_ns) && timestamp_parse(since, &since_ns)
        && now_ns - since_ns < ns;
}

static bool may_be_starting(const char *now, const Cond *ready)
{
    return str_eq(ready->reason, "PodNotReady")
        && view_is_younger(now, ready->last_transition_time, starting_ns);
}

const char *view_unready_mark(const char *now, const Conds *conds)
{
    static const char *const resting[] = {"Paused", "ScaledByHand", "Held", NULL};
    const Cond *ready = conds_find(conds, COND_READY);

    for (const char *const *reason = resting; *reason; reason++)
        if (str_eq(ready->reason, *reason))
            return "idle";
    if (str_eq(ready->reason, "Failed"))
        return "bad";
    if (conds_is_true(conds, COND_RECONCILING) || may_be_starting(now, ready))
        return "busy";
    return "bad";
}

static bool is_rolling_out(const Json *object)
{
    bool is_held = str_eq(object_reason(object, COND_READY), reason_text(FLEET_REASON_HELD))
        || hold_is_set(object);

    return str_eq(object_condition(object, COND_ROLLOUT), "True") && !is_held;
}

const char *view_unready_word(const Json *object)
{
    return is_rolling_out(object) ? reason_text(FLEET_REASON_ROLLING_OUT)
                                  : object_reason(object, COND_READY);
}

static State state_unready(const Seen *seen)
{
    return (State){
        .word = view_unready_word(seen->object),
        .mark = is_rolling_out(seen->object)
            ? "busy"
            : view_unready_mark(json_str(seen->sight, ".now"), &seen->conds),
    };
}

static State state_of(const Seen *seen)
{
    const Cond *ready = conds_find(&seen->conds, COND_READY);

    if (meta_deleting(seen->object))
        return (State){"Terminating", "busy"};
    if (conds_is_true(&seen->conds, COND_STALLED))
        return (State){"Stalled", "bad"};
    if (!ready)
        return (State){"New", "busy"};
    if (!str_eq(ready->status, "True"))
        return state_unready(seen);
    return (State){"Ready", "good"};
}

/* "Held", or "Held,NodesNotAvailable": a hold alone explains nothing that is worse. */
static State state_shown(const Seen *seen)
{
    State state = state_of(seen);
    bool is_new = !conds_find(&seen->conds, COND_READY);

    if (!hold_is_set(seen->object) || is_new || meta_deleting(seen->object))
        return state;
    if (str_eq(state.word, "Ready"))
        return (State){"Held", "idle"};
    if (!str_eq(state.word, "Held"))
        state.word = str_format(seen->arena, "Held,%s", state.word);
    return state;
}

Draft *view_state(const Seen *seen)
{
    const Cond *ready = conds_find(&seen->conds, COND_READY);
    State state = state_shown(seen);

    return draft(seen->arena,
        str("word", state.word),
        str("mark", state.mark),
        str("ready", ready ? ready->status : "Unknown"),
        str("since", ready ? ready->last_transition_time : NULL),
        str("phase", json_str(seen->object, ".status.phase")),
        num("generation", meta_generation(seen->object)),
        num("observedGeneration", json_int(seen->object, ".status.observedGeneration", -1)));
}

bool view_is_well(const Json *status_view)
{
    const char *word = json_str(status_view, ".state.word");

    return str_eq(json_str(status_view, ".state.ready"), "True")
        && !(word && str_has_suffix(word, "Stalled"));
}

/* --- plans */

bool view_plan_is(const Json *plan, const char *phase)
{
    return plan && str_eq(json_str(plan, ".phase"), phase);
}

const Json *view_current_task(const Json *plan, int64_t *ret_number)
{
    const Json *task;
    int64_t number = 0;

    *ret_number = 0;
    json_each(task, json_find(plan, ".tasks")) {
        number++;
        if (str_eq(json_str(task, ".status"), "Complete"))
            continue;
        *ret_number = number;
        return task;
    }
    return NULL;
}

const Json *view_last_plan(const Seen *seen)
{
    const Json *entry, *last = NULL;

    json_each(entry, json_find(seen->object, ".status.history"))
        last = entry;
    return last;
}

const Json *view_ended_plan(const Seen *seen, const char *id)
{
    const Json *entry, *found = NULL;

    json_each(entry, json_find(seen->object, ".status.history"))
        if (id && str_eq(json_str(entry, ".id"), id))
            found = entry;
    return found;
}

static const char *task_state(const Json *plan, const Json *task, const Json *current)
{
    const char *status = json_str(task, ".status");

    if (str_eq(status, "Complete"))
        return "done";
    if (str_eq(status, "Failed"))
        return "failed";
    return task == current && view_plan_is(plan, "Active") ? "current" : "ahead";
}

static void add_meaning(Draft *step, const char *type)
{
    TaskType known = task_type_parse(type);

    if (known == TASK_UNKNOWN)
        return;
    draft_set(step, str("does", task_about(known)->does));
    draft_set(step, str("waitsWhile", task_about(known)->waits));
}

static Draft *steps_of(const Seen *seen, const Json *plan, bool with_meanings)
{
    Arena *a = seen->arena;
    Draft *steps = draft_array(a);
    int64_t at, number = 0;
    const Json *current = view_current_task(plan, &at), *task;

    json_each(task, json_find(plan, ".tasks")) {
        Draft *step = draft(a,
            num("number", ++number),
            str("type", json_str(task, ".type")),
            str("state", task_state(plan, task, current)),
            str("submittedAt", json_str(task, ".submittedAt")),
            draft_num_if(json_find(task, ".retryCount") != NULL,
                "retryCount",
                json_int(task, ".retryCount", 0)),
            draft_num_if(json_find(task, ".maxRetries") != NULL,
                "maxRetries",
                json_int(task, ".maxRetries", 0)),
            str("error", json_str(task, ".error")));
        if (with_meanings)
            add_meaning(step, json_str(task, ".type"));
        draft_push(steps, step);
    }
    return steps;
}

Draft *view_plan_of(const Seen *seen, const Json *plan, bool with_meanings)
{
    const Json *ended = view_ended_plan(seen, json_str(plan, ".id"));
    int64_t at;

    if (!plan)
        return NULL;
    view_current_task(plan, &at);
    return draft(seen->arena,
        str("id", json_str(plan, ".id")),
        str("kind", json_str(plan, ".kind")),
        str("cause", json_str(plan, ".cause")),
        str("phase", json_str(plan, ".phase")),
        num("generation", json_int(plan, ".generation", 0)),
        str("startedAt", json_str(plan, ".startedAt")),
        str("finishedAt", json_str(ended, ".finishedAt")),
        str("waiting", json_str(plan, ".waiting")),
        str("message", json_str(ended, ".message")),
        num("step", at),
        num("stepCount", (int64_t)json_count(json_find(plan, ".tasks"))),
        sub("steps", steps_of(seen, plan, with_meanings)));
}

/* --- drift */

/* While the fleet is held its pods are not replaced in turn. */
static const char *advice_on_drift(const Json *object, const Cond *cond)
{
    bool is_fleet = str_eq(json_str(object, ".kind"), kind_seinodedeployment->name);
    const char *text = cond ? cond->reason : NULL;
    Reason reason =
        is_fleet ? fleet_reason_parse(COND_UP_TO_DATE, text) : reason_parse(COND_UP_TO_DATE, text);

    if (is_fleet && reason == FLEET_REASON_NODE_DRIFT && hold_is_set(object))
        reason = FLEET_REASON_HELD_BACK;
    return reason == REASON_COUNT ? NULL : reason_advice(reason);
}

Draft *view_drift_of(Arena *a, const Json *object)
{
    const Json *drift = json_find(object, ".status.drift");
    Conds conds;
    conds_decode(json_find(object, ".status.conditions"), &conds);
    const Cond *cond = conds_find(&conds, COND_UP_TO_DATE);

    if (!drift && !cond)
        return NULL;
    return draft(a,
        str("upToDate", cond ? cond->status : "Unknown"),
        str("since", cond ? cond->last_transition_time : NULL),
        str("reason", cond ? cond->reason : NULL),
        str("message", cond ? cond->message : NULL),
        str("advice", advice_on_drift(object, cond)),
        str("cause", json_str(drift, ".cause")),
        draft_json("fields", json_find(drift, ".fields")));
}
