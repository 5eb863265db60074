/* Tempo: how fast a sandbox is, which orders may change while it runs. */
#ifndef SANDBOX_TEMPO_H
#define SANDBOX_TEMPO_H

#include <stdint.h>

enum { TEMPO_SPEED_MAX = 1000, TEMPO_SLOW_MAX_MS = 30000 };

typedef struct Tempo {
    int64_t speed;   /* so many seconds of the world are one of the clients' */
    int64_t slow_ms; /* answers of the API server and of sidecars, and the start of a container,
                        take so much longer, by the clients' clock; 0: as usual */
} Tempo;

#endif
