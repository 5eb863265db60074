/* Crowd: notices when two pods are on one volume, or have one signing key, from the first moment
 * that both exist until one has ended: whoever is there may mount it. */
#ifndef TESTS_SIM_CROWD_H
#define TESTS_SIM_CROWD_H

#include "base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum { CROWD_PODS_MAX = 256, CROWD_NAME_MAX = 300 };

typedef struct Guest {
    char pod[CROWD_NAME_MAX], place[CROWD_NAME_MAX];
} Guest;

/* The zero value has seen nothing. */
typedef struct Crowd {
    bool of_keys; /* it looks at the Secrets that pods sign with, and not at their volumes */
    Guest guests[CROWD_PODS_MAX];
    size_t count;
    char found[3 * CROWD_NAME_MAX]; /* the first time that there were two; "": never */
} Crowd;

/* A pod has changed; NULL: it was not, is not there. */
void crowd_see(Crowd *c, const Json *before, const Json *after);

#endif
