/* How plans ended: a short list, oldest first, that forgets. */
#include "sei/api/plan_history.h"

#include <string.h>

Err *plan_history_decode(Arena *a, const Json *history, PlanHistory *ret)
{
    static const JsonField fields[] = {
        {".id", JSON_FIELD_STR, offsetof(PlanEnded, id), .required = true},
        {".kind", JSON_FIELD_STR, offsetof(PlanEnded, kind), .required = false},
        {".cause", JSON_FIELD_STR, offsetof(PlanEnded, cause), .required = false},
        {".result", JSON_FIELD_STR, offsetof(PlanEnded, result), .required = true},
        {".startedAt", JSON_FIELD_STR, offsetof(PlanEnded, started_at), .required = false},
        {".finishedAt", JSON_FIELD_STR, offsetof(PlanEnded, finished_at), .required = false},
        {".message", JSON_FIELD_STR, offsetof(PlanEnded, message), .required = false},
        {0},
    };
    PlanHistory read = {0};
    const Json *entry;

    json_each(entry, history) {
        if (read.count == PLAN_HISTORY_MAX)
            return err_terminal(a, ": more than %d entries", (int)PLAN_HISTORY_MAX);
        const Err *err = json_decode(a, entry, fields, &read.items[read.count]);
        if (err)
            return err_terminal(a, "[%zu]%s", read.count, err->message);
        read.count++;
    }
    *ret = read;
    return OK;
}

Draft *plan_history_encode(Arena *a, const PlanHistory *history)
{
    Draft *entries = draft_array(a);

    for (const PlanEnded *e = history->items; e < history->items + history->count; e++)
        draft_push(entries,
            draft(a,
                str("id", e->id),
                str("kind", e->kind),
                str("cause", e->cause),
                str("result", e->result),
                str("startedAt", e->started_at),
                str("finishedAt", e->finished_at),
                str("message", e->message)));
    return history->count ? entries : NULL;
}

void plan_history_add(PlanHistory *history, const PlanEnded *ended)
{
    if (history->count == PLAN_HISTORY_MAX) {
        history->count--;
        memmove(history->items, history->items + 1, history->count * sizeof history->items[0]);
    }
    history->items[history->count++] = *ended;
}
