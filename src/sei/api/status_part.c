/* Reads a status by a table of its members, and writes back what it could not read. */
#include "sei/api/status_part.h"

#include "base/str.h"
#include "kube/cond.h"
#include "sei/api/node_status.h"
#include "sei/api/plan_history.h"

static const StatusPart *find_part(const StatusPart *parts, const char *member)
{
    for (; parts->member; parts++)
        if (str_eq(parts->member, member))
            return parts;
    return NULL;
}

static Err *decode_part(Arena *a, const StatusPart *part, const Json *value, void *ret)
{
    const JsonField field[] = {{"", part->type, part->offset, .required = false}, {0}};

    return part->decode ? part->decode(a, value, (char *)ret + part->offset)
                        : json_decode(a, value, field, ret);
}

Err *status_parts_decode(
    Arena *a, const Json *object, const StatusPart *parts, void *ret, const Json **ret_kept)
{
    const Json *status = json_find(object, ".status"), *value;
    Draft *kept = NULL;
    Err *first = OK;

    if (status && json_type(status) != JSON_OBJECT)
        return err_terminal(a, ".status: expected an object");
    json_each(value, status) {
        const StatusPart *part = find_part(parts, json_key(value));
        Err *err = part && json_type(value) != JSON_NULL ? decode_part(a, part, value, ret) : OK;
        if (json_type(value) == JSON_NULL || (part && !err))
            continue;
        kept = kept ? kept : draft_object(a);
        draft_add(kept, draft_json(json_key(value), value));
        if (!first)
            first = node_err_below(a, str_format(a, ".status.%s", json_key(value)), err);
    }
    *ret_kept = json_seal(a, kept);
    return first;
}

const Json *status_parts_seal(Arena *a, Draft *status, const Json *kept)
{
    const Json *member, *sealed = json_seal(a, status);

    if (!kept)
        return sealed;
    json_each(member, kept)
        if (!json_member(sealed, json_key(member)))
            draft_add(status, draft_json(json_key(member), member));
    return json_seal(a, status);
}

Err *status_part_history(Arena *a, const Json *value, void *ret)
{
    return plan_history_decode(a, value, ret);
}

Err *status_part_conditions(Arena *a, const Json *value, void *ret)
{
    if (json_type(value) != JSON_ARRAY)
        return err_terminal(a, ": expected an array");
    conds_decode(value, ret);
    return OK;
}
