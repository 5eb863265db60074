/* Projection: what of an object is worth keeping.
 *
 * All paths are followed at once, in one walk over the object: the paths that still fit at a place
 * are the bits of a number. */
#include "base/json_path.h"
#include "base/json_tape.h"

#include <assert.h>
#include <string.h>

typedef struct Route {
    PathStep *steps;
    size_t count;
} Route;

typedef struct Routes {
    Route route[JSON_PATHS_MAX];
    size_t count;
} Routes;

/* A container on the way, and the routes that lead into it. */
typedef struct Place {
    Children children;
    uint64_t routes;
} Place;

static Route route_of(Arena *a, const char *path)
{
    size_t most = 0;
    for (const char *at = path; *at; at++)
        most += *at == '.' || *at == '[';

    Route r = {.steps = arena_array(a, PathStep, most)};
    while (path_next(&path, &r.steps[r.count])) {
        if (r.steps[r.count].type == PATH_INDEX)
            BUG("a projection goes through every element of an array, []");
        r.count++;
    }
    if (r.count == 0 || r.count > JSON_DEPTH_MAX)
        BUG("a projection with a path that leads nowhere");
    return r;
}

static Routes routes_of(Arena *a, const char *const *paths)
{
    Routes routes = {.count = 0};
    for (; *paths; paths++) {
        if (routes.count == JSON_PATHS_MAX)
            BUG("a projection of more than JSON_PATHS_MAX paths");
        routes.route[routes.count++] = route_of(a, *paths);
    }
    return routes;
}

static bool step_fits(const PathStep *step, yyjson_val *child, bool keyed)
{
    if (!keyed)
        return step->type == PATH_EVERY;
    return step->type == PATH_KEY
        && unsafe_yyjson_equals_strn(child - 1, step->key.data, step->key.len);
}

/* The routes that lead beyond this child; *whole when one ends at it. */
static uint64_t routes_into(
    const Routes *routes, const Place *place, size_t depth, yyjson_val *child, bool *whole)
{
    uint64_t into = 0;

    *whole = false;
    for (size_t i = 0; i < routes->count; i++) {
        const Route *route = &routes->route[i];
        if (!(place->routes >> i & 1)
            || !step_fits(&route->steps[depth - 1], child, place->children.keyed))
            continue;
        if (route->count == depth)
            *whole = true;
        else
            into |= UINT64_C(1) << i;
    }
    return into;
}

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
static void visit(Tape *t, Place *places, const Routes *routes, yyjson_val *child)
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

const Json *json_project(Arena *a, const Json *v, const char *const *paths)
{
    if (!v || !paths)
        return v;
    Routes routes = routes_of(a, paths);
    Tape t = {.arena = a};
    Place places[JSON_DEPTH_MAX];
    bool has_inside = unsafe_yyjson_is_ctn(json_val(v));

    enter(&t, places, has_inside ? json_val(v) : val_empty_object(), UINT64_MAX);
    while (t.depth > 0) {
        yyjson_val *child = children_next(&places[t.depth - 1].children);
        if (child)
            visit(&t, places, &routes, child);
        else
            leave(&t, places);
    }
    return tape_seal(&t);
}
