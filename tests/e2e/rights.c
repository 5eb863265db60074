/* What the words of rights.h mean. */
#include "tests/e2e/rights.h"

#include "base/str.h"
#include "tests/e2e/nodes.h"

#include <string.h>

const Right rights_of_fleets[] = {
    {"scaling down, and the end of a fleet", "delete", "seinodes"},
    {"the answer to a write of a pod was lost", "get", "pods", .elsewhere = true},
    {"a template is kept", "create", "controllerrevisions"},
    {"whether there are too many", "list", "controllerrevisions"},
    {"a probe fails: see test_fleet_troubles.c", "list", "events", .elsewhere = true},
    {"one of before is used again", "patch", "controllerrevisions", .elsewhere = true},
    {"more than ten were kept", "delete", "controllerrevisions", .elsewhere = true},
};

const size_t rights_of_fleets_count = array_count(rights_of_fleets);

const Right rights_of_routes[] = {
    {"one that is not in the cache may be somebody else's", "get", "httproutes"},
    {"what is there", "list", "httproutes"},
    {"what becomes of it", "watch", "httproutes"},
    {"networking is asked for", "create", "httproutes"},
    {"somebody edited one", "patch", "httproutes"},
    {"networking is not asked for any more", "delete", "httproutes"},
};

const size_t rights_of_routes_count = array_count(rights_of_routes);

bool rights_used(const AuditLog *log, Arena *a, Right right)
{
    const char *slash = strchr(right.resource, '/');
    const char *plain = str_slice(a, right.resource, strcspn(right.resource, "/"));

    for (size_t i = 0; i < log->count; i++) {
        const AuditLine *line = &log->lines[i];
        if (!str_eq(line->user, NODES_OPERATOR) || !str_eq(line->resource, plain))
            continue;
        if (str_eq(line->verb, right.verb) && str_eq(line->subresource, slash ? slash + 1 : NULL))
            return true;
        /* An apply that makes an object is a patch that answers 201, and needs both. */
        if (str_eq(right.verb, "create") && str_eq(line->verb, "patch") && line->code == 201)
            return true;
    }
    return false;
}
