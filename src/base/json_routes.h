/* Routes: several paths followed at once, in one walk over a value. The paths that still fit at a
 * place are the bits of a number. */
#ifndef SRC_BASE_JSON_ROUTES_H
#define SRC_BASE_JSON_ROUTES_H

#include "base/json_path.h"
#include "base/json_tape.h"

typedef struct Route {
    PathStep *steps;
    size_t count;
} Route;

struct JsonPaths {
    Route route[JSON_PATHS_MAX];
    size_t count;
};

/* A container on the way, and the routes that lead into it. */
typedef struct Place {
    Children children;
    uint64_t routes;
} Place;

/* The routes that lead beyond a child at this depth (1: of the outermost value); *whole when one
 * ends at it. */
uint64_t routes_into(
    const JsonPaths *routes, const Place *place, size_t depth, yyjson_val *child, bool *whole);

#endif
