/* Memory of the process. There is no way on without it, so these never return NULL: they stop the
 * process with a message, and it restarts from what the cluster remembers. */
#ifndef SRC_BASE_MEMORY_H
#define SRC_BASE_MEMORY_H

#include <stddef.h>

/* Uninitialised bytes; give back with free. */
void *memory_new(size_t size);

/* Zeroed elements; give back with free. */
void *memory_new_zeroed(size_t count, size_t size);

/* The same bytes in a room of another size. `old` may be NULL. */
void *memory_resize(void *old, size_t size);

#endif
