/* Shelf: the objects of one kind in the order of their keys, which is the order of lists. */
#ifndef WORLD_SHELF_H
#define WORLD_SHELF_H

#include "base/slab.h"
#include "world/record.h"

#include <stddef.h>

typedef struct Shelf Shelf;

/* A place on the shelf: where an object stands, whatever its version. */
typedef struct ShelfPlace ShelfPlace;

/* An empty shelf whose memory comes from the slab. Closing it drops the records. */
Shelf *shelf_open(Slab *slab);
void shelf_close(Shelf *s);

/* The record of a key, or NULL. */
Record *shelf_find(const Shelf *s, const char *key);

/* Puts a record in the place of its key, new or not, and takes over the caller's hold on it. */
void shelf_put(Shelf *s, Record *r);

/* Takes the record of a key away; the caller gets the shelf's hold on it. NULL when there is none.
 */
Record *shelf_take(Shelf *s, const char *key);

/* Objects now. */
size_t shelf_count(const Shelf *s);

/* The first place whose key is not before `key` (NULL: the first of all), and the one after a
 * place; NULL at the end. Places hold until the shelf changes. */
const ShelfPlace *shelf_seek(const Shelf *s, const char *key);
const ShelfPlace *shelf_next(const ShelfPlace *place);

/* What stands there. */
Record *shelf_record(const ShelfPlace *place);

#endif
