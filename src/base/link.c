/* Link: circles of two-way links. A link alone is a circle of one, which spares every special case.
 */
#include "base/link.h"

#include <assert.h>

void link_init(Link *l)
{
    l->previous = l->next = l;
}

void link_insert_before(Link *place, Link *l)
{
    assert(link_is_alone(l));
    l->next = place;
    l->previous = place->previous;
    place->previous->next = l;
    place->previous = l;
}

void link_replace(Link *old, Link *l)
{
    link_insert_before(old, l);
    link_remove(old);
}

void link_remove(Link *l)
{
    l->previous->next = l->next;
    l->next->previous = l->previous;
    link_init(l);
}

bool link_is_alone(const Link *l)
{
    return l->next == l;
}
