/* Heap: two settings of glibc's malloc. */
#include "base/heap.h"

#include <malloc.h>

enum { HEAPS_MAX = 1 }; /* arenas of our own feed the threads: they seldom meet in malloc */

void heap_configure(void)
{
    mallopt(M_ARENA_MAX, HEAPS_MAX);
    mallopt(M_MMAP_THRESHOLD, HEAP_MAPPED_MIN);
}
