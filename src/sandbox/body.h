/* Body: the bytes of a request as the value that its Content-Type says. */
#ifndef SANDBOX_BODY_H
#define SANDBOX_BODY_H

#include "sandbox/route.h"

/* Reads the body into the request, and with it which kind of patch it is. False with the refusal:
 * of another type, or malformed. */
bool body_read(Arena *a, const HallRequest *in, Routed *ret) MUST_CHECK;

#endif
