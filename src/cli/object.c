/* Object: small questions that several commands ask. */
#include "cli/object.h"

#include "base/str.h"
#include "kube/cond.h"
#include "kube/meta.h"

#include <string.h>

const Json *object_for_people(Arena *a, const Json *object)
{
    return json_merge(a, object, json_fixture(a, "{metadata: {managedFields: null}}"));
}

const char *object_full_name(Arena *a, const Kind *kind, const Json *object)
{
    return str_format(a,
        "%.*s.%s/%s",
        (int)(strlen(kind->plural) - 1),
        kind->plural,
        kind->group,
        meta_name(object));
}

const char *object_condition(const Json *object, const char *type)
{
    return json_str(cond_in(object, type), ".status");
}

const char *object_reason(const Json *object, const char *type)
{
    return json_str(cond_in(object, type), ".reason");
}

const char *object_message(const Json *object, const char *type)
{
    return json_str(cond_in(object, type), ".message");
}

static bool applies_pause(const Json *entry)
{
    return str_eq(json_str(entry, ".operation"), "Apply")
        && json_find(entry, ".fieldsV1['f:spec']['f:paused']");
}

const char *object_pause_applier(const Json *object, const char *but)
{
    const Json *entry, *entries = json_find(object, ".metadata.managedFields");

    json_each(entry, entries)
        if (applies_pause(entry) && !str_eq(json_str(entry, ".manager"), but))
            return json_str(entry, ".manager");
    return NULL;
}

bool object_pause_is_applied_by(const Json *object, const char *manager)
{
    const Json *entry, *entries = json_find(object, ".metadata.managedFields");

    json_each(entry, entries)
        if (applies_pause(entry) && str_eq(json_str(entry, ".manager"), manager))
            return true;
    return false;
}
