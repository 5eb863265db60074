/* Memory: malloc that does not return NULL. */
#include "base/memory.h"

#include "base/err.h"

#include <stdlib.h>

static void *checked(void *memory)
{
    if (!memory)
        BUG("out of memory");
    return memory;
}

void *memory_new(size_t size)
{
    return checked(malloc(size ? size : 1));
}

void *memory_new_zeroed(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *memory_resize(void *old, size_t size)
{
    return checked(realloc(old, size ? size : 1));
}
