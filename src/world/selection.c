/* Selections. A record is judged by its key and its glance; it is never parsed for this. */
#include "world/selection.h"

#include "base/str.h"
#include "kube/core/requirement.h"
#include "world/refusal.h"

#include <string.h>

static bool is_selectable(const Resource *r, const char *path)
{
    if (str_eq(path, ".metadata.name") || str_eq(path, ".metadata.namespace"))
        return true;
    for (const char *const *each = r->traits.selectable; each && *each; each++) {
        size_t len = strlen(*each);
        if (str_has_prefix(path, *each) && (path[len] == '\0' || path[len] == '.'))
            return true;
    }
    return false;
}

static Err *check_fields(Call *c, const Selector *fields)
{
    bool has_own = c->resource->traits.selectable || c->resource->traits.is_custom;

    for (size_t i = 0; i < fields->count; i++) {
        const char *path = fields->items[i].key;
        if (is_selectable(c->resource, path))
            continue;
        if (has_own)
            return refuse_bad_request(c, "field label not supported: %s", path + 1);
        return refuse_bad_request(c,
            "\"%s\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            path + 1);
    }
    return OK;
}

Err *selection_read(Call *c, Arena *a, Selection *ret)
{
    const Request *request = c->request;
    Err *err;

    *ret = (Selection){.namespace = str_copy(a, request->key.namespace)};
    if (str_empty(ret->namespace))
        ret->namespace = NULL;
    if (!str_empty(request->labels)) {
        err = selector_parse(a, str_copy(a, request->labels), &ret->labels);
        if (err)
            return refuse_bad_request(c, "unable to parse requirement: %s", err->message);
    }
    if (!str_empty(request->fields)) {
        err = selector_parse_fields(a, str_copy(a, request->fields), &ret->fields);
        if (err)
            return refuse_bad_request(c, "%s", err->message);
        return check_fields(c, ret->fields);
    }
    return OK;
}

bool selection_is_plain(const Selection *selection)
{
    return !selection->labels && !selection->fields;
}

bool selection_reaches(const Selection *selection, const Record *r)
{
    size_t len = selection->namespace ? strlen(selection->namespace) : 0;

    return !selection->namespace
        || (strncmp(record_key(r), selection->namespace, len) == 0 && record_key(r)[len] == '/');
}

bool selection_picks(const Selection *selection, Arena *scratch, const Record *r)
{
    const Json *glance;

    if (!r || !selection_reaches(selection, r))
        return false;
    if (selection_is_plain(selection))
        return true;
    arena_reset(scratch);
    glance = record_glance(scratch, r);
    return selector_matches(selection->labels, glance)
        && selector_matches_fields(selection->fields, glance);
}
