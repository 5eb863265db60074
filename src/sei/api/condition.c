/* Conditions: rows of the list in the header. One spelling may stand on several conditions
 * ("Paused"), so reasons are read together with their condition. */
#include "sei/api/condition.h"

#include "base/err.h"
#include "base/str.h"

typedef struct ReasonRow {
    const char *spelling, *condition;
} ReasonRow;

static const ReasonRow rows[REASON_ALL_COUNT] = {
#define X(name, spelling, condition, when) [REASON_##name] = {spelling, condition},
    REASONS(X)
#undef X
#define X(name, spelling, condition, when) [FLEET_REASON_##name] = {spelling, condition},
        FLEET_REASONS(X)
#undef X
};

static const ReasonRow *row_of(Reason reason)
{
    if ((unsigned)reason >= REASON_ALL_COUNT || reason == REASON_COUNT)
        BUG("a reason out of its range");
    return &rows[reason];
}

bool reason_is_of_fleet(Reason reason)
{
    return reason > REASON_COUNT && reason < REASON_ALL_COUNT;
}

const char *reason_text(Reason reason)
{
    return row_of(reason)->spelling;
}

const char *reason_condition(Reason reason)
{
    return row_of(reason)->condition;
}

static Reason find(int from, int end, const char *condition, const char *text)
{
    for (int reason = from; reason < end; reason++)
        if (str_eq(rows[reason].condition, condition) && str_eq(rows[reason].spelling, text))
            return (Reason)reason;
    return REASON_COUNT;
}

Reason reason_parse(const char *condition, const char *text)
{
    return find(0, REASON_COUNT, condition, text);
}

Reason fleet_reason_parse(const char *condition, const char *text)
{
    return find(REASON_COUNT + 1, REASON_ALL_COUNT, condition, text);
}

const char *condition_state(const Conds *conds)
{
    const Cond *ready = conds_find(conds, COND_READY), *paused = conds_find(conds, COND_PAUSED);

    if (conds_is_true(conds, COND_STALLED))
        return conds_find(conds, COND_STALLED)->reason;
    if (conds_is_true(conds, COND_PAUSED)
        && str_eq(paused->reason, reason_text(REASON_MAINTENANCE)))
        return paused->reason;
    return ready ? ready->reason : NULL;
}
