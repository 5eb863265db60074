/* Bearers: counted texts. A token that nobody holds any more is wiped before its memory is used
 * again.
 */
#include "sei/sidecar/bearers.h"

#include "base/str.h"

#include <string.h>

void bearers_init(Bearers *b, Slab *slab, size_t max)
{
    *b = (Bearers){.slab = slab, .all = map_open(max)};
}

void bearers_close(Bearers *b)
{
    map_close(b->all);
}

static Bearer *take(Bearers *b, const char *text)
{
    size_t len = text ? strlen(text) : 0;

    if (len == 0 || len > BEARER_MAX)
        return NULL;
    Bearer *bearer = map_find(b->all, text);
    if (!bearer) {
        size_t size = sizeof *bearer + len + 1;
        bearer = slab_alloc(b->slab, size);
        *bearer = (Bearer){.size = size};
        memcpy(bearer->text, text, len + 1);
        if (!map_put(b->all, bearer->text, bearer)) {
            slab_free(b->slab, bearer, size);
            return NULL;
        }
    }
    bearer->holders++;
    return bearer;
}

static void give_back(Bearers *b, Bearer *bearer)
{
    if (!bearer || --bearer->holders > 0)
        return;
    map_remove(b->all, bearer->text);
    size_t size = bearer->size;
    explicit_bzero(bearer, size);
    slab_free(b->slab, bearer, size);
}

void bearers_swap(Bearers *b, Bearer **held, const char *text)
{
    if (*held && str_eq((*held)->text, text))
        return;
    Bearer *now = take(b, text);
    give_back(b, *held);
    *held = now;
}
