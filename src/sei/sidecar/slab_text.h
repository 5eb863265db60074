/* SlabText: a text that lives in a slab, and is replaced by others. */
#ifndef SEI_SIDECAR_SLAB_TEXT_H
#define SEI_SIDECAR_SLAB_TEXT_H

#include "base/slab.h"

#include <stddef.h>

/* The zero value is no text. */
typedef struct SlabText {
    char *text; /* or NULL */
    size_t size;
} SlabText;

/* Puts a text in the place of another; NULL for none. */
void slab_text_set(Slab *slab, SlabText *t, const char *text);

#endif
