/* Reads fieldsV1, where keys name fields ("f:"), elements of lists by the members that identify
 * them
 * ("k:") or by their value ("v:"), and the thing itself ("."):
 *
 *     {"f:spec": {"f:containers": {"k:{\"name\":\"x\"}": {".": {}, "f:image": {}}}}}
 *
 * No server names elements by their place ("i:") in what was applied, so that is not read. */
#include "kube/core/managed.h"

#include "base/str.h"

const Json *managed_find_entry(const Json *entries, const char *manager)
{
    const Json *entry;

    json_each(entry, entries)
        if (str_eq(json_str(entry, ".manager"), manager)
            && str_eq(json_str(entry, ".operation"), "Apply")
            && str_empty(json_str(entry, ".subresource")))
            return entry;
    return NULL;
}

const Json *managed_first_child(const Json *fields)
{
    const Json *child = json_type(fields) == JSON_OBJECT ? json_first(fields) : NULL;

    while (child && str_eq(json_key(child), "."))
        child = json_next(fields, child);
    return child;
}

bool managed_is_list_name(const char *name)
{
    return str_has_prefix(name, "k:") || str_has_prefix(name, "v:");
}

bool managed_item_read(Arena *a, const Json *child, ManagedItem *ret)
{
    ManagedItem item = {.name = json_key(child), .fields = child};

    if (!managed_is_list_name(item.name) || json_parse(a, bytes_of(item.name + 2), &item.key))
        return false;
    if (item.name[0] == 'k' && json_type(item.key) != JSON_OBJECT)
        return false;
    *ret = item;
    return true;
}

bool managed_item_is(const ManagedItem *item, const Json *element)
{
    const Json *part;

    if (item->name[0] == 'v')
        return json_equal(item->key, element);
    json_each(part, item->key)
        if (!json_equal(part, json_member(element, json_key(part))))
            return false;
    return true;
}
