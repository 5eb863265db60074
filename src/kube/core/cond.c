/* Conditions. The time of the last transition moves with the status alone, so that it answers
 * "since when"; a new reason or message for the same status leaves it. */
#include "kube/cond.h"

#include "base/str.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static Cond *find(Conds *conds, const char *type)
{
    for (size_t i = 0; i < conds->count; i++)
        if (str_eq(conds->items[i].type, type))
            return &conds->items[i];
    return NULL;
}

void conds_decode(const Json *conditions, Conds *ret)
{
    const Json *entry;

    ret->count = 0;
    json_each(entry, conditions) {
        const char *type = json_str(entry, ".type");
        if (str_empty(type) || find(ret, type) || ret->count == CONDS_MAX)
            continue;
        ret->items[ret->count++] = (Cond){
            .type = type,
            .status = or_empty(json_str(entry, ".status")),
            .reason = or_empty(json_str(entry, ".reason")),
            .message = or_empty(json_str(entry, ".message")),
            .observed_generation = json_int(entry, ".observedGeneration", 0),
            .last_transition_time = json_str(entry, ".lastTransitionTime"),
        };
    }
}

const Cond *conds_find(const Conds *conds, const char *type)
{
    return find((Conds *)conds, type);
}

bool conds_is_true(const Conds *conds, const char *type)
{
    const Cond *cond = conds_find(conds, type);

    return cond && str_eq(cond->status, "True");
}

const Json *cond_in(const Json *object, const char *type)
{
    const Json *entry;

    json_each(entry, json_find(object, ".status.conditions"))
        if (str_eq(json_str(entry, ".type"), type))
            return entry;
    return NULL;
}

static bool says_the_same(const Cond *left, const Cond *right)
{
    return str_eq(left->status, right->status) && str_eq(left->reason, right->reason)
        && str_eq(left->message, right->message)
        && left->observed_generation == right->observed_generation
        && str_eq(left->last_transition_time, right->last_transition_time);
}

bool conds_set(Arena *a, Conds *conds, const Cond *cond, const char *now)
{
    Cond *old = find(conds, cond->type);
    Cond new = *cond;
    bool turned = !old || !str_eq(old->status, cond->status);

    new.message = str_cut(a, or_empty(cond->message), COND_MESSAGE_MAX);
    new.last_transition_time =
        turned || str_empty(old->last_transition_time) ? now : old->last_transition_time;
    if (old && says_the_same(old, &new))
        return false;
    if (!old && conds->count < CONDS_MAX)
        conds->count++;
    if (!old)
        old = &conds->items[conds->count - 1];
    *old = new;
    return true;
}

void conds_keep(Arena *a, Conds *conds, const char *type, int64_t generation, const char *now)
{
    const Cond *found = conds_find(conds, type);

    if (!found)
        return;
    Cond cond = *found;
    cond.observed_generation = generation;
    conds_set(a, conds, &cond, now);
}

bool conds_remove(Conds *conds, const char *type)
{
    Cond *cond = find(conds, type);

    if (!cond)
        return false;
    conds->count--;
    for (Cond *end = conds->items + conds->count; cond < end; cond++)
        *cond = cond[1];
    return true;
}

Draft *conds_encode(Arena *a, const Conds *conds)
{
    Draft *list = draft_array(a);

    for (const Cond *cond = conds->items; cond < conds->items + conds->count; cond++)
        draft_push(list,
            draft(a,
                str("type", cond->type),
                str("status", cond->status),
                draft_num_if(
                    cond->observed_generation > 0, "observedGeneration", cond->observed_generation),
                str("lastTransitionTime", cond->last_transition_time),
                str("reason", cond->reason),
                str("message", cond->message)));
    return list;
}
