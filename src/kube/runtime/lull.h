/* Lull: how long to leave the watches alone, so that the events of a storm are taken in together.
 *
 * To wake for an event costs as much as to take in several. Who wakes now and then, or a few times
 * in a row, never waits; who goes on waking does so once in LULL_MS. */
#ifndef KUBE_RUNTIME_LULL_H
#define KUBE_RUNTIME_LULL_H

#include <stdint.h>

enum {
    LULL_MS = 100,
    LULL_FREE = 8, /* times in a row */
};

/* Starts as {0}. */
typedef struct Lull {
    int64_t spent_ms; /* until then the times so far would have lasted, LULL_MS each */
} Lull;

/* Asked before each time; the milliseconds to wait, LULL_MS at most. */
int64_t lull_ms(Lull *l, int64_t now_ms);

#endif
