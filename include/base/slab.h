/* Slab: small pieces of memory that come and go for as long as the process lives, such as cached
 * objects.
 *
 * Pieces are cut from pages by size class; what is freed is used again, so that a steady stream of
 * replacements calls malloc not once. A page whose pieces are all free is given back to the system,
 * but for four (256 KiB) that are kept for the next need. One caller at a time. */
#ifndef BASE_SLAB_H
#define BASE_SLAB_H

#include <stddef.h>

typedef struct Slab Slab;

/* An empty slab. Close with slab_close. */
Slab *slab_open(void);

/* Gives all pages back, whatever is still in use. Accepts NULL. */
void slab_close(Slab *s);

/* `size` bytes, not zeroed, aligned to 16. Never NULL. */
void *slab_alloc(Slab *s, size_t size);

/* Gives a piece back; `size` is what it was asked for. Accepts NULL. */
void slab_free(Slab *s, void *piece, size_t size);

/* Pieces in use now. */
size_t slab_count(const Slab *s);

/* Bytes taken from the system now. */
size_t slab_footprint(const Slab *s);

#endif
