/* Watch: a watch of the server as a stream of a hall. */
#ifndef SANDBOX_WATCH_H
#define SANDBOX_WATCH_H

#include "kube/serve/hall.h"
#include "sandbox/shape.h"
#include "world/world.h"

/* A stream in the arena, whose events have that shape, and which holds its watch until it is
 * closed; NULL with the refusal. */
HallStream *watch_open(World *w, Arena *a, const Request *request, const Shape *shape, Answer *ret);

#endif
