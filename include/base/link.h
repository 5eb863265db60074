/* Link: a list whose links stand in its elements, so that joining and leaving cost no memory.
 *
 * The list is a circle through a head, which is a Link that belongs to no element. A link that is
 * in no list points to itself. */
#ifndef BASE_LINK_H
#define BASE_LINK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Link {
    struct Link *previous, *next;
} Link;

/* Makes an empty list of a head, or a link that is in no list. Needed before anything else. */
void link_init(Link *l);

/* Puts a link, which must be in no list, before another; before the head is the end of the list. */
void link_insert_before(Link *place, Link *l);

/* Puts `l`, which must be in no list, where `old` is; `old` is then in no list. An `old` in no list
 * leaves `l` in none. */
void link_replace(Link *old, Link *l);

/* Takes a link out of its list; nothing happens when it is in none. */
void link_remove(Link *l);

/* True for a link in no list, and for the head of an empty list. */
bool link_is_alone(const Link *l);

/* The element of type T whose member is this link. */
#define link_owner(T, member, link) ((T *)(void *)((char *)(link) - offsetof(T, member)))

#endif
