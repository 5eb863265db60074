/* Lookups: what is known of the host names of fleets. A reconcile asks and goes on; what it gets is
 * the last answer, and when to ask again.
 *
 * A name that does not resolve is asked for every 10 s, one that does every minute. When nobody
 * answers, what was known stays: an outage of the resolver says nothing of a name that was there.
 * In memory only: who forgets it asks again. */
#ifndef SEI_RECONCILE_LOOKUPS_H
#define SEI_RECONCILE_LOOKUPS_H

#include "kube/key.h"
#include "sei/plan/fleet_networking.h"
#include "sei/reconcile/resolver.h"

#include <stdint.h>

typedef struct Lookups Lookups;

enum {
    LOOKUPS_MAX = 10000, /* fleets; the name of one that has no room stays unknown */
    LOOKUPS_MISSING_MS = 10000,
    LOOKUPS_FOUND_MS = 60000,
};

/* Without a resolver every name counts as one that resolves. */
Lookups *lookups_open(Resolver *resolver);
void lookups_close(Lookups *l);

typedef struct Lookup {
    NameState state;
    int64_t again_ms; /* after which to ask again */
} Lookup;

/* What is known of the name of a fleet. The guard is held, here and below. */
Lookup lookups_ask(Lookups *l, Key fleet, const char *host, int64_t now_ms);

/* The fleet is gone, or has no name to be looked up any more. */
void lookups_forget(Lookups *l, Key fleet);

#endif
