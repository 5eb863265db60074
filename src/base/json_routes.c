/* Routes: paths taken apart once, and what of them leads through one child. */
#include "base/json_routes.h"

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

const JsonPaths *json_paths(Arena *a, const char *const *paths)
{
    if (!paths)
        return NULL;
    JsonPaths *routes = arena_new(a, JsonPaths);
    for (; *paths; paths++) {
        if (routes->count == JSON_PATHS_MAX)
            BUG("a projection of more than JSON_PATHS_MAX paths");
        routes->route[routes->count++] = route_of(a, *paths);
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

uint64_t routes_into(
    const JsonPaths *routes, const Place *place, size_t depth, yyjson_val *child, bool *whole)
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
