/* Heap: what is large goes back to the kernel. */
#include "base/heap.h"
#include "base/slab.h"
#include "tests/test.h"

#include <malloc.h>

enum { LARGER = 8 << 20 };

/* A sanitizer brings a malloc of its own, of which glibc knows nothing. */
static bool is_malloc_glibc(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.arena > 0 || info.hblkhd > 0;
}

TEST(a_large_block_is_mapped_separately_also_after_a_larger_one_was_freed)
{
    Slab *slab = slab_open();

    heap_configure();
    slab_free(slab, slab_alloc(slab, LARGER), LARGER);
    size_t before = mallinfo2().hblks;
    void *large = slab_alloc(slab, HEAP_MAPPED_MIN);
    then_int(mallinfo2().hblks - before, is_malloc_glibc());
    slab_free(slab, large, HEAP_MAPPED_MIN);
    then_int(mallinfo2().hblks - before, 0);
    slab_close(slab);
}
