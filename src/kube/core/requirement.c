/* Requirements of selectors. A negative one is met by an object that does not have the key at all:
 * so it is in Kubernetes. */
#include "kube/core/requirement.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

Selector *requirements_new(Arena *a, size_t max)
{
    Selector *selector = arena_new(a, Selector);

    selector->items = arena_array(a, Requirement, max < REQUIREMENTS_MAX ? max : REQUIREMENTS_MAX);
    return selector;
}

static int compare_values(const void *left, const void *right)
{
    return str_compare(*(const char *const *)left, *(const char *const *)right);
}

Err *requirement_add(Arena *a, Selector *selector, Requirement requirement)
{
    size_t at = selector->count;

    if (at == REQUIREMENTS_MAX)
        return err_terminal(a, "a selector of more than %d requirements", REQUIREMENTS_MAX);
    if (requirement.count > 1)
        qsort(requirement.values, requirement.count, sizeof *requirement.values, compare_values);
    for (; at > 0 && strcmp(selector->items[at - 1].key, requirement.key) > 0; at--)
        selector->items[at] = selector->items[at - 1];
    selector->items[at] = requirement;
    selector->count++;
    return OK;
}

bool requirement_meets(const Requirement *requirement, const char *value)
{
    bool listed = value && requirement->count > 0
        && bsearch(&value,
            requirement->values,
            requirement->count,
            sizeof *requirement->values,
            compare_values);

    switch (requirement->operator) {
    case IN:
        return listed;
    case NOT_IN:
        return !listed;
    case EXISTS:
        return value != NULL;
    case NOT_EXISTS:
        return value == NULL;
    }
    BUG("a selector with an operator that is none");
}
