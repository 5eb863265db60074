/* Lull: a bucket that LULL_FREE times fill and time empties. */
#include "kube/runtime/lull.h"

int64_t lull_ms(Lull *l, int64_t now_ms)
{
    int64_t before_ms = l->spent_ms > now_ms ? l->spent_ms : now_ms;
    int64_t wait_ms = before_ms - now_ms - (LULL_FREE - 1) * LULL_MS;

    l->spent_ms = before_ms + LULL_MS;
    return wait_ms > 0 ? wait_ms : 0;
}
