/* Projection: what of an object is worth keeping.
 *
 * All paths are followed at once, in one walk over the object. */
#include "base/json_routes.h"

/* A container in an object of which nothing is left goes; in an array it stays, for its place. */
static void leave(Tape *t, const Place *places)
{
    bool in_object = t->depth > 1 && places[t->depth - 2].children.keyed;
    if (in_object && tape_is_empty(t))
        tape_drop(t);
    else
        tape_close(t);
}

static void enter(Tape *t, Place *places, yyjson_val *container, uint64_t routes)
{
    tape_open(t, unsafe_yyjson_get_type(container));
    places[t->depth - 1] = (Place){.children = children_of(container), .routes = routes};
}

/* Keeps the child whole, goes into it, or passes it by. */
static void visit(Tape *t, Place *places, const JsonPaths *routes, yyjson_val *child)
{
    const Place *place = &places[t->depth - 1];
    bool whole, keyed = place->children.keyed;
    uint64_t into = routes_into(routes, place, t->depth, child, &whole);
    bool enters = !whole && into && unsafe_yyjson_is_ctn(child);

    if (keyed && (whole || enters))
        tape_key(t, child - 1);
    if (whole)
        tape_value(t, child);
    else if (enters)
        enter(t, places, child, into);
    else if (into && !keyed)
        tape_value(t, val_empty_object());
}

const Json *json_project_by(Arena *a, const Json *v, const JsonPaths *paths)
{
    if (!v || !paths)
        return v;
    Tape t = {.arena = a};
    Place places[JSON_DEPTH_MAX];
    bool has_inside = unsafe_yyjson_is_ctn(json_val(v));

    enter(&t, places, has_inside ? json_val(v) : val_empty_object(), UINT64_MAX);
    while (t.depth > 0) {
        yyjson_val *child = children_next(&places[t.depth - 1].children);
        if (child)
            visit(&t, places, paths, child);
        else
            leave(&t, places);
    }
    return tape_seal(&t);
}

const Json *json_project(Arena *a, const Json *v, const char *const *paths)
{
    return v ? json_project_by(a, v, json_paths(a, paths)) : NULL;
}
