/* Events by the reference's reasons where it has one; each is a line of the log too, because events
 * are gone after an hour. What is a line alone costs the API server nothing. */
#include "sei/reconcile/tidings.h"

#include "base/str.h"
#include "kube/kube.h"
#include "sei/api/condition.h"

typedef struct TidingsRow {
    const char *reason, *type;
} TidingsRow;

static const TidingsRow rows[TIDINGS_COUNT] = {
#define X(name, reason, type, when) [TIDINGS_##name] = {reason, type},
    TELLINGS(X)
#undef X
#define X(name, reason, type, when) [FLEET_TIDINGS_##name] = {reason, type},
        FLEET_TELLINGS(X)
#undef X
};

/* `of` is the condition that changed; NULL when it is about something else. */
static void write_line(Ctx *c, TidingsRow row, const char *note, const Cond *of)
{
    LogLevel level = str_eq(row.type, "Warning") ? LOG_WARN : LOG_INFO;

    log_line_of(c->log,
        level,
        "transition",
        log_str("condition", of ? of->type : NULL),
        log_str("status", of ? of->status : NULL),
        log_str("reason", row.reason),
        log_str("message", note),
        {0});
}

void tidings_tell(Ctx *c, const Json *about, Tidings tidings, const char *note)
{
    write_line(c, rows[tidings], note, NULL);
    kube_event(c, about, rows[tidings].type, rows[tidings].reason, note);
}

void tidings_tell_cond(Ctx *c, const Json *about, Tidings tidings, const Cond *cond)
{
    write_line(c, rows[tidings], cond->message, cond);
    kube_event(c, about, rows[tidings].type, rows[tidings].reason, cond->message);
}

void tidings_repeat(Ctx *c, const Json *about, const char *type, const Cond *cond)
{
    write_line(c, (TidingsRow){cond->reason, type}, cond->message, cond);
    kube_event(c, about, type, cond->reason, cond->message);
}

void tidings_note_cond(Ctx *c, const Conds *was, const Cond *now)
{
    const Cond *before = conds_find(was, now->type);
    bool is_as_before =
        before && str_eq(before->status, now->status) && str_eq(before->reason, now->reason);

    if (before && !is_as_before)
        write_line(c, (TidingsRow){now->reason, "Normal"}, now->message, now);
}

const char *tidings_phase_note(Arena *a, const char *was, const char *now)
{
    return str_empty(was) ? str_format(a, "Phase set to %s", now)
                          : str_format(a, "Phase changed from %s to %s", was, now);
}

void tidings_note_phase(Ctx *c, const char *was, const char *now)
{
    write_line(c, rows[TIDINGS_PHASE_TRANSITION], tidings_phase_note(c->arena, was, now), NULL);
}

bool tidings_plan_is_new(const Plan *was, const Plan *now)
{
    return now->phase == PLAN_ACTIVE && !(was && str_eq(was->id, now->id));
}

static const PlanEnded *last_of(const PlanHistory *h)
{
    return h->count ? &h->items[h->count - 1] : NULL;
}

const PlanEnded *tidings_plan_ended(const PlanHistory *was, const PlanHistory *now)
{
    const PlanEnded *before = last_of(was), *ended = last_of(now);
    bool is_known =
        before && ended && str_eq(before->id, ended->id) && str_eq(before->result, ended->result);

    return is_known ? NULL : ended;
}

const char *tidings_ended_note(Arena *a, const PlanEnded *ended)
{
    bool is_silent = str_empty(ended->message);

    return str_format(a,
        "Plan %s%s%s",
        ended->kind ? ended->kind : "unknown",
        is_silent ? "" : ": ",
        is_silent ? "" : ended->message);
}

const char *tidings_conflict_note(Arena *a, const char *about)
{
    return str_format(a,
        "Another writer has changed the status of this %s while it was being written. If this is "
        "repeated, two operators are running: stop one",
        about);
}

bool tidings_is_new(const Conds *was, const Cond *now)
{
    const Cond *before = conds_find(was, now->type);

    if (!before || !str_eq(before->reason, now->reason))
        return true;
    return str_eq(now->type, COND_STALLED) && !str_eq(before->message, now->message);
}
