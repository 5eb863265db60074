/* Conditions: rows of the list in the header. One spelling may stand on several conditions
 * ("Paused"), so reasons are read together with their condition. */
#include "sei/api/condition.h"

#include "base/err.h"
#include "base/str.h"

typedef struct ReasonRow {
    const char *spelling, *condition;
} ReasonRow;

static const ReasonRow rows[REASON_COUNT] = {
#define X(name, spelling, condition, when) [REASON_##name] = {spelling, condition},
    REASONS(X)
#undef X
};

static const ReasonRow *row_of(Reason reason)
{
    if ((unsigned)reason >= REASON_COUNT)
        BUG("a reason out of its range");
    return &rows[reason];
}

const char *reason_text(Reason reason)
{
    return row_of(reason)->spelling;
}

const char *reason_condition(Reason reason)
{
    return row_of(reason)->condition;
}

Reason reason_parse(const char *condition, const char *text)
{
    for (int reason = 0; reason < REASON_COUNT; reason++)
        if (str_eq(rows[reason].condition, condition) && str_eq(rows[reason].spelling, text))
            return (Reason)reason;
    return REASON_COUNT;
}
