/* UUIDs: random ones (v4) and ones derived from a name (v5). */
#ifndef KUBE_UUID_H
#define KUBE_UUID_H

#include "base/err.h"
#include "base/rng.h"

enum { UUID_SIZE = 37 }; /* 36 characters and the NUL */

/* A random UUID of the generator given. */
void uuid_v4(Rng *rng, char ret[UUID_SIZE]);

/* The UUID of `name` in the name space that is itself a UUID. ERR_TERMINAL when `space` is not one.
 */
Err *uuid_v5(Arena *a, const char *space, const char *name, char ret[UUID_SIZE]) MUST_CHECK;

/* True for the canonical text form of any UUID. */
bool uuid_is_valid(const char *text);

#endif
