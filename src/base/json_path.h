/* The steps of a path: ".status.conditions[0].type", ".metadata.labels['sei.io/node']",
 * ".spec.containers[].image". Paths are literals of the house: a wrong one is a BUG. */
#ifndef SRC_BASE_JSON_PATH_H
#define SRC_BASE_JSON_PATH_H

#include "base/bytes.h"

typedef enum PathStepType {
    PATH_KEY,   /* .key or ['key'] */
    PATH_INDEX, /* [0] */
    PATH_EVERY, /* [] */
} PathStepType;

typedef struct PathStep {
    PathStepType type;
    Bytes key;
    size_t index;
} PathStep;

/* Takes the first step off *path; false when there is none left. */
bool path_next(const char **path, PathStep *ret);

#endif
