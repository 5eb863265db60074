/* Silence: an answer that never comes, as of a machine that is cut off. */
#ifndef SANDBOX_SILENCE_H
#define SANDBOX_SILENCE_H

#include "kube/serve/hall.h"

/* A stream in the arena that has nothing to say, until the client gives up. */
HallStream *silence_open(Arena *a);

#endif
