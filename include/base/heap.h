/* Heap: how malloc treats a program that runs for months. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

enum { HEAP_MAPPED_MIN = 256 << 10 };

/* One heap for all threads; and a block of HEAP_MAPPED_MIN bytes or more is mapped by itself, so
 * that the kernel has it back when it is freed. Left alone, glibc raises that size with each such
 * block that is freed, up to 32 MiB; large blocks then leave holes in the heap, which small blocks
 * keep open. To be called before the first thread is started; again it changes nothing. */
void heap_configure(void);

#endif
