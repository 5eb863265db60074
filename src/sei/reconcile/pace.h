/* Pace: until when an object is not written again, so that what changes quickly is not written with
 * every change. In memory only: who forgets it writes once more. */
#ifndef SEI_RECONCILE_PACE_H
#define SEI_RECONCILE_PACE_H

#include "kube/key.h"

#include <stdint.h>

typedef struct Pace Pace;

enum { PACE_MAX = 10000 }; /* objects; one that has no room is written whenever it changes */

/* Nobody waits. */
Pace *pace_open(void);
void pace_close(Pace *p);

/* The object was written, and rests for so long. One that was written before its time rests for
 * what was left besides, but no more than twice as long: two writes in a row are paid for later.
 * The guard is held, here and below. */
void pace_note(Pace *p, Key key, int64_t now_ms, int64_t rest_ms);

/* How many milliseconds it is not to be written; 0: it may be. */
int64_t pace_left(const Pace *p, Key key, int64_t now_ms);

/* The object is gone. */
void pace_forget(Pace *p, Key key);

#endif
