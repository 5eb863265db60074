/* Sweep: the delete of a collection: of every object that it selects, one by one. */
#ifndef SANDBOX_SWEEP_H
#define SANDBOX_SWEEP_H

#include "world/server.h"

/* Carries out `request`, a delete without a name, for all that its namespace and selectors pick.
 * The answer is the list of them, or the refusal of the first that could not be deleted; what is
 * gone meanwhile does not count. */
void sweep(Server *s, Arena *a, const Caller *caller, const Request *request, Answer *ret);

#endif
