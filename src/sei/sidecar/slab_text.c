/* SlabText: a text that does not change is not copied again. */
#include "sei/sidecar/slab_text.h"

#include "base/str.h"

#include <string.h>

void slab_text_set(Slab *slab, SlabText *t, const char *text)
{
    if (str_eq(t->text, text))
        return;
    slab_free(slab, t->text, t->size);
    *t = (SlabText){0};
    if (!text)
        return;
    t->size = strlen(text) + 1;
    t->text = slab_alloc(slab, t->size);
    memcpy(t->text, text, t->size);
}
