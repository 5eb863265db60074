/* Waits: since when objects of one kind, nodes or fleets, have been waiting for what they wait for.
 * A wait is told once it has
 * lasted two seconds, then whenever its reason changes: most waits are over before anyone could
 * read of them, and a status write for each would be noise. In memory only. */
#ifndef SEI_RECONCILE_WAITS_H
#define SEI_RECONCILE_WAITS_H

#include "base/slab.h"
#include "kube/guard.h"
#include "kube/key.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Waits Waits;

enum { WAIT_TOLD_AFTER_MS = 2000, WAITS_MAX = 20000 };

/* Nobody waits. */
Waits *waits_open(void);
void waits_close(Waits *w);

/* The object waits (`reason`), or does not (NULL). How many milliseconds until that is told: 0 for
 * now. The guard is held. */
int64_t waits_note(Waits *w, Key about, const char *reason, int64_t now_ms);

#endif
