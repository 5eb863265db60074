/* Managed: the language of metadata.managedFields, in which the server keeps who owns what. */
#ifndef SRC_KUBE_CORE_MANAGED_H
#define SRC_KUBE_CORE_MANAGED_H

#include "base/json.h"

#include <stdbool.h>

/* The entry of a manager for its applies to the object itself, not to a subresource; or NULL. */
const Json *managed_find_entry(const Json *entries, const char *manager);

/* What is owned inside of something: the first of it, or NULL when it is owned as a whole. The
 * others follow by json_next; "." may be among them. */
const Json *managed_first_child(const Json *fields);

/* The name stands for an element of a list. */
bool managed_is_list_name(const char *name);

/* An owned element of a list. */
typedef struct ManagedItem {
    const char *name;   /* "k:{...}" or "v:..." */
    const Json *key;    /* of "k:" the members that identify it; of "v:" the element itself */
    const Json *fields; /* what of it is owned */
} ManagedItem;

/* Reads a child of the fields of a list; false when it names no element. */
bool managed_item_read(Arena *a, const Json *child, ManagedItem *ret);

/* Whether an element of a list is the one. */
bool managed_item_is(const ManagedItem *item, const Json *element);

#endif
